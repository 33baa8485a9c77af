"""Counts completed again and again are those completed anew; no more is worked out than asked."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import reidrisk as rr
from reidrisk.statistics import Completion, Statistics, WholeNumbers, completed
from reidrisk.statistics.when_asked import WhenAsked

COLUMNS = ["county", "age", "sex", "occupation"]


@pytest.fixture(scope="module")
def rounded(tmp_path_factory: pytest.TempPathFactory) -> Statistics:
    key = tmp_path_factory.mktemp("key") / "key"
    return rr.publish(rr.read(rr.city(5_000), columns=COLUMNS), key_file=key)


def test_draws_are_the_same_as_of_numbers_read_anew(rounded: Statistics) -> None:
    again = Completion(rounded)
    for seed in range(3):
        for kind in (lambda rng: rng, WholeNumbers):
            one, other = (
                complete(kind(np.random.default_rng(seed)))
                for complete in (again, lambda filling: completed(rounded, filling=filling))
            )
            assert one.names == other.names
            for counts, anew in zip(one.knowledge.counts, other.knowledge.counts, strict=True):
                assert np.array_equal(counts, anew)
            assert one.knowledge.pairs.keys() == other.knowledge.pairs.keys()
            for of, cells in one.knowledge.pairs.items():
                assert np.array_equal(cells, other.knowledge.pairs[of])


def test_what_is_unsure_of_drawn_cells_is_that_of_numbers_read_anew(rounded: Statistics) -> None:
    """Asked for after other draws, of some attributes in another order."""
    again = Completion(rounded)
    one = again(WholeNumbers(np.random.default_rng(1)))
    again(np.random.default_rng(2))
    other = completed(rounded, filling=WholeNumbers(np.random.default_rng(1)))
    for i, j in one.hidden_cells:
        for cells, anew in zip(one.hidden_cells[i, j], other.hidden_cells[i, j], strict=True):
            assert np.array_equal(cells, anew)
    turned = one.of([2, 0]).hidden_cells[0, 1]
    assert np.array_equal(turned.most, one.hidden_cells[0, 2].most.T)
    assert not one.of([1]).hidden_cells


def test_tables_are_worked_out_once_and_only_when_asked() -> None:
    asked: list[tuple[int, int]] = []

    def squared(of: tuple[int, int]) -> int:
        asked.append(of)
        return of[0] * of[1]

    held = WhenAsked([(1, 2), (3, 4)], squared)
    assert (len(held), (3, 4) in held, (4, 3) in held) == (2, True, False)
    assert not asked
    assert held[3, 4] == held[3, 4] == 12
    assert asked == [(3, 4)]
    with pytest.raises(KeyError):
        held[4, 3]
    assert pickle.loads(pickle.dumps(held)) == {(1, 2): 2, (3, 4): 12}
