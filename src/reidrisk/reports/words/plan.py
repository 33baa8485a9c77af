"""A plan in words: the ways to ask, the safest first, beside asking as planned."""

from __future__ import annotations

from reidrisk.prediction import PlanOption, PlanRisk
from reidrisk.reports.words.blocks import Blocks, Grid
from reidrisk.reports.words.layout import listed, number, people, probability, share

HEADS = (
    "",
    "outcomes",
    "overall risk",
    "alone",
    "all unique",
    "unique members",
)


def plan_blocks(plan: PlanRisk) -> Blocks:
    """The whole answer."""
    ways = Grid(HEADS, tuple(rows(plan)))
    return Blocks(headline(plan), plan.envelope, (ways, sentences(plan)))


def headline(plan: PlanRisk) -> str:
    """The risk as planned, and what is planned of whom."""
    seen, planned = plan.envelope.input, plan.as_asked
    everyone = people(seen.people, seen.nouns)
    asked = f"{number(plan.size)} of {everyone} asked {listed(list(planned.columns))}"
    return f"Overall risk as asked: {_risk(planned.overall_risk)} ({seen.named}: {asked})"


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
    """What the ranking means: what adds most risk, and which coarsening helps most."""
    ranked = plan.measure.replace("_", " ")
    told = [
        f"Ranked by {ranked}, the safest first. Overall risk and alone concern the whole "
        f"population; all unique and unique members the {number(plan.size)} who are asked."
    ]
    more = [each for each in plan.options if each.kind == "one_more"]
    coarser = [each for each in plan.options if each.kind == "coarser"]
    if more:
        told.append(
            f"The question that adds most risk is {more[-1].columns[-1]}: "
            f"{_change(plan, more[-1])}."
        )
    if coarser:
        told.append(
            f"Of the coarser questions, {coarser[0].told} is safest: {_change(plan, coarser[0])}."
        )
    return told


def _change(plan: PlanRisk, option: PlanOption) -> str:
    now = plan.as_asked
    return (
        f"the overall risk goes from {_risk(now.overall_risk)} to {_risk(option.overall_risk)}, "
        f"the expected unique members from {number(round(now.expected_unique, 2))} to "
        f"{number(round(option.expected_unique, 2))}"
    )
