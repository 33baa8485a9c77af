from __future__ import annotations

import numpy as np
import pytest

from reidrisk.models.knowledge import ValueCounts, distinguishing_attributes


def test_equal_counts_are_one_entry():
    attribute = ValueCounts.of(np.array([3, 1, 0, 3, 1, 2]), 10)
    assert attribute.counts.tolist() == [1, 2, 3]
    assert attribute.values.tolist() == [2, 1, 2]
    assert attribute.number == 5
    assert attribute.mass == pytest.approx([0.2, 0.2, 0.6])


def test_entropy_is_in_bits():
    assert ValueCounts.of(np.full(8, 5), 40).entropy == pytest.approx(3.0, rel=1e-15)
    assert ValueCounts.of(np.array([40]), 40).entropy == 0.0


def test_attributes_come_most_values_first_and_constants_go():
    counts = [np.array([6]), np.array([3, 3]), np.array([1, 2, 3])]
    telling = distinguishing_attributes(counts, 6)
    assert [attribute.number for attribute in telling] == [3, 2]


def test_counts_must_add_up():
    with pytest.raises(ValueError, match="add up to 7, not to 6"):
        ValueCounts.of(np.array([3, 4]), 6)
