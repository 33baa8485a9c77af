"""Interleaved rounds: in each, every contestant counts the table once, in rotated order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .answers import Ledger
from .children import Run
from .contestants import Contestant, rotated
from .tables import FORMATS, TINY, Size, Table, obtain, warm

ROUNDS = {"1M": 5, "10M": 3}


@dataclass(frozen=True)
class Timing:
    """The runs of one contestant on one table; the figures are medians over the runs."""

    contestant: Contestant
    table: Table
    runs: tuple[Run, ...]

    @property
    def wall(self) -> float:
        """Return the median wall time in seconds."""
        return median(run.wall for run in self.runs)

    @property
    def cpu(self) -> float:
        """Return the median CPU time, user and system, in seconds."""
        return median(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        """Return the median peak memory in bytes."""
        return median(run.peak for run in self.runs)

    @property
    def wall_range(self) -> tuple[float, float]:
        """Return the shortest and the longest wall time."""
        walls = [run.wall for run in self.runs]
        return min(walls), max(walls)


def one_round(
    table: Table, contestants: Sequence[Contestant], ledger: Ledger
) -> dict[Contestant, Run]:
    """Let each contestant count once; raise if one fails or answers differently."""
    runs = {}
    for contestant in contestants:
        done, facts = contestant.count(table)
        print(f"{table}: {contestant.name} {done.wall:.2f} s", file=sys.stderr)
        ledger.enter(f"{contestant.name} ({table})", facts)
        runs[contestant] = done
    return runs


def compete(
    table: Table, contestants: Sequence[Contestant], rounds: int, ledger: Ledger
) -> list[Timing]:
    """Run the rounds on one table, after reading its file once."""
    able = [contestant for contestant in contestants if table.size.name in contestant.sizes]
    warm(table)
    done = [one_round(table, rotated(able, number), ledger) for number in range(rounds)]
    return [Timing(each, table, tuple(runs[each] for runs in done)) for each in able]


def compete_at(
    size: Size, contestants: Sequence[Contestant], rounds: int, kept_in: Path
) -> tuple[list[Timing], Ledger]:
    """Run the rounds on both formats of a size; the answers must agree across formats too."""
    ledger = Ledger()
    timings = []
    for file_format in FORMATS:
        table = obtain(size, file_format, kept_in)
        timings += compete(table, contestants, rounds, ledger)
    return timings, ledger


def rehearse(contestants: Sequence[Contestant], kept_in: Path) -> None:
    """Let everyone count 1,000 records, untimed.

    It compiles the libraries' bytecode, brings them into the page cache, and shows before the
    long runs whether a contestant fails or answers differently.
    """
    compete_at(TINY, contestants, 1, kept_in)
