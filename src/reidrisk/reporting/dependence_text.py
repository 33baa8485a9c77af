"""Dependence in words: a matrix, and what follows from what."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.reporting.layout import paragraph, table
from reidrisk.statistics import Dependence

LONGEST_NAME = 18


def dependence_text(found: Sequence[Dependence], columns: Sequence[str]) -> str:
    """The matrix for pairs of columns; a line for a group that was asked for."""
    if any(len(each.of) > 1 or len(each.on) > 1 for each in found) or len(found) == 1:
        return "\n".join(paragraph(_sentence(each), "  ") for each in found)
    return f"{_matrix(found, columns)}\n{_following(found)}"


def _sentence(each: Dependence) -> str:
    return (
        f"{','.join(each.of)} depends on {','.join(each.on)}: gain ratio {each.gain_ratio:.3f} "
        f"({each.kind}); corrected for few people {each.corrected:.3f}."
    )


def _matrix(found: Sequence[Dependence], columns: Sequence[str]) -> str:
    ratio = {(each.of[0], each.on[0]): each.gain_ratio for each in found}
    rows = []
    for place, of in enumerate(columns, start=1):
        cells = ["–" if of == on else _cell(ratio.get((of, on))) for on in columns]
        rows.append([f"{place} {of[:LONGEST_NAME]}", *cells])
    heads = ["depends on …", *(str(place) for place in range(1, len(columns) + 1))]
    return table(heads, rows, left=(0,))


def _cell(ratio: float | None) -> str:
    """Two digits; one that isn't quite 1 doesn't look like it."""
    if ratio is None:
        return ""
    return "1" if ratio == 1 else f"{min(ratio, 0.99):.2f}"[1:]


def _following(found: Sequence[Dependence]) -> str:
    complete = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "complete"]
    strong = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "strong"]
    said = "Dependence (gain ratio, 0 to 1): how much knowing the column above tells of the row."
    if complete:
        said += f" Follows entirely: {', '.join(complete)}."
    if strong:
        said += f" Largely: {', '.join(strong)}."
    return paragraph(said, "  ")
