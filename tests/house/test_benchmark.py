"""The benchmark runs, and its contestants agree, on a table small enough for a test."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.speed.contestants import present
from benchmarks.speed.pairs import PAIRING
from benchmarks.speed.rounds import rehearse


@pytest.mark.slow
def test_contestants_agree(tmp_path: Path) -> None:
    contestants = present()
    assert {"reidrisk", "duckdb"} <= {contestant.job for contestant in contestants}
    rehearse(contestants, tmp_path)


@pytest.mark.slow
def test_contestants_agree_on_pair_tables(tmp_path: Path) -> None:
    contestants = present(PAIRING)
    assert len(contestants) == 3
    rehearse(contestants, tmp_path)
