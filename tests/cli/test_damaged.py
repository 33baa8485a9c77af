"""Damaged inputs: bytes changed or cut off at seeded places, numbers without end, files that go."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import UnreadableInput
from reidrisk.machine import no_progress
from reidrisk.records.files.parquet import open_parquet

DIGITS = "9" * 5000


def written(kind: str, folder: Path) -> Path:
    """A small table of the generated city in one of the formats."""
    table = rr.city(400).select(["county", "age", "sex"])
    place = folder / f"people.{kind}"
    if kind == "parquet":
        pq.write_table(table, place, row_group_size=100)
    elif kind == "arrow":
        feather.write_feather(table, str(place), compression="zstd")
    elif kind == "jsonl":
        place.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif kind == "json":
        rr.save_statistics(rr.publish(rr.read(table)), place)
    else:
        arrow_csv.write_csv(table, folder / "people.csv")
        if kind == "csv.gz":
            place.write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
        if kind == "csv.zst":
            held = pa.compress((folder / "people.csv").read_bytes(), "zstd", asbytes=True)
            place.write_bytes(held)
    return place


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "csv.zst", "parquet", "arrow", "jsonl", "json"])
def test_damage_is_said_or_survived(command, tmp_path: Path, kind: str) -> None:  # type: ignore[no-untyped-def]
    place = written(kind, tmp_path)
    whole = place.read_bytes()
    draw = np.random.default_rng(17)
    asked = ("predict", place) if kind == "json" else ("measure", place)
    for turn in range(40):
        held = bytearray(whole)
        if turn % 4 == 0:
            held = held[: int(draw.integers(1, len(whole)))]
        else:
            for _ in range(1 + turn % 3):
                held[int(draw.integers(0, len(held)))] = int(draw.integers(0, 256))
        place.write_bytes(bytes(held))
        said = command(*asked, "--quiet")
        assert said.status in (0, 2), (turn, said.err)
        assert "fault in reidrisk" not in said.err, (turn, said.err)


@pytest.mark.parametrize(
    ("name", "text", "asked"),
    [
        ("s.json", '{"format": "reidrisk-statistics/1", "records": %s, "attributes": []}',
         ("predict",)),
        ("s.json", '{"format": "reidrisk-statistics/1", "records": 9, "attributes": '
         '[{"name": "a", "counts": {"x": %s}}]}', ("check",)),
        ("t.csv", "age,people\n1,%s\n2,3\n", ("compile", "-o", "s.json")),
        ("t.csv", "age,%s\n1,2\n2,3\n", ("measure",)),
        ("t.jsonl", '{"a": 1}\n{"a": %s}\n', ("measure",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_of_thousands_of_digits(  # type: ignore[no-untyped-def]
    command, tmp_path: Path, monkeypatch, name: str, text: str, asked: tuple[str, ...], digits: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text % DIGITS[:digits])
    said = command(asked[0], name, *asked[1:])
    assert said.status in (0, 2), said.err
    assert "fault in reidrisk" not in said.err
    assert DIGITS[:50] not in said.err


def test_costs_and_bands_of_thousands_of_digits(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    people, costs = written("csv", tmp_path), tmp_path / "costs.toml"
    costs.write_text(f"county = {DIGITS}\n")
    asked = ("search", people, "--costs", costs, "--budget", 3)
    assert command(*asked).status == 2
    for option in (f"--bands=age={DIGITS}", f"--population={DIGITS}", f"--crowds={DIGITS}"):
        said = command("measure", people, option)
        assert said.status in (0, 2)
        assert "fault in reidrisk" not in said.err


def test_an_input_that_goes_while_it_is_read(tmp_path: Path) -> None:
    """Deleted between being opened and being counted."""
    place = written("parquet", tmp_path)
    source = open_parquet(place)
    place.unlink()
    with pytest.raises(UnreadableInput, match=r"people\.parquet has gone while it was read"):
        source.each_column(["age"], lambda _, chunks: list(chunks), 1, no_progress)


def test_a_damaged_page_of_parquet(tmp_path: Path) -> None:
    place = tmp_path / "people.parquet"
    pq.write_table(rr.city(400).select(["county", "age"]), place, compression="none")
    held = bytearray(place.read_bytes())
    held[4:24] = b"\xff" * 20
    place.write_bytes(bytes(held))
    with pytest.raises(UnreadableInput, match=r"people\.parquet is damaged"):
        rr.measure(rr.read(place))


@pytest.mark.parametrize("options", ["", "--json", "--nonsense --json"])
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", ">/dev/full", ">/dev/full 2>&-"])
def test_an_answer_that_cannot_be_written(tmp_path: Path, options: str, closed: str) -> None:
    """Exit status 1 says that a threshold was crossed, and nothing else."""
    place = written("csv", tmp_path)
    command = f"{Path(sys.executable).parent / 'reidrisk'} measure {place} {options} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    if "2>" not in closed and not options:
        assert b"the answer can't be written" in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-"])
def test_closed_streams_that_do_not_matter(tmp_path: Path, closed: str) -> None:
    place = written("csv", tmp_path)
    command = f"{Path(sys.executable).parent / 'reidrisk'} measure {place} --json {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["people"] == 400
