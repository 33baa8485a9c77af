"""The report as Markdown: every sentence and table of the page, no picture."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reidrisk.printable import printable
from reidrisk.reports.provenance import when
from reidrisk.reports.report import Grid, Report, Section

# What Markdown or the HTML inside it would take for its own; values must stay what they are.
_OWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def markdown_page(report: Report) -> str:
    """The whole report."""
    answer = report.answer
    parts = [
        f"# {plain(report.title)}",
        f"Made {plain(when(report.made))}.",
        *([f"**Warning: {plain(warned)}**"] if (warned := report.envelope.unit_warning) else []),
        f"**{plain(answer.verdict)}.**",
        *(plain(sentence) for sentence in answer.sentences),
        _table(Grid(("", ""), tuple((name, told.text) for name, told in answer.figures.values()))),
        f"Of a hundred {report.envelope.input.nouns[1]}: "
        + ", ".join(f"{many} {who}" for many, who in answer.hundred)
        + ".",
        *([publishable_note(report.at_least)] if report.at_least is not None else []),
        *(part for section in report.sections for part in _section(section)),
        "## Taken for granted",
        _listed(report.envelope.assumptions),
        *(["## To mind", _listed(report.envelope.warnings)] if report.envelope.warnings else []),
        "## Where this comes from",
        _table(Grid(("", ""), report.provenance, (0, 1))),
        "To reproduce:",
        _code(report.reproduce),
    ]
    return "\n\n".join(parts) + "\n"


def publishable_note(at_least: int) -> str:
    """What was left out of a report to be published."""
    return (
        "For publication: no value of a record, no hash and no name of a file is in this report. "
        f"Counts of people are rounded to multiples of {2 * at_least}; one below {3 * at_least} is "
        "told as that, nobody included. Those in larger crowds are told as rounded shares. All "
        "other figures are worked out from these, so that no number of people below "
        f"{at_least} follows from them."
    )


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _OWN.sub(r"\\\1", printable(" ".join(text.split())))


def _section(section: Section) -> list[str]:
    return [
        f"## {plain(section.title)}",
        " ".join(plain(sentence) for sentence in section.sentences),
        *(_table(grid) for grid in section.grids),
        f"*Formula:* `{section.formula}`",
        f"*Limits:* {plain(section.limits)}",
    ]


def _table(grid: Grid) -> str:
    rule = ["---" if place in grid.left else "--:" for place in range(len(grid.heads))]
    rows = [[plain(cell) for cell in row] for row in (grid.heads, *grid.rows)]
    lines = [_row(rows[0]), _row(rule), *map(_row, rows[1:])]
    title = f"{plain(grid.title)}:\n\n" if grid.title else ""
    return title + "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)


def _code(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
