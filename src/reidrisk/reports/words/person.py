"""One person's risk in words: the sentences, the table of k, what gives most away."""

from __future__ import annotations

from reidrisk.prediction import PersonRisk
from reidrisk.reports.words.layout import (
    Style,
    bar,
    closing,
    html_answer,
    html_table,
    listed,
    number,
    opening,
    paragraph,
    people,
    plainly,
    share,
    table,
)

STRONG = 0.5
MOST_TOLD = 3


def person_text(risk: PersonRisk, strong: Style = plainly) -> str:
    """The whole answer as text."""
    told = [paragraph(sentence, "  ") for sentence in sentences(risk)]
    rows = [(crowd, share(part), bar(part)) for crowd, part in crowd_rows(risk)]
    after = [paragraph(sentence, "  ") for sentence in (*given_away(risk), *used_pairs(risk))]
    parts = [
        *opening(strong(headline(risk)), risk.envelope),
        "\n".join(told),
        table(("crowd", "probability", ""), rows, left=(0, 2)),
        *(["\n".join(after)] if after else []),
        "\n".join(closing(risk.envelope)),
    ]
    return "\n\n".join(parts)


def headline(risk: PersonRisk) -> str:
    """What was asked of what."""
    seen = risk.envelope.input
    known = f"{len(seen.columns)} value{'s' if len(seen.columns) != 1 else ''} known"
    return (
        f"{seen.named}: {people(seen.people, seen.nouns)}, {known} ({listed(list(seen.columns))})"
    )


def sentences(risk: PersonRisk) -> list[str]:
    """How many share the tuple, and what that means."""
    counted = risk.envelope.origin == "records"
    rounded = round(risk.expected_crowd, 9)
    are = "is" if rounded == 1 else "are"
    if counted:
        if not risk.expected_crowd:
            return ["Nobody in the table has this tuple."]
        shared = f"{people(risk.expected_crowd)} in the table share this tuple"
        if risk.expected_crowd == 1:
            shared = "One person in the table has this tuple, and is alone with it"
    elif risk.given == "unknown":
        shared = f"{people(rounded)} with this tuple {are} to be expected"
    else:
        shared = (
            f"{people(rounded)} {are} to be expected to share this tuple, the person among them"
        )
    told = [shared + ".", _picked_out(risk), *_range(risk)]
    if risk.given == "unknown" and not counted:
        told.append(f"With a probability of {share(risk.crowd.nobody)} nobody has it.")
    return told


def _range(risk: PersonRisk) -> list[str]:
    """What hidden counts leave open."""
    if not risk.limits:
        return []
    fewest, most = (number(round(each, 2)) for each in risk.limits["expected_crowd"])
    low, high = (share(each) for each in risk.limits["risk"])
    less, more = (share(each) for each in risk.limits["alone"])
    return [
        f"Counts that were held back leave open whether {fewest} or {most} people share it: the "
        f"probability of being picked out lies between {low} and {high}, that of being alone "
        f"between {less} and {more}."
    ]


def _picked_out(risk: PersonRisk) -> str:
    return (
        "Someone who knows these values and guesses among those who share them picks the person "
        f"out with a probability of {share(risk.risk)}."
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
        f"{most.attribute} gives most away: without it the risk falls from {share(risk.risk)} to "
        f"{share(most.risk_without_it)}."
    ]


def used_pairs(risk: PersonRisk) -> list[str]:
    """Which pair tables were used, and what the answer is without them."""
    if not risk.pairs or risk.without_dependence is None:
        return []
    strong = [each for each in risk.pairs if each.confidence >= STRONG]
    told = [
        f"{each.of[0]} and {each.of[1]} go together: {people(round(each.people, 2))} hold both "
        f"values, {share(each.confidence)} of those who hold the rarer one."
        for each in strong[:MOST_TOLD]
    ]
    rest = len(risk.pairs) - len(told)
    more = "more " if told else ""
    told += [f"{rest} {more}pair table{'s' if rest != 1 else ''} used."] if rest else []
    plain = risk.without_dependence
    return [
        *told,
        f"As if all values were independent, the risk would be {share(plain.risk)}, the expected "
        f"crowd {number(round(plain.expected, 2))}.",
    ]


def person_html(risk: PersonRisk) -> str:
    """The answer for a notebook; everything is escaped."""
    told = (*sentences(risk), *given_away(risk), *used_pairs(risk))
    rows = [(crowd, share(part)) for crowd, part in crowd_rows(risk)]
    return html_answer(
        risk.envelope, headline(risk), told, html_table(("crowd", "probability"), rows, right=(1,))
    )
