"""The engine's questions as SQL text: pure functions of a table's name and its columns.

`table` is a relation whose columns hold text forms or NULL for the empty cell; `people` is the sum
that counts people: rows, or what they stand for. GROUP BY keeps NULL as one group, which is
what an empty cell as a value of its own means; tuples are grouped by column, so they never
collide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reidrisk.engines.text_form import sql_literal, sql_name

PEOPLE = "reidrisk_people"
PERSON = "reidrisk_person"
ROW = "reidrisk_row"
MATCHES = "reidrisk_matches"


def listed(columns: Sequence[str]) -> str:
    """Column names, quoted."""
    return ", ".join(map(sql_name, columns))


def crowd_sizes(table: str, columns: Sequence[str], people: str) -> str:
    """(size, crowds): group by the view's columns, then by the size found."""
    return (
        f"SELECT size, count(*) AS crowds FROM ("
        f"SELECT CAST({people} AS BIGINT) AS size FROM {table} GROUP BY {listed(columns)}"
        f") AS crowd WHERE size > 0 GROUP BY size ORDER BY size"
    )


def crowd_sizes_of_persons(table: str, columns: Sequence[str]) -> str:
    """The same where a person is the multiset of their rows."""
    return (
        f"SELECT size, count(*) AS crowds FROM (SELECT count(*) AS size FROM "
        f"({rows_of_persons(table, columns)}) AS person GROUP BY held) AS crowd "
        f"GROUP BY size ORDER BY size"
    )


def rows_of_persons(table: str, columns: Sequence[str]) -> str:
    """(person, held): each person's rows as one sorted list."""
    whole_row = f"row({listed(columns)})"
    return (
        f"SELECT {PERSON}, list({whole_row} ORDER BY {whole_row}) AS held "
        f"FROM {table} GROUP BY {PERSON}"
    )


def crowd_of_each_person(table: str, columns: Sequence[str]) -> str:
    """(person, crowd)."""
    return (
        f"SELECT {PERSON}, count(*) OVER (PARTITION BY held) AS crowd "
        f"FROM ({rows_of_persons(table, columns)}) AS person"
    )


def marginal(table: str, column: str, people: str) -> str:
    """(value, people) of one column; `people` is the sum to take."""
    return (
        f"SELECT {sql_name(column)} AS value, {people} AS people FROM {table} "
        f"GROUP BY {sql_name(column)}"
    )


def sizes_of_tuples(tuples: str) -> str:
    """(size, crowds) of a relation that counts people per tuple."""
    return (
        f"SELECT {PEOPLE} AS size, count(*) AS crowds FROM ({tuples}) AS tuple "
        f"WHERE {PEOPLE} > 0 GROUP BY size ORDER BY size"
    )


def crowd_of_each(table: str, columns: Sequence[str], people: str) -> str:
    """(row, crowd) in the order of the rows. A window, not a join: a join drops NULL keys."""
    return (
        f"SELECT {ROW} AS row, CAST({people} OVER (PARTITION BY {listed(columns)}) AS BIGINT) "
        f"AS crowd FROM {table} ORDER BY {ROW}"
    )


def distinct_tuples(table: str, columns: Sequence[str], people: str) -> str:
    """(the columns, people): each tuple once."""
    return f"SELECT {listed(columns)}, {people} AS {PEOPLE} FROM {table} GROUP BY {listed(columns)}"


def people_with(table: str, values: Mapping[str, str | None], people: str, wild: bool) -> str:
    """How many people agree with these values; `wild`: an empty cell agrees with anything."""
    agree = [_agrees(column, value, wild) for column, value in values.items()]
    return f"SELECT {people} FROM {table} WHERE {' AND '.join(agree) or 'true'}"


def _agrees(column: str, value: str | None, wild: bool) -> str:
    name = sql_name(column)
    if value is None:
        return "true" if wild else f"{name} IS NULL"
    same = f"{name} = {sql_literal(value)}"
    return f"({same} OR {name} IS NULL)" if wild else same
