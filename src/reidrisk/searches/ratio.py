"""Search by ratio: all combinations of X attributes, ranked by the share of people with z > Y.

z is that of `ratio`; how much each attribute adds to the mean of Pr(re-id), the overall risk, is
its Shapley share over all combinations of up to X attributes (`shapley`).

The ratio: how much more a combination gives away than the most telling of its attributes.

For a person whose value of attribute j is shared by f_j people, and whose tuple over combination S
by f_S (attack paper, algorithm 5; its printed ratio is unreadable, this is the reading taken):

    z = Pr(re-id | S) / max_{j∈S} Pr(re-id | j) = min_{j∈S} f_j / f_S ≥ 1

A combination is told by mean, median (the lower one) and largest z over people, and by the share of
people with z > Y. Everybody in a crowd has the same z, so crowds are enough: with w people in crowd
c, the mean is Σ_c min_j f_j / n.

Where it fails: z compares, it doesn't measure. Two rare values that always occur together have
z = 1, however few people hold them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Floats, Ints
from reidrisk.errors import InputError
from reidrisk.machine import each
from reidrisk.records import CodedPeople
from reidrisk.searches.answers import Added, Combination, RatioFound, Searched
from reidrisk.searches.combination_ranking import added, every_view
from reidrisk.searches.lattice import Lattice, Limits
from reidrisk.searches.scorer import yardstick
from reidrisk.searches.searched_tables import Searchable


class Ratios(NamedTuple):
    """z over people: mean, median, largest, and the share of people above the criterion."""

    mean: float
    median: float
    largest: float
    share_above: float


@dataclass(frozen=True, eq=False)
class RatioCounting:
    """One table."""

    tuples: CodedPeople

    def ratios(self, attributes: Sequence[int], above: float) -> Ratios:
        """z of everybody for one combination."""
        crowd, single, people = self.tuples.crowds_beside_single(attributes)
        return ratios_of(single / crowd, people, above)


def ratios_of(z: Floats, people: Ints, above: float) -> Ratios:
    """What is told of z, each held by so many people."""
    total = int(people.sum())
    order = np.argsort(z)
    reached = np.cumsum(people[order])
    middle = order[np.searchsorted(reached, (total + 1) // 2)]
    return Ratios(
        float(np.dot(z, people)) / total,
        float(z[middle]),
        float(z.max()),
        int(people[z > above].sum()) / total,
    )


# Combinations handed out at a time, between looks at the clock.
AT_ONCE = 32


def ratio_search(asked: Searchable, ratio: float, attributes: int, limits: Limits) -> RatioFound:
    """Count them all, or as many as the limits allow."""
    _check(ratio, attributes, len(asked.columns))
    lattice = Lattice.of_knowledge(asked.names, attributes)
    tables = [RatioCounting(table) for table in asked.tables]
    wanted = math.comb(lattice.attributes, attributes)
    found = list(_combinations(asked, tables, ratio, attributes, wanted, limits))
    ranked = sorted(found, key=lambda one: (-one.share_above, -one.mean, one.columns))
    return RatioFound(
        asked.envelope,
        Searched(wanted, len(found), {}, attributes, open_views=wanted - len(found)),
        len(asked.tables) if asked.drawn else None,
        asked.why,
        ratio=float(ratio),
        attributes=attributes,
        combinations=tuple(ranked),
        adds=_added(asked, lattice, limits, len(found) == wanted),
    )


def _check(ratio: float, attributes: int, there: int) -> None:
    if not math.isfinite(ratio) or ratio < 1:
        raise InputError(
            f"--ratio {ratio:g}: it is a number from 1, since nobody's ratio is below 1",
            "such as 10: ten times as likely",
        )
    if not 1 <= attributes <= there:
        raise InputError(
            f"--attributes {attributes}: there are {there} attributes",
            f"combinations have between 1 and {there} of them",
        )


def _combinations(
    asked: Searchable,
    tables: Sequence[RatioCounting],
    ratio: float,
    attributes: int,
    wanted: int,
    limits: Limits,
) -> Iterator[Combination]:
    waiting = combinations(range(len(asked.names)), attributes)
    limits.views, done = wanted, 0
    while done < wanted:
        some = [next(waiting) for _ in range(limits.allowed(min(AT_ONCE, wanted - done)))]
        if not some:
            return

        def counted(places: tuple[int, ...]) -> Combination | None:
            if limits.late:
                return None
            over = [table.ratios(places, ratio) for table in tables]
            return _combination(asked.in_order([asked.names[j] for j in places]), over)

        found = each(counted, some, asked.threads)
        yield from (one for one in found if one is not None)
        done += len(some)
        limits.tell(0)


def _combination(columns: tuple[str, ...], over: Sequence[Ratios]) -> Combination:
    """The means over tables, with limits of the share where there are several."""
    mean, median, largest, share = (sum(values) / len(over) for values in zip(*over, strict=True))
    shares = [one.share_above for one in over]
    limits = (min(shares), max(shares)) if len(over) > 1 else None
    return Combination(columns, mean, median, largest, share, limits)


def _added(
    asked: Searchable, lattice: Lattice, limits: Limits, complete: bool
) -> tuple[Added, ...]:
    """Each attribute's share, the largest first; none where the search had to stop.

    The smaller views it needs are counted beside those that a view limit is of.
    """
    if not complete or limits.late:
        return ()
    scorer = asked.scorer(lattice, yardstick("overall_risk"))
    clock = Limits(limits.seconds, began=limits.began)
    values = {bits: score.value for bits, score in every_view(scorer, clock, asked.threads).items()}
    if len(values) < lattice.views:
        return ()
    return added(lattice, values, scorer.root().score().value)
