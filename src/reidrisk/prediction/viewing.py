"""Viewing: some attributes of statistics, seen as coarsely as asked, as complete counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.prediction.asking import Asked
from reidrisk.statistics.background import with_background
from reidrisk.statistics.coarser import coarser
from reidrisk.statistics.population import population_of
from reidrisk.statistics.settling import Counts, Settled, settled
from reidrisk.statistics.statistics import Statistics


def view_of(
    statistics: Statistics,
    columns: Sequence[str] | None,
    bands: Mapping[str, str],
    levels: Mapping[str, str],
    shares: Mapping[str, Counts] | None = None,
) -> Settled:
    """Complete counts of some attributes, seen as asked; of the population where it is a sample.

    `shares` are the counts that attributes with hidden ones are to have.
    """
    if columns is not None and not columns:
        raise InputError("no attribute was named", f"there are: {', '.join(statistics.names)}")
    twice = sorted({name for name in columns or () if list(columns or ()).count(name) > 1})
    if twice:
        raise ContradictoryOptions(f"the attribute {twice[0]!r} is named twice")
    seen = coarser(statistics, bands, levels) if bands or levels else statistics
    known = settled(seen, columns, shares)
    return known if seen.sample_of is None else population_of(known, seen.sample_of)


def behind_of(known: Settled, background: Statistics) -> Settled | None:
    """Other statistics of the attributes that both have; None where they have none in common."""
    shared = [name for name in known.names if name in background.names]
    return view_of(background, shared, {}, {}) if shared else None


def seen_before(known: Settled, background: Statistics | None) -> Settled:
    """The same with the dependence of the background, where one was given."""
    behind = None if background is None else behind_of(known, background)
    return known if behind is None else with_background(known, behind)


def seen_by(
    asked: Asked,
    columns: Sequence[str] | None,
    bands: Mapping[str, str],
    levels: Mapping[str, str],
) -> Asked:
    """The same statistics seen as asked, for questions that have no options for it."""
    seen = coarser(asked.statistics, bands, levels)
    if columns is not None:
        attributes = tuple(seen.attribute(name) for name in columns)
        pairs = tuple(pair for pair in seen.pairs if set(pair.of) <= set(columns))
        seen = replace(seen, attributes=attributes, pairs=pairs)
    return replace(asked, statistics=seen)
