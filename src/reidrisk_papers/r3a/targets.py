"""The stand-in's statistics, which are the background knowledge, and the targets drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

import reidrisk as rr
from reidrisk_papers.r3a.population import population
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.setting import Setting

TARGETS = 20


@dataclass(frozen=True, eq=False)
class Study:
    """What is known of everybody, and some of them drawn at random, by how many they are."""

    background: rr.Statistics
    dependence: Mapping[tuple[str, str], Any]
    entropies: Mapping[str, float]
    targets: Mapping[int, pa.Table]
    said: str

    @property
    def sizes(self) -> tuple[int, int]:
        """People of the smaller and of the larger targets."""
        small, large = sorted(self.targets)
        return small, large

    @property
    def strong(self) -> list[tuple[str, str]]:
        """Ordered pairs (of, on) with a gain ratio of at least 0.5, strongest first."""
        listed = [(pair, each) for pair, each in self.dependence.items() if is_strong(each)]
        return [pair for pair, _ in sorted(listed, key=lambda held: -held[1].uncorrected)]

    def strong_in(self, columns: tuple[str, ...]) -> list[tuple[str, str]]:
        """Those within some columns."""
        return [pair for pair in self.strong if set(pair) <= set(columns)]

    def strongest_weak_in(self, columns: tuple[str, ...]) -> tuple[str, str]:
        """The ordered pair of greatest gain ratio that is strong neither way round."""
        strong = {frozenset(pair) for pair in self.strong}
        weak = [pair for pair in self.dependence
                if set(pair) <= set(columns) and frozenset(pair) not in strong]  # fmt: skip
        return max(weak, key=lambda pair: self.dependence[pair].corrected)


def is_strong(found: Any) -> bool:
    """Strong or complete, as table 2 has it."""
    return found.published_kind in ("strong", "complete")


@lru_cache(maxsize=1)
def study(setting: Setting) -> Study:
    """Made once for the figures that share it."""
    setting.progress("r3a: people of the stand-in", 0, 1)
    made = population(setting)
    table = rr.read(made.records, columns=list(stand_ins().columns))
    found = rr.measure(table, dependence=True).dependence or ()
    background = rr.publish(table, pairs="all", unprotected=True)
    held = stand_ins().population["quick_targets" if setting.quick else "targets"]
    targets = {}
    for place, people in enumerate(setting.scaled(each, 100) for each in held):
        rng = setting.rng(TARGETS, place)
        rows = np.sort(rng.choice(len(made.records), people, replace=False))
        targets[people] = made.records.take(rows)
    dependence = {(each.of[0], each.on[0]): each for each in found}
    return Study(background, dependence, _entropies(background), targets, made.said)


def _entropies(statistics: rr.Statistics) -> dict[str, float]:
    """H of each attribute, in bits: the experience entropy of one alone."""
    matrix = statistics.avfm() / statistics.records
    bits = -np.where(matrix > 0, matrix * np.log2(np.maximum(matrix, 1e-300)), 0.0).sum(axis=0)
    return dict(zip(statistics.names, bits.tolist(), strict=True))
