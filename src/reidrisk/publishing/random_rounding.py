"""Random rounding: every number becomes a multiple of a base b, correct on average.

x = q·b + r becomes q·b + b with probability r/b and q·b otherwise, so that E[y] = x and
|y − x| < b. The chance is drawn by a secret key and the number's name:

    u = HMAC-SHA-256(key, name) / 2^64 (its first eight bytes),  y = q·b + b·[u·b < r]

The same number of the same name rounds the same way under the same key, however often it is
published, so that asking again and averaging brings nothing. Without the key u is as good as
random. Everybody, the people of each value and of each cell are such numbers.

What is named: a value whose count rounds to at least 2b, which at least b + 1 people have. The
others are counted together as `other`, and so is how many they are. A cell of two named values is
listed unless it rounds to 0, and so is one of three.

The same people are rounded once, for several numbers of them would let them be averaged: a value
that everybody has carries everybody's number, a cell that holds everybody of a value carries the
value's own number; one of three values that holds everybody of two of them the number of these two,
and so do all pairs of which it is everybody; and values of several attributes that the same people
have (not asked) have one name, in their cells too. What the same people are is judged by the
attributes and triple tables of one file: in a file of others they can go by another name.

**Drawn anew.** Where chance rounds a row's number and all its cells as far as it can the other way,
what is published leaves one table. A file that shows such a small count isn't published: the number
of its rarer value is drawn again, until there is none (`again`), and where that doesn't help, as of
a multiple of the base, its cells too; so it can be another one than in a
file of other attributes under the same key. That such files are missing says nothing of the others,
but that they aren't such files.

Where it stops: it is tested against the attacks known (`joint_bounds`), not proven. Some numbers
are likelier than others; a cell of b says that somebody is there; and two files about nearly the
same people tell about those who came or left.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import numpy as np

from reidrisk.arrays import Counts, Floats, Mask
from reidrisk.models import TripleTable
from reidrisk.publishing.counted_tables import Cells, CountedTables, Pair, Triple, Value
from reidrisk.statistics import (
    Attribute,
    Determined,
    KeyedRounding,
    Other,
    PairCounts,
    SharedCounts,
    Statistics,
    TripleCounts,
    with_determined,
)

# So often a value's number is drawn anew before its cells' numbers are as well.
CELLS_ANEW_AFTER = 10


class Unnamed(Enum):
    """All values of an attribute that aren't named, in the place of one."""

    TOGETHER = 0


def rounded(counts: Counts, chances: Floats, base: int) -> Counts:
    """y = q·b + b·[u·b < r] for x = q·b + r; `chances` are the u."""
    whole, rest = np.divmod(counts, base)
    return np.asarray((whole + (chances * base < rest)) * base, dtype=np.int64)


def chances_of(key: bytes, names: Iterable[object]) -> Floats:
    """u in [0, 1) for each name: HMAC-SHA-256 of its JSON under the key."""
    drawn = b"".join(
        hmac.digest(key, json.dumps(name, ensure_ascii=False).encode(), "sha256")[:8]
        for name in names
    )
    return np.frombuffer(drawn, dtype=">u8") * 2.0**-64


Name = list[Value]


def names_of_people(counted: CountedTables) -> list[list[Name]]:
    """The name of each value's people: [attribute, value]; values that the same people have (not
    asked: all of a block's questions) go by the first of their names, in the order of its JSON.
    """
    own: list[list[Name]] = [
        [[name, value] for value in values]
        for name, values in zip(counted.names, counted.values, strict=True)
    ]
    first = {(i, at): (i, at) for i, names in enumerate(own) for at in range(len(names))}

    def found(of: tuple[int, int]) -> tuple[int, int]:
        while first[of] != of:
            of = first[of]
        return of

    for (i, j), cells in counted.pairs.items():
        same = cells.people == counted.margins[i][cells.first]
        same &= cells.people == counted.margins[j][cells.second]
        for a, b in zip(cells.first[same].tolist(), cells.second[same].tolist(), strict=True):
            one, other = sorted((found((i, a)), found((j, b))), key=lambda of: _json(own, of))
            first[other] = one
    return [[own[k][c] for k, c in (found((i, at)) for at in range(len(names)))]
            for i, names in enumerate(own)]  # fmt: skip


def _json(names: list[list[Name]], of: tuple[int, int]) -> str:
    return json.dumps(names[of[0]][of[1]], ensure_ascii=False)


# Two attributes, and a value of each.
PairCell = tuple[Pair, int, int]


def same_people(
    triples: Mapping[Triple, TripleTable], pairs: Mapping[Pair, Counts]
) -> list[set[PairCell]]:
    """Pairs of values that the same people have, as triple tables show: each is all of one cell."""
    group: dict[PairCell, set[PairCell]] = {}
    for of, table in triples.items():
        sides = list(combinations(range(3), 2))
        codes, counts = table.codes, np.rint(table.people)
        whole = np.stack([
            counts == pairs[of[one], of[other]][codes[:, one], codes[:, other]]
            for one, other in sides
        ], axis=1)  # fmt: skip
        for row in np.flatnonzero(whole.sum(axis=1) > 1).tolist():
            cells = [((of[one], of[other]), int(codes[row, one]), int(codes[row, other]))
                     for (one, other), is_whole in zip(sides, whole[row], strict=True)
                     if is_whole]  # fmt: skip
            together = set().union(*(group.get(cell, {cell}) for cell in cells))
            for cell in together:
                group[cell] = together
    return list({id(each): each for each in group.values()}.values())


class RoundedCounts:
    """The rounded numbers of tables under one key: `people`, `margins`, which values are named."""

    def __init__(
        self,
        counted: CountedTables,
        key: bytes,
        base: int,
        again: Mapping[tuple[str, Value | Unnamed], int] = MappingProxyType({}),
    ) -> None:
        """Everybody and every attribute are rounded at once; pairs when asked for.

        `again`: the values whose numbers are drawn anew, and how often they were.
        """
        self.counted, self.key, self.base, self._again = counted, key, base, again
        self.people = self._number(["people"], counted.people)
        self._name_of = names_of_people(counted)
        self._anew = self._times_of_names()
        self.margins = tuple(
            np.where(margin == counted.people, self.people, self._of_values(names, margin))
            for names, margin in zip(self._name_of, counted.margins, strict=True)
        )
        self.named: tuple[Mask, ...] = tuple(
            margin >= 2 * base for margin, values in zip(self.margins, counted.values, strict=True)
        )

    def _times_of_names(self) -> Mapping[str, int]:
        """How often the number of a name is drawn anew, whichever of its values was found."""
        found: Counter[str] = Counter()
        for name, values, names in zip(
            self.counted.names, self.counted.values, self._name_of, strict=True
        ):
            for value, own in zip(values, names, strict=True):
                found[json.dumps(own)] += self._again.get((name, value), 0)
        return +found

    def _of_values(self, names: Iterable[Name], margin: Counts) -> Counts:
        """One attribute's; a number drawn anew has how often it was in its name."""
        times = ((name, self._anew.get(json.dumps(name), 0)) for name in names)
        asked = ([*name, again] if again else name for name, again in times)
        return rounded(margin, chances_of(self.key, asked), self.base)

    def _number(self, name: object, count: int) -> int:
        return int(rounded(np.array([count]), chances_of(self.key, [name]), self.base)[0])

    def attribute(self, i: int) -> Attribute:
        """One attribute's named values; the others counted together."""
        name, values = self.counted.names[i], self.counted.values[i]
        named, margin = self.named[i], self.margins[i]
        counts: dict[Value, int] = {
            values[at]: int(margin[at]) for at in np.flatnonzero(named).tolist()
        }
        missing = counts.pop(None, 0)
        other = None
        if not named.all():
            together = self._unnamed_people(i)
            is_all = together == self.counted.people
            rest = self.people if is_all else self._number(self._rests[i], together)
            unnamed = self._number([name, "other", "values"], int((~named).sum()))
            # As a cell that rounds to nothing isn't listed.
            other = Other(rest, max(unnamed, 1)) if rest else None
        kept = {value: people for value, people in counts.items() if value is not None}
        return Attribute(name, kept, missing, other)

    @cached_property
    def _rests(self) -> list[list[object]]:
        """What the people of each attribute's unnamed values go by: the same people by one name, as
        those of several questions who answered something rare; those of one value by the value's.
        """
        group = {i: {i} for i in range(len(self.named)) if not self.named[i].all()}
        for i, j in self.counted.pairs:
            if i in group and j in group and self._share_a_rest(i, j):
                together = group[i] | group[j]
                group |= dict.fromkeys(together, together)
        return [self._rest_of(group.get(i, {i})) for i in range(len(self.named))]

    def _rest_of(self, attributes: Iterable[int]) -> list[object]:
        alone = [i for i in attributes if (~self.named[i]).sum() == 1]
        of_values = [self._name_of[i][int(np.argmin(self.named[i]))] for i in alone]
        together: list[Name] = [[self.counted.names[i], "other", "people"] for i in attributes]
        name: list[object] = list(min(of_values or together, key=json.dumps))
        again = sum(
            self._again.get((self.counted.names[i], Unnamed.TOGETHER), 0) for i in attributes
        )
        again += self._anew.get(json.dumps(name), 0)
        return [*name, again] if again else name

    def _share_a_rest(self, i: int, j: int) -> bool:
        """Whether the same people have the unnamed values of two attributes."""
        cells = self.counted.pairs[i, j]
        both = ~self.named[i][cells.first] & ~self.named[j][cells.second]
        people = int(cells.people[both].sum())
        return people == self._unnamed_people(i) == self._unnamed_people(j)

    def _unnamed_people(self, i: int) -> int:
        return int(self.counted.margins[i][~self.named[i]].sum())

    def pair(self, i: int, j: int) -> PairCounts:
        """One pair table's cells of named values that don't round to nothing."""
        cells = self._of_named(i, j)
        first, second = self.counted.values[i], self.counted.values[j]
        names = (self.counted.names[i], self.counted.names[j])
        labels = [
            (first[a], second[b])
            for a, b in zip(cells.first.tolist(), cells.second.tolist(), strict=True)
        ]
        if self.counted.triples:
            people = self._numbers[i, j][cells.first, cells.second]
        else:
            people = self._rounded(i, j, cells)
        listed = zip(labels, people.tolist(), strict=True)
        return PairCounts(names, {label: count for label, count in listed if count})

    def _rounded(self, i: int, j: int, cells: Cells) -> Counts:
        """The numbers of a pair table's cells."""
        drawn = chances_of(
            self.key,
            (
                self._of_cell(self._name_of[i][a], self._name_of[j][b])
                for a, b in zip(cells.first.tolist(), cells.second.tolist(), strict=True)
            ),
        )
        people = rounded(cells.people, drawn, self.base)
        for side, of in ((cells.first, i), (cells.second, j)):
            everybody = cells.people == self.counted.margins[of][side]
            people = np.where(everybody, self.margins[of][side], people)
        return people

    def triple(self, of: Triple) -> TripleCounts:
        """One triple table's cells of named values that don't round to nothing."""
        table = self.counted.triples[of]
        kept = np.ones(len(table.keys), dtype=bool)
        for side, attribute in enumerate(of):
            kept &= self.named[attribute][table.codes[:, side]]
        codes, counts = table.codes[kept], np.rint(table.people[kept]).astype(np.int64)
        names = ([self._name_of[i][at] for i, at in zip(of, row, strict=True)]
                 for row in codes.tolist())  # fmt: skip
        drawn = chances_of(self.key, (self._of_cell(*each) for each in names))
        people = rounded(counts, drawn, self.base)
        for one, other in combinations(range(3), 2):
            at = codes[:, one], codes[:, other]
            exact = self._exact[of[one], of[other]][at]
            people = np.where(counts == exact, self._numbers[of[one], of[other]][at], people)
        first, second, third = (self.counted.values[i] for i in of)
        listed = {
            (first[a], second[b], third[c]): count
            for (a, b, c), count in zip(codes.tolist(), people.tolist(), strict=True)
            if count
        }
        i, j, k = (self.counted.names[at] for at in of)
        return TripleCounts((i, j, k), listed)

    def shared(self) -> SharedCounts | None:
        """People who share some attributes; everybody's number where that is everybody."""
        exact = self.counted.shared
        if exact is None:
            return None
        numbers = (
            self.people
            if count == self.counted.people
            else self._number(["shared", what, *sorted(exact.of)], count)
            for what, count in (
                ("combinations", exact.combinations),
                ("in groups", exact.in_groups),
            )
        )
        return SharedCounts(exact.of, *numbers)

    @cached_property
    def _exact(self) -> dict[Pair, Counts]:
        """Pair tables' cells of named values; those of others stay 0."""
        found = {}
        for i, j in self.counted.pairs:
            cells = self._of_named(i, j)
            found[i, j] = self._dense(i, j, cells, cells.people)
        return found

    @cached_property
    def _numbers(self) -> dict[Pair, Counts]:
        """The same rounded."""
        found = {}
        for i, j in self.counted.pairs:
            cells = self._of_named(i, j)
            found[i, j] = self._dense(i, j, cells, self._rounded(i, j, cells))
        for together in same_people(self.counted.triples, self._exact):
            (i, j), a, b = min(together, key=self._priority)
            for of, one, other in together:
                found[of][one, other] = found[i, j][a, b]
        return found

    def _dense(self, i: int, j: int, cells: Cells, people: Counts) -> Counts:
        table = np.zeros((len(self.counted.values[i]), len(self.counted.values[j])), np.int64)
        table[cells.first, cells.second] = people
        return table

    def _priority(self, cell: PairCell) -> tuple[bool, str]:
        """A cell that holds everybody of a value comes first, then by name."""
        (i, j), a, b = cell
        people = self._exact[i, j][a, b]
        alone = people in (self.counted.margins[i][a], self.counted.margins[j][b])
        names = sorted([self._name_of[i][a], self._name_of[j][b]], key=json.dumps)
        return not alone, json.dumps(names, ensure_ascii=False)

    def _of_cell(self, *sides: Name) -> list[object]:
        """Its name: its values', and how often it is drawn anew."""
        names: list[object] = [*sorted(sides, key=json.dumps)]
        if self._anew:
            drawn = (self._anew.get(json.dumps(side), 0) - CELLS_ANEW_AFTER for side in sides)
            times = sum(max(each, 0) for each in drawn)
            names += [times] if times else []
        return names

    def _of_named(self, i: int, j: int) -> Cells:
        cells = self.counted.pairs[i, j]
        kept = self.named[i][cells.first] & self.named[j][cells.second]
        return Cells(cells.first[kept], cells.second[kept], cells.people[kept])

    def statistics(
        self,
        title: str = "",
        sample_of: int | None = None,
        part: Callable[[Statistics], Statistics] | None = None,
    ) -> Statistics:
        """All of it, or a `part`; attributes that others determine as maps."""
        names = self.counted.names
        follows = self.counted.determined(self.named)
        kept = [i for i in range(len(names)) if i not in follows]
        pairs = (self.pair(i, j) for i, j in sorted(self.counted.pairs)
                 if i not in follows and j not in follows)  # fmt: skip
        published = Statistics(
            self.people,
            tuple(self.attribute(i) for i in kept),
            tuple(pair for pair in pairs if pair.counts),
            title,
            sample_of,
            at_least=self.base,
            protection=KeyedRounding(self.base),
            triples=tuple(self.triple(of) for of in sorted(self.counted.triples)),
            shared=self.shared(),
        )
        maps = {names[i]: Determined(names[by], self._map(i, by)) for i, by in follows.items()}
        return with_determined(published if part is None else part(published), maps, names)

    def _map(self, determined: int, by: int) -> dict[Value, Value]:
        """Of the named values alone: a map's other rows would say who is there."""
        named = {value for value, is_named in
                 zip(self.counted.values[by], self.named[by], strict=True) if is_named}  # fmt: skip
        whole = self.counted.map_of(determined, by)
        return {value: label for value, label in whole.items() if value in named}
