"""What would be learnt about people in a crowd, in words."""

from __future__ import annotations

import math

from reidrisk.learning import LearningRisk, SensitivePrediction, SensitiveRisk, ValueLearnt
from reidrisk.reports.words.blocks import (
    Blocks,
    Grid,
    Part,
    listed,
    number,
    people,
    share,
)

# The crowd from which somebody counts as hidden, in the sentence on certainty.
HIDDEN = 5
MOST_VALUES = 8
EMPTY = "(empty)"


def learning_blocks(risk: LearningRisk) -> Blocks:
    """The whole answer."""
    parts: list[Part] = []
    for each in risk.sensitive.values():
        parts += [sentences(risk, each), *grids(each)]
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def grids(of: SensitiveRisk) -> list[Grid]:
    """How much is known of whom, by value, and the field's measures; those that hold anything."""
    return [grid for grid in (guess_grid(of), value_grid(of), measure_grid(of)) if grid.rows]


def headline(risk: LearningRisk) -> str:
    """For how many people the value is certain, where that is most."""
    worst = max(risk.sensitive.values(), key=lambda each: each.certain.people)
    seen = risk.envelope.input
    about = f"{seen.named}: {people(seen.people, seen.nouns)}"
    certain = worst.certain.people
    if not certain:
        verb = "is" if len(risk.sensitive) == 1 else "are"
        return f"{listed(list(risk.sensitive))} {verb} certain for nobody ({about})"
    if certain == seen.people:
        return f"{worst.column} is certain for everybody ({about})"
    return (
        f"{worst.column} is certain for {number(certain)} of {people(seen.people, seen.nouns)}, "
        f"{share(worst.certain.share)} ({seen.named})"
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
            f"In no crowd does everybody have the same {of.column}: it is certain for nobody (no "
            "homogeneous equivalence class)."
        )
    stand = "is" if hidden.people == 1 else "are"
    their = "their" if nouns[0] == "person" else "its"
    beside = (
        f"{people(hidden.people, nouns)} ({share(hidden.share)}) {stand} in crowds of five or "
        f"more, and yet {their} {of.column} is certain: everybody in the crowd has the same "
        "(homogeneity, attribute disclosure)."
        if hidden.people
        else f"In crowds of five or more, {of.column} is certain for nobody."
    )
    smaller = every.people - hidden.people
    if not smaller:
        return beside
    more = f"{number(smaller)} more" if hidden.people else people(smaller, nouns)
    return f"{beside} In smaller crowds, it is certain for {more}, people alone included."


def guess_sentences(of: SensitiveRisk) -> list[str]:
    """What the table adds to what anybody would guess."""
    found = of.guesses
    said = [
        f"An attacker who guesses everybody's {of.column} is right for {share(found.with_table)} "
        f"with the table, and for {share(found.without)} without it, by always guessing the "
        "commonest value."
    ]
    if abs(found.gain) < SAME and abs(found.costs) < SAME:
        return [*said, "So the table helps nobody to guess it."]
    own = (
        f"Without the person's own record it would be {share(found.without_own)}: being in the "
        f"table costs people {points(found.costs)}"
    )
    if found.learnt_from_others < SAME:
        return [*said, f"{own}, and from the others alone nothing is learnt."]
    from_others = points(found.learnt_from_others)
    said.append(f"{own}; {from_others} are what anybody learns about anyone from the others.")
    return said


# Shares that differ by less are the same.
SAME = 0.00005


def points(part: float) -> str:
    """A difference of two shares: 3.4 percentage points."""
    amount = 100.0 * part
    text = f"{amount:.1f}" if abs(amount) >= 0.1 or amount == 0 else f"{amount:.2f}"
    return f"{text} percentage points"


def known_in_words(least: float) -> str:
    """So much of a crowd."""
    return f"at least {least:.0%}".replace("%", " %") if least < 1 else "all of the crowd"


def guess_grid(of: SensitiveRisk) -> Grid:
    """Of how many people how much is known; empty where it is never even half."""
    known = of.known_at_least
    rows = tuple((known_in_words(least), share(part)) for least, part in known.items())
    rows = rows if any(known.values()) else ()
    return Grid((f"share of the crowd with the same {of.column}", "people"), rows)


def value_grid(of: SensitiveRisk | SensitivePrediction) -> Grid:
    """The values of which most is learnt; those of which nothing is aren't listed."""
    gaining = [each for each in of.by_value if each.guesses.gain > 0 or each.certain]
    shown = gaining[:MOST_VALUES]
    heads = ("value", "people", "with the table", "without own record", "without", "certain")
    title = f"{of.column}: people guessed right, by their value"
    if len(of.by_value) > len(shown):
        title += f" (the {len(shown)} of {number(len(of.by_value))} of which most is learnt)"
    return Grid(heads, tuple(map(_value_row, shown)), title=title)


def _value_row(each: ValueLearnt) -> tuple[str, ...]:
    found = each.guesses
    return (
        EMPTY if each.value is None else each.value,
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
    title = f"{of.column}: the field's measures"
    return Grid(("in the worst crowd", "value"), rows, title=title)
