"""`unique_sets`: for each person the smallest knowledge that picks them out for certain.

Minimal unique sets: the attributes that suffice to be alone, and none of which can be spared.

A record is alone under a set S of attributes if nobody shares its values of S. Being alone is
passed on to every larger set, so S is minimal for a record if it is alone under S and under no S −
{i}. Going up by size, the records that some S − {i} already tells apart are left out: nobody
shares their values of S either, so the others' crowds don't change, and whoever is alone among the
rest has S as a minimal set. One sort of (key << bits | row) says who that is; or a tally, where
keys are few.

The unique sets of each record, as a file: row numbers or names, and attributes' names only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reidrisk.arrays import Ints
from reidrisk.attacks.known_attributes import USUAL_LIMIT, refuse_too_many
from reidrisk.attacks.request import chosen_names, chosen_size
from reidrisk.attacks.targets import refuse_several_rows
from reidrisk.crowds import Answer, Envelope
from reidrisk.errors import InputError
from reidrisk.machine import WORTH_SHARING, Progress, each, no_progress
from reidrisk.measurement import envelope
from reidrisk.output_files import refuse_input_as_output, table_kind, table_writer, whole_file
from reidrisk.records import (
    CodedColumn,
    CodedRows,
    Engine,
    Keys,
    ReadingBesides,
    Table,
    as_table,
    matches_of_each,
    packed,
)

Places = tuple[int, ...]
Bits = NDArray[np.uint8]
Alone = Callable[[Sequence[CodedColumn], Ints | None], Ints]
WORK = "looking for unique sets"


def minimal_sets(
    engine: Engine, columns: Sequence[str], up_to: int, progress: Progress = no_progress
) -> Iterator[tuple[Places, Ints]]:
    """(columns' places, rows from 0 that are alone), sets by size, only those somebody has."""
    coded = engine.coded_rows(columns, WHAT)
    chosen, records = coded.columns, coded.records
    wild = engine.options.missing == "wildcard" and any(column.has_missing for column in chosen)
    alone = _alone_with_gaps(coded) if wild else _alone(coded)
    known: dict[Places, Bits] = {(): np.zeros((records + 7) // 8, dtype=np.uint8)}
    done, total = [0], sum(1 for k in range(up_to) for _ in combinations(chosen, k + 1))
    threads = engine.threads if records >= WORTH_SHARING else 1
    for size in range(1, up_to + 1):

        def look(places: Places, before: dict[Places, Bits] = known) -> tuple[Ints, Bits]:
            told = [before[smaller] for smaller in combinations(places, len(places) - 1)]
            already = np.bitwise_or.reduce(told)
            rows = alone([chosen[place] for place in places], _open_rows(already, records))
            done[0] += 1
            progress(WORK, done[0], total)
            return rows, already | _bits(rows, records)

        views = list(combinations(range(len(chosen)), size))
        found = each(look, views, threads)
        known = {view: bits for view, (_, bits) in zip(views, found, strict=True)}
        yield from ((view, rows) for view, (rows, _) in zip(views, found, strict=True) if len(rows))


def _open_rows(already: Bits, records: int) -> Ints | None:
    """The rows that no smaller set tells apart; None for all."""
    if not already.any():
        return None
    return np.flatnonzero(np.unpackbits(already, count=records) == 0)


def _bits(rows: Ints, records: int) -> Bits:
    marked = np.zeros(records, dtype=bool)
    marked[rows] = True
    return np.packbits(marked)


def _alone(coded: CodedRows) -> Alone:
    """Who is alone among some rows. A row of several people is counted twice, one of nobody not."""
    everybody, several = None, None
    if coded.count is not None:
        everybody = np.flatnonzero(coded.count > 0)
        several = coded.count > 1

    def alone(columns: Sequence[CodedColumn], rows: Ints | None) -> Ints:
        if everybody is not None and several is not None:
            rows = everybody if rows is None else rows[np.asarray(coded.count)[rows] > 0]
            rows = np.concatenate([rows, rows[several[rows]]])
        if rows is not None:
            columns = [replace(column, codes=column.codes[rows]) for column in columns]
        found = _once(packed(columns, len(columns[0].codes)))
        return found if rows is None else rows[found]

    return alone


def _once(keys: Keys) -> Ints:
    """Where the keys stand that occur once, rising."""
    count = len(keys.keys)
    if keys.span <= 2 * count:
        return np.flatnonzero(np.bincount(keys.keys, minlength=keys.span)[keys.keys] == 1)
    bits = max(count - 1, 1).bit_length()
    if (keys.span - 1).bit_length() + bits > 63:
        order = np.argsort(keys.keys)
        ordered = keys.keys[order]
    else:
        # Sorting numbers with their row in the low bits is far faster than sorting places.
        both = keys.keys.astype(np.int64)
        both <<= bits
        both |= np.arange(count)
        both.sort()
        order, ordered = both & ((1 << bits) - 1), both >> bits
    differs = np.empty(count + 1, dtype=bool)
    differs[0] = differs[-1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=differs[1:-1])
    found = order[differs[1:] & differs[:-1]]
    found.sort()
    return found


def _alone_with_gaps(coded: CodedRows) -> Alone:
    """The same where an empty cell matches anything: alone is who matches nobody else."""

    def alone(columns: Sequence[CodedColumn], rows: Ints | None) -> Ints:
        matches = matches_of_each(columns, coded.count, coded.records, 1)
        is_alone = matches == 1 if coded.count is None else (matches == 1) & (coded.count == 1)
        if rows is not None:
            open_ = np.zeros(coded.records, dtype=bool)
            open_[rows] = True
            is_alone &= open_
        return np.flatnonzero(is_alone)

    return alone


USUAL_SIZE = 3
WHAT = "looking for unique sets"
View = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class UniqueSets(Answer):
    """Each record's minimal unique sets of up to `up_to` attributes.

    `found` lists the sets that somebody has, by size, with the rows (from 0) that are alone under
    them and under no part of them.
    """

    envelope: Envelope
    up_to: int
    records: int
    found: tuple[tuple[View, Ints], ...]

    @property
    def columns(self) -> View:
        """The attributes."""
        return self.envelope.input.columns

    @property
    def sets(self) -> int:
        """Minimal unique sets, all records together."""
        return sum(len(rows) for _, rows in self.found)

    @property
    def people(self) -> int:
        """Records that have at least one; a row of several people is never alone."""
        return int(np.count_nonzero(self.sets_of_each()))

    def sets_of_each(self, attribute: str | None = None) -> NDArray[np.int64]:
        """How many sets each record has, or how many with `attribute` in them."""
        many = np.zeros(self.records, dtype=np.int64)
        for view, rows in self.found:
            if attribute is None or attribute in view:
                # A set lists a row once, so this adds one to each.
                many[rows] += 1
        return many

    def smallest_of_each(self) -> NDArray[np.int64]:
        """The size of each record's smallest set; 0 where there is none."""
        size = np.zeros(self.records, dtype=np.int64)
        for view, rows in reversed(self.found):
            size[rows] = len(view)
        return size

    def of(self, row: int) -> tuple[View, ...]:
        """The minimal unique sets of one row, numbered from 1 as in the files."""
        return tuple(view for view, rows in self.found if _holds(rows, row - 1))

    def by_size(self) -> dict[int, dict[str, int]]:
        """{size: {sets, people}}: sets of that size, and people whose smallest set is of it."""
        smallest = np.bincount(self.smallest_of_each(), minlength=self.up_to + 1)
        sets = [0] * (self.up_to + 1)
        for view, rows in self.found:
            sets[len(view)] += len(rows)
        return {
            size: {"sets": sets[size], "people": int(smallest[size])}
            for size in range(1, self.up_to + 1)
        }

    def share_of_attributes(self) -> dict[str, float]:
        """Share of all sets that each attribute is in, the largest first."""
        held = dict.fromkeys(self.columns, 0)
        for view, rows in self.found:
            for name in view:
                held[name] += len(rows)
        total = max(self.sets, 1)
        return {name: held[name] / total for name in sorted(held, key=lambda name: -held[name])}

    def to_dict(self) -> dict[str, Any]:
        """As in JSON: counts only, no rows."""
        return self.envelope.to_dict() | self.figures()

    def figures(self) -> dict[str, Any]:
        """The counts alone."""
        return {
            "up_to": self.up_to,
            "sets": self.sets,
            "people": self.people,
            "by_size": {str(size): held for size, held in self.by_size().items()},
            "attributes": self.share_of_attributes(),
        }


def unique_sets(
    table: Table | Any,
    *,
    up_to: int | None = None,
    columns: Sequence[str] | None = None,
    view_limit: int = USUAL_LIMIT,
    progress: Progress = no_progress,
    **reading: Unpack[ReadingBesides],
) -> UniqueSets:
    """Each record's minimal sample uniques of up to 3 columns, or `up_to`.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        table: a `Table`, or anything `read` takes.
        up_to: the most columns in a set.
        columns: the quasi-identifiers; by default all of the table.
        view_limit: refuse more combinations of columns than this.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "m", "m"]})
    >>> rr.unique_sets(table).of(row=2)
    (('age', 'sex'),)
    """
    table = as_table(table, reading, progress, columns=columns)
    names = chosen_names(columns, table.columns)
    size = chosen_size(up_to, len(names), "--unique-up-to", USUAL_SIZE)
    refuse_too_many(len(names), size, view_limit, "--unique-up-to")
    refuse_several_rows(table.engine, WHAT)
    engine = table.engine
    found = tuple(
        (tuple(names[place] for place in places), rows)
        for places, rows in minimal_sets(engine, names, size, progress)
    )
    return UniqueSets(envelope("unique_sets", table, names), size, engine.records, found)


def _holds(rows: Ints, row: int) -> bool:
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row


BATCH = 1 << 16
BETWEEN_SETS, BETWEEN_NAMES = "; ", "+"


def write_unique_sets(
    found: UniqueSets, target: str | os.PathLike[str], *, names: Table | None = None
) -> None:
    """Write each record's minimal unique sets as a table in the order of the input.

    ``row``, or the one column of `names`, a table of the same rows; ``sets``, how many;
    ``smallest``, the size of the smallest; ``minimal_sets``, the sets themselves
    (``age+sex; age+county``); ``matters_most``, the attribute in most of them; and for each
    attribute ``share_NAME``, the share of the record's sets that it is in.

    Parameters:
        found: what `unique_sets` answered.
        target: the file to write: .parquet, .csv, .tsv, .arrow, .jsonl or .xlsx.
        names: a table of the same rows with the one column that names them.
    """
    place = Path(target)
    kind = table_kind(place)
    refuse_input_as_output(place, () if names is None else names.paths)
    first = _first_field(found, names)
    with (
        whole_file(place, private=True) as beside,
        table_writer(beside, kind, _schema(found, first)) as write,
    ):
        for batch in _batches(found, names, _schema(found, first)):
            write(batch)


def _first_field(found: UniqueSets, names: Table | None) -> tuple[str, pa.DataType]:
    if names is None:
        return "row", pa.int64()
    if len(names.columns) != 1 or names.engine.records != found.records:
        raise InputError(
            f"rows are named by one column of the same {found.records:,} rows; there are "
            f"{len(names.columns)} columns of {names.engine.records:,} rows"
        )
    return names.columns[0], pa.string()


def _schema(found: UniqueSets, first: tuple[str, pa.DataType]) -> pa.Schema:
    figures = [("sets", pa.int64()), ("smallest", pa.int64())]
    texts = [("minimal_sets", pa.string()), ("matters_most", pa.string())]
    shares = [(f"share_{name}", pa.float64()) for name in found.columns]
    return pa.schema([first, *figures, *texts, *shares])


def _batches(found: UniqueSets, names: Table | None, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Sets are sorted by row once, then told apart row by row."""
    many = found.sets_of_each()
    ends = np.concatenate([[0], np.cumsum(many)])
    rows = np.concatenate([rows for _, rows in found.found] or [np.empty(0, np.int64)])
    which = np.repeat(np.arange(len(found.found)), [len(rows) for _, rows in found.found])
    which = which[np.argsort(rows, kind="stable")]
    smallest = found.smallest_of_each()
    texts = pa.array([BETWEEN_NAMES.join(view) for view, _ in found.found], pa.string())
    member = np.array([[c in view for c in found.columns] for view, _ in found.found], dtype=bool)
    labels = _names(found.records, names)
    for start in range(0, found.records, BATCH):
        part = slice(start, min(start + BATCH, found.records))
        at = ends[part.start : part.stop + 1]
        mine = which[at[0] : at[-1]]
        nobody = many[part] == 0
        held = _held(member.reshape(len(texts), len(found.columns))[mine], at - at[0])
        most = pa.array(np.argmax(held, axis=1), mask=nobody)
        shares = held / np.maximum(many[part], 1)[:, None]
        columns = [
            labels[part.start : part.stop],
            pa.array(many[part]),
            pa.array(smallest[part], mask=nobody),
            _joined(texts.take(pa.array(mine)), at - at[0], nobody),
            pa.array(found.columns, pa.string()).take(most),
            *(pa.array(shares[:, j], mask=nobody) for j in range(len(found.columns))),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _names(records: int, names: Table | None) -> pa.Array:
    if names is None:
        return pa.array(np.arange(1, records + 1))
    read = names.engine.texts_of_each(names.columns).read_all().column(0)
    return pa.concat_arrays(
        [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in read.chunks]
    )


def _held(member: Any, ends: Any) -> Any:
    """How many of each row's sets each attribute is in; a row's sets lie between two ends."""
    running = np.zeros((len(member) + 1, member.shape[1]), dtype=np.int64)
    np.cumsum(member, axis=0, out=running[1:])
    return running[ends[1:]] - running[ends[:-1]]


def _joined(texts: pa.Array, ends: Any, nobody: Any) -> pa.Array:
    import pyarrow.compute as pc

    listed = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), texts)
    joined = pc.binary_join(listed, BETWEEN_SETS)
    return pc.if_else(pa.array(nobody), pa.scalar(None, pa.string()), joined)
