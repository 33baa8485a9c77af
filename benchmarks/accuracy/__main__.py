"""How far predictions can be trusted: `python -m benchmarks.accuracy all`, from the root.

Every predictor on public tables against what was counted in them; writes the tables of
docs/accuracy.md between their markers, its plots, and the figures both are made of. `show` makes
tables and plots again from the figures, without measuring.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import marked_page

from . import people_blocks, plots, whole_blocks
from .cases import Figures
from .measuring import measured, tables_missing

ROOT = Path(__file__).resolve().parents[2]
# Public tables that aren't part of the repository; docs/accuracy.md says where each can be had.
DATA = ROOT.parent / "shared" / "data"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("question", choices=("all", "show"))
    parser.add_argument("--data", type=Path, default=DATA, help="directory of the public tables")
    parser.add_argument("--quick", action="store_true", help="a little of it, in a minute; printed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder of parts, measured once and kept")
    docs = ROOT / "docs"
    parser.add_argument("-o", dest="plots", type=Path, default=docs / "images" / "accuracy")
    parser.add_argument("--page", type=Path, default=docs / "accuracy.md")
    parser.add_argument("--figures", type=Path, default=docs / "accuracy_figures.json")
    return parser.parse_args(arguments)


def blocks(figures: Figures) -> dict[str, list[str]]:
    """Every table of the page, by the name of its place."""
    cases = figures.cases
    found = {
        "headline": people_blocks.headline(cases),
        "goals": whole_blocks.goals(cases),
        "whole-worst": whole_blocks.worst(cases),
        "intervals": whole_blocks.intervals(cases),
        "people-k": people_blocks.by_k(cases),
        "people-worst": people_blocks.worst(cases),
    }
    for axis in whole_blocks.AXES:
        found[f"whole-{axis}"] = whole_blocks.along(cases, axis)
        found[f"people-{axis}"] = people_blocks.along(cases, axis)
    return found | figures.blocks


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure or read, then write; what is quick is printed, and no file is touched."""
    asked = parse(arguments)
    if asked.question == "all":
        _refuse_without_tables(asked)
        figures = measured(asked.data, asked.seed, asked.quick, asked.keep)
        if asked.quick:
            for name, lines in blocks(figures).items():
                print(f"## {name}\n", *lines, "", sep="\n")
            return
        figures.save(asked.figures)
    # The page shows what the file holds, to the last digit.
    figures = Figures.load(asked.figures)
    plots.write(figures, asked.plots)
    marked_page.write(asked.page, blocks(figures))


def _refuse_without_tables(asked: argparse.Namespace) -> None:
    """The page is about all its tables: without one of them nothing is overwritten."""
    missing = [] if asked.quick else tables_missing(asked.data)
    if missing:
        raise SystemExit(
            f"these tables aren't in {asked.data}: {', '.join(missing)}\n"
            "--data says where they are, docs/accuracy.md which; --quick runs without them"
        )


if __name__ == "__main__":
    main()
