"""Seeing: which columns of the records are looked at, how coarse, and what a row stands for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.records.recoding import Coarsening, parsed_bands, parsed_decimals, parsed_digits
from reidrisk.records.text_forms import text_form

Missing = Literal["own", "wildcard"]


@dataclass(frozen=True)
class Seeing:
    """The options that concern records; `columns` is empty until it is known what there is."""

    columns: tuple[str, ...] = ()
    coarser: Mapping[str, Coarsening] = field(default_factory=dict)
    missing: Missing = "own"
    empty: frozenset[str] = frozenset()
    count: str | None = None
    weight: str | None = None
    person: str | None = None
    # Names the records in a file of them; it may be looked at all the same.
    key: str | None = None

    @property
    def aside(self) -> tuple[str, ...]:
        """Columns that say what a row stands for; they are never quasi-identifiers."""
        return tuple(name for name in (self.count, self.weight, self.person) if name is not None)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that has to be read, each once."""
        key = () if self.key is None else (self.key,)
        return tuple(dict.fromkeys((*self.columns, *self.aside, *key)))

    def check(self, there: Sequence[str]) -> None:
        """Every named column must be in the table."""
        for name in (*self.needed, *self.coarser):
            if name not in there:
                raise unknown_column(name, there)
        for name in self.coarser:
            if name in self.aside or (self.columns and name not in self.columns):
                raise ContradictoryOptions(
                    f"column {name!r} is to be seen coarser but isn't among the columns looked at",
                    f"add it: --columns {','.join([*self.columns, name])}",
                )

    def looking_at(self, columns: Iterable[str]) -> Seeing:
        """The same with the columns settled."""
        chosen = tuple(columns)
        kept = {name: how for name, how in self.coarser.items() if name in chosen}
        return replace(self, columns=chosen, coarser=kept)


def seeing(
    columns: Sequence[str] | None = None,
    bands: Mapping[str, object] | None = None,
    levels: Mapping[str, object] | None = None,
    decimals: Mapping[str, object] | None = None,
    missing: str = "own",
    empty: Iterable[str] = (),
    count: str | None = None,
    weight: str | None = None,
    person: str | None = None,
    key: str | None = None,
) -> Seeing:
    """Settle the options and refuse those that contradict each other."""
    columns = [columns] if isinstance(columns, str) else columns
    columns = None if columns is None else [str(name) for name in columns]
    for given in (bands, levels, decimals):
        if given is not None and not isinstance(given, Mapping):
            raise InputError("bands, levels and decimals are mappings", 'as in bands={"age": 5}')
    if columns is not None and not columns:
        raise InputError("no columns are looked at", "name at least one: --columns age,sex")
    if missing not in ("own", "wildcard"):
        raise InputError(f"--missing {missing}: it is either own or wildcard")
    repeated = sorted({name for name in columns or () if list(columns or ()).count(name) > 1})
    if repeated:
        raise ContradictoryOptions(f"column {repeated[0]!r} is named twice")
    chosen = Seeing(
        columns=tuple(columns or ()),
        coarser=_coarser(bands or {}, levels or {}, decimals or {}),
        missing="own" if missing == "own" else "wildcard",
        empty=frozenset(form for form in map(text_form, empty) if form is not None),
        count=count,
        weight=weight,
        person=person,
        key=key,
    )
    _refuse_contradictions(chosen)
    return chosen


def _coarser(*ways: Mapping[str, object]) -> dict[str, Coarsening]:
    coarser: dict[str, Coarsening] = {}
    for given, parsed in zip(ways, (parsed_bands, parsed_digits, parsed_decimals), strict=True):
        for name, how in given.items():
            if name in coarser:
                raise ContradictoryOptions(
                    f"column {name!r} is made coarser in two ways",
                    "keep one of --bands, --levels and --decimals for it",
                )
            coarser[name] = parsed(name, str(how))
    return coarser


def _refuse_contradictions(chosen: Seeing) -> None:
    for name in chosen.aside:
        if name in chosen.columns:
            raise ContradictoryOptions(
                f"column {name!r} says what a row stands for and can't also be looked at",
                "leave it out of --columns",
            )
    if len(set(chosen.aside)) < len(chosen.aside):
        raise ContradictoryOptions("--count, --weight and --person need different columns")
    if chosen.key is not None and chosen.key in chosen.coarser:
        raise ContradictoryOptions(
            f"column {chosen.key!r} names the records and is to be seen coarser",
            "name them by another column with --key",
        )
    if chosen.person and chosen.key:
        raise ContradictoryOptions(
            "--person and --key can't both hold", "people are named by the --person column"
        )
    if chosen.person and chosen.count:
        raise ContradictoryOptions(
            "--person and --count can't both hold",
            "either a row stands for several people, or a person has several rows",
        )
    if chosen.person and chosen.missing == "wildcard":
        raise ContradictoryOptions(
            "--person and --missing wildcard can't both hold",
            "matching several rows with gaps isn't defined; use --missing own",
        )


def unknown_column(name: str, there: Sequence[str]) -> UnknownColumn:
    """The error that lists what there is."""
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.6)
    folded = [other for other in there if other.casefold().strip() == name.casefold().strip()]
    meant = (folded or near)[:1]
    listed = ", ".join(there[:40]) + (f" and {len(there) - 40} more" if len(there) > 40 else "")
    hint = f"did you mean {meant[0]!r}? " if meant else ""
    return UnknownColumn(f"there is no column {name!r}", f"{hint}there are: {listed}")
