"""Attributes seen as groups of another one's values: complete counts added up.

An attribute that another one determines, or that is seen in bands, has no numbers of its own: it is
worked out after its root's were completed or read back, so that nothing is estimated twice.

Symbols: G_vg is 1 where value v of the root belongs to group g; n_g = Σ_v G_vg·n_v, and a pair
table's x_gb = Σ_v G_vg·x_vb. Of a root's values without a name it isn't known where they belong:
of an attribute in bands they stay values without a name; those of a determined one are shared out
among the groups, G_vg = n_g/Σn_g.

Where it fails: rare values needn't belong to the groups in proportion to their people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Floats
from reidrisk.models import Knowledge, TripleTable, raked
from reidrisk.statistics.complete_counts import (
    CompleteAttribute,
    CompleteCounts,
    HiddenCells,
    UnsureCounts,
)
from reidrisk.statistics.hidden_counts import HiddenCounts, Part
from reidrisk.statistics.reading_margins import whole
from reidrisk.statistics.statistics import Determined, Value
from reidrisk.statistics.when_asked import WhenAsked


class Wanted(NamedTuple):
    """An attribute as asked for: where its root is among what is known, and how it follows."""

    name: str
    root: int
    groups: Determined | None


class Groups(NamedTuple):
    """G, a row for each value of the root; the groups' labels; how many values are in each."""

    of: Floats
    labels: tuple[Value, ...]
    sizes: Counts

    @classmethod
    def in_order(cls, root: CompleteAttribute, determined: Determined, stays: bool) -> Groups:
        """`stays`: values without a name stay so."""
        label_of = [determined.labels.get(value) for value in root.values]
        labels = tuple(dict.fromkeys(sorted(label_of, key=lambda label: label is None)))
        place = {label: at for at, label in enumerate(labels)}
        groups = np.array([place[label] for label in label_of], dtype=np.int64)
        unnamed = root.in_other if stays else 0
        of = np.zeros((len(root.counts), len(labels) + unnamed))
        of[np.arange(len(groups)), groups] = 1.0
        if stays:
            of[len(groups) :, len(labels) :] = np.eye(root.in_other)
        elif root.in_other:
            people = of.T @ root.counts
            of[len(groups) :] = people / max(float(people.sum()), 1.0)
        return cls(of, labels, np.bincount(groups, minlength=len(labels)))


def seen_as(known: CompleteCounts, wanted: Sequence[Wanted]) -> CompleteCounts:
    """The attributes in the order asked for, put together where they are groups."""
    if all(each.groups is None for each in wanted):
        return known.of([each.root for each in wanted])
    roots = [known.attributes[each.root] for each in wanted]
    groups = [
        None if each.groups is None
        else Groups.in_order(root, each.groups, each.groups.by == each.name)
        for each, root in zip(wanted, roots, strict=True)
    ]  # fmt: skip
    attributes = tuple(
        root if of is None else _attribute(root, each.name, of)
        for each, root, of in zip(wanted, roots, groups, strict=True)
    )
    pairs, hidden = {}, {}
    for i in range(len(wanted)):
        for j in range(i + 1, len(wanted)):
            at = wanted[i].root, wanted[j].root
            one, other = (None if g is None else g.of for g in (groups[i], groups[j]))
            cells = _between(known, at)
            if cells is None:
                continue
            sums = attributes[i].counts, attributes[j].counts
            pairs[i, j] = _fitted(_added(cells, one, other), *sums)
            if at[0] != at[1] and known.hides_between(*at):
                hidden[i, j] = partial(_hidden_between, known, at, one, other)
    knowledge = Knowledge(
        known.records, tuple(each.name for each in wanted),
        tuple(each.counts for each in attributes), pairs, known.knowledge.drawn,
        dict(_triples(known, wanted, [None if g is None else g.of for g in groups])),
    )  # fmt: skip
    unsure = WhenAsked(hidden, lambda of: hidden[of]())
    return replace(known, attributes=attributes, knowledge=knowledge, hidden_cells=unsure)


def _triples(
    known: CompleteCounts, wanted: Sequence[Wanted], groups: Sequence[Floats | None]
) -> Iterator[tuple[tuple[int, int, int], TripleTable]]:
    """Of three roots each, in their finest form: what is coarser is a sum of that."""
    finest: dict[int, int] = {}
    for at, each in sorted(enumerate(wanted), key=lambda one: groups[one[0]] is not None):
        finest.setdefault(each.root, at)
    for of, table in known.knowledge.triples.items():
        if not all(root in finest for root in of):
            continue
        places = [finest[root] for root in of]
        order = sorted(range(3), key=lambda side: places[side])
        i, j, k = (places[side] for side in order)
        yield (i, j, k), _grouped(table, [groups[place] for place in places]).turned(order)


def _grouped(table: TripleTable, groups: Sequence[Floats | None]) -> TripleTable:
    """Cells added up by their groups; those of a value that is shared out, in its shares."""
    codes, people, shape = table.codes, table.people, list(table.shape)
    for side, of in enumerate(groups):
        if of is None:
            continue
        value, group = np.nonzero(of)
        first = np.searchsorted(value, np.arange(len(of) + 1))
        times = np.diff(first)[codes[:, side]]
        start = np.repeat(first[codes[:, side]] - np.cumsum(times) + times, times)
        entry = start + np.arange(len(start))
        codes, people = np.repeat(codes, times, axis=0), np.repeat(people, times)
        people = people * of[value[entry], group[entry]]
        codes[:, side], shape[side] = group[entry], of.shape[1]
    return TripleTable.of((shape[0], shape[1], shape[2]), codes, people)


def _between(known: CompleteCounts, at: tuple[int, int]) -> Floats | None:
    """The roots' pair table; of a root with itself its counts along the diagonal."""
    if at[0] == at[1]:
        return np.diag(known.attributes[at[0]].counts.astype(np.float64))
    return known.knowledge.pair(*at)


def _added(cells: Floats, one: Floats | None, other: Floats | None) -> Floats:
    rows = cells if one is None else one.T @ cells
    return rows if other is None else np.asarray(rows @ other)


def _fitted(cells: Floats, rows: Counts, columns: Counts) -> Floats:
    """Groups' counts are whole numbers, and sums of shared ones aren't quite."""
    near = np.rint(cells)
    if np.array_equal(cells.sum(axis=1), rows) and np.array_equal(cells.sum(axis=0), columns):
        return cells
    if np.array_equal(near.sum(axis=1), rows) and np.array_equal(near.sum(axis=0), columns):
        return cells
    return raked(cells, rows.astype(np.float64), columns.astype(np.float64)).cells


def _attribute(root: CompleteAttribute, name: str, groups: Groups) -> CompleteAttribute:
    counts = whole(groups.of.T @ root.counts, int(root.counts.sum()))
    named = len(groups.labels)
    hidden = None if root.hidden is None else _hidden(root.hidden, counts, len(root.values), named)
    unsure = root.unsure
    if unsure is not None:
        listed = groups.of[: unsure.named, :named]
        expected = groups.of.T @ unsure.expected
        may_vary = groups.of.T @ unsure.places > 0.0
        unsure = UnsureCounts(
            may_vary,
            expected,
            np.rint(listed.T @ unsure.published).astype(np.int64),
            np.rint(listed.T @ unsure.added_up).astype(np.int64),
            unsure.by,
            unsure.up_to,
        )
    return CompleteAttribute(name, groups.labels, counts, root.said, hidden, unsure)


def _hidden(
    hidden: HiddenCounts, counts: Counts, named_before: int, named: int
) -> HiddenCounts | None:
    """The same ways of the values without a name, at their new places; None where none are left."""
    if len(counts) == named:
        return None
    shift = named - named_before
    if any(place < named_before for _, parts in hidden.cases
           for part in parts for place in part.places):  # fmt: skip
        return None
    cases = tuple(
        (weight, tuple(Part(tuple(p + shift for p in part.places), part.shares) for part in parts))
        for weight, parts in hidden.cases
    )
    stated = np.where(np.arange(len(counts)) < named, counts, 0)
    return HiddenCounts(stated, cases, named)


def _hidden_between(
    known: CompleteCounts, at: tuple[int, int], one: Floats | None, other: Floats | None
) -> HiddenCells:
    hidden = known.hidden_between(*at)
    assert hidden is not None
    return _cells(hidden, one, other)


def _cells(hidden: HiddenCells, one: Floats | None, other: Floats | None) -> HiddenCells:
    """Least and most add up; a sum is hidden where part of it is, unstated where all of it is."""
    least, most = (_added(each, one, other) for each in (hidden.least, hidden.most))
    stated, seen, below = (
        _added(each.astype(np.float64), one, other) > 0.0
        for each in (~hidden.unstated, hidden.hidden, hidden.below)
    )
    return HiddenCells(~stated, seen, np.floor(least), np.ceil(most), seen & below)
