"""Every measure of learning against people counted one by one, and what merging does to it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.learning.closeness import (
    alpha,
    beta_likeness,
    delta_disclosure,
    equal_distances,
    hierarchical_distances,
    ordered_distances,
)
from reidrisk.learning.diversity import distinct_l, entropy_l, recursive_c
from reidrisk.learning.guesses import guessed_cells, guesses_of, likeliest_strength
from reidrisk.learning.sensitive_counts import SensitiveCounts, sensitive_counts
from reidrisk.learning.sensitive_risk import SensitiveRisk
from tests.learning import plainly_counted as plain

VALUES = "abcdef"
people_drawn = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(VALUES)), min_size=1, max_size=30
)


def counted(people: Sequence[plain.Person]) -> SensitiveCounts:
    table = rr.read(
        {"crowd": [str(c) for c, _ in people], "value": [v for _, v in people]},
        columns=["crowd"],
        sensitive="value",
    )
    return sensitive_counts(table.engine.coded_people(["crowd", "value"]), [0], 1)


def of_all(counts: SensitiveCounts, each: np.ndarray) -> list[float]:
    return sorted(np.repeat(each, counts.alike).tolist())


@given(people_drawn)
def test_counts_are_those_of_the_people(people: list[plain.Person]) -> None:
    counts = counted(people)
    crowds = plain.crowds_of(people)
    assert counts.n == len(people)
    sizes, most = (np.repeat(each, counts.alike) for each in (counts.sizes, counts.most))
    assert sorted(sizes.tolist()) == sorted(each.total() for each in crowds.values())
    assert sorted(most.tolist()) == sorted(max(c.values()) for c in crowds.values())
    every = {counts.labels[at]: n for at, n in enumerate(counts.totals.tolist()) if n}
    assert every == {v: sum(w == v for _, w in people) for v in every}
    certain = sum(each.total() for each in crowds.values() if len(each) == 1)
    assert SensitiveRisk(counts).certain.people == certain


@given(people_drawn)
def test_diversity(people: list[plain.Person]) -> None:
    counts, crowds = counted(people), plain.crowds_of(people)
    assert distinct_l(counts) == min(map(len, crowds.values()))
    entropies = [
        -sum(float(p) * math.log(float(p)) for p in plain.shares(each).values())
        for each in crowds.values()
    ]
    assert entropy_l(counts) == pytest.approx(math.exp(min(entropies)), abs=1e-12)
    for l in (1, 2, 3):  # noqa: E741
        found = []
        for each in crowds.values():
            falling = sorted(each.values(), reverse=True)
            rest = sum(falling[l - 1 :])
            found.append(falling[0] / rest if rest else math.inf)
        assert recursive_c(counts, l) == max(found)


@given(people_drawn)
def test_closeness(people: list[plain.Person]) -> None:
    counts, crowds = counted(people), plain.crowds_of(people)
    every = plain.everybody(people)
    each = [plain.shares(values) for values in crowds.values()]
    names = sorted(every)
    code = {label: at for at, label in enumerate(counts.labels)}
    equal = [float(sum(abs(one.get(v, 0) - every[v]) for v in names) / 2) for one in each]
    assert of_all(counts, equal_distances(counts)) == pytest.approx(sorted(equal), abs=1e-12)
    ordered = [plain.earth_mover(one, every, names) for one in each]
    found = ordered_distances(counts, [code[v] for v in names])
    assert of_all(counts, found) == pytest.approx(sorted(ordered), abs=1e-12)
    gains = [float((p - every[v]) / every[v]) for one in each for v, p in one.items()]
    assert beta_likeness(counts) == pytest.approx(max(0.0, *gains), abs=1e-12)
    logs = [abs(math.log(p / every[v])) for one in each for v, p in one.items()]
    assert delta_disclosure(counts) == pytest.approx(max(logs), abs=1e-12)
    assert alpha(counts) == float(max(p for one in each for p in one.values()))


@given(people_drawn, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_distances_by_a_hierarchy(people: list[plain.Person], groups: list[int]) -> None:
    """The closed form against moving shares step by step, the nearest first."""
    counts, every = counted(people), plain.everybody(people)
    nodes = {v: (v, groups[VALUES.index(v)], groups[VALUES.index(v)] // 2, 0) for v in every}
    texts = [label for label in counts.labels if label is not None]
    levels = [
        np.array([sorted({nodes[t][h] for t in texts}).index(nodes[t][h]) for t in texts])
        for h in range(4)
    ]
    if len(texts) < len(counts.labels):
        levels = [np.append(level, level.max() + 1) for level in levels]
        levels[-1][:] = 0
    wanted = [
        plain.transported(plain.shares(values), every, nodes)
        for values in plain.crowds_of(people).values()
    ]
    assert of_all(counts, hierarchical_distances(counts, levels)) == pytest.approx(
        sorted(wanted), abs=1e-12
    )


@given(people_drawn)
def test_guesses(people: list[plain.Person]) -> None:
    counts = counted(people)
    cells = guessed_cells(counts)
    found = guesses_of(counts, cells)
    assert found.with_table == pytest.approx(plain.right_with(people), abs=1e-12)
    assert found.without == pytest.approx(plain.right_without(people), abs=1e-12)
    if counts.values > 1:
        wanted = plain.right_without_own(people, cells.strength)
        assert found.without_own == pytest.approx(wanted, abs=1e-9)
    # Whoever uses the table may guess as without it.
    assert found.with_table >= found.without - 1e-12


@given(people_drawn)
def test_no_strength_is_likelier(people: list[plain.Person]) -> None:
    if len({value for _, value in people}) < 2 or len(people) < 3:
        return
    best = likeliest_strength(counted(people))
    highest = plain.log_likelihood(people, best)
    for other in (1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 1e3, 1e7):
        assert plain.log_likelihood(people, other) <= highest + 1e-6


def test_a_plain_guesser_would_do_worse_than_the_prior() -> None:
    """Values that say nothing of the columns: the smoothed guesser keeps to the prior."""
    rng = np.random.default_rng(3)
    people = [(int(c), "b" if v else "a") for c, v in
              zip(rng.integers(0, 200, 600), rng.random(600) < 0.3, strict=True)]  # fmt: skip
    counts = counted(people)
    found = guesses_of(counts, guessed_cells(counts))
    assert plain.right_without_own(people, 1e-9) < found.without - 0.02
    assert found.without_own == pytest.approx(found.without, abs=0.01)


@given(people_drawn, st.integers(0, 4), st.integers(0, 4))
def test_merging_crowds_never_worsens(people: list[plain.Person], one: int, other: int) -> None:
    merged = [(other if crowd == one else crowd, value) for crowd, value in people]
    before, after = SensitiveRisk(counted(people)), SensitiveRisk(counted(merged))
    assert after.distinct_l >= before.distinct_l
    assert after.entropy_l >= before.entropy_l - 1e-12
    assert recursive_c(after.counts, 2) <= recursive_c(before.counts, 2) + 1e-12
    for name in ("t_closeness", "beta_likeness", "enhanced_beta_likeness", "alpha"):
        assert after.value(name) <= before.value(name) + 1e-12, name
    assert after.certain.people <= before.certain.people
    assert after.guesses.with_table <= before.guesses.with_table + 1e-12


@given(people_drawn)
def test_figures_by_value_add_up(people: list[plain.Person]) -> None:
    risk = SensitiveRisk(counted(people))
    total = sum(each.people * each.guesses.with_table for each in risk.by_value)
    assert total / len(people) == pytest.approx(risk.guesses.with_table, abs=1e-12)
    assert sum(each.certain for each in risk.by_value) == risk.certain.people
    assert risk.known_at_least[1.0] == pytest.approx(risk.certain.share)
