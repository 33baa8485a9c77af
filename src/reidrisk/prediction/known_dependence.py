"""Dependence between attributes as the pair tables known show it."""

from __future__ import annotations

import numpy as np

from reidrisk.models.independent import random_entropy
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pair_information import entropy
from reidrisk.statistics.dependence import Bits, Dependence, told


def known_dependences(knowledge: Knowledge) -> tuple[Dependence, ...] | None:
    """g(A, B) both ways for every pair table, strongest first; None without pair tables."""
    if not knowledge.pairs:
        return None
    own = [entropy(counts) for counts in knowledge.counts]
    found = []
    for (i, j), cells in knowledge.pairs.items():
        together = entropy(cells)
        random = random_entropy([knowledge.counts[i], knowledge.counts[j]], knowledge.n)
        for of, on, axis in ((i, j, 0), (j, i, 1)):
            complete = bool(np.all(np.count_nonzero(cells > 0, axis=axis) <= 1))
            bits = Bits(own[of], own[on], together, random)
            each = told((knowledge.names[of],), (knowledge.names[on],), bits, complete)
            found += [each] if each is not None else []
    return tuple(sorted(found, key=lambda each: -each.gain_ratio))
