"""Layout: plain text that reads well in a terminal, a log and a notebook.

Numbers are written as people read them, the same everywhere.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
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
