"""Figure 1: how dependent independent columns look, by N, d and λ.

Of every ordered pair of attributes of a random table the gain ratio D(A ⇒ B) = I(A;B)/H(B) (eq. 1):
its plug-in value, which few people for many cells make large, and the same less what shuffled
columns have on average (corrected).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import reidrisk as rr
from reidrisk.arrays import Floats
from reidrisk.reports import Grid, Picture
from reidrisk_papers.figure import Ours, Rerun
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.compared import compared
from reidrisk_papers.tfrr.parameter_sets import ParameterSet, followed, random_table, told
from reidrisk_papers.tfrr.set_boxes import set_boxes
from reidrisk_papers.tfrr.trends import AXES, Trend, trend, trends_told

TABLES, QUICK_TABLES = 50, 3
# The largest tables take most of the time and scatter least.
FEWER = {750_000: 20, 3_750_000: 5}


class Looked(NamedTuple):
    """The gain ratios of one set's tables, all ordered pairs: plug-in and corrected."""

    tables: int
    plain: Floats
    corrected: Floats


def figure_1(setting: Setting) -> Rerun:
    """A box for each parameter set, and the three trends."""
    found = {chosen: looked_at(setting, chosen) for chosen in followed(setting, "figure 1")}
    plain = {chosen: float(each.plain.mean()) for chosen, each in found.items()}
    mended = {chosen: float(each.corrected.mean()) for chosen, each in found.items()}
    trends = {name: trend(plain, name) for name in AXES}
    few = [chosen for chosen in found if chosen.attributes == 2 and chosen.lambda_ == 0.1]
    more = [each for chosen, each in found.items() if chosen.attributes > 2]
    ours = {
        "sparse_pairs": Ours(_range(plain, few), _range(mended, few)),
        "more_attributes": Ours(
            float(max(each.plain.max() for each in more)),
            float(max(np.abs(each.corrected).max() for each in more)),
        ),
        **{f"falls_with_{name}": _trend_line(name, each) for name, each in trends.items()},
        "d_before_lambda": Ours(trends["attributes"].factor / trends["lambda_"].factor),
        "lambda_before_n": Ours(trends["lambda_"].factor / trends["records"].factor),
    }
    pictures = (_picture(found, "plain"), _picture(found, "corrected"))
    return Rerun(ours, told(setting), pictures, (_grid(found),), (trends_told("the mean", trends),))


def _trend_line(name: str, found: Trend) -> Ours:
    why = found.why("its tables are too few to tell the two apart")
    return compared("figure_1", f"falls_with_{name}", [found.share], why)


def tables_of(setting: Setting, chosen: ParameterSet) -> int:
    """How many tables a set has."""
    if setting.quick:
        return setting.scaled(QUICK_TABLES)
    return setting.scaled(FEWER.get(chosen.records, TABLES))


def looked_at(setting: Setting, chosen: ParameterSet) -> Looked:
    """Measure the tables of one set."""
    many = tables_of(setting, chosen)
    held: list[Any] = []
    for number in range(many):
        table = random_table(setting, chosen, number)
        seen = rr.read(table, columns=table.column_names)
        held += rr.measure(seen, dependence=True).dependence or ()
    plain = np.array([each.uncorrected for each in held])
    return Looked(many, plain, np.array([each.corrected for each in held]))


def _range(
    means: Mapping[ParameterSet, float], sets: Sequence[ParameterSet]
) -> tuple[float, float]:
    held = [means[chosen] for chosen in sets]
    return min(held), max(held)


def _picture(found: Mapping[ParameterSet, Looked], kind: str) -> Picture:
    title = {"plain": "attribute dependence", "corrected": "attribute dependence, corrected"}[kind]
    caption = {
        "plain": "As published. Every table's columns are independent: what is seen is the bias of "
        "counting few people in many cells. Boxes: the middle half; whiskers: nine in ten.",
        "corrected": "The same tables, less what shuffled columns have on average: independent "
        "columns come out at 0.",
    }[kind]
    values = {chosen: getattr(each, kind) for chosen, each in found.items()}
    return set_boxes(values, title, caption)


def _grid(found: Mapping[ParameterSet, Looked]) -> Grid:
    heads = ("N", "d", "λ", "tables", "mean", "least", "most", "corrected, mean")
    rows = tuple(
        (f"{chosen.records:,}", f"{chosen.attributes}", f"{chosen.lambda_:g}", f"{each.tables}",
         f"{each.plain.mean():.5f}", f"{each.plain.min():.5f}", f"{each.plain.max():.5f}",
         f"{each.corrected.mean():+.5f}")
        for chosen, each in found.items()
    )  # fmt: skip
    return Grid(heads, rows, ())
