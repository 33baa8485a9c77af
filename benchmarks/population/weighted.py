"""Weighted samples: strata drawn by different fractions, and how far intervals have to be widened.

The strata are the values of one column, every other one of them, the most frequent first, drawn
four times as often as the rest; once the column is among those of the set and once it isn't. By how
much, w, must the models' part of σ grow to hold τ1? For each sample with k of `population_error`,

    |shift| = k·√(w²·model + chance)   ⟺   w² = ((shift/k)² − chance)/model,

and w is exceeded by one in ten.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reidrisk.samples import cells_of, estimated
from reidrisk.samples.pairs_total import logit, shifted_to
from reidrisk.samples.population_error import Learned, Signs, chance_of, signs_of

from .populations import SETS, column_of

FRACTIONS, MORE_OFTEN = (0.01, 0.05), 4.0
FEWEST = 200
HELD = 0.9
# Set of columns, a column of it and one that isn't.
STRATA: dict[str, tuple[tuple[str, str, str], ...]] = {
    "adult": (("age,sex,race,education", "education", "workclass"),
              ("age,sex,native-country,occupation", "occupation", "marital-status")),
    "census_kdd": (("age,sex,race,marital_stat,education", "education", "citizenship"),
                   ("age,sex,race,major_industry_code,major_occupation_code", "race",
                    "marital_stat")),
    "diabetes130": (("race,gender,age,time_in_hospital,medical_specialty", "medical_specialty",
                     "payer_code"),),
    "nist_national2019": (("PUMA,AGEP,SEX,RAC1P", "RAC1P", "EDU"),
                          ("AGEP,SEX,RAC1P,MSP,EDU", "EDU", "NOC")),
    "atus": (("state,sex,age,edu", "state", "hh_size"),
             ("state,age,sex,race,hispanic,citizen", "race", "edu")),
}  # fmt: skip


class WeightedCase(NamedTuple):
    """A weighted sample: whether its strata are a column of it, τ1, what was estimated, and the
    shifts of log odds that lead to τ1 − 1, τ1 and τ1 + 1.
    """

    table: str
    columns: tuple[str, ...]
    strata: str
    among: bool
    fraction: float
    seed: int
    n: int
    sample_alone: int
    tau1: int
    estimate: float
    with_pairs: bool
    signs: Signs
    chance: float
    shifts: tuple[float, float, float]


def measured(data: Path, seeds: int) -> list[WeightedCase]:
    """Every set, both kinds of strata, every fraction."""
    return [case for table in STRATA for case in _of_table(data, table, seeds)]


def _of_table(data: Path, table: str, seeds: int) -> Iterator[WeightedCase]:
    read = pq.read_table(data / SETS[table][0])
    for names, inside, outside in STRATA[table]:
        columns = tuple(names.split(","))
        for strata in (inside, outside):
            for seed in range(seeds):
                for fraction in FRACTIONS:
                    if fraction * len(read) >= FEWEST:
                        yield _case(read, table, columns, strata, fraction, seed)


def _case(
    read: pa.Table, table: str, columns: Sequence[str], strata: str, fraction: float, seed: int
) -> WeightedCase:
    rng = np.random.default_rng([seed, round(1000 * fraction)])
    held = [column_of(read[name]) for name in columns]
    codes = np.stack([codes for codes, _ in held], axis=1)
    everybody, cell = cells_of(columns, codes, np.ones(len(read), dtype=np.int64), len(read))
    rows, weight = _drawn(column_of(read[strata])[0], fraction, rng)
    one = np.ones(len(rows), dtype=np.int64)
    ordered = [order for _, order in held]
    sample, own = cells_of(columns, codes[rows], one, len(read), ordered, weight)
    crowds = np.zeros(sample.cells, dtype=np.int64)
    crowds[own] = everybody.people[cell[rows]]
    found = estimated(sample, np.random.default_rng(seed))
    tau1, odds = int(np.count_nonzero(crowds[sample.alone] == 1)), logit(found.unique)
    below, at, above = (shifted_to(odds, float(tau1 + step)) for step in (-1, 0, 1))
    return WeightedCase(
        table, tuple(columns), strata, strata in columns, fraction, seed, sample.n,
        len(sample.alone), tau1, found.tau1, found.with_total, signs_of(found), chance_of(found),
        (below, at, above),
    )  # fmt: skip


def _drawn(
    strata: NDArray[np.int64], fraction: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The rows drawn, and whom each of them stands for."""
    people = np.bincount(strata)
    rank = np.empty(len(people), dtype=np.intp)
    rank[np.argsort(-people, kind="stable")] = np.arange(len(people))
    often = np.where(rank % 2 == 1, MORE_OFTEN, 1.0)
    share = np.minimum(fraction * often * len(strata) / np.dot(people, often), 1.0)
    rows = np.flatnonzero(rng.random(len(strata)) < share[strata])
    return rows, 1.0 / share[strata[rows]]


def needed(case: WeightedCase, learned: Learned) -> float:
    """w with which the interval just holds τ1."""
    below, _, above = case.shifts
    width = learned.widths["tau1" if case.with_pairs else "tau1_without_pairs"]
    beyond = (max(0.0, below, -above) / width) ** 2 - case.chance
    return math.sqrt(max(beyond, 0.0) / learned.model_variance(case.signs))


def widening(cases: Sequence[WeightedCase], learned: Learned) -> float:
    """w, at least 1."""
    found = np.sort([needed(case, learned) for case in cases])
    return max(1.0, float(found[math.ceil(HELD * len(found)) - 1]))


def rmse(cases: Sequence[WeightedCase], among: bool) -> float:
    """Of ln(estimate/τ1), by whether the strata are a column of the sample."""
    logs = [
        math.log(max(case.estimate, 0.01) / case.tau1)
        for case in cases
        if case.among == among and case.tau1 >= 20
    ]
    return float(np.sqrt(np.mean(np.square(logs))))


def said(cases: Sequence[WeightedCase], learned: Learned) -> dict[str, Any]:
    """What the constants' file holds of it."""
    factor = widening(cases, learned)
    return {
        "wider_by_weight": float(f"{factor:.4g}"),
        "weighted_samples": len(cases),
        "weighted_coverage": float(np.mean([needed(each, learned) <= factor for each in cases])),
        "weighted_rmse": {
            "strata_among_columns": float(f"{rmse(cases, True):.3g}"),
            "strata_elsewhere": float(f"{rmse(cases, False):.3g}"),
        },
    }


def save(cases: Sequence[WeightedCase], path: Path) -> None:
    """One a line."""
    lines = [json.dumps(_rounded(each._asdict()), separators=(",", ":")) for each in cases]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _rounded(held: Mapping[str, Any]) -> dict[str, Any]:
    def digits(value: Any) -> Any:
        if isinstance(value, tuple) and value and isinstance(value[0], float):
            return [digits(each) for each in value]
        return float(f"{value:.6g}") if isinstance(value, float) else value

    return {name: digits(value) for name, value in held.items()}


def load(path: Path) -> list[WeightedCase]:
    """Read a file of cases."""
    tuples = ("columns", "signs", "shifts")
    return [
        WeightedCase(**(each | {name: tuple(each[name]) for name in tuples}))
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]
