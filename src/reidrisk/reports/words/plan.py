"""A plan in words: the ways to ask, the safest first, beside asking as planned."""

from __future__ import annotations

from reidrisk.prediction import PlanOption, PlanRisk
from reidrisk.reports.words.layout import (
    Style,
    closing,
    escape,
    html_answer,
    html_table,
    listed,
    number,
    opening,
    paragraphs,
    people,
    plainly,
    probability,
    share,
    table,
)

HEADS = (
    "",
    "outcomes",
    "overall risk",
    "alone",
    "all unique",
    "unique members",
)


def plan_text(plan: PlanRisk, strong: Style = plainly) -> str:
    """The whole answer as text."""
    return "\n\n".join(
        [
            *opening(strong(headline(plan)), plan.envelope),
            table(HEADS, rows(plan), left=(0,)),
            paragraphs(sentences(plan)),
            "\n".join(closing(plan.envelope)),
        ]
    )


def headline(plan: PlanRisk) -> str:
    """What is planned, of whom."""
    seen = plan.envelope.input
    asked = listed(list(plan.as_asked.columns))
    everyone = people(seen.people, seen.nouns)
    return f"{seen.named}: {everyone}; {number(plan.size)} of them asked {asked}"


def rows(plan: PlanRisk) -> list[tuple[str, ...]]:
    """A row for each way to ask, ranked."""
    return [
        (
            f"▸ {each.told}" if each.kind == "as_asked" else f"  {each.told}",
            number(each.outcomes),
            _risk(each.overall_risk),
            _risk(each.alone_share),
            probability(each.exact),
            number(round(each.expected_unique, 2)),
        )
        for each in plan.options
    ]


def _risk(part: float) -> str:
    """As a share; small ones with two digits, since they are there to be compared."""
    return f"{100.0 * part:.2g} %" if 0.0 < part < 0.001 else share(part)


def sentences(plan: PlanRisk) -> list[str]:
    """What the ranking means: the dearest question, and the coarsening that helps most."""
    ranked = plan.measure.replace("_", " ")
    told = [
        f"Ranked by {ranked}, the safest first. Overall risk and alone are of the whole "
        f"population; all unique and unique members of the {number(plan.size)} who are asked."
    ]
    more = [each for each in plan.options if each.kind == "one_more"]
    coarser = [each for each in plan.options if each.kind == "coarser"]
    if more:
        told.append(f"The dearest question is {more[-1].columns[-1]}: {_change(plan, more[-1])}.")
    if coarser:
        told.append(
            f"Of the coarser ones {coarser[0].told} is safest: {_change(plan, coarser[0])}."
        )
    return told


def _change(plan: PlanRisk, option: PlanOption) -> str:
    now = plan.as_asked
    return (
        f"the overall risk goes from {_risk(now.overall_risk)} to {_risk(option.overall_risk)}, "
        f"the expected unique members from {number(round(now.expected_unique, 2))} to "
        f"{number(round(option.expected_unique, 2))}"
    )


def plan_html(plan: PlanRisk) -> str:
    """The answer for a notebook, the table first; everything is escaped."""
    told = "".join(f"<p>{escape(each)}</p>" for each in sentences(plan))
    return html_answer(plan.envelope, headline(plan), (), html_table(HEADS, rows(plan)), told)
