"""`learn`: what a table gives away about somebody who isn't picked out (attribute disclosure).

The risk file: of each record (or person) their crowd, and for each sensitive column C the share of
the crowd that has their value (``C_share``), whether it is certain (``C_certain``), and the chance
that it is guessed with the table, without their own record, and without the table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import Assumption, Envelope
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.hierarchies import Given, Hierarchy, given_hierarchies, level_codes
from reidrisk.learning.guesses import guessed_cells
from reidrisk.learning.sensitive_counts import SensitiveCounts, sensitive_counts, sets_of_values
from reidrisk.learning.sensitive_risk import (
    Distances,
    LearningRisk,
    SensitiveRisk,
    usual_distances,
)
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import chosen_crowds, envelope
from reidrisk.output_files import refuse_input_as_output, table_kind
from reidrisk.records import (
    CodedPeople,
    CodedPersons,
    CodedRows,
    CodedTuples,
    Reading,
    Table,
    as_table,
    refuse_reading,
    write_beside_records,
)
from reidrisk.statistics import Statistics

if TYPE_CHECKING:
    from reidrisk.learning.learning_prediction import LearningPrediction
    from reidrisk.prediction import LoadedStatistics

# Of a column with more values than this for each ten people, guesses say little.
MANY_VALUES = 0.1
FEWEST_VALUES = 20
GUESSER = Assumption(
    "attacker-guesses-commonest",
    "attacker",
    "The attacker guesses the commonest value of the person's crowd, and knows nothing else of the "
    "person.",
)
OWN_RECORD = Assumption(
    "guessed-from-others",
    "attacker",
    "Without the person's own record the attacker weighs the crowd's other people and everybody "
    "else (a Dirichlet prior, its strength by leave-one-out likelihood).",
)
EMPTY_IS_LEARNT = Assumption(
    "empty-isn't-certain",
    "table",
    "That a sensitive cell is empty counts as a value in every measure, and as certain in none.",
)


def learn(
    table: Table | Statistics | Any,
    *,
    sensitive: str | Sequence[str] | None = None,
    hierarchies: Given = None,
    recursive_l: int | None = None,
    crowds: Sequence[int] | None = None,
    risk_file: str | os.PathLike[str] | None = None,
    model: str = "auto",
    background: Any = None,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[Reading],
) -> LearningRisk | LearningPrediction:
    """What would be learnt of a sensitive column about people who aren't picked out?

    Of statistics the answer is predicted: means over tables drawn from a model of them. Further
    arguments are options of `read`, for records that aren't a `Table` yet; of statistics `columns`,
    `bands` and `levels` say which attributes may be known, and how coarsely.

    Parameters:
        table: a `Table` that was read with `sensitive`, anything `read` takes, or statistics.
        sensitive: the column, or columns, that somebody may learn; by default those that the table
            was read with.
        hierarchies: of sensitive columns, for t-closeness by a hierarchy (see `generalise`); by
            default values with an order are compared by it, others are equally far apart.
        recursive_l: the ℓ of recursive (c, ℓ)-diversity; by default the table's distinct ℓ.
        crowds: the k at which "certain in crowds of at least k" is reported.
        risk_file: a file to write with what would be learnt of each record. Its name ends in
            .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.
        model: of statistics, ``auto`` or the name of a model (see `predict`).
        background: of statistics, other statistics to take two-way tables from that these lack.
        draws: of statistics, how many tables are drawn, 20 by default.
        seed: of statistics, of the tables drawn.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> stays = {"age": [39, 39, 40, 40], "diagnosis": ["a", "a", "a", "b"]}
    >>> rr.learn(stays, columns=["age"], sensitive="diagnosis").sensitive["diagnosis"].certain
    Alone(people=2, share=0.5)
    """
    if recursive_l is not None and recursive_l < 1:
        raise InputError("--recursive-l is a whole number from 1")
    at_crowds = chosen_crowds(crowds)
    statistics = None if isinstance(table, Table) else _statistics(table)
    if statistics is not None:
        from reidrisk.learning.predicted_learning import learn_from_statistics

        seen = _seen(reading, risk_file)
        return learn_from_statistics(
            statistics, sensitive=_names(sensitive or ()), at_crowds=at_crowds, model=model,
            background=background, draws=draws, seed=seed, recursive_l=recursive_l,
            hierarchies=hierarchies, progress=progress, **seen,
        )  # fmt: skip
    _refuse_drawing(model, background, draws)
    asked = _read(table, sensitive, reading, progress)
    if risk_file is not None:
        table_kind(Path(risk_file))
        refuse_input_as_output(risk_file, asked.paths)
    wanted = asked.engine.options.sensitive if sensitive is None else _names(sensitive)
    given = _distances_given(asked, hierarchies, wanted)
    found = {}
    for done, name in enumerate(wanted):
        progress("counting sensitive values", done, len(wanted))
        counts = _counted(asked, name)
        distances = given.get(name) or usual_distances(counts)
        found[name] = SensitiveRisk(counts, distances, recursive_l, at_crowds)
    crowd_sizes = found[wanted[0]].counts.crowd_sizes
    answer = LearningRisk(_envelope(asked, found), crowd_sizes, found)
    if risk_file is not None:
        write_learnt(asked, answer, Path(risk_file))
    return answer


def _seen(reading: Mapping[str, Any], risk_file: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Which attributes of statistics may be known, and how coarsely."""
    if risk_file is not None:
        raise ContradictoryOptions("--risk-file is for records, and these are statistics")
    own = ("columns", "bands", "levels")
    refuse_reading(
        "these are statistics", {key: value for key, value in reading.items() if key not in own}
    )
    return {"columns": None} | {key: reading[key] for key in own if key in reading}


def _refuse_drawing(model: str, background: Any, draws: int | None) -> None:
    if model != "auto" or background is not None or draws is not None:
        raise ContradictoryOptions(
            "model, background and draws are for statistics, and these are records"
        )


def _statistics(source: Any) -> LoadedStatistics | None:
    """Statistics, where the source is that."""
    from reidrisk.prediction import statistics_given

    return statistics_given(source)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _counted(table: Table, name: str, each_crowd: bool = False) -> SensitiveCounts:
    places = range(len(table.columns))
    people = table.engine.coded_people((*table.columns, name))
    return sensitive_counts(people, places, len(places), table.engine.threads, each_crowd)


def _read(
    table: Any,
    sensitive: str | Sequence[str] | None,
    reading: Mapping[str, Any],
    progress: Progress,
) -> Table:
    """The records, read with their sensitive columns; some of them where only some are asked."""
    if not isinstance(table, Table):
        return _with_sensitive(as_table(table, reading, progress, sensitive=sensitive or ()))
    asked = _with_sensitive(as_table(table, reading, progress))
    if sensitive is None:
        return asked
    asked.refuse_unread(_names(sensitive))
    return asked


def _with_sensitive(table: Table) -> Table:
    options = table.engine.options
    if not options.sensitive:
        raise InputError(
            "no sensitive column is named: what may be learnt about people?",
            f"as in --sensitive diagnosis; there are: {', '.join(table.there)}",
        )
    if options.missing == "wildcard":
        raise ContradictoryOptions(
            "what a crowd gives away needs crowds, and where an empty cell matches anything there "
            "are none",
            "use --missing own",
        )
    return table


def _distances_given(table: Table, given: Given, names: Sequence[str]) -> dict[str, Distances]:
    """By the hierarchies that were given; those of other columns aren't looked at."""
    if given is None:
        return {}
    people = {name: table.engine.coded_people([name]) for name in names}
    values = {name: each.values[0].to_pylist() for name, each in people.items()}
    found = given_hierarchies(given, values, table.there)
    return {
        name: distances_by(hierarchy, people[name], values[name])
        for name, hierarchy in found.items()
    }


def distances_by(hierarchy: Hierarchy, people: CodedPeople, values: Sequence[str]) -> Distances:
    """By a hierarchy of the first column's values."""
    if isinstance(people, CodedPersons):
        raise ContradictoryOptions(
            "a person's value is a set of values, and a hierarchy has none of those",
            "leave --hierarchies out, or --person",
        )
    levels = level_codes(hierarchy, values, people.cardinalities[0]).codes
    return Distances("hierarchy", levels=levels)


def _envelope(table: Table, found: Mapping[str, SensitiveRisk]) -> Envelope:
    said = envelope("learn", table, assumptions=(GUESSER, OWN_RECORD))
    if any(each.counts.without_value for each in found.values()):
        said = replace(said, assumptions=(*said.assumptions, EMPTY_IS_LEARNT))
    told = [sentence for each in found.values() for sentence in _warnings(each.counts)]
    return replace(said, warnings=(*said.warnings, *told))


def _warnings(counts: SensitiveCounts) -> list[str]:
    """Where a column is none of which something is learnt, or not as it is."""
    name, told = counts.column, list[str]()
    if counts.values == 1:
        told.append(
            f"Everybody has the same value of {name}: who is known to be in the table is known to "
            "have it, whatever the columns."
        )
    elif counts.values == counts.n:
        told.append(
            f"Everybody has another value of {name}: it identifies people rather than being "
            "something to learn about them."
        )
    elif counts.values > max(MANY_VALUES * counts.n, FEWEST_VALUES):
        told.append(
            f"{name} has {counts.values:,} different values: whether exactly one of them is "
            f"guessed says little. Group them, as in --bands {name}=10."
        )
    if counts.without_value:
        told.append(
            f"{counts.without_value:,} of {counts.n:,} people have no value of {name}: that it is "
            "empty counts as a value of its own."
        )
    return told


def write_learnt(table: Table, answer: LearningRisk, target: Path) -> None:
    """Write what would be learnt of each record; without its values."""
    rows = table.engine.coded_rows(
        (*table.columns, *answer.sensitive), "a file of what is learnt of each record"
    )
    columns: dict[str, NDArray[Any]] = {}
    for place, name in enumerate(answer.sensitive):
        cell = cell_of_each(rows, len(table.columns), len(table.columns) + place)
        counts = _counted(table, name, each_crowd=True)
        cells = guessed_cells(counts)
        columns[f"{name}_share"] = counts.posterior[cell]
        columns[f"{name}_certain"] = np.isin(counts.crowd, counts.certain)[cell].astype(np.int8)
        columns[f"{name}_guessed"] = cells.with_table[cell]
        columns[f"{name}_guessed_without_own"] = cells.without_own[cell]
        columns[f"{name}_guessed_without"] = cells.without[cell]
    nobody = None if rows.count is None else rows.count == 0
    added = {name: pa.array(values, mask=nobody) for name, values in columns.items()}
    write_beside_records(table.engine, target, added)


def cell_of_each(rows: CodedRows, places: int, sensitive: int) -> Ints:
    """The cell that each record, or person, is counted in; 0 for who stands for nobody.

    Cells are numbered as `sensitive_counts` lists `each_crowd`: by crowd, then by value.
    """
    columns = (*rows.columns[:places], rows.columns[sensitive])
    tuples = CodedTuples.of_codes(
        [each.name for each in columns],
        [each.codes for each in columns],
        [each.cardinality for each in columns],
        rows.count,
        [each.values for each in columns],
    )
    if rows.person is None:
        keys = tuples.keys(range(places + 1)).keys
    else:
        persons = len(rows.person.values)
        every = CodedPersons(tuples, rows.person.codes.astype(np.int64), np.ones(persons, int))
        crowd = every.numbered(range(places)).numbers
        sets, labels = sets_of_values(every, places)
        keys = crowd * len(labels) + sets
    held = keys if rows.count is None else keys[rows.count > 0]
    found = np.unique(held)
    return np.minimum(np.searchsorted(found, keys), len(found) - 1)
