"""Asking: what a question is put to, statistics or a table, and what its answer says of itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.engines import Table, read
from reidrisk.engines.provenance import sha256_of, state_of
from reidrisk.errors import InputError
from reidrisk.measuring.envelope import Envelope, Input
from reidrisk.statistics.statistics import Statistics
from reidrisk.statistics.statistics_file import is_statistics_file, load_statistics

OF_SETS = (
    "People have several rows, and are counted by the set of values in each column: how many rows "
    "somebody has isn't in the statistics, and whoever knows all rows picks out more."
)


@dataclass(frozen=True)
class Asked:
    """Statistics, with the files they came from."""

    statistics: Statistics
    paths: tuple[Path, ...] = ()
    when_read: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """What to call them."""
        if self.paths:
            return ", ".join(path.name for path in self.paths)
        return self.statistics.title or "the statistics"

    def hashed(self) -> str | None:
        """SHA-256 of the files' bytes; None for statistics in memory."""
        return sha256_of(self.paths, self.when_read)

    def envelope(
        self,
        command: str,
        columns: Sequence[str],
        model: str,
        assumptions: Sequence[str],
        warnings: Sequence[str] = (),
        seed: int | None = None,
    ) -> Envelope:
        """What an answer from statistics says of itself."""
        people = self.statistics.sample_of or self.statistics.records
        return Envelope(
            command=command,
            origin="statistics",
            input=Input(people, tuple(columns), self.hashed, self.named),
            missing="own",
            engine="none",
            seed=seed,
            model=model,
            assumptions=(*assumptions, *([OF_SETS] if self.statistics.of_persons else [])),
            warnings=tuple(warnings),
        )


def asked_statistics(paths: Sequence[str]) -> Asked:
    """Statistics from files, whatever they hold: a file that is none says so itself."""
    files = tuple(Path(each) for each in paths)
    return Asked(load_statistics(files), files, state_of(files))


def asked_of(source: Any) -> Asked | Table:
    """Statistics (an object, a file, several files) or a table (anything `rr.read` takes)."""
    if isinstance(source, (Asked, Table)):
        return source
    if isinstance(source, Statistics):
        return Asked(source)
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    if isinstance(paths, (list, tuple)) and paths and all(map(_is_statistics_path, paths)):
        files = tuple(Path(each) for each in paths)
        return Asked(load_statistics(files), files, state_of(files))
    return read(source)


def asked_of_statistics(source: Any) -> Asked:
    """Statistics, where records can't be used."""
    asked = asked_of(source)
    if isinstance(asked, Table):
        raise InputError(
            "a prediction is made from statistics, and these are records",
            "count them with `measure`, or make statistics with `publish`",
        )
    return asked


def checked_seed(seed: int) -> int:
    """Where chance begins: a whole number from 0."""
    if seed < 0:
        raise InputError("--seed is a whole number from 0")
    return seed


def _is_statistics_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and is_statistics_file(source)
