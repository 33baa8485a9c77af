"""AttackRisk: what an attacker with given knowledge can do, counted or predicted, in one shape.

`attack`: a simulated attack on records or statistics (the attack paper's algorithms 2, 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from reidrisk.attacks.guessed_values import USUAL_TARGETS, GuessedValues, guessed_values
from reidrisk.attacks.known_attributes import (
    USUAL_LIMIT,
    AllKnowledge,
    Steps,
    all_knowledge,
    cdf,
    survival,
)
from reidrisk.attacks.minimal_uniques import UniqueSets, unique_sets
from reidrisk.attacks.monte_carlo import Played, hits_of
from reidrisk.attacks.noisy_knowledge import NoisyRisk, noisy_risk
from reidrisk.attacks.random_knowledge import (
    RandomKnowledge,
    drawn_at_random,
    known_at_random,
    listed_exactly,
)
from reidrisk.attacks.request import (
    Wanted,
    checked_probability,
    chosen_names,
    refuse_of_population,
)
from reidrisk.attacks.targets import Targets, Tuples, of_sample, of_statistics, of_table, tuples_of
from reidrisk.crowds import Alone, Answer, CrowdSizes, Envelope, Limit, limit_value
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import TableRisk, chosen_crowds
from reidrisk.prediction import asked_with_recoding, refuse_unread
from reidrisk.records import ReadingColumns, Table

ABOVE = 0.2


@dataclass(frozen=True, eq=False)
class AttackRisk(Answer):
    """The answer of `attack`: the distribution of Pr(re-id) over people, and what was asked beside.

    `view` holds the measures of what is known, `above` the risk people are counted above. The
    other parts are None where they weren't asked for.
    """

    view: TableRisk
    above: float = ABOVE
    all_knowledge: AllKnowledge | None = None
    random_knowledge: RandomKnowledge | None = None
    errors: NoisyRisk | None = None
    played: Played | None = None
    unique_sets: UniqueSets | None = None
    guessed_values: tuple[GuessedValues, ...] = ()

    @property
    def envelope(self) -> Envelope:
        """Where the answer comes from and what it assumes."""
        return self.view.envelope

    @property
    def knows(self) -> tuple[str, ...]:
        """The attributes that the attacker knows."""
        return self.envelope.input.columns

    @property
    def crowd_sizes(self) -> CrowdSizes:
        """The crowds of what is known."""
        return self.view.crowd_sizes

    @property
    def people(self) -> float:
        """How many people there are."""
        return self.view.people

    @property
    def cdf(self) -> Steps:
        """(risk, share of people at or below), risks rising."""
        return cdf(self.crowd_sizes)

    @property
    def survival(self) -> Steps:
        """(risk, share of people at or above), risks rising."""
        return survival(self.crowd_sizes)

    @property
    def overall_risk(self) -> float:
        """Mean of Pr(re-id) over people."""
        return self.view.overall_risk

    @property
    def highest_risk(self) -> float:
        """The risk of the person who stands out most."""
        return self.view.highest_risk

    @property
    def alone(self) -> Alone:
        """The people in crowds of one, who are re-identified for certain."""
        return self.view.alone

    @property
    def expected_reidentifications(self) -> float:
        """People re-identified on average, with one guess per person."""
        return self.view.expected_reidentifications

    @property
    def share_above(self) -> float:
        """Share of people whose risk exceeds `above`."""
        return self.view.share_above(self.above)

    @property
    def people_above(self) -> float:
        """People whose risk exceeds `above`."""
        held = self.share_above * self.people
        return held if self.view.predicted else round(held)

    def value(self, name: str) -> float:
        """The measure called `name`, as in --fail-above."""
        return self.view.value(name)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        above = {"risk": self.above, "people": self.people_above, "share": self.share_above}
        return self.view.to_dict() | {
            "knows": list(self.knows),
            "cdf": [list(step) for step in self.cdf],
            "survival": [list(step) for step in self.survival],
            "above": above,
            "all_knowledge": _dict(self.all_knowledge),
            "random_knowledge": _dict(self.random_knowledge),
            "errors": _dict(self.errors),
            "played": _dict(self.played),
            "unique_sets": None if self.unique_sets is None else self.unique_sets.figures(),
            "guessed_values": [each.to_dict() for each in self.guessed_values],
        }


def _dict(part: AllKnowledge | RandomKnowledge | NoisyRisk | Played | None) -> Any:
    return None if part is None else part.to_dict()


def attack(
    source: Any,
    *,
    knows: Sequence[str] | None = None,
    up_to: int | None = None,
    share: float | None = None,
    errors: float | None = None,
    play: int | None = None,
    sensitive: str | Sequence[str] = (),
    above: Limit = ABOVE,
    measure: str = "overall_risk",
    unique_up_to: int | None = None,
    view_limit: int = USUAL_LIMIT,
    crowds: Sequence[int] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    background: Any = None,
    population: int | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[ReadingColumns],
) -> AttackRisk:
    """Attack everybody of a table, or of the table that statistics describe.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes).
        knows: the columns whose values the attacker knows; by default all.
        up_to: all combinations of so many of these columns too.
        share: an attacker who knows each column with this probability.
        errors: an attacker whose values are wrong with this probability.
        play: simulate the attack on so many targets.
        sensitive: columns whose values the attacker guesses of so many people, or of 10,000.
        above: count the people whose risk is above this: 0.2, ``"1/11"`` or ``"k=11"``.
        measure: what combinations of columns are ranked by.
        unique_up_to: look for minimal sample uniques of up to so many columns.
        view_limit: refuse more combinations of columns than this.
        crowds: the k at which "in crowds of at least k" is reported.
        bands: {column: width} recodes statistics, or records that aren't a `Table` yet, into bands.
        levels: {column: digits} recodes them to the first characters of codes.
        model: for statistics: ``auto`` chooses by what is known of dependence; or ``independent``,
            ``pair``, ``tree``, ``pairwise``, ``triples``, ``shuffle``.
        background: other statistics, whose dependence is used where these have no pair table.
        population: how many people the records are a sample of: the attack is then on all of these,
            by an attacker who doesn't know who was sampled.
        seed: of whatever is drawn at random; the answer repeats it.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.attack(table, knows=["age"]).survival
    ((0.5, 1.0), (1.0, 0.3333333333333333))
    """
    guessing = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    asked, bands, levels = asked_with_recoding(
        source, reading, bands, levels, progress, sensitive=guessing
    )
    refuse_unread(asked, guessing)
    there = asked.columns if isinstance(asked, Table) else asked.statistics.names
    names = chosen_names(knows, there, isinstance(asked, Table))
    wanted = Wanted(
        names, up_to, share, errors, play, unique_up_to, measure, view_limit, seed,
        guessing,
    )  # fmt: skip
    exceeded = limit_value(above, "--above")
    checked_probability("--above", exceeded)
    at_crowds = chosen_crowds(crowds)
    if isinstance(asked, Table):
        if bands or levels or background is not None or model != "auto":
            raise InputError(
                "bands, levels, model and background are for statistics, and these are records",
                "recode records when you read them",
            )
        if population is None:
            targets = of_table(asked, names, at_crowds, progress)
        else:
            refuse_of_population(wanted)
            targets = of_sample(asked, names, at_crowds, population, seed, progress)
    else:
        if population is not None:
            raise ContradictoryOptions(
                "--population is for records, and these are statistics",
                "statistics of a sample say so themselves: publish --population",
            )
        if unique_up_to is not None:
            raise InputError(
                "unique sets are found in records, and these are statistics",
                "`person` shows which attributes identify one person",
            )
        seen = (bands or {}, levels or {}, model, background)
        targets = of_statistics(asked, names, at_crowds, seen, seed, progress)
    return _attacked(targets, wanted, exceeded, progress)


def _attacked(targets: Targets, wanted: Wanted, above: float, progress: Progress) -> AttackRisk:
    at_random = _at_random(targets, wanted, progress)
    noisy = _noisy(targets, wanted, progress)
    played = _played(targets, wanted, at_random, noisy, progress)
    every = _every(targets, wanted, progress)
    guessed = _guessed(targets, wanted)
    by_chance = (
        played is not None
        or bool(guessed)
        or targets.drew
        or bool(at_random and at_random.intervals)
        or bool(noisy and noisy.interval)
    )
    about = targets.view.envelope
    about = replace(
        about,
        seed=wanted.seed if by_chance else about.seed,
        assumptions=wanted.assumptions(about.assumptions, targets.drew),
    )
    view = replace(targets.view, envelope=about)
    return AttackRisk(
        view, above, every, at_random, noisy, played, _unique(targets, wanted, progress), guessed
    )


def _every(targets: Targets, wanted: Wanted, progress: Progress) -> AllKnowledge | None:
    if wanted.up_to is None:
        return None
    return all_knowledge(wanted.knows, wanted.up_to, targets.crowd_sizes, wanted.measure, progress)


def _at_random(targets: Targets, wanted: Wanted, progress: Progress) -> RandomKnowledge | None:
    if wanted.share is None:
        return None
    asked = (wanted.knows, wanted.share, targets.crowd_sizes, targets.people)
    if listed_exactly(len(wanted.knows), targets.records):
        return known_at_random(*asked, progress=progress)
    return drawn_at_random(*asked, wanted.rng(1), progress)


def _noisy(targets: Targets, wanted: Wanted, progress: Progress) -> NoisyRisk | None:
    if wanted.errors is None:
        return None
    tuples = tuples_of(targets.engine, wanted.knows, "--errors")
    counted = targets.engine.crowd_sizes
    return noisy_risk(tuples, wanted.errors, counted, wanted.rng(2), targets.threads, progress)


def _played(
    targets: Targets,
    wanted: Wanted,
    at_random: RandomKnowledge | None,
    noisy: NoisyRisk | None,
    progress: Progress,
) -> Played | None:
    if wanted.play is None:
        return None
    tuples = tuples_of(targets.engine, wanted.knows, "--play")
    error, share = wanted.errors or 0.0, wanted.share
    hits = hits_of(tuples, wanted.play, wanted.rng(3), error, share, targets.threads, progress)
    return Played(wanted.play, hits, _risk_played(targets, wanted, tuples, at_random, noisy))


def _guessed(targets: Targets, wanted: Wanted) -> tuple[GuessedValues, ...]:
    if not wanted.sensitive or targets.table is None:
        return ()
    number = wanted.play or USUAL_TARGETS
    return guessed_values(targets.table, wanted.knows, wanted.sensitive, number, wanted.rng(4))


def _risk_played(
    targets: Targets,
    wanted: Wanted,
    tuples: Tuples,
    at_random: RandomKnowledge | None,
    noisy: NoisyRisk | None,
) -> float:
    """The risk of the very table played on, which may be one of several drawn ones."""
    if noisy is not None:
        return noisy.overall_risk
    if at_random is None:
        return len(tuples) / tuples.n
    if at_random.intervals or not targets.drew:
        return at_random.overall_risk
    counted = targets.engine.crowd_sizes
    return known_at_random(wanted.knows, at_random.share, counted, tuples.n).overall_risk


def _unique(targets: Targets, wanted: Wanted, progress: Progress) -> UniqueSets | None:
    if wanted.unique_up_to is None or targets.table is None:
        return None
    return unique_sets(
        targets.table,
        up_to=wanted.unique_up_to,
        columns=wanted.knows,
        view_limit=wanted.view_limit,
        progress=progress,
    )
