"""`attack`: a simulated attack on records or statistics (the attack paper's algorithms 2, 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reidrisk.attacks.all_knowledge import (
    USUAL_LIMIT,
    AllKnowledge,
    all_knowledge,
)
from reidrisk.attacks.attack_risk import ABOVE, AttackRisk
from reidrisk.attacks.checking import (
    checked_probability,
    chosen_names,
)
from reidrisk.attacks.erring_risk import ErringRisk, erring_risk
from reidrisk.attacks.playing import Played, hits_of
from reidrisk.attacks.random_knowledge import (
    Counted,
    RandomKnowledge,
    drawn_at_random,
    known_at_random,
    listed_exactly,
)
from reidrisk.attacks.targets import Targets, of_statistics, of_table
from reidrisk.attacks.tuples import Tuples, tuples_of
from reidrisk.attacks.unique_sets import UniqueSets, unique_sets
from reidrisk.attacks.wanted import Wanted, checked_wishes
from reidrisk.crowds.limits import Limit, limit_value
from reidrisk.engines import Table
from reidrisk.engines.contract import Progress, no_progress
from reidrisk.errors import InputError
from reidrisk.measuring.table_risk import chosen_crowds
from reidrisk.prediction.asking import asked_of


def attack(
    source: Any,
    *,
    knows: Sequence[str] | None = None,
    up_to: int | None = None,
    share: float | None = None,
    errors: float | None = None,
    play: int | None = None,
    above: Limit = ABOVE,
    measure: str = "overall_risk",
    unique_up_to: int | None = None,
    view_limit: int = USUAL_LIMIT,
    crowds: Sequence[int] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    background: Any = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> AttackRisk:
    """Attack everybody of a table, or of the table that statistics describe, `knows` known of them.

    `up_to` adds all knowledge of so many of these attributes; `share` an attacker who knows each
    with that probability; `errors` one whose values are wrong with that probability; `play` plays
    the attack against so many targets; `unique_up_to` looks for minimal unique sets. `bands`,
    `levels`, `model` and `background` are those of `predict`, for statistics.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.attack(table, knows=["age"]).survival
    ((0.5, 1.0), (1.0, 0.3333333333333333))
    """
    asked = asked_of(source)
    there = asked.columns if isinstance(asked, Table) else asked.statistics.names
    names = chosen_names(knows, there, isinstance(asked, Table))
    wanted = checked_wishes(
        names, up_to, share, errors, play, unique_up_to, measure, view_limit, seed
    )
    exceeded = limit_value(above, "--above")
    checked_probability("--above", exceeded)
    at_crowds = chosen_crowds(crowds)
    if isinstance(asked, Table):
        if bands or levels or background is not None or model != "auto":
            raise InputError(
                "bands, levels, model and background are for statistics, and these are records",
                "say how records are seen when they are read",
            )
        targets = of_table(asked, names, at_crowds, progress)
    else:
        if unique_up_to is not None:
            raise InputError(
                "unique sets are looked for among records, and these are statistics",
                "`person` says what gives one person away",
            )
        seen = (bands or {}, levels or {}, model, background)
        targets = of_statistics(asked, names, at_crowds, seen, seed, progress)
    return _attacked(targets, wanted, exceeded, progress)


def _attacked(targets: Targets, wanted: Wanted, above: float, tell: Progress) -> AttackRisk:
    at_random = _at_random(targets, wanted, tell)
    erring = _erring(targets, wanted, tell)
    played = _played(targets, wanted, at_random, erring, tell)
    every = _every(targets, wanted, tell)
    by_chance = (
        played is not None
        or targets.drew
        or bool(at_random and at_random.intervals)
        or bool(erring and erring.interval)
    )
    about = targets.view.envelope
    about = replace(
        about,
        seed=wanted.seed if by_chance else about.seed,
        assumptions=(*about.assumptions, *wanted.granted(targets.drew)),
    )
    view = replace(targets.view, envelope=about)
    return AttackRisk(view, above, every, at_random, erring, played, _unique(targets, wanted, tell))


def _every(targets: Targets, wanted: Wanted, tell: Progress) -> AllKnowledge | None:
    if wanted.up_to is None:
        return None
    counted: Counted = targets.crowd_sizes
    return all_knowledge(wanted.knows, wanted.up_to, counted, wanted.measure, tell)


def _at_random(targets: Targets, wanted: Wanted, tell: Progress) -> RandomKnowledge | None:
    if wanted.share is None:
        return None
    asked = (wanted.knows, wanted.share, targets.crowd_sizes, targets.people)
    if listed_exactly(len(wanted.knows), targets.records):
        return known_at_random(*asked, progress=tell)
    return drawn_at_random(*asked, wanted.rng(1), tell)


def _erring(targets: Targets, wanted: Wanted, tell: Progress) -> ErringRisk | None:
    if wanted.errors is None:
        return None
    tuples = tuples_of(targets.engine, wanted.knows, "--errors")
    counted = targets.engine.crowd_sizes
    return erring_risk(tuples, wanted.errors, counted, wanted.rng(2), targets.threads, tell)


def _played(
    targets: Targets,
    wanted: Wanted,
    at_random: RandomKnowledge | None,
    erring: ErringRisk | None,
    tell: Progress,
) -> Played | None:
    if wanted.play is None:
        return None
    tuples = tuples_of(targets.engine, wanted.knows, "--play")
    error, share = wanted.errors or 0.0, wanted.share
    hits = hits_of(tuples, wanted.play, wanted.rng(3), error, share, targets.threads, tell)
    return Played(wanted.play, hits, _risk_played(targets, wanted, tuples, at_random, erring))


def _risk_played(
    targets: Targets,
    wanted: Wanted,
    tuples: Tuples,
    at_random: RandomKnowledge | None,
    erring: ErringRisk | None,
) -> float:
    """The risk of the very table played on, which may be one of several drawn ones."""
    if erring is not None:
        return erring.overall_risk
    if at_random is None:
        return len(tuples) / tuples.n
    if at_random.intervals or not targets.drew:
        return at_random.overall_risk
    counted = targets.engine.crowd_sizes
    return known_at_random(wanted.knows, at_random.share, counted, tuples.n).overall_risk


def _unique(targets: Targets, wanted: Wanted, tell: Progress) -> UniqueSets | None:
    if wanted.unique_up_to is None or targets.table is None:
        return None
    return unique_sets(
        targets.table,
        up_to=wanted.unique_up_to,
        columns=wanted.knows,
        view_limit=wanted.view_limit,
        progress=tell,
    )
