"""The attack in a report: who is picked out with which chance, by somebody who knows how much.

Groups in a report: how likely everybody in a small group can be told from the others.
"""

from __future__ import annotations

from functools import partial

from reidrisk.attacks import survival_at
from reidrisk.reports.charts.curves import (
    At,
    OfSize,
    attack_curve,
    attack_curve_alt_text,
    curve_of,
    group_curve,
    group_curve_alt_text,
)
from reidrisk.reports.charts.drawing import shortened
from reidrisk.reports.crowd_figures import CrowdFigures, ProtectedCrowds, crowd_figures
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Attack, Found
from reidrisk.reports.words.blocks import Grid, listed, number, share

FORMULA = "survival(r) = Σ_{{s {} 1/r}} s·N_{{s}} / n: the share of people whose risk 1/s is {} r"
SIZES = (2, 5, 10, 20, 100)
PUBLISHED = (10, 20, 50, 100)
COMMON = 5
LONGEST = 60


def attack_section(found: Found, told: Discretion) -> Section | None:
    """None where nothing was attacked."""
    if not found.attacks:
        return None
    every = [(_name(each, found), crowd_figures(each.crowds, told)) for each in found.attacks]
    points = [point for name, figures in every for point in _curve(name, figures)]
    sizes = _limits(told)
    rows = tuple(
        (name, told.as_share(figures.alone).text, *(_beyond(figures, size) for size in sizes))
        for name, figures in every
    )
    heads = ("knowing", "with certainty", *(_head(size, told) for size in sizes))
    return Section(
        "attack",
        "What can an attacker do?",
        tuple(_sentences(every, told, found.people)),
        (Picture(partial(attack_curve, points), attack_curve_alt_text(points)),),
        (Grid(heads, rows),),
        {
            f"certain_knowing_{len(each.knows)}": told.as_share(figures.alone)
            for each, (_, figures) in zip(found.attacks, every, strict=True)
        },
        FORMULA.format("<", "more than") if told.folds else FORMULA.format("≤", "at least"),
        "The attacker knows these values without error, knows that the person is in the table, and "
        "guesses within the crowd. Each line is for the riskiest combination of that size"
        + (" among those counted." if found.ranking else "."),
    )


def _name(each: Attack, found: Found) -> str:
    everything = found.risk.envelope.input.columns
    if len(each.knows) == len(everything) and len(everything) > 3:
        return f"all {len(everything)} attributes"
    return shortened(listed(list(each.knows)), LONGEST)


def _limits(told: Discretion) -> tuple[int, ...]:
    """Chances of one in so many at which the table is read."""
    return SIZES if told.at_least is None else (told.at_least, *PUBLISHED)


def _head(size: int, told: Discretion) -> str:
    return f"{'> ' if told.folds else '≥ '}1 in {number(size)}"


def _picked(figures: CrowdFigures, size: int) -> Told | None:
    """The share picked out with that chance; of a published report, with more than that."""
    if figures.told.folds:
        return figures.share_below(size)
    return figures.told.share(survival_at(figures.crowds, 1.0 / size))


def _beyond(figures: CrowdFigures, size: int) -> str:
    picked = _picked(figures, size)
    return "–" if picked is None else picked.text


def _curve(name: str, figures: CrowdFigures) -> list[At]:
    if isinstance(figures, ProtectedCrowds):
        told = [(k - 1, figures.share_below(k)) for k in figures.sizes]
        return [At(name, size, each.drawn) for size, each in told if each is not None]
    return curve_of(name, figures.crowds)


def _sentences(every: list[tuple[str, CrowdFigures]], told: Discretion, people: str) -> list[str]:
    size = told.at_least or COMMON
    chance = f"a probability of {'more than' if told.folds else 'at least'} 1 in {number(size)}"
    (first, few), (last, most) = every[0], every[-1]
    said = [
        f"An attacker who knows {last} re-identifies {told.as_share(most.alone)} of the {people} "
        f"with certainty, and {_beyond(most, size)} with {chance}."
    ]
    if len(every) > 1:
        said.append(
            f"Knowing only {first}: {told.as_share(few.alone)} with certainty, "
            f"{_beyond(few, size)} with {chance}."
        )
    if size == COMMON:
        said.append("1 in 5 is a common limit.")
    return said


ALL, ONE = "all members are unique", "a given member is unique"
MOST_ROWS = 18


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
    # The largest size at which it is an even chance; every size up to it is likelier still.
    even = max(
        (place for place, each in enumerate(figures) if (each.exact or 0.0) >= 0.5), default=None
    )
    shown = {*range(0, len(figures), -(-len(figures) // MOST_ROWS)), *([even] if even else [])}
    rows = tuple(
        (
            number(each.size),
            share(each.exact or 0.0),
            "–" if each.member_unique is None else share(each.member_unique),
        )
        for each in (figures[place] for place in sorted(shown))
    )
    halved = None if even is None or even == len(figures) - 1 else figures[even].size
    last = figures[-1]
    sentences = [
        "Someone hidden in the whole table may stand out in a school class, a ward or a club. The "
        "curve shows how likely it is that no two members of a group share all values."
    ]
    if halved is not None:
        sentences.append(
            f"In groups of up to {number(halved)} people, the probability that all members are "
            "unique is at least one half."
        )
    if last.member_unique is not None:
        sentences.append(
            f"Among {number(last.size)} people, a given member is unique with a probability of "
            f"{share(last.member_unique)}."
        )
    return Section(
        "group",
        "What about a small group?",
        tuple(sentences),
        (Picture(partial(group_curve, points), group_curve_alt_text(points)),),
        (Grid(("people in the group", ALL, ONE), rows, ()),),
        {} if halved is None else {"even_chance_at": Told(float(halved), number(halved))},
        "P(all k unique) = k! · e_{k}(p): the k-th elementary symmetric polynomial of the "
        "probabilities p of the combinations of values",
        "Members are drawn independently from these people. Real groups are more alike: a school "
        "class shares its age, so its members stand out less.",
    )
