"""`measure`: crowd sizes counted from records, and every measure of them.

The risk file: each record's (or person's) crowd and risk, in the order of the input.

Standing out: of the people who hold a value, how many are alone.

With T the tuples of a table and p_t people in each, value v of an attribute is held by
h_v = Σ_{t: v} p_t people, of whom a_v = #{t: v, p_t = 1} are alone; a_v / h_v is the share told.

Where it fails: of a value that few people hold nearly all are alone, which says more about the few
than about the value. So values held by fewer than `fewest` people are only counted, not listed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import (
    Assumption,
    CrowdSizes,
    Envelope,
    Input,
    InputHash,
    assumed,
    named,
)
from reidrisk.errors import ContradictoryOptions
from reidrisk.measurement.table_risk import Entropy, TableRisk, chosen_crowds
from reidrisk.models import experience_entropy, random_entropy
from reidrisk.output_files import refuse_input_as_output, table_kind
from reidrisk.records import CodedTuples, Reading, Recoding, Table, as_table
from reidrisk.statistics import (
    Dependence,
    all_dependences,
    defined_for,
    dependence_of_groups,
    shown_by_default,
)


def measure(
    table: Table | Any,
    *,
    crowds: Sequence[int] | None = None,
    dependence: bool | str | None = None,
    **reading: Unpack[Reading],
) -> TableRisk:
    """Count the crowds of the quasi-identifiers: who is alone, k, the risks.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        table: a `Table`, or anything `read` takes.
        crowds: the k at which "in crowds of at least k" is reported.
        dependence: measured by default up to 12 columns and a million rows; True and False say so,
            ``"a,b:c"`` asks how far a and b depend on c.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.measure(table).alone.people
    1
    """
    at_crowds = chosen_crowds(crowds)
    table = as_table(table, reading)
    counted = table.engine.crowd_sizes()
    return TableRisk(
        envelope=envelope("measure", table),
        crowd_sizes=counted,
        entropy=entropy_of(table, counted),
        at_crowds=at_crowds,
        dependence=_dependence(table, dependence),
    )


def _dependence(table: Table, asked: bool | str | None) -> tuple[Dependence, ...] | None:
    if isinstance(asked, str):
        return (dependence_of_groups(table, asked),)
    wanted = shown_by_default(table) if asked is None else asked and defined_for(table)
    return all_dependences(table) if wanted else None


def envelope(
    command: str,
    table: Table,
    columns: Sequence[str] | None = None,
    assumptions: Sequence[Assumption] = (),
) -> Envelope:
    """What an answer from records says of itself; `columns` where it concerns only some."""
    seen = table.columns if columns is None else tuple(columns)
    return Envelope(
        command=command,
        origin="records",
        input=Input(
            table.people,
            seen,
            InputHash(table.paths, table.when_read, None if table.when_read else table.sha256),
            named(table.paths, table.format),
            table.notes,
            table.unit,
        ),
        missing=table.engine.options.missing,
        engine=table.engine.name,
        assumptions=(*_assumptions(table), *assumptions),
        warnings=table.warnings,
    )


def entropy_of(table: Table, counted: CrowdSizes, columns: Sequence[str] | None = None) -> Entropy:
    """The four entropies of a view that was counted; of all columns by default."""
    people = int(counted.people)
    maximum = math.log2(people)
    options = table.engine.options
    if options.person or counted.kind == "matched":
        # Rows of a person, and records that match several crowds, have no product law.
        return Entropy(maximum, None, None, counted.table_entropy)
    counts = [table.engine.value_counts(name) for name in columns or table.columns]
    return Entropy(
        maximum, experience_entropy(counts), random_entropy(counts, people), counted.table_entropy
    )


EVERYONE = Assumption(
    "table-is-everyone",
    "table",
    "The table is everyone: a crowd is counted among these people only.",
)
EXACT_KNOWLEDGE = Assumption(
    "attacker-without-error",
    "attacker",
    "The attacker knows exactly these columns of the person, without error, and knows that the "
    "person is in the table.",
)
EMPTY_IS_A_VALUE = Assumption(
    "empty-is-a-value", "table", "An empty cell is a value of its own.", ("empty-matches-anything",)
)
EMPTY_MATCHES = Assumption(
    "empty-matches-anything",
    "table",
    "An empty cell matches anything, so a person's crowd is the number of records that agree with "
    "theirs; there are no common crowds.",
    ("empty-is-a-value",),
)


def seen_coarser(coarser: Mapping[str, Recoding]) -> tuple[Assumption, ...]:
    """How coarsely columns are seen, one for each."""
    said = (f"{name} is seen {how.describe()}." for name, how in coarser.items())
    return assumed("seen-coarser", "table", said)


def _unit_of(table: Table) -> tuple[Assumption, ...]:
    """What a row stands for, where that was stated."""
    options = table.engine.options
    if options.count:
        said = f"A row stands for as many people as {options.count} says."
        return assumed("rows-are-counts", "table", [said])
    if options.person:
        said = (
            f"A person ({options.person}) is described by all their rows: two people share a crowd "
            "if they have the same rows, each as often."
        )
        return assumed("persons-of-rows", "table", [said])
    stated = table.unit.stated and table.unit.kind == "row"
    return assumed("rows-are-people", "table", ["Each row is one person, as stated."] * stated)


def _assumptions(table: Table) -> tuple[Assumption, ...]:
    options = table.engine.options
    empty = EMPTY_MATCHES if options.missing == "wildcard" else EMPTY_IS_A_VALUE
    weights = [
        f"The weights in {options.weight} add up to {table.engine.weight_total:,.0f} people; they "
        "are kept for population estimates and don't change these figures."
    ] if options.weight else []  # fmt: skip
    return (
        EVERYONE,
        EXACT_KNOWLEDGE,
        empty,
        *seen_coarser(options.recoding),
        *_unit_of(table),
        *assumed("weights-unused", "table", weights),
    )


def write_risk_file(
    table: Table,
    target: str | os.PathLike[str],
    *,
    crowds: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
) -> None:
    """Write ``row`` (``person``, the key), ``crowd``, ``risk`` = 1/crowd as Parquet or CSV.

    The crowd is that of the `columns`, all quasi-identifiers by default.
    With `crowds`, also ``k2``, ``k5`` …: 1 where the crowd has at least that many people.
    A row that stands for nobody and meets nobody has no risk. A cluster writes a folder of files.

    Parameters:
        table: read by `read`.
        target: the file to write: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.
        crowds: also columns ``k2``, ``k5`` …: 1 where the crowd has at least that many people.
        columns: the quasi-identifiers; by default all of the table.
    """
    place = Path(target)
    kind = table_kind(place)
    refuse_input_as_output(place, table.paths)
    table.engine.write_crowds(os.fspath(target), kind, crowds or (), columns)


@dataclass(frozen=True)
class HeldValue:
    """A value (None: the empty cell), the people who hold it, and how many of them are alone."""

    column: str
    value: str | None
    people: int
    alone: int

    @property
    def alone_share(self) -> float:
        """a_v / h_v."""
        return self.alone / self.people


@dataclass(frozen=True)
class StandingOut:
    """The values whose holders are most often alone, and how many values one person holds alone."""

    values: tuple[HeldValue, ...]
    fewest: int
    # {column: values that only one person holds}.
    held_once: dict[str, int]


def standing_out(table: Table, fewest: int | None = None, most: int = 10) -> StandingOut:
    """The `most` values, at most a third of one column, whose holders are most often alone.

    By default values count that one in a thousand people hold, and 20 at least.
    """
    fewest = max(20, table.people // 1000) if fewest is None else fewest
    options = table.engine.options
    if options.person is not None or options.missing == "wildcard":
        raise ContradictoryOptions(
            "this counts combinations of values, which --person and --missing wildcard don't have"
        )
    tuples, held = table.engine.coded_tuples(table.columns).each_once()
    listed: list[HeldValue] = []
    once = {}
    for place, name in enumerate(tuples.columns):
        people, alone = tuples.held[place], _alone(tuples, held, place)
        once[name] = int(np.count_nonzero(people == 1))
        texts = tuples.values[place]
        for code in np.flatnonzero((people >= fewest) & (alone > 0)).tolist():
            value = texts[code].as_py() if code < len(texts) else None
            listed.append(HeldValue(name, value, int(people[code]), int(alone[code])))
    listed.sort(key=lambda each: (-each.alone_share, -each.people))
    return StandingOut(tuple(_mixed(listed, most)), fewest, once)


def _alone(tuples: CodedTuples, people: Ints, place: int) -> Ints:
    """People alone, by value; the empty cell last."""
    return np.bincount(tuples.codes[place][people == 1], minlength=len(tuples.held[place]))


def _mixed(listed: list[HeldValue], most: int) -> list[HeldValue]:
    """No column takes more than a third of the room: fifty postcodes would say one thing."""
    room = max(most // 3, 1)
    taken: dict[str, int] = {}
    chosen: list[HeldValue] = []
    for each in listed:
        if taken.get(each.column, 0) < room and len(chosen) < most:
            taken[each.column] = taken.get(each.column, 0) + 1
            chosen.append(each)
    return chosen
