"""People of each subset of attributes, told apart by P(crowd ≥ k) in several ways (figures 5, 6).

1,000 people of a subset are drawn; every one is scored from what is published of all people,
nothing folded. A subset in which everybody or nobody is k-indistinguishable has nothing to tell
apart at that k and is skipped, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats
from reidrisk_papers.judging import Judged, judged, one_class
from reidrisk_papers.scored_people import DrawnPeople
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.attribute_subsets import Subset, subsets
from reidrisk_papers.tfrr.real_tables import RealTable
from reidrisk_papers.tfrr.roc_pictures import curve_of

KS = (2, 3, 4)
PEOPLE = 1000
DRAWING = 7
Scores = Mapping[int, Floats]
Way = Callable[[DrawnPeople], Scores]


class Case(NamedTuple):
    """A subset at one k: how well each way foretells, and its ROC curve."""

    subset: Subset
    k: int
    judged: Mapping[str, Judged]
    curves: Mapping[str, Floats]


def cases(setting: Setting, table: RealTable, ways: Mapping[str, Way]) -> Iterator[Case]:
    """Every subset of a table at each k; the same people whichever ways they are scored in."""
    drawn = subsets(setting, table)
    for number, subset in enumerate(drawn):
        setting.progress(f"tfrr: people of {table.name}", number, len(drawn))
        rng = setting.rng(DRAWING, table.place, number)
        many = setting.scaled(PEOPLE, least=200)
        people = DrawnPeople.of(table.records.select(subset.columns), many, rng)
        yield from _cases_of(subset, people, ways)


def _cases_of(subset: Subset, people: DrawnPeople, ways: Mapping[str, Way]) -> Iterator[Case]:
    wanted = [k for k in KS if not one_class(people.crowds >= k)]
    if not wanted:
        return
    scores = {name: way(people) for name, way in ways.items()}
    for k in wanted:
        truth = people.crowds >= k
        yield Case(
            subset,
            k,
            {name: judged(held[k], truth) for name, held in scores.items()},
            {name: curve_of(held[k], truth) for name, held in scores.items()},
        )


def published(people: DrawnPeople) -> Scores:
    """Independent attributes, P(X ≥ k | X ≥ 1) (eq. 12)."""
    return people.scores(KS, "independent", "paper")


def improved(people: DrawnPeople) -> Scores:
    """A tree of pair tables, the person known to be in the table."""
    return people.scores(KS, "tree", "member")


def at(held: Iterable[Case], k: int) -> list[Case]:
    """Those of one k."""
    return [case for case in held if case.k == k]


def mean(held: Iterable[Case], way: str, figure: str = "auc") -> float:
    """The average of a figure over the subsets; NaN without any."""
    found = [getattr(case.judged[way], figure) for case in held]
    return float(np.nanmean(found)) if found else float("nan")
