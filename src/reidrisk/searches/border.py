"""The border: minimal risky and maximal safe views of a monotone scorer.

"Risky" is closed upward: what sees more than a risky view is risky. So the minimal risky views tell
all risky ones, the maximal safe ones all safe ones, and most views needn't be counted.

The walk: attributes in a fixed order, views reached by raising later ones; of several steps, the
last attribute first, of one attribute the lowest level first. Every coarser view has then been
visited before a view is, so a risky one whose coarser views weren't is minimal at once. Views of
one and two attributes are counted before the walk: they prune most, and a search that is stopped
should know them. A view whose ceiling (all later attributes as recorded) is safe closes all above.

Where it fails: it can't beat the border's own size, which may be exponential in the attributes;
a search that stops (`Limits`) says what is open.

Children: deciding on the views one step above a safe one, cheapest rule first.

Maximal safe views: safe, and risky as soon as anything more is seen.

v is maximal among safe views when each single step up from it reaches a risky one: when for each
attribute not yet as recorded, some minimal risky m has bits(m) & ~bits(v) equal to that one bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reidrisk.machine import each
from reidrisk.searches.lattice import Bits, Decided, Lattice, Limits, Region, Score, Step
from reidrisk.searches.scorer import Scorer, Seen

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


def maximal_safe(
    lattice: Lattice, risky: Iterable[Bits], safe: Mapping[Bits, Score | None]
) -> dict[Bits, Score | None]:
    """Of views known to be safe, those of which every step up is known to be risky."""
    border = list(risky)
    return {bits: score for bits, score in safe.items() if is_maximal(lattice, border, bits)}


def is_maximal(lattice: Lattice, risky: Iterable[Bits], bits: Bits) -> bool:
    """Whether every step up from a safe view is known to be risky."""
    wanted = set(lattice.next_bits(bits))
    if not wanted:
        return True
    for seen in risky:
        wanted.discard(seen & ~bits)
        if not wanted:
            return True
    return False


# A ceiling costs as much as several views: it has to stand for at least so many.
WORTH_A_CEILING = 40
# Fewer rows are counted faster than cores can be set to work.
WORTH_SHARING = 20_000

Child = tuple[Step, Score | None]


@dataclass(eq=False)
class Border(Decided):
    """Minimal risky views and maximal safe ones, by their bits, with scores where counted."""

    risky: dict[Bits, Score] = field(default_factory=dict)
    # While searching: safe views with no safe one above them that was visited.
    safe: dict[Bits, Score | None] = field(default_factory=dict)
    # Safe views with as many attributes as were allowed: what lies above them wasn't asked.
    at_limit: int = 0

    def take(self, other: Border) -> None:
        """Take in another part."""
        self.add(other)
        self.risky.update(other.risky)
        self.safe.update(other.safe)
        self.at_limit += other.at_limit


def border(scorer: Scorer, is_risky: Risky, limits: Limits, threads: int = 1) -> Border:
    """Search all views of the scorer's lattice; with a view limit on one core, to be repeatable."""
    limits.views = scorer.lattice.views
    cores = threads if limits.most_views is None and scorer.rows >= WORTH_SHARING else 1
    return _Walk(scorer, is_risky, limits, cores).whole()


class _Walk:
    def __init__(self, scorer: Scorer, is_risky: Risky, limits: Limits, threads: int) -> None:
        self.scorer, self.lattice, self.limits = scorer, scorer.lattice, limits
        self.is_risky, self.threads = is_risky, threads
        self.known: dict[Bits, Score] = {}
        self.pairs_from: dict[Bits, int] = {}
        self.deciding = Deciding(scorer.lattice, is_risky, limits, self.known)

    def whole(self) -> Border:
        self.limits.allowed(1)
        top, root = self.scorer.root().ceiled()
        nothing, everything = root.score(), self.lattice.from_on(0)
        place = Place(0, 0, self.lattice.up_to, 0, nothing, everything, top, nothing)
        if not self.is_risky(top.value):
            found = self._closed(place)
        else:
            self._count_small_views(root)
            found = self._explored(root, place, [])
        found.ceilings += 1
        found.safe = maximal_safe(self.lattice, found.risky, found.safe)
        return found

    def _count_small_views(self, root: Seen) -> None:
        """Views of one attribute, then of two that are safe by themselves."""
        raised = self.lattice.raised
        single = [step for _, step in sorted(self.lattice.steps.items())]
        self.scorer.prepare(map(raised, single))
        for step, score in self.deciding.counted(root, single):
            self.known[raised(step)] = score
        scored = [step for step in single if raised(step) in self.known]
        safe = [s for s in scored if not self.is_risky(self.known[raised(s)].value)]
        later = {one: [s for s in safe if s.attribute > one.attribute] for one in safe}
        if self.lattice.up_to == 1:
            return
        self.scorer.prepare(raised(one) | raised(two) for one in safe for two in later[one])

        def count(one: Step) -> None:
            if later[one] and not self.limits.reached:
                counted = self.deciding.counted(root.raised(one), later[one])
                self.known.update({raised(one) | raised(two): score for two, score in counted})
                self.pairs_from[raised(one)] = len(counted)
                self.limits.tell(0)

        each(count, safe, self.threads)

    def _closed(self, place: Place) -> Border:
        """Everything above is safe; of it, pairs may have been counted already."""
        lattice = self.lattice
        counted = self.pairs_from.get(place.bits, 0)
        found = Border(counted=counted)
        found.pruned["safe_superset"] = lattice.above(place.first, place.left) - counted
        unlimited = lattice.up_to == lattice.attributes
        if unlimited or lattice.attributes - place.first < place.left:
            found.safe[place.roof] = place.high
        else:
            found.at_limit = lattice.exactly(place.first, place.left)
        return found

    def _explored(self, seen: Seen, place: Place, known_risky: Sequence[Bits]) -> Border:
        """All views above a safe one, or regions where it has to stop."""
        children = self.deciding.children(seen, place, known_risky)
        found = Border(children.counted, pruned=children.pruned, risky=children.risky)
        if place.left > 1:
            known = [*known_risky, *children.risky]
            self._deeper(seen, place, known, children.safe, found)
        elif self.lattice.up_to < self.lattice.attributes:
            found.at_limit += len(children.safe)
        else:
            bits = ((self.lattice.raised(step), score) for step, score in children.safe)
            found.safe.update({place.bits | more: score for more, score in bits})
        if not children.safe and not children.open and place.bits:
            found.safe[place.bits] = place.own
        if children.open:
            found.regions.append(self._region(place, children.open))
        return found

    def _region(self, place: Place, steps: Sequence[Step]) -> Region:
        views = sum(1 + self.lattice.above(s.attribute + 1, place.left - 1) for s in steps)
        any_of = tuple(sorted({step.attribute for step in steps}))
        return Region(place.floor, place.bits, any_of, place.roof, views, place.low, place.high)

    def _deeper(
        self, seen: Seen, place: Place, known: list[Bits], safe: Sequence[Child], found: Border
    ) -> None:
        """The views above each safe child, in the order that visits coarser views first."""
        order = sorted(safe, key=lambda child: (-child[0].attribute, child[0].level))
        if place.left == 2 and max(self.lattice.heights) == 1:
            # Sets of the last size say nothing of each other, so that they may be shared out.
            parts = each(lambda child: self._child(seen, place, known, child), order, self.threads)
            for part in parts:
                found.take(part)
            return
        for start in range(0, len(order), self.threads):
            some = order[start : start + self.threads]
            ready = each(lambda child: self._entered(seen, place, child), some, self.threads)
            for inner, there, ceilings in ready:
                part = self._visited(inner, there, known, ceilings)
                known.extend(part.risky)
                found.take(part)

    def _child(self, seen: Seen, place: Place, known: list[Bits], child: Child) -> Border:
        inner, there, ceilings = self._entered(seen, place, child)
        return self._visited(inner, there, known, ceilings)

    def _entered(self, seen: Seen, place: Place, child: Child) -> tuple[Seen, Place, int]:
        """Go to a child, and look at its ceiling where that is worth it."""
        step, score = child
        bits, first = place.bits | self.lattice.raised(step), step.attribute + 1
        there = replace(place, bits=bits, first=first, left=place.left - 1, own=score)
        if score is not None:
            there = replace(there, floor=bits, low=score)
        inner = seen.raised(step)
        views = self.lattice.above(first, there.left)
        if views < WORTH_A_CEILING or not self.limits.allowed(1):
            return inner, there, 0
        high, inner = inner.ceiled()
        return inner, replace(there, roof=bits | self.lattice.from_on(first), high=high), 1

    def _visited(self, seen: Seen, place: Place, known: Sequence[Bits], ceilings: int) -> Border:
        if ceilings and not self.is_risky(place.high.value):
            part = self._closed(place)
        else:
            within = place.bits | self.lattice.from_on(place.first)
            part = self._explored(seen, place, [risky for risky in known if not risky & ~within])
        part.ceilings += ceilings
        if place.left >= self.lattice.up_to - 2:
            self.limits.tell(sum(part.pruned.values()))
        return part
