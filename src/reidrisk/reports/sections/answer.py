"""The answer on the first screen: three sentences that differ with what was found, one picture."""

from __future__ import annotations

from functools import partial

from reidrisk.crowds import measure_named
from reidrisk.measurement import HeldValue
from reidrisk.reports.charts.crowds import hundred_people, hundred_people_alt_text, of_a_hundred
from reidrisk.reports.crowd_figures import CrowdFigures, crowd_figures, level_of, verdict_of
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import FirstScreen, Picture
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import listed, people, share

MOST_NAMED = 5


def answer_of(found: Found, told: Discretion) -> FirstScreen:
    """From the crowds, and what the search for combinations says gives most away."""
    figures = crowd_figures(found.risk.crowd_sizes, told)
    level = level_of(figures)
    parts = figures.parts()
    counts = of_a_hundred(parts)
    return FirstScreen(
        level,
        verdict_of(level, told, found.people),
        (_who(found, figures, level), _chance(found, figures, level), _why(found, figures, level)),
        _figures(figures),
        Picture(partial(hundred_people, parts), hundred_people_alt_text(parts)),
        tuple(zip(counts, (part.name for part in parts), strict=True)),
    )


def combination(found: Found) -> str:
    """The quasi-identifiers in a few words."""
    columns = found.risk.envelope.input.columns
    if len(columns) == 1:
        return columns[0]
    if len(columns) > MOST_NAMED:
        return f"combination of {len(columns)} values"
    return f"combination of {listed(list(columns))}"


def _who(found: Found, figures: CrowdFigures, level: str) -> str:
    risk, told, alone = found.risk, figures.told, figures.alone
    everyone, what = people(round(risk.people), risk.envelope.input.nouns), combination(found)
    expected = " expected to be" if risk.predicted else ""
    small = f"{figures.small} of the {everyone} ({told.as_share(figures.small)})"
    if level == "hidden":
        likely = " is likely to share" if risk.predicted else " shares"
        return (
            f"Each of the {everyone}{likely} their {what} with others: the smallest crowd "
            f"has {_at_least(figures.smallest, told)} {found.people} "
            f"(k-anonymity: k {'≥' if told.folds else '='} {figures.smallest})."
        )
    if level == "grouped":
        nobody = f"Few, if any,{expected or ' are'} alone" if told.folds else ""
        nobody = nobody or f"Nobody is{expected} alone"
        return (
            f"{nobody} (unique), but {small} are{expected} in crowds of fewer than "
            f"{figures.target} with the same {what}."
        )
    if risk.people == 1:
        return (
            f"The only {risk.envelope.input.nouns[0]} is alone (unique): nobody else has their "
            f"{what}."
        )
    if alone.drawn == 1:
        return f"Everyone is alone (unique): no two of the {everyone} share their {what}."
    are = "is" if alone.value == 1 else "are"
    within = _interval(found, told) if risk.predicted else ""
    return (
        f"{alone.text[0].upper()}{alone.text[1:]} of the {everyone} "
        f"({told.as_share(alone)}{within}) {are}{expected} alone (unique): nobody else has their "
        f"{what}."
    )


def _at_least(least: Told, told: Discretion) -> str:
    return f"at least {least}" if told.folds and least.value is not None else str(least)


def _interval(found: Found, told: Discretion) -> str:
    limits = found.risk.intervals.get("alone_share")
    if limits is None:
        return ""
    return f", 90 % interval {told.share(limits[0])} to {told.share(limits[1])}"


def _chance(found: Found, figures: CrowdFigures, level: str) -> str:
    overall = figures.overall_risk
    knows = "this" if len(found.risk.envelope.input.columns) == 1 else "all of this"
    if level in ("hidden", "grouped"):
        highest = figures.highest_risk
        most = (
            f" and {highest} in the smallest crowd (highest risk)"
            if str(highest) != str(overall)
            else ""
        )
        return (
            f"An attacker who knows {knows} about a person, and that the person is in the table, "
            f"can only guess within the crowd, and is right with a probability of {overall} on "
            f"average (overall risk){most}."
        )
    if figures.alone.drawn == 1:
        return (
            f"An attacker who knows {knows} about a person, and that the person is in the table, "
            "re-identifies them with certainty."
        )
    return (
        f"An attacker who knows {knows} about a person, and that the person is in the table, "
        f"re-identifies them with a probability of {overall} on average (overall risk), and with "
        "certainty if they are alone."
    )


def _why(found: Found, figures: CrowdFigures, level: str) -> str:
    if level == "hidden":
        return (
            "This holds for these quasi-identifiers only: anything else an attacker knows makes "
            "the crowds smaller."
        )
    told, target = figures.told, figures.target
    hidden = told.rest(figures.small)
    safe = f"{told.as_share(hidden)} are in crowds of at least {target}"
    if hidden.drawn == 0:
        safe = f"nobody is in a crowd of at least {target}"
    exposed = _exposed(found, told)
    if exposed:
        return f"Most at risk are {exposed}; {safe}."
    adds = found.ranking.adds if found.ranking is not None else ()
    if len(adds) > 1:
        most = f"{adds[0].attribute} contributes most to the risk, then {adds[1].attribute}"
        return f"{most}; {safe}."
    return f"Rare values contribute most to the risk; {safe}."


def _exposed(found: Found, told: Discretion) -> str:
    """The groups most often alone, by name; a published report names no value."""
    if told.folds or found.values is None or not found.values.values:
        return ""
    first = found.values.values[0]
    others = [each for each in found.values.values if each.column != first.column]
    nouns = found.risk.envelope.input.nouns
    return listed([_group(each, nouns) for each in (first, *others[:1])])


def _group(each: HeldValue, nouns: tuple[str, str]) -> str:
    value = "no value" if each.value is None else each.value
    held = people(each.people, nouns)
    return f"{nouns[1]} with {each.column} {value} ({share(each.alone_share)} of {held} are alone)"


def _figures(figures: CrowdFigures) -> dict[str, tuple[str, Told]]:
    large = f"share_in_crowds_of_at_least:{figures.target}"
    shown = {}
    for name in ("alone_share", "overall_risk", "highest_risk", "smallest_crowd", large):
        measure = measure_named(name)
        told = figures.measured(measure)
        if told is not None:
            shown[name.replace(":", "_")] = measure.both_words, told
    return shown
