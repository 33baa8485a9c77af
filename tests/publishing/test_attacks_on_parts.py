"""Files that aren't all two-way tables of records with a row each: attacked, or shown to be parts
of files that are, whatever attacks those.

`--pairs strong` and `none`, records of persons with several rows, records with a count column,
samples with weights, a file of κ beside statistics of other columns.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.arrays import Floats, Ints, Mask
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.prediction.published_groups import kappa_step
from reidrisk.publishing import derivable_counts
from reidrisk.publishing.counted_tables import CountedTables
from reidrisk.publishing.published_information import with_strong_pairs
from reidrisk.publishing.random_rounding import RoundedCounts
from reidrisk.publishing.wish import Wish, coarse_step
from tests.publishing.attackers import Programs, records_of, small_cells
from tests.publishing.enumerated_tables import Numbers, Tables, numbers_of
from tests.publishing.populations import KINDS, Population, population

ENGINES = ["codes", "duckdb"]
BASES = [3, 5]


def three_of(kind: str, seed: int, people: int) -> Population:
    made = population(kind, seed, people)
    kept = [1 if kind in ("band", "derived", "skip") else 0, 3, 4]
    return Population(made.codes[:, kept], [made.sizes[i] for i in kept], [])


# -- strong pairs, and none ------------------------------------------------------------------------


def is_part(table: rr.Table, base: int, strong: float, key: Path) -> int:
    """How many tables a file with strong pairs has; all it says is in the file with all pairs."""
    whole = rr.publish(table, at_least=base, key_file=key).published
    part = rr.publish(table, at_least=base, key_file=key, pairs="strong", strong=strong).published
    bare = rr.publish(table, at_least=base, key_file=key, pairs="none").published
    assert part == with_strong_pairs(whole, strong)
    assert replace(part, pairs=whole.pairs) == replace(bare, pairs=whole.pairs) == whole
    assert all(pair in whole.pairs for pair in part.pairs)
    assert bare.pairs == ()
    return len(part.pairs)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_strong_pairs_is_part_of_the_whole_one(
    kind: str, base: int, tmp_path: Path
) -> None:
    """And so chosen by nothing else: no attack finds in it what none finds in that one."""
    tables = set()
    for seed, strong in enumerate((0.0, 0.02, 0.2, 0.5)):
        table = records_of(population(kind, seed))
        tables.add(is_part(table, base, strong, tmp_path / f"{seed}"))
    assert len(tables) > 1


def strong_of(tables: Tables, strong: float) -> dict[tuple[int, int], Mask]:
    """Of which tables a pair is strong by the records."""
    found = {}
    for i, j in combinations(range(len(tables.sizes)), 2):
        cells = [
            tables.cells[i, j, a, b] for a, b in np.ndindex(*[tables.sizes[k] for k in (i, j)])
        ]
        sides = [_entropies(tables.margins[k]) for k in (i, j)]
        told = np.maximum(sides[0] + sides[1] - _entropies(np.stack(cells, axis=1)), 0.0)
        found[i, j] = told >= strong * np.minimum(*sides) - 1e-12
    return found


def _entropies(counts: Ints) -> Floats:
    part = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return -np.where(part > 0, part * np.log(np.maximum(part, 1e-300)), 0.0).sum(axis=1)


def test_choosing_strong_pairs_by_the_records_would_make_small_counts_certain() -> None:
    """Who goes through all tables leaves out those whose pair isn't strong."""
    tables, base = Tables([2, 2], 15, 31, 3), 3
    strong, rng = strong_of(tables, 0.5)[0, 1], np.random.default_rng(1)
    some = [margin.min(axis=1) > 0 for margin in tables.margins]
    fit = (tables.people >= 18) & (tables.people < 30) & strong
    drawn = np.flatnonzero(np.logical_and.reduce(some) & fit)
    without = knowing = 0
    for _ in range(150):
        truth = int(rng.choice(drawn))
        file = numbers_of(tables.records(truth), [2, 2], rng.bytes(32), base)
        if file is None:
            continue
        alive, _ = tables.likelihood(file)
        for (i, j, a, b), exact in tables.cells.items():
            if 0 < exact[truth] < base and file.pairs[i, j][a, b] >= 0:
                without += len(np.unique(exact[alive])) == 1
                knowing += len(np.unique(exact[alive[strong[alive]]])) == 1
    assert knowing > without


@pytest.mark.parametrize("pairs", ["strong", "none"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_pin_nothing_of_fewer_pairs(kind: str, base: int, pairs: str) -> None:
    programs_pin_nothing(kind, base, pairs, range(1))


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_pin_nothing_of_strong_pairs_of_any_population(kind: str, base: int) -> None:
    programs_pin_nothing(kind, base, "strong", range(1, 30))


def programs_pin_nothing(kind: str, base: int, pairs: str, seeds: range) -> None:
    for seed in seeds:
        table = records_of(three_of(kind, seed, 120))
        file = rr.publish(table, at_least=base, pairs=pairs, strong=0.05)
        assert derivable_counts(file).derived == 0
        true = small_cells(table, file.published, base)
        cells = [list(true)[at] for at in np.random.default_rng(seed).permutation(len(true))[:12]]
        assert not [of for of, left in Programs(file).ranges(cells).items() if left.whole < 2]


def test_of_exact_files_strong_pairs_are_chosen_by_what_is_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another table with the same file has the same strong pairs: the proof isn't broken."""
    monkeypatch.setattr("reidrisk.publishing.publication.secrets.randbits", lambda _: 7)
    chosen = set()
    for kind in ("hierarchy", "derived", "skewed"):
        table = records_of(population(kind, 1))
        whole = rr.publish(table, exact=True)
        part = rr.publish(table, exact=True, pairs="strong", strong=0.1)
        assert part == with_strong_pairs(whole, 0.1)
        chosen.add(len(part.pairs) < len(whole.pairs))
    assert True in chosen


# -- the same people who aren't named --------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
def test_the_same_people_of_unnamed_values_are_rounded_once(base: int) -> None:
    """Three people refused to answer 24 questions: the mean of 24 roundings would be three."""
    rng = np.random.default_rng(0)
    held: dict[str, list[str]] = {}
    for k in range(24):
        answers = rng.choice(["yes", "no"], 600)
        # Of every other question they have two rare answers, or one.
        answers[:3] = ["refused", "refused", "refused" if k % 2 else "unclear"]
        held[f"q{k}"] = answers.tolist()
    counted = CountedTables.of(rr.read(held, list(held), rows_are_people=True))
    told = set()
    for seed in range(12):
        file = RoundedCounts(counted, bytes([seed]) * 32, base).statistics()
        others = {None if a.other is None else a.other.count for a in file.attributes}
        assert len(others) == 1
        told |= others
    assert len(told) > 1 or base == 3


def test_everybody_who_is_not_named_is_everybody() -> None:
    """A column of different values: those merged are all people, who have one number."""
    table = rr.read({"a": ["p", "q"] * 18 + ["p"], "b": [f"v{i}" for i in range(37)]},
                    ["a", "b"], rows_are_people=True)  # fmt: skip
    counted = CountedTables.of(table)
    for seed in range(20):
        file = RoundedCounts(counted, bytes([seed]) * 32, 5).statistics()
        other = file.attribute("b").other
        assert other is not None
        assert other.count == file.records


# -- persons and count columns ---------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("base", BASES)
def test_a_count_column_is_so_many_rows(engine: str, base: int, tmp_path: Path) -> None:
    """Nobody, and many: the same file under the same key, and so every attack on it."""
    files = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = rng.choice([0, 0, 1, 2, 3, 7, 30], 40)
        columns = {name: [f"v{v}" for v in rng.integers(0, size, 40)]
                   for name, size in (("a", 3), ("b", 4), ("c", 6))}  # fmt: skip
        # A key belongs to a table by its columns.
        held = {**columns, "n": counts.tolist()}
        each = {name: np.repeat(values, counts).tolist() for name, values in held.items()}
        rows = rr.read(each, list(columns), rows_are_people=True, engine=engine)
        aggregated = rr.read(held, list(columns), count="n", engine=engine)
        one, same = (outcome(t, base, tmp_path / f"{seed}") for t in (rows, aggregated))
        assert one == same
        files += isinstance(one, rr.Statistics)
    assert files > 8


def outcome(table: rr.Table, base: int, key: Path) -> Any:
    try:
        return rr.publish(table, at_least=base, key_file=key)
    except InputError as error:
        return error.message


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("base", BASES)
def test_a_file_of_persons_is_that_of_a_row_each(engine: str, base: int, tmp_path: Path) -> None:
    """However many rows a person has, the file is that of one with all they say joined."""
    for seed in range(6):
        visits = visits_of(seed)
        who = rr.read(visits, [*row_each(visits)][1:], person="who", engine=engine)
        columns = ["age", "clinic", "drug"]
        one = rr.read(row_each(visits), columns, rows_are_people=True)
        key = tmp_path / f"{seed}"
        made, same = (rr.publish(each, at_least=base, key_file=key) for each in (who, one))
        assert replace(made, title="") == same
        assert derivable_counts(made).derived == 0
        true = small_cells(one, made.published, base)
        assert true
        cells = [list(true)[at] for at in np.random.default_rng(seed).permutation(len(true))[:8]]
        assert not [of for of, left in Programs(made).ranges(cells).items() if left.whole < 2]


def visits_of(seed: int) -> dict[str, list[str]]:
    """One to three visits of 150 patients."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(150), rng.choice([1, 1, 1, 2, 3], 150))
    age = rng.integers(0, 4, 150)[who]
    columns = {"age": age, "clinic": (age + rng.integers(0, 2, len(who))) % 3,
               "drug": rng.integers(0, 2, len(who))}  # fmt: skip
    return {"who": [f"p{i}" for i in who], **{k: [f"v{v}" for v in c] for k, c in columns.items()}}


def row_each(visits: dict[str, list[str]]) -> dict[str, list[str]]:
    people = sorted(set(visits["who"]))
    found = {"who": people}
    for name in ("age", "clinic", "drug"):
        sets: dict[str, set[str]] = {each: set() for each in people}
        for who, value in zip(visits["who"], visits[name], strict=True):
            sets[who].add(value)
        found[name] = [" + ".join(sorted(sets[each])) for each in people]
    return found


# -- samples ---------------------------------------------------------------------------------------


def weighted(n: int, weight: float) -> rr.Table:
    held = {"a": ["p", "q", "r"] * (n // 3) + ["p"] * (n % 3), "w": [weight] * n}
    return rr.read(held, ["a"], weight="w", rows_are_people=True)


@pytest.mark.parametrize("weight", [1.5, 7.0, 100.0, 812.25])
@pytest.mark.parametrize("base", BASES)
def test_weights_do_not_tell_how_many_people_there_are(weight: float, base: int) -> None:
    """Somebody who knows the weight learns from the population no more than its rounded number of
    people says; one step of it is what the base's people stand for, or more.
    """
    of_records: dict[int, set[int | None]] = {}
    for n in range(60, 76):
        for _ in range(4):
            file = rr.publish(weighted(n, weight), at_least=base)
            of_records.setdefault(file.records, set()).add(file.sample_of)
    assert all(len(each) == 1 for each in of_records.values())
    step = coarse_step(weight * base)
    assert step >= weight * base
    for records, populations in of_records.items():
        (told,) = populations
        assert told is not None
        assert told % step == 0
        assert abs(told - weight * records) <= step / 2


def test_coarse_steps() -> None:
    assert [coarse_step(x) for x in (0.2, 1, 1.5, 3, 5.1, 20, 20.5, 501)] == [
        1, 1, 2, 5, 10, 20, 50, 1000,
    ]  # fmt: skip


def test_exact_files_say_what_weights_add_up_to() -> None:
    assert rr.publish(weighted(60, 7.5), exact=True).sample_of == 450
    assert rr.publish(weighted(60, 7.5), unprotected=True).sample_of == 450


def test_weights_are_refused_under_epsilon() -> None:
    """What they add up to is an exact number of people."""
    with pytest.raises(ContradictoryOptions, match="bound doesn't cover"):
        rr.publish(weighted(3000, 7.0), epsilon=1.0)
    assert rr.publish(
        rr.read({"a": ["p", "q"] * 1500}, ["a"], rows_are_people=True), epsilon=1.0,
        population=30_000,
    ).sample_of == 30_000  # fmt: skip


def test_a_population_that_is_nearly_the_sample_is_refused() -> None:
    table = rr.read({"a": ["p", "q"] * 30}, ["a"], rows_are_people=True)
    for whole in range(60, 65):
        with pytest.raises(InputError, match="would tell how many they are"):
            rr.publish(table, population=whole)
    with pytest.raises(InputError, match="more than a population"):
        rr.publish(table, population=59)
    assert rr.publish(table, population=65).sample_of == 65
    assert rr.publish(table, population=60, exact=True).sample_of == 60
    with pytest.raises(InputError, match="would tell how many they are"):
        rr.publish(weighted(60, 1.0))


# -- a file of κ beside statistics of other columns ------------------------------------------------


class KappaBeside:
    """Statistics of the first two of three attributes, and κ of the first one's groups, or of
    everybody, on some of the attributes, under one key; by somebody who knows all tables there are.
    """

    def __init__(self, people: range, base: int, of: tuple[int, ...], by: bool) -> None:
        self.base, self.people, self.by = base, people, by
        self.tables = Tables([2, 2, 2], people.start - base, people.stop - 2 + base, base)
        self.groups = [0, 1] if by else [None]
        self.entropy = [self._entropy(group, of) for group in self.groups]

    def _entropy(self, group: int | None, of: tuple[int, ...]) -> Floats:
        places: dict[tuple[int, ...], list[int]] = {}
        for at, codes in enumerate(self.tables.codes_of_row):
            if group is None or codes[0] == group:
                places.setdefault(tuple(codes[list(of)]), []).append(at)
        return _entropies(
            np.stack([self.tables.rows[:, at].sum(axis=1) for at in places.values()], axis=1)
        )

    def _steps(self, group: int, people: int, rows: Ints) -> Floats:
        most = math.log(people)
        short = np.clip(most - self.entropy[group][rows], 0.0, most - 1.0)
        steps = short / kappa_step(people, self.base)
        return np.where(abs(steps - np.rint(steps)) < 1e-9, np.rint(steps), steps)

    def _told(self, file: Numbers, truth: int, alive: Ints, rng: np.random.Generator) -> Mask:
        """Which tables can have the groups' κ too."""
        fit = np.ones(len(alive), dtype=bool)
        for at, group in enumerate(self.groups):
            people = file.people if group is None else int(file.margins[0][group])
            if people >= 2 * self.base:
                true = float(self._steps(at, people, np.array([truth]))[0])
                told = math.floor(true) + (rng.random() < true - math.floor(true))
                fit &= abs(self._steps(at, people, alive) - told) < 1 - 1e-9
        return fit

    def attacked(self, files: int, seed: int) -> tuple[int, int, int]:
        """Small counts of one, two and three attributes; certain without κ, and with it."""
        tables, rng = self.tables, np.random.default_rng(seed)
        some = [margin.min(axis=1) > 0 for margin in tables.margins]
        drawn = np.flatnonzero(np.logical_and.reduce(some) & np.isin(tables.people, self.people))
        counts = [*tables.cells.values(), *tables.rows.T, *(m for t in tables.margins for m in t.T)]
        small = without = beside = done = 0
        while done < files:
            truth = int(rng.choice(drawn))
            file = numbers_of(tables.records(truth)[:, :2], [2, 2], rng.bytes(32), self.base)
            if file is None:
                continue
            done += 1
            alive, _ = tables.likelihood(file)
            with_kappa = alive[self._told(file, truth, alive, rng)]
            assert truth in with_kappa
            for exact in counts:
                if 0 < exact[truth] < self.base:
                    small += 1
                    without += len(np.unique(exact[alive])) == 1
                    beside += len(np.unique(exact[with_kappa])) == 1
        return small, without, beside


@pytest.mark.parametrize(
    ("people", "base", "of", "by", "files"),
    [
        (range(12, 13), 3, (1, 2), True, 40),
        (range(12, 13), 5, (2,), True, 25),
        pytest.param(range(12, 14), 3, (2,), True, 100, marks=pytest.mark.slow),
        pytest.param(range(12, 14), 3, (0, 1, 2), False, 100, marks=pytest.mark.slow),
        pytest.param(range(13, 15), 5, (1, 2), True, 60, marks=pytest.mark.slow),
        pytest.param(range(13, 15), 5, (0, 1, 2), False, 60, marks=pytest.mark.slow),
    ],
)
def test_kappa_beside_statistics_of_other_columns_makes_no_small_count_certain(
    people: range, base: int, of: tuple[int, ...], by: bool, files: int
) -> None:
    small, without, beside = KappaBeside(people, base, of, by).attacked(files, seed=1)
    assert small > 100
    assert beside == without


def test_a_wish_says_what_it_is_a_sample_of() -> None:
    assert Wish().sample_of(100) is None
    assert Wish(population=1234).sample_of(100) == 1234
    assert Wish(weight=10.0).sample_of(105) == 1050
    assert Wish(weight=10.0, exact=True).sample_of(103) == 1030
