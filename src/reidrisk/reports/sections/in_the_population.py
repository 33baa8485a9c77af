"""In the population: who of those alone in a sample is alone among all it was drawn from."""

from __future__ import annotations

from functools import partial

from reidrisk.errors import ContradictoryOptions
from reidrisk.machine import Progress
from reidrisk.prediction import LoadedStatistics
from reidrisk.records import Table
from reidrisk.reports.charts.population import (
    AloneInBoth,
    alone_in_both,
    alone_in_both_alt_text,
)
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.words.population import ends, risks, sentences
from reidrisk.samples import PopulationRisk
from reidrisk.samples import population as estimate


def sampled_from(
    asked: Table | LoadedStatistics, people: int | None, seed: int, progress: Progress
) -> PopulationRisk | None:
    """What the sample says of so many people; None where it isn't said to be one."""
    if people is None:
        return None
    if not isinstance(asked, Table):
        raise ContradictoryOptions(
            "--population is for records, and these are statistics",
            "statistics of a sample say so themselves: publish --population",
        )
    return estimate(asked, population=people, seed=seed, progress=progress)


def in_both(risk: PopulationRisk) -> AloneInBoth:
    """What the picture shows."""
    low, high = risk.tau1.interval
    return AloneInBoth(risk.sample_alone.people, risk.tau1.value, low, high, ends(risk.tau1))


def population_section(risk: PopulationRisk | None, told: Discretion) -> Section | None:
    """Sentences, the picture and every attacker's risk; not for publication, where few people
    could be told from the figures.
    """
    if risk is None or told.folds:
        return None
    shown = in_both(risk)
    picture = Picture(
        partial(alone_in_both, shown),
        alone_in_both_alt_text(shown),
        "Of those alone in the sample, who is expected to be alone in the population; the line is "
        "the 90 % interval.",
    )
    return Section(
        "in_the_population",
        "In the population",
        tuple(sentences(risk)),
        (picture,) if shown.sample else (),
        (risks(risk),),
        {},
        "P(F = 1 | f = 1) = π^{s+1}, E[1/F | f] by a negative binomial law of F − f, calibrated on "
        "the sample",
        "An attacker who knows that somebody is in the sample has the prosecutor's risk; one who "
        "doesn't, the journalist's; one who guesses for everybody, the marketer's. The sample is "
        "taken to be drawn at random. "
        + " ".join(each for each in risk.warnings if each not in risk.envelope.input.notes),
    )
