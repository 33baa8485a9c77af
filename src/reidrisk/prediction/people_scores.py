"""`people`: a whole file of people scored against statistics, a row each.

Value places: many records' texts become places among an attribute's values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.crowds import Answer, Assumption, Envelope, Input, InputHash
from reidrisk.errors import InputError
from reidrisk.laws import Given, different_rows
from reidrisk.machine import Progress, no_progress
from reidrisk.measurement import chosen_crowds
from reidrisk.models import AUTO
from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.prediction.person_values import values_matched
from reidrisk.prediction.questions import LoadedStatistics, complete_counts, statistics_or_table
from reidrisk.prediction.scoring import checked, model_chosen, person_model, scored
from reidrisk.records import Table, read
from reidrisk.statistics import CompleteAttribute, CompleteCounts, KnownValues

NOWHERE = -1


class ValuePlaces:
    """Looks each different text up once; a text that isn't listed has no place (−1).

    Where values are merged into other it is one of them. Under `member` and `paper` a value that
    nobody holds has no place either: nobody with it is in the table.
    """

    def __init__(self, attribute: CompleteAttribute, given: Given) -> None:
        self.attribute = attribute
        self._empty_seen = False
        self._nobody = given != "unknown"
        self._dictionary: tuple[tuple[int, ...], Ints, Any] | None = None
        self.place = cache(self._looked_up)
        self.forgiven = self.in_other = self.unlisted = self.without = 0

    def of(self, column: Any) -> Ints:
        """The place of each record's text."""
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        places = np.append(self._places(coded.dictionary), self.place(None))
        indices = coded.indices
        missing = len(coded.dictionary)
        self._empty_seen |= coded.null_count > 0
        if coded.null_count:
            indices = indices.cast(pa.int64()).fill_null(missing)
        found: Ints = places[indices.to_numpy(zero_copy_only=False)]
        return found

    def _places(self, dictionary: Any) -> Ints:
        # The same dictionary comes with every batch, each time as another object.
        which = len(dictionary), *(held.address for held in dictionary.buffers() if held)
        if self._dictionary is None or self._dictionary[0] != which:
            texts = dictionary.to_pylist()
            found = np.array([self.place(text) for text in texts], dtype=np.int64)
            # Held on to, so that no other dictionary can come to lie where it was.
            self._dictionary = (which, found, dictionary)
        return self._dictionary[1]

    def _looked_up(self, text: str | None) -> int:
        at = self._found(text)
        if at != NOWHERE and self._nobody and not self.attribute.expected_counts[at]:
            at = NOWHERE
        self.unlisted += at == NOWHERE and text is not None
        self.without += at == NOWHERE and text is None
        return at

    def _found(self, text: str | None) -> int:
        attribute = self.attribute
        if text is None:
            return attribute.place.get(None, NOWHERE)
        match = attribute.known.match(text)
        if match is not None:
            self.forgiven += match.how != "exact"
            return attribute.place[match.value]
        self.in_other += bool(attribute.in_other)
        return len(attribute.values) if attribute.in_other else NOWHERE

    def said(self) -> list[str]:
        """Sentences with numbers, no values."""
        name, notes = self.attribute.name, []
        if self.forgiven:
            notes.append(f"{name}: {self.forgiven:,} values were matched by spelling or band.")
        if self.in_other:
            notes.append(
                f"{name}: {self.in_other:,} values that aren't listed are taken as values merged "
                "into other."
            )
        if self.unlisted:
            notes.append(
                f"{name}: {self.unlisted:,} values aren't listed; their rows are left empty."
            )
        if self.without and self._empty_seen:
            notes.append(
                f"{name}: everybody in the statistics has a value; rows without one are left empty."
            )
        return notes


# Rows scored at a time: equal tuples among them are scored once.
BLOCK = 2_000_000
# Different tuples scored before progress is told, at first; more where that took no time.
FEW_TUPLES, NO_TIME = 512, 0.2
WORK = "scoring people"


@dataclass(frozen=True, eq=False)
class PeopleScored(Answer):
    """The answer of `people`: what was written, how many rows, how many without an answer."""

    envelope: Envelope
    given: Given
    rows: int
    without_answer: int
    written: str

    @property
    def people(self) -> int:
        """How many people the statistics are about."""
        return self.envelope.input.people

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that records and statistics have in common."""
        return self.envelope.input.columns

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the figures rest on."""
        return self.envelope.assumptions

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to mind."""
        return self.envelope.warnings

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "given": self.given,
            "rows": self.rows,
            "without_answer": self.without_answer,
            "attributes": list(self.attributes),
            "written": self.written,
        }


def people(
    statistics: Any,
    records: Any,
    path: str | os.PathLike[str],
    *,
    given: Given = "member",
    crowds: Sequence[int] | None = None,
    model: str = AUTO,
    key: str | None = None,
    progress: Progress = no_progress,
) -> PeopleScored:
    """Score each record: its expected crowd, risk and P(crowd ≥ k), written as a table.

    The records' columns that the statistics know are used. A value that the statistics don't list
    leaves the row without an answer.

    Parameters:
        statistics: an object, a file, or several files.
        records: a `Table`, or anything `read` takes.
        path: the file to write: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.
        given: what is known of each person, as in `person`.
        crowds: the k of P(crowd ≥ k).
        model: how pair tables are used: along a ``tree``, all of them (``pairwise``), as
            ``groups`` of strongly dependent values, as one such ``pair``, in the ``paper``'s form,
            or not at all (``independent``); ``auto`` takes the tree where there are pair tables.
        key: the column that names the rows, which are numbered from 1 otherwise.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    checked(given, model)
    ks = chosen_crowds(crowds)
    kind = table_kind(Path(path))
    loaded = statistics_or_table(statistics)
    if isinstance(loaded, Table):
        raise InputError("people are scored against statistics", "make them with `publish`")
    table = records if isinstance(records, Table) else read(records)
    column_of = _common(loaded, table, key)
    known = complete_counts(loaded.statistics, list(column_of), {}, {})
    scoring = _Scoring(known, column_of, ks, given, model)
    scoring.tell = lambda done: progress(WORK, done, table.engine.records)
    taken = [*dict.fromkeys([*column_of.values(), *([key] if key else [])])]
    with (
        whole_file(path, private=True) as beside,
        table_writer(beside, kind, scoring.schema(key)) as write,
    ):
        for batch in scoring.batches(table.engine.texts_of_each(taken), key):
            write(batch)
    about = Envelope(
        "people",
        "statistics",
        Input(known.records, tuple(column_of), _hash_of(loaded, table), loaded.named),
        "own",
        table.engine.name,
        model=scoring.chosen.model.name,
        assumptions=(
            *model_chosen(scoring.chosen),
            *known.assumptions,
            *values_matched(scoring.said()),
        ),
        warnings=(*filter(None, [table.unit.warning]), *known.warnings, *table.warnings),
    )
    return PeopleScored(about, given, scoring.rows, scoring.without_answer, os.fspath(path))


def _hash_of(loaded: LoadedStatistics, table: Table) -> InputHash:
    """Of the statistics' files and the records' after them."""
    return InputHash((*loaded.paths, *table.paths), (*loaded.when_read, *table.when_read))


def _common(loaded: LoadedStatistics, table: Table, key: str | None) -> dict[str, str]:
    """The records' column for each attribute that both know, matched as values are."""
    if key is not None and key not in table.columns:
        listed = ", ".join(table.columns)
        raise InputError(f"there is no column {key!r} to name the rows by", f"there are: {listed}")
    names = KnownValues(loaded.statistics.names)
    column_of = {}
    for column in table.columns:
        match = names.match(column)
        if match is not None and column != key:
            column_of[match.value] = column
    if not column_of:
        raise InputError(
            "the records and the statistics have no attribute in common",
            f"the statistics know: {', '.join(loaded.statistics.names)}",
        )
    return {name: column_of[name] for name in loaded.statistics.names if name in column_of}


class _Scoring:
    """Records come in batches; they are scored in larger blocks and leave as batches."""

    def __init__(
        self,
        known: CompleteCounts,
        column_of: Mapping[str, str],
        ks: Sequence[int],
        given: Given,
        model: str,
    ) -> None:
        self.known, self.ks, self.given = known, ks, given
        self.chosen = person_model(known, model)
        self.places = [ValuePlaces(each, given) for each in known.attributes]
        self.columns = [column_of[name] for name in known.names]
        self.rows = self.without_answer = 0
        self.tell: Callable[[int], None] = lambda done: None

    def schema(self, key: str | None) -> pa.Schema:
        """row or key, expected_crowd, risk, k2 …"""
        first = (key, pa.string()) if key else ("row", pa.int64())
        figures = ["expected_crowd", "risk", *(f"k{k}" for k in self.ks)]
        return pa.schema([first, *((name, pa.float64()) for name in figures)])

    def batches(self, reader: pa.RecordBatchReader, key: str | None) -> Iterator[pa.RecordBatch]:
        """Score block after block."""
        waiting: list[tuple[NDArray[np.int64], pa.Array]] = []
        for batch in reader:
            codes = np.stack(
                [
                    places.of(batch.column(column))
                    for places, column in zip(self.places, self.columns, strict=True)
                ],
                axis=1,
            )
            start = self.rows + 1
            self.rows += len(batch)
            names = _texts(batch.column(key)) if key else pa.array(np.arange(start, self.rows + 1))
            waiting.append((codes, names))
            if sum(len(held) for held, _ in waiting) >= BLOCK:
                yield self._block(waiting, key)
                waiting = []
        if waiting:
            yield self._block(waiting, key)

    def _block(
        self, waiting: list[tuple[NDArray[np.int64], pa.Array]], key: str | None
    ) -> pa.RecordBatch:
        codes = np.concatenate([held for held, _ in waiting])
        names = pa.concat_arrays([held for _, held in waiting])
        answered = (codes != NOWHERE).all(axis=1)
        self.without_answer += int(np.count_nonzero(~answered))
        figures = np.full((len(codes), 2 + len(self.ks)), np.nan)
        if answered.any():
            figures[answered] = self._figures(codes[answered])
        self.tell(self.rows)
        gaps = None if answered.all() else ~answered
        columns = [pa.array(figures[:, at], mask=gaps) for at in range(figures.shape[1])]
        return pa.record_batch([names, *columns], schema=self.schema(key))

    def _figures(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """A law for each different tuple, so many at a time that progress can be told."""
        chosen, which = different_rows(codes)
        different, before = codes[chosen], self.rows - len(codes)
        figures = np.empty((len(different), 2 + len(self.ks)))
        begin, some = 0, FEW_TUPLES
        while begin < len(different):
            began, part = monotonic(), slice(begin, begin + some)
            model = self.chosen.model
            crowds = scored(self.known, different[part], self.ks, self.given, model).crowds
            figures[part] = np.column_stack([crowds.expected, crowds.risk, crowds.at_least])
            begin = min(begin + some, len(different))
            self.tell(before + len(codes) * begin // len(different))
            some *= 2 if monotonic() - began < NO_TIME else 1
        return figures[which]

    def said(self) -> list[str]:
        """What was forgiven or assumed about values, without naming any."""
        return [sentence for places in self.places for sentence in places.said()]


def _texts(column: Any) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
