"""Groups drawn at random until the share that is all unique is known well enough (Koot et al.).

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
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.laws.tuple_space import TupleSpace

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
    found, span = codes[:, 0], space.shares[0].shape[1]
    for c in range(1, codes.shape[1]):
        width = space.shares[c].shape[1]
        if span * width >= WIDE:
            different, found = np.unique(found, return_inverse=True)
            span = len(different)
        found, span = found * width + codes[:, c], span * width
    return found
