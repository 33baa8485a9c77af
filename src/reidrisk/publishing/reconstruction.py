"""Reconstruction: what a file of counts lets anybody reproduce of the records behind it.

Whoever has the file can fit a law to it and draw a table of as many people. Symbols: n people; d_t
of the drawn ones and x_t of the real ones have the combination t of values of all attributes. The
drawn table reproduces the share

    Σ_t min(d_t, x_t)/n.

Most of it isn't about the people: a table drawn from what is generally known of such people
coincides with theirs as well. So the people are split at random into halves; one half is published
with the same protection and the same parameters, a law is fitted to its file, a table is drawn:

- *own*: the share of that half which it reproduces;
- *other*: the share of the other half, about whom nothing was published.

What the file says about its people is own − other. Where records aren't at hand, two tables are
drawn from two fits of the file instead, as if one of them were the people (`expected`).

The law is `pairwise`'s: a sample of the tree law raked to every pair table (`models.raked_law`),
with at most three rows a person; of a file with triple tables that of `triples`
(`models.raked_triples`). Of more than ten attributes, or very many people, it is the tree's, which
keeps one pair table for each attribute but one: the others needn't be read back, which takes longer
than all else. On four sets of five real columns own − other comes out about as large as with the
product's own choice for rounded counts, up to a fifth lower for exact ones, and with the tree a
third to more than half lower (docs/method/reconstruction.md).

Which tables are the tree's is decided by the numbers published, less what chance and noise make
look dependent (`published_information`).

A drawn person with a value that the file doesn't name coincides with nobody, nor does a real one
with such a value, or with one that doesn't follow from another as the file says.

Where it fails: it is one attack of many. A better law reproduces more, and so does knowing more
than the file: own − other is rather too low. Shares depend on n, and a half has fewer people, each
of whom weighs more in it. Of many attributes hardly a record is reproduced; of few, who knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Mask, Places, Rows
from reidrisk.errors import InputError
from reidrisk.machine import no_progress
from reidrisk.models import Tree, raked_law, raked_triples
from reidrisk.publishing.certified_tables import certified_tables
from reidrisk.publishing.chosen_triples import with_chosen_triples
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.publication import pairs_to_count, published, with_asked_pairs
from reidrisk.publishing.published_information import informative_pairs, pairs_among
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.wish import Wish
from reidrisk.records import CodedColumn, CodedRows, CodedTuples, Table, dense, engine_of_codes
from reidrisk.statistics import (
    CompleteAttribute,
    Determined,
    PairCounts,
    Statistics,
    completed,
)

# Both halves together: beyond it, counting and drawing take more than a second.
MOST_PEOPLE = 400_000
# Certificates for a half are as much work as for everybody.
MOST_PROVEN = 40_000
# Tables drawn from one fit, so that chance in drawing is small beside that in splitting.
DRAWS = 3
# The halves published have so many people together, where five splits are enough for that.
ENOUGH, MOST_SPLITS = 25_000, 5
# Of a raked sample: rows for each person, and rows times pair tables that take half a second.
MOST_ROWS, FEWEST_ROWS, MOST_VISITS = 3, 2, 4_000_000
# Ten attributes; more take a second to be read back.
MOST_TABLES = 45
NOWHERE = -1
PURPOSE = "splitting the people into halves"
Edge = tuple[int, int]


@dataclass(frozen=True)
class Reconstruction:
    """Which share of a half's people a table drawn from its file reproduces, `own`, and which of
    the other half's, `other`; None where it wasn't tried, and the first of `limits` says why.

    `people` are in each half. `limits` are sentences.
    """

    own: float | None
    other: float | None
    model: str
    people: int
    seed: int
    limits: tuple[str, ...] = ()

    @property
    def about_the_people(self) -> float | None:
        """own − other; chance in splitting can bring it below 0."""
        return None if self.own is None or self.other is None else self.own - self.other


@dataclass(frozen=True)
class Expected:
    """Which share of one drawn table of `people` another one reproduces."""

    share: float
    model: str
    people: int
    seed: int
    limits: tuple[str, ...] = ()


def reconstruction(
    table: Table, wish: Wish, seed: int = 0, most: int | None = None
) -> Reconstruction:
    """Split the people, of whom `most` are used, publish a half, fit and draw. Where people are few
    the other half too, in several splits, and shares are means; not with ``exact``, which takes
    long.

    Keys are thrown away, no ledger is written to, and nothing is attacked: the halves' files stay
    inside.
    """
    rng = np.random.default_rng(seed)
    people = min(table.people, most or (MOST_PROVEN if wish.exact else MOST_PEOPLE)) // 2
    try:
        engine = table.engine.by_person()
        rows = engine.coded_rows(table.columns, PURPOSE)
        tried = [_reproduced(halves, wish, engine.threads, rng)
                 for halves in _splits(rows, people, wish, rng)]  # fmt: skip
    except InputError as error:
        return Reconstruction(None, None, "", 0, seed, (f"Not tried: {error.message}.",))
    own, other = np.mean([each.shares for each in tried], axis=0).tolist()
    unnamed = sorted({name for each in tried for name in each.unnamed})
    limits = _limits(table.people, 2 * people, unnamed, wish)
    return Reconstruction(own, other, tried[0].model, people, seed, limits)


def expected_reconstruction(
    statistics: Statistics, seed: int = 0, most: int = MOST_PEOPLE
) -> Expected:
    """Of a file without its records: the overlap of two tables, each drawn from a fit of its own.

    Numbers that a protection changed are drawn from what they may have been, for each fit anew.
    """
    streams = np.random.default_rng(seed).spawn(2)
    laws = [FileLaw.of(statistics, rng, rng) for rng in streams]
    people = min(statistics.records, most)
    one, other = (law.drawn(people, rng) for law, rng in zip(laws, streams, strict=True))
    limits = _limits(statistics.records, people, laws[0].unnamed)
    return Expected(overlap(one, other), laws[0].model, people, seed, limits)


class FileLaw(NamedTuple):
    """A law fitted to a file, and how tables are drawn from it: its attributes, those that follow
    from them, and those of which no value is named, which are left out.
    """

    model: str
    table: Callable[[int, np.random.Generator], Rows]
    attributes: tuple[CompleteAttribute, ...]
    follow: Mapping[str, Determined]
    unnamed: tuple[str, ...]

    @classmethod
    def of(
        cls,
        statistics: Statistics,
        rng: np.random.Generator,
        filling: np.random.Generator | None = None,
    ) -> FileLaw:
        """Choose the pair tables, read them back (with a `filling` drawn), and fit."""
        held = statistics.published
        named = tuple(each.name for each in held.attributes if each.stated)
        unnamed = tuple(each.name for each in held.attributes if not each.stated)
        if not named:
            raise InputError("the file names no value")
        used, rows = _used(held, named)
        triples = held.triples if rows else ()
        known = completed(replace(held, pairs=used, triples=triples), named, filling)
        tree = Tree.of(known.knowledge)
        model, table = tree.name, tree.sample
        if known.knowledge.triples:
            model = "triples"
            table = raked_triples(known.knowledge, rows, rng, no_progress).drawn
        elif rows:
            model = "pairwise"
            table = raked_law(known.knowledge, tree, rows, rng, no_progress).drawn
        follow = {name: of for name, of in statistics.determined.items() if of.by in named}
        return cls(model, table, known.attributes, follow, unnamed)

    def drawn(self, people: int, rng: np.random.Generator) -> Rows:
        """So many people's values by their places; `NOWHERE` for one that isn't named."""
        codes = self.table(people, rng)
        named = np.array([len(each.values) for each in self.attributes])
        return np.where(codes < named, codes, NOWHERE).astype(np.int32)

    def recognised(self, columns: Sequence[CodedColumn]) -> Rows:
        """Records' values in the same way; all `NOWHERE` where one doesn't follow from another as
        the file says.
        """
        held = {column.name: column for column in columns}
        codes = np.stack([_places(held[each.name], each) for each in self.attributes], axis=1)
        number = {each.name: place for place, each in enumerate(self.attributes)}
        for name, of in self.follow.items():
            by = number[of.by]
            label = [of.labels.get(value) for value in self.attributes[by].values]
            codes[~_agrees(held[name], codes[:, by], label)] = NOWHERE
        return codes


def _places(column: CodedColumn, attribute: CompleteAttribute) -> Rows:
    texts = (*column.values.to_pylist(), None)
    place = np.array([attribute.place.get(text, NOWHERE) for text in texts], dtype=np.int32)
    return np.asarray(place[column.codes])


def _agrees(column: CodedColumn, by: Rows, label: Sequence[str | None]) -> Mask:
    """Whether each record has the label of its value of another attribute."""
    number = {text: code for code, text in enumerate((*column.values.to_pylist(), None))}
    expected = np.array([*(number.get(each, NOWHERE) for each in label), NOWHERE])
    return np.asarray(column.codes == expected[by])


def overlap(one: Rows, other: Rows) -> float:
    """Σ_t min(d_t, x_t)/n of two tables of n people each, combinations with `NOWHERE` aside."""
    kept = [rows[(rows != NOWHERE).all(axis=1)] for rows in (one, other)]
    if not all(map(len, kept)):
        return 0.0
    together = np.concatenate(kept)
    widths = (together.max(axis=0) + 1).tolist()
    names = tuple(map(str, range(len(widths))))
    keys, span = dense(
        *CodedTuples.of_codes(names, list(together.T), widths).keys(range(len(widths)))
    )
    counts = [np.bincount(part, minlength=span) for part in np.split(keys, [len(kept[0])])]
    return float(np.minimum(*counts).sum() / len(one))


def _used(held: Statistics, named: Sequence[str]) -> tuple[tuple[PairCounts, ...], int]:
    """All pair tables, and how many rows are raked to them; or those along the tree, no rows."""
    tables, along = pairs_among(held, named), informative_pairs(held, named)
    rows = min(MOST_ROWS * held.records, MOST_VISITS // max(len(tables), 1))
    if len(along) < len(tables) <= MOST_TABLES and rows >= FEWEST_ROWS * held.records:
        return tuple(tables.values()), rows
    return tuple(tables[of] for of in along), 0


Half = tuple[CodedColumn, ...]


def _splits(
    rows: CodedRows, size: int, wish: Wish, rng: np.random.Generator
) -> Iterable[list[Half]]:
    """The half to publish and the other one; of smaller halves each is published in turn, which
    takes out most of the chance in splitting, and so often that they have `ENOUGH` people together.
    """
    if size >= ENOUGH or wish.exact:
        return [_halves(rows, size, rng)]
    splits = min(math.ceil(ENOUGH / (2 * max(size, 1))), MOST_SPLITS)
    both = (_halves(rows, size, rng) for _ in range(splits))
    return (turned for halves in both for turned in (halves, halves[::-1]))


def _halves(rows: CodedRows, size: int, rng: np.random.Generator) -> list[Half]:
    """So many people each, drawn without replacement."""
    if size < 1:
        raise InputError("there are too few people to split")
    people = rows.records if rows.count is None else int(rows.count.sum())
    chosen = rng.choice(people, 2 * size, replace=False)
    if rows.count is not None:
        chosen = np.searchsorted(np.cumsum(rows.count), chosen, side="right")
    return [_of_some(rows.columns, half) for half in np.split(chosen, 2)]


def _of_some(columns: Sequence[CodedColumn], records: Places) -> Half:
    codes = [column.codes[records] for column in columns]
    return tuple(
        CodedColumn(column.name, each, column.values, _held(column, each))
        for column, each in zip(columns, codes, strict=True)
    )


def _held(column: CodedColumn, codes: Places) -> Places:
    return np.bincount(codes, minlength=len(column.values) + 1)


class Reproduced(NamedTuple):
    """`shares` of the half that was published and of the other one; attributes left out."""

    shares: tuple[float, float]
    model: str
    unnamed: tuple[str, ...]


def _reproduced(
    halves: Sequence[Half], wish: Wish, threads: int, rng: np.random.Generator
) -> Reproduced:
    """Publish the first half, fit, and draw."""
    half = Table(engine_of_codes({each.name: each for each in halves[0]}, threads), "codes")
    law = FileLaw.of(statistics_of_half(half, wish, rng), rng)
    records = [law.recognised(columns) for columns in halves]
    drawn = [law.drawn(half.people, rng) for _ in range(DRAWS)]
    own, other = (float(np.mean([overlap(d, each) for d in drawn])) for each in records)
    return Reproduced((own, other), law.model, law.unnamed)


def statistics_of_half(half: Table, wish: Wish, rng: np.random.Generator) -> Statistics:
    """As `publish` does it, by a key and draws that nobody keeps; noise alone isn't by `rng`."""
    plain = replace(
        wish,
        key_file=None,
        ledger=None,
        budget=None,
        after=None,
        population=None,
        progress=no_progress,
    )
    if wish.unprotected or wish.epsilon is not None:
        return published(half, plain).statistics
    pairs = pairs_to_count(half, plain)
    if wish.exact:
        width = wish.width or 1
        made = certified_tables(half, pairs, wish.at_least, width, rng).statistics
        return with_asked_pairs(made, plain)
    counted = CountedTables.of(half, pairs)
    if wish.triples:
        counted = with_chosen_triples(counted, half, plain)
    drawn = RoundedCounts(counted, rng.bytes(32), wish.at_least)
    return drawn.statistics(part=partial(with_asked_pairs, wish=plain))


def _limits(
    everybody: int, people: int, unnamed: Sequence[str], wish: Wish | None = None
) -> tuple[str, ...]:
    """What to know of the figures, in sentences."""
    found = []
    if people < everybody - 1:
        found.append(f"Tried with {people:,} of {everybody:,} people, drawn at random.")
    if unnamed:
        found.append(f"Left out, as no value is named: {', '.join(unnamed)}.")
    if wish is not None and wish.epsilon is not None:
        found.append("Noise is drawn anew each time, whatever the seed.")
    return tuple(found)
