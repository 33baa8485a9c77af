"""Dependence between attributes, or groups of them, and between values, from counts alone.

Symbols: A and B attributes (or groups), n people, f_a how many hold value a, f_ab how many hold
both. H(A) = −Σ (f_a/n) log2(f_a/n) (R3A eq. 7); I(A,B) = H(A) + H(B) − H(A,B) (eq. 8). The
**gain ratio** of B on A is

    g(A, B) = I(A,B) / H(A)   (R3A eq. 9; TFRR writes the same number D(B ⇒ A)):

the share of A's uncertainty that knowing B removes. It is not symmetric.

**Corrected for chance.** Few people in each cell make any two columns look dependent: the plug-in I
is biased upward by about (|A|−1)(|B|−1)/(2n ln 2) bits, and more where cells are sparse. Shuffling
one column keeps H(A) and H(B) and destroys the dependence, so that chance alone shows

    g_0(A, B) = E[I | shuffled] / H(A) = (H(A) + H(B) − RDE(A,B)) / H(A),

RDE the entropy expected under independence (`models.independent`), which needs no shuffling. Shown
is the share of what chance leaves open,

    corrected g = (g − g_0) / (1 − g_0),   at least 0:

0 where B says no more of A than chance does, 1 where it determines A (adjusted mutual information,
Vinh, Epps and Bailey 2010, in proportion to H(A)).

**Between values** (R3A defs. 4; TFRR eqs. 8, 9): f_x people hold value x, f_xy both x and y,

    supp(xy) = f_xy/n,   conf(x ⇒ y) = f_xy/f_x,   lift(x ⇒ y) = n·f_xy/(f_x·f_y).

TFRR prints the lift in counts without the factor n; its form in probabilities has it.

Where it fails: a gain ratio says nothing of which values depend on which, and is undefined for a
constant A (H(A) = 0), which is left out. Where B differs for nearly everybody, chance alone nearly
determines A: the corrected figure has a large random error, and is 1 for a B that differs for
everybody, which determines anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes, entropy
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.models import STRONG_CONFIDENCE, Knowledge, ValueCounts, random_entropy_of
from reidrisk.records import Table, unknown_column
from reidrisk.statistics.statistics import Statistics, Value

Kind = Literal["independent", "weak", "strong", "complete"]
STRONG = 0.5
# Entropies are sums of n logarithms: a difference below this is none.
NOTHING = 1e-10
# Where chance alone explains all but so little, nothing can be said of the rest.
LEAST_LEFT = 1e-3


@dataclass(frozen=True)
class Dependence:
    """How far `of` depends on `on`.

    `uncorrected` is g(of, on) as published, `by_chance` what shuffled columns show of it on
    average, and `gain_ratio` is corrected for that, 0 to 1.
    """

    of: tuple[str, ...]
    on: tuple[str, ...]
    uncorrected: float
    by_chance: float
    published_kind: Kind

    @property
    def gain_ratio(self) -> float:
        """(g − g_0)/(1 − g_0), at least 0; 1 where `on` determines `of`."""
        if self.published_kind == "complete":
            return 1.0
        left = 1.0 - self.by_chance
        return min(max(self.corrected / left, 0.0), 1.0) if left > LEAST_LEFT else 0.0

    @property
    def corrected(self) -> float:
        """g − g_0, the published figure less its mean over shuffles; may be below 0."""
        return self.uncorrected - self.by_chance

    @property
    def kind(self) -> Kind:
        """`published_kind`, judged by the corrected figure."""
        if self.published_kind in ("complete", "independent"):
            return self.published_kind
        if self.gain_ratio == 0.0:
            return "independent"
        return "strong" if self.gain_ratio >= STRONG - NOTHING else "weak"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: a group of attributes is joined by commas."""
        return {
            "of": ",".join(self.of),
            "on": ",".join(self.on),
            "gain_ratio": self.gain_ratio,
            "uncorrected": self.uncorrected,
            "by_chance": self.by_chance,
            "kind": self.kind,
        }


class Side(NamedTuple):
    """One attribute or group of a pair: its value counts, and H of them in bits."""

    names: tuple[str, ...]
    counts: ValueCounts
    entropy: float

    @classmethod
    def of(cls, names: Sequence[str], counts: NDArray[np.int64], n: int) -> Side:
        """From the people per value, n in all."""
        return cls(tuple(names), ValueCounts.of(counts, n), entropy(counts))


def both_ways(
    one: Side, other: Side, together: float, complete: tuple[bool, bool]
) -> list[Dependence]:
    """g(one, other) and g(other, one), without that of a constant side; `together` is H(A, B) in
    bits, `complete` whether each value of the second side goes with one of the first, and back.
    """
    # The same for both, and what takes the time.
    random = random_entropy_of([one.counts, other.counts], one.counts.n)
    sides = ((one, other, complete[0]), (other, one, complete[1]))
    return [
        _dependence(of, on, together, random, determined)
        for of, on, determined in sides
        if of.entropy > 0.0
    ]


def _of_crowds(one: Side, other: Side, joint: CrowdSizes) -> list[Dependence]:
    complete = joint.distinct == other.counts.number, joint.distinct == one.counts.number
    return both_ways(one, other, joint.table_entropy, complete)


def _dependence(of: Side, on: Side, together: float, random: float, complete: bool) -> Dependence:
    mutual = max(of.entropy + on.entropy - together, 0.0)
    by_chance = (of.entropy + on.entropy - random) / of.entropy
    ratio = min(mutual / of.entropy, 1.0)
    kind = _published_kind(ratio, mutual, complete)
    return Dependence(of.names, on.names, 1.0 if complete else ratio, by_chance, kind)


def _published_kind(ratio: float, mutual: float, complete: bool) -> Kind:
    """R3A's table 2. Complete: every value of the one side goes with a single one of the other,
    supp(s ∪ t) = supp(t) wherever both occur; independent: supp(s ∪ t) = supp(s)·supp(t).
    """
    if complete:
        return "complete"
    if mutual < NOTHING:
        return "independent"
    return "strong" if ratio >= STRONG - NOTHING else "weak"


def max_dependence(found: Iterable[Dependence]) -> float:
    """MAD: the largest uncorrected gain ratio among the ordered pairs of some attributes (TFRR)."""
    return max((each.uncorrected for each in found), default=0.0)


MOST_COLUMNS = 12
MOST_RECORDS = 1_000_000

Group = tuple[str, ...]


def shown_by_default(table: Table) -> bool:
    """Small enough that all pairs take no noticeable time, and with a product law to compare to."""
    columns = len(table.columns)
    small = 2 <= columns <= MOST_COLUMNS and table.engine.records <= MOST_RECORDS
    return small and defined_for(table)


def defined_for(table: Table) -> bool:
    """Persons have several rows and wildcards several crowds: neither has counts per value."""
    return table.engine.options.person is None and table.engine.options.missing == "own"


def all_dependences(table: Table) -> tuple[Dependence, ...]:
    """g(A, B) for every ordered pair of columns, strongest first."""
    engine, people = table.engine, table.people
    sides = {name: Side.of((name,), engine.value_counts(name), people) for name in table.columns}
    pairs = list(combinations(table.columns, 2))
    return _strongest_first(
        dependence
        for (a, b), joint in zip(pairs, engine.pair_crowd_sizes(pairs), strict=True)
        for dependence in _of_crowds(sides[a], sides[b], joint)
    )


def dependences_known(knowledge: Knowledge) -> tuple[Dependence, ...] | None:
    """g(A, B) both ways for every pair table, strongest first; None without pair tables."""
    if not knowledge.pairs:
        return None
    named = zip(knowledge.names, knowledge.counts, strict=True)
    sides = [Side.of((name,), counts, knowledge.n) for name, counts in named]
    found: list[Dependence] = []
    for (i, j), cells in knowledge.pairs.items():
        first, second = (bool(np.all((cells > 0).sum(axis=axis) <= 1)) for axis in (0, 1))
        found += both_ways(sides[i], sides[j], entropy(cells), (first, second))
    return _strongest_first(found)


def _strongest_first(found: Iterable[Dependence]) -> tuple[Dependence, ...]:
    return tuple(sorted(found, key=lambda dependence: -dependence.gain_ratio))


def dependence_of_groups(table: Table, written: str) -> Dependence:
    """g for one pair of groups, as in --dependence a,b:c: how far a,b depend on c."""
    groups = parsed_groups(written, table.columns)
    of, on = groups
    for name in (*of, *on):
        if name not in table.columns:
            raise unknown_column(name, table.columns)
    if not defined_for(table):
        raise ContradictoryOptions(
            "--dependence isn't defined with --person or --missing wildcard",
            "leave one of them out",
        )
    crowds = [table.engine.crowd_sizes(group) for group in groups]
    joint = table.engine.crowd_sizes((*of, *on))
    # People per tuple of a group, in no order.
    counts = [np.repeat(each.sizes, each.crowds.astype(np.int64)) for each in crowds]
    sides = [Side.of(g, c, int(joint.people)) for g, c in zip(groups, counts, strict=True)]
    if sides[0].entropy == 0.0:
        raise InputError(f"{','.join(of)} has one value only, so it depends on nothing")
    return _of_crowds(sides[0], sides[1], joint)[0]


def parsed_groups(written: str, columns: Sequence[str] = ()) -> tuple[Group, Group]:
    """a,b:c → (a, b) and (c); names of these columns may hold a colon or a comma themselves."""
    of, on = _known_sides(written, columns) or _sides(written)
    if set(of) & set(on) or len(set(of)) < len(of) or len(set(on)) < len(on):
        raise ContradictoryOptions(f"--dependence {written}: a column is on both sides or twice")
    return of, on


def _known_sides(written: str, columns: Sequence[str]) -> tuple[Group, Group] | None:
    """The two sides, where a colon parts names of columns from names of columns."""
    for place in (place for place, mark in enumerate(written) if mark == ":"):
        of, on = (_named(side, columns) for side in (written[:place], written[place + 1 :]))
        if of and on:
            return of, on
    return None


def _sides(written: str) -> tuple[Group, Group]:
    sides = [tuple(n.strip() for n in side.split(",") if n.strip()) for side in written.split(":")]
    if len(sides) != 2 or not all(sides):
        raise InputError(f"--dependence {written}: it isn't OF:ON", "as in county:postcode")
    return sides[0], sides[1]


def _named(side: str, columns: Sequence[str]) -> Group:
    """The columns whose names, with commas between, are this text; none where they aren't."""
    if side.strip() in columns:
        return (side.strip(),)
    for place in (place for place, mark in enumerate(side) if mark == ","):
        first, rest = side[:place].strip(), _named(side[place + 1 :], columns)
        if first in columns and rest:
            return (first, *rest)
    return ()


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
    """Every rule the pair tables show, both ways; suppressed cells and counts say nothing."""
    for pair in statistics.pairs:
        sides = [statistics.attribute(name) for name in pair.of]
        for values, people in pair.counts.items():
            counts = [side.count(value) for side, value in zip(sides, values, strict=True)]
            known = [count for count in (people, *counts) if isinstance(count, int) and count]
            if len(known) == 3:
                n, (f_ab, f_a, f_b) = statistics.records, known
                a, b = ((side.name, value) for side, value in zip(sides, values, strict=True))
                lift = n * f_ab / (f_a * f_b)
                yield ValueDependence(a, b, f_ab, f_ab / n, f_ab / f_a, lift)
                yield ValueDependence(b, a, f_ab, f_ab / n, f_ab / f_b, lift)


def strong_value_pairs(found: Iterable[ValueDependence]) -> list[ValueDependence]:
    """Those of confidence 0.5 and above, surest first, then most people."""
    strong = [each for each in found if each.is_strong]
    return sorted(strong, key=lambda each: (-each.confidence, -each.people))


def frequent_tuples(found: Iterable[ValueDependence]) -> list[ValueDependence]:
    """R3A's background knowledge: the frequent tuples with their confidences."""
    frequent = [each for each in found if each.is_frequent]
    return sorted(frequent, key=lambda each: (-each.confidence, -each.people))
