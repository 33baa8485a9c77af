"""Keeping what a page leaves out of an output left out when the output changes.

The lines shown are matched with the lines printed, digits aside; each stretch between two `…` then
shows the printed lines from the first to the last one it is matched with. What is shown from the
first line on stays so, by as many paragraphs. Where another stretch is matched with nothing, the
whole output is shown, for somebody to shorten anew.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby

LEFT_OUT = "…"


def realigned(shown: str, printed: str) -> str:
    """The printed output, shortened where the one shown was."""
    if LEFT_OUT not in (line.strip() for line in shown.splitlines()):
        return printed
    lines = printed.splitlines(keepends=True)
    stretches = _stretches(shown.splitlines(keepends=True))
    partners = _partners([line for kept in stretches for line in kept], lines)
    parts, place = [], 0
    for stretch in stretches:
        found = [p for p in partners[place : place + len(stretch)] if p is not None]
        if place == 0 and shown.splitlines()[0].strip() != LEFT_OUT:
            found += [0, _end_of_paragraphs(lines, sum(not each.strip() for each in stretch) + 1)]
        place += len(stretch)
        if not found:
            return printed
        parts.append("".join(lines[min(found) : max(found) + 1]))
    return _joined(parts, shown) if parts else printed


def shortened(printed: str, lines: int | None) -> str:
    """The first lines of an output, and `…` for the others."""
    kept = printed.splitlines(keepends=True)
    if lines is None or len(kept) <= lines + 1:
        return printed
    return "".join(kept[:lines]) + f"{LEFT_OUT}\n"


def _stretches(shown: list[str]) -> list[list[str]]:
    runs = groupby(shown, key=lambda line: line.strip() == LEFT_OUT)
    return [list(run) for left_out, run in runs if not left_out]


def _end_of_paragraphs(lines: list[str], many: int) -> int:
    """The last line of the first paragraphs."""
    blank = [place for place, line in enumerate(lines) if not line.strip()]
    return (blank[many - 1] if len(blank) >= many else len(lines)) - 1


def _partners(shown: list[str], printed: list[str]) -> list[int | None]:
    """For each line shown the line printed that it stands for; None where there is none."""
    shapes = [_shape(line) or f"blank {place}" for place, line in enumerate(shown)]
    matcher = SequenceMatcher(None, shapes, [*map(_shape, printed)], autojunk=False)
    partners: list[int | None] = [None] * len(shown)
    for a, b, size in matcher.get_matching_blocks():
        for offset in range(size):
            partners[a + offset] = b + offset
    return partners


def _shape(line: str) -> str:
    """A line without its digits, bars and the width of its gaps."""
    return re.sub(r"\s+", " ", re.sub(r"[\d.,]+|[▏▎▍▌▋▊▉█]+", "#", line)).strip()


def _joined(parts: list[str], shown: str) -> str:
    gap = f"{LEFT_OUT}\n"
    lines = shown.splitlines()
    first = gap if lines[0].strip() == LEFT_OUT else ""
    last = gap if lines[-1].strip() == LEFT_OUT else ""
    return first + gap.join(parts) + last
