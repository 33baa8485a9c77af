"""Dependence between values: support, confidence and lift of pairs (R3A defs. 4; TFRR eqs. 8, 9).

Symbols: f_x people hold value x, f_xy both x and y, n people in all.

    supp(xy) = f_xy/n,   conf(x ⇒ y) = f_xy/f_x,   lift(x ⇒ y) = n·f_xy/(f_x·f_y).

TFRR prints the lift in counts without the factor n; its form in probabilities has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reidrisk.statistics.statistics import Attribute, Statistics, Value

STRONG_CONFIDENCE = 0.5
# R3A: a tuple is frequent above this confidence, or from 0.5 with more than this share of people.
CERTAIN_CONFIDENCE = 0.9
FREQUENT_SHARE = 1e-4


@dataclass(frozen=True)
class ValueDependence:
    """The rule that who holds `given` also holds `then`; both are (attribute, value)."""

    given: tuple[str, Value]
    then: tuple[str, Value]
    people: int
    support: float
    confidence: float
    lift: float

    @property
    def is_strong(self) -> bool:
        """Confidence of at least a half (TFRR)."""
        return self.confidence >= STRONG_CONFIDENCE

    @property
    def is_frequent(self) -> bool:
        """A frequent tuple of R3A: sure enough, or fairly sure and common enough."""
        sure = self.confidence > CERTAIN_CONFIDENCE
        return sure or (self.is_strong and self.support > FREQUENT_SHARE)


def value_dependences(statistics: Statistics) -> Iterator[ValueDependence]:
    """Every rule the pair tables show, both ways; cells and counts held back say nothing."""
    for pair in statistics.pairs:
        sides = [statistics.attribute(name) for name in pair.of]
        for values, people in pair.counts.items():
            held = [_people(side, value) for side, value in zip(sides, values, strict=True)]
            if isinstance(people, int) and people and all(held):
                n, (f_a, f_b) = statistics.records, held
                a, b = ((side.name, value) for side, value in zip(sides, values, strict=True))
                lift = n * people / (f_a * f_b)
                yield ValueDependence(a, b, people, people / n, people / f_a, lift)
                yield ValueDependence(b, a, people, people / n, people / f_b, lift)


def strong_value_pairs(found: Iterable[ValueDependence]) -> list[ValueDependence]:
    """Those of confidence 0.5 and above, surest first, then most people."""
    strong = [each for each in found if each.is_strong]
    return sorted(strong, key=lambda each: (-each.confidence, -each.people))


def frequent_tuples(found: Iterable[ValueDependence]) -> list[ValueDependence]:
    """R3A's background knowledge: the frequent tuples with their confidences."""
    frequent = [each for each in found if each.is_frequent]
    return sorted(frequent, key=lambda each: (-each.confidence, -each.people))


def _people(attribute: Attribute, value: Value) -> int:
    count = attribute.missing if value is None else attribute.counts.get(value)
    return count if isinstance(count, int) else 0
