"""Papers and benchmarks in the documentation: what stands there is what the runs left."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.marked_page import blocks_of

from documenting import papers
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


def test_the_readme_says_what_the_runs_found() -> None:
    """Its three sentences of figures are those of the pages they link to."""
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    accuracy = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    headline = blocks_of(accuracy)["headline"]
    mean, most = re.findall(r"\| pairwise \| ([\d.]+) \(([\d.]+)\)", headline)[0]
    assert f"off by {mean} on average and by {most} at most" in readme
    values, agree, differ = re.findall(r"Of (\d+) values .*? (\d+) come .*? (\d+)", summary())[0]
    assert f"Of {values} values" in readme
    assert f"{agree} come out as reported when rerun and {differ} don't" in readme
    speed = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8").split("## 10M x 8")[1]
    seconds = re.findall(r"\| reidrisk \|[^|]*\| ([\d.]+) ", speed)[0]
    assert f"measured in {seconds} seconds from Parquet" in readme


def summary() -> str:
    """How many values come out as the papers report, in a sentence."""
    return str(papers.held()["summary"])
