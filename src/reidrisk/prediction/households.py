"""Households: people who share district, children and income, which no two-way table shows.

Symbols: D combinations of some attributes' values H occur, D_m occur in a table drawn from the
model; c_H and c people of a combination of H and of all attributes in that table.

Where D is clearly below D_m people come in groups. If a share θ of the combinations of H that the
model has are two and two the same one, D = D_m·(1 − θ/2), hence

    θ = 2·(1 − D/D_m), at most 1.

Two people who share H are in one crowd only if they share the other attributes as well. By the
model that is so for a share a of them, the larger of

    mean of (c − 1)/(c_H − 1) over people with c_H > 1,   Σ (c − 1) / Σ (c_H − 1) over people,

the larger one because members of a household share more than strangers who have H in common.

A share θ·a of the small crowds of the whole table is counted as one of twice the size
(`model_error.moved`), beside what is usually taken off. Intervals are never narrower than before:
the end below goes out by the correction and the end above by half of it, by the root of the sum of
squares.

A three-way table of exact counts says its own D; the model `triples` keeps it, and nothing is
corrected.

Where it fails: groups of more than two are counted as several of two; members of a household share
other attributes more often than chance has it (wife and husband are both married), so that crowds
stay too small; dependence of three attributes of any other kind looks the same. Of a sample's
statistics nothing is concluded: how many of a household are in it isn't known.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from reidrisk.arrays import Ints, Rows
from reidrisk.measurement import AT_LEAST, PeopleInGroups
from reidrisk.models import Knowledge, Model, Tree, with_exact_margins
from reidrisk.prediction.model_error import Figures, figures_of, moved
from reidrisk.statistics import CompleteCounts, SharedCounts, Statistics, still_shared

# Below so large a share of those expected, combinations are clearly fewer: on public tables they
# were 0.988 to 1.006 of them where no household shares the attributes, 0.61 to 0.76 where one does.
CLEARLY_FEWER = 0.9
# Models that keep all two-way tables, and draw tables that have them.
KEEP_ALL_PAIRS = ("pairwise", "triples")
# Looks at rows for the table that three-way tables are held against.
LOOKS = 40_000_000
MOST_PEOPLE = 2_000_000


def groups_stated(
    statistics: Statistics,
    known: CompleteCounts,
    recoded: Collection[str],
    model: Model,
    seed: int,
) -> PeopleInGroups | None:
    """People in groups as `--household` counted them, where clearly more than expected are."""
    shared = still_shared(statistics.shared, known.names, recoded)
    if shared is None or statistics.sample_of is not None or model.name not in KEEP_ALL_PAIRS:
        return None
    if known.records > MOST_PEOPLE:
        return None
    if model.name == "pairwise" and known.knowledge.counted:
        rows = drawn_by_pairs(known.knowledge, seed)
    else:
        rows = model.sample(known.records, np.random.default_rng([seed, 1]))
    return _found(shared, rows, known, reach_of(statistics))


def reach_of(statistics: Statistics) -> int:
    """How far a number is from the truth at most."""
    protection = statistics.protection
    return 0 if protection is None else protection.reach or 0


def _found(
    shared: SharedCounts, rows: Rows, known: CompleteCounts, reach: int
) -> PeopleInGroups | None:
    places = [known.names.index(name) for name in shared.of]
    of_set = people_alike(rows, places)
    expected = different(of_set)
    if shared.combinations + reach >= CLEARLY_FEWER * expected:
        return None
    theta = min(2.0 * (1.0 - shared.combinations / expected), 1.0)
    share = theta * agreeing(people_alike(rows, range(rows.shape[1])), of_set)
    return PeopleInGroups(shared.of, shared.combinations, expected, share)


def people_alike(rows: Rows, places: Sequence[int]) -> Ints:
    """Of each row, how many rows have its values in some places."""
    key = np.zeros(len(rows), dtype=np.int64)
    for place in places:
        column = rows[:, place]
        key = key * (int(column.max(initial=0)) + 1) + column
        key = np.unique(key, return_inverse=True)[1].ravel()
    return np.asarray(np.bincount(key)[key], dtype=np.int64)


def different(alike: Ints) -> float:
    """How many combinations there are, Σ 1/c."""
    return float(round(float((1.0 / alike).sum())))


def agreeing(of_all: Ints, of_set: Ints) -> float:
    """a."""
    grouped = of_set > 1
    if not grouped.any():
        return 0.0
    all_others, set_others = of_all[grouped] - 1.0, of_set[grouped] - 1.0
    by_person = float((all_others / set_others).mean())
    return max(by_person, float(all_others.sum() / set_others.sum()))


def groups_of_triples(
    statistics: Statistics, known: CompleteCounts, seed: int
) -> tuple[PeopleInGroups, ...]:
    """Three-way tables of exact counts with clearly fewer combinations than pairs let expect."""
    tables = known.knowledge.triples
    exact = not (statistics.hides_numbers or statistics.rounded_to or statistics.sample_of)
    if not tables or not exact or known.records > MOST_PEOPLE or not known.knowledge.counted:
        return ()
    rows = drawn_by_pairs(known.knowledge.of_pairs, seed)
    found = []
    for of, table in tables.items():
        held = int(np.count_nonzero(table.people > 0.0))
        expected = different(people_alike(rows, of))
        whole = np.all(np.abs(table.people - np.rint(table.people)) < 1e-6)
        if whole and held < CLEARLY_FEWER * expected:
            names = tuple(known.names[place] for place in of)
            found.append(PeopleInGroups(names, held, expected))
    return tuple(found)


def drawn_by_pairs(knowledge: Knowledge, seed: int) -> Rows:
    """A table of everybody that has the pair counts, nearly."""
    rng = np.random.default_rng([seed, 2])
    rows = Tree.of(knowledge).sample(knowledge.n, rng)
    return with_exact_margins(knowledge, rows, rng, LOOKS)


def with_groups(figures: Figures, found: PeopleInGroups | None, ks: Sequence[int]) -> Figures:
    """The figures with a share of the small crowds merged two and two; intervals that hold both."""
    if found is None or found.merged_share <= 0.0:
        return figures
    before = figures.crowds
    crowds = moved(before, found.merged_share * before.overall_risk / 2.0)
    was, now = figures_of(before, ks), figures_of(crowds, ks)
    intervals = dict(figures.intervals)
    for name in now:
        low, high = figures.intervals[name]
        off = abs(now[name] - was[name])
        down, up = (off / 2.0, off) if name.startswith(AT_LEAST) else (off, off / 2.0)
        intervals[name] = (
            max(now[name] - math.hypot(was[name] - low, down), 0.0),
            min(now[name] + math.hypot(high - was[name], up), 1.0),
        )
    low, high = intervals["overall_risk"]
    intervals["expected_reidentifications"] = (low * crowds.people, high * crowds.people)
    return Figures(figures.as_fitted, crowds, intervals)
