"""Blocks: what an answer says, once for terminal, notebook and page.

A headline with the verdict, then sentences, tables and drawings of characters in the order in which
a reader asks; last the assumptions and what is unusual about this answer.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reidrisk.arguments import in_python
from reidrisk.crowds import Envelope, subjects
from reidrisk.printable import printable, printable_text
from reidrisk.reports.words.layout import (
    Style,
    listed,
    paragraph,
    paragraphs,
    plainly,
    table,
)


@dataclass(frozen=True)
class Grid:
    """A table: heads and rows of as many cells; `left` columns are texts.

    `bars` are drawn with characters beside the rows, where nothing else draws.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)
    title: str = ""
    bars: tuple[str, ...] = ()
    bars_head: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "title": self.title,
            "heads": list(self.heads),
            "rows": [list(row) for row in self.rows],
        }


@dataclass(frozen=True)
class Characters:
    """Lines that stay as they are: a drawing in characters, a command to copy."""

    text: str


Part = Sequence[str] | Grid | Characters


@dataclass(frozen=True)
class Blocks:
    """An answer for its readers."""

    headline: str
    about: Envelope
    parts: tuple[Part, ...]


IN_PYTHON = ".envelope.assumptions"


def text_of(
    blocks: Blocks, strong: Style = plainly, in_full: bool = False, where: str = IN_PYTHON
) -> str:
    """For a terminal, a log, `print`; `where` the assumptions are in full, if not here."""
    warned = blocks.about.unit_warning
    if where == IN_PYTHON:
        blocks, warned = _in_python(blocks), in_python(warned)
    shown = [each for each in map(_text, blocks.parts) if each]
    said = "\n".join([*assumptions_text(blocks.about, in_full, where), *notes_text(blocks.about)])
    return "\n\n".join([*opening(strong(blocks.headline), warned), *shown, *([said] * bool(said))])


def _in_python(blocks: Blocks) -> Blocks:
    """The same, options called by their arguments."""
    about = replace(blocks.about, warnings=tuple(map(in_python, blocks.about.warnings)))
    parts = (
        part if isinstance(part, Grid | Characters) else [in_python(each) for each in part]
        for part in blocks.parts
    )
    return Blocks(blocks.headline, about, tuple(parts))


def opening(headline: str, warned: str) -> list[str]:
    """The headline, and below it, above any figure, what a row may not be."""
    return [headline, *([paragraph(f"Warning: {warned}", "  ")] if warned else [])]


def assumptions_text(about: Envelope, in_full: bool, where: str) -> list[str]:
    """What the figures rest on: in full, or what it is about and where it stands in full."""
    if not about.assumptions:
        return []
    if in_full:
        return [paragraph("Assumptions: " + " ".join(about.assumptions), "  ")]
    concern = listed(subjects(about.assumptions))
    return [paragraph(f"Assumptions are made about {concern}; in full with {where}.", "  ")]


def notes_text(about: Envelope) -> list[str]:
    """What to mind."""
    return [paragraph(f"Note: {warning}", "  ") for warning in about.warnings]


def _text(part: Part) -> str:
    if isinstance(part, Characters):
        return part.text
    if not isinstance(part, Grid):
        return paragraphs(part)
    if not part.rows:
        return ""
    heads, rows, left = part.heads, part.rows, part.left
    if part.bars:
        heads, left = (*heads, part.bars_head), (*left, len(heads))
        rows = tuple((*row, bar) for row, bar in zip(rows, part.bars, strict=True))
    title = paragraph(part.title, "  ") + "\n" if part.title else ""
    return title + table(heads, rows, left=left)


def escape(text: str) -> str:
    """Text inside HTML, hidden characters visible."""
    return html.escape(printable(text))


def html_of(blocks: Blocks, picture: str = "") -> str:
    """For a notebook; everything but the picture is escaped."""
    blocks = _in_python(blocks)
    about = blocks.about
    warned = f"<p><strong>Warning: {escape(in_python(about.unit_warning))}</strong></p>"
    return (
        f"<div><p><strong>{escape(blocks.headline)}</strong></p>"
        + (warned if about.unit_warning else "")
        + "".join(map(_html, blocks.parts))
        + _folded("Assumptions", about.assumptions)
        + "".join(f"<p><em>Note: {escape(warning)}</em></p>" for warning in about.warnings)
        + f"</div>{picture}"
    )


def _html(part: Part) -> str:
    if isinstance(part, Characters):
        return f"<pre>{html.escape(printable_text(part.text))}</pre>"
    if not isinstance(part, Grid):
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in part)
    return html_table(part) if part.rows else ""


def html_table(grid: Grid) -> str:
    """A table, everything escaped; figures to the right."""
    head = "".join(f"<th>{escape(each)}</th>" for each in grid.heads)
    body = "".join(
        "<tr>"
        + "".join(_cell(cell, place in grid.left) for place, cell in enumerate(row))
        + "</tr>"
        for row in grid.rows
    )
    above = f"<p>{escape(grid.title)}</p>" if grid.title else ""
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str, to_the_left: bool) -> str:
    style = "" if to_the_left else " style='text-align:right'"
    return f"<td{style}>{escape(text)}</td>"


def _folded(title: str, sentences: Iterable[str]) -> str:
    """A list that opens when asked for."""
    items = "".join(f"<li>{escape(each)}</li>" for each in sentences)
    return f"<details><summary>{title}</summary><ul>{items}</ul></details>" if items else ""
