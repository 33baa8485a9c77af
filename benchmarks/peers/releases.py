"""Releases: Adult generalised by every tool, measured alike.

Losses are those of reidrisk's method page: `levels`, the mean of level/height of the columns, and
`discernibility`, (Σ c² + R·n)/n² over crowds of c people with R of n left out. Every release
is counted by DuckDB.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.marked_page import rows
from benchmarks.speed.children import ChildError, Run, run
from benchmarks.speed.tables import Table

from .generalising import MOST_SECONDS
from .histograms import Histogram, histogram
from .tables import NINE

SCRIPT = Path(__file__).with_name("generalising.py")
FOUR = NINE[:4]


@dataclass(frozen=True)
class Task:
    """Columns, k, and the share of people that may be left out."""

    columns: tuple[str, ...]
    k: int
    share: float

    def __str__(self) -> str:
        """As in the table."""
        left = f"up to {self.share:.0%} left out" if self.share else "nobody left out"
        return f"{len(self.columns)} columns, k = {self.k}, {left}"


@dataclass(frozen=True)
class Tool:
    """A tool, the modules it needs, and whether it takes hierarchies and leaves people out."""

    name: str
    job: str
    needs: tuple[str, ...]
    leaves_out: bool = True


TASKS = (Task(FOUR, 5, 0.0), Task(FOUR, 5, 0.05), Task(NINE, 5, 0.0), Task(NINE, 5, 0.05))
TOOLS = (
    Tool("reidrisk", "reidrisk", ("reidrisk",)),
    Tool("anjana", "anjana", ("anjana",)),
    Tool("crowds (OLA)", "crowds", ("crowds",)),
    Tool("anonypy (Mondrian)", "anonypy", ("anonypy",), leaves_out=False),
)


@dataclass(frozen=True)
class Release:
    """What a tool released: levels where it has some, its crowds, and what it cost."""

    levels: dict[str, int] | None
    crowds: Histogram
    run: Run

    @property
    def people(self) -> int:
        """Those who stayed."""
        return sum(size * crowds for size, crowds in self.crowds.items())


def released(tool: Tool, task: Task, table: Table, folder: Path) -> Release:
    """Let a tool do a task in a process of its own."""
    target = table.path.with_name(f"peers-release-{tool.job}.parquet")
    target.unlink(missing_ok=True)
    words = (tool.job, str(table.path), ",".join(task.columns), str(folder.resolve()), str(task.k),
             f"{task.share}", str(target))  # fmt: skip
    done = run([sys.executable, "-P", str(SCRIPT), *words], table.path.parent)
    levels = json.loads(done.output.strip().splitlines()[-1])["levels"]
    return Release(levels, histogram(target, task.columns), done)


def lines(table: Table, folder: Path, tasks: Sequence[Task] = TASKS) -> list[str]:
    """One row a tool and task."""
    heights = {column: height(folder, column) for column in NINE}
    head = ["task", "tool", "k reached", "people left out", "loss: levels", "loss: discernibility",
            "crowds", "wall s", "CPU s", "CPU: times reidrisk's"]  # fmt: skip
    body = []
    for task in tasks:
        base = 0.0
        for tool in TOOLS:
            if missing := [each for each in tool.needs if find_spec(each) is None]:
                body.append([str(task), tool.name, f"not installed: {', '.join(missing)}"])
                continue
            if task.share and not tool.leaves_out:
                continue
            try:
                found = released(tool, task, table, folder)
            except ChildError as error:
                body.append([str(task), tool.name, reason(error)])
                continue
            base = base or found.run.cpu
            body.append([str(task), tool.name, *cells(found, task, table.size.rows, heights, base)])
    width = len(head)
    return rows(head, [[*row, *[""] * (width - len(row))] for row in body])


def cells(
    found: Release, task: Task, people: int, heights: dict[str, int], base: float
) -> list[str]:
    """k, left out, losses, crowds, seconds, ratio."""
    gone = people - found.people
    squares = sum(size * size * crowds for size, crowds in found.crowds.items())
    smallest = min(found.crowds)
    met = "" if smallest >= task.k else " (**not met**)"
    return [
        f"{smallest}{met}", f"{gone:,}", levels_loss(found.levels, heights, gone / people),
        f"{(squares + gone * people) / people**2:.5f}", f"{sum(found.crowds.values()):,}",
        f"{found.run.wall:.1f}", f"{found.run.cpu:.1f}", f"{found.run.cpu / base:.1f}",
    ]  # fmt: skip


def levels_loss(levels: dict[str, int] | None, heights: dict[str, int], gone: float) -> str:
    """(1 − s)·m + s, m the mean of level/height, s the share left out."""
    if levels is None:
        return "–"
    mean = sum(level / heights[column] for column, level in levels.items()) / len(levels)
    return f"{(1 - gone) * mean + gone:.5f}"


def height(folder: Path, column: str) -> int:
    """How many levels a column can go up."""
    (path,) = folder.glob(f"*_{column}.csv.gz")
    first = subprocess.run(["gzip", "-dc", str(path)], capture_output=True, text=True, check=True)
    return first.stdout.splitlines()[0].count(";")


def reason(error: ChildError) -> str:
    """Why a tool gave nothing."""
    text = str(error)
    if f"status {-signal.SIGXCPU}" in text:
        return f"stopped after {MOST_SECONDS} s of CPU"
    return f"failed: {text.strip().splitlines()[-1][:120]}"
