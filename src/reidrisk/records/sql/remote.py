"""Opening records that are elsewhere: the session, the engine, and the columns looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from reidrisk.crowds import RowUnit
from reidrisk.parallel import Progress
from reidrisk.records.files.opening import Writing
from reidrisk.records.files.paths import is_database
from reidrisk.records.labelling import Labelling
from reidrisk.records.read_options import Seeing
from reidrisk.records.roles import Look, likely_columns
from reidrisk.records.sql.remote_columns import (
    SINGLE,
    Distinct,
    ListingSession,
    Profile,
    Stored,
    counted_there,
    look_at,
)
from reidrisk.records.sql.remote_engine import ElsewhereEngine
from reidrisk.records.unit_detection import likely_units, stated_unit, unit_names

Words = tuple[str, ...]
Opened = tuple[ElsewhereEngine, str, tuple[Path, ...], Words, Words, Words, Words, RowUnit]


@dataclass(frozen=True)
class Asked:
    """What is asked for: TABLE as it was named, the engine, and what narrows it down."""

    table: str
    engine: str = "embedded"
    of: str | None = None
    query: str | None = None
    password: str | None = None
    written: Writing = field(default_factory=Writing)


@dataclass(frozen=True)
class Place:
    """Where the records are: a session, the relation in it, what it is called, what to mind."""

    session: ListingSession
    stored: Stored
    named: str
    warnings: tuple[str, ...]
    engine: type[ElsewhereEngine] = ElsewhereEngine


def place_of(asked: Asked, progress: Progress) -> Place:
    """Connect to it."""
    if is_database(asked.table):
        from reidrisk.records.sql.database import opened

        return Place(*opened(asked.table, asked.of, asked.query, asked.password, progress))
    from reidrisk.records.sql.spark import opened_by_spark

    return Place(*opened_by_spark(asked.table, asked.engine, asked.written, progress))


def counted_elsewhere(
    asked: Asked, chosen: Seeing, rows_are_people: bool, threads: int, progress: Progress
) -> Opened:
    """What a `Table` is made of: the engine that counts there, a name, no paths, notes …"""
    place = place_of(asked, progress)
    names = list(place.stored.kinds)
    chosen.check(names)
    distinct = Distinct(place.session, place.stored)
    said: list[str] = []
    unit = stated_unit(chosen, rows_are_people)
    if unit is None:
        unit = RowUnit(likely=likely_units(_unit_looks(place, chosen.empty)))
    if not chosen.columns:
        candidates = [name for name in names if name not in (*chosen.aside, chosen.key)]
        found = look_at(place.session, place.stored, distinct, candidates, chosen.empty)
        chosen, said = likely_columns([each.look for each in found], chosen)
    engine = place.engine(
        place.stored.dialect.name, place.session, place.stored, distinct, chosen, threads, progress
    )
    warnings = (*place.warnings, *said, *engine.warnings)
    notes = (f"counted in {place.named}",)
    return engine, place.named, (), notes, warnings, (), tuple(names), unit


def _unit_looks(place: Place, empty: frozenset[str]) -> list[Look]:
    """The columns that may say whose a row is, over all rows; their values stay there."""
    labelling = Labelling(empty, place.stored.decimal_comma)
    return [
        counted_there(place.session, place.stored, name, labelling).look
        for name in unit_names(place.stored.kinds)
        if place.stored.kinds[name] in SINGLE
    ]


def profiled(
    asked: Asked, empty: frozenset[str], progress: Progress
) -> tuple[Place, int, list[Profile]]:
    """Where the records are, how many, and what each column is."""
    place = place_of(asked, progress)
    rows = place.session.one(f"SELECT count(*) FROM {place.stored.source} AS stored")
    distinct = Distinct(place.session, place.stored)
    found = look_at(place.session, place.stored, distinct, list(place.stored.kinds), empty)
    return place, int(rows), found
