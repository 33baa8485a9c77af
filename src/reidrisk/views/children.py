"""Children: deciding on the views one step above a safe one, cheapest rule first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reidrisk.views.scorer import Score, Seen
from reidrisk.views.searched import Limits
from reidrisk.views.view import Bits, Lattice, Step

Risky = Callable[[float], bool]


@dataclass(frozen=True)
class Place:
    """Where a walk stands: the view seen, the first attribute that may follow, how many may.

    `low` is the score of the nearest counted view at or below (`floor`), `high` that of the nearest
    ceiling (`roof`); `own` is the view's own where it was counted.
    """

    bits: Bits
    first: int
    left: int
    floor: Bits
    low: Score
    roof: Bits
    high: Score
    own: Score | None


@dataclass(eq=False)
class Children:
    """Views one step on: the safe ones with their scores if counted, the risky, those left open."""

    safe: list[tuple[Step, Score | None]] = field(default_factory=list)
    risky: dict[Bits, Score] = field(default_factory=dict)
    open: list[Step] = field(default_factory=list)
    counted: int = 0
    pruned: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Deciding:
    """How children are decided on: by what is known, by a rule, by counting."""

    lattice: Lattice
    is_risky: Risky
    limits: Limits
    # Scores known before they are asked for.
    known: Mapping[Bits, Score]

    def children(self, seen: Seen, place: Place, known_risky: Sequence[Bits]) -> Children:
        """Decide on them level by level, so that a risky level settles those above it."""
        found = Children()
        killed = self._killed(place.bits, known_risky)
        attributes = range(place.first, self.lattice.attributes)
        for level in range(1, max(self.lattice.heights[place.first :], default=0) + 1):
            steps = [Step(j, level) for j in attributes if level <= self.lattice.heights[j]]
            waiting = [
                step for step in steps if not self._settled(seen, place, step, killed, found)
            ]
            counted = self.counted(seen, waiting)
            for step, score in counted:
                self._judge(place, step, score, killed, found)
            found.open += waiting[len(counted) :]
        return found

    def counted(self, seen: Seen, steps: Sequence[Step]) -> list[tuple[Step, Score]]:
        """As many of them as may be counted."""
        allowed = steps[: self.limits.allowed(len(steps))]
        return list(zip(allowed, seen.scores(allowed), strict=True))

    def _settled(
        self, seen: Seen, place: Place, step: Step, killed: dict[int, int], found: Children
    ) -> bool:
        """Whether it could be decided without counting."""
        if step.level >= killed.get(step.attribute, step.level + 1):
            found.pruned["risky_subset"] += 1 + self._above(place, step)
            return True
        score = self.known.get(place.bits | self.lattice.raised(step))
        if score is not None:
            self._judge(place, step, score, killed, found)
            return True
        rule = None if self.limits.reached else self._rule(seen, step)
        if rule is not None:
            found.pruned[rule] += 1
            found.safe.append((step, None))
        return rule is not None

    def _rule(self, seen: Seen, step: Step) -> str | None:
        """The rule by which a view is safe without counting."""
        if seen.redundant(step):
            return "determined"
        return next((rule for rule, most in seen.bounds(step) if not self.is_risky(most)), None)

    def _judge(
        self, place: Place, step: Step, score: Score, killed: dict[int, int], found: Children
    ) -> None:
        found.counted += 1
        if not self.is_risky(score.value):
            found.safe.append((step, score))
            return
        found.risky[place.bits | self.lattice.raised(step)] = score
        killed[step.attribute] = step.level
        found.pruned["risky_subset"] += self._above(place, step)

    def _above(self, place: Place, step: Step) -> int:
        return self.lattice.above(step.attribute + 1, place.left - 1)

    def _killed(self, bits: Bits, known_risky: Sequence[Bits]) -> dict[int, int]:
        """Per attribute the lowest level at which the view becomes risky by what is known."""
        killed: dict[int, int] = {}
        steps = self.lattice.steps
        for risky in known_risky:
            step = steps.get(risky & ~bits)
            if step is not None and step.level < killed.get(step.attribute, step.level + 1):
                killed[step.attribute] = step.level
        return killed
