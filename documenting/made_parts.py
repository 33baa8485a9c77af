"""The parts of a page that are made: what stands between two marks is written by a generator.

    <!-- made: commands -->
    …
    <!-- end of what is made -->

What stands around them is written by hand, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

END = "<!-- end of what is made -->"
_PART = re.compile(rf"<!-- made: (\w+) -->\n(.*?){re.escape(END)}", re.DOTALL)

Generator = Callable[[str], str]


def remade(text: str, generators: Mapping[str, Generator]) -> str:
    """The page with each made part made anew; a generator is handed the part as it stood."""

    def part(found: re.Match[str]) -> str:
        made = generators[found[1]](found[2])
        return f"<!-- made: {found[1]} -->\n\n{made.strip()}\n\n{END}"

    return _PART.sub(part, text)


def made_pages(pages: Sequence[Path]) -> list[Path]:
    """Those that have made parts."""
    return [page for page in pages if _PART.search(page.read_text("utf-8"))]


def table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table in Markdown; a | in a cell is escaped."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
