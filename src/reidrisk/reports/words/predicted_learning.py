"""What would be learnt, predicted from statistics, in words: means over drawn tables."""

from __future__ import annotations

import math

from reidrisk.learning import LearningPrediction, SensitivePrediction
from reidrisk.reports.words.blocks import Blocks, Grid, Part, number, people, share
from reidrisk.reports.words.learning import DISTANCE, HIDDEN, points, value_grid

Interval = tuple[float, float]


def predicted_learning_blocks(risk: LearningPrediction) -> Blocks:
    """The whole answer."""
    parts: list[Part] = []
    for each in risk.sensitive.values():
        parts += [sentences(each), guess_grid(each), value_grid(each), measure_grid(each)]
    return Blocks(headline(risk), risk.envelope, tuple(parts))


def headline(risk: LearningPrediction) -> str:
    """How often guesses would be right, where being in the table adds most to it."""
    worst = max(risk.sensitive.values(), key=lambda each: each.guesses.gain)
    seen = risk.envelope.input
    return (
        f"{worst.column} would be guessed right for {share(worst.guesses.with_table)}"
        f"{between(worst.intervals['guess_with'])}, for {share(worst.guesses.without)} without "
        f"the table ({seen.named}: {people(seen.people, seen.nouns)})"
    )


def sentences(of: SensitivePrediction) -> list[str]:
    """What an attacker's guesses gain, and for whom the value is certain."""
    found, hidden = of.guesses, f"certain_in_crowds_of_at_least_{HIDDEN}"
    told = [
        f"Guessing {of.column} for everybody, an attacker would be right for "
        f"{share(found.with_table)}{between(of.intervals['guess_with'])} with the table and for "
        f"{share(found.without)} without it (the commonest value). Without the person's own record "
        f"it would be {share(found.without_own)}{between(of.intervals['guess_without_own'])}: so "
        f"being in the table costs people {points(found.costs)}.",
        f"{of.column} is expected to be certain for {share(of.figures['certain_share'])}"
        f"{between(of.intervals['certain_share'])}: all of their crowd have the same, or they are "
        "alone (homogeneity, attribute disclosure).",
    ]
    if hidden in of.figures:
        told.append(
            f"In crowds of five or more it is for {share(of.figures[hidden])}"
            f"{between(of.intervals[hidden])}."
        )
    return told


def between(limits: Interval) -> str:
    """(48.1 % to 50.3 %), 90 %."""
    low, high = limits
    return f" ({share(low)} to {share(high)})"


def guess_grid(of: SensitivePrediction) -> Grid:
    """Of how many people how much would be known."""
    rows = tuple(
        (
            f"at least {share(float(name.rpartition('_')[2]))}",
            share(part) + between(of.intervals[name]),
        )
        for name, part in of.figures.items()
        if name.startswith("known_at_least_")
    )
    return Grid((f"share of the crowd with the same {of.column}", "people"), rows)


def measure_grid(of: SensitivePrediction) -> Grid:
    """The field's measures, as expected of the worst crowd."""
    told = {
        "distinct_l": "distinct ℓ-diversity: fewest values of a crowd",
        "entropy_l": "entropy ℓ-diversity",
        "recursive_c": f"recursive (c, {of.recursive_l})-diversity: c above",
        "t_closeness": f"t-closeness, {DISTANCE[of.distance]}",
        "beta_likeness": "β-likeness, basic",
        "enhanced_beta_likeness": "β-likeness, enhanced",
        "delta_disclosure": "δ-disclosure",
        "alpha": "α of (α, k)-anonymity: largest share of a value",
    }
    rows = tuple(
        (called, _plain(of.figures[name]), " to ".join(map(_plain, of.intervals[name])))
        for name, called in told.items()
    )
    heads = (f"{of.column}: the field's measures, of the worst crowd", "expected", "drawn tables")
    return Grid(heads, rows)


def _plain(value: float) -> str:
    return "none" if math.isinf(value) else number(value) if value > 100 else f"{value:.4g}"
