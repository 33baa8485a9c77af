"""Samples of known populations, estimated: `python -m benchmarks.population`, from the root.

Draws samples of public tables whose whole population is known, estimates what `population` does and
what the published estimators do, and fits the constants of the intervals, leaving one table out at
a time. Writes the cases and tables into docs and the constants into the package. `--fit-only` fits
the cases that are there; a run that was stopped goes on with the tables that are missing in
`--keep`.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

from reidrisk.samples.population_error import learned_of

from . import cases, fitting, page, weighted
from .measuring import case_of
from .populations import SETS, populations

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
LOG = logging.getLogger(__name__)
MORE_OF_ONE_SET = 8


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.population", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--fit-only", action="store_true", help="fit the cases there are")
    parser.add_argument("--seeds", type=int, default=2, help="samples of each fraction")
    parser.add_argument("--keep", type=Path,
                        default=Path(tempfile.gettempdir()) / "reidrisk_population",
                        help="folder of cases by table, while others are measured")  # fmt: skip
    parser.add_argument("--cases", type=Path, default=ROOT / "docs" / "population_cases.json")
    parser.add_argument("--weighted", type=Path,
                        default=ROOT / "docs" / "population_weighted_cases.json",
                        help="file of the cases with survey weights")  # fmt: skip
    package = ROOT / "src" / "reidrisk" / "samples"
    parser.add_argument(
        "-o", dest="constants", type=Path, default=package / "population_error.json"
    )
    return parser.parse_args(arguments)


def measured(data: Path, kept_in: Path, seeds: int) -> list[cases.Case]:
    """The cases of all tables, each table's in a file of its own until all are measured."""
    kept_in.mkdir(parents=True, exist_ok=True)
    found = []
    for table in SETS:
        path = kept_in / f"{table}-{seeds}.json"
        if not path.exists():
            cases.save(_of_table(data, table, seeds), path)
        found += cases.load(path)
    return found


def _of_table(data: Path, table: str, seeds: int) -> list[cases.Case]:
    found = []
    # Of one set of columns there are few samples: more are drawn.
    times = MORE_OF_ONE_SET if len(SETS[table][2]) == 1 else 1
    for population in populations(data, table):
        for seed in range(times * seeds):
            found += [case_of(population, drawn, seed) for drawn in population.samples(seed)]
        LOG.info("%s: %s", table, ", ".join(population.columns))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then fit; without all tables nothing is overwritten."""
    asked = parse(arguments)
    logging.basicConfig(level=logging.INFO)
    if not asked.fit_only:
        missing = [file for file, *_ in SETS.values() if not (asked.data / file).exists()]
        if missing:
            raise SystemExit(f"these tables aren't in {asked.data}: {', '.join(missing)}")
        cases.save(measured(asked.data, asked.keep, asked.seeds), asked.cases)
        weighted.save(weighted.measured(asked.data, asked.seeds), asked.weighted)
    known = cases.load(asked.cases)
    held = fitting.constants(known) | {"wider_by_weight": 1.0}
    held |= weighted.said(weighted.load(asked.weighted), learned_of(held))
    asked.constants.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    page.fill(known, held)


if __name__ == "__main__":
    main()
