"""Figure 2b: the largest attribute dependence (MAD) of each subset of attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from reidrisk.reports import Grid, Picture
from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.pictures import Cloud, points
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import (
    FEWEST,
    MOST,
    STRONG,
    Subset,
    share_strong,
    subsets,
)
from reidrisk_papers.tfrr.compared import compared, per_cent
from reidrisk_papers.tfrr.real_tables import RealTable, real_tables, told

FIGURE = "figure_2b"
ROLES = ("adult", "census", "spd")
MANY = 1000
DRAWING = 6
# Says Adult's education again, in numbers.
AGAIN = "education-num"
NO_SCHOOL = Ours(why="School can't be had, and nothing stands in for it")
NEEDS_DATA = Ours(why="a quick run has generated data only")
DECIDED = (
    "some attributes follow from others, a dependence of 1 (Adult's education-num, Census's major "
    "industry and occupation, a municipality's district, a postcode's county)"
)
RULE = (
    "The paper's smallest table has 44,842 records, which means Adult's 48,842. "
    "Which subsets: every number of attributes from 2 to 28 (or to all there are) equally often, "
    "seven subsets each of Adult and four of Census, none twice; of the six attributes that stand "
    "in for SPD's all 57. A table says how the share grows with the number of "
    "attributes, from 1,000 subsets each."
)


def figure_2b(setting: Setting) -> Rerun:
    """The largest dependence of each subset."""
    tables = real_tables(setting)
    drawn = {role: subsets(setting, table) for role, table in tables.items()}
    by_size = {role: _by_size(setting, table) for role, table in tables.items()}
    ours = {"school": NO_SCHOOL, "adult": NEEDS_DATA, "census": NEEDS_DATA}
    for role, held in drawn.items():
        why = _stands_in(held) if role == "spd" else _reason(setting, tables[role], by_size[role])
        ours[role] = compared(FIGURE, role, [_share(held)], why)
    every = [each for held in drawn.values() for each in held]
    counted = " and ".join(table.name for table in tables.values())
    why = f"only subsets of {counted} are counted, each with its own share"
    ours["all"] = compared(FIGURE, "all", [_share(every)], why)
    most = max(each.mad for each in every)
    ours["largest"] = compared(FIGURE, "largest", [most], DECIDED)
    grids = (_grid(tables, drawn), _grid_by_size(tables, by_size))
    return Rerun(ours, told(setting), (_picture(tables, drawn),), grids, (RULE,))


def _share(held: Sequence[Subset]) -> float:
    return float(np.mean([each.strong for each in held]))


def _by_size(setting: Setting, table: RealTable) -> dict[int, float]:
    """The share with a strong pair for each number of attributes."""
    rng = setting.rng(DRAWING, table.place)
    sizes = range(FEWEST, min(MOST, len(table.columns)) + 1)
    return {size: share_strong(table, size, setting.scaled(MANY), rng) for size in sizes}


def _stands_in(held: Sequence[Subset]) -> str:
    """Why the share is another than SPD's."""
    return (
        "three of SPD's attributes depend strongly on each other (ZIP code, county, hospital), two "
        "of what stands in for it: "
        f"{sum(each.strong for each in held)} of {len(held)} subsets have both"
    )


def _reason(setting: Setting, table: RealTable, by_size: Mapping[int, float]) -> str:
    """Why a table's share is another than the paper's."""
    grown = (
        f"from {per_cent(by_size[FEWEST])} of pairs to {per_cent(by_size[8])} of subsets of eight"
    )
    if AGAIN not in table.columns:
        return (
            "the paper doesn't say how many subsets it drew of each number of attributes, and "
            f"the share grows {grown}"
        )
    kept = [name for name in table.columns if name != AGAIN]
    without = RealTable(table.place, table.name, table.records.select(kept))
    shares = list(_by_size(setting, without).values())
    return (
        "Adult's education and education-num say the same, a dependence of 1; the largest of the "
        f"paper's is {paper('tfrr').reported[FIGURE].expected['largest'].said}, so no subset had "
        f"both. Without education-num the share is {per_cent(shares)}, every number of "
        "attributes equally often"
    )


def _picture(tables: Mapping[str, RealTable], drawn: Mapping[str, Sequence[Subset]]) -> Picture:
    clouds = [
        Cloud(tables[role].name, [(len(each.columns), each.mad) for each in held])
        for role, held in drawn.items()
    ]
    last = max(at for cloud in clouds for at, _ in cloud.points)
    line = [(FEWEST, STRONG), (last, STRONG)]
    draw = partial(
        points, clouds, "attributes in the subset", "largest dependence", line=line, whole_x=True
    )
    return Picture(
        draw,
        "The largest attribute dependence of each subset against its number of attributes.",
        "Each point a subset; on and above the dashed line it has a strongly dependent pair. The "
        "more attributes, the likelier one is among them.",
    )


def _grid(tables: Mapping[str, RealTable], drawn: Mapping[str, Sequence[Subset]]) -> Grid:
    heads = ("table", "people", "attributes", "subsets", "least MAD", "most", "0.5 or more")
    rows = []
    for role, held in drawn.items():
        mads = [each.mad for each in held]
        table = tables[role]
        rows.append((table.name, f"{table.records.num_rows:,}", f"{len(table.columns)}",
                     f"{len(held)}", f"{min(mads):.6f}", f"{max(mads):.4f}",
                     per_cent(_share(held), 1)))  # fmt: skip
    return Grid(heads, tuple(rows))


def _grid_by_size(
    tables: Mapping[str, RealTable], by_size: Mapping[str, Mapping[int, float]]
) -> Grid:
    heads = ("attributes", *(tables[role].name for role in by_size))
    sizes = sorted({size for shares in by_size.values() for size in shares})
    rows = tuple(
        (
            f"{size}",
            *(per_cent(held[size], 1) if size in held else "–" for held in by_size.values()),
        )
        for size in sizes
    )
    return Grid(heads, rows, (), "Share of subsets with a strongly dependent pair")
