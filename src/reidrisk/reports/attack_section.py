"""The attack in a report: who is picked out with which chance, by somebody who knows how much."""

from __future__ import annotations

from reidrisk.attacks.distribution import survival_at
from reidrisk.charts.attack_curve import At, attack_curve, curve_of, described
from reidrisk.charts.theme import shortened
from reidrisk.reporting.wording import listed, number
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Attack, Found
from reidrisk.reports.report import Grid, Picture, Section

RISKS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.01)
LONGEST = 60


def attack_section(found: Found, told: Discretion) -> Section | None:
    """None where nothing was attacked."""
    if not found.attacks:
        return None
    points = [
        At(point.knows, point.size, told.share(point.share).drawn)
        for each in found.attacks
        for point in curve_of(_name(each, found), each.crowds)
    ]
    rows = tuple(
        (_name(each, found), *(told.share(survival_at(each.crowds, risk)).text for risk in RISKS))
        for each in found.attacks
    )
    heads = ("knowing", "for certain", *(f"≥ 1 in {number(round(1 / risk))}" for risk in RISKS[1:]))
    return Section(
        "attack",
        "What can an attacker do?",
        tuple(_sentences(found, told)),
        (Picture(lambda width: attack_curve(points, width), described(points)),),
        (Grid(heads, rows),),
        {
            f"certain_knowing_{len(each.knows)}": told.share(each.crowds.alone_share)
            for each in found.attacks
        },
        "survival(r) = Σ_{s ≤ 1/r} s·N_{s} / n: the share of people whose chance 1/s of being "
        "picked out is at least r",
        "The attacker knows these values without error, knows that the person is in the table, and "
        "guesses within the crowd. Each line takes the riskiest attributes of its number"
        + (", as far as they were searched." if found.ranking else "."),
    )


def _name(each: Attack, found: Found) -> str:
    everything = found.risk.envelope.input.columns
    if len(each.knows) == len(everything) and len(everything) > 3:
        return f"all {len(everything)} attributes"
    return shortened(listed(list(each.knows)), LONGEST)


def _sentences(found: Found, told: Discretion) -> list[str]:
    first, last = found.attacks[0], found.attacks[-1]
    said = [
        f"Knowing {_name(last, found)}, an attacker is certain of "
        f"{told.share(last.crowds.alone_share)} of the people, and picks out "
        f"{told.share(survival_at(last.crowds, 0.2))} with a chance of at least one in five."
    ]
    if len(found.attacks) > 1:
        said.append(
            f"Knowing only {_name(first, found)}, it is {told.share(first.crowds.alone_share)} for "
            f"certain and {told.share(survival_at(first.crowds, 0.2))} with at least one in five."
        )
    said.append("A chance of one in five is a common limit.")
    return said
