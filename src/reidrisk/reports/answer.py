"""The answer on the first screen: three sentences that differ with what was found, one picture.

How bad it is, by the people alone and those in crowds below five (the usual target of
k-anonymity): ``hidden`` nobody is in such a crowd; ``grouped`` somebody is, but nobody is alone;
``few`` below 5 % are alone; ``many`` below half; ``most``. Fewer than half a person expected
counts as nobody.
"""

from __future__ import annotations

from typing import NamedTuple

from reidrisk.charts.crowd_histogram import USUAL_TARGET
from reidrisk.charts.hundred_people import Part, described, hundred_people, of_a_hundred, parts_of
from reidrisk.measuring.standing_out import HeldValue
from reidrisk.reporting.wording import listed, people, share
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.found import Found
from reidrisk.reports.report import Answer, Picture

FEW, MOST = 0.05, 0.5
NOBODY = 0.5
MOST_NAMED = 5
VERDICTS = {
    "hidden": "Everyone is hidden in a crowd",
    "grouped": "Nobody is alone, but some crowds are small",
    "few": "A few {people} stand out",
    "many": "Many {people} stand out",
    "most": "Most {people} stand out",
}


class _Who(NamedTuple):
    """The people by how well they are hidden, as shares."""

    alone: float
    small: float
    hidden: float


def answer_of(found: Found, told: Discretion) -> Answer:
    """From the crowds, and what the search for combinations says gives most away."""
    level = level_of(found)
    every = parts_of(found.risk.crowd_sizes)
    parts = [Part(part.name, told.share(part.share).drawn) for part in every]
    counts = of_a_hundred(parts)
    return Answer(
        level,
        VERDICTS[level].format(people=found.risk.envelope.input.nouns[1]),
        (_who(found, told, level), _chance(found, told, level), _why(found, told, level)),
        _figures(found, told),
        Picture(lambda width: hundred_people(parts, width), described(parts)),
        tuple(zip(counts, (part.name for part in parts), strict=True)),
    )


def who_is_hidden(found: Found) -> _Who:
    """Alone, in a crowd of two to four, in a larger one."""
    return _Who(*(part.share for part in parts_of(found.risk.crowd_sizes)))


def level_of(found: Found) -> str:
    """Which of the five it is."""
    who, everyone = who_is_hidden(found), found.risk.people
    if who.alone * everyone < NOBODY:
        return "hidden" if (1.0 - who.hidden) * everyone < NOBODY else "grouped"
    return "few" if who.alone < FEW else "many" if who.alone < MOST else "most"


def combination(found: Found) -> str:
    """What is looked at, in a few words."""
    columns = found.risk.envelope.input.columns
    if len(columns) == 1:
        return columns[0]
    if len(columns) > MOST_NAMED:
        return f"combination of {len(columns)} attributes"
    return f"combination of {listed(list(columns))}"


def _who(found: Found, told: Discretion, level: str) -> str:
    risk, who = found.risk, who_is_hidden(found)
    everyone, what = people(round(risk.people), risk.envelope.input.nouns), combination(found)
    expected = " expected to be" if risk.predicted else ""
    if level == "hidden":
        least = told.least(risk.smallest_crowd)
        likely = " is likely to share" if risk.predicted else " shares"
        return (
            f"Each of the {everyone}{likely} their {what} with others: the smallest crowd "
            f"has {_at_least(least, told)} {risk.envelope.input.nouns[1]}."
        )
    if level == "grouped":
        return (
            f"Nobody is{expected} alone, but {told.people(who.small * risk.people)} of the "
            f"{everyone} ({told.share(who.small)}) are{expected} in a crowd of fewer than "
            f"{USUAL_TARGET} who share their {what}."
        )
    if risk.people == 1:
        return (
            f"The one {risk.envelope.input.nouns[0]} there is alone: nobody else has their {what}."
        )
    if who.alone == 1:
        return f"Everyone is alone: no two of the {everyone} share their {what}."
    amount = told.people(who.alone * risk.people)
    are = "is" if amount.value == 1 else "are"
    within = _interval(found, told) if risk.predicted else ""
    return (
        f"{amount.text[0].upper()}{amount.text[1:]} of the {everyone} "
        f"({told.share(who.alone)}{within}) {are}{expected} alone: nobody else has their {what}."
    )


def _at_least(least: Told, told: Discretion) -> str:
    return f"at least {least}" if told.folds and least.value is not None else str(least)


def _interval(found: Found, told: Discretion) -> str:
    limits = found.risk.intervals.get("alone_share")
    if limits is None:
        return ""
    return f", {told.share(limits[0])} to {told.share(limits[1])} if the model holds"


def _chance(found: Found, told: Discretion, level: str) -> str:
    risk = found.risk
    overall = told.share(risk.overall_risk)
    knows = "this" if len(risk.envelope.input.columns) == 1 else "all of this"
    if level in ("hidden", "grouped"):
        highest = told.risk_of(risk.smallest_crowd)
        most = f", and of {highest} where the crowd is smallest" if highest != overall else ""
        return (
            f"Somebody who knows {knows} about a person, and that the person is in the table, can "
            f"only guess within the crowd: they are right with a chance of {overall} on average"
            f"{most}."
        )
    if who_is_hidden(found).alone == 1:
        return (
            f"Somebody who knows {knows} about a person, and that the person is in the table, "
            "picks the right one for certain."
        )
    return (
        f"Somebody who knows {knows} about a person, and that the person is in the table, picks "
        f"the right one with a chance of {overall} on average, and is certain of those who are "
        "alone."
    )


def _why(found: Found, told: Discretion, level: str) -> str:
    if level == "hidden":
        return (
            "This holds for what was looked at and nothing more: each further thing that somebody "
            "knows makes crowds smaller."
        )
    who = who_is_hidden(found)
    hidden = told.share(who.hidden)
    safe = f"best hidden are those in crowds of at least {USUAL_TARGET} ({hidden})"
    if who.hidden == 0:
        safe = f"nobody is in a crowd of at least {USUAL_TARGET}"
    exposed = _exposed(found, told)
    if exposed:
        return f"Most at risk are {exposed}; {safe}."
    adds = found.ranking.adds if found.ranking is not None else ()
    if len(adds) > 1:
        return f"What gives most away is {adds[0].attribute}, then {adds[1].attribute}; {safe}."
    return f"At risk are those with rare values; {safe}."


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


def _figures(found: Found, told: Discretion) -> dict[str, tuple[str, Told]]:
    risk, who = found.risk, who_is_hidden(found)
    return {
        "alone_share": ("alone", told.share(who.alone)),
        "overall_risk": ("overall risk", told.share(risk.overall_risk)),
        "smallest_crowd": ("smallest crowd", told.least(risk.smallest_crowd)),
        "share_in_crowds_of_at_least_5": ("in crowds of at least 5", told.share(who.hidden)),
    }
