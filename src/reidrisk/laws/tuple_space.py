"""The space of tuples that a group's members are drawn from, and sums over it by message passing.

Symbols: attribute c hangs on its parent u, P(w | v) is the share of c's value w among the people of
u's value v; a root has one row, its values' shares. A tuple t has

    p(t) = Π_c P(t_c | t_u).

Independent attributes are a forest of roots; a list of outcomes is a single root. Any sum or
maximum over all tuples of a product of functions f_c(P) needs no list of tuples: for each value v
of the parent

    up_c(v) = Σ_w f(P(w | v))·below_c(w),   below_c(w) = Π_children up(w),

and the answer is the product of the roots' ups: P_m = Σ_t p(t)^m with f = P^m, the number of tuples
somebody may hold with f = [P > 0], the largest p(t) with f = P and a maximum instead of the sum.

Where it fails: sums of more than 2^53 tuples are rounded; shares have to add up to 1 in each row
that somebody holds.

Groups drawn at random until the share that is all unique is known well enough (Koot et al.).

Symbols: of n groups drawn, n₊ are all unique; p̂ = n₊/n estimates p. The paper stops when the
half-width of the confidence interval is below r·p̂,

    t_α·σ(p̂)/p̂ < r,   σ(p̂) ≈ √(p̂/n),   that is when n₊ ≥ t_α²/r²:

385 groups that are all unique at r = 0.1 and α = 0.95, whatever p is. (The paper's "n₊ about 400"
means these; its n₊ elsewhere is the number of groups drawn, t²/(r²p̂).) Drawing ends with the very
group that reaches it, not with its batch; p̂ then exceeds p by 1/n₊ of it on average, a quarter of a
per cent here. The half-width given is t_α·√((1 − p̂)/n₊), which is r or less.

Members are drawn a few at a time and groups with a double are given up at once.

Where it fails: at a probability of 1e-7 four billion groups would be needed; at `most` groups it
stops, says so, and its half-width is what it then is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class TupleSpace:
    """Attributes with their parents (None for a root) and shares P(w | v), a row for each v."""

    parent: tuple[int | None, ...]
    shares: tuple[Floats, ...]

    @classmethod
    def listed(cls, probabilities: Floats) -> TupleSpace:
        """Outcomes one by one."""
        return cls.independent([probabilities])

    @classmethod
    def independent(cls, shares: Sequence[Floats]) -> TupleSpace:
        """Attributes that don't depend on each other."""
        rows = tuple(np.asarray(each, dtype=np.float64)[None, :] for each in shares)
        return cls((None,) * len(rows), rows)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Parents before their children; among those that may come next, most values first."""
        left = set(range(len(self.parent)))
        order: list[int] = []
        while left:
            ready = [c for c in left if self.parent[c] is None or self.parent[c] in order]
            chosen = min(ready, key=lambda c: (-self.shares[c].shape[1], c))
            order.append(chosen)
            left.remove(chosen)
        return tuple(order)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The attributes right below each."""
        every = range(len(self.parent))
        return tuple(tuple(c for c in every if self.parent[c] == u) for u in every)

    @property
    def roots(self) -> tuple[int, ...]:
        """Where the trees begin."""
        return tuple(c for c in range(len(self.parent)) if self.parent[c] is None)

    def passed_up(
        self, of_share: Callable[[Floats], Floats], best: bool = False
    ) -> tuple[dict[int, Floats], dict[int, Floats | None]]:
        """(up, below) of each attribute; below is None where nothing hangs below (all ones)."""
        up: dict[int, Floats] = {}
        below: dict[int, Floats | None] = {}
        for c in reversed(self.order):
            under: Floats | None = None
            for child in self.children[c]:
                under = up[child] if under is None else under * up[child]
            cells = of_share(self.shares[c])
            if best:
                weighed = cells if under is None else cells * under
                up[c] = weighed.max(axis=1)
            else:
                up[c] = cells.sum(axis=1) if under is None else cells @ under
            below[c] = under
        return up, below

    def _total(self, of_share: Callable[[Floats], Floats], best: bool = False) -> float:
        up, _ = self.passed_up(of_share, best)
        return float(np.prod([up[root][0] for root in self.roots]))

    def power_sum(self, m: int) -> float:
        """P_m = Σ_t p(t)^m."""
        return self._total(lambda shares: shares**m)

    @cached_property
    def held(self) -> float:
        """How many tuples have a probability above nought."""
        return self._total(lambda shares: (shares > 0.0).astype(np.float64))

    @cached_property
    def largest(self) -> float:
        """The largest p(t)."""
        return self._total(lambda shares: shares, best=True)

    @cached_property
    def entropy(self) -> float:
        """H = −Σ_t p log p = Σ_c Σ_v P(v)·H(c | v), natural."""
        total, margin = 0.0, dict[int, Floats]()
        for c in self.order:
            u = self.parent[c]
            rows = np.ones(1) if u is None else margin[u]
            shares = self.shares[c]
            logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0.0)
            total -= float(rows @ (shares * logs).sum(axis=1))
            margin[c] = rows @ shares
        return total + 0.0

    def restricted(self, keep: Sequence[NDArray[np.bool_]]) -> tuple[TupleSpace, float]:
        """The space given that each value is one of those kept, and how probable that is.

        P(w | v) becomes P(w | v)·below(w)/up(v), which is again a row of shares.
        """
        kept = TupleSpace(self.parent, tuple(self._kept(c, keep) for c in range(len(keep))))
        up, below = kept.passed_up(lambda shares: shares)
        shares = []
        for c, cells in enumerate(kept.shares):
            under = below[c]
            weighed = cells if under is None else cells * under
            shares.append(weighed / np.where(up[c] > 0.0, up[c], 1.0)[:, None])
        probability = float(np.prod([up[root][0] for root in self.roots]))
        return TupleSpace(self.parent, tuple(shares)), probability

    def _kept(self, c: int, keep: Sequence[NDArray[np.bool_]]) -> Floats:
        u = self.parent[c]
        rows = self.shares[c] if u is None else self.shares[c][keep[u]]
        return rows[:, keep[c]]

    def probability(self, codes: Sequence[int]) -> float:
        """p(t) of one tuple, given by the places of its values."""
        product = 1.0
        for c, u in enumerate(self.parent):
            product *= float(self.shares[c][0 if u is None else codes[u], codes[c]])
        return product

    def drawn(self, draws: int, rng: np.random.Generator) -> Ints:
        """Independent draws, a row each, a column an attribute."""
        codes = np.zeros((draws, len(self.parent)), dtype=np.int64)
        for c in self.order:
            u = self.parent[c]
            rows = np.zeros(draws, dtype=np.int64) if u is None else codes[:, u]
            codes[:, c] = self._values(c, rows, rng.random(draws))
        return codes

    @cached_property
    def _reached(self) -> tuple[Floats, ...]:
        """Running sums of each row, the last value that somebody holds reaching 1."""
        sums = []
        for shares in self.shares:
            running = np.cumsum(shares, axis=1)
            total = np.where(running[:, -1:] > 0.0, running[:, -1:], 1.0)
            # A value after the last one held is never reached, whatever the rounding.
            sums.append(np.where(running >= running[:, -1:], 1.0, running / total))
        return tuple(sums)

    def _values(self, c: int, rows: Ints, uniform: Floats) -> Ints:
        width = self.shares[c].shape[1]
        flat = (self._reached[c] + np.arange(len(self.shares[c]))[:, None]).ravel()
        found = np.searchsorted(flat, rows + uniform, side="right") - rows * width
        return np.asarray(np.minimum(found, width - 1), dtype=np.int64)


MOST_GROUPS = 20_000_000
# Members drawn at once, all groups of a batch together.
DRAWS_AT_ONCE = 2_000_000
FIRST_BATCH = 2_000
STEP = 8
WIDE = 1 << 62


@dataclass(frozen=True)
class SimulatedGroups:
    """What was drawn: p̂ = unique/groups, and how far it may be off."""

    estimate: float
    groups: int
    unique: int
    half_width: float
    confidence: float
    reached: bool

    @property
    def interval(self) -> tuple[float, float]:
        """p̂·(1 ± half-width); [0, 3.7/n] or so where no group was all unique."""
        if not self.unique:
            return 0.0, min(-math.log((1.0 - self.confidence) / 2.0) / max(self.groups, 1), 1.0)
        reach = self.half_width * self.estimate
        return max(self.estimate - reach, 0.0), min(self.estimate + reach, 1.0)


def simulated(
    space: TupleSpace,
    k: int,
    rng: np.random.Generator,
    relative: float = 0.1,
    confidence: float = 0.95,
    most: int = MOST_GROUPS,
) -> SimulatedGroups:
    """Draw groups of k until the relative half-width is `relative` at `confidence`."""
    t = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    needed = math.ceil(t * t / (relative * relative))
    groups, unique, batch = 0, 0, FIRST_BATCH
    while unique < needed and groups < most:
        batch = min(batch, most - groups, max(DRAWS_AT_ONCE // min(k, STEP), 1))
        found = np.sort(_all_unique(space, k, batch, rng))
        if unique + len(found) >= needed:
            # The group that completes the number is the last.
            groups += int(found[needed - unique - 1]) + 1
            unique = needed
            break
        groups += batch
        unique += len(found)
        batch *= 2
    estimate = unique / groups
    width = t * math.sqrt((1.0 - estimate) / unique) if unique else math.inf
    return SimulatedGroups(estimate, groups, unique, width, confidence, unique >= needed)


def _all_unique(space: TupleSpace, k: int, groups: int, rng: np.random.Generator) -> Ints:
    """Draw groups, members a few at a time; which of the groups are all unique."""
    # Numbers of tuples that had to be given anew can be compared within one drawing only.
    step = STEP if math.prod(shares.shape[1] for shares in space.shares) < WIDE else k
    alive = np.arange(groups)
    members = np.empty((groups, 0), dtype=np.int64)
    while members.shape[1] < k and len(alive):
        more = min(step, k - members.shape[1])
        drawn = _numbered(space, space.drawn(len(alive) * more, rng)).reshape(len(alive), more)
        members = np.sort(np.concatenate([members, drawn], axis=1), axis=1)
        differ = (members[:, 1:] != members[:, :-1]).all(axis=1)
        alive, members = alive[differ], members[differ]
    return alive


def _numbered(space: TupleSpace, codes: Ints) -> Ints:
    """One whole number for each tuple, in mixed radix; given anew where that grows too large."""
    numbers, span = codes[:, 0], space.shares[0].shape[1]
    for c in range(1, codes.shape[1]):
        width = space.shares[c].shape[1]
        if span * width >= WIDE:
            different, numbers = np.unique(numbers, return_inverse=True)
            span = len(different)
        numbers, span = numbers * width + codes[:, c], span * width
    return numbers
