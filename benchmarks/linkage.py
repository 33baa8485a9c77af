"""How often claims are right: `python -m benchmarks.linkage`, run from the root of the repository.

A register is drawn at random from public tables whose whole population is known (the sets of
columns of `benchmarks.population`). Of released people who have exactly one candidate in it, drawn
from the population as well, n_1/Σ F are right: n_1 combinations of one person in the register, F
people of the population each. `link` estimates that from the register alone; the error is that of
its logarithm. The width of the interval is fitted to all tables, its coverage measured leaving one
table out at a time. Writes the constant into the package and the table into docs/method/linking.md.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import marked_page
from benchmarks.population.populations import SETS, Population, populations
from reidrisk.linkage.claims import chance_of_each_cell, spread_of_model
from reidrisk.samples import estimated

ROOT = Path(__file__).resolve().parents[1]
FRACTIONS = (0.02, 0.1, 0.3, 0.6, 0.9)
FEWEST, MOST, FEWEST_CLAIMS = 200, 60_000, 20


class Case(NamedTuple):
    """A register: the share of claims that are right, as it is and as estimated, and the spread."""

    table: str
    columns: str
    fraction: float
    true: float
    estimate: float
    spread: float

    @property
    def error(self) -> float:
        """ln(estimate/true)."""
        return math.log(self.estimate / self.true)


def cases(data: Path, table: str) -> list[Case]:
    """Registers of one table."""
    found = []
    for population in populations(data, table):
        for at, fraction in enumerate(FRACTIONS):
            people = round(population.cells.n * fraction)
            if FEWEST <= people <= MOST:
                case = _case(population, people, fraction, np.random.default_rng([7, at]))
                found += [] if case is None else [case]
    return found


def _case(
    population: Population, people: int, fraction: float, rng: np.random.Generator
) -> Case | None:
    drawn = population.sample(people, fraction, rng)
    one = drawn.sample.alone
    if len(one) < FEWEST_CLAIMS:
        return None
    estimate = estimated(drawn.sample, rng)
    # Released people come from a combination in proportion to its people.
    weights = drawn.crowds[one].astype(np.float64)
    chance = float(np.dot(chance_of_each_cell(estimate)[one], weights) / weights.sum())
    true = len(one) / float(weights.sum())
    spread = spread_of_model(estimate, chance)
    return Case(population.table, ",".join(population.columns), fraction, true, chance, spread)


def width_of(chosen: Sequence[Case]) -> float:
    """The k with which 90 % of the errors lie within k times their spread, each table alike."""
    ratios = np.array([abs(case.error) / case.spread for case in chosen])
    sizes = {name: sum(c.table == name for c in chosen) for name in {c.table for c in chosen}}
    weights = np.array([1.0 / sizes[case.table] for case in chosen])
    order = np.argsort(ratios)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(ratios[order][np.searchsorted(reached, 0.9)])


def held(chosen: Sequence[Case], table: str) -> list[bool]:
    """Whether the interval held each of a table's cases, its width fitted to the others."""
    width = width_of([case for case in chosen if case.table != table])
    return [abs(case.error) <= width * case.spread for case in chosen if case.table == table]


def lines(found: Sequence[Case]) -> list[str]:
    """A row a table, and all."""
    body, every = [], list[bool]()
    for table in dict.fromkeys(case.table for case in found):
        mine = [case for case in found if case.table == table]
        inside = held(found, table)
        every += inside
        body.append([table, *_figures(mine), f"{sum(inside) / len(inside):.0%}".replace("%", " %")])
    body.append(["**all**", *_figures(found), f"{sum(every) / len(every):.0%}".replace("%", " %")])
    heads = ("table", "registers", "RMSE of ln", "bias", "claims right", "held")
    return marked_page.rows(heads, body)


def _figures(chosen: Sequence[Case]) -> list[str]:
    errors = np.array([case.error for case in chosen])
    low, high = min(c.true for c in chosen), max(c.true for c in chosen)
    return [
        str(len(chosen)),
        f"{math.sqrt(float(np.mean(errors**2))):.3f}",
        f"{errors.mean():+.3f}",
        f"{low:.0%} to {high:.0%}".replace("%", " %"),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw, estimate, fit, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linkage", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--tables", default=",".join(SETS))
    options = parser.parse_args(arguments)
    found: list[Case] = []
    for table in options.tables.split(","):
        found += cases(options.data, table)
        print(table, len(found), flush=True)
    width = width_of(found)
    print(*lines(found), f"width {width:.4f}", sep="\n")
    package = ROOT / "src" / "reidrisk" / "linkage" / "claim_error.json"
    package.write_text(json.dumps({"width": round(width, 3), "registers": len(found)}) + "\n")
    marked_page.write(ROOT / "docs" / "method" / "linking.md", {"claims": lines(found)})


if __name__ == "__main__":
    main()
