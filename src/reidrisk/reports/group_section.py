"""Groups in a report: how likely everybody in a small group can be told from the others."""

from __future__ import annotations

from reidrisk.charts.group_curve import OfSize, described, group_curve
from reidrisk.reporting.wording import number, share
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.found import Found
from reidrisk.reports.report import Grid, Picture, Section

ALL, ONE = "all members are unique", "a given member is unique"
MOST_ROWS = 16


def group_section(found: Found, told: Discretion) -> Section | None:
    """None where groups couldn't be asked about, and in a report to be published.

    The curve depends on each crowd: thirty points of it tell small ones.
    """
    if found.group is None or told.folds:
        return None
    figures = [each for each in found.group.groups if each.exact is not None]
    if not figures:
        return None
    points = [OfSize(each.size, told.ratio(each.exact or 0.0).drawn, ALL) for each in figures]
    points += [
        OfSize(each.size, told.ratio(each.member_unique).drawn, ONE)
        for each in figures
        if each.member_unique is not None
    ]
    rows = tuple(
        (
            number(each.size),
            share(each.exact or 0.0),
            "–" if each.member_unique is None else share(each.member_unique),
        )
        for each in figures[:: -(-len(figures) // MOST_ROWS)]
    )
    halved = next((each.size for each in figures if (each.exact or 0.0) <= 0.5), None)
    last = figures[-1]
    sentences = [
        "Who is hidden among all people may stand out in a class, a ward or a club. The curve says "
        "how likely it is that no two members of a group share all looked-at values."
    ]
    if halved is not None:
        sentences.append(
            f"In groups of up to about {number(halved)} it is more likely than not that everybody "
            "can be told from everybody else."
        )
    if last.member_unique is not None:
        sentences.append(
            f"Even among {number(last.size)} people, a given one is unique with a probability of "
            f"{share(last.member_unique)}."
        )
    return Section(
        "group",
        "And within a small group?",
        tuple(sentences),
        (Picture(lambda width: group_curve(points, width), described(points)),),
        (Grid(("people in the group", ALL, ONE), rows, ()),),
        {} if halved is None else {"even_chance_at": Told(float(halved), number(halved))},
        "P(all k unique) = k! · e_{k}(p): the k-th elementary symmetric polynomial of the tuples' "
        "probabilities p",
        "Members are drawn independently from these people. Real groups are more alike than that: "
        "a class shares its age, so its members stand out less.",
    )
