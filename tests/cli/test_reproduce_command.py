"""`reidrisk reproduce` as a command: its page, its figures as data, what it refuses."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import html5lib
import pytest


def test_a_paper_is_rerun_without_any_file(command, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    said = command("reproduce", "attack", "--quick", "-o", out, "--verbose")
    assert said.status == 0
    assert "Algorithm 7" in said.out
    assert "5 figures and tables of 1 paper rerun" in said.out
    page = (out / "reproduction.html").read_text()
    html5lib.HTMLParser(strict=True).parse(page)
    assert not re.search(r"(?:src|href)=\"https?:|@import|url\(https?:", page)
    assert "reidrisk reproduce attack --output out --quick" in page
    held = json.loads((out / "reproduction.json").read_text())
    assert held["quick"] is True
    (paper,) = held["papers"]
    assert all(figure["run"] for figure in paper["figures"])
    drawn = {f"attack-{each['key']}-1.svg" for each in paper["figures"] if each["pictures"]}
    assert drawn == {path.name for path in (out / "pictures").iterdir()}


def test_as_json_and_never_filled_in(command, tmp_path: Path) -> None:
    told = command("reproduce", "attack", "--data", tmp_path, "--json").json
    assert told["command"] == "reproduce"
    for figure in told["papers"][0]["figures"]:
        assert figure["run"] is False
        assert figure["lines"] == []
        assert "--data" in figure["not_run"]
    said = command("reproduce", "attack")
    assert said.status == 0
    assert said.out.count("not run: needs") == len(told["papers"][0]["figures"])


def test_a_damaged_table(command, tmp_path: Path) -> None:
    (tmp_path / "adult").mkdir()
    for k in (3, 10, 20):
        (tmp_path / "adult" / f"adult_anonymized_k{k}.parquet").write_text("nothing")
    said = command("reproduce", "attack", "--data", tmp_path)
    assert said.status == 2
    assert "is damaged: it can't be read as Parquet" in said.err


def test_what_it_refuses(command, tmp_path: Path) -> None:
    for wrong, why in (
        (("tffr", "--quick"), "it is "),
        (("all", "--quick", "--data", tmp_path), "generated data"),
        (("all", "--data", tmp_path / "nowhere"), "isn't a directory"),
        (("attack", "--quick", "-o", tmp_path / "file" / "out"), "can't be a folder"),
        ((), "Missing argument"),
    ):
        (tmp_path / "file").write_text("")
        said = command("reproduce", *wrong)
        assert said.status == 2
        assert why in said.err
        assert not said.out


def test_without_the_reruns_it_says_where_they_are(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "reidrisk_papers", None)
    monkeypatch.delitem(sys.modules, "reidrisk_papers.rerunning", raising=False)
    said = command("reproduce", "attack", "--quick")
    assert said.status == 2
    assert "clone it, run make demo" in said.err
