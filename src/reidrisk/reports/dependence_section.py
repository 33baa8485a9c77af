"""Dependence in a report: how much one attribute tells of another."""

from __future__ import annotations

from reidrisk.charts.dependence_map import (
    Cell,
    cells_of,
    dependence_map,
    described,
    shown_columns,
)
from reidrisk.reporting.wording import listed
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section

MOST_LISTED = 30
STRONG = 0.5
MOST_TOLD = 4


def dependence_section(found: Found, told: Discretion) -> Section | None:
    """None where dependence wasn't measured."""
    risk = found.risk
    cells = [
        cell._replace(ratio=round(cell.ratio, 1 if told.folds else 3))
        for cell in cells_of(risk.dependence or ())
    ]
    if not cells:
        return None
    columns = risk.envelope.input.columns
    ordered = sorted(cells, key=lambda cell: -cell.ratio)
    rows = tuple(
        (cell.of, cell.on, f"{cell.ratio:.{1 if told.folds else 2}f}")
        for cell in ordered[:MOST_LISTED]
    )
    return Section(
        "dependence",
        "Which attributes tell the same?",
        tuple(_sentences(ordered, len(shown_columns(cells, columns)), len(columns))),
        (
            Picture(
                lambda width: dependence_map(cells, columns, width),
                described(cells),
                "Rows: what is told of this attribute. Columns: the attribute that is known. The "
                "darker, the more.",
            ),
        ),
        (Grid(("told of", "by", "gain ratio"), rows, (0, 1)),),
        {},
        "g(A, B) = I(A, B) / H(A): the share of A's uncertainty (entropy H) that knowing B removes",
        "Rare values make any two attributes look somewhat dependent. A gain ratio doesn't say "
        "which values go together.",
    )


def _sentences(ordered: list[Cell], shown: int, there: int) -> list[str]:
    said = [
        "An attribute that follows from another adds nothing to what somebody knows; one that has "
        "nothing to do with the others adds most."
    ]
    strong = [f"{cell.of} from {cell.on}" for cell in ordered if cell.ratio >= STRONG]
    if strong:
        more = f", and {len(strong) - MOST_TOLD} more" if len(strong) > MOST_TOLD else ""
        said.append(f"Follows largely or entirely: {listed(strong[:MOST_TOLD])}{more}.")
    else:
        said.append("No attribute follows even by half from another one.")
    if shown < there:
        said.append(
            f"Of the {there} attributes the picture shows those with the strongest dependences."
        )
    return said
