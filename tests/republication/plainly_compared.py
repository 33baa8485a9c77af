"""The same by going through people one after the other: what the tests compare with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple


class Plain(NamedTuple):
    """Crowd sizes of those added, removed and changed, in order, and who is alone in them only."""

    added: list[int]
    removed: list[int]
    changed: list[int]
    alone_only: int


def by_counts(releases: Sequence[Sequence[Hashable]], k: int) -> Plain:
    """The last release against those before; each lists its people's combinations."""
    counted = [Counter(each) for each in releases]
    added: list[int] = []
    removed: list[int] = []
    only = 0
    for held in set().union(*counted):
        now, before = counted[-1][held], sorted({each[held] for each in counted[:-1]})
        up = [*(n for n in before if n < now), now]
        down = [now, *(n for n in before if n > now)]
        for steps, crowds in ((up, added), (down, removed)):
            for low, high in pairwise(steps):
                crowds.append(high - low)
                only += high - low == 1 and high >= k
    return Plain(sorted(added), sorted(removed), [], only)


def by_persons(releases: Sequence[Mapping[str, Hashable]], k: int) -> Plain:
    """The same of {person: combination}."""
    last, before = releases[-1], releases[:-1]
    crowds = [Counter(each.values()) for each in releases]
    kinds: dict[str, dict[str, Hashable]] = {"added": {}, "removed": {}, "changed": {}}
    for person in set().union(*releases):
        there = tuple(person in each for each in before)
        known = [each[person] for each in before if person in each]
        if person in last and not all(there):
            kinds["added"][person] = (last[person], there)
        if person not in last and known:
            kinds["removed"][person] = (known[-1], there)
        if person in last and known and known[-1] != last[person]:
            kinds["changed"][person] = last[person]
    alone = set()
    for kind in kinds.values():
        held = Counter(kind.values())
        alone |= {person for person, of in kind.items() if held[of] == 1}
    hidden = [
        person
        for person in alone
        if all(
            crowd[each[person]] >= k
            for each, crowd in zip(releases, crowds, strict=True)
            if person in each
        )
    ]
    shown = [sorted(Counter(kind.values()).values()) for kind in kinds.values()]
    return Plain(shown[0], shown[1], shown[2], len(hidden))


def sizes(crowds: object) -> list[int]:
    """A histogram's crowds one by one."""
    told = zip(crowds.sizes.tolist(), crowds.crowds.tolist(), strict=True)  # type: ignore[attr-defined]
    return [size for size, number in told for _ in range(number)]
