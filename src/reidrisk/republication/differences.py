"""Differences: who is seen by subtracting releases from one another.

By counts: n_r(t) people hold combination t in release r. Somebody known to have been added between
an earlier release s and r lies among the n_r(t) − n_s(t) people more. Of several earlier releases
the counts that are lower, v_1 < v_2 < … < v_m < n_r(t), each once, part those added:

    added(t) = {v_2 − v_1, …, v_m − v_{m−1}, n_r(t) − v_m}                                 (1)

are the crowds of who came between one release and the next one that has more. Where people only
come, that is the release in which they were first. Removed are parted likewise by the counts that
are higher, n_r(t) < w_1 < … < w_m:

    removed(t) = {w_1 − n_r(t), w_2 − w_1, …, w_m − w_{m−1}}                               (2)

Of two releases (1) is n_2(t) − n_1(t) where that is positive, (2) n_1(t) − n_2(t) where that is.
Counts show net changes alone: who came and who left with the same combination cancel, so that as
many people have come as (1) says, or more.

By persons, where a key tells them apart: added are those in release r whom some earlier release
doesn't have, removed those in an earlier one whom r doesn't have, changed those in r whose
combination isn't that of the last earlier release that has them. The crowd of the added is those
with the same combination in r who are in the same earlier releases; that of the removed, with the
same last combination, likewise; that of the changed, those changed with the same combination in r.

Alone in the difference only are people whom no release shows alone: their crowd is one in (1), (2)
or among persons added, removed or changed, and at least k in each release that has them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Ints, Mask
from reidrisk.crowds import CrowdSizes


@dataclass(frozen=True)
class Difference:
    """A release, and who was added, removed and changed since any earlier one.

    `changed` and `moved` are None where persons aren't known; `moved` are the changed by both their
    combinations. `in_common` are the people whom an earlier release has as well: by counts, at most
    so many.
    """

    release: CrowdSizes
    added: CrowdSizes
    removed: CrowdSizes
    alone_only: int
    in_common: int
    changed: CrowdSizes | None = None
    moved: CrowdSizes | None = None


def by_counts(counts: Ints, at: int, k: int) -> Difference:
    """Of release `at` against all before it; ``counts[r, t]`` people hold t in release r."""
    now, before = counts[at], counts[:at]
    lower = np.sort(np.minimum(before, now), axis=0)
    higher = np.sort(np.maximum(before, now), axis=0)
    steps_up, steps_down = np.vstack([lower, now]), np.vstack([now, higher])
    only = (np.count_nonzero(_alone_within(each, k)) for each in (steps_up, steps_down))
    return Difference(
        CrowdSizes.of(now),
        CrowdSizes.of(np.diff(steps_up, axis=0).ravel()),
        CrowdSizes.of(np.diff(steps_down, axis=0).ravel()),
        sum(map(int, only)),
        int(np.minimum(now, before.max(axis=0)).sum()),
    )


def _alone_within(steps: Ints, k: int) -> Mask:
    """Where a step is one person, who stands in a crowd of k or more in each release: the smallest
    of these is the step's upper end.
    """
    return np.asarray((np.diff(steps, axis=0) == 1) & (steps[1:] >= k))


def by_persons(states: Ints, at: int, k: int) -> Difference:
    """The same of persons: ``states[r, p]`` is the number of p's combination in release r, −1
    where that doesn't have them.
    """
    now, before = states[at], states[:at]
    span = int(states.max()) + 1
    last = _last_known(before)
    presence = _presence(before >= 0)
    here, there = now >= 0, last >= 0
    new, gone = here & ~(before >= 0).all(axis=0), there & ~here
    changed = here & there & (now != last)
    hidden = _smallest_crowd(states[: at + 1], span) >= k
    width = int(presence.max()) + 1
    kinds = {
        "added": _crowd_of_each(now * width + presence, new),
        "removed": _crowd_of_each(last * width + presence, gone),
        "changed": _crowd_of_each(now, changed),
    }
    alone = np.logical_or.reduce([crowd == 1 for crowd in kinds.values()])
    return Difference(
        CrowdSizes.of(np.bincount(now[here])),
        CrowdSizes.of_people(kinds["added"]),
        CrowdSizes.of_people(kinds["removed"]),
        int(np.count_nonzero(alone & hidden)),
        int(np.count_nonzero(here & there)),
        CrowdSizes.of_people(kinds["changed"]),
        CrowdSizes.of_people(_crowd_of_each(last * span + now, changed)),
    )


def _last_known(before: Ints) -> Ints:
    """Each person's combination in the last of these releases that has them; −1 where none has."""
    last = np.full(before.shape[1], -1, dtype=np.int64)
    for earlier in before:
        np.copyto(last, earlier, where=earlier >= 0)
    return last


def _presence(there: Mask) -> Ints:
    """A number for the set of releases that have each person."""
    weights = 1 << np.arange(len(there), dtype=np.int64)
    _, number = np.unique(weights @ there, return_inverse=True)
    return np.asarray(number, dtype=np.int64)


def _crowd_of_each(kind: Ints, chosen: Mask) -> Ints:
    """How many of the chosen are of each one's kind; 0 for the others."""
    crowd = np.zeros(len(kind), dtype=np.int64)
    _, place, held = np.unique(kind[chosen], return_inverse=True, return_counts=True)
    crowd[chosen] = held[place]
    return crowd


def _smallest_crowd(states: Ints, span: int) -> Ints:
    """The smallest crowd that each person stands in, of the releases that have them."""
    smallest = np.full(states.shape[1], np.iinfo(np.int64).max)
    for each in states:
        there = each >= 0
        crowd = np.bincount(each[there], minlength=span)
        smallest[there] = np.minimum(smallest[there], crowd[each[there]])
    return smallest
