"""The engine's questions as SQL text: pure functions of a relation, its columns and a dialect.

`table` is a relation, a name or a SELECT in brackets with one, whose columns hold text forms or
NULL for the empty cell, under names that need no quotes (c0, c1 …); `people` is the sum that counts
people: rows, or what they stand for. GROUP BY keeps NULL as one group, which is what an empty
cell as a value of its own means; tuples are grouped by column, so they never collide.

The one text form of a value (`text_form`), said in SQL.

For columns of so many values that they can't be labelled one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from reidrisk.errors import ContradictoryOptions
from reidrisk.records.sql.dialects import DUCKDB, Dialect, spaces_trimmed
from reidrisk.records.text_forms import DAY, MOMENT_PATTERN, TIME_PATTERN, WHOLE_PATTERN

PEOPLE = "reidrisk_people"
PERSON = "reidrisk_person"
ROW = "reidrisk_row"
KEY = "reidrisk_key"
CROWD = "crowd"


def listed(columns: Sequence[str]) -> str:
    """Columns behind commas."""
    return ", ".join(columns)


def crowd_sizes(table: str, columns: Sequence[str], people: str) -> str:
    """(size, crowds): group by the view's columns, then by the size found."""
    return sizes_of(f"SELECT {people} AS size FROM {table} GROUP BY {listed(columns)}")


def sizes_of(sizes: str) -> str:
    """(size, crowds) of a query that gives a size for each crowd."""
    return (
        f"SELECT size, count(*) AS crowds FROM ({sizes}) AS crowd "
        f"WHERE size > 0 GROUP BY size ORDER BY size"
    )


def crowd_sizes_of_persons(table: str, columns: Sequence[str], how: Dialect) -> str:
    """The same where a person is the multiset of their rows."""
    persons = rows_of_persons(table, columns, how)
    return sizes_of(f"SELECT count(*) AS size FROM ({persons}) AS person GROUP BY held")


def rows_of_persons(table: str, columns: Sequence[str], how: Dialect) -> str:
    """(person, held): each person's rows as one text, their keys in order.

    A key says where its values end, so no two multisets have the same text.
    """
    held = _sorted_texts(how)(tuple_key(columns, how), False)
    return f"SELECT {PERSON}, {held} AS held FROM {table} GROUP BY {PERSON}"


def _sorted_texts(how: Dialect) -> Callable[[str, bool], str]:
    if how.sorted_texts is None:
        raise ContradictoryOptions(
            f"people of several rows can't be counted in a database of this kind ({how.name})",
            "export the columns and --person's to a file, if they may leave, and count that",
        )
    return how.sorted_texts


def people_by_rows(table: str, columns: Sequence[str], how: Dialect) -> str:
    """(held, people): how many people have the same rows."""
    people = how.cast_to_whole("count(*)")
    persons = rows_of_persons(table, columns, how)
    return f"SELECT held, {people} AS {PEOPLE} FROM ({persons}) AS person GROUP BY held"


def described_persons(table: str, columns: Sequence[str], how: Dialect) -> str:
    """(the columns): a row a person; a value is the set of their rows' values.

    Its different keys in order behind a mark that no text form changes; NULL where the empty cell
    is the only one.
    """
    joined = _sorted_texts(how)
    sets = [(column, joined(tuple_key([column], how), True)) for column in columns]
    taken = [f"NULLIF('=' || {held}, '=-') AS {column}" for column, held in sets]
    return f"SELECT {listed(taken or ['1 AS anything'])} FROM {table} GROUP BY {PERSON}"


def crowd_of_each_person(table: str, columns: Sequence[str], how: Dialect) -> str:
    """(person, crowd)."""
    return (
        f"SELECT {PERSON}, count(*) OVER (PARTITION BY held) AS {CROWD} "
        f"FROM ({rows_of_persons(table, columns, how)}) AS person"
    )


def tuple_key(columns: Sequence[str], how: Dialect) -> str:
    """A tuple as one text: the length and text of each value, a dash for the empty cell.

    No two tuples have the same key: the lengths say where a value ends.
    """
    texts = [how.cast_to_text(column) for column in columns]
    parts = [
        f"coalesce({how.cast_to_text(f'length({text})')} || ':' || {text}, '-')" for text in texts
    ]
    return "(" + " || ".join(parts) + ")"


def key_of(values: Sequence[str | None]) -> str:
    """The same key, worked out here."""
    return "".join("-" if value is None else f"{len(value)}:{value}" for value in values)


def rows_of(keys: str, columns: int) -> list[tuple[str | None, ...]]:
    """The rows behind keys that were joined with nothing between them."""
    values = list(_values_of(keys))
    return list(zip(*(values[place::columns] for place in range(columns)), strict=True))


def _values_of(keys: str) -> Iterator[str | None]:
    at = 0
    while at < len(keys):
        if keys[at] == "-":
            at += 1
            yield None
            continue
        colon = keys.index(":", at)
        at = colon + 1 + int(keys[at:colon])
        yield keys[colon + 1 : at]


def marginal(table: str, column: str, people: str) -> str:
    """(value, people) of one column; `people` is the sum to take."""
    return f"SELECT {column} AS value, {people} AS people FROM {table} GROUP BY {column}"


def value_counts(table: str, column: str, people: str) -> str:
    """(people, values): how many values so many people hold."""
    return (
        f"SELECT people, count(*) AS held FROM ({marginal(table, column, people)}) AS value "
        f"WHERE people > 0 GROUP BY people"
    )


def sizes_of_tuples(tuples: str) -> str:
    """(size, crowds) of a relation that counts people per tuple."""
    return sizes_of(f"SELECT {PEOPLE} AS size FROM ({tuples}) AS tuple")


def crowd_of_each(table: str, named: str, columns: Sequence[str], sum_of: str, how: Dialect) -> str:
    """(what names the row, crowd). A window, not a join: a join drops NULL keys."""
    over = how.cast_to_whole(f"{sum_of} OVER (PARTITION BY {listed(columns)})")
    return f"SELECT {named}, {over} AS {CROWD} FROM {table}"


def looked_up_crowd_of_each(
    table: str, named: str, columns: Sequence[str], crowds: str, how: Dialect
) -> str:
    """The same where crowds were worked out tuple by tuple: `crowds` is (value, label) by key."""
    crowd = how.cast_to_whole("crowds.label")
    return (
        f"SELECT {named}, {crowd} AS {CROWD} FROM {table} "
        f"JOIN {crowds} AS crowds ON {tuple_key(columns, how)} = crowds.value"
    )


def distinct_tuples(table: str, columns: Sequence[str], people: str) -> str:
    """(the columns, people): each tuple once."""
    return f"SELECT {listed(columns)}, {people} AS {PEOPLE} FROM {table} GROUP BY {listed(columns)}"


def some_gap(table: str, columns: Sequence[str], people: str) -> str:
    """How many of the people have an empty cell: `people` sums them up."""
    empty = " OR ".join(f"{column} IS NULL" for column in columns)
    return f"SELECT {people} FROM {table} WHERE {empty}"


def people_with(
    table: str, values: Mapping[str, str | None], people: str, wild: bool, how: Dialect
) -> str:
    """How many people agree with these values; `wild`: an empty cell agrees with anything."""
    agree = [_agrees(column, value, wild, how) for column, value in values.items()]
    return f"SELECT {people} FROM {table} WHERE {' AND '.join(agree) or '1 = 1'}"


def _agrees(column: str, value: str | None, wild: bool, how: Dialect) -> str:
    if value is None:
        return "1 = 1" if wild else f"{column} IS NULL"
    same = f"{how.cast_to_text(column)} = {how.literal(value)}"
    return f"({same} OR {column} IS NULL)" if wild else same


def sample(table: str, columns: Sequence[str], seed: int, how: Dialect) -> str:
    """(the columns, hashed): every record with its hash; those of the lowest hashes are drawn.

    A record's hash is the MD5 of the seed, its place among the records of its tuple, and its
    tuple: the same in every engine, in whatever order the records lie.
    """
    chosen = listed(columns)
    copies = (
        f"SELECT {chosen}, row_number() OVER (PARTITION BY {chosen} ORDER BY {columns[0]}) AS copy "
        f"FROM {table}"
    )
    copy = how.cast_to_text("copy")
    hashed = f"md5('{seed}:' || {copy} || ':' || {tuple_key(columns, how)})"
    return f"SELECT {chosen}, {hashed} AS hashed FROM ({copies}) AS copies"


def hash_of(seed: int, copy: int, key: str) -> str:
    """The same hash, worked out here."""
    import hashlib

    text = f"{seed}:{copy}:{key}".encode("utf-8", "surrogatepass")
    return hashlib.md5(text, usedforsecurity=False).hexdigest()


def sql_text_form(column: str, kind: str, dialect: Dialect = DUCKDB) -> str:
    """SQL that gives the one text form of `column` (quoted already), NULL for the empty cell.

    `kind` is what the engine stores: text, whole, boolean, fraction, decimal or date.
    """
    text = dialect.cast_to_text(column)
    if kind in ("whole", "boolean", "date"):
        return text
    if kind == "fraction":
        return (
            f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = floor({column}) AND "
            f"abs({column}) < 1e38 THEN CAST(CAST({column} AS HUGEINT) AS VARCHAR) "
            f"ELSE {text} END"
        )
    return _decimal(text, dialect) if kind == "decimal" else _text(text, dialect)


def _decimal(text: str, dialect: Dialect) -> str:
    assert dialect.replaced is not None
    no_zeros = dialect.replaced(dialect.replaced(text, "0+$", ""), r"\.$", "")
    return f"CASE WHEN {text} LIKE '%.%' THEN {no_zeros} ELSE {text} END"


def _text(text: str, dialect: Dialect) -> str:
    trimmed = spaces_trimmed(dialect, text)
    whole, moment, time = (
        f"^{pattern}$" for pattern in (WHOLE_PATTERN, MOMENT_PATTERN, TIME_PATTERN)
    )
    fits, replaced = dialect.matches, dialect.replaced
    assert fits is not None
    assert replaced is not None
    number = replaced(replaced(trimmed, whole, r"\1\2"), "^-0$", "0")
    clock = replaced(trimmed, time, r"\1\2")
    told = replaced(replaced(trimmed, moment, r"\1T\2\3\4"), f"^({DAY})T00:00:00$", r"\1")
    return (
        f"CASE WHEN {fits(trimmed, '^[-0-9]')} THEN CASE "
        f"WHEN {fits(trimmed, whole)} THEN {number} "
        f"WHEN {fits(trimmed, moment)} THEN {told} "
        f"WHEN {fits(trimmed, time)} THEN {clock} "
        f"ELSE {trimmed} END "
        f"WHEN {trimmed} IN ('True', 'TRUE') THEN 'true' "
        f"WHEN {trimmed} IN ('False', 'FALSE') THEN 'false' "
        f"ELSE nullif({trimmed}, '') END"
    )
