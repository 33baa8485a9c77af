"""Every command a page shows prints what the page says it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from documenting.examples import (
    ROOT,
    Example,
    differences,
    examples_in,
    main,
    pages_with_examples,
    updated,
)
from documenting.realigning import realigned, shortened
from documenting.running import Session

PAGE = """\
```console
$ cat > a.txt <<END
> one
> two
> END
$ cat a.txt
one
two
$ false
$ echo $?
1
```
"""


@pytest.mark.parametrize(
    "page", pages_with_examples(), ids=lambda page: str(page.relative_to(ROOT))
)
def test_examples_print_what_is_shown(page: Path) -> None:
    assert not [str(difference) for difference in differences(page)]


def test_the_pages_that_must_show_commands_do() -> None:
    shown = {str(page.relative_to(ROOT)) for page in pages_with_examples()}
    tasks = {str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "how-to").glob("*.md")}
    assert {"README.md", "docs/index.md", "docs/start.md", *tasks} <= shown
    assert len(tasks) == 9


def test_a_block_is_commands_and_their_outputs() -> None:
    found = [(each.command, each.shown) for each in examples_in(PAGE)]
    assert found == [
        ("cat > a.txt <<END\none\ntwo\nEND", ""), ("cat a.txt", "one\ntwo\n"), ("false", ""),
        ("echo $?", "1\n"),
    ]  # fmt: skip


def test_a_page_runs_as_one_session(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert differences(page) == []
    page.write_text(PAGE.replace("two\n$ false", "three\n$ false"))
    (found,) = differences(page)
    assert found.example.command == "cat a.txt"
    assert "three" in str(found)
    assert main([str(page)]) == 1
    assert main(["--update", str(page)]) == 0
    assert page.read_text() == PAGE


@pytest.mark.parametrize(
    ("shown", "agrees"),
    [
        ("a\nb\nc\n", True), ("a\n…\nc\n", True), ("…\nc\n", True), ("a\n…\n", True), ("…\n", True),
        ("a\n…\nb\n", False), ("b\n…\n", False), ("a\nc\n", False), ("", False), ("a …\n", False),
    ],
)  # fmt: skip
def test_lines_left_out(shown: str, agrees: bool) -> None:
    assert Example("x", shown, 0, 0).agrees("a  \nb\nc\n") is agrees


def test_what_was_left_out_stays_left_out() -> None:
    printed = "head 7\n\nalone 12\nmore\nrest 99\nend 5\n"
    assert realigned("head 6\n…\nrest 1\n…\n", printed) == "head 7\n…\nrest 99\n…\n"
    assert realigned("quite\n…\nother\n", printed) == printed
    assert realigned("head 6\n", printed) == printed
    assert shortened("1\n2\n3\n4\n", 2) == "1\n2\n…\n"
    assert shortened("1\n2\n3\n", 2) == "1\n2\n3\n"


def test_a_new_example_is_filled_in() -> None:
    assert "hello\n…\n" in updated("```console\n$ printf 'hello\\nb\\nc\\n'\n```\n", new_lines=1)


def test_the_command_is_this_one(tmp_path: Path) -> None:
    said = Session(tmp_path).run("reidrisk measure nowhere.csv")
    assert said.status == 2
    assert "there is no file nowhere.csv" in said.text
