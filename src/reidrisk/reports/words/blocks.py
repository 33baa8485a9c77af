"""Layout: plain text that reads well in a terminal, a log and a notebook.

Numbers are written as people read them, the same everywhere.
"""

from __future__ import annotations

import html
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import combining, east_asian_width

from reidrisk.arguments import in_python
from reidrisk.crowds import Envelope, subjects
from reidrisk.printable import printable, printable_text

WIDEST = 92
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(part: float, width: int = 24) -> str:
    """A share as a bar, to the eighth of a character."""
    eighths = round(part * width * 8)
    if part > 0 and eighths == 0:
        eighths = 1
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = ()) -> str:
    """Columns lined up; those in `left` to the left, the others to the right."""
    heads, rows = list(map(printable, heads)), [list(map(printable, row)) for row in rows]
    widths = [max(display_width(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = []
    for row in [heads, *rows]:
        cells = [_padded(cell, widths[i], i in left) for i, cell in enumerate(row)]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def page_width() -> int:
    """As wide as reads well, and no wider than the terminal."""
    if not sys.stdout.isatty():
        return WIDEST
    return min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)


def paragraph(text: str, indent: str = "") -> str:
    """Wrapped to the page; words longer than a line stay whole, so commands can be copied.

    A number keeps its per cent sign on its line.
    """
    filled = textwrap.fill(
        printable(text).replace(" %", "\u00a0%"),
        page_width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\u00a0%", " %")


def display_width(text: str) -> int:
    """Columns a text takes on a terminal: wide characters take two, combining ones none."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _padded(cell: str, width: int, to_the_left: bool) -> str:
    space = " " * (width - display_width(cell))
    return cell + space if to_the_left else space + cell


def number(amount: float) -> str:
    """30,162; 12.4 where an expectation isn't whole."""
    if float(amount).is_integer():
        return f"{int(amount):,}"
    return f"{amount:,.1f}" if amount >= 10 else f"{amount:,.2f}"


def share(part: float) -> str:
    """51.4 %; never 0 % for something or 100 % for not quite everything."""
    if part in (0, 1):
        return f"{part:.0%}".replace("%", " %")
    if part < 0.0001:
        return "< 0.01 %"
    if part > 0.9999:
        return "> 99.99 %"
    digits = 2 if part < 0.001 or part > 0.999 else 1
    return f"{part:.{digits}%}".replace("%", " %")


def probability(part: float | None) -> str:
    """Four digits, however small: 0.008399, 3.1e-12; 1 only for what is certain."""
    if part is None:
        return "–"
    if part in (0.0, 1.0):
        return f"{part:.0f}"
    if part > 0.9999:
        return f"1 − {1.0 - part:.2g}"
    return f"{part:.4g}"


def agreed(amount: float, one: str, several: str) -> str:
    """The number and the word that agrees with it: 1 view, 2 views."""
    return f"{number(amount)} {one if amount == 1 else several}"


def people(amount: float, nouns: tuple[str, str] = ("person", "people")) -> str:
    """1 person, 2 people; 2 rows where it isn't known whether they are people."""
    return agreed(amount, *nouns)


def listed(names: tuple[str, ...] | list[str]) -> str:
    """a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" and {names[-1]}"


Style = Callable[[str], str]


def plainly(text: str) -> str:
    """No emphasis; one line."""
    return printable(text)


def paragraphs(sentences: Iterable[str]) -> str:
    """Sentence by sentence."""
    return "\n".join(paragraph(sentence, "  ") for sentence in sentences)


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
