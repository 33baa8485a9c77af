"""ReadOptions: which columns are quasi-identifiers and how they are recoded, what a row stands for,
how a file is written, and where its records are counted.

Where a table is, by its name and the engine:

postgresql+psycopg://…, sqlite:///…   a database that SQLAlchemy speaks to
--engine spark, spark://…, sc://…     a cluster; TABLE is what it reads
s3://…, gs://…, az://…                objects in a store, copied here first
anything else                         a file or a table here
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reidrisk import machine
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.records.recoding import Recoding, parsed_bands, parsed_decimals, parsed_digits
from reidrisk.records.text_forms import text_form

ENGINES = ("embedded", "codes", "duckdb", "spark", "spark://host:port", "sc://host:port")
HERE = ENGINES[:3]
_SCHEME = re.compile(r"([a-z][a-z0-9+._-]*)://", re.IGNORECASE)
# Read here (`object_stores`) as well as by a cluster, and by a cluster alone.
OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss")
STORES = (*OBJECT_STORES, "hdfs", "wasb", "wasbs", "viewfs", "adl")


@dataclass(frozen=True)
class ReadOptions:
    """How records are read: what the options of the command line say; `of` checks them."""

    # The quasi-identifiers; empty until it is known what there is.
    columns: tuple[str, ...] = ()
    # Columns that somebody may learn from the table; never quasi-identifiers.
    sensitive: tuple[str, ...] = ()
    recoding: Mapping[str, Recoding] = field(default_factory=dict)
    missing: Literal["own", "wildcard"] = "own"
    empty: frozenset[str] = frozenset()
    count: str | None = None
    # Rows of a count below 0 correct an earlier release: they are left out instead of refused.
    corrections: bool = False
    weight: str | None = None
    person: str | None = None
    rows_are_people: bool = False
    # Says which people live together.
    household: str | None = None
    # Names the records in a file of them; it may be a quasi-identifier all the same.
    key: str | None = None
    # How a file is written; None is detected.
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header: bool = True
    # Where records are counted, and by how much of the machine.
    engine: str = "embedded"
    memory_limit: int | None = None
    threads: int | None = None
    table_name: str | None = None
    query: str | None = None
    password: str | None = field(default=None, repr=False)
    # Options that nobody gave and the records decided, some of which one record may decide.
    by_records: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | None = None,
        *,
        sensitive: str | Iterable[str] = (),
        bands: Mapping[str, object] | None = None,
        levels: Mapping[str, object] | None = None,
        decimals: Mapping[str, object] | None = None,
        empty: Iterable[str] = (),
        memory_limit: str | int | None = None,
        delimiter: str | None = None,
        **others: Any,
    ) -> ReadOptions:
        """Options as people give them, refused where they are wrong or contradict each other.

        `others` are fields of the record as they are.
        """
        chosen = cls(
            columns=_distinct_columns(columns),
            sensitive=_sensitive_columns(sensitive),
            recoding=_recoding(bands or {}, levels or {}, decimals or {}),
            empty=frozenset(form for form in map(text_form, empty) if form is not None),
            memory_limit=machine.parsed_size(memory_limit),
            delimiter={"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter),
            **others,
        )
        chosen._refuse_wrong_values()
        chosen._refuse_contradictions()
        return chosen

    @property
    def unit_columns(self) -> tuple[str, ...]:
        """Columns that say what a row stands for; they are never quasi-identifiers."""
        named = (self.count, self.weight, self.person, self.household)
        return tuple(name for name in named if name is not None)

    @property
    def counted(self) -> tuple[str, ...]:
        """Every column whose values are counted: quasi-identifiers, then sensitive ones."""
        return (*self.columns, *self.sensitive)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that has to be read, each once."""
        key = () if self.key is None else (self.key,)
        return tuple(dict.fromkeys((*self.counted, *self.unit_columns, *key)))

    @property
    def cores(self) -> int:
        """Threads to use: all cores by default."""
        return self.threads or machine.available()

    @property
    def bytes_allowed(self) -> int:
        """Memory to use."""
        return self.memory_limit or machine.usual_limit()

    def with_columns(self, columns: Iterable[str]) -> ReadOptions:
        """The same with these quasi-identifiers."""
        chosen = tuple(columns)
        counted = (*chosen, *self.sensitive)
        kept = {name: how for name, how in self.recoding.items() if name in counted}
        return replace(self, columns=chosen, recoding=kept)

    def decided(self, option: str) -> ReadOptions:
        """The same where the records decided what an option would have said."""
        return replace(self, by_records=(*self.by_records, option))

    def check(self, there: Sequence[str]) -> None:
        """Every named column must be in the table, and every recoded one a quasi-identifier."""
        for name in (*self.needed, *self.recoding):
            if name not in there:
                raise unknown_column(name, there)
        for name in self.recoding:
            if name in self.unit_columns or (self.columns and name not in self.counted):
                raise ContradictoryOptions(
                    f"column {name!r} is recoded but isn't among the quasi-identifiers",
                    f"add it: --columns {','.join([*self.columns, name])}",
                )

    def _refuse_wrong_values(self) -> None:
        if self.missing not in ("own", "wildcard"):
            raise InputError(f"--missing {self.missing}: it is either own or wildcard")
        if self.decimal not in (None, ".", ","):
            raise InputError("--decimal is either . or ,")
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise InputError("--delimiter takes one character, or the word tab")
        if self.engine not in HERE and not is_spark(self.engine):
            raise InputError(
                f"there is no engine {self.engine!r}", f"there are: {', '.join(ENGINES)}"
            )
        if self.threads is not None and self.threads < 1:
            raise InputError("--threads needs at least 1")

    def _refuse_contradictions(self) -> None:
        if self.rows_are_people and (self.person is not None or self.count is not None):
            raise ContradictoryOptions(
                "--rows-are-people says that each row is one person, and "
                f"--{'count' if self.person is None else 'person'} says that it isn't",
                "keep one of them",
            )
        for name in self.sensitive:
            if name in self.columns:
                raise ContradictoryOptions(
                    f"column {name!r} can't be both a quasi-identifier and sensitive: what an "
                    "attacker knows already isn't learnt",
                    "leave it out of --columns or of --sensitive",
                )
            if name in (*self.unit_columns, self.key):
                raise ContradictoryOptions(
                    f"column {name!r} says what a row stands for or names it, and can't be "
                    "sensitive",
                    "leave it out of --sensitive",
                )
        for name in self.unit_columns:
            if name in self.columns:
                raise ContradictoryOptions(
                    f"column {name!r} says what a row stands for and can't be a quasi-identifier",
                    "leave it out of --columns",
                )
        if len(set(self.unit_columns)) < len(self.unit_columns):
            raise ContradictoryOptions(
                "--count, --weight, --person and --household need different columns"
            )
        if self.key is not None and self.key in self.recoding:
            raise ContradictoryOptions(
                f"column {self.key!r} names the records and can't be recoded",
                "name them by another column with --key",
            )
        if self.person and self.key:
            raise ContradictoryOptions(
                "--person and --key can't both hold", "people are named by the --person column"
            )
        if self.person and self.count:
            raise ContradictoryOptions(
                "--person and --count can't both hold",
                "either a row stands for several people, or a person has several rows",
            )
        if self.person and self.missing == "wildcard":
            raise ContradictoryOptions(
                "--person and --missing wildcard can't both hold",
                "matching several rows with gaps isn't defined; use --missing own",
            )

    def refuse_for(self, table: Any) -> None:
        """--table and --query are about databases; a file store needs a cluster that reads it."""
        if self.table_name is not None and self.query is not None:
            raise ContradictoryOptions("--table and --query can't both hold")
        if is_database(table):
            if self.engine != "embedded":
                raise ContradictoryOptions(
                    f"--engine {self.engine}: a database counts its own records",
                    "leave --engine out",
                )
        elif self.table_name is not None or self.query is not None:
            raise ContradictoryOptions(
                "--table and --query say what to count in a database, and TABLE is no address of "
                "one",
                "as in: reidrisk measure postgresql+psycopg://host/db --table public.people",
            )
        if scheme_of(table) in set(STORES) - set(OBJECT_STORES) and not is_spark(self.engine):
            raise InputError(
                "TABLE is in a store that this machine doesn't read by itself",
                "let a cluster read it: --engine spark (here), or --engine spark://host:7077",
            )


def _distinct_columns(columns: Sequence[str] | None) -> tuple[str, ...]:
    if columns is None:
        return ()
    names = [columns] if isinstance(columns, str) else [str(name) for name in columns]
    if not names:
        raise InputError("no quasi-identifiers are given", "name at least one: --columns age,sex")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ContradictoryOptions(f"column {repeated[0]!r} is named twice")
    return tuple(names)


def _sensitive_columns(given: str | Iterable[str]) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else [str(name) for name in given]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ContradictoryOptions(f"column {repeated[0]!r} is named twice as sensitive")
    return tuple(names)


def _recoding(*options: Mapping[str, object]) -> dict[str, Recoding]:
    recoding: dict[str, Recoding] = {}
    parsers = (parsed_bands, parsed_digits, parsed_decimals)
    for widths, parsed in zip(options, parsers, strict=True):
        if not isinstance(widths, Mapping):
            raise InputError("bands, levels and decimals are mappings", 'as in bands={"age": 5}')
        for name, width in widths.items():
            if name in recoding:
                raise ContradictoryOptions(
                    f"column {name!r} is recoded in two ways",
                    "give one of --bands, --levels and --decimals for it",
                )
            recoding[name] = parsed(name, str(width))
    return recoding


def unknown_column(name: str, there: Sequence[str]) -> UnknownColumn:
    """The error that lists what there is."""
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.6)
    folded = [other for other in there if other.casefold().strip() == name.casefold().strip()]
    meant = (folded or near)[:1]
    listed = ", ".join(there[:40]) + (f" and {len(there) - 40} more" if len(there) > 40 else "")
    hint = f"did you mean {meant[0]!r}? " if meant else ""
    several = [part.strip() for part in name.split(",")]
    if len(several) > 1 and set(several) <= set(there):
        # One text for several columns, as in columns="age,sex".
        hint = f"give a list: --columns {','.join(several)}; "
    return UnknownColumn(f"there is no column {name!r}", f"{hint}there are: {listed}")


def scheme_of(table: Any) -> str | None:
    """postgresql of postgresql+psycopg://…; None where it is no address."""
    scheme = _SCHEME.match(table) if isinstance(table, str) else None
    return scheme[1].lower().split("+")[0] if scheme else None


def is_spark(engine: str) -> bool:
    """spark, spark://host:port, sc://host:port."""
    return engine == "spark" or engine.startswith(("spark://", "sc://"))


def is_database(table: Any) -> bool:
    """An address that isn't one of files."""
    scheme = scheme_of(table)
    return scheme is not None and scheme not in (*STORES, "file")


def is_elsewhere(table: Any, engine: str) -> bool:
    """Whether records stay where they are and only counts travel."""
    return is_database(table) or is_spark(engine)


def refuse_unnamed_records(table: Any, engine: str, key: str | None, person: str | None) -> None:
    """A file of records needs names for them where they have no order."""
    if is_elsewhere(table, engine) and key is None and person is None:
        raise InputError(
            "--risk-file needs --key COL: records there have no row numbers",
            "name the column that tells records apart; only it, crowd and risk leave",
        )


def refuse_records_elsewhere(table: Any, engine: str, what: str) -> None:
    """What needs each record's values here can't be had of records that stay."""
    if is_elsewhere(table, engine):
        raise InputError(
            f"{what} needs each record's values here, and these records stay where they are",
            "export the columns to a file first, if they may leave",
        )
