"""Which tables the benchmark uses, and where they are kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .children import run

Format = Literal["Parquet", "CSV"]

FORMATS: tuple[Format, ...] = ("Parquet", "CSV")
CARDINALITIES = (2, 5, 9, 16, 52, 86, 400, 1500)
HUGE_CARDINALITIES = (5, 16, 52, 86, 400, 1500)
KEPT_IN = Path(__file__).resolve().parent.parent / ".tables"
RECIPE = 1  # Part of each file's name: raise it when generating.py changes what it draws.


@dataclass(frozen=True)
class Size:
    """A number of records, and the cardinalities of the columns they have."""

    name: str
    rows: int
    cardinalities: tuple[int, ...] = CARDINALITIES

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns: all of them are quasi-identifiers."""
        return [f"c{k}" for k in self.cardinalities]

    def __str__(self) -> str:
        """Name it as the report does: 1M x 8."""
        return f"{self.name} x {len(self.cardinalities)}"


TINY = Size("1K", 1_000)
HUGE = Size("100M", 100_000_000, HUGE_CARDINALITIES)
SIZES = {"1M": Size("1M", 1_000_000), "10M": Size("10M", 10_000_000)}


@dataclass(frozen=True)
class Table:
    """One file: a size in a format."""

    size: Size
    file_format: Format
    path: Path

    def __str__(self) -> str:
        """Name it as the report does: 1M x 8 Parquet."""
        return f"{self.size} {self.file_format}"


def locate(size: Size, file_format: Format, kept_in: Path) -> Table:
    """Say where a table is kept, whether it exists or not."""
    name = f"{size.name}-{len(size.cardinalities)}-recipe{RECIPE}.{file_format.lower()}"
    return Table(size, file_format, kept_in.resolve() / name)


def obtain(size: Size, file_format: Format, kept_in: Path) -> Table:
    """Return a table, generated first when it is missing."""
    table = locate(size, file_format, kept_in)
    if not table.path.exists():
        kept_in.mkdir(parents=True, exist_ok=True)
        print(f"generating {table}", file=sys.stderr)
        generate(table)
    return table


def generate(table: Table) -> None:
    """Generate in another process, so that this one stays small."""
    script = Path(__file__).with_name("generating.py")
    numbers = [str(number) for number in (table.size.rows, *table.size.cardinalities)]
    run([sys.executable, "-P", str(script), str(table.path), *numbers], table.path.parent)


def warm(table: Table) -> None:
    """Read the file once, so that all contestants find it in the page cache."""
    with table.path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
