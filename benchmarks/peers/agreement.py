"""Agreement: every figure of every tool beside reidrisk's, and each difference explained.

An explanation is a way to compute the figure differently; it counts only when computing it that way
gives the very figure the tool gave.

    complete rows    rows with an empty cell are left out (pandas' groupby drops them)
    over classes     the mean over crowds of 1/size, instead of over people: Σ_s N_s/s / Σ_s N_s
    gaps in n        the number of classes told by n/(classes·k) where n has the rows left out
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.marked_page import rows
from benchmarks.speed.answers import Facts

FIGURES = {
    "smallest": "k",
    "distinct": "distinct",
    "alone": "alone",
    "average_risk": "average risk",
}
SAME = "equal"
UNEXPLAINED = "**unexplained**"
Histogram = Mapping[int, int]


class Explanations(NamedTuple):
    """Crowds by size of all rows, and of the complete ones."""

    every: Histogram
    complete: Histogram

    def of(self, figure: str) -> Iterator[tuple[str, float]]:
        """(the way, the figure computed that way), the plain one first."""
        for histogram, said in ((self.every, ""), (self.complete, "complete rows only")):
            yield said, figure_of(histogram, figure)
            if figure == "average_risk":
                over = "over classes, not people"
                yield f"{said}, {over}" if said else over, over_classes(histogram)


def figure_of(histogram: Histogram, figure: str) -> float:
    """By definition; the average risk is the mean over people of 1/crowd."""
    people = sum(size * crowds for size, crowds in histogram.items())
    distinct = sum(histogram.values())
    return {
        "people": people, "smallest": min(histogram), "distinct": distinct,
        "alone": histogram.get(1, 0), "average_risk": distinct / people,
    }[figure]  # fmt: skip


def over_classes(histogram: Histogram) -> float:
    """The mean over crowds of 1/size."""
    return sum(crowds / size for size, crowds in histogram.items()) / sum(histogram.values())


def told(figure: str, value: float, ways: Explanations) -> str:
    """Why a figure is what it is."""
    for said, computed in ways.of(figure):
        if math.isclose(value, computed, rel_tol=1e-9):
            return said or SAME
    return UNEXPLAINED


def lines(table: str, ours: Facts, found: Mapping[str, Facts], ways: Explanations) -> list[str]:
    """One row a tool."""
    body = [[f"**{table}**: reidrisk", *(_value(ours[name]) for name in FIGURES), ""]]
    for tool, facts in found.items():
        cells = [_value(facts.get(name)) for name in FIGURES]
        why = [
            f"{FIGURES[name]}: {said}"
            for name in FIGURES
            if name in facts and (said := told(name, _number(facts[name]), ways)) != SAME
        ]
        body.append([tool, *cells, "; ".join(why) or SAME])
    return [f"| {' | '.join(row)} |" for row in body]


def head() -> list[str]:
    """The table's first two lines."""
    return rows(["tool", *FIGURES.values(), "beside reidrisk"], [])


def disagreements(found: Mapping[str, Facts], ways: Explanations) -> list[str]:
    """Figures that no explanation gives."""
    return [
        f"{tool}: {name}"
        for tool, facts in found.items()
        for name in FIGURES
        if name in facts and told(name, _number(facts[name]), ways) == UNEXPLAINED
    ]


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _value(value: object) -> str:
    if value is None:
        return "–"
    number = _number(value)
    return f"{number:,.0f}" if number == int(number) and number > 1 else f"{number:.6g}"
