"""The minimality attack on exact files: rerun the program on every table that the file allows.

Who knows the program can exclude tables for which it would have written another file. It draws at
random, and the attacker doesn't know what: a table is excluded where many reruns never give the
file, and what is believed of a small cell is how often the tables that have each count do. Two
attributes: the tables that a file allows are the ways to fill its unlisted cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Ints, Mask
from reidrisk.publishing.certified_suppression import certified_suppression

MOST_TABLES = 400


class Outcome(NamedTuple):
    """Of one small cell: its count, and how many of the reruns of tables with each count gave the
    file; nought for counts that only excluded tables have.
    """

    true: int
    hits: dict[int, int]

    @property
    def pinned(self) -> bool:
        """Whether only one count is left."""
        return sum(hits > 0 for hits in self.hits.values()) == 1


Attack = list[Outcome]


def filled(listed: Mask, exact: Ints) -> Iterator[Ints]:
    """All tables with the listed cells and the sums of rows and columns that `exact` has."""
    hidden = np.argwhere(~listed)
    rows, columns = (np.where(listed, 0, exact).sum(axis=axis) for axis in (1, 0))
    last_of_row = {int(a): at for at, (a, _) in enumerate(hidden)}
    last_of_column = {int(b): at for at, (_, b) in enumerate(hidden)}

    def step(at: int, table: Ints, rows: Ints, columns: Ints) -> Iterator[Ints]:
        if at == len(hidden):
            yield table.copy()
            return
        a, b = (int(each) for each in hidden[at])
        least = max(rows[a] * (last_of_row[a] == at), columns[b] * (last_of_column[b] == at))
        for people in range(int(least), int(min(rows[a], columns[b])) + 1):
            if last_of_row[a] == at and people != rows[a]:
                continue
            if last_of_column[b] == at and people != columns[b]:
                continue
            table[a, b] = people
            rows[a] -= people
            columns[b] -= people
            yield from step(at + 1, table, rows, columns)
            rows[a] += people
            columns[b] += people

    yield from step(0, np.where(listed, exact, 0), rows, columns)


class Program(NamedTuple):
    """How exact files are made, with draws or always by the same ones."""

    at_least: int
    width: int
    draws: bool = True

    def listed(self, table: Ints, rng: np.random.Generator) -> Mask:
        """Which cells it lists."""
        codes = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0)
        found = certified_suppression(
            codes, None, list(table.shape), [(0, 1)], at_least=self.at_least, width=self.width,
            rng=rng if self.draws else np.random.default_rng(0),
        )  # fmt: skip
        return found.listed((0, 1))

    def attacked(self, table: Ints, rng: np.random.Generator, rounds: Sequence[int]) -> Attack:
        """Each small cell of one file: so many reruns of every table that it allows, and the next
        number of them where a cell seems pinned; nothing where those tables are too many.
        """
        listed = self.listed(table, rng)
        candidates = list(islice(filled(listed, table), MOST_TABLES + 1))
        if len(candidates) > MOST_TABLES:
            return []
        hits = np.zeros(len(candidates), dtype=np.int64)
        for reruns in rounds:
            hits += [self._hits(each, listed, rng, reruns) for each in candidates]
            found = self._outcomes(table, candidates, hits)
            if not any(each.pinned for each in found):
                break
        return found

    def _hits(self, table: Ints, listed: Mask, rng: np.random.Generator, reruns: int) -> int:
        return sum(bool((self.listed(table, rng) == listed).all()) for _ in range(reruns))

    def _outcomes(self, table: Ints, candidates: Sequence[Ints], hits: Ints) -> Attack:
        of_cells = np.array([each.ravel() for each in candidates])
        small = np.flatnonzero((table > 0) & (table < self.at_least))
        return [
            Outcome(int(table.ravel()[cell]), {
                int(count): int(hits[of_cells[:, cell] == count].sum())
                for count in np.unique(of_cells[:, cell])
            })
            for cell in small
        ]  # fmt: skip
