"""Statistics: counts about people, no records. What may be published, and what predicts.

An attribute has its values' counts; values merged into one are `other`, and people without a value
`missing`. A pair table counts people per pair of values of two attributes, whole or in part, and a
triple table those per three values of three attributes. `shared` counts people in groups that share
all of some attributes. A
count that isn't published is `Suppressed`. What was done to the counts is their `protection`.

An attribute that another one determines (the county of a postcode) may be published as a map alone.
Its numbers are sums of the other one's; so are those of an attribute seen in bands. Such an
attribute is `Determined`, and what was published stands behind it (`published`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reidrisk.errors import InputError, UnknownColumn
from reidrisk.statistics.protection import Protection

Value = str | None
# Counts of fewer people are small.
USUAL_LEAST = 5
# In the title, as the file has no other place for notes.
OF_PERSONS = "(people of several rows, each counted once by all their values: a + b)"


@dataclass(frozen=True)
class Suppressed:
    """A count that isn't published: unknown, or known to lie below a number ("<5").

    It is at least `least`, known where it is the sum of a stated count and a suppressed one.
    """

    below: int | None = None
    least: int = 0

    @property
    def most(self) -> int | None:
        """The largest it can be; None when nothing is known."""
        return None if self.below is None else max(self.below - 1, 0)


Count = int | Suppressed


@dataclass(frozen=True)
class Other:
    """Values merged into one: how many people hold one of them, and how many values they are."""

    count: int
    values: int


@dataclass(frozen=True)
class Attribute:
    """One attribute's counts; together with `missing` and `other` they cover every record."""

    name: str
    counts: Mapping[str, Count]
    missing: Count = 0
    other: Other | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))

    def __reduce__(self) -> tuple[type[Attribute], tuple[Any, ...]]:
        """Pickled with its counts as they were given."""
        return Attribute, (self.name, dict(self.counts), self.missing, self.other)

    @property
    def stated(self) -> dict[Value, Count]:
        """The counts of the values listed; the missing one (None) last, where anybody has none."""
        stated = dict[Value, Count](self.counts.items())
        return stated if self.missing == 0 else {**stated, None: self.missing}

    def count(self, value: Value) -> Count | None:
        """The count of a value listed, or of the missing one; None for any other."""
        return self.missing if value is None else self.counts.get(value)

    @property
    def known(self) -> int:
        """People under counts that aren't suppressed, `missing` and `other` included."""
        return sum(count for count in self._all() if isinstance(count, int))

    @property
    def suppressed(self) -> list[Suppressed]:
        """The suppressed counts."""
        return [count for count in self._all() if isinstance(count, Suppressed)]

    @property
    def cells(self) -> int:
        """How many numbers the attribute states."""
        return len(self._all())

    def _all(self) -> list[Count]:
        return [*self.counts.values(), self.missing, *([self.other.count] if self.other else [])]


@dataclass(frozen=True)
class PairCounts:
    """People per pair of values of two attributes; None stands for the missing value."""

    of: tuple[str, str]
    counts: Mapping[tuple[Value, Value], Count]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))

    def __reduce__(self) -> tuple[type[PairCounts], tuple[Any, ...]]:
        """Pickled with its counts as they were given."""
        return PairCounts, (self.of, dict(self.counts))

    @property
    def known(self) -> int:
        """People under cells that aren't suppressed."""
        return sum(count for count in self.counts.values() if isinstance(count, int))

    def margin(self, side: int) -> dict[Value, int]:
        """People per value of one side (0 or 1), over the cells that aren't suppressed."""
        people: dict[Value, int] = {}
        for values, count in self.counts.items():
            if isinstance(count, int):
                people[values[side]] = people.get(values[side], 0) + count
        return people


Values = tuple[Value, Value, Value]


@dataclass(frozen=True)
class TripleCounts:
    """People per three values of three attributes; None stands for the missing value."""

    of: tuple[str, str, str]
    counts: Mapping[Values, Count]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", MappingProxyType(dict(self.counts)))

    def __reduce__(self) -> tuple[type[TripleCounts], tuple[Any, ...]]:
        """Pickled with its counts as they were given."""
        return TripleCounts, (self.of, dict(self.counts))

    @property
    def known(self) -> int:
        """People under cells that aren't suppressed."""
        return sum(count for count in self.counts.values() if isinstance(count, int))

    def turned(self, names: Sequence[str]) -> TripleCounts:
        """The same with its attributes in the order asked for."""
        if tuple(names) == self.of:
            return self
        one, two, three = (self.of.index(name) for name in names)
        counts = {(v[one], v[two], v[three]): count for v, count in self.counts.items()}
        return TripleCounts((self.of[one], self.of[two], self.of[three]), counts)

    def sums(self, sides: tuple[int, ...]) -> dict[tuple[Value, ...], int]:
        """People per value of some sides, over the cells that aren't suppressed."""
        people: dict[tuple[Value, ...], int] = {}
        for values, count in self.counts.items():
            if isinstance(count, int):
                key = tuple(values[side] for side in sides)
                people[key] = people.get(key, 0) + count
        return people


@dataclass(frozen=True)
class SharedCounts:
    """How many combinations some attributes' values form, and how many people are in groups of two
    and more that share all of them, as members of a household do.
    """

    of: tuple[str, ...]
    combinations: int
    in_groups: int


@dataclass(frozen=True)
class Determined:
    """An attribute that follows from another one, `by`: the value that goes with each of its own.

    `labels` lists the values of `by` that are named; of people with others it isn't said.
    """

    by: str
    labels: Mapping[Value, Value]

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    def __reduce__(self) -> tuple[type[Determined], tuple[Any, ...]]:
        """Pickled with its labels as they were given."""
        return Determined, (self.by, dict(self.labels))


@dataclass(frozen=True)
class Statistics:
    """Counts about `records` people; a sample keeps its own and says of how many it is one.

    `determined` are the attributes that were published as a map, or are seen in bands; what stands
    in the file is `behind` them.
    """

    records: int
    attributes: tuple[Attribute, ...]
    pairs: tuple[PairCounts, ...] = ()
    title: str = ""
    sample_of: int | None = None
    rounded_to: int | None = None
    # Counts below this were suppressed; None where the file doesn't say.
    at_least: int | None = None
    # What was done to the counts; None where the file doesn't say.
    protection: Protection | None = None
    # The attributes that were published as a map, or are seen in bands.
    determined: Mapping[str, Determined] = field(default_factory=dict)
    # What stands in the file, where some attributes are determined; else None.
    behind: Statistics | None = field(default=None, repr=False)
    # Triple tables: people per three values of three attributes.
    triples: tuple[TripleCounts, ...] = ()
    # People who share all of some attributes.
    shared: SharedCounts | None = None
    _by_name: Mapping[str, Attribute] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {each.name: each for each in self.attributes})

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return tuple(each.name for each in self.attributes)

    @property
    def published(self) -> Statistics:
        """The numbers as they were published, each once, without sums of them."""
        return self if self.behind is None else self.behind

    @property
    def read_back(self) -> bool:
        """Whether the numbers were changed by a stated law, which has to be taken into account."""
        return self.protection is not None and self.protection.of_margins is not None

    @property
    def hides_numbers(self) -> bool:
        """Whether a protection changed numbers or left some out."""
        return self.protection is not None and self.protection.shareable

    @property
    def unprotected(self) -> bool:
        """Whether the file says that its counts are as they are, and not to be shared."""
        return self.protection is not None and not self.protection.shareable

    @property
    def small_below(self) -> int:
        """How many people a count is small below, where nobody says otherwise."""
        return self.at_least or USUAL_LEAST

    @property
    def of_persons(self) -> bool:
        """Whether people had several rows, and are counted by the sets of their values."""
        return OF_PERSONS in self.title

    def attribute(self, name: str) -> Attribute:
        """One attribute; an unknown name lists those there are."""
        if name not in self._by_name:
            several = [part.strip() for part in name.split(",")]
            if len(several) > 1 and set(several) <= set(self.names):
                # One text for several attributes, as in columns="age,sex".
                hint = f"give a list: --columns {','.join(several)}"
            else:
                hint = f"there are: {', '.join(self.names)}"
            raise UnknownColumn(f"there is no attribute {name!r}", hint)
        return self._by_name[name]

    def pair(self, first: str, second: str) -> PairCounts | None:
        """The pair table of two attributes, sides in the order asked for; None without one."""
        for table in self.pairs:
            if table.of == (first, second):
                return table
            if table.of == (second, first):
                turned = {(b, a): count for (a, b), count in table.counts.items()}
                return PairCounts((first, second), turned)
        return None

    def avfm(self) -> NDArray[np.int64]:
        """R3A's attribute value frequency matrix (eq. 1): one column per attribute, its counts in
        the order they are listed, zeros below the shorter ones.

        The missing value is one more value; suppressed counts and `other` can't be placed.
        """
        columns = [_placed_counts(each) for each in self.attributes]
        matrix = np.zeros((max(map(len, columns), default=0), len(columns)), dtype=np.int64)
        for place, counts in enumerate(columns):
            matrix[: len(counts), place] = counts
        return matrix

    @classmethod
    def of_avfm(cls, matrix: ArrayLike, names: Sequence[str] | None = None) -> Statistics:
        """Statistics that have this AVFM: n people (eq. 3), values numbered from 1 in each column.

        A zero is no value; attributes are called a1, a2 … unless `names` says otherwise.
        """
        counts = np.asarray(matrix)
        if counts.ndim != 2 or not counts.size or counts.dtype.kind not in "iu":
            raise InputError("an AVFM is a matrix of whole numbers, one column per attribute")
        people = counts.sum(axis=0)
        if (counts < 0).any() or people[0] < 1 or np.any(people != people[0]):
            raise InputError(
                "each column of an AVFM counts the same people, at least one; no count is negative",
                f"these add up to {', '.join(f'{total:,}' for total in people.tolist())}",
            )
        called = [f"a{place}" for place in range(1, len(people) + 1)] if names is None else names
        if len(set(called)) != len(people):
            raise InputError(f"{len(people)} columns need {len(people)} different names")
        attributes = (
            Attribute(name, {str(k): f for k, f in enumerate(column, 1) if f})
            for name, column in zip(called, counts.T.tolist(), strict=True)
        )
        return cls(int(people[0]), tuple(attributes))

    def standard_data_set(self) -> NDArray[np.int64]:
        """R3A's standard data set (eq. 17): n rows, value k of an attribute repeated f_k times."""
        columns = [
            np.repeat(np.arange(1, len(counts) + 1), counts)
            for counts in map(_placed_counts, self.attributes)
        ]
        return np.stack(columns, axis=1) if columns else np.empty((self.records, 0), np.int64)


def _placed_counts(attribute: Attribute) -> list[int]:
    if attribute.suppressed or attribute.other is not None:
        raise ValueError(f"attribute {attribute.name!r} has counts that belong to no single value")
    return [count for count in attribute.stated.values() if isinstance(count, int)]
