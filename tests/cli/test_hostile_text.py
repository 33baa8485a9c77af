"""Names, values, titles and file names that would take a terminal over, through every command."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr
from reidrisk.cli.main import GROUPS
from reidrisk.printable import printable, printable_text, shell_word

# A title, a colour, a line of its own, C1, right-to-left, rich's markup, DEL, a line separator.
EVIL = "\x1b]0;x\x07\x1b[1m\r\nError: SPOOF\x9b2J\u202e\t[bold]\x7f\u2028\u200b"
AGE, SEX, TOWN = f"age{EVIL}", f"sex{EVIL}", f"town{EVIL}"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]")
PEOPLE = {
    AGE: [f"{20 + i % 7}{EVIL}" for i in range(60)],
    SEX: [f"{'fm'[i % 2]}{EVIL}" for i in range(60)],
    TOWN: [f"{'abc'[i % 3]}{EVIL}" for i in range(60)],
}
# Without a table or statistics there is nothing hostile to say.
WITHOUT = {"serve", "reproduce", "demo"}
LOOKED_AT = ("--column", AGE, "--column", SEX, "--column", TOWN)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, itself of an evil name, with the table and statistics of it."""
    folder = tmp_path / f"folder{EVIL}"
    folder.mkdir()
    monkeypatch.chdir(folder)
    pq.write_table(pa.table(PEOPLE), folder / f"people{EVIL}.parquet")
    later = {name: [*cells[5:], *cells[:3]] for name, cells in PEOPLE.items()}
    pq.write_table(pa.table(later), folder / f"later{EVIL}.parquet")
    statistics = rr.publish(rr.read(pa.table(PEOPLE), columns=list(PEOPLE)), unprotected=True)
    rr.save_statistics(statistics, folder / f"statistics{EVIL}.json")
    told = json.loads((folder / f"statistics{EVIL}.json").read_text())
    told["title"] = f"title{EVIL}"
    (folder / f"statistics{EVIL}.json").write_text(json.dumps(told))
    (folder / f"sex{EVIL}.csv").write_text(f'"{SEX}",people\n"f{EVIL}",52\n"m{EVIL}",48\n')
    return folder


TABLE, STATISTICS = f"people{EVIL}.parquet", f"statistics{EVIL}.json"
ASKED = (f"{AGE}=20{EVIL}", f"{SEX}=f{EVIL}")
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "columns": [(TABLE,), (TABLE, "--engine", EVIL)],
    "measure": [
        (TABLE, *LOOKED_AT, "--verbose"),
        (TABLE, *LOOKED_AT, "--risk-file", f"risk{EVIL}.csv", "--key", TOWN),
        (TABLE,),
        (TABLE, "--columns", f"nix{EVIL}"),
        (TABLE, *LOOKED_AT, "--bands", f"{AGE}=5"),
        (TABLE, *LOOKED_AT, "--count", SEX),
        (TABLE, *LOOKED_AT, "--fail-above", f"nix{EVIL}=0.1"),
        (TABLE, *LOOKED_AT, "--empty", f"20{EVIL}", "--missing", "wildcard"),
        (f"none{EVIL}.csv",),
        (TABLE, f"--nix{EVIL}"),
        (TABLE, EVIL),
    ],
    "population": [
        (TABLE, *LOOKED_AT[:4], "--population", "900", "--panel", "--household", TOWN),
        (TABLE, *LOOKED_AT, "--fraction", "0.1", "--risk-file", f"chances{EVIL}.csv"),
        (TABLE, *LOOKED_AT, "--weight", TOWN),
        (TABLE, *LOOKED_AT, "--population", "900", "--household", f"nix{EVIL}"),
    ],
    "learn": [
        (TABLE, *LOOKED_AT[:4], "--sensitive", TOWN),
        (TABLE, *LOOKED_AT[:4], "--sensitive", TOWN, "--risk-file", f"learnt{EVIL}.csv"),
        (TABLE, *LOOKED_AT[:4], "--sensitive", f"nix{EVIL}"),
        (TABLE, *LOOKED_AT, "--sensitive", TOWN),
        (STATISTICS, "--sensitive", TOWN, "--draws", "2"),
    ],
    "link": [
        (TABLE, TABLE, "--on", f"{AGE},{SEX}", "--register-covers", "0.5"),
        (TABLE, TABLE, *LOOKED_AT, "--errors", "1", "--compare", f"{TOWN}=phonetic"),
        (TABLE, TABLE, "--on", AGE, "--truth", TOWN),
        (TABLE, TABLE, "--on", SEX, "--show-matches", f"m{EVIL}.csv", "--register-key", TOWN),
        (TABLE, TABLE, "--on", f"nix{EVIL}"),
        (TABLE, TABLE, "--on", AGE, "--tolerance", f"{AGE}=1"),
        (TABLE, f"sex{EVIL}.csv"),
    ],
    "releases": [
        (TABLE, f"later{EVIL}.parquet", *LOOKED_AT),
        (TABLE, f"later{EVIL}.parquet", *LOOKED_AT, "--person", TOWN),
        (TABLE, TABLE, *LOOKED_AT),
        (TABLE, f"sex{EVIL}.csv"),
        (TABLE, f"none{EVIL}.csv"),
    ],
    "attack": [
        (TABLE, *LOOKED_AT[:4], "--sensitive", TOWN),
        (TABLE, *LOOKED_AT, "--knows", f"{AGE},{SEX}"),
        (TABLE, *LOOKED_AT, "--up-to", "2"),
        (TABLE, *LOOKED_AT, "--unique-up-to", "2", "--person-file", f"sets{EVIL}.csv"),
        (TABLE, *LOOKED_AT, "--knows", f"nix{EVIL}"),
        (STATISTICS, "--up-to", "2"),
    ],
    "search": [
        (TABLE, *LOOKED_AT, "--allowable-risk", "0.01"),
        (STATISTICS, "--allowable-risk", "0.01"),
        (TABLE, *LOOKED_AT, "--budget", "2"),
    ],
    "generalise": [
        (TABLE, *LOOKED_AT, "-k", "2", "-o", f"safer{EVIL}.csv"),
        (TABLE, *LOOKED_AT, "-k", "30"),
        (TABLE, *LOOKED_AT, "-k", "2", "--hierarchies", f"none{EVIL}"),
    ],
    "publish": [(TABLE, *LOOKED_AT, "-o", f"published{EVIL}.json")],
    "compile": [(f"sex{EVIL}.csv", "--title", EVIL, "-o", f"compiled{EVIL}.json"),
                ("--example", f"tables{EVIL}")],
    "check": [(STATISTICS,), (f"sex{EVIL}.csv",)],
    "predict": [(STATISTICS,), (STATISTICS, "--columns", f"nix{EVIL}")],
    "person": [
        (STATISTICS, *ASKED), (TABLE, *LOOKED_AT, *ASKED), (STATISTICS, f"{AGE}=99{EVIL}"),
        (STATISTICS, f"nix{EVIL}=1"),
    ],
    "people": [(STATISTICS, TABLE, "-o", f"scores{EVIL}.csv"),
               (STATISTICS, f"sex{EVIL}.csv", "-o", f"scores{EVIL}.csv")],
    "group": [
        (STATISTICS, "--column", AGE, "--size", "3"),
        (TABLE, "--column", AGE, "--size", "3"),
    ],
    "plan": [(STATISTICS, "--asked", AGE, "--could-ask", SEX, "--size", "5")],
    "report": [
        (TABLE, *LOOKED_AT), (TABLE, *LOOKED_AT, "-o", f"report{EVIL}.html", "--title", EVIL),
        (TABLE, *LOOKED_AT, "--format", "html"), (STATISTICS, "-o", f"report{EVIL}.md"),
        (TABLE, *LOOKED_AT, "--publishable"),
    ],
}  # fmt: skip


def test_every_command_is_here() -> None:
    assert set(COMMANDS) == {name for group in GROUPS.values() for name in group} - WITHOUT


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_hidden_character_reaches_the_terminal(
    command: Callable, place: Path, name: str, as_json: bool
) -> None:
    for arguments in COMMANDS[name]:
        said = command(name, *arguments, *(["--json"] if as_json else []))
        for text in (said.out, said.err):
            assert not FORBIDDEN.search(text), (arguments, FORBIDDEN.search(text), text)
            # No line begins with what the data would say.
            assert "\nError: SPOOF" not in text, arguments
            assert not text.startswith("Error: SPOOF"), arguments
            assert "reidrisk failed" not in text, text
        if as_json:
            told = said.json if "--example" not in arguments else {"error": ""}
            assert "error" in told or said.status in (0, 1)
    for written in place.glob("report*"):
        assert not FORBIDDEN.search(written.read_text()), written.suffix


def test_json_keeps_the_names_as_they_are(command: Callable, place: Path) -> None:
    told = command("measure", TABLE, *LOOKED_AT, "--json").json
    assert told["input"]["columns"] == [AGE, SEX, TOWN]


def test_the_line_to_copy_works(command: Callable, place: Path) -> None:
    """A shell reads it back as the names that are there."""
    for evil in (EVIL, " ", " 'a\\b' ", "\U000e0041", "Zürich…\x01f"):
        pq.write_table(pa.table({f"{evil}a": [1, 2, 1], "b": [1, 1, 2]}), "small.parquet")
        (line,) = [line for line in command("columns", "small.parquet").out.splitlines()
                   if "To copy:" in line]  # fmt: skip
        script = line.partition("To copy: reidrisk ")[2]
        done = subprocess.run(["bash", "-c", f"printf '%s\\0' {script}"], capture_output=True)
        said = command(*done.stdout.decode().split("\0")[:-1], "--json")
        assert said.json["input"]["columns"] == [f"{evil}a", "b"]


def test_results_in_python_are_as_careful(place: Path) -> None:
    table = rr.read(TABLE, columns=list(PEOPLE))
    risk = rr.measure(table)
    for text in (str(risk), repr(table), risk._repr_html_(), str(rr.columns(TABLE)),
                 risk.to_json(), str(rr.attack(table, up_to=2))):  # fmt: skip
        assert not FORBIDDEN.search(text)
        assert "\nError: SPOOF" not in text
    with pytest.raises(rr.ReidriskError) as raised:
        rr.read(TABLE, columns=[f"nix{EVIL}"])
    assert not FORBIDDEN.search(str(raised.value))


def test_our_own_bold_goes_through_on_a_terminal(place: Path) -> None:
    """And nothing else does."""
    script = "from reidrisk.cli.main import run; run()"
    ours, theirs = pty.openpty()
    asked = [sys.executable, "-c", script, "columns", TABLE]
    with subprocess.Popen(asked, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm"}):
        os.close(theirs)
        seen = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:
                break
            if not more:
                break
            seen += more
    os.close(ours)
    text = seen.decode()
    assert text.startswith("\x1b[1m")
    plain = text.replace("\r\n", "\n").replace("\x1b[1m", "", 1).replace("\x1b[0m", "", 1)
    assert not FORBIDDEN.search(plain), plain


@given(st.text())
def test_what_is_shown_is_one_line_and_says_the_same(text: str) -> None:
    assert not FORBIDDEN.search(printable(text))
    assert "\n" not in printable(text)
    assert printable(printable(text)) == printable(text)
    assert json.loads(printable_text(json.dumps({"a": text}, ensure_ascii=False))) == {"a": text}


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_a_word_of_the_shell(word: str) -> None:
    assert printable(shell_word(word)) == shell_word(word)
    done = subprocess.run(["bash", "-c", f"printf %s {shell_word(word)}"], capture_output=True,
                          env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})  # fmt: skip
    assert done.stdout.decode() == word
