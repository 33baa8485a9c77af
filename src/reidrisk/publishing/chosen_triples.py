"""Which triple tables to publish: d − 2 of them, joined along pairs, that say most beyond pairs.

Symbols: D_abc different combinations of values of three attributes occur among the records, P_abc
in a table of as many people that has all their pair counts and is otherwise as chance has it. P − D
is what pairs overestimate: nought where the three attributes depend on each other as pairs show.

A cherry tree: one triple to begin with, and each further attribute by a triple with two that are in
one already. Of the triples that can be joined, the one with the largest P − D is, from each
beginning; of all these trees the one with the largest sum is taken.

Of attributes that determine each other only those that have numbers of their own take part. Where
more than `MOST_TRIED` triples are possible, those of attributes that depend least on each other
aren't looked at, and count as nought.

Where it fails: one drawn table stands for all that have the pair counts, so that triples which say
little are told apart by chance; and no tree but those grown greedily is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from reidrisk.arrays import Rows
from reidrisk.errors import InputError
from reidrisk.models import Knowledge, Tree, with_exact_margins
from reidrisk.publishing.counted_tables import CountedTables, Triple
from reidrisk.publishing.wish import Wish
from reidrisk.records import Table

MOST_TRIED = 500
# Possible cells of one triple table: what is larger can't be attacked in reasonable time.
MOST_CELLS = 20_000_000


def with_chosen_triples(counted: CountedTables, table: Table, wish: Wish) -> CountedTables:
    """The counted tables with the triples to publish."""
    named = [np.asarray(margin >= (2 * wish.at_least if wish.rounds else 0))
             for margin in counted.margins]  # fmt: skip
    follows = counted.determined(named) if wish.rounds else {}
    kept = [i for i in range(len(counted.names)) if i not in follows]
    if len(kept) < 3:
        raise InputError(
            "--triples: three-way tables need three columns that don't follow from each other",
            "publish without --triples",
        )
    excess = overestimates(counted, table, kept, wish)
    chosen = cherry_tree(excess, kept)
    return counted.with_triples(table, ([counted.names[i] for i in of] for of in chosen))


def overestimates(
    counted: CountedTables, table: Table, kept: Sequence[int], wish: Wish
) -> dict[Triple, float]:
    """P − D of the triples that are looked at."""
    known = knowledge_of(counted)
    rows = with_exact_margins(
        known, Tree.of(known).sample(known.n, np.random.default_rng(0)), np.random.default_rng(1)
    )
    tried = _tried(known, kept)
    found = {}
    for at, of in enumerate(tried):
        wish.progress("choosing three-way tables", at, len(tried))
        found[of] = float(different(rows, of) - len(counted.triple(table, of).keys))
    return found


def knowledge_of(counted: CountedTables) -> Knowledge:
    """The counts of pairs as a model takes them."""
    pairs = {}
    for (i, j), cells in counted.pairs.items():
        table = np.zeros((len(counted.values[i]), len(counted.values[j])))
        table[cells.first, cells.second] = cells.people
        pairs[i, j] = table
    return Knowledge(counted.people, counted.names, counted.margins, pairs)


def different(rows: Rows, of: Triple) -> int:
    """How many different combinations of three columns there are."""
    key = np.zeros(len(rows), dtype=np.int64)
    for column in of:
        key = key * (int(rows[:, column].max(initial=0)) + 1) + rows[:, column]
    return len(np.unique(key))


def _tried(known: Knowledge, kept: Sequence[int]) -> list[Triple]:
    sizes = [len(counts) for counts in known.counts]
    every = [
        (i, j, k)
        for i, j, k in combinations(kept, 3)
        if sizes[i] * sizes[j] * sizes[k] <= MOST_CELLS
    ]
    if len(every) <= MOST_TRIED:
        return every
    apart = {pair: _departure(known, *pair) for pair in combinations(kept, 2)}
    return sorted(every, key=lambda of: -sum(apart[pair] for pair in combinations(of, 2)))[
        :MOST_TRIED
    ]


def _departure(known: Knowledge, i: int, j: int) -> float:
    """Half of Σ|x_ab − n_a·n_b/n|: how many people aren't where independence would have them."""
    expected = np.outer(known.counts[i], known.counts[j]) / known.n
    return float(np.abs(known.pairs[i, j] - expected).sum()) / 2.0


def cherry_tree(excess: Mapping[Triple, float], kept: Sequence[int]) -> list[Triple]:
    """The triples, as many as the attributes less two, or fewer where others are too large."""
    grown = [_grown(excess, begin, kept) for begin in excess]
    return max(grown, key=lambda tree: (len(tree), sum(excess[of] for of in tree)), default=[])


def _grown(excess: Mapping[Triple, float], begin: Triple, kept: Sequence[int]) -> list[Triple]:
    tree, joined, placed = [begin], set(combinations(begin, 2)), set(begin)
    while len(placed) < len(kept):
        able = [of for of in excess
                if len(placed.intersection(of)) == 2
                and joined.intersection(combinations(of, 2))]  # fmt: skip
        if not able:
            break
        of = max(able, key=lambda of: (excess[of], of))
        tree.append(of)
        placed.update(of)
        joined.update(combinations(of, 2))
    return tree
