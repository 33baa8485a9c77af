"""Asking: what a question is put to, statistics or a table, and what its answer says of itself.

Viewing: some attributes of statistics, seen as coarsely as asked, as complete counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reidrisk.crowds import Assumption, Envelope, Input, InputHash
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.input_hash import state_of
from reidrisk.machine import Progress, no_progress
from reidrisk.records import Table, as_table, refuse_reading
from reidrisk.statistics import (
    CompleteCounts,
    Completion,
    Filling,
    Statistics,
    coarser,
    is_statistics_file,
    load_statistics,
    population_of,
    still_shared,
    with_background,
)

OF_SETS = Assumption(
    "sets-of-values",
    "statistics",
    "People have several rows, and are counted by the set of values in each column: how many rows "
    "somebody has isn't in the statistics, and whoever knows all rows picks out more.",
)

UNPROTECTED = Assumption(
    "unprotected-counts",
    "statistics",
    "The statistics are unprotected: every count as it is. They and what is worked out from them "
    "stay with those who may see the records.",
)


def refuse_unprotected(statistics: Statistics, what: str) -> None:
    """The one door of whatever is made to be given away from statistics."""
    if statistics.unprotected:
        raise InputError(
            f"the statistics are unprotected, and {what} is made to be shared",
            "publish them with a protection: `publish` without --unprotected",
        )


@dataclass(frozen=True)
class LoadedStatistics:
    """Statistics, with the files they came from."""

    statistics: Statistics
    paths: tuple[Path, ...] = ()
    when_read: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """What to call them."""
        if self.paths:
            return ", ".join(path.name for path in self.paths)
        return self.statistics.title or "the statistics"

    @property
    def hashed(self) -> InputHash:
        """SHA-256 of the files' bytes; None for statistics in memory."""
        return InputHash(self.paths, self.when_read)

    @property
    def _of_what_kind(self) -> list[Assumption]:
        """What there is to know of the counts themselves."""
        found = [OF_SETS] if self.statistics.of_persons else []
        return [*found, UNPROTECTED] if self.statistics.unprotected else found

    def envelope(
        self,
        command: str,
        columns: Sequence[str],
        model: str,
        assumptions: Sequence[Assumption],
        warnings: Sequence[str] = (),
        seed: int | None = None,
    ) -> Envelope:
        """What an answer from statistics says of itself."""
        people = self.statistics.sample_of or self.statistics.records
        return Envelope(
            command=command,
            origin="statistics",
            input=Input(people, tuple(columns), self.hashed, self.named),
            missing="own",
            engine="none",
            seed=seed,
            model=model,
            assumptions=(*assumptions, *self._of_what_kind),
            warnings=tuple(warnings),
        )


def statistics_from_files(paths: Sequence[str]) -> LoadedStatistics:
    """Statistics from files, whatever they hold: a file that is none says so itself."""
    files = tuple(Path(each) for each in paths)
    return LoadedStatistics(load_statistics(files), files, state_of(files))


Seen = Mapping[str, str] | None


def statistics_or_table(
    source: Any, reading: Mapping[str, Any] | None = None, progress: Progress = no_progress
) -> LoadedStatistics | Table:
    """Statistics (an object, a file, several files) or a table (anything `rr.read` takes).

    `reading` are options of `rr.read`, for records that aren't a `Table` yet.
    """
    loaded = statistics_given(source)
    if loaded is None:
        return as_table(source, reading, progress)
    refuse_reading("these are statistics", reading)
    return loaded


def asked_with_recoding(
    source: Any,
    reading: Mapping[str, Any],
    bands: Seen,
    levels: Seen,
    progress: Progress = no_progress,
    columns: Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
) -> tuple[LoadedStatistics | Table, Seen, Seen]:
    """The same, and the bands and levels that statistics are still to be seen by: records that
    aren't a `Table` yet are read with them, with these columns, and with these as sensitive.
    """
    known = source if isinstance(source, Table) else statistics_given(source)
    if known is not None:
        return statistics_or_table(known, reading), bands, levels
    own: dict[str, Any] = {"columns": columns} if columns is not None else {}
    own |= {"sensitive": sensitive} if sensitive else {}
    return as_table(source, reading, progress, bands=bands, levels=levels, **own), None, None


def refuse_unread(known: LoadedStatistics | Table, sensitive: Sequence[str]) -> None:
    """Where only records will do: sensitive columns are read with them."""
    if isinstance(known, LoadedStatistics):
        if sensitive:
            raise ContradictoryOptions(
                "--sensitive is for records, and these are statistics",
                "`check STATISTICS --sensitive` shows what their two-way tables give away",
            )
        return
    known.refuse_unread(sensitive)


def statistics_given(source: Any) -> LoadedStatistics | None:
    """Statistics, where the source is that: an object, a file, several files; else None."""
    if isinstance(source, LoadedStatistics):
        return source
    if isinstance(source, Statistics):
        return LoadedStatistics(source)
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    if isinstance(paths, (list, tuple)) and paths and all(map(_is_statistics_path, paths)):
        files = tuple(Path(each) for each in paths)
        return LoadedStatistics(load_statistics(files), files, state_of(files))
    return None


def required_statistics(source: Any) -> LoadedStatistics:
    """Statistics, where records can't be used."""
    loaded = statistics_or_table(source)
    if isinstance(loaded, Table):
        raise InputError(
            "a prediction is made from statistics, and these are records",
            "count them with `measure`, or make statistics with `publish`",
        )
    return loaded


def checked_seed(seed: int) -> int:
    """A random seed: a whole number from 0."""
    if seed < 0:
        raise InputError("--seed is a whole number from 0")
    return seed


def _is_statistics_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and is_statistics_file(source)


def completion(
    statistics: Statistics,
    columns: Sequence[str] | None,
    bands: Mapping[str, str],
    levels: Mapping[str, str],
) -> Callable[..., CompleteCounts]:
    """Completes counts of some attributes, seen as asked, with any filling; of the population where
    they are a sample. What no filling changes is worked out once.
    """
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None and not columns:
        raise InputError("no attribute was named", f"there are: {', '.join(statistics.names)}")
    twice = sorted({name for name in columns or () if list(columns or ()).count(name) > 1})
    if twice:
        raise ContradictoryOptions(f"the attribute {twice[0]!r} is named twice")
    seen = coarser(statistics, bands, levels) if bands or levels else statistics
    complete = Completion(seen, columns)

    def with_filling(filling: Filling | None = None) -> CompleteCounts:
        known = complete(filling)
        return known if seen.sample_of is None else population_of(known, seen.sample_of)

    return with_filling


def complete_counts(
    statistics: Statistics,
    columns: Sequence[str] | None,
    bands: Mapping[str, str],
    levels: Mapping[str, str],
    filling: Filling | None = None,
) -> CompleteCounts:
    """Complete counts of some attributes, seen as asked; of the population where it is a sample.

    `filling` are the counts of attributes with hidden ones, or a generator to draw by.
    """
    return completion(statistics, columns, bands, levels)(filling)


def background_counts(known: CompleteCounts, background: Statistics) -> CompleteCounts | None:
    """Other statistics of the attributes that both have; None where they have none in common."""
    shared = [name for name in known.names if name in background.names]
    return complete_counts(background, shared, {}, {}) if shared else None


def with_dependence_of(known: CompleteCounts, background: Statistics | None) -> CompleteCounts:
    """The same with the dependence of the background, where one was given."""
    behind = None if background is None else background_counts(known, background)
    return known if behind is None else with_background(known, behind)


def recoded_as(
    loaded: LoadedStatistics,
    columns: Sequence[str] | None,
    bands: Mapping[str, str],
    levels: Mapping[str, str],
) -> LoadedStatistics:
    """The same statistics seen as asked, for questions that have no options for it."""
    seen = coarser(loaded.statistics, bands, levels)
    if columns is not None:
        attributes = tuple(seen.attribute(name) for name in columns)
        pairs = tuple(pair for pair in seen.pairs if set(pair.of) <= set(columns))
        triples = tuple(triple for triple in seen.triples if set(triple.of) <= set(columns))
        shared = still_shared(seen.shared, columns, ())
        seen = replace(seen, attributes=attributes, pairs=pairs, triples=triples, shared=shared)
    return replace(loaded, statistics=seen)
