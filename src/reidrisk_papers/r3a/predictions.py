"""The forty targets: counted, and predicted from their counts with and without dependence.

A target's statistics are its value counts alone. What is known of dependence comes from the whole
stand-in, as in the paper: its frequent tuples for semi-random sampling (algorithm 2), its pair
tables for the tree and the pairwise law.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import reidrisk as rr
from reidrisk_papers.r3a.stand_ins import stand_ins
from reidrisk_papers.r3a.targets import Study, study
from reidrisk_papers.setting import Setting

SAMPLES, CAPACITY = 10, 10
QUICK_SAMPLES, QUICK_CAPACITY = 2, 5


class Target(NamedTuple):
    """One subset of so many people: counts, and what was counted."""

    subset: int
    people: int
    columns: tuple[str, ...]
    strong: bool
    statistics: rr.Statistics
    risk: float
    entropy: Any

    @property
    def key(self) -> tuple[int, int]:
        """Which of the forty it is."""
        return self.subset, self.people

    @property
    def tuples(self) -> int:
        """How many tuples its values could make."""
        product = 1
        for each in self.statistics.attributes:
            product *= len(each.counts)
        return product


class Random(NamedTuple):
    """A target predicted from its counts alone: by shuffling, and in closed form.

    Nine in ten tables that have these counts lie `within` these ORRs.
    """

    target: Target
    shuffled: float
    closed: float
    within: tuple[float, float]
    shuffled_entropy: float

    @property
    def error(self) -> float:
        """Of the shuffles, upwards positive."""
        return self.shuffled - self.target.risk

    @property
    def improved(self) -> float:
        """Of the closed form."""
        return self.closed - self.target.risk


class Known(NamedTuple):
    """A target predicted with the background's dependence: semi-random, and by a law."""

    target: Target
    random: float
    shuffled: float
    law: float
    model: str
    frequent: int
    missed: float

    @property
    def error(self) -> float:
        """Of the semi-random shuffles."""
        return self.shuffled - self.target.risk

    @property
    def improved(self) -> float:
        """Of the tree or the pairwise law."""
        return self.law - self.target.risk


@lru_cache(maxsize=1)
def by_random_sampling(setting: Setting) -> tuple[Random, ...]:
    """Every target, the smaller ones first."""
    return tuple(_random(setting, target) for target in _targets(setting))


@lru_cache(maxsize=1)
def by_semi_random_sampling(setting: Setting) -> tuple[Known, ...]:
    """The same targets; those without a strong pair have no frequent tuples, and stay random."""
    held = study(setting)
    found = by_random_sampling(setting)
    return tuple(_known(setting, held, each) for each in found)


def _targets(setting: Setting) -> Iterable[Target]:
    held, made = study(setting), stand_ins()
    for place, (people, records) in enumerate(sorted(held.targets.items())):
        for number, columns in made.subsets.items():
            done = place * len(made.subsets) + number - 1
            setting.progress("r3a: random sampling, targets", done, 2 * len(made.subsets))
            table = rr.read(records, columns=list(columns))
            counted = rr.measure(table, dependence=False)
            statistics = rr.publish(table, pairs="none", unprotected=True)
            strong = number in made.strong
            yield Target(number, people, columns, strong, statistics,
                         counted.overall_risk, counted.entropy)  # fmt: skip


def _shuffles(setting: Setting, target: Target, background: rr.Statistics | None) -> Any:
    return rr.predict(
        target.statistics,
        model="shuffle",
        background=background,
        samples=QUICK_SAMPLES if setting.quick else SAMPLES,
        capacity=QUICK_CAPACITY if setting.quick else CAPACITY,
        seed=setting.seed + target.subset,
    )


def _random(setting: Setting, target: Target) -> Random:
    found = _shuffles(setting, target, None)
    closed = rr.predict(target.statistics, model="independent")
    within = closed.intervals["overall_risk"]
    return Random(target, found.overall_risk, closed.overall_risk, within, found.entropy.table)


def _known(setting: Setting, held: Study, each: Random) -> Known:
    target = each.target
    done = target.subset - 1 + 20 * (target.people == held.sizes[1])
    setting.progress("r3a: semi-random sampling, targets", done, 40)
    # A tree takes milliseconds where the pairwise law takes up to half a minute.
    model = "tree" if setting.quick else "auto"
    law = rr.predict(target.statistics, model=model, background=held.background, seed=setting.seed)
    model = law.envelope.model or ""
    if not held.strong_in(target.columns):
        return Known(target, each.shuffled, each.shuffled, law.overall_risk, model, 0, 0.0)
    found = _shuffles(setting, target, held.background)
    fit = found.fit or {}
    return Known(target, each.shuffled, found.overall_risk, law.overall_risk, model,
                 fit["frequent_tuples"], fit["unreached_people"])  # fmt: skip


@lru_cache(maxsize=80)
def error_knowing(
    setting: Setting, key: tuple[int, int], pairs: frozenset[frozenset[str]]
) -> float:
    """A target's error by a law that knows these pair tables of the background and no others."""
    target = next(each.target for each in by_random_sampling(setting) if each.target.key == key)
    background = study(setting).background
    some = replace(
        background, pairs=tuple(each for each in background.pairs if frozenset(each.of) in pairs)
    )
    found = rr.predict(target.statistics, background=some, seed=setting.seed)
    return found.overall_risk - target.risk
