"""Dependence between attributes, or groups of them, from counts alone.

Symbols: A and B attributes (or groups), n people, f_a how many hold value a, f_ab how many hold
both. H(A) = −Σ (f_a/n) log2(f_a/n) (R3A eq. 7); I(A,B) = H(A) + H(B) − H(A,B) (eq. 8). The
**gain ratio** of B on A is

    g(A, B) = I(A,B) / H(A)   (R3A eq. 9; TFRR writes the same number D(B ⇒ A)):

the share of A's uncertainty that knowing B removes. It is not symmetric.

**Corrected.** Counts of few people make any two columns look dependent: the plug-in I is biased
upward by about (|A|−1)(|B|−1)/(2n ln 2) bits, and more where cells are sparse. Shuffling one column
keeps H(A) and H(B) and destroys the dependence, so

    corrected I(A,B) = E[I | shuffled] taken off = RDE(A,B) − H(A,B),

RDE the entropy expected under independence (`models.independent`), which needs no shuffling.
It may come out slightly below 0.

Where it fails: a gain ratio says nothing of which values depend on which, and is undefined for a
constant A (H(A) = 0), which is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import CrowdSizes
from reidrisk.models.independent import random_entropy_of
from reidrisk.models.pair_information import entropy
from reidrisk.models.value_counts import ValueCounts

Kind = Literal["independent", "weak", "strong", "complete"]
STRONG = 0.5
# Entropies are sums of n logarithms: a difference below this is none.
NOTHING = 1e-10


@dataclass(frozen=True)
class Dependence:
    """How far `of` depends on `on`: g(of, on), as published and corrected for few people."""

    of: tuple[str, ...]
    on: tuple[str, ...]
    gain_ratio: float
    corrected: float
    kind: Kind

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: a group of attributes is joined by commas."""
        return {
            "of": ",".join(self.of),
            "on": ",".join(self.on),
            "gain_ratio": self.gain_ratio,
            "corrected": self.corrected,
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
    bits = Bits(of.entropy, on.entropy, joint.table_entropy, random)
    return told(of.names, on.names, bits, complete=joint.distinct == on.held.number)


class Bits(NamedTuple):
    """H(A), H(B), H(A, B), and the latter as expected under independence."""

    of: float
    on: float
    together: float
    random: float


def told(of: tuple[str, ...], on: tuple[str, ...], bits: Bits, complete: bool) -> Dependence | None:
    """The dependence of entropies; `complete` where each value of B goes with one of A."""
    if bits.of == 0.0:
        return None
    mutual = max(bits.of + bits.on - bits.together, 0.0)
    ratio = min(mutual / bits.of, 1.0)
    corrected = (bits.random - bits.together) / bits.of
    shown = 1.0 if complete else ratio
    return Dependence(of, on, shown, corrected, _kind(ratio, mutual, complete))


def _kind(ratio: float, mutual: float, complete: bool) -> Kind:
    """R3A's table 2. Complete: every value of the one side goes with a single one of the other,
    supp(s ∪ t) = supp(t) wherever both occur; independent: supp(s ∪ t) = supp(s)·supp(t).
    """
    if complete:
        return "complete"
    if mutual < NOTHING:
        return "independent"
    return "strong" if ratio >= STRONG - NOTHING else "weak"


def max_dependence(found: Iterable[Dependence]) -> float:
    """MAD: the largest gain ratio among the ordered pairs of a set of attributes (TFRR)."""
    return max((each.gain_ratio for each in found), default=0.0)
