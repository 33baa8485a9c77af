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

from reidrisk.crowds import CrowdSizes
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.models import ValueCounts, entropy, random_entropy_of
from reidrisk.records import Table, unknown_column
from reidrisk.statistics.statistics import Attribute, Statistics, Value

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
    """One attribute or group of a pair: its value counts, and H of them."""

    names: tuple[str, ...]
    held: ValueCounts
    entropy: float

    @classmethod
    def of(cls, names: Sequence[str], counts: NDArray[np.int64], n: int) -> Side:
        """From the people per value, n in all."""
        return cls(tuple(names), ValueCounts.of(counts, n), entropy(counts))


def dependence_between(
    of: Sequence[str],
    on: Sequence[str],
    counts_of: NDArray[np.int64],
    counts_on: NDArray[np.int64],
    joint: CrowdSizes,
) -> Dependence | None:
    """g(of, on) from the people per value of each side and the crowd sizes of both together.

    None where `of` is constant.
    """
    n = int(joint.people)
    return both_ways(Side.of(of, counts_of, n), Side.of(on, counts_on, n), joint)[0]


def both_ways(
    one: Side, other: Side, joint: CrowdSizes
) -> tuple[Dependence | None, Dependence | None]:
    """g(one, other) and g(other, one); RDE is the same for both, and what takes the time."""
    random = random_entropy_of([one.held, other.held], one.held.n)
    return _dependence(one, other, joint, random), _dependence(other, one, joint, random)


def _dependence(of: Side, on: Side, joint: CrowdSizes, random: float) -> Dependence | None:
    bits = Entropies(of.entropy, on.entropy, joint.table_entropy, random)
    complete = joint.distinct == on.held.number
    return dependence_of_entropies(of.names, on.names, bits, complete)


class Entropies(NamedTuple):
    """H(A), H(B), H(A, B), and the latter as expected under independence, in bits."""

    of: float
    on: float
    together: float
    random: float


def dependence_of_entropies(
    of: tuple[str, ...], on: tuple[str, ...], bits: Entropies, complete: bool
) -> Dependence | None:
    """The dependence of A on B; `complete` where each value of B goes with one of A.

    None where A is constant.
    """
    if bits.of == 0.0:
        return None
    mutual = max(bits.of + bits.on - bits.together, 0.0)
    by_chance = (bits.of + bits.on - bits.random) / bits.of
    ratio = min(mutual / bits.of, 1.0)
    kind = _published_kind(ratio, mutual, complete)
    return Dependence(of, on, 1.0 if complete else ratio, by_chance, kind)


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
    return table.engine.seeing.person is None and table.engine.seeing.missing == "own"


def all_dependences(table: Table) -> tuple[Dependence, ...]:
    """g(A, B) for every ordered pair of columns, strongest first."""
    engine, people = table.engine, table.people
    sides = {name: Side.of((name,), engine.value_counts(name), people) for name in table.columns}
    pairs = list(combinations(table.columns, 2))
    found = [
        each
        for (a, b), joint in zip(pairs, engine.pair_crowd_sizes(pairs), strict=True)
        for each in both_ways(sides[a], sides[b], joint)
    ]
    listed = [each for each in found if each is not None]
    return tuple(sorted(listed, key=lambda each: -each.gain_ratio))


def dependence_of_groups(table: Table, asked: str) -> Dependence:
    """g for one pair of groups, as in --dependence a,b:c: how far a,b depend on c."""
    of, on = parsed_groups(asked, table.columns)
    for name in (*of, *on):
        if name not in table.columns:
            raise unknown_column(name, table.columns)
    if not defined_for(table):
        raise ContradictoryOptions(
            "--dependence isn't defined with --person or --missing wildcard",
            "leave one of them out",
        )
    held_of, held_on = (_counts(table.engine.crowd_sizes(group)) for group in (of, on))
    found = dependence_between(of, on, held_of, held_on, table.engine.crowd_sizes((*of, *on)))
    if found is None:
        raise InputError(f"{','.join(of)} has one value only, so it depends on nothing")
    return found


def parsed_groups(asked: str, columns: Sequence[str] = ()) -> tuple[Group, Group]:
    """a,b:c → (a, b) and (c); names of these columns may hold a colon or a comma themselves."""
    of, on = _known_sides(asked, columns) or _sides(asked)
    if set(of) & set(on) or len(set(of)) < len(of) or len(set(on)) < len(on):
        raise ContradictoryOptions(f"--dependence {asked}: a column stands on both sides or twice")
    return of, on


def _known_sides(asked: str, columns: Sequence[str]) -> tuple[Group, Group] | None:
    """The two sides, where a colon parts names of columns from names of columns."""
    for place in (place for place, mark in enumerate(asked) if mark == ":"):
        of, on = (_named(side, columns) for side in (asked[:place], asked[place + 1 :]))
        if of and on:
            return of, on
    return None


def _sides(asked: str) -> tuple[Group, Group]:
    sides = [tuple(n.strip() for n in side.split(",") if n.strip()) for side in asked.split(":")]
    if len(sides) != 2 or not all(sides):
        raise InputError(f"--dependence {asked}: it isn't OF:ON", "as in county:postcode")
    return sides[0], sides[1]


def _counts(crowds: CrowdSizes) -> NDArray[np.int64]:
    """People per tuple of a group, in no order."""
    return np.repeat(crowds.sizes, crowds.crowds.astype(np.int64))


def _named(side: str, columns: Sequence[str]) -> Group:
    """The columns whose names, with commas between, are this text; none where they aren't."""
    if side.strip() in columns:
        return (side.strip(),)
    for place in (place for place, mark in enumerate(side) if mark == ","):
        first, rest = side[:place].strip(), _named(side[place + 1 :], columns)
        if first in columns and rest:
            return (first, *rest)
    return ()


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
