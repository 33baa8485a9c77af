"""R3A's background knowledge: the frequent tuples of strongly dependent pairs.

Symbols: A depends strongly on B when g(A, B) ≥ 0.5 (eq. 9). Of its tuples (a, b) with confidence

    conf(b ⇒ a) = x_ab/n_b   (eq. 11)

those above 0.9 are frequent, and those from 0.5 on that more than 1e-4 of the people hold (398 of
3,985,166 in the paper). Pairs come by falling gain ratio, tuples by falling confidence, then by
falling number of people: the paper leaves the order open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pair_information import STRONG, gain_ratio

CERTAIN = 0.9
LIKELY = 0.5
FREQUENT_SHARE = 1e-4


class FrequentTuple(NamedTuple):
    """Who holds value `given` of attribute `on` holds value `value` of attribute `of`, so often."""

    of: int
    on: int
    value: int
    given: int
    confidence: float
    strength: float


def frequent_tuples(knowledge: Knowledge) -> list[FrequentTuple]:
    """All frequent tuples of all strongly dependent ordered pairs, in the order they are set."""
    strength = {}
    for i, j in knowledge.pairs:
        for of, on in ((i, j), (j, i)):
            ratio = round(gain_ratio(knowledge, of, on), 9)
            if ratio >= STRONG:
                strength[of, on] = ratio
    found = []
    for of, on in sorted(strength, key=lambda pair: (-strength[pair], pair)):
        found += _of_pair(knowledge, of, on, strength[of, on])
    return found


def _of_pair(knowledge: Knowledge, of: int, on: int, strength: float) -> list[FrequentTuple]:
    cells = knowledge.pair(of, on)
    assert cells is not None
    confidence = cells / np.maximum(knowledge.counts[on], 1)[None, :]
    common = cells > FREQUENT_SHARE * knowledge.n
    value, given = np.nonzero((confidence > CERTAIN) | ((confidence >= LIKELY) & common))
    order = np.lexsort((-cells[value, given], -confidence[value, given]))
    rows = zip(value[order].tolist(), given[order].tolist(), strict=True)
    return [FrequentTuple(of, on, a, b, float(confidence[a, b]), strength) for a, b in rows]
