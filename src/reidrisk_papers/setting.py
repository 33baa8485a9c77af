"""Setting: how a rerun is asked for, and where the public tables are."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reidrisk.errors import UnreadableInput
from reidrisk.machine import Progress
from reidrisk_papers.figure import NotRun
from reidrisk_papers.public_tables import TABLES


def _silently(what: str, done: int, total: int) -> None:
    """No progress is shown."""


@dataclass(frozen=True)
class Setting:
    """Quick on generated data, or full; `data` is the directory of the public tables.

    `scale` shrinks a quick run further, for tests: 1 is what `--quick` does.
    """

    quick: bool = False
    data: Path | None = None
    seed: int = 0
    scale: float = 1.0
    progress: Progress = field(default=_silently, compare=False, repr=False)

    def public_table(self, name: str) -> Path:
        """Where a public table is; a figure that needs one that isn't there is not run."""
        held = TABLES[name]
        if self.data is None:
            raise NotRun(f"needs {held.title}: --data names the directory of the public tables")
        path = self.data / held.file
        if not path.exists():
            raise NotRun(f"needs {held.title}: there is no {held.file} in the directory of --data")
        if path.suffix == ".parquet":
            _refuse_damaged(path, held.file)
        return path

    def rng(self, *place: int) -> np.random.Generator:
        """Chance for one place of a figure, the same whatever else is run."""
        return np.random.default_rng([self.seed, *place])

    def scaled(self, many: int, least: int = 1) -> int:
        """A number of repetitions, fewer in a test."""
        return max(least, round(many * self.scale))


def _refuse_damaged(path: Path, file: str) -> None:
    """Said as `measure` says it, before a figure is begun."""
    try:
        pq.read_schema(path)
    except (pa.ArrowInvalid, OSError):
        raise UnreadableInput(f"{file} is damaged: it can't be read as Parquet") from None
