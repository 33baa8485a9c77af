"""Compared tables: which columns of a release and a register belong together, and their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.machine import Progress
from reidrisk.records import CodedTuples, Table, as_table, read, unknown_column


def paired_names(on: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """{released: register}; a text may pair two names, as in zip=postcode."""
    if on is None:
        return {}
    if isinstance(on, Mapping):
        return dict(on)
    found: dict[str, str] = {}
    for text in [on] if isinstance(on, str) else on:
        name, equals, other = text.partition("=")
        if name.strip() in found:
            raise ContradictoryOptions(f"--on names {name.strip()!r} twice")
        found[name.strip()] = (other if equals else name).strip()
    return found


def true_names(truth: str | None) -> tuple[str, ...]:
    """What the truth is called in the release and in the register; nothing without it."""
    if truth is None:
        return ()
    name, equals, other = truth.partition("=")
    return name.strip(), (other if equals else name).strip()


def read_side(
    source: Any,
    reading: Mapping[str, Any],
    pairs: Mapping[str, str],
    true: Sequence[str],
    side: int,
    progress: Progress,
) -> Table:
    """One side, with the columns to compare and, beside them, the truth."""
    if isinstance(source, Table):
        table = as_table(source, reading, progress)
    else:
        names = list(pairs) if side == 0 else list(pairs.values())
        chosen = {"columns": names} if names else {}
        table = read(source, **{**reading, **chosen}, sensitive=true, progress=progress)
    if table.engine.options.person:
        raise ContradictoryOptions(
            "linking compares rows, and --person describes people by several",
            "link a table with one row per person",
        )
    return table


def common_columns(
    mine: Table, theirs: Table, pairs: Mapping[str, str], by_name: bool
) -> dict[str, str]:
    """The columns to compare, which both sides have."""
    if by_name:
        pairs = {name: name for name in mine.columns if name in theirs.columns}
        if not pairs:
            raise InputError(
                "the two tables have no column of the same name",
                "say which belong together: --on age,zip=postcode",
            )
    for table, names in ((mine, pairs), (theirs, pairs.values())):
        for name in names:
            if name not in table.columns:
                raise unknown_column(name, table.columns)
    return dict(pairs)


def refuse_unknown(pairs: Mapping[str, str], named_columns: Sequence[str]) -> None:
    """Whatever is said of a column is said of one that is compared."""
    for name in named_columns:
        if name not in pairs:
            raise unknown_column(name, list(pairs))


@dataclass(frozen=True, eq=False)
class BothSides:
    """Both sides' tuples under the release's names; and who they truly are, as texts by row."""

    released: CodedTuples
    register: CodedTuples
    true: tuple[Sequence[str | None], Sequence[str | None]] | None = None

    @classmethod
    def of(
        cls,
        mine: Table,
        theirs: Table,
        pairs: Mapping[str, str],
        true: Sequence[str],
        by_record: bool,
    ) -> BothSides:
        """Counted, or `by_record` in the order of the records, where these are in memory."""
        sides = []
        for table, names, side in ((mine, list(pairs), 0), (theirs, list(pairs.values()), 1)):
            wanted = (*names, *true[side : side + 1])
            for name in true[side : side + 1]:
                if name not in table.engine.options.counted:
                    raise InputError(
                        f"the table was read without {name!r}, which says who is who",
                        "name it when reading: rr.read(…, sensitive=…)",
                    )
            tuples = _by_record(table, wanted) if by_record else table.engine.coded_tuples(wanted)
            sides.append(tuples)
        known = range(len(pairs))
        released, register = (each.of(known)._replace(columns=tuple(pairs)) for each in sides)
        texts = tuple(_texts(each, len(pairs)) for each in sides) if true else None
        return cls(released, register, (texts[0], texts[1]) if texts else None)


def _by_record(table: Table, names: Sequence[str]) -> CodedTuples:
    """In the order of the records."""
    rows = table.engine.coded_rows(names, "a file of each record's candidates")
    columns = rows.columns
    return CodedTuples.of_codes(
        [each.name for each in columns],
        [each.codes for each in columns],
        [each.cardinality for each in columns],
        rows.count,
        [each.values for each in columns],
    )


def _texts(tuples: CodedTuples, place: int) -> list[str | None]:
    names = [*tuples.values[place].to_pylist(), None]
    return [names[code] for code in tuples.codes[place].tolist()]
