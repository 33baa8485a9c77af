"""Papers and benchmarks in the documentation: what stands there is what the runs left."""

from __future__ import annotations

import re
from pathlib import Path

from documenting.pages import GENERATORS

from documenting import lifted, papers
from reidrisk_papers.expected import PAPERS, paper

ROOT = Path(__file__).resolve().parents[2]


def test_the_whole_rerun_is_documented() -> None:
    """Full, of every paper, every figure and every value that the papers' folders list."""
    held = papers.held()
    assert held["quick"] is False
    assert [each["key"] for each in held["papers"]] == list(PAPERS)
    for each in held["papers"]:
        reported = paper(each["key"]).reported
        assert [figure["key"] for figure in each["figures"]] == list(reported)
        for figure in each["figures"]:
            assert figure["run"]
            assert [line["key"] for line in figure["lines"]] == list(
                reported[figure["key"]].expected
            )


def test_what_differs_says_why() -> None:
    differs = [
        (each["key"], figure["key"], line["key"])
        for each in papers.held()["papers"]
        for figure in each["figures"]
        for line in figure["lines"]
        if line["agrees"] is False and not line["why"]
    ]
    assert differs == []


def test_every_picture_is_there() -> None:
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\((reproduction/pictures/[^)]+)\)", page)
    assert len(shown) > 20
    assert {ROOT / "docs" / each for each in shown} == set(
        (ROOT / "docs" / "reproduction" / "pictures").iterdir()
    )


def test_the_readme_names_the_command_beside_each_table() -> None:
    """A made table's paragraph before it holds the command that makes its numbers."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for part, command in (
        ("accuracy", "python -m benchmarks.accuracy all"),
        ("headlines", "reidrisk reproduce all --data"),
        ("speed", "make benchmark"),
    ):
        before = readme.split(f"<!-- made: {part} -->")[0].rstrip().rsplit("\n\n", 1)[-1]
        assert command in before
        assert part in GENERATORS


def test_the_speed_table_is_that_of_the_speed_page() -> None:
    told = lifted.speed_part("")
    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1:-1] for row in told.splitlines()[2:]]
    assert len(rows) == 10
    for name, seconds, beside, _ in rows:
        table, who = name.strip().split(", ")
        assert re.search(
            rf"\| {re.escape(table)} \| {re.escape(who)} \|[^|]*\| {seconds.strip()} [^|]*"
            rf"\| {re.escape(beside.strip())} ",
            page,
        )
