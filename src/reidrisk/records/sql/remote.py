"""Opening records that are elsewhere: the session, the engine, and the likely quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from reidrisk.crowds import RowUnit
from reidrisk.machine import Progress
from reidrisk.records.memory.coding import Labelling
from reidrisk.records.read_options import ReadOptions, is_database
from reidrisk.records.roles import Look, likely_columns, likely_units, stated_unit, unit_names
from reidrisk.records.sql.remote_columns import SINGLE, Distinct, Profile, counted_there, look_at
from reidrisk.records.sql.remote_engine import ElsewhereEngine, Place


@dataclass(frozen=True)
class CountedElsewhere:
    """What a `Table` is made of: where the records are, the engine that counts there, warnings, and
    what a row stands for.
    """

    place: Place
    engine: ElsewhereEngine
    warnings: tuple[str, ...]
    unit: RowUnit


def place_of(table: str, options: ReadOptions, progress: Progress) -> Place:
    """Connect to it."""
    if is_database(table):
        from reidrisk.records.sql.database import opened_by_database

        return opened_by_database(table, options, progress)
    from reidrisk.records.sql.spark import opened_by_spark

    return opened_by_spark(table, options, progress)


def counted_elsewhere(table: str, options: ReadOptions, progress: Progress) -> CountedElsewhere:
    """Connect, choose the quasi-identifiers where nobody names them, and count there."""
    place = place_of(table, options, progress)
    names = list(place.stored.kinds)
    options.check(names)
    distinct = Distinct(place.session, place.stored)
    warnings: list[str] = []
    unit = stated_unit(options)
    if unit is None:
        unit = RowUnit(likely=likely_units(_unit_looks(place, options.empty)))
    if not options.columns:
        candidates = [
            name
            for name in names
            if name not in (*options.unit_columns, *options.sensitive, options.key)
        ]
        profiles = look_at(place.session, place.stored, distinct, candidates, options.empty)
        options, warnings = likely_columns([profile.look for profile in profiles], options)
    engine = place.engine(place, distinct, options, progress)
    return CountedElsewhere(place, engine, (*place.warnings, *warnings, *engine.warnings), unit)


def _unit_looks(place: Place, empty: frozenset[str]) -> list[Look]:
    """The columns that may say whose a row is, over all rows; their values stay there."""
    labelling = Labelling(empty, place.stored.decimal_comma)
    return [
        counted_there(place.session, place.stored, name, labelling).look
        for name in unit_names(place.stored.kinds)
        if place.stored.kinds[name] in SINGLE
    ]


def profiled(
    table: str, options: ReadOptions, progress: Progress
) -> tuple[Place, int, list[Profile]]:
    """Where the records are, how many, and what each column is."""
    place = place_of(table, options, progress)
    rows = place.session.one(f"SELECT count(*) FROM {place.stored.source} AS stored")
    distinct = Distinct(place.session, place.stored)
    names = list(place.stored.kinds)
    return place, int(rows), look_at(place.session, place.stored, distinct, names, options.empty)
