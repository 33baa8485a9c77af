"""What a row stands for: settled before any figure, on every command and engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reidrisk as rr
from reidrisk.errors import ContradictoryOptions, UnansweredUnit
from reidrisk.records.roles import FIRST_LOOK
from tests.commanding import command as command
from tests.places import sqlite

HOSPITAL = {
    "patient_nbr": [7, 7, 8, 8, 9, 10],
    "age": [39, 39, 40, 40, 40, 41],
    "sex": ["f", "f", "m", "m", "m", "f"],
}
CELLS = {"town": ["a", "a", "b"], "sex": ["f", "m", "m"], "count": [2, 1, 40]}
RECORDS_COMMANDS = (
    ("measure",),
    ("attack", "--knows", "age"),
    ("search", "--allowable-risk", "0.5"),
    ("group", "--size", "2"),
    ("person", "age=39"),
    ("report",),
)


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    lines = ["patient_nbr,age,sex"]
    lines += [",".join(map(str, row)) for row in zip(*HOSPITAL.values(), strict=True)]
    place = tmp_path / "hospital.csv"
    place.write_text("\n".join(lines) + "\n")
    return place


@pytest.mark.parametrize("engine", ["codes", "duckdb"])
def test_a_person_column_that_repeats_asks_also_where_columns_are_named(engine: str) -> None:
    table = rr.read(HOSPITAL, columns=["age", "sex"], engine=engine)
    assert table.unit.unanswered
    assert [(each.column, each.kind) for each in table.unit.likely] == [("patient_nbr", "person")]
    assert rr.measure(table).envelope.to_dict()["warnings"][0] == table.unit.warning


def test_a_count_column_that_is_not_used_asks() -> None:
    table = rr.read(CELLS, columns=["town", "sex"])
    assert [(each.column, each.kind) for each in table.unit.likely] == [("count", "count")]


@pytest.mark.parametrize("answer", [{"person": "patient_nbr"}, {"rows_are_people": True}])
def test_an_answer_is_taken(answer: dict) -> None:
    table = rr.read(HOSPITAL, columns=["age", "sex"], **answer)
    assert not table.unit.unanswered
    assert table.people == (4 if "person" in answer else 6)


def test_contradicting_answers_are_refused() -> None:
    with pytest.raises(ContradictoryOptions, match="rows_are_people says"):
        rr.read(HOSPITAL, columns=["age"], person="patient_nbr", rows_are_people=True)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("admission_type_id", [1, 2, 1, 2, 1, 2] * 50),
        ("student", ["yes", "no"] * 150),
        ("patient_id", list(range(300))),
        ("citizen", ["native", "foreign", "naturalised"] * 100),
        ("n", [1] * 300),
    ],
)
def test_what_is_no_hint_asks_nothing(name: str, values: list) -> None:
    table = rr.read({name: values, "age": [30, 31, 32] * 100}, columns=["age"])
    assert not table.unit.unanswered


def test_persons_who_come_back_only_late_are_found(tmp_path: Path) -> None:
    people = np.append(np.arange(FIRST_LOOK + 10), [5])
    place = tmp_path / "late.parquet"
    pq.write_table(pa.table({"patient_id": people, "age": people % 90}), place)
    assert rr.read(place, columns=["age"]).unit.unanswered


def test_a_database_asks_too(hospital: Path, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    address = sqlite.write(tmp_path / "clinic.db", "visits", pa.table(HOSPITAL))
    with rr.read(address, table_name="visits", columns=["age", "sex"]) as table:
        assert [each.column for each in table.unit.likely] == ["patient_nbr"]


def test_publishing_generalising_and_a_report_for_publication_wait(tmp_path: Path) -> None:
    table = rr.read(HOSPITAL, columns=["age", "sex"])
    for wanted in (
        lambda: rr.publish(table, unprotected=True),
        lambda: rr.generalise(table, k=2),
        lambda: rr.report(table, publishable=True),
        lambda: rr.report(table, limits={"highest_risk": "k=1"}),
    ):
        with pytest.raises(UnansweredUnit, match="patient_nbr"):
            wanted()


def test_the_warning_stands_above_every_figure(command: Callable, hospital: Path) -> None:
    for verb, *more in RECORDS_COMMANDS:
        said = command(verb, hospital, *more, "--columns", "age,sex", "--quiet")
        assert said.status == 0, said.err
        warned = said.out.index("Is each row one person?")
        figures = [said.out.find(word) for word in ("alone", "unique", "share", "risk")]
        below = [place for place in figures if place > said.out.index("\n")]
        assert below, verb
        assert warned < min(place for place in below if place > 0), verb


def test_rows_are_not_called_people(command: Callable, hospital: Path) -> None:
    said = command("measure", hospital, "--columns", "age,sex", "--quiet")
    figures = said.out[: said.out.index("Assumptions are")]
    assert "6 rows" in figures
    assert "6 people" not in figures


def test_the_commands_that_promise_refuse_until_they_are_answered(
    command: Callable, hospital: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for words in (
        ("publish", hospital, "-o", f"{out}.json"),
        ("generalise", hospital, "-k", "2", "-o", f"{out}.csv"),
        ("report", hospital, "--publishable", "-o", f"{out}.md"),
    ):
        said = command(*words, "--columns", "age,sex")
        assert said.status == 2
        assert "--person patient_nbr" in said.err
        assert "--rows-are-people" in said.err
    assert not list(tmp_path.glob("out*"))
    said = command("publish", hospital, "--columns", "sex", "-o", f"{out}.json", "--unprotected",
                   "--rows-are-people")  # fmt: skip
    assert said.status == 0, said.err


def test_the_line_to_copy_answers(command: Callable, hospital: Path) -> None:
    assert "--person patient_nbr" in command("columns", hospital).out


def test_what_a_persons_count_is_is_said_in_lines(
    command: Callable, hospital: Path, tmp_path: Path
) -> None:
    said = command("publish", hospital, "--columns", "sex", "--person", "patient_nbr",
                   "--unprotected", "-o", tmp_path / "out.json")  # fmt: skip
    assert "counted once" in said.out
    assert "\\n" not in said.out


@pytest.mark.parametrize(
    "words",
    [
        ("measure", "--fail-above", "k=1"),
        ("measure", "--fail-above", "overall_risk=1", "--json"),
        ("attack", "--knows", "age", "--fail-above", "highest_risk=1"),
        ("report", "--fail-above", "k=1"),
        ("report", "-k", "1"),
        ("report", "--allowable-risk", "1", "--measure", "alone_share"),
    ],
)
def test_a_limit_is_neither_met_nor_exceeded_by_rows(
    command: Callable, hospital: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    verb, *options = words
    said = command(verb, hospital, *options, "--columns", "age,sex")
    assert said.status == 2
    assert "--person patient_nbr" in said.out + said.err
    assert "alone (unique)" not in said.out
    assert "gate" not in said.out
    answered = command(verb, hospital, *options, "--columns", "age,sex", "--person", "patient_nbr")
    assert answered.status == 0, answered.err
