"""What the counting road may not drag in: seconds of imports nobody asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import reidrisk as rr

HEAVY = (
    "pandas",
    "polars",
    "duckdb",
    "scipy",
    "rich",
    "pydantic",
    "altair",
    "sqlalchemy",
    "pyspark",
)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_measuring_imports_nothing_heavy(tmp_path: Path, suffix: str) -> None:
    from reidrisk.demo.tour import write_city

    write_city(tmp_path / f"city{suffix}")
    script = (
        "import sys, reidrisk as rr\n"
        f"rr.measure(rr.read({str(tmp_path / f'city{suffix}')!r})).to_json()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_help_needs_neither_arrow_nor_numpy() -> None:
    script = (
        "import sys, click.testing, reidrisk.cli.main as m\n"
        "r = click.testing.CliRunner().invoke(m.reidrisk, ['--help'])\n"
        "assert r.exit_code == 0\n"
        "print([n for n in ('numpy', 'pyarrow') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_city_is_the_same_everywhere(tmp_path: Path) -> None:
    from reidrisk.demo.tour import write_city

    write_city(tmp_path / "city.parquet")
    assert pq.read_table(tmp_path / "city.parquet").equals(rr.city())
