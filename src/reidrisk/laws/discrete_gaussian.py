"""The discrete Gaussian: noise in whole numbers, drawn exactly (Canonne, Kamath, Steinke 2020).

P(Y = y) = exp(−y²/2σ²)/Z for every whole number y, σ² a fraction s/d. All arithmetic is in whole
numbers: floating-point noise has gaps and uneven spacing by which an exact count shows through
(Mironov 2012). The algorithms, each of which takes uniform whole numbers only:

- exp(−γ) for 0 ≤ γ ≤ 1: K = 1, 2, … while a coin of γ/K falls; true where K ends odd (their
  algorithm 1). Larger γ: a coin of exp(−1) for each whole one first;
- discrete Laplace of scale t: U below t, kept with exp(−U/t); V coins of exp(−1) that fell;
  ±(U + tV), a negative nought thrown away (algorithm 2);
- discrete Gaussian: Y Laplace of scale t, kept with exp(−(|Y| − σ²/t)²/2σ²) (algorithm 3).

A uniform number below b is a word of 64 bits modulo b; the first 2⁶⁴ mod b words, which would make
some results likelier, are drawn anew.

Where it fails: |Y| > 100t is judged as 100t, which takes words that come with probability e^−100
and changes the law by less than e^−4000. How long a draw takes depends on what is drawn: nothing
here hides the time from somebody who watches the process, who sees one time for thousands of draws.
The words come from the operating system's source for keys; words of a seeded generator are for
tests, for whoever can guess the seed can take the noise off.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints, Mask
from reidrisk.errors import InputError

UInts = NDArray[np.uint64]
# So many words of 64 random bits.
Words = Callable[[int], UInts]

# s of σ² = s/d has 20 bits, so that every product below fits 63; σ² over 2²⁰ is a square.
BITS = 20
LEAST_VARIANCE = Fraction(1, 4)
LARGEST_DEVIATION = 1 << 24
FARTHEST = 100
BLOCK = 1 << 17


def system_words(count: int) -> UInts:
    """Words of the operating system's source of randomness for keys."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def seeded_words(rng: np.random.Generator) -> Words:
    """Words that repeat: for tests alone."""
    return lambda count: rng.integers(0, 1 << 64, count, dtype=np.uint64)


@dataclass(frozen=True)
class DiscreteGaussian:
    """The law with σ² = `numerator`/`denominator`; `at_least` makes one that can be drawn."""

    numerator: int
    denominator: int

    @classmethod
    def at_least(cls, variance: float | Fraction) -> DiscreteGaussian:
        """σ² or a little more, never less: by 10^−6 below 2²⁰, else so that σ is whole."""
        wanted = max(Fraction(variance), LEAST_VARIANCE)
        if wanted > LARGEST_DEVIATION**2:
            raise InputError(
                "so small an epsilon needs noise of more than 16 million people",
                "ask for a larger one, or publish fewer columns",
            )
        if wanted >= 1 << BITS:
            return cls((math.isqrt(math.ceil(wanted) - 1) + 1) ** 2, 1)
        scale = 1 << max(BITS - math.floor(math.log2(wanted)), 0)
        return cls(math.ceil(wanted * scale), scale)

    @property
    def variance(self) -> float:
        """The parameter σ², exactly; the law's own variance is a little less where σ is small."""
        return self.numerator / self.denominator

    @property
    def deviation(self) -> float:
        """σ."""
        return math.sqrt(self.variance)

    @cached_property
    def log_total(self) -> float:
        """log Z."""
        reach = np.arange(-math.ceil(40 * self.deviation) - 1, math.ceil(40 * self.deviation) + 2)
        return float(np.log(np.exp(-(reach.astype(float) ** 2) / (2 * self.variance)).sum()))

    def log_mass(self, y: Ints | Floats) -> Floats:
        """log P(Y = y)."""
        return np.asarray(-(np.asarray(y, float) ** 2) / (2 * self.variance) - self.log_total)

    def above(self, bound: int) -> float:
        """P(Y > bound), summed from its smallest term."""
        end = max(bound, 0) + math.ceil(40 * self.deviation) + 2
        listed = np.arange(bound + 1, end, dtype=float)[::-1]
        return float(np.exp(self.log_mass(listed)).sum())

    def log_at_most(self, bounds: Ints | Floats) -> Floats:
        """log P(Y ≤ bound) for whole bounds."""
        low, reach = np.asarray(bounds), math.ceil(38 * self.deviation) + 1
        start, end = min(-reach, int(low.min())), max(reach, int(low.max()))
        # Nothing is left 38σ out; the sums begin there.
        start, end = max(start, -reach), min(end, reach)
        sums = np.cumsum(np.exp(self.log_mass(np.arange(start, end + 1))))
        place = np.clip(low, start, end).astype(np.intp) - start
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(low < start, -np.inf, np.log(np.minimum(sums[place], 1.0))))

    def draw(self, count: int, words: Words = system_words) -> Ints:
        """So many independent draws."""
        found = [np.empty(0, dtype=np.int64)]
        left = count
        while left > 0:
            kept = self._kept(min(left + left // 2 + 16, BLOCK), words)[:left]
            found.append(kept)
            left -= len(kept)
        return np.concatenate(found)

    @cached_property
    def _scale(self) -> int:
        """t: any whole number is right; about σ keeps most draws."""
        whole = math.isqrt(self.numerator // self.denominator)
        return whole if whole * whole * self.denominator == self.numerator else whole + 1

    def _kept(self, tries: int, words: Words) -> Ints:
        """Draws from as many Laplace proposals.

        (|Y| − σ²/t)²/2σ² = (|Y|·dt − s)²/2sdt², both divided by the square of gcd(dt, s).
        """
        scale, s, d = self._scale, self.numerator, self.denominator
        shared = math.gcd(d * scale, s)
        proposed = _laplace(scale, tries, words)
        apart = np.minimum(np.abs(proposed), FARTHEST * scale) * (d * scale // shared) - s // shared
        below = 2 * s * d * scale * scale // (shared * shared)
        over = (apart * apart).astype(np.uint64)
        kept = _exponential_coins(over, below, words)
        return np.asarray(proposed[kept])


def _below(bound: int, count: int, words: Words) -> UInts:
    """Uniform whole numbers below the bound."""
    if bound == 1:
        return np.zeros(count, np.uint64)
    found, uneven = words(count), np.uint64((1 << 64) % bound)
    again = np.flatnonzero(found < uneven)
    if len(again):
        found = found.copy()
    while len(again):
        found[again] = words(len(again))
        again = again[found[again] < uneven]
    # numpy divides by one number quickly, but takes remainders slowly.
    return np.asarray(found - found // np.uint64(bound) * np.uint64(bound))


def _fraction_coins(over: UInts, under: int, words: Words) -> Mask:
    """True with exp(−over/under), over ≤ under."""
    odd = np.zeros(len(over), dtype=bool)
    active, k = np.arange(len(over)), 1
    while len(active):
        falls = _below(under, len(active), words) < over[active]
        if k > 1:
            falls &= _below(k, len(active), words) == 0
        odd[active[~falls]] = k % 2 == 1
        active, k = active[falls], k + 1
    return odd


def _exponential_coins(over: UInts, under: int, words: Words) -> Mask:
    """True with exp(−over/under)."""
    whole = over // np.uint64(under)
    rest = over - whole * np.uint64(under)
    found = np.ones(len(over), dtype=bool)
    active = np.flatnonzero(whole > 0)
    while len(active):
        found[active] = _coins_of_one(len(active), words)
        whole[active] -= np.uint64(1)
        active = active[found[active] & (whole[active] > 0)]
    last = np.flatnonzero(found)
    found[last] = _fraction_coins(rest[last], under, words)
    return found


def _coins_of_one(count: int, words: Words) -> Mask:
    """True with exp(−1)."""
    return _fraction_coins(np.ones(count, np.uint64), 1, words)


def _laplace(scale: int, tries: int, words: Words) -> Ints:
    """`tries` draws of the discrete Laplace law of a whole scale."""
    found = [np.empty(0, dtype=np.int64)]
    left = tries
    while left > 0:
        rest = _below(scale, 2 * left + 16, words)
        rest = rest[_exponential_coins(rest, scale, words)]
        times, active = np.zeros(len(rest), np.int64), np.arange(len(rest))
        while len(active):
            active = active[_coins_of_one(len(active), words)]
            times[active] += 1
        size = rest.astype(np.int64) + scale * times
        negative = (words(len(size)) >> np.uint64(63)).astype(bool)
        some = np.where(negative, -size, size)[~(negative & (size == 0))][:left]
        found.append(some)
        left -= len(some)
    return np.concatenate(found)
