"""Figure 2a: how dependent the attributes of real tables are, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reidrisk.arrays import Floats
from reidrisk.reports import Grid, Picture, cells_of, dependence_map, dependence_map_alt_text
from reidrisk_papers.figure import Rerun
from reidrisk_papers.pictures import Curve, curves
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import STRONG
from reidrisk_papers.tfrr.compared import compared, per_cent
from reidrisk_papers.tfrr.real_tables import RealTable, real_tables, told

LOW, HIGH = 0.1, 0.3


def figure_2a(setting: Setting) -> Rerun:
    """The attribute dependences of every table."""
    tables = real_tables(setting)
    held = {table.name: _ratios(table, "uncorrected") for table in tables.values()}
    mended = {table.name: _ratios(table, "corrected") for table in tables.values()}
    both = [np.concatenate(list(each.values())) for each in (held, mended)]
    why = _pairs_counted(held, setting)
    ours = {
        "low": compared("figure_2a", "low", (float((each < LOW).mean()) for each in both), why),
        "high": compared("figure_2a", "high", (float((each > HIGH).mean()) for each in both), why),
    }
    pictures = (_shares(held), _map(next(iter(tables.values()))))
    return Rerun(ours, told(setting), pictures, (_grid_2a(held, mended),))


def _ratios(table: RealTable, kind: str) -> Floats:
    return np.array([getattr(each, kind) for each in table.dependences])


def _pairs_counted(held: Mapping[str, Floats], setting: Setting) -> str:
    """Why the shares are others than the paper's."""
    if setting.quick:
        return "the pairs are those of a generated city of six attributes, none of the paper's"
    told = "; ".join(
        f"{name}: {per_cent(each < LOW)} and {per_cent(each > HIGH)} of {len(each):,} pairs"
        for name, each in held.items()
    )
    return (
        f"the paper's pairs are largely others: School's and SPD's are missing ({told}), and its "
        "columns aren't named. No table at hand is as dependent as the paper's four together."
    )


def _shares(held: Mapping[str, Floats]) -> Picture:
    lines = [Curve(name, _at_most(each)) for name, each in held.items()]
    draw = partial(
        curves, lines, "attribute dependence", "pairs up to here", share_y=True, step=True
    )
    return Picture(
        draw,
        "The share of ordered pairs of attributes up to each dependence, table by table.",
        "As published: of each table the share of ordered pairs of attributes whose dependence "
        "D(A ⇒ B) is at most so large. The sooner a line is at the top, the less they depend.",
    )


def _at_most(ratios: Floats) -> list[tuple[float, float]]:
    at = np.linspace(0.0, 1.0, 101)
    share = np.searchsorted(np.sort(ratios), at, side="right") / len(ratios)
    return list(zip(at.tolist(), share.round(4).tolist(), strict=True))


def _map(table: RealTable) -> Picture:
    ratios = zip(cells_of(table.dependences), table.dependences, strict=True)
    cells = [cell._replace(ratio=each.uncorrected) for cell, each in ratios]
    draw = partial(dependence_map, cells, table.columns)
    return Picture(
        draw,
        dependence_map_alt_text(cells),
        f"{table.name}: how much of the attribute on the left the one below tells (0 nothing, "
        "1 everything).",
    )


def _grid_2a(held: Mapping[str, Floats], mended: Mapping[str, Floats]) -> Grid:
    heads = ("table", "ordered pairs", "below 0.1", "above 0.3", "0.5 or more",
             "below 0.1, corrected", "above 0.3, corrected")  # fmt: skip
    rows = tuple(
        (name, f"{len(each):,}", per_cent(each < LOW, 1), per_cent(each > HIGH, 1),
         per_cent(each >= STRONG, 1), per_cent(mended[name] < LOW, 1),
         per_cent(mended[name] > HIGH, 1))
        for name, each in held.items()
    )  # fmt: skip
    return Grid(heads, rows)
