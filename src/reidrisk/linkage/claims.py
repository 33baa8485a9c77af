"""Claims: somebody is named because exactly one candidate agrees. How often is that right?

Where the register holds everybody, the only candidate of somebody who is known exactly is right.
Where it holds a share q of the population, the only candidate may be the double of somebody who
isn't in it. With N people of the population who agree, the released person one of them, and f of
them in the register, a guess among the f is right with probability 1/N whatever f is: the person is
in the register with probability f/N, and one of f then. N isn't known. Released people come from a
combination in proportion to its N, which adds a factor N to what the register says of N, so that

    P(right | f candidates) = 1/E[N | f],   E[N | f] = f + (s + f)(1 − π)/π

with the calibrated laws of `samples` (N − f is negative binomial given f, of size s + f), the mean
of both laws. (Without that factor it would be E[1/N | f], which is larger: what a guess about
somebody of the register is worth.)

Where it fails: the register is taken as a random sample of those that the released people come
from. A register that misses a kind of person (children, people who moved) holds fewer of their
doubles than that. With errors allowed the chance isn't estimated: `--truth` measures it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from reidrisk.arrays import Floats, Ints, Places
from reidrisk.linkage.two_sides import TwoSides
from reidrisk.machine import Progress, no_progress
from reidrisk.samples import Estimate, Figure, cells_of, estimated
from reidrisk.samples import learned as learned_error
from reidrisk.statistics import value_order

# So many standard deviations to both sides hold 90 % of a normal law.
NORMAL = 1.6448536269514722
LEAST_SPREAD = 0.02


@dataclass(frozen=True, eq=False)
class Right:
    """The chance that one guess among each released record's candidates is right (0 without any);
    and what it was estimated with, None where the register is everybody.
    """

    chance: Floats
    estimate: Estimate | None = None

    def expected(self, people: Ints, chosen: Ints) -> Figure:
        """Right guesses over the chosen people, with a 90 % interval: the laws' own error, learned
        from public tables, and who happens to be right.
        """
        weights = people * chosen
        value = float(np.dot(self.chance, weights))
        most = float(weights.sum())
        if self.estimate is None or not value:
            return Figure(value, (value, value))
        half = width() * spread_of_model(self.estimate, value / most)
        spread = NORMAL * math.sqrt(float(np.dot(self.chance * (1.0 - self.chance), weights)))
        below = math.hypot(value * -math.expm1(-half), spread)
        above = math.hypot(value * math.expm1(half), spread)
        return Figure(value, (max(value - below, 0.0), min(value + above, most)))


def spread_of_model(estimate: Estimate, share: float) -> float:
    """√((σ(1 − share))² + .02²), σ as in `samples`: how far off ln of a share of right guesses may
    be, up to a factor.
    """
    rest = 1.0 - min(share, 1.0)
    return math.hypot(learned_error().sigma(estimate) * rest, LEAST_SPREAD)


@cache
def width() -> float:
    """The factor with which 90 % of registers drawn from public tables lie within."""
    text = files("reidrisk.linkage").joinpath("claim_error.json").read_text(encoding="utf-8")
    return float(json.loads(text)["width"])


def right_guesses(
    sides: TwoSides,
    candidates: Ints,
    covers: float,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> Right:
    """By how many candidates each released record has, of a register that covers a share of all."""
    if covers >= 1.0:
        return Right(np.where(candidates > 0, 1.0 / np.maximum(candidates, 1), 0.0))
    estimate, cell = _estimated(sides, covers, rng, progress)
    met = np.flatnonzero(candidates > 0)
    chance = np.zeros(sides.released)
    chance[met] = chance_of_each_cell(estimate)[cell[sides.first_agreeing()[met]]]
    return Right(chance, estimate)


def chance_of_each_cell(estimate: Estimate) -> Floats:
    """1/E[N | f] of the register's combinations."""
    sample = estimate.sample
    f = sample.people.astype(np.float64)
    if not estimate.laws:
        return np.asarray(1.0 / f)
    each = [
        1.0 / (f + (law.calibration.shape + f) * np.expm1(-law.log_pi)) for law in estimate.laws
    ]
    return np.asarray(np.mean(each, axis=0))


def _estimated(
    sides: TwoSides, covers: float, rng: np.random.Generator, progress: Progress
) -> tuple[Estimate, Places]:
    """The register as a sample of the population; and the cell of each of its rows."""
    people = sides.register_people
    held = np.flatnonzero(people > 0)
    population = max(round(int(people.sum()) / covers), int(people.sum()))
    orders = [value_order([*each.texts.to_pylist(), None]) for each in sides.columns]
    codes = np.stack(
        [order[sides.codes(place)[1][held]] for place, (order, _) in enumerate(orders)], axis=1
    )
    names = [each.name for each in sides.columns]
    ordered = [order for _, order in orders]
    cells, cell = cells_of(names, codes, people[held], population, ordered)
    of_row = np.zeros(len(people), dtype=np.intp)
    of_row[held] = cell
    return estimated(cells, rng, progress), of_row
