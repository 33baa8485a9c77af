"""Imputation: statistics with suppressed counts become complete counts to predict from.

The one place where what isn't published is filled in. Each attribute's counts come to add up to
`records`: people under hidden counts (`other`, null, "<5") are distributed in one of the possible
ways (`hidden_counts`), by default a typical one; rounded counts are scaled. Pair tables are
completed by `pair_imputation`. Statistics whose protection changed every number by a stated law are
read back by it (`protected_counts`). Attributes that were published as a map, or are seen in bands,
are put together last (`grouped_counts`). Each step is a sentence in `assumptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts
from reidrisk.crowds import apportioned, assumed
from reidrisk.models import Knowledge, with_pairs_of_triples
from reidrisk.statistics.complete_counts import CompleteAttribute, CompleteCounts
from reidrisk.statistics.grouped_counts import Wanted, seen_as
from reidrisk.statistics.hidden_counts import Limits, gap_limits, hidden_counts
from reidrisk.statistics.pair_imputation import completed_pair
from reidrisk.statistics.protected_counts import ReadBack
from reidrisk.statistics.statistics import (
    Attribute,
    Determined,
    Statistics,
    Suppressed,
    Value,
)
from reidrisk.statistics.triple_cells import SIDES
from reidrisk.statistics.triple_imputation import completed_triple


class WholeNumbers(NamedTuple):
    """Numbers that were rounded are drawn as whole ones."""

    rng: np.random.Generator


# How hidden counts are to be filled in: counts of the attributes that have some, or by chance.
Filling = Mapping[str, Counts] | np.random.Generator | WholeNumbers


@dataclass(frozen=True, eq=False)
class Completion:
    """Statistics that are completed again and again, with other counts where some are hidden or
    unsure: what is the same each time is worked out once.

    Parameters:
        statistics: what was published.
        columns: the attributes, by default all of them.
    """

    statistics: Statistics
    columns: Sequence[str] | None = None

    def __call__(self, filling: Filling | None = None) -> CompleteCounts:
        """The attributes' counts and the pair tables among them, complete (`completed`)."""
        if self._read_back is not None:
            known = self._read_back.counts(*_drawn_how(filling))
        else:
            shares = filling if isinstance(filling, Mapping) else {}
            known = _filled_in(self.statistics.published, self._roots, shares)
        wanted = [
            Wanted(name, self._roots.index(name if of is None else of.by), of)
            for name, of in self._maps.items()
        ]
        return seen_as(known, wanted)

    @cached_property
    def _maps(self) -> dict[str, Determined | None]:
        """Each attribute, and how it follows from another one; an unknown one lists those there
        are.
        """
        statistics, names = self.statistics, tuple(self.columns or self.statistics.names)
        return {name: statistics.determined.get(statistics.attribute(name).name) for name in names}

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        """The attributes that were published, from which all follow."""
        roots = (name if of is None else of.by for name, of in self._maps.items())
        return tuple(dict.fromkeys(roots))

    @cached_property
    def _read_back(self) -> ReadBack | None:
        """Numbers that a protection changed, what they say worked out."""
        statistics, protection = self.statistics, self.statistics.protection
        if protection is None or not statistics.read_back:
            return None
        return ReadBack(statistics.published, protection, self._roots)


def completed(
    statistics: Statistics,
    columns: Sequence[str] | None = None,
    filling: Filling | None = None,
) -> CompleteCounts:
    """Complete the counts of all attributes, or those named, and the pair tables among them.

    `filling` are the counts that attributes with hidden ones are to have; else they are typical.
    Numbers that a protection changed are read back; with a generator they are drawn.
    """
    return Completion(statistics, columns)(filling)


def _drawn_how(filling: Filling | None) -> tuple[np.random.Generator | None, bool]:
    """By which generator; whether as whole numbers."""
    if isinstance(filling, WholeNumbers):
        return filling.rng, True
    return (filling if isinstance(filling, np.random.Generator) else None), False


def _filled_in(
    statistics: Statistics, names: tuple[str, ...], shares: Mapping[str, Counts]
) -> CompleteCounts:
    """Numbers as they were counted; what isn't published is imputed."""
    records = statistics.records
    attributes = tuple(
        completed_attribute(
            statistics.attribute(name),
            records,
            gap_limits(statistics, name),
            statistics.at_least,
            shares.get(name),
        )
        for name in names
    )
    sentences = [sentence for attribute in attributes for sentence in attribute.said]
    place = {name: at for at, name in enumerate(names)}
    pairs, hidden, warnings = {}, {}, []
    for pair in statistics.pairs:
        if not set(pair.of) <= place.keys():
            continue
        i, j = sorted(place[name] for name in pair.of)
        ordered = statistics.pair(names[i], names[j])
        assert ordered is not None
        sides = [(attributes[at].place, attributes[at].counts) for at in (i, j)]
        complete = completed_pair(ordered, sides[0], sides[1], statistics.rounded_to)
        sentences += complete.said
        warnings += complete.warnings
        if complete.cells is not None:
            pairs[i, j] = complete.cells
        if complete.hidden is not None:
            hidden[i, j] = complete.hidden
    counts = tuple(each.counts for each in attributes)
    knowledge = Knowledge(records, names, counts, pairs)
    triples = {}
    for triple in statistics.triples:
        if not set(triple.of) <= place.keys():
            continue
        i, j, k = sorted(place[name] for name in triple.of)
        found = completed_triple(
            triple.turned([names[at] for at in (i, j, k)]),
            [attributes[at].place for at in (i, j, k)],
            [pairs.get(((i, j, k)[one], (i, j, k)[other])) for one, other in SIDES],
            [counts[at] for at in (i, j, k)],
            statistics.rounded_to,
        )
        sentences += found.said
        warnings += found.warnings
        if found.table is not None:
            triples[i, j, k] = found.table
    knowledge = with_pairs_of_triples(replace(knowledge, triples=triples))
    assumptions = assumed("gaps-filled", "statistics", sentences)
    return CompleteCounts(records, attributes, knowledge, assumptions, tuple(warnings), hidden)


def completed_attribute(
    attribute: Attribute,
    records: int,
    limits: Mapping[Value, Limits] | None = None,
    at_least: int | None = None,
    counts: Counts | None = None,
) -> CompleteAttribute:
    """One attribute's complete counts; `limits` of suppressed ones, where more is known.

    `at_least` is the threshold of suppression; `counts` are those to take where some are hidden.
    """
    name, stated, other = attribute.name, attribute.stated, attribute.other
    merged = max(other.values, 1 if other.count else 0) if other is not None else 0
    in_other = other.count if other is not None else 0
    known = np.array([c if isinstance(c, int) else 0 for c in stated.values()], dtype=np.int64)
    gaps = {
        place: (limits or {}).get(value, (count.least, count.most))
        for place, (value, count) in enumerate(stated.items())
        if isinstance(count, Suppressed)
    }
    left = max(records - int(known.sum()) - in_other, 0)
    hidden = hidden_counts(known, gaps, left, other, merged, at_least)
    sentences = []
    if merged > 1 and other is not None:
        sentences.append(
            f"{name}: it isn't known how the {in_other:,} people of the {other.values:,} values "
            "merged into other are distributed; all distributions that fit the file are equally "
            "likely."
        )
    if gaps:
        sentences.append(
            f"{name}: {len(gaps):,} suppressed counts share the remaining {left:,} people"
            f"{'; all ways to distribute them are equally likely' if hidden is not None else ''}."
        )
    if hidden is not None:
        complete = hidden.typical() if counts is None else counts
    else:
        least, most = zip(*gaps.values(), strict=True) if gaps else ((), ())
        known[list(gaps)] = shared_out(left, most, least)
        complete = np.concatenate([known, evenly(in_other, merged)])
    if complete.sum() != records:
        sentences.append(
            f"{name}: its counts add up to {int(complete.sum()):,} and were scaled to {records:,}."
        )
        complete = scaled(complete, records)
    return CompleteAttribute(name, tuple(stated), complete, tuple(sentences), hidden)


def evenly(people: int, values: int) -> Counts:
    """People over so many values, as evenly as whole numbers allow."""
    if not values:
        return np.empty(0, dtype=np.int64)
    return people // values + (np.arange(values) < people % values).astype(np.int64)


def shared_out(
    people: int, most: Sequence[int | None], least: Sequence[int] | None = None
) -> Counts:
    """People distributed evenly over values that may hold at most so many each (None: any number),
    once each has the least it must hold.
    """
    shares = np.array(least if least is not None else [0] * len(most), dtype=np.int64)
    if shares.sum() > people:
        return scaled(shares, people)
    top = np.array([people if bound is None else bound for bound in most], dtype=np.int64)
    left = people - int(shares.sum())
    while left and (open_ := np.flatnonzero(shares < top)).size:
        added = np.minimum(evenly(left, len(open_)), top[open_] - shares[open_])
        shares[open_] += added
        left -= int(added.sum())
    return shares


def scaled(counts: Counts, total: int) -> Counts:
    """Whole numbers in proportion to `counts` that add up to `total` (largest remainders)."""
    if not counts.sum():
        return evenly(total, len(counts))
    return np.array(apportioned(counts.tolist(), total), dtype=np.int64)
