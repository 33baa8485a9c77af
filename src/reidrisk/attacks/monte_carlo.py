"""The attack, played: targets drawn, their known values matched, one of the candidates picked.

A target is a person of the table, everybody as likely; its values are known with errors, or each
only by chance; the candidates are the people who agree on most of what is known (`matching`), and
one of them is picked, each as likely. The share of targets that are picked stands beside the
computed risk, with Wilson's 95 % interval. Targets are drawn with replacement, so trials are
independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reidrisk.attacks.noisy_knowledge import candidates, told
from reidrisk.attacks.random_knowledge import Interval, wilson
from reidrisk.attacks.targets import Tuples
from reidrisk.parallel import Progress, no_progress


@dataclass(frozen=True)
class Played:
    """How many of the targets were picked out, beside the risk that was computed."""

    targets: int
    hits: int
    overall_risk: float

    @property
    def hit_rate(self) -> float:
        """Share of the targets that were picked out."""
        return self.hits / self.targets

    @property
    def interval(self) -> Interval:
        """95 % limits of the probability behind the hit rate."""
        return wilson(self.hit_rate, self.targets)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "targets": self.targets,
            "hits": self.hits,
            "hit_rate": self.hit_rate,
            "interval": list(self.interval),
            "computed_risk": self.overall_risk,
        }


def hits_of(
    tuples: Tuples,
    targets: int,
    rng: np.random.Generator,
    error: float = 0.0,
    share: float | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
) -> int:
    """Play against so many targets; how many were picked out."""
    chosen = tuples.drawn(targets, rng)
    known = told(tuples, chosen, error, rng)
    mask = None if share is None else rng.random((targets, len(tuples.columns))) < share
    found = candidates(tuples, known.values, mask, threads, progress)
    right = len(tuples.columns) - known.wrong if mask is None else mask.sum(axis=1)
    # The pick is uniform, so the target, where it is a candidate, may be called the first of them.
    picked = rng.integers(0, found.people)
    return int(np.count_nonzero((found.agreement == right) & (picked == 0)))
