"""compile and check, as people use them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reidrisk.statistics import load_statistics


def test_from_the_example_to_a_checked_file(command: Callable, tmp_path: Path) -> None:
    said = command("compile", "--example", tmp_path / "tables")
    tables = sorted((tmp_path / "tables").glob("*.csv"))
    assert [table.name for table in tables] == ["age.csv", "age_by_sex.csv", "sex.csv"]
    assert "Next: reidrisk compile" in said.out
    out = tmp_path / "statistics.json"
    said = command("compile", *tables, "-o", out)
    assert said.status == 0
    assert "10,000 people, 2 attributes" in said.out
    assert "age_by_sex.csv: counts of 4 values of age by 2 of sex; totals checked" in said.out
    assert command("check", out).status == 0
    assert load_statistics(out).pairs[0].of == ("age", "sex")


def test_compile_json(command: Callable, tmp_path: Path) -> None:
    table = tmp_path / "sex.csv"
    table.write_text("sex;Prozent\nf;52,55\nm;47,45\n")
    out = tmp_path / "statistics.json"
    said = command("compile", table, "--records", 1_000_000, "-o", out, "--json")
    assert said.json["rounded_to"] == 100
    assert said.json["attributes"] == ["sex"]
    assert said.json["tables"] == ["sex.csv: per cent of 2 values of sex"]
    said = command("compile", table, "--records", 1_000_000, "-o", out)
    assert "Counts are known to the nearest 100." in said.out


def test_nothing_is_written_when_tables_disagree(command: Callable, tmp_path: Path) -> None:
    table = tmp_path / "sex.csv"
    table.write_text("sex,people\nf,52\nm,47\nTotal,100\n")
    out = tmp_path / "statistics.json"
    said = command("compile", table, "-o", out, "--json")
    assert said.status == 2
    assert said.json["error"]["kind"] == "inconsistent_statistics"
    assert "the total is 100, its cells add up to 99" in said.json["error"]["message"]
    assert not out.exists()
    assert command("compile", table).status == 2
    assert command("compile", "-o", out).status == 2
    assert command("compile", table, "-o", table).status == 2
    assert "would be lost" in command("compile", table, "-o", table).err
    assert "there is no file" in command("compile", tmp_path / "none.csv", "-o", out).err


def test_files_checked_together_disagree(command: Callable, tmp_path: Path) -> None:
    for name, text in (("one", "sex,n\nf,52\nm,48\n"), ("two", "sex,n\nf,51\nm,49\n")):
        (tmp_path / f"{name}.csv").write_text(text)
        command("compile", tmp_path / f"{name}.csv", "-o", tmp_path / f"{name}.json")
    said = command("check", tmp_path / "one.json", tmp_path / "two.json")
    assert said.status == 2
    assert "52 people with 'f' in one, 51 in another" in said.err
