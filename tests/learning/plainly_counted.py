"""What would be learnt, worked out person by person: slow, and checked by eye."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Person = tuple[object, str]


def crowds_of(people: Sequence[Person]) -> dict[object, Counter[str]]:
    crowds: dict[object, Counter[str]] = {}
    for crowd, value in people:
        crowds.setdefault(crowd, Counter())[value] += 1
    return crowds


def shares(values: Counter[str]) -> dict[str, Fraction]:
    return {value: Fraction(n, values.total()) for value, n in values.items()}


def everybody(people: Sequence[Person]) -> dict[str, Fraction]:
    return shares(Counter(value for _, value in people))


def guessed(scores: dict[str, float], value: str) -> float:
    """The chance that a guess of the highest score, ties shared, is this value."""
    best = max(scores.values())
    tied = [each for each, score in scores.items() if abs(score - best) <= 1e-11 * max(best, 1)]
    return (value in tied) / len(tied)


def right_with(people: Sequence[Person]) -> float:
    crowds = crowds_of(people)
    return sum(guessed(dict(crowds[crowd]), value) for crowd, value in people) / len(people)


def right_without(people: Sequence[Person]) -> float:
    every = dict(Counter(value for _, value in people))
    return sum(guessed(every, value) for _, value in people) / len(people)


def right_without_own(people: Sequence[Person], strength: float) -> float:
    """Each person's record taken out, the others counted anew."""
    names = sorted({value for _, value in people})
    right = 0.0
    for at, (crowd, value) in enumerate(people):
        others = [each for i, each in enumerate(people) if i != at]
        alike = Counter(v for c, v in others if c == crowd)
        every = Counter(v for _, v in others)
        scores = {v: alike[v] + strength * every[v] / len(others) for v in names}
        right += guessed(scores, value)
    return right / len(people)


def log_likelihood(people: Sequence[Person], strength: float) -> float:
    """Σ ln of the chance that everybody else gives to a person's value."""
    total = 0.0
    for at, (crowd, value) in enumerate(people):
        others = [each for i, each in enumerate(people) if i != at]
        alike = [v for c, v in others if c == crowd]
        share = sum(v == value for _, v in others) / len(others)
        if share:
            total += math.log((alike.count(value) + strength * share) / (len(alike) + strength))
    return total


def earth_mover(
    one: dict[str, Fraction], other: dict[str, Fraction], order: Sequence[str]
) -> float:
    reached, total = Fraction(0), Fraction(0)
    for value in order[:-1]:
        reached += one.get(value, Fraction(0)) - other.get(value, Fraction(0))
        total += abs(reached)
    return float(total / (len(order) - 1)) if len(order) > 1 else 0.0


def transported(
    one: dict[str, Fraction], other: dict[str, Fraction], nodes: dict[str, Sequence[object]]
) -> float:
    """By a hierarchy: what can't be matched below a node is matched at it, as low as possible.

    `nodes[value]` lists the value's nodes from itself to the root.
    """
    values = sorted(nodes)
    height = len(next(iter(nodes.values()))) - 1
    left = {v: one.get(v, Fraction(0)) for v in values}
    lack = {v: other.get(v, Fraction(0)) for v in values}
    cost = Fraction(0)
    for level in range(height + 1):
        for giver in values:
            for taker in values:
                if nodes[giver][level] == nodes[taker][level]:
                    moved = min(left[giver], lack[taker])
                    left[giver] -= moved
                    lack[taker] -= moved
                    cost += moved * level
    return float(cost / height)
