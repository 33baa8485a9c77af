"""The command: `python -m benchmarks.accuracy QUESTION`, run from the root of the repository."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.accuracy import (
    real_people,
    search,
    tables,
)

# Public tables that aren't part of the repository; docs/accuracy.md says where each can be had.
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    asked = parser.add_subparsers(dest="question", required=True)
    real = asked.add_parser("real-people", help="people of real tables")
    real.add_argument("--data", type=Path, default=DATA)
    real.add_argument("--people", type=int, default=1000)
    real.add_argument("--subsets", type=int, default=20)
    whole = asked.add_parser("tables", help="whole tables, predicted against counted")
    whole.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    risky = asked.add_parser("search", help="dangerous combinations, from statistics and counted")
    risky.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    for each in (real, risky):
        each.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def report(asked: argparse.Namespace) -> Iterator[str]:
    """The answer to the question, line by line."""
    if asked.question == "real-people":
        yield from real_people.lines(asked.data, asked.subsets, asked.people, asked.seed)
    if asked.question == "search":
        yield from search.lines(asked.data, asked.seed)
    if asked.question == "tables":
        yield from tables.lines(asked.data)


if __name__ == "__main__":
    for line in report(parse()):
        print(line, flush=True)
