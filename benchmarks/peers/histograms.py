"""Crowds by size of a Parquet file, by DuckDB in a process of its own: the common yardstick."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.children import run

MEASURING = Path(__file__).with_name("measuring.py")
Histogram = dict[int, int]


def histogram(path: Path, columns: Sequence[str], complete: bool = False) -> Histogram:
    """{size: crowds} of all rows, or of those without an empty cell."""
    words = ["complete-rows" if complete else "all-rows", str(path), ",".join(columns)]
    done = run([sys.executable, "-P", str(MEASURING), *words], path.parent)
    return {int(size): int(crowds) for size, crowds in json.loads(done.output).items()}
