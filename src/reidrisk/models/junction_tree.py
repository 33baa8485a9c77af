"""A junction tree of triple tables: each attribute depends on two others that are joined already.

Symbols: attribute v is given its `by`, none, one or two others; x are the counts of the tables
known. The law is

    p(t) = Π_v x(t_v, t_by)/x(t_by),

which has every table it is made of, where the two attributes of `by` are together in a table before
it (the cliques then form a tree, and the law is decomposable). With triples alone and one pair to
begin with it is a cherry tree.

How it is chosen: from each table as a beginning, the attribute that those joined say most of is
joined next, by the table that says it; of all beginnings the one that says most. What two say of v
is I(v; u, w) less what shuffled columns would show (`forest`). No tree but the best of these: the
best of all is a hard problem.

Triples that don't fit in are kept by raking (`raked_triples`). Where it fails: pairs that no table
of the tree has are as chance has them, which takes them far off; nobody should take this law alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Codes, Floats, Ints, Places, Rows
from reidrisk.crowds import entropy
from reidrisk.models.forest import corrected_information
from reidrisk.models.independent import random_entropy
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.strong_dependence import whole_numbers


class Step(NamedTuple):
    """An attribute, and those whose values its own depends on."""

    attribute: int
    by: tuple[int, ...]

    @property
    def table(self) -> tuple[int, ...]:
        """The attributes of the table that says how."""
        return tuple(sorted((self.attribute, *self.by)))


def junction_tree(knowledge: Knowledge) -> tuple[Step, ...]:
    """The steps, one for each attribute."""
    gains = _Gains(knowledge)
    beginnings: list[tuple[int, ...]] = [*knowledge.triples]
    beginnings = beginnings or [*knowledge.pairs] or [()]
    found = [_grown(knowledge, gains, begin) for begin in beginnings]
    return max(found, key=lambda steps: (round(sum(map(gains.of, steps)), 9), steps))


class _Gains:
    """What the attributes given say of one, in bits, less what chance would show."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._known: dict[Step, float] = {}

    def of(self, step: Step) -> float:
        """I(v; by)."""
        if step not in self._known:
            self._known[step] = self._worked_out(step)
        return self._known[step]

    def _worked_out(self, step: Step) -> float:
        known, (v, by) = self.knowledge, step
        if not by:
            return 0.0
        if len(by) == 1:
            i, j = step.table
            return corrected_information(known, i, j)
        of = step.table
        table = known.triples[of[0], of[1], of[2]]
        together = whole_numbers(table.pair(*(of.index(each) for each in by)).ravel(), known.n)
        return random_entropy([known.counts[v], together[together > 0]], known.n) - entropy(
            table.people
        )


def _grown(knowledge: Knowledge, gains: _Gains, begin: Sequence[int]) -> tuple[Step, ...]:
    """A tree from the attributes of one table on."""
    steps = list(_first(knowledge, gains, begin))
    joined = set(combinations(sorted(begin), 2))
    while len(steps) < len(knowledge.names):
        placed = {step.attribute for step in steps}
        step = max(_next(knowledge, placed, joined), key=lambda step: (gains.of(step), step))
        steps.append(step)
        joined |= set(combinations(step.table, 2))
    return tuple(steps)


def _first(knowledge: Knowledge, gains: _Gains, begin: Sequence[int]) -> Iterator[Step]:
    """The attributes of the first table, most values first."""
    values = [np.count_nonzero(counts) for counts in knowledge.counts]
    order = sorted(begin, key=lambda attribute: (-int(values[attribute]), attribute))
    for at, attribute in enumerate(order):
        yield Step(attribute, tuple(sorted(order[:at])))


def _next(knowledge: Knowledge, placed: set[int], joined: set[tuple[int, int]]) -> Iterator[Step]:
    for of in knowledge.triples:
        new = [each for each in of if each not in placed]
        by = tuple(each for each in of if each in placed)
        if len(new) == 1 and (by[0], by[1]) in joined:
            yield Step(new[0], (by[0], by[1]))
    for i, j in knowledge.pairs:
        if (i in placed) != (j in placed):
            yield Step(i, (j,)) if j in placed else Step(j, (i,))
    yield from (Step(each, ()) for each in range(len(knowledge.names)) if each not in placed)


@dataclass(frozen=True, eq=False)
class Conditional:
    """The law of an attribute with so many values given others: cells by the values of those given
    and its own, sorted, and how many people are in them.

    Where tables contradict each other there may be people whose values it has no cell for: theirs
    are as everybody's (`counts`).
    """

    by: tuple[int, ...]
    sizes: tuple[int, ...]
    counts: Floats
    keys: Ints
    people: Floats

    @classmethod
    def of(cls, knowledge: Knowledge, step: Step) -> Conditional:
        """From the step's table."""
        attribute, by = step
        codes, people = _cells(knowledge, (*by, attribute))
        counts = knowledge.counts[attribute].astype(np.float64)
        sizes = tuple(len(knowledge.counts[place]) for place in by)
        keys = _flat(codes, (*sizes, len(counts)))
        order = np.argsort(keys, kind="stable")
        return cls(by, sizes, counts, keys[order], people[order])

    @cached_property
    def _groups(self) -> tuple[Ints, Places, Places]:
        """The values given that have cells, as numbers; their first cell, and past their last."""
        given, first = np.unique(self.keys // len(self.counts), return_index=True)
        return given, first, np.append(first[1:], len(self.keys))

    @cached_property
    def _reached(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.people)])

    def _given(self, codes: Codes) -> tuple[Places, Places, Places]:
        """For each row where its cells begin and end, and the rows that have some."""
        given, first, last = self._groups
        wanted = _flat(codes[:, list(self.by)], self.sizes)
        at = np.minimum(np.searchsorted(given, wanted), len(given) - 1)
        return first[at], last[at], np.flatnonzero(given[at] == wanted)

    def logs(self, codes: Codes, own: Codes) -> Floats:
        """log p(own | those given); −inf where nobody is."""
        first, last, some = self._given(codes)
        with np.errstate(divide="ignore"):
            found = np.log(self.counts / self.counts.sum())[own]
            wanted = _flat(codes[some][:, list(self.by)], self.sizes) * len(self.counts)
            wanted += own[some]
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            people = np.where(self.keys[at] == wanted, self.people[at], 0.0)
            total = self._reached[last[some]] - self._reached[first[some]]
            found[some] = np.log(people / total)
        return np.asarray(found)

    def drawn(self, codes: Codes, rng: np.random.Generator) -> Rows:
        """A value for each row."""
        first, last, some = self._given(codes)
        chance = rng.random(len(codes))
        everybody = np.cumsum(self.counts)
        found = np.searchsorted(everybody, chance * everybody[-1], side="right")
        begin, end = self._reached[first[some]], self._reached[last[some]]
        at = np.searchsorted(self._reached, begin + chance[some] * (end - begin), side="right") - 1
        at = np.clip(at, first[some], last[some] - 1)
        found[some] = self.keys[at] % len(self.counts)
        return np.asarray(np.minimum(found, len(self.counts) - 1), dtype=np.int32)


def _cells(knowledge: Knowledge, of: tuple[int, ...]) -> tuple[Codes, Floats]:
    """The cells that hold somebody of the table of one, two or three attributes, in this order."""
    if len(of) == 3:
        ordered = sorted(of)
        table = knowledge.triples[ordered[0], ordered[1], ordered[2]]
        return table.codes[:, [ordered.index(each) for each in of]], table.people
    cells = knowledge.counts[of[0]].astype(np.float64) if len(of) == 1 else knowledge.pair(*of)
    assert cells is not None
    codes = np.argwhere(cells > 0.0)
    return codes, cells[tuple(codes.T)]


def _flat(codes: Codes, sizes: Sequence[int]) -> Ints:
    key = np.zeros(len(codes), dtype=np.int64)
    for column, size in zip(codes.T, sizes, strict=True):
        key = key * size + column
    return key


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """The law of some knowledge along the steps."""

    knowledge: Knowledge
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, knowledge: Knowledge) -> JunctionTree:
        """Choose the steps."""
        return cls(knowledge, junction_tree(knowledge))

    @property
    def kept(self) -> frozenset[tuple[int, ...]]:
        """The tables, by their attributes, that the law has."""
        return frozenset(step.table for step in self.steps)

    @cached_property
    def _laws(self) -> tuple[Conditional, ...]:
        return tuple(Conditional.of(self.knowledge, step) for step in self.steps)

    def log_probability(self, codes: Codes) -> Floats:
        """log p(t), natural; −inf where a table has nobody."""
        total = np.zeros(len(codes))
        for step, law in zip(self.steps, self._laws, strict=True):
            total += law.logs(codes, codes[:, step.attribute])
        return total

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Independent draws from the law."""
        codes = np.zeros((rows, len(self.knowledge.names)), dtype=np.int32)
        for step, law in zip(self.steps, self._laws, strict=True):
            codes[:, step.attribute] = law.drawn(codes, rng)
        return codes
