"""What would be learnt: sensitive values of people who aren't picked out.

A report to be published names no value and no measure that one crowd decides, as l-diversity and
t-closeness are: who knows a crowd's other people would learn of the last one. It tells numbers of
people by their classes alone (`discretion`): those for whom a value is certain, and of these the
ones in crowds of at least the threshold; those an attacker guesses right with the table and without
it. A test tries all tables of some people and two values: none of these numbers, and no difference
of two, can be told to be 1 to t − 1. Of whose crowd 80 or 90 per cent share a value isn't told:
together with the size of a single large crowd it would be as good as a count of the others.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from reidrisk.learning import LearningRisk, SensitiveRisk
from reidrisk.reports.charts.attributes import Share, shares, shares_alt_text
from reidrisk.reports.charts.learning import (
    ValueSeen,
    prior_and_posterior,
    prior_and_posterior_alt_text,
)
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import number
from reidrisk.reports.words.learning import (
    EMPTY,
    HIDDEN,
    MOST_VALUES,
    grids,
    sentences,
)

FORMULA = (
    "n_{cs} of the n_{c} people of crowd c have value s: certain where n_{cs} = n_{c}; guessed "
    "right with the table Σ_{c} max_{s} n_{cs} / n, without it max_{s} Σ_{c} n_{cs} / n"
)
LIMITS = (
    "The attacker knows the quasi-identifiers without error, and that the person is in the table, "
    "and guesses the commonest value of the crowd. Values count as different, however alike they "
    "are."
)


def learning_section(found: Found, told: Discretion) -> Section | None:
    """None where no column is sensitive."""
    risk = found.learning
    if risk is None:
        return None
    each = tuple(risk.sensitive.values())
    said = [
        sentence
        for one in each
        for sentence in (
            _published(one, told, found.people) if told.folds else sentences(risk, one)
        )
    ]
    warned = [] if told.folds else list(risk.warnings[len(found.risk.envelope.warnings) :])
    return Section(
        "learning",
        "What would be learnt?",
        (*said, *warned),
        tuple(_picture(one, told) for one in each),
        () if told.folds else tuple(grid for one in each for grid in grids(one)),
        {key: value for one in each for key, value in figures_of(one, told).items()},
        FORMULA,
        LIMITS + (" Names of values and measures of the worst crowd aren't published."
                  if told.folds else ""),
    )  # fmt: skip


def hidden_from(told: Discretion) -> int:
    """The crowd from which on somebody counts as hidden."""
    return told.at_least or HIDDEN


def figures_of(one: SensitiveRisk, told: Discretion) -> dict[str, Told]:
    """What is told of people, by name."""
    name, counts, hidden = one.column, one.counts, hidden_from(told)
    right = int(np.dot(counts.most, counts.alike))
    of_hidden = one.certain_in_crowds_of_at_least(hidden)
    return {
        f"certain_{name}": told.people(one.certain.people),
        f"certain_in_crowds_of_at_least_{hidden}_{name}": told.people(of_hidden.people),
        f"guessed_with_{name}": told.as_share(told.people(right)),
        f"guessed_without_{name}": told.as_share(told.people(int(counts.totals.max()))),
    }


def _published(one: SensitiveRisk, told: Discretion, people: str) -> list[str]:
    """The figures by their classes."""
    every, hidden, guessed, without = figures_of(one, told).values()
    return [
        f"{one.column} is certain for {every} of the {people}, and for {hidden} in crowds of at "
        f"least {number(hidden_from(told))}: everybody in the crowd has the same (homogeneity, "
        "attribute disclosure).",
        f"An attacker who guesses everybody's {one.column} is right for {guessed} of the {people} "
        f"with the table, and for {without} without it.",
    ]


def _picture(one: SensitiveRisk, told: Discretion) -> Picture:
    if told.folds:
        title = f"people whose {one.column} is guessed right"
        every, _, guessed, without = figures_of(one, told).values()
        named = {"without the table": without, "with the table": guessed,
                 "with certainty": told.as_share(every)}  # fmt: skip
        bars = [Share(name, each.drawn, each.text) for name, each in named.items()]
        return Picture(partial(shares, bars, title), shares_alt_text(bars, title))
    seen = values_seen(one)
    return Picture(
        partial(prior_and_posterior, seen, one.column),
        prior_and_posterior_alt_text(seen, one.column),
        f"How likely people's own {one.column} is taken to be theirs: its share among all people, "
        "and its mean share in their crowds."
        + ("" if len(seen) == one.counts.values else f" The {len(seen)} that differ most."),
    )


def values_seen(one: SensitiveRisk) -> list[ValueSeen]:
    """The values whose share in the crowds of those who have them is farthest above that of all."""
    counts = one.counts
    held = np.flatnonzero(counts.totals)
    posterior = counts.by_value(counts.posterior)[held] / counts.totals[held]
    above = posterior - counts.prior[held]
    first = np.lexsort((held, -above))[:MOST_VALUES]
    return [
        ValueSeen(
            EMPTY if (label := counts.labels[held[place]]) is None else label,
            float(counts.prior[held[place]]),
            float(posterior[place]),
        )
        for place in first.tolist()
    ]


def learning_pictures(risk: LearningRisk) -> dict[str, partial[object]]:
    """Of each sensitive column the picture by value."""
    return {
        name: partial(prior_and_posterior, values_seen(one), name)
        for name, one in risk.sensitive.items()
    }
