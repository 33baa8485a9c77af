"""Generalising in a report: how much detail has to go for how much less risk."""

from __future__ import annotations

from reidrisk.charts.frontiers import Bought, described, generalisation_frontier
from reidrisk.generalising.generalised import Reached
from reidrisk.reporting.generalised_text import LOSSES
from reidrisk.reporting.wording import number, share
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section
from reidrisk.views.yardstick import first_size

MEASURE = "highest risk"


def generalisation_section(found: Found, told: Discretion) -> Section | None:
    """The frontier of generalising, the least loss first; None where it wasn't asked for."""
    if found.generalised is None or not found.generalised.frontier:
        return None
    steps = [each for each in found.generalised.frontier if _may_be_told(each, told)]
    if not steps:
        return None
    points = [Bought(each.loss, _risk(each, told), each.told) for each in steps]
    rows = tuple(
        (_crowd(each.allowable), share(each.loss), share(_risk(each, told)), each.told)
        for each in steps
    )
    first, last = steps[0], steps[-1]
    stopped = "" if all(each.proven for each in steps) else " Not all are proven: time ran out."
    return Section(
        "generalisation",
        "What would coarser values do?",
        (
            f"For crowds of at least {_crowd(first.allowable)} a loss of detail of "
            f"{share(first.loss)} is enough; for crowds of at least {_crowd(last.allowable)} it "
            f"takes {share(last.loss)}.",
            "Each step is the least loss that reaches its crowds: whoever wants larger ones has to "
            f"give up that much detail.{stopped}",
        ),
        (
            Picture(
                lambda width: generalisation_frontier(points, MEASURE, width),
                described(points, ("loss of detail", MEASURE)),
            ),
        ),
        (Grid(("crowds of at least", "loss of detail", MEASURE, "levels"), rows, (3,)),),
        {"least_loss": told.ratio(first.loss), "most_loss": told.ratio(last.loss)},
        f"loss: {LOSSES[found.generalised.loss_name]}; 0 as recorded, 1 when all is hidden",
        "Loss weighs all attributes alike; what detail is worth to those who use the table, it "
        "doesn't know.",
    )


def _may_be_told(step: Reached, told: Discretion) -> bool:
    """To publish, crowds of at least the threshold."""
    return told.at_least is None or round(1.0 / step.allowable) >= told.at_least


def _risk(step: Reached, told: Discretion) -> float:
    """The measure; to publish, what it was to be at most."""
    return step.allowable if told.folds else step.measure


def _crowd(allowable: float) -> str:
    return number(first_size(allowable))
