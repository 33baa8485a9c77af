"""Targets: the people attacked, records or what statistics say of them, behind one face.

Drawn tables: where only statistics are known, tables to attack are drawn from their model.

The model is fitted once to all that is known; tables of n people drawn from it are counted like
records: knowing more never lowers a risk in them, which models refitted to each view don't promise.
A view's histogram is the mean over the tables; that of one attribute, or of two whose pair table
was counted, is read off the statistics, exactly.

Where it fails: tables drawn from the pairwise law have the pair counts nearly (`mending`).

Tuples: the different tuples of a table as codes, and how many people hold each.

An attack is played on these: people who share a tuple can't be told apart by anything known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk import machine
from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import ContradictoryOptions
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import TableRisk, entropy_of, envelope
from reidrisk.models import Knowledge, Model, chosen_model
from reidrisk.prediction import (
    LoadedStatistics,
    complete_counts,
    drawn_rows,
    predict,
    required_statistics,
    with_dependence_of,
)
from reidrisk.records import (
    CodedColumn,
    CodedTuples,
    Engine,
    Table,
    engine_of_codes,
    text_array,
)
from reidrisk.statistics import CompleteCounts

TABLES = 3
# A cell that isn't this close to a whole number was worked out, not counted.
WHOLE = 1e-9


@dataclass(frozen=True)
class CountedTables:
    """Tables that have the statistics given, as far as the model knows."""

    knowledge: Knowledge
    engines: tuple[Engine, ...]
    # Attributes with counts that the statistics hide: these aren't read off.
    hidden: frozenset[str] = frozenset()

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        """The histogram of a view where it is known, else its mean."""
        stated = self._stated([self.knowledge.names.index(name) for name in columns])
        if stated is not None:
            return CrowdSizes.of(stated)
        part = 1 / len(self.engines)
        return CrowdSizes.mixed((part, engine.crowd_sizes(columns)) for engine in self.engines)

    def _stated(self, places: Sequence[int]) -> NDArray[np.int64] | None:
        """People per tuple of these attributes, where the statistics count them."""
        if any(self.knowledge.names[place] in self.hidden for place in places):
            return None
        if len(places) == 1:
            return self.knowledge.counts[places[0]]
        cells = self.knowledge.pair(*places) if len(places) == 2 else None
        if cells is None or np.abs(cells - np.rint(cells)).max() > WHOLE:
            return None
        return np.rint(cells).astype(np.int64).ravel()


def counted_tables(
    known: CompleteCounts,
    model: str,
    seed: int,
    tables: int = TABLES,
    progress: Progress = no_progress,
) -> CountedTables:
    """Fit the model called `model` and draw tables of as many people as there are."""
    fitted = chosen_model(known.knowledge, model, np.random.default_rng(seed), progress).model
    streams = np.random.default_rng([seed, tables]).spawn(tables)
    engines = tuple(_drawn(fitted, known, stream) for stream in streams)
    unsure = known.names if known.read_back else known.hidden
    return CountedTables(known.knowledge, engines, frozenset(unsure))


def _drawn(model: Model, known: CompleteCounts, rng: np.random.Generator) -> Engine:
    """One table, hidden counts shared out anew."""
    knowledge = model.knowledge
    rows = drawn_rows(model, known, rng)
    columns = {}
    for place, name in enumerate(knowledge.names):
        values = len(knowledge.counts[place])
        # One number is left over for the missing value, which is one of the values here.
        codes = rows[:, place].astype(np.min_scalar_type(values + 1))
        held = np.bincount(codes, minlength=values + 1)
        columns[name] = CodedColumn(name, codes, text_array(map(str, range(values))), held)
    return engine_of_codes(columns, machine.available())


# Bands, levels, model, background: how statistics are seen.
Seen = tuple[Mapping[str, str], Mapping[str, str], str, Any]


class Targets:
    """The measures of all that is known (`view`), and where less of it is counted."""

    table: Table | None = None
    # Whether tables were drawn.
    drew = False

    def __init__(self, view: TableRisk) -> None:
        self.view = view

    @property
    def engine(self) -> Engine:
        """Records to play the attack on."""
        raise NotImplementedError

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        """The crowds of some of what is known."""
        return self.engine.crowd_sizes(columns)

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.engine.people

    @property
    def records(self) -> int:
        """How many rows have to be counted."""
        return self.engine.records

    @property
    def threads(self) -> int:
        """Cores to use."""
        return self.engine.threads


class _Counted(Targets):
    """Records at hand."""

    def __init__(self, view: TableRisk, table: Table) -> None:
        super().__init__(view)
        self.table = table

    @property
    def engine(self) -> Engine:
        assert self.table is not None
        return self.table.engine


class _Predicted(Targets):
    """Only statistics; tables are drawn once they are needed."""

    def __init__(
        self, view: TableRisk, known: CompleteCounts, model: str, seed: int, progress: Progress
    ) -> None:
        super().__init__(view)
        self._asked = (known, model, seed)
        self._progress = progress

    @cached_property
    def _drawn(self) -> CountedTables:
        known, model, seed = self._asked
        self.drew = True
        return counted_tables(known, model, seed, progress=self._progress)

    @property
    def engine(self) -> Engine:
        return self._drawn.engines[0]

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        return self._drawn.crowd_sizes(columns)


def of_table(
    table: Table, names: Sequence[str], at_crowds: tuple[int, ...], progress: Progress
) -> Targets:
    """Count the crowds of what is known."""
    counted = table.engine.crowd_sizes(names)
    about = envelope("attack", table, names)
    entropy = entropy_of(table, counted, names)
    return _Counted(TableRisk(about, counted, entropy, at_crowds), table)


def of_statistics(
    asked: LoadedStatistics,
    names: Sequence[str],
    at_crowds: tuple[int, ...],
    seen: Seen,
    seed: int,
    progress: Progress,
) -> Targets:
    """Predict the crowds of what is known."""
    bands, levels, model, background = seen
    view = predict(
        asked,
        columns=names,
        bands=bands,
        levels=levels,
        model=model,
        background=background,
        crowds=at_crowds,
        seed=seed,
        progress=progress,
    )
    behind = None if background is None else required_statistics(background).statistics
    return _Predicted(
        _called_attack(view),
        with_dependence_of(complete_counts(asked.statistics, names, bands, levels), behind),
        view.envelope.model or model,
        seed,
        progress,
    )


def _called_attack(view: TableRisk) -> TableRisk:
    return replace(view, envelope=replace(view.envelope, command="attack"))


@dataclass(frozen=True, eq=False)
class Tuples:
    """Different tuples: column j's code of each, and the people of each, at least one.

    `counts[j]` says how many people hold each code of column j; a missing value is a code too.
    """

    columns: tuple[CodedColumn, ...]
    people: Ints
    counts: tuple[Ints, ...]

    @property
    def n(self) -> int:
        """All people."""
        return int(self.ends[-1])

    @cached_property
    def ends(self) -> Ints:
        """People up to and with each tuple: person i sits in the first tuple that ends above i."""
        return np.cumsum(self.people)

    @cached_property
    def each_alone(self) -> bool:
        """Whether every tuple is held by one person."""
        return bool((self.people == 1).all())

    def __len__(self) -> int:
        return len(self.people)

    def drawn(self, people: int, rng: np.random.Generator) -> Ints:
        """The tuples of people drawn with replacement, each equally likely."""
        return np.searchsorted(self.ends, rng.integers(0, self.n, people), side="right")

    def codes_of(self, places: Ints) -> list[NDArray[Any]]:
        """Each column's codes of some tuples."""
        return [column.codes[places] for column in self.columns]


def tuples_of_codes(coded: CodedTuples) -> Tuples:
    """From tuples listed once each, with their people."""
    assert coded.people is not None
    columns = tuple(
        CodedColumn(name, codes, text_array(map(str, range(len(held)))), np.append(held, 0))
        for name, codes, held in zip(coded.columns, coded.codes, coded.held, strict=True)
    )
    return Tuples(columns, coded.people, coded.held)


def tuples_of(engine: Engine, columns: Sequence[str], what: str) -> Tuples:
    """The different tuples of records; `what` is asked of them, for the words of a refusal."""
    refuse_several_rows(engine, what)
    if engine.options.missing == "wildcard":
        raise ContradictoryOptions(
            f"{what} and --missing wildcard can't both hold",
            "an empty cell would agree with every value, so it isn't known who agrees on most; "
            "use --missing own",
        )
    return tuples_of_codes(engine.coded_tuples(columns).each_once()[0])


def refuse_several_rows(engine: Engine, what: str) -> None:
    """A person of several rows has no one tuple."""
    if engine.options.person is not None:
        raise ContradictoryOptions(
            f"{what} and --person can't both hold",
            "with --person people have several rows, and no one tuple to match; measure, search "
            "and attack --knows alone count them",
        )
