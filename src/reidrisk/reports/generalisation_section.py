"""Generalising in a report: how much detail has to go for how much less risk."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.charts.frontiers import Bought, described, generalisation_frontier
from reidrisk.reporting.wording import share
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Generalised
from reidrisk.reports.report import Grid, Picture, Section

MEASURE = "highest risk"


def generalisation_section(
    steps: Sequence[Generalised], told: Discretion, measure: str = MEASURE
) -> Section | None:
    """The frontier of generalising, the least loss first; None without steps."""
    if not steps:
        return None
    ordered = sorted(steps, key=lambda step: step.loss)
    points = [Bought(each.loss, told.ratio(each.risk).drawn, _levels(each)) for each in ordered]
    rows = tuple((share(each.loss), told.ratio(each.risk).text, _levels(each)) for each in ordered)
    first, last = ordered[0], ordered[-1]
    return Section(
        "generalisation",
        "What would coarser values do?",
        (
            f"With a loss of detail of {share(first.loss)} the {measure} is "
            f"{told.ratio(first.risk)}; with {share(last.loss)} it falls to "
            f"{told.ratio(last.risk)}.",
            "Each step is the least loss that reaches its risk: whoever wants less risk has to "
            "give up that much detail.",
        ),
        (
            Picture(
                lambda width: generalisation_frontier(points, measure, width),
                described(points, ("loss of detail", measure)),
            ),
        ),
        (Grid(("loss of detail", measure, "levels"), rows, (2,)),),
        {"least_loss": told.ratio(first.loss), "most_loss": told.ratio(last.loss)},
        "loss: 0 as recorded, 1 when every attribute is hidden",
        "Loss weighs all attributes by the measure of loss that was asked for; what detail is "
        "worth to those who use the table, it doesn't know.",
    )


def _levels(step: Generalised) -> str:
    return ", ".join(f"{name} {level}" for name, level in step.levels.items())
