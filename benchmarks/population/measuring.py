"""Measuring: one sample estimated, and held against its population."""

from __future__ import annotations

import math

import numpy as np

from reidrisk.arrays import Floats, Mask
from reidrisk.samples import Estimate, estimated
from reidrisk.samples.pairs_total import logit, shifted_to
from reidrisk.samples.panel import panel
from reidrisk.samples.population_error import chance_of, signs_of

from .cases import Case
from .populations import Drawn, Population

TENTHS = 10


def case_of(population: Population, drawn: Drawn, seed: int) -> Case:
    """Estimate and truth."""
    sample, crowds = drawn.sample, drawn.crowds
    found = estimated(sample, np.random.default_rng(seed))
    unique = crowds[sample.alone] == 1
    tau1 = int(np.count_nonzero(unique))
    truth = {
        "tau1": float(tau1),
        "tau2": float((1.0 / crowds[sample.alone]).sum()),
        "alone": float(drawn.population_alone),
        "overall_risk": float((sample.people / crowds).sum() / sample.n),
    }
    estimate = {name: getattr(found, name) for name in truth}
    others = {name: None if math.isnan(value) else value for name, value in panel(sample).items()}
    return Case(
        population.table, population.columns, drawn.fraction, seed, sample.population, sample.n,
        len(sample.alone), truth, estimate, found.totals, others, signs_of(found),
        chance_of(found), _shifts(found, tau1), _bins(found.unique, unique),
    )  # fmt: skip


def _shifts(found: Estimate, tau1: int) -> tuple[float, float, float]:
    odds = logit(found.unique)
    below, at, above = (shifted_to(odds, float(tau1 + step)) for step in (-1, 0, 1))
    return below, at, above


def _bins(p: Floats, unique: Mask) -> tuple[tuple[int, float, int], ...]:
    place = np.minimum((p * TENTHS).astype(int), TENTHS - 1)
    many = np.bincount(place, minlength=TENTHS)
    total = np.bincount(place, p, TENTHS)
    hits = np.bincount(place, unique, TENTHS)
    rows = zip(many, total, hits, strict=True)
    return tuple((int(count), float(whole), int(hit)) for count, whole, hit in rows)
