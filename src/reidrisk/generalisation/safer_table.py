"""The safer table: records at the levels chosen, without those left out; read back and measured.

Where a person is several rows (``--person``), each row is written at the levels chosen, under a new
number of the person in place of what named them: without one, rows of one person couldn't be told,
and by the old one they could be linked.

Only the columns judged are written, sensitive ones as they are, and those the user says to keep as
they are: any other column might tell more than all of them. Where a row stands for several people
(``--count``), one row is written for each tuple. The file takes its place only after it was read
again and its crowds kept the promise.

The record of a release: what `generalise -o` did to a table, in a file beside it.

`safer.csv` gets `safer.csv.reidrisk.json`: target, levels, loss, how many people were left out, and
the measures before and after. It holds no value of a record, and neither name nor hash of the
original; but the counts before, so it stays with those who hold the original and only they can
read it. The released file's own hash says which file it is about.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import ContradictoryOptions, EngineFailure, UnwritableOutput
from reidrisk.generalisation.generalised import Generalised
from reidrisk.generalisation.levelled import Levelled
from reidrisk.generalisation.record_suppression import PersonSuppression, RecordSuppression
from reidrisk.generalisation.releases import Levels, Released
from reidrisk.generalisation.target import Target
from reidrisk.hierarchies import Given
from reidrisk.input_hash import sha256_of, state_of
from reidrisk.learning import SensitiveRisk, sensitive_columns
from reidrisk.machine import Progress, no_progress
from reidrisk.output_files import (
    made_at,
    refuse_input_as_output,
    refuse_unwritable,
    table_kind,
    table_writer,
    whole_file,
)
from reidrisk.records import Table, crowd_keys, read

FORMAT = "reidrisk-release/1"
ENDING = ".reidrisk.json"
LARGEST_BYTES = 1 << 20


@dataclass(frozen=True)
class ReleaseRecord:
    """What was done to make a table safer; `told` is the file's content."""

    told: Mapping[str, Any]

    @property
    def levels(self) -> dict[str, tuple[int, int]]:
        """{column: (level, height of its hierarchy)}."""
        heights = self.told["heights"]
        return {name: (level, heights[name]) for name, level in self.told["levels"].items()}

    def before(self, name: str) -> float:
        """A measure before."""
        return float(self.told["before"][name])

    def suits(self, sha256: str | None) -> bool:
        """Whether it is about the file with this hash."""
        return sha256 is not None and self.told["sha256"] == sha256


def record_place(output: str | os.PathLike[str]) -> Path:
    """Where the record of a released file is."""
    place = Path(output)
    return place.with_name(place.name + ENDING)


def refuse_foreign_record(output: str | os.PathLike[str]) -> None:
    """A file in the record's place that is no record would be lost."""
    place = record_place(output)
    if place.is_file() and record_at(place) is None:
        raise UnwritableOutput(
            f"{place} is in the way: the record of what was done is written there",
            "name another output, or move that file",
        )
    refuse_unwritable(place)


def recorded(found: Generalised, output: str | os.PathLike[str]) -> Generalised:
    """The same answer, recorded beside the released file, readable by its owner alone."""
    files = [Path(output)]
    told = found.to_dict()
    kept = (
        "version", "engine", "seed", "target", "levels", "heights", "loss", "loss_name", "gap",
        "suppressed",
    )  # fmt: skip
    content = {
        "format": FORMAT,
        "internal": "This record holds counts of the original table: don't pass it on.",
        "made": made_at().isoformat(),
        "sha256": sha256_of(files, state_of(files)),
        **{name: told[name] for name in kept},
        "before": _plain(told["before"]),
        "after": _plain(told["after"]),
    }
    with whole_file(record_place(output), private=True) as place:
        place.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return found


def _plain(side: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in side.items() if not isinstance(value, dict)}


def record_of(table: str | os.PathLike[str]) -> ReleaseRecord | None:
    """The record beside a file; None where there is none."""
    return record_at(record_place(table))


def record_at(place: Path) -> ReleaseRecord | None:
    """What a file records; None where it isn't there or is something else."""
    try:
        if not place.is_file() or place.stat().st_size > LARGEST_BYTES:
            return None
        told = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return ReleaseRecord(told) if _is_whole(told) else None


def _is_whole(told: Any) -> bool:
    """Whether it has what a report needs of it, each of its kind."""
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return False
    objects = ("levels", "heights", "target", "suppressed", "before", "after")
    if not all(isinstance(told.get(name), dict) for name in objects):
        return False
    if not isinstance(told.get("sha256"), str):
        return False
    numbers = [*told["levels"].values(), *told["heights"].values(), *told["before"].values(),
               told["suppressed"].get("people"), told["target"].get("allowable_risk")]  # fmt: skip
    there = {"people", "overall_risk", "alone_share", "smallest_crowd"} <= told["before"].keys()
    named = isinstance(told["target"].get("measure"), str)
    same = told["levels"].keys() == told["heights"].keys()
    return there and named and same and all(_is_number(each) for each in numbers)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


Out = RecordSuppression | PersonSuppression


class Written(NamedTuple):
    """What a file was found to have: its crowds, what would be learnt of each sensitive column."""

    crowd_sizes: CrowdSizes
    learning: tuple[Mapping[str, SensitiveRisk], ...]


@dataclass(frozen=True, eq=False)
class Promise:
    """What the file has to keep: the target, at these levels."""

    target: Target
    levelled: Levelled
    levels: Levels
    release: Released
    # Draws the new numbers of persons.
    seed: int = 0
    # By which sensitive values are compared, where some were given.
    hierarchies: Given = None

    @property
    def distances(self) -> Given:
        """Those of them that are of sensitive columns."""
        if not isinstance(self.hierarchies, Mapping):
            return self.hierarchies
        sensitive = self.levelled.sensitive
        return {name: each for name, each in self.hierarchies.items() if name in sensitive}

    def texts(self, place: int) -> dict[str | None, str | None]:
        """{text as recorded: text as released} of a column."""
        name, level = self.levelled.asked.columns[place], self.levels[place]
        hierarchy = self.levelled.hierarchies[name]
        found: dict[str | None, str | None] = {
            value: hierarchy.label(value, level) for value in self.levelled.values[name]
        }
        return found | {None: hierarchy.label("", level) if level == hierarchy.height else None}


def refuse_unwritable_table(
    table: Table, target: str | os.PathLike[str], keep: Sequence[str]
) -> None:
    """What can't be written is said so before any work is done."""
    place = Path(target)
    table_kind(place)
    refuse_unwritable(place)
    refuse_input_as_output(place, table.paths)
    refuse_foreign_record(place)
    if keep and table.engine.options.count:
        raise ContradictoryOptions(
            "with --count a row is written for each tuple, which has no further columns",
            "leave --keep out",
        )


def write_safer_table(
    table: Table,
    promise: Promise,
    target: str | os.PathLike[str],
    keep: Sequence[str] = (),
    progress: Progress = no_progress,
) -> Written:
    """Write it, read it back, and return the crowds the file has."""
    place = Path(target)
    kind = table_kind(place)
    out: Out = RecordSuppression(promise.release)
    if table.engine.options.person:
        widths = zip(promise.levelled.levels, promise.levels, strict=True)
        out = PersonSuppression(
            promise.release, [one.widths[level] for one, level in widths], promise.seed
        )
    with whole_file(place, f".{kind}") as beside:
        batches = _counted(table, promise) if table.engine.options.count else None
        as_they_are = (*promise.levelled.sensitive, *keep)
        batches = batches or _records(table, promise, out, as_they_are, progress)
        first = next(batches)
        with table_writer(beside, kind, first.schema) as write:
            write(first)
            for batch in batches:
                write(batch)
        return _measured(beside, table, promise)


def _batches(
    table: Table, promise: Promise, more: Sequence[str]
) -> Iterator[tuple[pa.RecordBatch, list[_Coded], list[NDArray[np.int64]]]]:
    """The records in their order: their texts, those of the columns judged, and their labels."""
    columns = promise.levelled.asked.columns
    numbers = [_numbers(promise, place) for place in range(len(columns))]
    for batch in table.engine.texts_of_each([*columns, *more]):
        coded = [_coded(batch.column(place)) for place in range(len(columns))]
        shown = [
            np.array([number[text] for text in each.texts])[each.places]
            for each, number in zip(coded, numbers, strict=True)
        ]
        yield batch, coded, shown


def _records(
    table: Table, promise: Promise, out: Out, keep: Sequence[str], progress: Progress
) -> Iterator[pa.RecordBatch]:
    """The records in their order; of people of several rows under a number for each."""
    columns, person = promise.levelled.asked.columns, table.engine.options.person
    named = [] if person is None else [person]
    texts = [promise.texts(place) for place in range(len(columns))]
    schema = pa.schema(
        [(name, pa.int64()) for name in named] + [(name, pa.string()) for name in (*columns, *keep)]
    )
    yield pa.RecordBatch.from_pylist([], schema=schema)
    if isinstance(out, PersonSuppression):
        for batch, _, shown in _batches(table, promise, named):
            out.meet(shown, _persons(batch, out))
        out.settle()
    done = 0
    for batch, coded, shown in _batches(table, promise, [*keep, *named]):
        first: list[pa.Array] = []
        if isinstance(out, PersonSuppression):
            number = out.number_of(_persons(batch, out))
            stay = np.flatnonzero(number)
            first.append(pa.array(number[stay]))
        else:
            stay = np.flatnonzero(out.stays(shown))
        labels = [
            pa.array([label[text] for text in each.texts], pa.string()).take(
                pa.array(each.places[stay])
            )
            for each, label in zip(coded, texts, strict=True)
        ]
        kept = [
            batch.column(place).take(pa.array(stay)).cast(pa.string())
            for place in range(len(columns), len(columns) + len(keep))
        ]
        yield pa.RecordBatch.from_arrays([*first, *labels, *kept], schema=schema)
        done += batch.num_rows
        progress("records written", done, table.engine.records)


def _persons(batch: pa.RecordBatch, out: PersonSuppression) -> NDArray[np.int64]:
    """Whose each row is, by the last column."""
    # The texts of this batch alone: a dictionary may have everybody's.
    coded = _coded(batch.column(batch.num_columns - 1).cast(pa.large_string()))
    return out.places(coded.texts[:-1])[coded.places]


def _counted(table: Table, promise: Promise) -> Iterator[pa.RecordBatch]:
    """One row for each tuple, and sensitive values, with the people who stay."""
    columns, counted = promise.levelled.asked.columns, table.engine.options.count
    sensitive = promise.levelled.sensitive
    named = [(name, pa.string()) for name in (*columns, *sensitive)]
    schema = pa.schema([*named, (counted, pa.int64())])
    crowd, values, people = _cells(promise)
    held = people > 0
    arrays: list[Any] = []
    for place in range(len(columns)):
        texts, numbers = promise.texts(place), _numbers(promise, place)
        label = {number: texts[text] for text, number in numbers.items()}
        shown = promise.release.tuples.codes[place][crowd[held]].tolist()
        arrays.append(pa.array([label[number] for number in shown], pa.string()))
    for place, codes in enumerate(values):
        names = promise.levelled.learnt[0][place].labels
        arrays.append(pa.array([names[code] for code in codes[held].tolist()], pa.string()))
    arrays.append(pa.array(people[held]))
    yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cells(promise: Promise) -> tuple[Ints, Sequence[NDArray[Any]], Ints]:
    """Of each row to write its crowd, the codes of its sensitive values, and its people."""
    for learnt in promise.levelled.learnt_at(promise.levels):
        cells, people = learnt.cells(promise.release)
        return cells.codes[0], cells.codes[1:], people
    return np.arange(len(promise.release.stay)), (), promise.release.stay


def _numbers(promise: Promise, place: int) -> dict[str | None, int]:
    """{text as recorded: its label's number} of a column; the missing value comes last."""
    name, level = promise.levelled.asked.columns[place], promise.levels[place]
    codes = promise.levelled.levels[place].codes[level].tolist()
    found = dict(zip([*promise.levelled.values[name], None], codes, strict=False))
    # Where nothing is missing no row asks for it.
    return {None: 0} | found


@dataclass(frozen=True, eq=False)
class _Coded:
    """A batch's column: different texts, null last, and each row's place among them."""

    texts: list[str | None]
    places: NDArray[np.int64]


def _coded(column: Any) -> _Coded:
    held = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = held.dictionary.to_pylist()
    indices = held.indices.fill_null(len(texts))
    return _Coded([*texts, None], np.asarray(indices, dtype=np.int64))


def _measured(beside: Path, table: Table, promise: Promise) -> Written:
    """The crowds of the file, or an error where they aren't what was promised."""
    options, columns = table.engine.options, promise.levelled.asked.columns
    # As it was written: nothing about a text is to be found out anew.
    marks = {".csv": ",", ".tsv": "\t"}
    mark = marks.get(beside.suffix)
    how: dict[str, Any] = {"count": options.count, "person": options.person}
    if mark:
        how |= {"delimiter": mark, "encoding": "utf-8", "decimal": "."}
    sensitive = promise.levelled.sensitive
    again = read(beside, columns=list(columns), sensitive=sensitive, **how)
    found = again.engine.crowd_sizes(columns)
    judged, stay = promise.target.yardstick, promise.release.stay.sum()
    there = table.there or table.columns
    learnt = _learnt(again, promise, there) if sensitive else {}
    limits = promise.target.limits
    missed = [] if limits is None else [
        name for name in limits.limits for risk in learnt.values() if not limits.met(name, risk)
    ]  # fmt: skip
    if missed or judged.risky(judged.measure.value(found)) or found.people != stay:
        value = f"{judged.name} {judged.measure.value(found):.6g} and {found.people:,} people"
        raise EngineFailure(
            "the table as written doesn't keep the promise: it has "
            f"{value}{f', and misses {missed[0]}' if missed else ''}",
            "nothing was written; another format may keep the values apart (.parquet)",
        )
    return Written(found, (learnt,) if learnt else ())


def _learnt(again: Table, promise: Promise, there: Sequence[str]) -> dict[str, SensitiveRisk]:
    """What would be learnt from the file."""
    columns, sensitive = again.columns, promise.levelled.sensitive
    people = again.engine.coded_people((*columns, *sensitive))
    places = range(len(columns), len(columns) + len(sensitive))
    keys = crowd_keys(people, range(len(columns)))
    found = sensitive_columns(people, places, promise.distances, there)
    return {each.name: each.risk(each.counted(keys, people.people)) for each in found}
