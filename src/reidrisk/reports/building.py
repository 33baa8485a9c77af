"""`report`: from records or statistics to one report of sections, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reidrisk.engines import Table
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.generalising.hierarchies import Given
from reidrisk.models.choosing import NAMES
from reidrisk.models.contract import Progress, no_progress
from reidrisk.prediction.asking import Asked, asked_of
from reidrisk.reports.answer import answer_of
from reidrisk.reports.attack_section import attack_section
from reidrisk.reports.combination_sections import adds_section, combinations_section
from reidrisk.reports.comparison_section import comparison_section
from reidrisk.reports.crowd_sections import at_least_section, crowd_sizes_section
from reidrisk.reports.dependence_section import dependence_section
from reidrisk.reports.discretion import USUAL_LEAST, Discretion
from reidrisk.reports.found import Found, Wanted, of_statistics, of_table
from reidrisk.reports.generalisation_section import generalisation_section
from reidrisk.reports.group_section import group_section
from reidrisk.reports.provenance import envelope_of, provenance_of, usual_command
from reidrisk.reports.report import Report, Section
from reidrisk.reports.value_section import value_section
from reidrisk.views.searched import Limits
from reidrisk.views.view import Lattice

# Seconds after which counting combinations stops, whatever is left.
USUAL_TIME = 20.0


def report(
    source: Any,
    *,
    title: str = "",
    publishable: bool = False,
    at_least: int = USUAL_LEAST,
    statistics: Any = None,
    hierarchies: Given = None,
    crowds: Sequence[int] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    seed: int = 0,
    up_to: int | None = None,
    time_limit: float | None = USUAL_TIME,
    command: str = "",
    progress: Progress = no_progress,
) -> Report:
    """What a table, or statistics, mean for the people in them: sentences, figures and pictures.

    `publishable` leaves out every value of a record and folds counts below `at_least`.
    `statistics` are held against the records (by default, what `publish` would make of them), seen
    by `bands` and `levels` as the records are. Combinations of `up_to` attributes are counted for
    at most `time_limit` seconds. With `hierarchies` the report shows what coarser values
    would do. `command` is what the report says to reproduce it with.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.report(table).answer.verdict
    'Many people stand out'
    """
    asked = asked_of(source)
    wanted = Wanted(
        crowds, model, seed, up_to, time_limit, progress, bands or {}, levels or {}, hierarchies
    )
    _refuse(wanted, asked)
    found = _found(asked, statistics, wanted)
    told = Discretion(found.risk.people, at_least if publishable else None)
    about = envelope_of(found, publishable, seed)
    return Report(
        envelope=about,
        title=title or f"Re-identification risk of {about.input.named}",
        answer=answer_of(found, told),
        sections=sections_of(found, told),
        provenance=provenance_of(asked, about, found),
        reproduce=command or usual_command(asked, about),
        at_least=told.at_least,
        measured=found.risk,
    )


def _refuse(wanted: Wanted, asked: Table | Asked) -> None:
    """What a part of the report would refuse, and leave itself out for."""
    if wanted.model not in NAMES:
        raise InputError(f"--model {wanted.model}: it is {', '.join(NAMES[:-1])} or {NAMES[-1]}")
    if wanted.seed < 0:
        raise InputError("--seed is a whole number from 0")
    Limits(wanted.time_limit)
    names = asked.columns if isinstance(asked, Table) else asked.statistics.names
    Lattice.of_knowledge(names, wanted.up_to)


def _found(asked: Table | Asked, statistics: Any, wanted: Wanted) -> Found:
    if isinstance(asked, Table):
        return of_table(asked, statistics, wanted)
    if statistics is not None:
        raise ContradictoryOptions(
            "--statistics are held against records, and these are statistics already",
            "give the table first",
        )
    return of_statistics(asked, wanted)


def sections_of(found: Found, told: Discretion) -> tuple[Section, ...]:
    """The sections there are figures for, in the order in which a reader asks."""
    every = (
        crowd_sizes_section(found, told),
        at_least_section(found, told),
        value_section(found, told),
        combinations_section(found, told),
        adds_section(found, told),
        dependence_section(found, told),
        attack_section(found, told),
        group_section(found, told),
        comparison_section(found, told),
        generalisation_section(found, told),
    )
    return tuple(section for section in every if section is not None)
