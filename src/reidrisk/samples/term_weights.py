"""Weights of the terms of a law p_k(v) ∝ exp(base_kv + Σ_i w_i·ratio_ikv): the likeliest.

    maximise  Σ_k t_k ln p_k(y_k) − Σ_i (w_i − u)²,   0 ≤ w_i ≤ 1.5,

y_k the value that cell k has, t_k how often it counts, u = min(1, 1.5/terms). The sum is concave,
so Newton's steps within the bounds, halved where they overshoot, end at its top.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Codes, Floats

LARGEST = 1.5
STEPS = 12
# A step that gains less than this share of the likelihood is the last.
STALLED = 1e-9


@dataclass(frozen=True, eq=False)
class TermFit:
    """What the weights are fitted to: `ratios` by term, cell and value; `own` is y."""

    base: Floats
    ratios: Floats
    own: Codes
    times: Floats

    @property
    def usual(self) -> float:
        """u: the weight where the cells say nothing."""
        return min(1.0, 1.5 / len(self.ratios))

    def weights(self) -> Floats:
        """w."""
        weights = np.full(len(self.ratios), self.usual)
        value, law = self._value(weights)
        for _ in range(STEPS):
            step = self._step(weights, law)
            before = value
            for part in (1.0, 0.5, 0.25, 0.125):
                tried = np.clip(weights + part * step, 0.0, LARGEST)
                found, its_law = self._value(tried)
                if found > value:
                    weights, value, law = tried, found, its_law
                    break
            if value <= before + STALLED * abs(before):
                break
        return weights

    def _value(self, weights: Floats) -> tuple[float, Floats]:
        """The penalised likelihood, and p."""
        logits = self.base + np.tensordot(weights, self.ratios, 1)
        top = logits.max(axis=1, keepdims=True)
        law = np.exp(logits - top)
        whole = law.sum(axis=1, keepdims=True)
        cells = np.arange(len(self.own))
        own = logits[cells, self.own] - (top + np.log(whole))[:, 0]
        penalty = float(((weights - self.usual) ** 2).sum())
        return float(np.dot(self.times, own)) - penalty, law / whole

    def _step(self, weights: Floats, law: Floats) -> Floats:
        """Newton's step; weights that would leave their bounds stay."""
        cells = np.arange(len(self.own))
        means = np.einsum("ikv,kv->ik", self.ratios, law)
        slope = (self.ratios[:, cells, self.own] - means) @ self.times
        slope -= 2.0 * (weights - self.usual)
        flat = self.ratios.reshape(len(weights), -1)
        bend = (flat * (law * self.times[:, None]).ravel()) @ flat.T
        bend += 2.0 * np.eye(len(weights)) - (means * self.times) @ means.T
        held = (weights <= 0.0) & (slope < 0.0) | (weights >= LARGEST) & (slope > 0.0)
        step = np.zeros_like(weights)
        if not held.all():
            free = ~held
            step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        return step
