"""The reference names everything there is, and is what the generators give now."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import click
import pytest
from documenting.answers import unexplained_and_unseen
from documenting.examples import ROOT
from documenting.json_keys import explained, paths, runs
from documenting.made_parts import remade
from documenting.pages import GENERATORS, made, pages
from documenting.schema import fields

import reidrisk
from documenting import commands, names

ALL_COMMANDS = {name: command for _, name, command in commands.commands()}
REFERENCE = ROOT / "docs" / "reference"
AGAIN = "write it anew: make docs-reference"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_the_reference_is_what_is_made_now(page: Path) -> None:
    assert made(page) == page.read_text(encoding="utf-8"), AGAIN


def test_every_generator_has_its_page() -> None:
    marks = "".join(page.read_text(encoding="utf-8") for page in pages())
    assert all(f"<!-- made: {name} -->" in marks for name in GENERATORS)


@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    command = ALL_COMMANDS[name]
    assert commands.undocumented(command) == []
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    section = page.split(f"\n### `{name}`\n")[1].split("\n### ")[0]
    shared = page.split("\n## Options that mean the same everywhere\n")[1]
    for option in (each for each in command.params if isinstance(each, click.Option)):
        where = section if option in commands.own_options(command) else shared
        assert all(f"`{opt}" in where for opt in (*option.opts, *option.secondary_opts)), option


def test_a_silent_option_is_found() -> None:
    @click.command()
    @click.option("--loud", help="Says much. [nothing]")
    @click.option("--silent")
    @click.option("--default-only", help="[3]")
    def command(**given: object) -> None: ...

    assert commands.undocumented(command) == ["", "--silent", "--default-only"]


def test_every_public_name_is_documented() -> None:
    assert names.undocumented() == []
    page = (REFERENCE / "python.md").read_text(encoding="utf-8")
    for name in reidrisk.__all__:
        described = f"\n### `{name}`\n" in page or f"\n| `{name}` |" in page
        assert name.startswith("__") or described, AGAIN


def test_examples_in_docstrings_are_true() -> None:
    modules = {getattr(reidrisk, name).__module__ for name in reidrisk.__all__ if name[0] != "_"}
    ran = [doctest.testmod(sys.modules[module]) for module in sorted(modules)]
    assert sum(each.failed for each in ran) == 0
    assert sum(each.attempted for each in ran) > 10


@pytest.mark.slow
def test_every_key_of_an_answer_is_explained_and_every_explanation_used() -> None:
    unexplained, unseen = unexplained_and_unseen()
    assert unexplained == [], "say in documenting/json_keys.toml what they mean"
    assert unseen == [], "no answer of the runs in documenting/json_keys.toml has these keys"


def test_every_command_that_answers_in_json_is_run() -> None:
    answering = {
        name for name, each in ALL_COMMANDS.items() if any("--json" in p.opts for p in each.params)
    }
    assert answering <= runs().keys()


def test_an_unexplained_key_is_found() -> None:
    answer = {"command": "measure", "alone": {"people": 1, "news": 2}, "crowd_sizes": {"1": 3}}
    found = {path: bool(explained("measure", path)) for path in paths(answer)}
    assert found == {
        ("command",): True, ("alone", "people"): True, ("alone", "news"): False,
        ("crowd_sizes", "1"): True,
    }  # fmt: skip


def test_lists_and_answers_inside_answers() -> None:
    step = {"steps": [{"knows": ["age"], "alone_share": 0.1}, {"new": 1}], "person": {"risk": 1}}
    found = {".".join(path): bool(explained("demo", path)) for path in paths(step)}
    assert found == {
        "steps[].knows": True, "steps[].alone_share": True, "steps[].new": False,
        "person.risk": True,
    }  # fmt: skip
    assert explained("search", ("minimal_risky",))
    assert not explained("search", ("minimal_riskier",))


def test_every_field_of_the_statistics_file_is_explained() -> None:
    assert [path for path, field, _ in fields() if not field.get("description")] == []


def test_what_stands_around_a_made_part_stays() -> None:
    page = "before\n<!-- made: x -->\nold\n<!-- end of what is made -->\nafter\n"
    again = remade(page, {"x": lambda before: before.upper()})
    assert again.startswith("before\n<!-- made: x -->\n\nOLD\n\n")
    assert again.endswith("<!-- end of what is made -->\nafter\n")


def test_modules_that_document_are_short() -> None:
    for path in (ROOT / "documenting").glob("*.py"):
        assert len(path.read_text().splitlines()) <= 250, path
