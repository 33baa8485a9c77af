"""Peers: figures beside each other at a small scale; tools that aren't installed are skipped."""

from __future__ import annotations

import gzip
import sys
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from benchmarks import marked_page
from benchmarks.peers import agreement, tables
from benchmarks.peers.__main__ import blocks, measured, parse
from benchmarks.peers.agreement import SAME, UNEXPLAINED, Explanations, told
from benchmarks.peers.contestants import PEERS, REIDRISK, Peer
from benchmarks.peers.histograms import histogram
from benchmarks.peers.releases import (
    TOOLS,
    Release,
    Task,
    Tool,
    cells,
    height,
    levels_loss,
    released,
)
from benchmarks.speed.children import Run
from benchmarks.speed.contestants import REIDRISK_COMMAND
from benchmarks.speed.tables import Table

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = [("a", "x"), ("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("b", None), ("b", None)]
PEOPLE = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)


def with_gaps(folder: Path, *columns: str) -> Table:
    path = folder / "gaps.parquet"
    pd.DataFrame(ROWS, columns=["one", "two"]).to_parquet(path)
    return Table(tables.Named("gaps", len(ROWS), (), columns or ("one", "two")), "Parquet", path)


def ways_of(table: Table) -> Explanations:
    columns = table.size.columns
    return Explanations(histogram(table.path, columns), histogram(table.path, columns, True))


def skip_without(peer: Peer | Tool) -> None:
    missing = [module for module in peer.needs if find_spec(module) is None]
    if missing:
        pytest.skip(f"{peer.name}: {', '.join(missing)} not installed (make peers)")
    if not REIDRISK_COMMAND.exists():
        pytest.skip(f"there is no command reidrisk beside {Path(sys.executable).name}")


def test_histograms_of_all_rows_and_of_complete_ones(tmp_path: Path) -> None:
    ways = ways_of(with_gaps(tmp_path))
    assert ways.every == {3: 1, 1: 2, 2: 1}
    assert ways.complete == {3: 1, 1: 2}


def test_explanations_are_computed() -> None:
    ways = Explanations({3: 1, 1: 2, 2: 1}, {3: 1, 1: 2})
    assert told("average_risk", 4 / 7, ways) == SAME
    assert told("average_risk", (2 + 1 / 2 + 1 / 3) / 4, ways) == "over classes, not people"
    assert told("average_risk", 3 / 5, ways) == "complete rows only"
    both = "complete rows only, over classes, not people"
    assert told("average_risk", (2 + 1 / 3) / 3, ways) == both
    assert told("distinct", 3, ways) == "complete rows only"
    assert told("distinct", 5, ways) == UNEXPLAINED
    assert agreement.disagreements({"a tool": {"distinct": 5, "smallest": 1}}, ways) == [
        "a tool: distinct"
    ]


@pytest.mark.slow
@PEOPLE
@pytest.mark.parametrize("columns", [("one", "two"), ("two",)], ids="-".join)
def test_every_figure_of_a_peer_is_equal_or_explained(
    peer: Peer, columns: tuple[str, ...], tmp_path: Path
) -> None:
    skip_without(peer)
    table = with_gaps(tmp_path, *columns)
    _, (ours, theirs) = measured(table, [REIDRISK, peer], 1)
    ways = ways_of(table)
    assert agreement.disagreements({"reidrisk": ours, peer.name: theirs}, ways) == []
    assert all(told(name, float(str(ours[name])), ways) == SAME for name in agreement.FIGURES)
    row = agreement.lines("gaps", ours, {peer.name: theirs}, ways)[1]
    if peer.job in ("pandas", "duckdb"):
        assert row.endswith(f"| {SAME} |")
    else:
        # groupby leaves rows with an empty cell out; its `.groups`, which pyCANON asks for, keeps
        # them where there is more than one column.
        kept = peer.job == "pycanon" and len(columns) > 1
        assert ("distinct: complete rows only" in row) != kept


@pytest.mark.slow
def test_the_generated_table_is_measured_alike(tmp_path: Path) -> None:
    if not REIDRISK_COMMAND.exists():
        pytest.skip("there is no command reidrisk beside this Python")
    found = blocks(parse(["--quick", "--rounds", "1", "--tables", str(tmp_path)]))
    assert UNEXPLAINED not in "\n".join(found["figures"])
    assert any("pandas by hand" in line for line in found["figures"])
    assert "Machine:" in found["machine"][0]
    assert set(found) == set(marked_page.blocks_of((DOCS / "peers.md").read_text()))


def small_hierarchies(folder: Path) -> Path:
    ladders = {"one": ["a;ab;*", "b;ab;*", "c;c;*"], "two": ["x;*", "y;*"]}
    for column, lines in ladders.items():
        with gzip.open(folder / f"small_hierarchy_{column}.csv.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_releases_meet_k(tool: Tool, tmp_path: Path) -> None:
    skip_without(tool)
    people = [("a", "x")] * 4 + [("b", "x")] * 3 + [("c", "y")] * 5 + [("c", "x")] * 4
    path = tmp_path / "people.parquet"
    pd.DataFrame(people, columns=["one", "two"]).to_parquet(path)
    table = Table(tables.Named("people", 16, (), ("one", "two")), "Parquet", path)
    found = released(tool, Task(("one", "two"), 4, 0.0), table, small_hierarchies(tmp_path))
    assert min(found.crowds) >= 4
    assert found.people == 16
    if tool.job in ("reidrisk", "crowds"):
        # The three b's need company: the first level of `one` is the cheapest way.
        assert found.levels == {"one": 1, "two": 0}


def test_losses_are_by_definition(tmp_path: Path) -> None:
    folder = small_hierarchies(tmp_path)
    heights = {column: height(folder, column) for column in ("one", "two")}
    assert heights == {"one": 2, "two": 1}
    assert levels_loss({"one": 1, "two": 0}, heights, 0.0) == "0.25000"
    assert levels_loss({"one": 1, "two": 0}, heights, 0.2) == "0.40000"
    assert levels_loss(None, heights, 0.0) == "–"
    found = Release({"one": 1, "two": 0}, {4: 1, 3: 1}, Run(2.0, 1.0, 1, ""))
    told_of = cells(found, Task(("one", "two"), 4, 0.0), 10, heights, 1.0)
    assert told_of[0] == "3 (**not met**)"
    # Σc² = 25, three of ten left out: (25 + 30)/100.
    assert told_of[3] == "0.55000"
    assert told_of[-3:] == ["2.0", "1.0", "1.0"]
