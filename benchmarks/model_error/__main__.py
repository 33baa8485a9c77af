"""How far models are off on public tables: `python -m benchmarks.model_error`, from the root.

Predicts sets of columns of public tables, published in three ways, holds the figures against those
counted, and fits the scale of the error to them: the constants by which `predict`, `person` and
`group` give intervals that hold the model's error. Writes the cases and a table into docs and the
constants into the package. `--fit-only` fits the cases that are there; `--quick` predicts generated
tables with the constants there are, and fails where these don't keep the bounds stated (`quick`).

Each table's cases are kept in a folder until all are measured; a run that was stopped goes on with
the tables that are missing there. After a change of a model, empty it.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from . import cases, constants, page, quick
from .column_sets import SOURCES, Source, column_sets, loaded
from .measuring import case_of

ROOT = Path(__file__).resolve().parents[2]
# Public tables that aren't part of the repository; docs/accuracy.md says where each can be had.
DATA = ROOT.parent / "shared" / "data"
PARTS = Path(tempfile.gettempdir()) / "reidrisk_model_error"
PROCESSES = 2
LOG = logging.getLogger(__name__)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model_error", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--fit-only", action="store_true", help="fit the cases there are")
    parser.add_argument("--quick", action="store_true", help="predict generated tables only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=PARTS,
                        help="folder of cases by table, while others are measured")  # fmt: skip
    parser.add_argument("--cases", type=Path, default=ROOT / "docs" / "model_error_cases.json")
    package = ROOT / "src" / "reidrisk" / "prediction"
    parser.add_argument("-o", dest="constants", type=Path, default=package / "model_error.json")
    return parser.parse_args(arguments)


def measured(data: Path, kept_in: Path, seed: int) -> list[cases.Case]:
    """The cases of all tables, two tables at a time, each in a file of its own until all are."""
    kept_in.mkdir(parents=True, exist_ok=True)
    part = partial(_of_table, data=data, kept_in=kept_in, seed=seed)
    with ProcessPoolExecutor(PROCESSES) as processes:
        parts = list(processes.map(part, SOURCES))
    found = [case for path in parts for case in cases.load(path)]
    for path in parts:
        path.unlink()
    return found


def _of_table(source: Source, data: Path, kept_in: Path, seed: int) -> Path:
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger("benchmarks").setLevel(logging.INFO)
    path = kept_in / f"{source.table}-{seed}.json"
    if not path.exists():
        table = loaded(source, data)
        sets = column_sets(source.table, table.columns, table.n, seed)
        cases.save([case_of(table, columns, seed) for columns in sets], path)
        LOG.info("%s: %d sets", source.table, len(sets))
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then fit; without all tables nothing is overwritten."""
    asked = parse(arguments)
    if asked.quick:
        told, kept = quick.judged(quick.found())
        print("\n".join(told))
        raise SystemExit(0 if kept else 1)
    if not asked.fit_only:
        missing = [each.file for each in SOURCES if not (asked.data / each.file).exists()]
        if missing:
            raise SystemExit(f"these tables aren't in {asked.data}: {', '.join(missing)}")
        cases.save(measured(asked.data, asked.keep, asked.seed), asked.cases)
    found = constants.of(cases.load(asked.cases))
    constants.save(found, asked.constants)
    page.fill(found)


if __name__ == "__main__":
    main()
