"""The tables everybody measures, and where they are kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.children import run
from benchmarks.speed.tables import Size, Table

PREPARING = Path(__file__).with_name("preparing.py")
SIX = ("age", "education", "occupation", "relationship", "sex", "native-country")
NINE = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
        "occupation", "salary-class")  # fmt: skip
CITY = ("postcode", "county", "age", "sex", "marital_state", "occupation")
WITH_GAPS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex",
             "native-country")  # fmt: skip


@dataclass(frozen=True)
class Named(Size):
    """A table by its title, its own columns, and the file below --data that it is made from."""

    named: tuple[str, ...] = ()
    source: str = ""
    key: str = ""

    @property
    def columns(self) -> list[str]:
        """The quasi-identifiers."""
        return list(self.named)

    def __str__(self) -> str:
        """Its title."""
        return self.name


def _of(key: str, title: str, rows: int, columns: tuple[str, ...], source: str = "") -> Named:
    return Named(title, rows, (), columns, source, key)


TABLES = (
    _of("adult", "Adult", 30_162, NINE, "adult/adult_arx.parquet"),
    _of("adult_k3", "Adult, k = 3", 32_561, SIX, "adult/adult_anonymized_k3.parquet"),
    _of("adult_k10", "Adult, k = 10", 29_453, SIX, "adult/adult_anonymized_k10.parquet"),
    _of("adult_k20", "Adult, k = 20", 32_561, SIX, "adult/adult_anonymized_k20.parquet"),
    _of("adult_whole", "Adult with gaps", 48_842, WITH_GAPS, "adult/adult.parquet"),
    _of(
        "adult_whole-occupation",
        "Adult with gaps, occupation alone",
        48_842,
        ("occupation",),
        "adult/adult.parquet",
    ),
    _of("city-100000", "generated city", 100_000, CITY),
)
TINY = _of("city-1000", "small city", 1_000, CITY)


def present(data: Path) -> list[Named]:
    """Those whose file is there, and the generated one."""
    return [each for each in TABLES if not each.source or (data / each.source).exists()]


def obtain(size: Named, data: Path, kept_in: Path) -> Table:
    """The table, written first where it is missing."""
    kept_in.mkdir(parents=True, exist_ok=True)
    path = kept_in.resolve() / f"peers-{size.key}.parquet"
    if not path.exists():
        source = (data / size.source).resolve() if size.source else Path("generated")
        run([sys.executable, "-P", str(PREPARING), size.key, str(source), str(path)], kept_in)
    return Table(size, "Parquet", path)
