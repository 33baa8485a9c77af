"""The slow, plain engine: rows as Python tuples, every question a loop. The truth for the others.

It knows no codes, keys, SQL or threads; a reader can check it by eye.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Value = str | None


@dataclass(frozen=True)
class PlainEngine:
    """Columns of text forms (None is missing), equally long."""

    columns: Mapping[str, Sequence[Value]]
    missing: str = "own"
    count: Sequence[int] | None = None
    person: Sequence[str] | None = None

    def rows(self, names: Sequence[str] | None = None) -> list[tuple[Value, ...]]:
        return list(zip(*(self.columns[name] for name in names or self.columns), strict=True))

    def people_of(self, row: int) -> int:
        return 1 if self.count is None else self.count[row]

    def crowd_of_each(self, names: Sequence[str] | None = None) -> list[int]:
        """Each row's crowd, or each person's in order of first appearance."""
        if self.person is not None:
            return self._crowd_of_each_person(names)
        rows = self.rows(names)
        return [
            sum(self.people_of(j) for j, other in enumerate(rows) if self._agree(row, other))
            for row in rows
        ]

    def _agree(self, row: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
        if self.missing == "own":
            return row == other
        return all(a == b or a is None or b is None for a, b in zip(row, other, strict=True))

    def _crowd_of_each_person(self, names: Sequence[str] | None) -> list[int]:
        held: dict[str, Counter[tuple[Value, ...]]] = {}
        for person, row in zip(self.person or (), self.rows(names), strict=True):
            held.setdefault(person, Counter())[row] += 1
        multisets = list(held.values())
        return [sum(mine == other for other in multisets) for mine in multisets]

    def by_person(self) -> PlainEngine:
        """A row a person, a value the set of the values that their rows hold."""
        if self.person is None:
            return self
        columns: dict[str, list[Value]] = {}
        for name, cells in self.columns.items():
            held: dict[str, set[Value]] = {}
            for person, cell in zip(self.person, cells, strict=True):
                held.setdefault(person, set()).add(cell)
            columns[name] = [described(values) for values in held.values()]
        return PlainEngine(columns)

    def people_per_size(self, names: Sequence[str] | None = None) -> dict[int, int]:
        """How many people have a crowd of each size."""
        found: Counter[int] = Counter()
        for row, size in enumerate(self.crowd_of_each(names)):
            held = 1 if self.person is not None else self.people_of(row)
            if held:
                found[size] += held
        return dict(found)

    def marginal(self, name: str) -> dict[Value, int]:
        found: Counter[Value] = Counter()
        for row, value in enumerate(self.columns[name]):
            found[value] += self.people_of(row)
        return {value: people for value, people in found.items() if people}

    def pair_tables(self, pairs: Sequence[tuple[str, str]]) -> list[dict[tuple[Value, Value], int]]:
        return [self._pair_table(*pair) for pair in pairs]

    def _pair_table(self, first: str, second: str) -> dict[tuple[Value, Value], int]:
        found: Counter[tuple[Value, Value]] = Counter()
        for row, pair in enumerate(self.rows([first, second])):
            found[pair[0], pair[1]] += self.people_of(row)
        return {pair: people for pair, people in found.items() if people}

    def tuple_table(self, names: Sequence[str]) -> dict[tuple[Value, ...], int]:
        found: Counter[tuple[Value, ...]] = Counter()
        for row, held in enumerate(self.rows(names)):
            found[held] += self.people_of(row)
        return {held: people for held, people in found.items() if people}

    def sample(self, size: int, seed: int) -> list[tuple[Value, ...]]:
        """The records of the lowest lots: an MD5 of seed, which of its tuple's records, tuple."""
        met: Counter[tuple[Value, ...]] = Counter()
        lots = []
        for row in self.rows():
            met[row] += 1
            told = "".join("-" if value is None else f"{len(value)}:{value}" for value in row)
            lots.append((hashlib.md5(f"{seed}:{met[row]}:{told}".encode()).hexdigest(), row))
        return [row for _, row in sorted(lots, key=lambda lot: lot[0])[:size]]

    def people_with(self, values: Mapping[str, Value]) -> int:
        """People who agree with these values; an empty cell agrees with anything if it is wild."""
        asked = tuple(values.values())
        return sum(
            self.people_of(row)
            for row, held in enumerate(self.rows(list(values)))
            if self._agree(held, asked)
        )


def described(values: set[Value]) -> Value:
    """One value as it is; several in the order of numbers, then of texts, the missing one last."""
    if values == {None}:
        return None
    several = len(values) > 1
    told = [quoted(text, several) for text in sorted(values - {None}, key=numbers_first)]
    return " + ".join([*told, "(missing)"] if None in values else told)


def quoted(text: str, several: bool) -> str:
    joins = text == "+" or text.startswith("+ ") or text.endswith(" +") or " + " in text
    confusing = several and (text.startswith('"') or text == "(missing)")
    return '"' + text.replace('"', '""') + '"' if joins or confusing else text


def numbers_first(text: str) -> tuple[float, str]:
    try:
        return (math.inf if math.isnan(float(text)) or "_" in text else float(text)), text
    except ValueError:
        return math.inf, text
