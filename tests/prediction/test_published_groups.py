"""Files of κ to be published: rounded by the table's key, and attacked beside its statistics."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.errors import InputError
from reidrisk.laws.group_law import GroupLaw
from reidrisk.prediction.group_risk import GroupFigures, figures_of
from reidrisk.prediction.populations import Population
from reidrisk.prediction.published_groups import (
    kappa_limits,
    kappa_step,
    lacking,
    rounded_kappa,
)
from tests.publishing.enumerated_tables import Tables, numbers_of
from tests.reports.test_attacker import every_table

OUTCOMES = 202


def figures(crowds: list[int]) -> GroupFigures:
    law = GroupLaw.of_counts(np.array(crowds), OUTCOMES)
    return figures_of(Population(law, sum(crowds), "b", {}), 2)


def possible_kappas(of: GroupFigures, people: int, base: int) -> set[float]:
    """What chance can make of a group's κ."""
    step = kappa_step(people, base)
    return {rounded_kappa(of, people, step, chance) for chance in (0.0, 1.0 - 1e-12)}


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["group"]: row for row in csv.DictReader(file)}


def town(people: int, seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    towns = rng.choice(["a", "b", "c", "d"], people, p=[0.5, 0.3, 0.15, 0.05])
    return {
        "town": towns.tolist(),
        "age": rng.integers(20, 40, people).tolist(),
        "sex": rng.choice(["f", "m"], people).tolist(),
    }


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(3, 6), st.data())
def test_kappa_is_rounded_without_bias_and_within_the_law(
    crowds: list[int], base: int, data: st.DataObject
) -> None:
    of = figures(crowds)
    people = data.draw(st.sampled_from([y for y in range(0, 200, base)
                                        if y >= 2 * base and abs(y - sum(crowds)) < base]
                                       or [2 * base]))  # fmt: skip
    step = kappa_step(people, base)
    steps = lacking(of, people) / step
    share = steps - math.floor(steps)
    up, down = (rounded_kappa(of, people, step, chance) for chance in (0.0, 1.0 - 1e-12))
    if 1e-6 < share < 1 - 1e-6:
        assert up - down == pytest.approx(step, rel=1e-4, abs=1e-4)
        mean = math.log(OUTCOMES) - math.log(people) + steps * step
        assert share * up + (1 - share) * down == pytest.approx(mean, abs=1e-4)
    if abs(people - sum(crowds)) < base:
        for told in (up, down):
            low, high = kappa_limits(told, OUTCOMES, people, base, step)
            assert low - 1e-4 <= of.kappa <= high + 1e-4


@pytest.mark.parametrize(("people", "base"), [(10, 5), (15, 5), (20, 5), (9, 3), (18, 3), (16, 4)])
def test_a_published_kappa_tells_no_small_count(people: int, base: int) -> None:
    """Whatever group can have the same row, by somebody who knows how many people it has: never do
    all agree that 1 to b − 1 people are in crowds of some sizes below b, nor on so many crowds.
    """
    held = [c for many in range(1, base) for c in combinations(range(1, base), many)]
    small = set(range(1, base))
    for known in range(max(base + 1, people - base + 1), people + base):
        possible: dict[float, dict[tuple[int, ...], tuple[set[int], set[int]]]] = defaultdict(dict)
        for crowds in every_table(known):
            of = figures(list(crowds.elements()))
            for kappa in possible_kappas(of, people, base):
                for sizes in held:
                    in_people, in_crowds = possible[kappa].setdefault(sizes, (set(), set()))
                    in_people.add(sum(size * crowds[size] for size in sizes))
                    in_crowds.add(sum(crowds[size] for size in sizes))
        pinned = [both for each in possible.values() for both in each.values()
                  if both[0] <= small or both[1] <= small]  # fmt: skip
        assert not pinned, known


class Beside:
    """Rounded statistics of little tables of a group and another attribute, and κ of each group."""

    def __init__(self, sizes: list[int], people: range, base: int) -> None:
        self.sizes, self.base, self.people = sizes, base, people
        self.records = Tables(sizes, people.start - base, people.stop - 2 + base, base)
        self.entropy = [self._entropy(a) for a in range(sizes[0])]

    def _entropy(self, a: int) -> np.ndarray:
        held = self.records.rows[:, self.records.codes_of_row[:, 0] == a].astype(float)
        part = held / np.maximum(held.sum(axis=1, keepdims=True), 1.0)
        return -np.where(part > 0, part * np.log(np.maximum(part, 1e-300)), 0.0).sum(axis=1)

    def _steps(self, a: int, people: int, of: np.ndarray) -> np.ndarray:
        short = np.maximum(math.log(people) - self.entropy[a][of], 0.0)
        most = math.log(people) - 1.0
        return np.minimum(short, most) / kappa_step(people, self.base)

    def left(self, truth: int, file: Any, chances: list[float]) -> tuple[int, int, float]:
        """Certain small counts without κ and with it, and what is believed at most with it."""
        alive, likely = self.records.likelihood(file)
        before = likely.copy()
        for a, chance in enumerate(chances):
            people = int(file.margins[0][a])
            if people >= 2 * self.base:
                true = float(self._steps(a, people, np.array([truth]))[0])
                told = math.floor(true) + (chance < true - math.floor(true))
                steps = self._steps(a, people, alive)
                likely = likely * np.maximum(1.0 - np.abs(steps - told), 0.0)
        assert likely[alive == truth][0] > 0
        certain, most = [0, 0], 0.0
        for (i, j, a, b), exact in self.records.cells.items():
            if 0 < exact[truth] < self.base and file.pairs[i, j][a, b] >= 0:
                for which, weights in enumerate((before, likely)):
                    of_counts = np.bincount(exact[alive], weights)
                    certain[which] += int((of_counts > 1e-12 * of_counts.sum()).sum() == 1)
                most = max(most, float(of_counts.max() / of_counts.sum()))
        return certain[0], certain[1], most

    def attacked(self, files: int, seed: int) -> tuple[int, int, float]:
        """The same of files of random tables."""
        rng = np.random.default_rng(seed)
        some = [margin.min(axis=1) > 0 for margin in self.records.margins]
        fit = np.isin(self.records.people, self.people)
        drawn = np.flatnonzero(np.logical_and.reduce(some) & fit)
        without = beside = done = 0
        most = 0.0
        while done < files:
            truth = int(rng.choice(drawn))
            file = numbers_of(self.records.records(truth), self.sizes, rng.bytes(32), self.base)
            if file is None:
                continue
            done += 1
            found = self.left(truth, file, rng.random(self.sizes[0]).tolist())
            without, beside, most = without + found[0], beside + found[1], max(most, found[2])
        return without, beside, most


@pytest.mark.parametrize(
    ("sizes", "people", "base", "files"),
    [
        ([2, 3], range(19, 22), 5, 60),
        pytest.param([2, 3], range(19, 23), 5, 300, marks=pytest.mark.slow),
        pytest.param([2, 2], range(18, 34), 3, 700, marks=pytest.mark.slow),
    ],
)
def test_a_file_of_kappa_beside_the_statistics_makes_no_small_count_certain(
    sizes: list[int], people: range, base: int, files: int
) -> None:
    """Of all tables that allow both files: one more certain count than the statistics leave never
    is, by somebody who knows the law.
    """
    without, beside, most = Beside(sizes, people, base).attacked(files, seed=3)
    assert beside == without
    if base == 5:
        assert (without, most < 0.95) == (0, True)


def test_people_are_those_of_the_statistics_under_the_same_key(tmp_path: Path) -> None:
    table, key = rr.read(town(600, 1)), tmp_path / "key"
    file = rr.publish(table, key_file=key)
    risk = rr.group(table, sizes=[2, 3], by="town", columns=["age", "sex"])
    assert rr.write_group_file(risk, tmp_path / "kappa.csv", key_file=key) == 0
    rows = rows_of(tmp_path / "kappa.csv")
    exact = {each.group: each for each in risk.groups}
    stated = file.attribute("town").stated
    assert {name: int(row["people"]) for name, row in rows.items()} == stated
    for name, row in rows.items():
        step = kappa_step(int(row["people"]), 5)
        assert (row["protection"], row["base"]) == ("random rounding", "5")
        assert float(row["kappa_step"]) == pytest.approx(step)
        assert row["exact"] == row["size"] == row["discrepancy"] == ""
        assert float(row["kappa"]) in possible_kappas(exact[name], int(row["people"]), 5)
    again = rr.group(table, 9, by="town", columns=["age", "sex"])
    rr.write_group_file(again, tmp_path / "again.csv", key_file=key)
    assert rows_of(tmp_path / "again.csv") == rows
    for each in rr.group(tmp_path / "kappa.csv", 4).groups:
        low, high = each.limits["kappa"]
        assert low <= exact[each.group].kappa <= high
        assert each.exact is each.alpha_squared is None


def test_no_group_is_named_that_the_statistics_do_not_name(tmp_path: Path) -> None:
    held = town(600, 2)
    held["town"][:4] = ["Zyzzogeton"] * 4
    held["town"][4:9] = ["Quokkaville"] * 5
    risk = rr.group(rr.read(held), 2, by="town", columns=["age"])
    assert rr.write_group_file(risk, tmp_path / "kappa.csv") == 2
    assert rows_of(tmp_path / "kappa.csv").keys() == {"a", "b", "c", "d"}
    assert rr.write_group_file(risk, tmp_path / "own.csv", at_least=1) == 0
    own = rows_of(tmp_path / "own.csv")
    assert {row["protection"] for row in own.values()} == {"unprotected"}
    assert own["Zyzzogeton"]["people"] == "4"
    with pytest.raises(InputError, match="too small to publish anything"):
        rr.write_group_file(risk, tmp_path / "none.csv", at_least=300)
    with pytest.raises(InputError, match="whole number from 3"):
        rr.write_group_file(risk, tmp_path / "none.csv", at_least=2)
    assert not (tmp_path / "none.csv").exists()


def test_people_who_are_left_out_have_a_number_of_their_own(tmp_path: Path) -> None:
    table, key = rr.read(town(600, 3)), tmp_path / "key"
    listed = {"age": "20-29"}
    risk = rr.group(table, 2, by="town", columns=["age"], values=listed)
    rr.write_group_file(risk, tmp_path / "kappa.csv", key_file=key)
    rows = rows_of(tmp_path / "kappa.csv")
    for each in risk.groups:
        if each.group in rows:
            assert abs(int(rows[each.group]["people"]) - each.people) < 5


def test_unprotected_statistics_are_refused(tmp_path: Path) -> None:
    table = rr.read(town(600, 4))
    bare = rr.publish(table, unprotected=True)
    with pytest.raises(InputError, match="a file of κ is made to be shared"):
        rr.write_group_file(rr.group(bare, 2, columns=["age"]), tmp_path / "kappa.csv")
    assert rr.write_group_file(rr.group(bare, 2), tmp_path / "own.csv", at_least=1) == 0
    risk = rr.group(rr.publish(table), 2, columns=["age", "sex"])
    rr.write_group_file(risk, tmp_path / "kappa.csv")
    row = rows_of(tmp_path / "kappa.csv")[""]
    assert (row["protection"], row["base"]) == ("random rounding", "5")
    assert float(row["exact"]) == pytest.approx(risk.exact)
    with pytest.raises(InputError, match="copy that file"):
        rr.write_group_file(rr.group(tmp_path / "kappa.csv", 3), tmp_path / "copy.csv")
