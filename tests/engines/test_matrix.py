"""The matrix of docs/engines.md: every command on every engine does what it says there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from tests.places import sqlite

ROOT = Path(__file__).resolve().parents[2]
ROWS = 60
TABLE = pa.table(
    {
        "id": list(range(ROWS)),
        "who": [f"p{row // 2}" for row in range(ROWS)],
        "age": [str(20 + row % 7) for row in range(ROWS)],
        "sex": ["f" if row % 2 else None for row in range(ROWS)],
        "people": [1 + row % 3 for row in range(ROWS)],
    }
)
LOOK = ["--columns", "age,sex"]
ROWS = ["--rows-are-people"]
# The command of each line of the matrix; OUT, STATISTICS and WHERE are filled in.
COMMANDS = {
    "`columns`": ["columns", "WHERE"],
    "`measure`": ["measure", "WHERE", *LOOK],
    "`measure --bands`, `--levels`, `--empty`": [
        "measure", "WHERE", *LOOK, "--bands", "age=5", "--levels", "sex=1", "--empty", "25",
    ],
    "`measure --count`": ["measure", "WHERE", *LOOK, "--count", "people"],
    "`measure --person`": ["measure", "WHERE", *LOOK, "--person", "who"],
    "`measure --missing wildcard`": ["measure", "WHERE", *LOOK, "--missing", "wildcard"],
    "`measure --risk-file --key`": [
        "measure", "WHERE", *LOOK, "--risk-file", "OUT.parquet", "--key", "id",
    ],
    "`measure --risk-file`": ["measure", "WHERE", *LOOK, "--risk-file", "OUT.parquet"],
    "`population`": ["population", "WHERE", *LOOK, "--population", "900"],
    "`population --household`, `--weight`, `--risk-file`": [
        "population", "WHERE", *LOOK, "--population", "900", "--household", "who",
        "--risk-file", "OUT.csv", "--key", "id",
    ],
    "`attack --up-to`": ["attack", "WHERE", *LOOK, "--up-to", "1"],
    "`attack --errors`": ["attack", "WHERE", *LOOK, "--errors", "0.1"],
    "`attack --play`": ["attack", "WHERE", *LOOK, "--play", "5"],
    "`attack --unique-up-to`": ["attack", "WHERE", *LOOK, "--unique-up-to", "2"],
    "`search`": ["search", "WHERE", *LOOK, "--allowable-risk", "0.2"],
    "`search --person`": [
        "search", "WHERE", *LOOK, "--person", "who", "--allowable-risk", "0.2",
    ],
    "`generalise`": ["generalise", "WHERE", *LOOK, *ROWS, "-k", "2"],
    "`generalise -o`": ["generalise", "WHERE", *LOOK, *ROWS, "-k", "2", "-o", "OUT.csv"],
    "`generalise --person`": ["generalise", "WHERE", *LOOK, "--person", "who", "-k", "2"],
    "`generalise --person -o`": [
        "generalise", "WHERE", *LOOK, "--person", "who", "-k", "2", "-o", "OUT.csv",
    ],
    "`publish`": ["publish", "WHERE", *LOOK, *ROWS, "-o", "OUT.json"],
    "`publish --person`": ["publish", "WHERE", *LOOK, "--person", "who", "-o", "OUT.json"],
    "`report`": ["report", "WHERE", *LOOK, "-o", "OUT.md"],
    "`person`": ["person", "WHERE", *LOOK, "age=22"],
    "`group`": ["group", "WHERE", *LOOK, "--size", "3"],
    "`people` (RECORDS)": ["people", "STATISTICS", "WHERE", *LOOK, "-o", "OUT.parquet"],
}  # fmt: skip
ENGINES = {"codes": "codes", "duckdb": "duckdb", "sqlite": "database", "postgresql": "database",
           "spark": "spark"}  # fmt: skip


def matrix() -> dict[str, dict[str, str]]:
    """{line: {engine: what the docs say}}."""
    text = (ROOT / "docs" / "engines.md").read_text()
    lines = text.partition("## Which command works where")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines.splitlines()
        if line.startswith("|") and not line.startswith("|---")
    ]
    heads = rows[0][1:]
    return {row[0]: dict(zip(heads, row[1:], strict=True)) for row in rows[1:]}


def test_every_line_is_tried() -> None:
    assert list(matrix()) == list(COMMANDS)
    assert {cell for told in matrix().values() for cell in told} == set(ENGINES.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_commands_do_what_the_matrix_says(
    engine: str, request: pytest.FixtureRequest, command: Callable, tmp_path: Path
) -> None:
    where = placed(engine, request, tmp_path)
    statistics = tmp_path / "statistics.json"
    table = rr.read(TABLE, columns=["age", "sex"], rows_are_people=True)
    rr.save_statistics(rr.publish(table, unprotected=True), statistics)
    for number, (line, told) in enumerate(matrix().items()):
        filled = {"STATISTICS": [str(statistics)], "WHERE": where}
        out = str(tmp_path / f"out{number}")
        arguments = [
            part.replace("OUT", out) for word in COMMANDS[line] for part in filled.get(word, [word])
        ]
        said = command(*arguments)
        wanted = told[ENGINES[engine]]
        if wanted == "yes":
            assert said.status == 0, (line, said.err)
        else:
            assert said.status == 2, (line, said.out)
            assert re.search(re.escape(wanted), said.err), (line, said.err)


def placed(engine: str, request: pytest.FixtureRequest, folder: Path) -> list[str]:
    """Put the table where the engine counts it; the arguments that find it."""
    if engine == "sqlite":
        pytest.importorskip("sqlalchemy", reason="pip install 'reidrisk[database]'")
        return [sqlite.write(folder / "there.db", "there", TABLE), "--table", "there"]
    if engine == "postgresql":
        postgres = request.getfixturevalue("postgres")
        return [postgres.address, "--table", postgres.write("matrix", TABLE)]
    path = folder / "there.parquet"
    pq.write_table(TABLE, path)
    name = request.getfixturevalue("cluster").address if engine == "spark" else engine
    return [str(path), "--engine", name]
