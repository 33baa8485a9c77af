"""Strongly dependent values become groups with a joint count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.models.strong_dependence import grouped_counts
from reidrisk.prediction.hidden_cells import combinations_of
from reidrisk.statistics.imputation import CompleteCounts, completed


def all_pairs(columns: dict[str, list[int]]) -> CompleteCounts:
    table = rr.read(columns, columns=list(columns))
    return completed(rr.publish(table, pairs="all", unprotected=True))


def grouped(known: CompleteCounts, person: list[str], most_pairs: int | None = None):
    codes = np.array(
        [[each.place[value] for each, value in zip(known.attributes, person, strict=True)]]
    )
    combinations = combinations_of(known, codes)
    return grouped_counts(known.knowledge, combinations, most_pairs), combinations.counts


def test_a_value_that_decides_the_others_takes_them_in() -> None:
    """Municipality decides district and province: their joint count is the municipality's."""
    rng = np.random.default_rng(1)
    town = rng.integers(0, 40, 2000)
    sex = rng.integers(0, 2, 2000)
    known = all_pairs({"town": town, "district": town // 4, "province": town // 20, "sex": sex})
    found, plain = grouped(known, ["7", "1", "0", "1"])
    n = known.records
    # Sex may be joined too, where more than half of the town have the one asked for.
    joint = {plain[0, 0], known.knowledge.pairs[0, 3][7, 1]}
    assert found.counts[0, 1:3].tolist() == [n, n]
    assert found.counts[0, 0] in joint
    assert {(0, 1), (0, 2)} <= found.joined.keys() or {(0, 1), (1, 2)} <= found.joined.keys()


def test_one_pair_only() -> None:
    known = all_pairs({"a": [0] * 6 + [1] * 4, "b": [0] * 5 + [1] * 5, "c": [0] * 5 + [1] * 5})
    found, _ = grouped(known, ["0", "0", "0"], most_pairs=1)
    # b and c are one and the same: the surest pair.
    assert list(found.joined) == [(0, 1)] or list(found.joined) == [(1, 2)]
    assert sorted(found.counts[0]) in ([5, 5, 10], [5, 6, 10])


def test_independent_values_stay_apart() -> None:
    known = all_pairs({"a": [0, 0, 1, 1, 2, 2, 3, 3], "b": [0, 1, 2, 3, 0, 1, 2, 3]})
    found, plain = grouped(known, ["0", "1"])
    assert found.joined.keys() == {(0, 1)}
    assert found.counts[0].tolist() == [1, 8]
    found, plain = grouped(known, ["0", "2"])
    assert np.array_equal(found.counts, plain)


@given(st.integers(2, 4), st.integers(8, 60), st.integers(0, 2**32 - 1))
def test_groups_keep_to_their_pairs(d: int, n: int, seed: int) -> None:
    """No joint count exceeds a value's or a pair's; a pair's is the pair table's own."""
    rng = np.random.default_rng(seed)
    columns = {f"a{j}": rng.integers(0, 3, n) for j in range(d)}
    known = all_pairs(columns)
    row = [str(columns[name][0]) for name in known.names]
    found, plain = grouped(known, row)
    assert np.all(found.counts[0] >= 0)
    groups = [count for count in found.counts[0] if count < n]
    assert len(groups) <= d
    for (i, j), used in found.joined.items():
        assert used[0]
        joint = known.knowledge.pairs[i, j][
            known.attributes[i].place[row[i]], known.attributes[j].place[row[j]]
        ]
        assert min(found.counts[0, : j + 1]) <= joint + 1e-9
        assert joint >= 0.5 * min(plain[0, i], plain[0, j])
    single, _ = grouped(known, row, most_pairs=1)
    assert len(single.joined) <= 1
    for i, j in single.joined:
        cells = known.knowledge.pairs[i, j]
        a, b = known.attributes[i].place[row[i]], known.attributes[j].place[row[j]]
        assert single.counts[0, i] == pytest.approx(cells[a, b])
        assert single.counts[0, j] == n
