"""Random rounding: every number becomes a multiple of a base b, correct on average.

x = q·b + r becomes q·b + b with probability r/b and q·b otherwise, so that E[y] = x and
|y − x| < b. The chance is drawn by a secret key and the number's name:

    u = HMAC-SHA-256(key, name) / 2^64 (its first eight bytes),  y = q·b + b·[u·b < r]

The same number of the same name rounds the same way under the same key, however often it is
published, so that asking again and averaging brings nothing. Without the key u is as good as
random. Everybody, the people of each value and of each cell are such numbers.

What is named: a value whose count rounds to at least 2b, which at least b + 1 people have. The
others are counted together as `other`, and so is how many they are. A cell of two named values is
listed unless it rounds to 0. A cell that holds everybody of a value is rounded as the value's own
count is: it is the same people, and rounding them under several names would let them be averaged.

Where it stops: it is tested against the attacks known (`joint_bounds`), not proven. Some numbers
are likelier than others; a cell of b says that somebody is there; and two files about nearly the
same people tell about those who came or left.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable

import numpy as np

from reidrisk.arrays import Counts, Floats, Mask
from reidrisk.publishing.counted_tables import Cells, CountedTables, Value
from reidrisk.statistics import Attribute, Other, PairCounts, Statistics


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


class RoundedCounts:
    """The rounded numbers of tables under one key: `people`, `margins`, which values are named."""

    def __init__(self, counted: CountedTables, key: bytes, base: int) -> None:
        """Everybody and every attribute are rounded at once; pairs when asked for."""
        self.counted, self.key, self.base = counted, key, base
        self.people = self._number(["people"], counted.people)
        self.margins = tuple(
            rounded(margin, chances_of(key, ([name, value] for value in values)), base)
            for name, values, margin in zip(
                counted.names, counted.values, counted.margins, strict=True
            )
        )
        self.named: tuple[Mask, ...] = tuple(
            margin >= 2 * base for margin, values in zip(self.margins, counted.values, strict=True)
        )

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
            together = int(self.counted.margins[i][~named].sum())
            other = Other(
                self._number([name, "other", "people"], together),
                self._number([name, "other", "values"], int((~named).sum())),
            )
        kept = {value: people for value, people in counts.items() if value is not None}
        return Attribute(name, kept, missing, other)

    def pair(self, i: int, j: int) -> PairCounts:
        """One pair table's cells of named values that don't round to nothing."""
        cells = self._of_named(i, j)
        first, second = self.counted.values[i], self.counted.values[j]
        names = (self.counted.names[i], self.counted.names[j])
        labels = [
            (first[a], second[b])
            for a, b in zip(cells.first.tolist(), cells.second.tolist(), strict=True)
        ]
        turn = -1 if names[1] < names[0] else 1
        drawn = chances_of(self.key, ([[names[0], a], [names[1], b]][::turn] for a, b in labels))
        people = rounded(cells.people, drawn, self.base)
        for side, of in ((cells.first, i), (cells.second, j)):
            everybody = cells.people == self.counted.margins[of][side]
            people = np.where(everybody, self.margins[of][side], people)
        listed = zip(labels, people.tolist(), strict=True)
        return PairCounts(names, {label: count for label, count in listed if count})

    def _of_named(self, i: int, j: int) -> Cells:
        cells = self.counted.pairs[i, j]
        kept = self.named[i][cells.first] & self.named[j][cells.second]
        return Cells(cells.first[kept], cells.second[kept], cells.people[kept])

    def statistics(self, title: str = "", sample_of: int | None = None) -> Statistics:
        """All of it, without attributes that others determine."""
        pairs = (self.pair(i, j) for i, j in sorted(self.counted.pairs))
        return Statistics(
            self.people,
            tuple(self.attribute(i) for i in range(len(self.counted.names))),
            tuple(pair for pair in pairs if pair.counts),
            title,
            sample_of,
        )
