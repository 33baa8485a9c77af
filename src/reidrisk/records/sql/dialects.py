"""Dialects: the few words in which engines that speak SQL differ.

Questions are one text for all of them (`questions`); only names, literals, types, expressions of
text and the ways of listing differ, and these are said here, each a pure function of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from reidrisk.records.text_forms import WHITE_SPACE, sql_literal, sql_name

Labels = Iterable[tuple[str, str | None]]


@dataclass(frozen=True)
class Dialect:
    """How one engine writes what others write otherwise.

    `matches` is true where a text fits a pattern; `replaced` writes its groups as ``\\1``.
    `sorted_texts` joins the texts of a group in their order, all of them or, `once`, each
    different one; nothing stands between them. `labels` is a relation (value, label); None where it
    can't be written down in the query. `hexed`, `fraction` and `zoned` tell bytes, floating-point
    numbers and moments with a zone as texts.
    """

    name: str
    quoted: Callable[[str], str] = sql_name
    literal: Callable[[str], str] = sql_literal
    text: str = "TEXT"
    whole: str = "BIGINT"
    as_text: Callable[[str], str] | None = None
    trimmed: Callable[[str, str], str] | None = None
    matches: Callable[[str, str], str] | None = None
    replaced: Callable[[str, str, str], str] | None = None
    sorted_texts: Callable[[str, bool], str] | None = None
    labels: Callable[[Labels], str] | None = None
    hexed: Callable[[str], str] | None = None
    fraction: Callable[[str], str] | None = None
    zoned: Callable[[str], str] | None = None
    first: str = "LIMIT {}"

    @property
    def forms_texts(self) -> bool:
        """Whether it has regular expressions, to work out a text form row by row."""
        return self.matches is not None

    def cast_to_text(self, column: str) -> str:
        """A column as text, compared by its bytes."""
        return self.as_text(column) if self.as_text else f"CAST({column} AS {self.text})"

    def limited(self, sql: str, rows: int) -> str:
        """The first rows of an answer."""
        return f"{sql} {self.first.format(rows)}"

    def cast_to_whole(self, expression: str) -> str:
        """A whole number of 64 bits."""
        return f"CAST({expression} AS {self.whole})"


def _listed(labels: Labels, literal: Callable[[str], str]) -> str:
    def cell(text: str | None) -> str:
        return "NULL" if text is None else literal(text)

    return ", ".join(f"({cell(value)}, {cell(label)})" for value, label in labels)


def _numbered_columns(labels: Labels) -> str:
    """VALUES whose columns are called column1 and column2, as the standard leaves it open."""
    return (
        f"(SELECT column1 AS value, CAST(column2 AS TEXT) AS label "
        f"FROM (VALUES {_listed(labels, sql_literal)}) AS listed)"
    )


def _one_by_one(labels: Labels) -> str:
    """For dialects whose VALUES is their own: a SELECT a label."""
    told = (
        f"SELECT {sql_literal(value)} AS value, "
        f"{'NULL' if label is None else sql_literal(label)} AS label"
        for value, label in labels
    )
    return f"({' UNION ALL '.join(told)})"


def _once(once: bool) -> str:
    return "DISTINCT " if once else ""


def _string_agg(text: str, once: bool) -> str:
    return f"string_agg({_once(once)}{text}, '' ORDER BY {text})"


def _spark_literal(text: str) -> str:
    """Spark reads backslashes: double them, and quotes behind one."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _spark_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _dollars(groups: str) -> str:
    return re.sub(r"\\([0-9])", r"$\1", groups)


DUCKDB = Dialect(
    "duckdb",
    text="VARCHAR",
    trimmed=lambda text, marks: f"trim({text}, {sql_literal(marks)})",
    matches=lambda text, pattern: f"regexp_matches({text}, {sql_literal(pattern)})",
    replaced=lambda text, pattern, groups: (
        f"regexp_replace({text}, {sql_literal(pattern)}, {sql_literal(groups)})"
    ),
    sorted_texts=_string_agg,
)

# Compared by bytes whatever the column's own collation says: "A" and "a" are two values.
POSTGRESQL = Dialect(
    "postgresql",
    as_text=lambda column: f'CAST({column} AS TEXT) COLLATE "C"',
    trimmed=lambda text, marks: f"btrim({text}, {sql_literal(marks)})",
    matches=lambda text, pattern: f"{text} ~ {sql_literal(pattern)}",
    replaced=lambda text, pattern, groups: (
        f"regexp_replace({text}, {sql_literal(pattern)}, {sql_literal(groups)})"
    ),
    sorted_texts=_string_agg,
    labels=_numbered_columns,
    hexed=lambda column: f"encode({column}, 'hex')",
    zoned=lambda column: f"replace(CAST({column} AS TEXT), '+00', 'Z') COLLATE \"C\"",
)

# Expressions of text and md5 are functions of our own there, in this process.
SQLITE = Dialect(
    "sqlite",
    as_text=lambda column: f"CAST({column} AS TEXT) COLLATE BINARY",
    trimmed=lambda text, marks: f"trim({text}, {sql_literal(marks)})",
    matches=lambda text, pattern: f"reidrisk_matches({text}, {sql_literal(pattern)})",
    replaced=lambda text, pattern, groups: (
        f"reidrisk_replaced({text}, {sql_literal(pattern)}, {sql_literal(groups)})"
    ),
    sorted_texts=lambda text, once: f"reidrisk_sorted({_once(once)}{text})",
    labels=_numbered_columns,
    hexed=lambda column: f"hex({column})",
    fraction=lambda column: f"CASE WHEN {column} IS NOT NULL THEN printf('%!.17g', {column}) END",
)

SPARK = Dialect(
    "spark",
    quoted=_spark_name,
    literal=_spark_literal,
    text="STRING",
    trimmed=lambda text, marks: f"trim(BOTH {_spark_literal(marks)} FROM {text})",
    matches=lambda text, pattern: f"({text} RLIKE {_spark_literal(pattern)})",
    replaced=lambda text, pattern, groups: (
        f"regexp_replace({text}, {_spark_literal(pattern)}, {_spark_literal(_dollars(groups))})"
    ),
    sorted_texts=lambda text, once: (
        f"array_join(sort_array(collect_{'set' if once else 'list'}({text})), '')"
    ),
    zoned=lambda column: f"(CAST({column} AS STRING) || 'Z')",
    hexed=lambda column: f"hex({column})",
)

# What SQL itself says; quoting comes from the database's own driver.
STANDARD = Dialect(
    "sql", text="VARCHAR(4000)", labels=_one_by_one, first="FETCH FIRST {} ROWS ONLY"
)

_MYSQL = Dialect(
    "mysql",
    literal=lambda text: "'" + text.replace("\\", "\\\\").replace("'", "''") + "'",
    whole="SIGNED",
    as_text=lambda column: f"CAST({column} AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin",
    labels=_one_by_one,
)

_DATABASES = {
    "postgresql": POSTGRESQL,
    "sqlite": SQLITE,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
}


def of_database(name: str, quoted: Callable[[str], str]) -> Dialect:
    """The dialect of a database, names quoted as its driver does."""
    return replace(_DATABASES.get(name, STANDARD), name=name, quoted=quoted)


def spaces_trimmed(dialect: Dialect, text: str) -> str:
    """White space around a text is not part of it."""
    assert dialect.trimmed is not None
    return dialect.trimmed(text, WHITE_SPACE)
