"""Opening a space of tuples: the likely ones one by one, power sums of all the others.

log Π_t (1 + p_t·z) = Σ_m (−1)^{m+1} z^m P_m/m converges only where |z|·p_t < 1 for all t. So tuples
with p_t ≥ s are listed, and of the others

    P_m = Σ_{p_t < s} p_t^m = s^m·Q_m

is summed without listing them, and without subtracting, which would leave rounding errors alone.

Tuples are walked attribute after attribute, parents first. A prefix (values of the attributes so
far) whose likeliest completion stays below s is dropped together with all its completions, whose
power sum is known: for values w of attribute c in order of a_w = P(w | v)·(best completion below),
those that fall below s are the end of the row, and

    Σ_{w from i on} Σ_{below} p^m = (largest of them)^m · Σ_w (a_w/a_i)^m·S(w),
    S(w) = Σ_{completions} (p/best)^m,

times the S of the branches that are still open. All terms are positive and between 0 and the number
of tuples, so nothing under- or overflows. Since prefixes that are kept have a completion that is
kept, none of the lists is longer than the number of tuples kept, which is below 1/s.

P(all k drawn differ) = k!·e_k(p), by a contour through the saddle point.

Symbols: e_k(p) = Σ over sets of k outcomes of the product of their p; it is the coefficient of z^k
in Π_i (1 + p_i·z). For any r > 0 let S be a sum of independent indicators, S = Σ_i B(q_i) with
q_i = p_i·r/(1 + p_i·r). Then, exactly,

    e_k(p) = P(S = k)·Π_i (1 + p_i·r)/r^k,

and P(S = k) = (1/M) Σ_{j<M} E[e^{iSθ_j}]·e^{−ikθ_j}, θ_j = 2πj/M, but for what S = k ± M, k ± 2M …
adds. With E[S] = k, the saddle point, nothing cancels. With V = Var S:

- Bernstein: P(|S − k| ≥ M) ≤ 2·exp(−M²/(2V + 2M/3)), which chooses M;
- |E[e^{iSθ}]| ≤ exp(−V·(1 − cos θ)), which says which θ_j matter: some twenty of them,
  whatever k and however many outcomes.

r/k = 1 + x: with Σp = 1, k!·e_k = √(2πk)·e^{δ(k)}·P(S = k)·exp(k·(x − log(1+x)) − Σ(p_i·r −
log(1 + p_i·r))), δ Stirling's remainder: no large numbers are subtracted.

Sums over outcomes are taken over the likely ones and by power sums (`likely_tuples`). Relative
error: below 1e-12 (checked against rationals and 60 digits), k up to 10^7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.laws.tuple_space import TupleSpace


@dataclass(frozen=True, eq=False)
class LikelyTuples:
    """p of the tuples listed; of the others Σ p^m = scale^m·sums[m − 1], m = 1 … terms."""

    listed: Floats
    scale: float
    sums: Floats


@dataclass(frozen=True, eq=False)
class _Row:
    """Each row of an attribute by falling a_w, as a share of the first; `order` of its values."""

    ratio: Floats
    order: Ints | None
    held: Ints


@dataclass(frozen=True, eq=False)
class _Dropped:
    """Prefixes whose values of attribute `at` from `cut` on are dropped."""

    at: int
    row: Ints
    cut: Ints
    largest: Floats
    # Branches still open, with the place of each prefix's value above them.
    beside: Mapping[int, Ints | None]


def likely_tuples(space: TupleSpace, least: float, terms: int) -> LikelyTuples:
    """List the tuples with p ≥ `least`; of the others give `terms` power sums."""
    best, below = space.passed_up(lambda shares: shares, best=True)
    rows = {c: _sorted_rows(space.shares[c], below[c]) for c in space.order}
    listed, dropped = _walked(space, rows, best, least)
    scale = min(least, space.largest)
    if not dropped:
        return LikelyTuples(listed, scale, np.zeros(terms))
    tails = [_Tails(rows[each.at], each) for each in dropped]
    asked = {branch for each in dropped for branch in each.beside}
    sums = np.zeros(terms)
    folded = np.empty((terms, len(dropped)), dtype=object)
    for m in range(1, terms + 1):
        normal = _normal_sums(space, rows, m, asked)
        for place, (each, tail) in enumerate(zip(dropped, tails, strict=True)):
            tail.add(m, None if rows[each.at].order is None else normal.below[each.at])
            folded[m - 1, place] = _beside(each, normal.up)
    for place, (each, tail) in enumerate(zip(dropped, tails, strict=True)):
        ends = tail.whole(terms)
        step = each.largest / scale
        power = np.ones(len(step))
        for m in range(1, terms + 1):
            power = power * step
            sums[m - 1] += float(np.sum(power * ends[tail.which, m - 1] * folded[m - 1, place]))
    return LikelyTuples(listed, scale, sums)


def _sorted_rows(shares: Floats, below: Floats | None) -> _Row:
    weighed = shares if below is None else shares * below
    order = None
    if below is None and len(shares) == 1:
        # A list of outcomes: nothing hangs on which is which.
        weighed = -np.sort(-weighed, axis=1)
    else:
        order = np.argsort(-weighed, axis=1, kind="stable")
        weighed = np.take_along_axis(weighed, order, axis=1)
    first = np.where(weighed[:, :1] > 0.0, weighed[:, :1], 1.0)
    return _Row(weighed / first, order, np.count_nonzero(weighed > 0.0, axis=1))


def _walked(
    space: TupleSpace, rows: Mapping[int, _Row], best: Mapping[int, Floats], least: float
) -> tuple[Floats, list[_Dropped]]:
    """The tuples kept, and what was dropped on the way."""
    bound = np.array([np.prod([best[root][0] for root in space.roots])])
    codes: dict[int, Ints] = {}
    dropped = []
    for place, c in enumerate(space.order):
        u = space.parent[c]
        row = np.zeros(len(bound), dtype=np.int64) if u is None else codes[u]
        cut = _cuts(rows[c], row, least / bound)
        some = np.flatnonzero(cut < rows[c].held[row])
        if len(some):
            largest = bound[some] * rows[c].ratio[row[some], cut[some]]
            beside = {
                f: None if above is None else codes[above][some]
                for f in space.order[place + 1 :]
                if (above := space.parent[f]) is None or above in codes
            }
            dropped.append(_Dropped(c, row[some], cut[some], largest, beside))
        which = np.repeat(np.arange(len(bound)), cut)
        value = np.arange(len(which)) - np.repeat(np.cumsum(cut) - cut, cut)
        bound = bound[which] * rows[c].ratio[row[which], value]
        codes = {held: values[which] for held, values in codes.items()}
        order = rows[c].order
        codes[c] = value if order is None else order[row[which], value]
    return bound, dropped


def _cuts(rows: _Row, row: Ints, least: Floats) -> Ints:
    """How many of its row's values each prefix keeps: those with a ratio of at least `least`."""
    cut = np.empty(len(row), dtype=np.int64)
    for each in np.unique(row):
        mine = np.flatnonzero(row == each)
        rising = -rows.ratio[each, : rows.held[each]]
        cut[mine] = np.searchsorted(rising, -least[mine], side="right")
    return cut


@dataclass(frozen=True, eq=False)
class _Normal:
    """S of each attribute's values, and of each branch by the value above it."""

    up: Mapping[int, Floats]
    below: Mapping[int, Floats | None]


def _normal_sums(space: TupleSpace, rows: Mapping[int, _Row], m: int, asked: set[int]) -> _Normal:
    """Σ_completions (p/best)^m for one m, by message passing over the ratios; of roots, only those
    asked for.
    """
    up: dict[int, Floats] = {}
    below: dict[int, Floats | None] = {}
    for c in reversed(space.order):
        under: Floats | None = None
        for child in space.children[c]:
            under = up[child] if under is None else under * up[child]
        below[c] = under
        if space.parent[c] is None and c not in asked:
            continue
        powers = rows[c].ratio ** m
        order = rows[c].order
        if under is not None and order is not None:
            powers = powers * under[order]
        up[c] = powers.sum(axis=1)
    return _Normal(up, below)


def _beside(dropped: _Dropped, up: Mapping[int, Floats]) -> Floats | float:
    """Π of the S of the branches still open, for each prefix or one for all."""
    product: Floats | float = 1.0
    for branch, above in dropped.beside.items():
        product = product * (float(up[branch][0]) if above is None else up[branch][above])
    return product


class _Tails:
    """Σ_{w from i on} (a_w/a_i)^m·S(w) for the cuts i that occur, in pieces between cuts.

    Each piece is summed in terms of its own first value, then pieces are added from the end:
    tail_i = piece_i + (a_next/a_i)^m·tail_next.
    """

    def __init__(self, rows: _Row, dropped: _Dropped) -> None:
        pairs = np.stack([dropped.row, dropped.cut], axis=1)
        starts, self.which = np.unique(pairs, axis=0, return_inverse=True)
        row, cut = starts[:, 0], starts[:, 1]
        self.last = np.append(row[1:] != row[:-1], True)
        ends = np.where(self.last, rows.held[row], np.append(cut[1:], 0))
        length = ends - cut
        self.begin = np.cumsum(length) - length
        piece = np.repeat(np.arange(len(row)), length)
        value = np.arange(len(piece)) - np.repeat(self.begin, length) + np.repeat(cut, length)
        first = rows.ratio[row, cut]
        self.ratio = rows.ratio[row[piece], value] / first[piece]
        self.power = np.ones(len(self.ratio))
        self.value = None if rows.order is None else rows.order[row[piece], value]
        self.link = np.where(self.last, 0.0, np.append(first[1:], 0.0) / first)
        self.pieces: list[Floats] = []

    def add(self, m: int, below: Floats | None) -> None:
        """The pieces of the next m, counted from 1."""
        assert m == len(self.pieces) + 1
        self.power *= self.ratio
        weighed = self.power
        if below is not None and self.value is not None:
            weighed = weighed * below[self.value]
        self.pieces.append(np.add.reduceat(weighed, self.begin))

    def whole(self, terms: int) -> Floats:
        """The tails: a row for each different cut, a column for each m."""
        tails = np.stack(self.pieces, axis=1)
        m = np.arange(1, terms + 1)
        for place in range(len(tails) - 2, -1, -1):
            if not self.last[place]:
                tails[place] += self.link[place] ** m * tails[place + 1]
        return tails


Complex = NDArray[np.complex128]

# Power sums are used where p·r stays below this; at most 5k tuples lie above.
NEAR = 0.25
# e^−40 is nothing beside a probability that is worked out to 1e-12.
NOTHING = 40.0
AT_ONCE = 100_000
ROUNDS = 200


class SaddlePoint:
    """log k!·e_k of a space of tuples for any k; what was likely_tuples for one k serves others."""

    def __init__(self, space: TupleSpace) -> None:
        self.space = space
        self._known: dict[float, LikelyTuples] = {}

    def log_all_different(self, k: int) -> float:
        """log P(k independent draws all differ); −inf where there are too few outcomes."""
        if k <= 1:
            return 0.0
        held = self.space.held
        if k > held + 0.5:
            return -math.inf
        if k >= held - 0.5:
            return self._every_one(k)
        r, parts = self._saddle(k)
        return _log_answer(k, r, parts)

    def likely_for(self, k: int) -> LikelyTuples:
        """The tuples with k·p ≥ 1/4 one by one, power sums of the others."""
        return self._likely(2.0 ** math.ceil(math.log2(max(k, 1))))

    def _every_one(self, k: int) -> float:
        listed = likely_tuples(self.space, 0.0, 1).listed
        return math.lgamma(k + 1) + math.fsum(np.log(listed))

    def _saddle(self, k: int) -> tuple[float, LikelyTuples]:
        """r with E[S] = k, and sums that hold up to there."""
        reach = 2.0 ** math.ceil(math.log2(1.25 * k))
        while _mean(self._likely(reach), reach) < k:
            reach *= 4.0
        parts = self._likely(reach)
        low, high, r = float(k), reach, min(float(k) * 1.1, reach)
        for _ in range(ROUNDS):
            gap = k - _mean(parts, r)
            low, high = (r, high) if gap > 0 else (low, r)
            # In log r the mean rises by V.
            step = r * math.exp(min(max(gap / max(_variance(parts, r), 1e-12), -5.0), 5.0))
            r = step if low < step < high else math.sqrt(low * high)
            if abs(gap) < 1e-9 * k or high - low <= 1e-12 * high:
                break
        return r, parts

    def _likely(self, reach: float) -> LikelyTuples:
        if reach not in self._known:
            near = min(NEAR, reach * self.space.largest)
            terms = math.ceil((math.log(reach) + 32.0) / -math.log(near)) + 1
            self._known[reach] = likely_tuples(self.space, NEAR / reach, terms)
        return self._known[reach]


def _series(parts: LikelyTuples, r: float, weight: Floats) -> float:
    """Σ_m (−1)^{m+1} r^m P_m·weight_m over the tuples that weren't listed."""
    m = np.arange(1, len(parts.sums) + 1)
    sign = np.where(m % 2 == 1, 1.0, -1.0)
    return math.fsum(sign * (r * parts.scale) ** m * parts.sums * weight)


def _orders(parts: LikelyTuples) -> Floats:
    return np.arange(1.0, len(parts.sums) + 1)


def _mean(parts: LikelyTuples, r: float) -> float:
    x = parts.listed * r
    return float(np.sum(x / (1.0 + x))) + _series(parts, r, np.ones(len(parts.sums)))


def _variance(parts: LikelyTuples, r: float) -> float:
    x = parts.listed * r
    return float(np.sum(x / (1.0 + x) ** 2)) + _series(parts, r, _orders(parts))


def log_product(parts: LikelyTuples, r: float) -> float:
    """log Π (1 + p·r)."""
    return float(np.sum(np.log1p(parts.listed * r))) + _series(parts, r, 1.0 / _orders(parts))


def excess(parts: LikelyTuples, r: float) -> float:
    """Σ (p·r − log(1 + p·r))."""
    x = parts.listed * r
    weight = 1.0 / _orders(parts)
    weight[0] = 0.0
    return float(np.sum(x - np.log1p(x))) - _series(parts, r, weight)


def _log_answer(k: int, r: float, parts: LikelyTuples) -> float:
    x = (r - k) / k
    if x < 1.0:
        tilted = k * (x - math.log1p(x)) - excess(parts, r)
    else:
        tilted = log_product(parts, r) - k - k * math.log(r / k)
    beyond = 0.5 * math.log(2.0 * math.pi * k) + stirling_remainder(k)
    return tilted + beyond + math.log(_probability_of(k, r, parts))


def _probability_of(k: int, r: float, parts: LikelyTuples) -> float:
    """P(S = k), by the trapezoid rule on the circle."""
    v = max(_variance(parts, r), 0.0)
    # Beside P(S = k), some 1/√(2πV).
    least = NOTHING + 0.5 * math.log1p(2.0 * math.pi * v)
    nodes = math.ceil(least / 3.0 + math.sqrt(least * least / 9.0 + 2.0 * v * least))
    theta = 2.0 * math.pi * np.arange(nodes // 2 + 1) / nodes
    theta = theta[v * (1.0 - np.cos(theta)) <= least]
    # Conjugate halves of the circle: 0 and π have no partner.
    times = np.where((theta > 0.0) & (theta < math.pi * (1.0 - 1e-12)), 2.0, 1.0)
    values = np.exp(_log_ratio(parts, r, theta) - 1j * k * theta).real
    return math.fsum(times * values) / nodes


def _log_ratio(parts: LikelyTuples, r: float, theta: Floats) -> Complex:
    """log E[e^{iSθ}] = Σ log((1 + p·r·e^{iθ})/(1 + p·r))."""
    turn = np.expm1(1j * theta)
    logs = np.zeros(len(theta), dtype=np.complex128)
    q = parts.listed * r / (1.0 + parts.listed * r)
    for begin in range(0, len(q), AT_ONCE):
        logs += np.log1p(np.outer(turn, q[begin : begin + AT_ONCE])).sum(axis=1)
    m = np.arange(1, len(parts.sums) + 1)
    sign = np.where(m % 2 == 1, 1.0, -1.0)
    weight = sign * (r * parts.scale) ** m * parts.sums / m
    logs += np.expm1(1j * np.outer(theta, m)) @ weight
    return logs


def stirling_remainder(k: int) -> float:
    """δ(k) = log k! − (k·log k − k + ½·log 2πk)."""
    if k < 16:
        return math.lgamma(k + 1) - (k * math.log(k) - k + 0.5 * math.log(2.0 * math.pi * k))
    return (
        1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * k * k)) / (k * k)) / (k * k)
    ) / k
