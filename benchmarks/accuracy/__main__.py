"""The command: `python -m benchmarks.accuracy QUESTION`, run from the root of the repository."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks.accuracy import random_dependence


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    asked = parser.add_subparsers(dest="question", required=True)
    looks = asked.add_parser("random-dependence", help=random_dependence.__doc__)
    looks.add_argument("--tables", type=int, default=50, help="tables a set; a tenth from 750,000")
    looks.add_argument("--most-records", type=int, default=3_750_000)
    looks.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def report(options: argparse.Namespace) -> Iterator[str]:
    """The answer to the question, line by line."""
    if options.question == "random-dependence":
        yield from random_dependence.lines(options.tables, options.seed, options.most_records)


if __name__ == "__main__":
    given = parse()
    for line in report(given):
        print(line, flush=True)
