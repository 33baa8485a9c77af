"""A table that outgrows this machine: the message names the command that counts it elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reidrisk.cli.process import cluster_command
from reidrisk.records.sql.duckdb_session import DuckDBSession as Session


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB with little memory and no disk to spill to."""
    usual = Session.__init__

    def little(self: Session, *arguments: Any) -> None:
        usual(self, *arguments)
        self._session.execute("SET memory_limit = '24MB'")
        self._session.execute("SET max_temp_directory_size = '0KiB'")

    monkeypatch.setattr(Session, "__init__", little)


def test_the_message_names_the_way_out(no_room: None, command: Callable, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    long = {name: rng.integers(0, 10**6, 800_000).astype(str) for name in "abc"}
    path = tmp_path / "long people.parquet"
    pq.write_table(pa.table(long), path)
    asked = ["measure", path, "--columns", "a,b,c", "--no-dependence"]
    said = command(*asked, "--engine", "duckdb", "--memory-limit", "1GB")
    assert said.status == 3
    assert "ran out of memory or of disk" in said.err
    exact = f"reidrisk measure '{path}' --columns a,b,c --no-dependence --engine spark://host:7077"
    assert exact in said.err
    as_json = command(*asked, "--engine=duckdb", "--json")
    told = json.loads(as_json.out)["error"]
    assert (as_json.status, told["kind"]) == (3, "engine_failure")
    assert "--json --engine spark://host:7077" in told["hint"]


def test_options_of_this_machine_are_left_out() -> None:
    told = cluster_command(["search", "x.csv", "--threads=2", "--engine", "duckdb", "--ratio", "2"])
    assert told.endswith(": reidrisk search x.csv --ratio 2 --engine spark://host:7077")
