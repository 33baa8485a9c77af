"""Searchable: what is searched, a table's own tuples or tables drawn from a model of statistics.

Without records one model is fitted on all attributes and several tables of n people are drawn from
it, each from a seed of its own. Scores in a drawn table are monotone; those of models fitted anew
for each view need not be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reidrisk import machine
from reidrisk.crowds import Envelope, assumed, entropy
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.hierarchies import Given
from reidrisk.learning import SensitiveColumn, sensitive_columns
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import envelope
from reidrisk.models import checked_model, chosen_model
from reidrisk.prediction import (
    LoadedStatistics,
    Signs,
    asked_with_recoding,
    checked_seed,
    complete_counts,
    of_each_drawn,
    required_statistics,
    signs_of,
    with_dependence_of,
    with_model_error,
)
from reidrisk.records import (
    CodedPeople,
    CodedPersons,
    CodedTuples,
    Table,
    unknown_column,
)
from reidrisk.searches.counting_scorer import CountingScorer
from reidrisk.searches.lattice import Lattice
from reidrisk.searches.scorer import (
    MeanScorer,
    Scorer,
    Yardstick,
    learning_scorer,
    whole_scorer,
)
from reidrisk.statistics import CompleteCounts

DRAWS, MOST_DRAWS = 5, 1000

NOT_DRAWN = (
    "What the published numbers were before they were protected is estimated once; what that "
    "leaves open isn't in the limits."
)


@dataclass(frozen=True, eq=False)
class Searchable:
    """Tables to count views of: one that is counted, or several drawn; the most telling column
    first.
    """

    tables: tuple[CodedPeople, ...]
    # As the user named them.
    columns: tuple[str, ...]
    envelope: Envelope
    threads: int = 1
    why: str = ""
    # Of drawn tables: what is seen of how far off the model may be.
    signs: Signs | None = None
    # Of each table its sensitive columns, of those who are listed there.
    learnt: tuple[tuple[SensitiveColumn, ...], ...] = ()
    # The same tables with the codes of these columns after the others.
    with_values: tuple[CodedPeople, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in the order of the search."""
        return self.tables[0].columns

    @property
    def drawn(self) -> bool:
        """Whether they are drawn from a model."""
        return self.envelope.origin == "statistics"

    @property
    def several_rows(self) -> bool:
        """Whether a person is several rows: then their number alone parts people."""
        return any(isinstance(table, CodedPersons) for table in self.tables)

    def scorer(self, lattice: Lattice, yardstick: Yardstick) -> Scorer:
        """Count with as little as the measure needs; a mean needs values, not only verdicts."""
        if yardstick.of_learning:
            return self._learning_scorer(lattice, yardstick)
        capped = yardstick.cap is not None and (yardstick.always_exact or len(self.tables) == 1)
        each: list[Scorer] = []
        for table in self.tables:
            if capped and isinstance(table, CodedTuples):
                each.append(CountingScorer(lattice, table, yardstick, self.threads))
            else:
                each.append(whole_scorer(lattice, table, yardstick, self.threads))
        return each[0] if len(each) == 1 else MeanScorer(tuple(each))

    def _learning_scorer(self, lattice: Lattice, yardstick: Yardstick) -> Scorer:
        if not self.learnt:
            raise InputError(
                f"{yardstick.name} is about sensitive columns, and none is named: what may be "
                "learnt about people?",
                "as in --sensitive diagnosis",
            )
        each = [
            learning_scorer(lattice, table, columns, yardstick, self.threads)
            for table, columns in zip(self.tables, self.learnt, strict=True)
        ]
        return each[0] if len(each) == 1 else MeanScorer(tuple(each))

    def with_distances(self, given: Given, there: Sequence[str]) -> Searchable:
        """The same, sensitive values compared by hierarchies where some are given for them."""
        if given is None or not self.learnt:
            return self
        names = [each.name for each in self.learnt[0]]
        learnt = tuple(
            sensitive_columns(each, [each.columns.index(name) for name in names], given, there)
            for each in self.with_values
        )
        return replace(self, learnt=learnt)

    def in_order(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns in the order in which the user named them."""
        return tuple(name for name in self.columns if name in columns)


def searchable(
    source: Any,
    columns: Sequence[str] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    model: str = "auto",
    draws: int = DRAWS,
    seed: int = 0,
    background: Any = None,
    progress: Progress = no_progress,
    reading: Mapping[str, Any] | None = None,
    sensitive: Sequence[str] = (),
) -> Searchable:
    """What `source` holds, a table or statistics; drawn tables can be asked several questions.

    `sensitive` are columns beside the quasi-identifiers (`columns`), `reading` are options of
    `read`, for records that aren't a `Table` yet.
    """
    if isinstance(source, Searchable):
        return source
    if not 1 <= draws <= MOST_DRAWS:
        raise InputError(
            f"--draws {draws}: it is a whole number from 1 to {MOST_DRAWS:,}",
            "all drawn tables are held in memory, and five show most of the variation",
        )
    checked_seed(seed)
    checked_model(model)
    asked, bands, levels = asked_with_recoding(
        source, reading or {}, bands, levels, progress, columns, sensitive
    )
    if isinstance(asked, Table):
        if bands or levels or background is not None or model != "auto":
            raise ContradictoryOptions(
                "bands, levels, model and background are for statistics, and these are records",
                "recode records when you read them",
            )
        return _counted(asked, columns, sensitive_of(asked, sensitive))
    chosen = _with_sensitive(asked.statistics.names, columns, sensitive)
    known = complete_counts(asked.statistics, chosen, bands or {}, levels or {})
    behind = None if background is None else required_statistics(background).statistics
    complete = with_dependence_of(known, behind)
    return _drawn(asked, complete, model, draws, seed, progress, sensitive)


def sensitive_of(table: Table, asked: Sequence[str]) -> tuple[str, ...]:
    """The sensitive columns asked for; by default those that the table was read with."""
    table.refuse_unread(asked)
    return tuple(asked) or table.engine.options.sensitive


def _with_sensitive(
    there: Sequence[str], columns: Sequence[str] | None, sensitive: Sequence[str]
) -> Sequence[str] | None:
    """Quasi-identifiers of statistics, then sensitive attributes; None for all without these."""
    if not sensitive:
        return columns
    for name in sensitive:
        if name not in there:
            raise InputError(
                f"the statistics say nothing of {name!r}, so what is learnt of it isn't known",
                f"there are: {', '.join(there)}",
            )
        if name in (columns or ()):
            raise ContradictoryOptions(
                f"{name!r} can't be a quasi-identifier and sensitive: whoever knows it has nothing "
                "to learn"
            )
    known = columns or [name for name in there if name not in sensitive]
    return [*known, *sensitive]


def _counted(
    table: Table, columns: Sequence[str] | None, sensitive: Sequence[str] = ()
) -> Searchable:
    options = table.engine.options
    if options.missing == "wildcard":
        raise ContradictoryOptions(
            "a search counts crowds, and where an empty cell matches anything there are none",
            "use --missing own",
        )
    names = tuple(table.columns if columns is None else columns)
    for name in names:
        if name not in table.columns:
            raise unknown_column(name, table.columns)
    if not names:
        raise InputError("no attribute was named", f"there are: {', '.join(table.columns)}")
    people = table.engine.coded_people((*names, *sensitive))
    threads = getattr(table.engine, "threads", 1)
    places = range(len(names))
    learnt = sensitive_columns(people, range(len(names), len(names) + len(sensitive)))
    return Searchable(
        (_most_telling_first(people.of(places)),),
        names,
        envelope("search", table, names),
        threads,
        learnt=(learnt,) if sensitive else (),
        with_values=(people,) if sensitive else (),
    )


def _drawn(
    asked: LoadedStatistics,
    known: CompleteCounts,
    model: str,
    draws: int,
    seed: int,
    progress: Progress,
    sensitive: Sequence[str] = (),
) -> Searchable:
    chosen = chosen_model(known.knowledge, model, np.random.default_rng(seed), progress)
    seeds = [(seed, draw) for draw in range(draws)]
    tables = of_each_drawn(chosen.model, known, seeds, lambda table: table, progress)
    names = tuple(name for name in known.names if name not in sensitive)
    first = _most_telling_first(tables[0].of([tables[0].columns.index(name) for name in names]))
    places = [tables[0].columns.index(name) for name in first.columns]
    said = assumed(
        "drawn-tables",
        "model",
        (
            f"The model is fitted once on all {len(known.names)} attributes; {draws} table"
            f"{'s of' if draws != 1 else ' of'} {known.knowledge.n:,} people drawn from it "
            f"{'are' if draws != 1 else 'is'} searched, figures are their means.",
            *(["In each table hidden counts are shared out another way."] if known.hidden else []),
            *([NOT_DRAWN] if known.read_back else []),
        ),
    )
    about = asked.envelope(
        "search",
        names,
        chosen.model.name,
        (*chosen.model.assumptions, *said, with_model_error(), *known.assumptions),
        seed=seed,
    )
    drawn = (first, *(table.of(places) for table in tables[1:]))
    signs = signs_of(known, chosen.model.name, ())
    held = [tables[0].columns.index(name) for name in sensitive]
    return Searchable(
        drawn,
        names,
        about,
        machine.available(),
        chosen.why,
        signs,
        tuple(sensitive_columns(table, held) for table in tables) if sensitive else (),
        tuple(tables) if sensitive else (),
    )


def _most_telling_first(people: CodedPeople) -> CodedPeople:
    """By falling entropy: what is left for later attributes splits little, and bounds more."""
    places = range(len(people.columns))
    return people.of(sorted(places, key=lambda place: (-entropy(people.held[place]), place)))
