"""One person's risk in words: the sentences, the table of k, what gives most away."""

from __future__ import annotations

from reidrisk.prediction import PeopleScored, PersonRisk
from reidrisk.reports.words.blocks import Blocks, Grid, bar, listed, number, people, share

STRONG = 0.5
MOST_TOLD = 3
# From so many people on tenths of them say nothing.
MANY = 20


def person_blocks(risk: PersonRisk) -> Blocks:
    """The whole answer."""
    rows = crowd_rows(risk)
    crowds = Grid(
        ("crowd", "probability"),
        tuple((crowd, share(part)) for crowd, part in rows),
        bars=tuple(bar(part) for _, part in rows),
    )
    parts = (sentences(risk), crowds, [*given_away(risk), *used_pairs(risk)])
    return Blocks(headline(risk), risk.envelope, parts)


def headline(risk: PersonRisk) -> str:
    """The risk, and what it is about."""
    seen = risk.envelope.input
    everyone, known = people(seen.people, seen.nouns), listed(list(seen.columns))
    return (
        f"Risk of re-identification: {share(risk.risk)} ({seen.named}: {everyone}, {known} known)"
    )


def sentences(risk: PersonRisk) -> list[str]:
    """How many people share these values, and what that means."""
    counted = risk.envelope.origin == "records" and risk.envelope.model is None
    rounded = round(risk.expected_crowd, 9)
    are = "is" if rounded == 1 else "are"
    if counted:
        if not risk.expected_crowd:
            return ["Nobody in the table has this combination of values."]
        shared = f"{people(risk.expected_crowd)} in the table share this combination of values"
        if risk.expected_crowd == 1:
            shared = "One person in the table has this combination of values, and is alone (unique)"
    elif risk.envelope.origin == "records":
        shared = f"{people(rounded)} of the population {are} expected to share this combination"
    elif risk.given == "unknown":
        shared = f"{people(rounded)} with this combination of values {are} expected"
    else:
        shared = (
            f"{people(rounded)} {are} expected to share this combination of values, the person "
            "among them"
        )
    told = [shared + ".", _picked_out(risk), *_range(risk)]
    if risk.given == "unknown" and not counted:
        told.append(f"With a probability of {share(risk.crowd.nobody)} nobody has it.")
    return told


def _range(risk: PersonRisk) -> list[str]:
    """Where the crowd lies nine times in ten, and what hidden counts leave open."""
    if not risk.limits:
        return []
    fewest, most = (number(_whole_if_many(each)) for each in risk.limits["expected_crowd"])
    low, high = (share(each) for each in risk.limits["risk"])
    told = [
        f"90 % interval: {fewest} to {most} people share it, and the probability of "
        f"re-identification lies between {low} and {high}."
    ]
    if "alone" in risk.limits:
        less, more = (share(each) for each in risk.limits["alone"])
        told.append(
            "The interval holds all that hidden counts may be; the probability of being alone lies "
            f"between {less} and {more} by these."
        )
    return told


def _whole_if_many(people: float) -> float:
    return round(people, 1 if people < MANY else 0)


def _picked_out(risk: PersonRisk) -> str:
    return (
        "An attacker who knows these values and guesses among those who share them re-identifies "
        f"the person with a probability of {share(risk.risk)}."
    )


def crowd_rows(risk: PersonRisk) -> list[tuple[str, float]]:
    """(crowd, probability): nobody, alone, then at least k."""
    crowd = risk.crowd
    rows = [("nobody", crowd.nobody)] if crowd.nobody else []
    if 2 in crowd.at_least:
        rows.append(("alone", max(1.0 - crowd.at_least[2] - crowd.nobody, 0.0)))
    return rows + [(f"at least {number(k)}", part) for k, part in crowd.at_least.items()]


def given_away(risk: PersonRisk) -> list[str]:
    """Which attribute gives most away, and what leaving it out would do."""
    if not risk.gives_away or risk.risk == 0:
        return []
    most = risk.gives_away[0]
    if most.risk_without_it >= risk.risk:
        return ["Leaving out any one of these values would not lower the risk."]
    return [
        f"{most.attribute} contributes most to the risk: without it, the risk falls from "
        f"{share(risk.risk)} to {share(most.risk_without_it)}."
    ]


def used_pairs(risk: PersonRisk) -> list[str]:
    """Which pair tables were used, and what the answer is without them."""
    if not risk.pairs or risk.without_dependence is None:
        return []
    strong = [each for each in risk.pairs if each.confidence >= STRONG and each.beyond_chance]
    told = [
        f"{each.of[0]} and {each.of[1]} go together: {people(round(each.people, 2))} have both "
        f"values, {share(each.confidence)} of those who have the rarer one."
        for each in strong[:MOST_TOLD]
    ]
    rest = len(risk.pairs) - len(told)
    more = "more " if told else ""
    told += [f"{rest} {more}two-way table{'s' if rest != 1 else ''} used."] if rest else []
    plain = risk.without_dependence
    return [
        *told,
        f"If all values were independent, the risk would be {share(plain.risk)}, the expected "
        f"crowd {number(round(plain.expected, 2))}.",
    ]


def people_blocks(done: PeopleScored) -> Blocks:
    """What was written, and who has no answer."""
    scored = f"{people(done.rows)} scored on {listed(list(done.attributes))}"
    without = [f"{number(done.without_answer)} of them have a value the statistics don't list."]
    parts = (without if done.without_answer else [],)
    return Blocks(f"{done.written}: {scored}", done.envelope, parts)
