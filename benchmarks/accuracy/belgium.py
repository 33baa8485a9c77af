"""A whole country predicted from pair tables, from a sample, and a province with its background."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.marked_page import rows
from reidrisk.models.independent import Independent
from reidrisk.models.registry import chosen_model
from reidrisk.statistics.background import with_background
from reidrisk.statistics.imputation import completed
from reidrisk.statistics.population import population_of

from .real_tables import RealTable

FIVE = ("municipality", "age", "sex", "nationality", "civil_status")
THREE = FIVE[:3]
DRAWS, SHARE = 10, 0.01


class Country(NamedTuple):
    """People alone: counted, predicted, and predicted without dependence."""

    counted: float
    predicted: float
    independent: float


def whole_country(table: RealTable) -> Country:
    """Five attributes, all ten pair tables."""
    five = table.of(FIVE)
    known = five.knowledge()
    found = chosen_model(known)[0].crowd_sizes()
    reference = Independent.of(known).crowd_sizes()
    return Country(five.crowds().alone.people, found.alone.people, reference.alone.people)


def from_samples(table: RealTable) -> tuple[float, list[float]]:
    """People alone on municipality, age and sex: counted, and predicted from 1 % samples."""
    three = table.of(THREE)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(DRAWS):
        drawn = rng.multivariate_hypergeometric(
            three.people, round(three.n * SHARE), method="marginals"
        )
        held = np.flatnonzero(drawn)
        sample = completed(three.rows(held, drawn[held]).statistics())
        model = chosen_model(population_of(sample, three.n).knowledge)[0]
        found.append(model.crowd_sizes().alone.people)
    return three.crowds().alone.people, found


class Province(NamedTuple):
    """One province's ORR: counted, with the country's dependence, and without any."""

    name: str
    people: int
    counted: float
    predicted: float
    independent: float


def provinces(table: RealTable) -> Iterator[Province]:
    """The marginals of each province with the whole country's pair tables as background."""
    background = completed(table.of(FIVE).statistics())
    place = table.columns.index("province")
    for code, name in enumerate(table.values[place]):
        rows = np.flatnonzero(table.codes[:, place] == code)
        part = table.rows(rows, table.people[rows]).of(FIVE)
        target = completed(part.statistics(pairs=False))
        model = chosen_model(with_background(target, background).knowledge)[0]
        reference = Independent.of(target.knowledge).crowd_sizes().overall_risk
        risk = model.crowd_sizes().overall_risk
        yield Province(name, part.n, part.crowds().overall_risk, risk, reference)


def lines(table: RealTable) -> list[str]:
    """One row a question, with the goal set before."""
    country = whole_country(table)
    off = country.predicted / country.counted - 1
    told = f"{country.predicted:,.0f} ({off:+.1%}); independent {country.independent:,.0f}"
    body = [_row(
        f"{table.n:,} people, five attributes, pair tables: people alone",
        f"within 5 % of {country.counted:,.0f}", told, abs(off) <= 0.05,
    )]  # fmt: skip
    counted, drawn = from_samples(table)
    off = float(np.mean(drawn)) / counted - 1
    told = f"{np.mean(drawn):,.0f} ({off:+.1%}), {min(drawn):,.0f} to {max(drawn):,.0f}"
    body.append(_row(
        f"1 % samples, mean of {DRAWS}: people alone on municipality, age, sex",
        f"within 10 % of {counted:,.0f}", told, abs(off) <= 0.1,
    ))  # fmt: skip
    each = list(provinces(table))
    worst = max(abs(one.predicted - one.counted) for one in each)
    without = max(abs(one.independent - one.counted) for one in each)
    body.append(_row(
        f"each of {len(each)} provinces' marginals, the country's pair tables as background: ORR",
        "within 0.03", f"{worst:.4f} at most (independent: {without:.4f})", worst <= 0.03,
    ))  # fmt: skip
    return rows(["Belgium", "goal", "found", ""], body)


def _row(where: str, goal: str, found: str, reached: bool) -> list[str]:
    return [where, goal, found, "reached" if reached else "**missed**"]
