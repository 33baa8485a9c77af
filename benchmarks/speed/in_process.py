"""reidrisk in a process that has imported it already, against ARX's figure for the same job.

ARX is not run here: 1.5 s at 1M records is its figure in earlier trials, which may have been on
another machine. It is labelled so wherever it shows.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from .answers import Ledger
from .children import run
from .contestants import JOBS
from .tables import SIZES, obtain, warm

ARX_SECONDS = 1.5
ARX_LABEL = "ARX in earlier trials, not run here"
REPEATS = 7


@dataclass(frozen=True)
class InProcess:
    """Seconds of each repeat of `reidrisk.measure(reidrisk.read(...))`."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """Return the shortest repeat."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Return the median repeat; the target is judged by it."""
        return median(self.seconds)


def available() -> bool:
    """Tell whether reidrisk can be imported."""
    return find_spec("reidrisk") is not None


def time_in_process(kept_in: Path, ledger: Ledger) -> InProcess:
    """Time seven repeats at 1M Parquet in one process; the answer must agree with the others."""
    table = obtain(SIZES["1M"], "Parquet", kept_in)
    warm(table)
    columns = ",".join(table.size.columns)
    job = ["in-process", str(table.path), columns, str(REPEATS)]
    answer = json.loads(run([sys.executable, "-P", str(JOBS), *job], kept_in).output)
    seconds = tuple(answer.pop("seconds"))
    ledger.enter(f"reidrisk in process ({table})", answer)
    return InProcess(seconds)
