"""Search by ratio: all combinations of X attributes, ranked by the share of people with z > Y.

z is that of `ratio`; how much each attribute adds to the mean of Pr(re-id), the overall risk, is
its Shapley share over all combinations of up to X attributes (`shapley`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from reidrisk.cores import each
from reidrisk.errors import InputError
from reidrisk.views.answers import Added, Combination, RatioFound, Searched
from reidrisk.views.every_view import every_view
from reidrisk.views.ratio import RatioCounting, Ratios
from reidrisk.views.searchable import Searchable
from reidrisk.views.searched import Limits
from reidrisk.views.shapley import added
from reidrisk.views.view import Lattice
from reidrisk.views.yardstick import yardstick

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
            "as in 10: ten times what one tells",
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
