"""`population`: what a sample's people are in the population it was drawn from."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from reidrisk.arrays import Floats
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.output_files import refuse_input_as_output, table_kind
from reidrisk.records import Reading, Table, as_table, write_beside_records
from reidrisk.samples.estimation import Estimate, estimated
from reidrisk.samples.households import Households, households, risk_of_each
from reidrisk.samples.individual_risk import individual_risk
from reidrisk.samples.panel import panel as panel_of
from reidrisk.samples.population_envelope import envelope_of, fit_of
from reidrisk.samples.population_error import learned
from reidrisk.samples.population_risk import PopulationRisk
from reidrisk.samples.sampled_table import SampledTable, sampled_table


def population(
    table: Table | Any,
    *,
    population: int | None = None,
    fraction: float | None = None,
    panel: bool = False,
    risk_file: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[Reading],
) -> PopulationRisk:
    """Of those who are alone in a sample, how many are alone in the population?

    Further arguments are options of `read`, for records that aren't a `Table` yet; with `weight`, a
    column of survey weights says how large the population is, and with `household` the risk that
    one of a household is re-identified is computed too.

    Parameters:
        table: a `Table`, or anything `read` takes.
        population: how many people the sample was drawn from.
        fraction: or which share of them it is, such as 0.01.
        panel: whether to give what other published estimators say of the same sample.
        risk_file: a file to write with each record's ``crowd`` and ``risk`` here, and
            ``population_unique``, ``population_risk`` there; with weights ``individual_risk``
            (Benedetti and Franconi), with households ``household_risk``. Its name ends in .parquet,
            .csv, .tsv, .arrow, .jsonl or .xlsx.
        seed: where latent classes begin, and whose cells weights are fitted on.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> sample = {"age": [39, 39, 40, 41], "sex": ["f", "f", "m", "m"]}
    >>> rr.population(sample, population=4).tau1.value
    2.0
    """
    if seed < 0:
        raise InputError("--seed is a whole number from 0")
    table = as_table(table, reading, progress)
    if risk_file is not None:
        table_kind(Path(risk_file))
        refuse_input_as_output(risk_file, table.paths)
    sampled = sampled_table(table, population, fraction, risk_file is not None)
    found = estimated(sampled.cells, np.random.default_rng(seed), progress)
    answer = _answer(table, sampled, found, seed)
    if panel:
        answer = replace(answer, panel=panel_of(sampled.cells))
    if risk_file is not None:
        _write(table, sampled, found, Path(risk_file))
    return answer


def _answer(table: Table, sampled: SampledTable, found: Estimate, seed: int) -> PopulationRisk:
    sample = found.sample
    figures = learned().figures(found)
    return PopulationRisk(
        envelope=envelope_of("population", table, found, seed),
        population=sample.population,
        sampled=sample.n,
        sample=CrowdSizes.of(sample.people),
        fit=fit_of(found),
        households=_households(sampled, found),
        tau1=figures["tau1"],
        uniques_share=figures["uniques_share"],
        tau2=figures["tau2"],
        alone=figures["alone"],
        overall_risk=figures["overall_risk"],
        highest_risk=figures["highest_risk"],
    )


def _households(sampled: SampledTable, found: Estimate) -> Households | None:
    if sampled.household is None or sampled.cell is None:
        return None
    held = np.flatnonzero(sampled.cell >= 0)
    risk = found.inverse[sampled.cell[held]]
    codes = found.sample.codes[sampled.cell[held]]
    return households(sampled.household[held], risk, found.sample.names, codes)


def _write(table: Table, sampled: SampledTable, found: Estimate, target: Path) -> None:
    """Each record's crowd and risk here, and its chances in the population."""
    assert sampled.cell is not None
    columns = {"risk": 1.0 / found.sample.people[sampled.cell]} | _columns(sampled, found)
    nobody = sampled.cell < 0
    added = {name: pa.array(values, mask=nobody) for name, values in columns.items()}
    write_beside_records(table.engine, target, added)


def _columns(sampled: SampledTable, found: Estimate) -> dict[str, Floats]:
    assert sampled.cell is not None
    sample = found.sample
    unique = np.zeros(sample.cells)
    unique[sample.alone] = found.unique
    columns = {
        "population_unique": unique[sampled.cell],
        "population_risk": found.inverse[sampled.cell],
    }
    if sampled.weight is not None and sample.weight is not None:
        columns["individual_risk"] = individual_risk(sample.people, sample.weight)[sampled.cell]
    if sampled.household is not None:
        columns["household_risk"] = risk_of_each(
            sampled.household, np.where(sampled.cell < 0, 0.0, columns["population_risk"])
        )
    return columns
