"""Who takes part, and the command line of each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .answers import Facts, Reader, from_facts, from_histogram, from_reidrisk
from .children import Run, run
from .tables import Table

JOBS = Path(__file__).with_name("jobs.py")
REIDRISK_COMMAND = Path(sys.executable).with_name("reidrisk")
SMALLEST_ONLY = "gives the smallest crowd only"


@dataclass(frozen=True)
class Contestant:
    """A program that counts the crowds of a table.

    `needs` are the modules its process imports (empty: it needs the command `reidrisk`),
    `sizes` the tables it is asked to do.
    """

    name: str
    job: str
    read: Reader
    needs: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ("1K", "1M", "10M", "100M")
    options: tuple[str, ...] = ()
    note: str = ""

    def command(self, table: Table) -> list[str]:
        """Return the command line that does the job on a table."""
        columns = ",".join(table.size.columns)
        if self.job == "reidrisk":
            measure = [str(REIDRISK_COMMAND), "measure", str(table.path), "--columns", columns]
            # The others count crowds only, so the dependence of columns is left out here too.
            return [*measure, "--json", "--no-dependence", *self.options]
        script = [sys.executable, "-P", str(JOBS), self.job, str(table.path), columns]
        return [*script, *self.options]

    def missing(self) -> list[str]:
        """Return what it needs and isn't installed."""
        if self.job == "reidrisk":
            return [] if REIDRISK_COMMAND.exists() else ["the command reidrisk"]
        return [module for module in self.needs if find_spec(module) is None]

    def count(self, table: Table) -> tuple[Run, Facts]:
        """Do the job once, in a process of its own."""
        done = run(self.command(table), table.path.parent)
        return done, self.read(done.output)


REIDRISK = Contestant("reidrisk", "reidrisk", from_reidrisk)
DUCKDB = Contestant("DuckDB SQL", "duckdb", from_histogram, ("duckdb",))
POLARS = Contestant("Polars lazy", "polars", from_histogram, ("polars",))
PANDAS = Contestant("pandas", "pandas", from_histogram, ("pandas", "pyarrow"))
PYCANON = Contestant(
    "pyCANON",
    "pycanon",
    from_facts,
    ("pycanon", "pandas", "pyarrow"),
    sizes=("1K", "1M"),
    note=SMALLEST_ONLY,
)
ALL = (REIDRISK, DUCKDB, POLARS, PANDAS, PYCANON)


def present(contestants: Sequence[Contestant] = ALL) -> list[Contestant]:
    """Return those whose libraries are installed."""
    return [contestant for contestant in contestants if not contestant.missing()]


def absences(contestants: Sequence[Contestant] = ALL) -> list[str]:
    """Return a sentence for each contestant that can't take part."""
    return [
        f"{contestant.name} did not take part: {', '.join(contestant.missing())} not installed."
        for contestant in contestants
        if contestant.missing()
    ]


def rotated(contestants: Sequence[Contestant], by: int) -> list[Contestant]:
    """Return the contestants with the first `by` moved to the end."""
    start = by % max(1, len(contestants))
    return [*contestants[start:], *contestants[:start]]
