"""The independent law: what a table would look like with its columns shuffled (R3A).

Symbols: n people, d attributes, attribute j has values v held by n_j(v) people; X_t people have
tuple t once every column is shuffled independently. Asked for is

    E[N_s] = Σ_tuples P(X_t = s),   the expected number of crowds of size s,

and its entropy RDE, R3A's random data entropy. R3A averages 5,000 shuffles; no shuffle is needed,
since P(X_t = s) depends on t only through its counts. Two ways, the same law:

- `crowd_law`: exact, attribute after attribute, while that takes less than about 50 ms;
- `spectrum`: else. The attribute with the most values is kept out; a person whose value of it is
  held by m people sits in a crowd of 1 + Y, Y = Hyp(N − 1; m − 1, c − 1), with c/N = q the share of
  the person's other values and c = (1 − q)/ε the count that gives the law its right second moment
  (ε: `spectrum`). With ε = 0 that is the member's form of B(m, q).

Where they part: on the tables left to the spectrum by less than 1e-5 in ORR and 1e-4 bits in RDE;
forced on tables of a few hundred people by up to 2e-4 and 1e-3. Dependence between attributes is no
part of this law: its figures are a reference, not a bound.

The independent model: the law of `independent` under the contract all models share.

Symbols: p(t) = Π_j n_j/n. Tables that have the attributes' counts are the shuffles of their
columns, all equally likely; E[N_s] over them is exact or nearly so (`independent`). One tuple's
crowd is recursive hypergeometric (TFRR), here to second order: λ = n·p and

    1 − ε = Π_j (1 − 1/n_j)/(1 − 1/n)^{d−1}

(`narrowing` without pairs). The standard deviation of ORR is that of `spread`, the projection
being on functions of one attribute each.

Where it fails: wherever attributes depend on each other. It is a reference, not a bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Codes, Counts, Floats, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.laws import Given, TupleSpace, crowds_of_tuples
from reidrisk.models.contract import Combinations, PersonCrowds
from reidrisk.models.crowd_law import (
    ENDLESS,
    Draws,
    Members,
    crowds_of_members,
    gridded_counts,
    mean_log_crowd,
    members_by_splitting,
    on_nodes,
    splitting_work,
)
from reidrisk.models.knowledge import (
    Knowledge,
    ValueCounts,
    distinguishing,
    distinguishing_attributes,
)
from reidrisk.models.raking import possible_tuples
from reidrisk.models.spectrum import STEP, SizeGrid, Spectrum, independent_spectrum
from reidrisk.models.spread import MOST_ROWS, Spread, spread_over
from reidrisk.models.tuple_law import TupleLaws, narrowing

# Forty milliseconds of splitting for a histogram; four for an entropy, which is asked for
# once for each pair of attributes and which the spectrum gives in two.
MOST_WORK = 2_000_000.0
MOST_WORK_FOR_ENTROPY = 200_000.0
# Bins this many times wider than the spectrum's own are enough for a histogram.
COARSER = 8
MOST_COUNTS = 60
# With fewer others than this to be expected, a person is alone.
NOBODY_ELSE = 1e-9


def expected_crowd_sizes(counts: Sequence[Counts], n: int) -> CrowdSizes:
    """E[N_s], the expected histogram of crowd sizes of n people under independence (R3A).

    `counts` holds, for each attribute, how many people hold each of its values; each adds up to n,
    a missing value being one more value. Every size up to 1000 is listed; larger crowds lie on
    sizes 0.5 % apart, numbers of crowds and of people both kept: Σ s·E[N_s] = n. A single
    attribute's sizes are its counts.

    Where it fails: tables too large for splitting have crowds of more than some 300 people blurred
    by up to 5 % of their size, so a *smallest* crowd of thousands is only known to about that, and
    the histogram's own entropy is up to 1e-3 bits too low; `random_entropy` has no such error.
    """
    attributes = distinguishing_attributes(counts, n)
    if n == 0:
        return CrowdSizes(np.empty(0, np.int64), np.empty(0), "expected")
    small = splitting_work(attributes, n, MOST_WORK) <= MOST_WORK
    sizes, mass = (members_by_splitting if small else members_by_spectrum)(attributes, n)
    return CrowdSizes(sizes, n * mass / sizes, "expected")


def random_entropy(counts: Sequence[Counts], n: int) -> float:
    """RDE = Σ_s E[N_s] (s/n) log2(n/s) in bits, the TDE formula on the predicted histogram (R3A).

    Taken as RDE = log2 n − E[log2(crowd)], the mean over people; never above EE or ME = log2 n.
    """
    return random_entropy_of([ValueCounts.of(each, n) for each in counts], n)


def random_entropy_of(attributes: Sequence[ValueCounts], n: int) -> float:
    """RDE of attributes whose equal counts are added up already, as for many pairs of a few."""
    attributes = distinguishing(attributes)
    if not attributes:
        return 0.0
    if splitting_work(attributes, n, MOST_WORK_FOR_ENTROPY) <= MOST_WORK_FOR_ENTROPY:
        return math.log2(n) - members_by_splitting(attributes, n).mean_log2
    # Both bounds are theorems; the spectrum may miss them by its last digit.
    experience = math.fsum(attribute.entropy for attribute in attributes)
    return min(entropy_by_spectrum(attributes, n), experience, math.log2(n))


def experience_entropy(counts: Sequence[Counts]) -> float:
    """EE = Σ_j H(A_j) in bits: the entropy of a tuple of independent values (R3A)."""
    return math.fsum(ValueCounts.of(each, int(np.sum(each))).entropy for each in counts)


def entropy_by_spectrum(attributes: Sequence[ValueCounts], n: int) -> float:
    """RDE from the spectrum, attributes in order of falling number of values."""
    others = independent_spectrum(attributes[1:], n)
    return math.log2(n) - mean_log_crowd(attributes[0], others) / math.log(2.0)


def members_by_spectrum(attributes: Sequence[ValueCounts], n: int) -> Members:
    """People by crowd size from the spectrum, attributes in order of falling number of values."""
    grid = SizeGrid.up_to(n)
    others = independent_spectrum(attributes[1:], n).coarsened(COARSER)
    draws = _draws(attributes[0], others)
    alone = draws.mean < NOBODY_ELSE
    mass = crowds_of_members(draws.chosen(~alone), grid)
    mass[0] += draws.mass[alone].sum() + others.beyond
    return on_nodes(grid, mass)


def _draws(kept: ValueCounts, others: Spectrum) -> Draws:
    """Every count m of the kept attribute with every share q of the others."""
    m, mass, narrowing = gridded_counts(kept, MOST_COUNTS, COARSER * STEP)
    used = others.mass > 0.0
    m_of, q = np.meshgrid(m, others.shares[used], indexing="ij")
    epsilon = np.add.outer(narrowing / mass, others.narrowing[used] / others.mass[used])
    alike = _alike(m_of, q, epsilon)
    both = np.outer(mass, others.mass[used])
    return Draws(
        (m_of - 1.0).ravel(),
        np.maximum(alike - 1.0, 0.0).ravel(),
        (alike / q - 1.0).ravel(),
        both.ravel(),
    )


def _alike(m: Floats, q: Floats, epsilon: Floats) -> Floats:
    """c = (1 − q)/ε, the count whose 1/c − 1/N is ε when c/N = q; endless when ε is nought.

    A crowd of thousands is blurred by the grid more than by chance, and no narrowing makes up for
    it: c/q stays above 1.25·m, which leaves a fifth of the binomial variance.
    """
    least = np.minimum(epsilon, (1.0 - q) / (1.25 * m * q))
    some = least > 1.0 / ENDLESS
    return np.where(some, (1.0 - q) / np.where(some, least, 1.0), q * ENDLESS)


@dataclass(frozen=True, eq=False)
class Independent:
    """The independent law of some knowledge; pair tables are left out of it."""

    knowledge: Knowledge
    name: str = "independent"

    @classmethod
    def of(cls, knowledge: Knowledge) -> Independent:
        """Keep the attributes' counts alone."""
        return cls(Knowledge(knowledge.n, knowledge.names, knowledge.counts))

    @property
    def fit(self) -> Mapping[str, Any]:
        """There is nothing to fit."""
        return {"ended": "exact"}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What it assumes."""
        return (
            Assumption(
                "independent", "model", "The attributes are taken as independent of each other."
            ),
        )

    @property
    def entropy(self) -> float:
        """EE = Σ_j H(A_j), in bits (R3A eq. 15)."""
        return experience_entropy(self.knowledge.counts)

    def crowd_sizes(self) -> CrowdSizes:
        """E[N_s] over all shuffles of the columns."""
        return expected_crowd_sizes(self.knowledge.counts, self.knowledge.n)

    def log_probability(self, codes: Codes) -> Floats:
        """Σ_j log n_j/n."""
        total = np.zeros(len(codes))
        with np.errstate(divide="ignore"):
            for place, shares in enumerate(self.knowledge.shares):
                total += np.log(shares)[codes[:, place]]
        return total

    def laws(self, codes: Codes) -> TupleLaws:
        """λ = n·p and ε of each tuple."""
        expected = self.knowledge.n * np.exp(self.log_probability(codes))
        return TupleLaws(expected, narrowing(self.knowledge, codes, ()))

    def crowds(self, combinations: Combinations, ks: Sequence[int], given: Given) -> PersonCrowds:
        """The recursive hypergeometric law of the values' counts, exact."""
        n, counts = self.knowledge.n, combinations.counts
        mean = n * np.prod(counts / n, axis=1)
        crowds = crowds_of_tuples(n, whole_or_mixed(counts, given), ks, given)
        return PersonCrowds(crowds, mean)

    def space(self) -> TupleSpace:
        """All attributes independent."""
        return TupleSpace.independent(self.knowledge.shares)

    def spread(self) -> Spread:
        """Standard deviations over all shuffles of the columns."""
        listed = possible_tuples(self.knowledge, 2 * MOST_ROWS)
        if listed is None:
            rows = self.drawn(MOST_ROWS, np.random.default_rng(0))
            mass = np.full(len(rows), 1.0 / len(rows))
            return spread_over(self.knowledge, rows, self.laws(rows), mass, (), sampled=True)
        laws = self.laws(listed)
        mass = laws.expected / max(self.knowledge.n, 1)
        return spread_over(self.knowledge, listed, laws, mass, (), sampled=False)

    def sample(self, rows: int, rng: np.random.Generator) -> Rows:
        """n rows are shuffled columns, with the very counts given; others independent draws."""
        if rows != self.knowledge.n:
            return self.drawn(rows, rng)
        columns = [
            rng.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
            for counts in self.knowledge.counts
        ]
        return np.stack(columns, axis=1) if columns else np.empty((rows, 0), np.int32)

    def drawn(self, rows: int, rng: np.random.Generator) -> Rows:
        """Independent draws from the law."""
        codes = np.empty((rows, len(self.knowledge.names)), dtype=np.int32)
        for place, counts in enumerate(self.knowledge.counts):
            # Whole numbers: a value nobody holds is never hit.
            hit = rng.integers(0, self.knowledge.n, rows)
            codes[:, place] = np.searchsorted(np.cumsum(counts), hit, side="right")
        return codes


def whole_or_mixed(counts: Floats, given: Given) -> Floats | NDArray[np.int64]:
    """Counts of at least one for members, who hold the values themselves; whole numbers as such,
    which spares looking for fractions.
    """
    counts = np.maximum(counts, 1.0) if given == "member" else counts
    whole = np.rint(counts)
    return whole.astype(np.int64) if np.array_equal(whole, counts) else counts
