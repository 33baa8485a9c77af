"""The command: `python -m benchmarks.speed`, run from the root of the repository."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from .answers import Ledger
from .contestants import ALL, Contestant, present
from .huge import MEMORY_LIMIT, run_huge
from .in_process import available, time_in_process
from .machine import describe
from .markdown import (
    AGREED,
    EXPLANATION,
    absence_lines,
    in_process_line,
    timing_table,
    verdict_lines,
)
from .pairs import PAIRING
from .rounds import ROUNDS, Timing, compete_at, rehearse
from .tables import HUGE, KEPT_IN, SIZES
from .targets import verdicts

QUICK_ROUNDS = 2


def sizes(text: str) -> list[str]:
    """Read a list such as 1M,10M."""
    names = text.split(",")
    for name in names:
        if name not in SIZES:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(SIZES)}")
    return names


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--sizes", type=sizes, default=list(SIZES), help="default: 1M,10M")
    parser.add_argument("--huge", action="store_true", help="also 100M under a memory limit")
    parser.add_argument("--only-pairs", action="store_true", help="all pair tables at 10M, alone")
    parser.add_argument("--rounds", type=positive, help="default: 5 at 1M, 3 at 10M")
    parser.add_argument("--quick", action="store_true", help="1M only, two rounds")
    parser.add_argument("--tables", type=Path, default=KEPT_IN, help="where tables are kept")
    parser.add_argument("-o", dest="output", type=Path, help="write the report there as well")
    options = parser.parse_args(arguments)
    if options.quick:
        options.sizes, options.rounds = ["1M"], options.rounds or QUICK_ROUNDS
    return options


def opening(contestants: Sequence[Contestant]) -> Iterator[str]:
    """Say where this is measured, how, and who is missing."""
    yield f"# Speed\n\n{describe()}\n\n{EXPLANATION}"
    if lines := absence_lines(contestants):
        yield lines


def race(options: argparse.Namespace) -> Iterator[str]:
    """Run the rounds and the in-process repeats, and judge the targets."""
    contestants, timings = present(), list[Timing]()
    rehearse(contestants, options.tables)
    ledgers = {name: Ledger() for name in SIZES}
    for name in options.sizes:
        rounds = options.rounds or ROUNDS[name]
        done, ledgers[name] = compete_at(SIZES[name], contestants, rounds, options.tables)
        timings += done
        yield f"## {SIZES[name]}\n\n{timing_table(done)}\n\n{AGREED}"
    if "10M" in options.sizes:
        done = pair(options)
        timings += done
        yield pairs_part(done)
    timed = time_in_process(options.tables, ledgers["1M"]) if available() else None
    yield in_process_line(timed) if timed else "In process: reidrisk is not installed."
    yield f"## Targets\n\n{verdict_lines(verdicts(timings, timed))}"


def pair(options: argparse.Namespace) -> list[Timing]:
    """Count all pair tables of the 10M table."""
    contestants = present(PAIRING)
    rehearse(contestants, options.tables)
    rounds = options.rounds or ROUNDS["10M"]
    return compete_at(SIZES["10M"], contestants, rounds, options.tables)[0]


def pairs_part(timings: Sequence[Timing]) -> str:
    """Write the part of the report on pair tables."""
    return f"## All 28 pair tables, {SIZES['10M']}\n\n{timing_table(timings)}\n\n{AGREED}"


def sections(options: argparse.Namespace) -> Iterator[str]:
    """Measure, and yield the report part by part, each as soon as it is known."""
    yield from opening(PAIRING if options.only_pairs else ALL)
    if options.only_pairs:
        yield pairs_part(pair(options))
        return
    yield from race(options)
    if options.huge:
        limited = timing_table(run_huge(options.tables))
        yield f"## {HUGE}, memory limit {MEMORY_LIMIT}\n\n{limited}\n\n{AGREED}"


def publish(options: argparse.Namespace, parts: Sequence[str]) -> None:
    """Print the newest part, and write all parts so far to the file, if one was asked for."""
    print(parts[-1], end="\n\n", flush=True)
    if options.output:
        options.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> int:
    """Report what was measured, even when a later part fails; return 1 when one does."""
    options = parse()
    options.tables = options.tables.resolve()
    options.tables.mkdir(parents=True, exist_ok=True)
    parts: list[str] = []
    try:
        for part in sections(options):
            parts.append(part)
            publish(options, parts)
    except Exception as error:
        traceback.print_exc()
        parts.append(f"**Stopped**: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
        publish(options, parts)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
