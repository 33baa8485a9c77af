"""Layout: plain text that reads well in a terminal, a log and a notebook."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from reidrisk.printable import printable

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
