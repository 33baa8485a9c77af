"""A page whose tables are a command's, between markers, and whose text is written by hand.

<!-- table: NAME -->
… replaced whenever the command runs …
<!-- end: NAME -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_PLACE = re.compile(r"<!-- table: ([\w-]+) -->\n(.*?)<!-- end: \1 -->", re.DOTALL)


def blocks_of(text: str) -> dict[str, str]:
    """What stands between the markers now."""
    return {name: held.strip("\n") for name, held in _PLACE.findall(text)}


def filled(text: str, blocks: Mapping[str, Sequence[str]]) -> str:
    """The page with new tables; a table needs its place, and a place its table."""
    places = set(blocks_of(text))
    if places != set(blocks):
        homeless, empty = sorted(set(blocks) - places), sorted(places - set(blocks))
        raise ValueError(f"tables without a place: {homeless}; places without a table: {empty}")

    def told(found: re.Match[str]) -> str:
        lines = "\n".join(blocks[found[1]]).strip("\n")
        return f"<!-- table: {found[1]} -->\n{lines}\n<!-- end: {found[1]} -->"

    return _PLACE.sub(told, text)


def write(page: Path, blocks: Mapping[str, Sequence[str]]) -> None:
    """Fill the page where it stands."""
    page.write_text(filled(page.read_text(encoding="utf-8"), blocks), encoding="utf-8")


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    line = "|" + "---|" * len(head)
    return [f"| {' | '.join(head)} |", line, *(f"| {' | '.join(each)} |" for each in body)]
