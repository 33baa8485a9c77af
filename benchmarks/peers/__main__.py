"""The same jobs by other tools: `python -m benchmarks.peers`, or `make peers`, from the root.

Fills the tables of docs/peers.md; with --quick a generated table of 1,000 people only, printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import marked_page
from benchmarks.speed.answers import Facts
from benchmarks.speed.children import Run
from benchmarks.speed.contestants import absences, present, rotated
from benchmarks.speed.machine import describe
from benchmarks.speed.markdown import timing_table
from benchmarks.speed.rounds import Timing
from benchmarks.speed.tables import KEPT_IN, Table, warm

from . import agreement, learning, releases, tables
from .contestants import LEFT_OUT, PACKAGES, PEERS, REIDRISK, Peer
from .histograms import histogram

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "peers.md")
    parser.add_argument("--tables", type=Path, default=KEPT_IN, help="where tables are kept")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="a generated table only; printed")
    return parser.parse_args(arguments)


def measured(table: Table, peers: Sequence[Peer], rounds: int) -> tuple[list[Timing], list[Facts]]:
    """Interleaved rounds: everyone's times and figures, in the order of the peers."""
    warm(table)
    runs: dict[str, list[Run]] = {}
    facts: dict[str, Facts] = {}
    for number in range(rounds):
        for peer in rotated(peers, number):
            done, found = peer.count(table)
            runs.setdefault(peer.name, []).append(done)
            facts[peer.name] = found
    timings = [Timing(peer, table, tuple(runs[peer.name])) for peer in peers]
    return timings, [facts[peer.name] for peer in peers]


def blocks(options: argparse.Namespace) -> dict[str, list[str]]:
    """Every table of the page, by the name of its place."""
    sizes = [tables.TINY] if options.quick else tables.present(options.data)
    peers = [each for each in (REIDRISK, *PEERS) if each in present((REIDRISK, *PEERS))]
    # Before anything is measured: the load at the start.
    machine = [describe(PACKAGES), *absences(PEERS)]
    figures, timings = agreement.head(), list[Timing]()
    for size in sizes:
        table = tables.obtain(size, options.data, options.tables)
        print(f"{size}", file=sys.stderr, flush=True)
        took, (ours, *theirs) = measured(table, peers, options.rounds)
        named = {peer.name: facts for peer, facts in zip(peers[1:], theirs, strict=True)}
        ways = agreement.Explanations(
            histogram(table.path, size.columns), histogram(table.path, size.columns, complete=True)
        )
        figures += agreement.lines(size.name, ours, named, ways)
        timings += took
    return {
        "machine": machine,
        "figures": figures,
        "times": timing_table(timings).splitlines(),
        "releases": generalised(options),
        "learning": learning.lines(options.data),
        "left-out": [f"- **{name}**: {why}." for name, why in LEFT_OUT.items()],
    }


def generalised(options: argparse.Namespace) -> list[str]:
    """Releases of Adult, where it is at hand."""
    folder = options.data / "adult" / "hierarchies"
    if options.quick or not folder.is_dir():
        return ["Not run: Adult and its hierarchies aren't at hand."]
    adult = tables.obtain(tables.TABLES[0], options.data, options.tables)
    return releases.lines(adult, folder)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then fill the page or print."""
    options = parse(arguments)
    options.tables = options.tables.resolve()
    found = blocks(options)
    for name, lines in found.items():
        print(f"## {name}\n", *lines, "", sep="\n")
    if not options.quick:
        marked_page.write(options.page, found)


if __name__ == "__main__":
    main()
