"""How far predictions of what would be learnt are off: `python -m benchmarks.learning`.

From the root. Counts sets of columns of public tables, publishes and predicts them, fits the scale
of the error by which `learn` gives intervals, and fills the table of docs/accuracy.md.
`--fit-only` takes the cases that are there. Each table's cases are kept in a folder until all are
measured; after a change of a model, empty it.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.accuracy.real_tables import FILES
from benchmarks.model_error.column_sets import SOURCES

from . import cases, fitting, page
from .measuring import case_of
from .sets import CHOSEN, Records, chosen_records, drawn_records

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
PARTS = Path(tempfile.gettempdir()) / "reidrisk_learning"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--fit-only", action="store_true", help="fit the cases there are")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=PARTS, help="folder of cases by table")
    parser.add_argument("--cases", type=Path, default=ROOT / "docs" / "learning_cases.json")
    package = ROOT / "src" / "reidrisk" / "learning"
    parser.add_argument("-o", dest="constants", type=Path, default=package / "learning_error.json")
    return parser.parse_args(arguments)


def measured(data: Path, kept_in: Path, seed: int) -> list[cases.Case]:
    """The chosen sets, then those drawn, table by table."""
    kept_in.mkdir(parents=True, exist_ok=True)
    found = []
    for table in dict.fromkeys(each.table for each in CHOSEN):
        mine = [each for each in CHOSEN if each.table == table]
        found += _kept(
            kept_in / f"chosen-{table}-{seed}.json",
            lambda mine=mine: (chosen_records(each, data) for each in mine),  # type: ignore[misc]
            seed,
        )
    for source in SOURCES:
        found += _kept(
            kept_in / f"{source.table}-{seed}.json",
            lambda source=source: drawn_records(source, data, seed),  # type: ignore[misc]
            seed,
        )
    return found


def _kept(path: Path, sets: Callable[[], Iterable[Records]], seed: int) -> list[cases.Case]:
    if not path.exists():
        cases.save([case_of(records, seed) for records in sets()], path)
    return cases.load(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then fit; without all tables nothing is overwritten."""
    asked = parse(arguments)
    logging.basicConfig(level=logging.WARNING)
    if not asked.fit_only:
        wanted = {*(each.file for each in SOURCES), *(FILES[each.table] for each in CHOSEN)}
        missing = sorted(file for file in wanted if not (asked.data / file).exists())
        if missing:
            raise SystemExit(f"these tables aren't in {asked.data}: {', '.join(missing)}")
        cases.save(measured(asked.data, asked.keep, asked.seed), asked.cases)
    every = cases.load(asked.cases)
    found = fitting.constants_of(every)
    asked.constants.write_text(
        json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    page.fill(every, found)


if __name__ == "__main__":
    main()
