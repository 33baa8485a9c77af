"""The pages with made parts: `python -m documenting` writes them anew, examples included."""

from __future__ import annotations

from pathlib import Path

from documenting.answers import answers_part
from documenting.commands import commands_part
from documenting.examples import ROOT, updated
from documenting.made_parts import Generator, made_pages, remade
from documenting.names import names_part
from documenting.papers import headlines_part, papers_part, tables_part
from documenting.schema import fields_part

GENERATORS: dict[str, Generator] = {
    "commands": commands_part,
    "names": names_part,
    "answers": answers_part,
    "fields": fields_part,
    "papers": papers_part,
    "headlines": headlines_part,
    "public_tables": tables_part,
}
# Lines of output that the command reference shows of an example it hasn't shown before.
_LINES = 14


def pages() -> list[Path]:
    """Those there are."""
    return made_pages([ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])


def made(page: Path) -> str:
    """The page as it would be made now, outputs of examples as they stand in it."""
    return remade(page.read_text(encoding="utf-8"), GENERATORS)


def write(page: Path) -> bool:
    """Make a page anew and run its examples; whether it changed."""
    before = page.read_text(encoding="utf-8")
    after = updated(made(page), new_lines=_LINES)
    page.write_text(after, encoding="utf-8")
    return after != before
