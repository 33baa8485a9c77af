"""What would be learnt about people in a crowd, in words."""

from __future__ import annotations

import math

from reidrisk.learning import LearningRisk, SensitivePrediction, SensitiveRisk, ValueLearnt
from reidrisk.reports.words.blocks import Blocks, Grid, Part, number, people, share

# The crowd from which somebody counts as hidden, in the sentence on certainty.
HIDDEN = 5
MOST_VALUES = 8


def learning_blocks(risk: LearningRisk) -> Blocks:
    """The whole answer."""
    parts: list[Part] = []
    for each in risk.sensitive.values():
        parts += [sentences(risk, each), guess_grid(each), value_grid(each), measure_grid(each)]
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def headline(risk: LearningRisk) -> str:
    """For how many people the value is certain, where that is most."""
    worst = max(risk.sensitive.values(), key=lambda each: each.certain.people)
    seen = risk.envelope.input
    about = f"{seen.named}: {people(seen.people, seen.nouns)}"
    if not worst.certain.people:
        return f"{worst.column} is certain for nobody ({about})"
    return (
        f"{worst.column} is certain for {people(worst.certain.people, seen.nouns)} of "
        f"{number(seen.people)}, {share(worst.certain.share)} ({about})"
    )


def sentences(risk: LearningRisk, of: SensitiveRisk) -> list[str]:
    """Who is certain though hidden, and what an attacker's guesses gain."""
    nouns = risk.envelope.input.nouns
    return [certain_sentence(of, nouns), *guess_sentences(of)]


def certain_sentence(of: SensitiveRisk, nouns: tuple[str, str]) -> str:
    """The figure that k-anonymity hides."""
    every, hidden = of.certain, of.certain_in_crowds_of_at_least(HIDDEN)
    if not every.people:
        return (
            f"Nobody stands in a crowd in which everybody has the same {of.column}: it is certain "
            "for nobody (no homogeneous equivalence class)."
        )
    stand = "stands" if hidden.people == 1 else "stand"
    their = "their" if nouns[0] == "person" else "its"
    beside = (
        f"{people(hidden.people, nouns)} ({share(hidden.share)}) {stand} in crowds of five or "
        f"more, and yet {their} {of.column} is certain: all of the crowd have the same "
        "(homogeneity, attribute disclosure)."
        if hidden.people
        else f"In crowds of five or more {of.column} is certain for nobody."
    )
    smaller = every.people - hidden.people
    if not smaller:
        return beside
    return (
        f"{beside} In smaller crowds, alone included, it is certain for "
        f"{people(smaller, nouns)} more."
    )


def guess_sentences(of: SensitiveRisk) -> list[str]:
    """What the table adds to what anybody would guess."""
    found = of.guesses
    return [
        f"Guessing {of.column} for everybody, an attacker is right for {share(found.with_table)} "
        f"with the table and for {share(found.without)} without it (the commonest value). Without "
        f"the person's own record it would be {share(found.without_own)}: so being in the table "
        f"costs people {points(found.costs)}, and {points(found.learnt_from_others)} "
        "is what anybody learns about anyone from the others."
    ]


def points(part: float) -> str:
    """A difference of two shares: 3.4 points."""
    amount = 100.0 * part
    text = f"{amount:.1f}" if abs(amount) >= 0.1 or amount == 0 else f"{amount:.2f}"
    return f"{text} percentage points"


def guess_grid(of: SensitiveRisk) -> Grid:
    """Of how many people how much is known."""
    rows = tuple(
        (f"at least {share(least)}" if least < 1 else "all of the crowd", share(part))
        for least, part in of.known_at_least.items()
    )
    return Grid((f"share of the crowd with the same {of.column}", "people"), rows)


def value_grid(of: SensitiveRisk | SensitivePrediction) -> Grid:
    """The values of which most is learnt."""
    shown = of.by_value[:MOST_VALUES]
    heads = (
        "value",
        "people",
        "guessed with the table",
        "without own record",
        "without",
        "certain",
    )
    title = f"{of.column}: the values of which the table gives away most"
    if len(of.by_value) > len(shown):
        title += f" ({len(shown)} of {number(len(of.by_value))})"
    return Grid(heads, tuple(map(_value_row, shown)), title=title)


def _value_row(each: ValueLearnt) -> tuple[str, ...]:
    found = each.guesses
    return (
        "(empty)" if each.value is None else each.value,
        number(each.people),
        share(found.with_table),
        share(found.without_own),
        share(found.without),
        number(each.certain),
    )


DISTANCE = {
    "equal": "all values equally far apart",
    "ordered": "values in their order",
    "hierarchy": "by the hierarchy",
}


def measure_grid(of: SensitiveRisk) -> Grid:
    """The field's measures, the crowd where each is worst."""
    c = "none" if math.isinf(of.recursive_c) else f"above {of.recursive_c:.4g}"
    rows = (
        ("distinct ℓ-diversity: fewest values of a crowd", number(of.distinct_l)),
        ("entropy ℓ-diversity", f"{of.entropy_l:.4g}"),
        (f"recursive (c, {of.recursive_l})-diversity: c", c),
        (f"t-closeness, {DISTANCE[of.distances.kind]}", f"{of.t_closeness:.4g}"),
        ("β-likeness, basic", f"{of.beta_likeness:.4g}"),
        ("β-likeness, enhanced", f"{of.enhanced_beta_likeness:.4g}"),
        ("δ-disclosure", f"{of.delta_disclosure:.4g}"),
        ("α of (α, k)-anonymity: largest share of a value", f"{of.alpha:.4g}"),
    )
    return Grid((f"{of.column}: the field's measures, in the worst crowd", "value"), rows)
