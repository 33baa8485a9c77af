"""The law from its factorial moments: an alternating series, for crowds of a few people.

Symbols: X = |S_1 ∩ … ∩ S_d|, S_j a random set of n_j of n people. How often r people are all in
every set is known in closed form,

    F_r = E[C(X, r)] = C(n, r)·Π_j C(n_j, r)/C(n, r),
    F_{r+1}/F_r = Π_j (n_j − r)/((n − r)^{d−1}·(r + 1)),

    P(X = k) = Σ_{r≥k} (−1)^{r−k}·C(r, k)·F_r = F_k·(1 − …).

The terms cancel: with A = Σ|terms|/|sum| the relative error is about 20·A·eps. A depends on k and
is returned; the mean alone doesn't tell it.

Where it fails: A grows as e^{2·mean}, so the series is for means below 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def series_law(n: int, counts: Sequence[int], k: Ints) -> tuple[Floats, Floats]:
    """(log P(X = k), A) for each k from 0 to the smallest count."""
    logs = _log_moments(n, counts, int(k.max(initial=0)))[k]
    mean = n * float(np.prod([count / n for count in counts]))
    terms = min(counts) if mean > 1e4 else min(min(counts), int(4.0 * mean) + 45)
    r = k[:, None] + np.arange(terms)
    ratios = _share(n, counts, r) * (n - r) / (np.arange(terms) + 1.0)
    sizes = np.cumprod(np.maximum(ratios, 0.0), axis=1)
    signed = sizes.copy()
    signed[:, ::2] *= -1.0
    # From the smallest term up: the last digits are those of the large ones.
    total = 1.0 + signed[:, ::-1].sum(axis=1)
    whole = 1.0 + sizes.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        amplified = np.where(total > 0.0, whole / total, np.inf)
        return logs + np.log(np.maximum(total, 0.0)), amplified


def _log_moments(n: int, counts: Sequence[int], most: int) -> Floats:
    """log F_0 … log F_most."""
    r = np.arange(most)
    steps = np.log(_share(n, counts, r) * (n - r) / (r + 1.0))
    return np.concatenate([[0.0], np.cumsum(steps)])


def _share(n: int, counts: Sequence[int], r: Ints) -> Floats:
    """Π_j (n_j − r)/(n − r); 1 where r passes n."""
    left = np.maximum(n - r, 1)
    share = np.ones(r.shape)
    for count in counts:
        share *= (count - r) / left
    return share
