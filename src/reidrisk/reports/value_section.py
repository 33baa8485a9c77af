"""Values in a report: which groups of people are most often alone. Never in one to be published."""

from __future__ import annotations

from reidrisk.charts.shares import Share, described, shares
from reidrisk.charts.theme import ALONE
from reidrisk.reporting.wording import listed, number, share
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section

TITLE = "of them alone"


def value_section(found: Found, told: Discretion) -> Section | None:
    """None for a report to be published, and where nobody is alone."""
    held = found.values
    if told.folds or held is None or not held.values:
        return None
    named = [(f"{each.column}: {_text(each.value)}", each) for each in held.values]
    parts = [
        Share(f"{name} ({number(each.people)} people)", each.alone_share, share(each.alone_share))
        for name, each in named
    ]
    rows = tuple(
        (
            each.column,
            _text(each.value),
            number(each.people),
            number(each.alone),
            share(each.alone_share),
        )
        for each in held.values
    )
    once = [f"{number(many)} of {name}" for name, many in held.held_once.items() if many]
    first = held.values[0]
    sentences = [
        f"Of the {number(first.people)} people with {first.column} {_text(first.value)}, "
        f"{number(first.alone)} ({share(first.alone_share)}) are alone: the highest share among "
        f"values that at least {number(held.fewest)} people hold."
    ]
    if once:
        sentences.append(f"Values held by one person only: {listed(once)}.")
    return Section(
        "values",
        "Who stands out?",
        tuple(sentences),
        (Picture(lambda width: shares(parts, TITLE, width, ALONE), described(parts, TITLE)),),
        (Grid(("attribute", "value", "people", "alone", "share"), rows, (0, 1)),),
        {},
        "share(v) = a_{v} / h_{v}: of the h_{v} people who hold value v, the a_{v} who are alone",
        f"Values that fewer than {number(held.fewest)} people hold aren't listed, though their "
        "holders are at risk most of all; of one attribute, at most three. This section is left "
        "out of a report to be published.",
    )


def _text(value: str | None) -> str:
    return "(empty)" if value is None else value
