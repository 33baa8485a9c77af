"""`measure`: crowd sizes counted from records, and every measure of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from reidrisk.crowds import CrowdSizes
from reidrisk.engines import Table, read
from reidrisk.measuring.envelope import Envelope, Input, named
from reidrisk.measuring.table_risk import Entropy, TableRisk, chosen_crowds
from reidrisk.models.independent import experience_entropy, random_entropy
from reidrisk.statistics.dependence import Dependence
from reidrisk.statistics.table_dependence import (
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
) -> TableRisk:
    """Count the crowds of the columns looked at; what isn't a `Table` yet is read first.

    `dependence` between the columns is measured by default up to 12 columns and a million rows;
    True and False say so, ``"a,b:c"`` asks how far a and b depend on c.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40], "sex": ["f", "f", "m"]})
    >>> rr.measure(table).alone.people
    1
    """
    at_crowds = chosen_crowds(crowds)
    table = table if isinstance(table, Table) else read(table)
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
    said: Sequence[str] = (),
) -> Envelope:
    """What an answer from records says of itself; `columns` where it concerns only some."""
    seen = table.columns if columns is None else tuple(columns)
    return Envelope(
        command=command,
        origin="records",
        input=Input(
            table.people,
            seen,
            lambda: table.sha256,
            named(table.paths, table.format),
            table.notes,
            table.unit,
        ),
        missing=table.engine.seeing.missing,
        engine=table.engine.name,
        assumptions=(*_assumptions(table), *said),
        warnings=table.warnings,
    )


def entropy_of(table: Table, counted: CrowdSizes, columns: Sequence[str] | None = None) -> Entropy:
    """The four entropies of a view that was counted; of all columns by default."""
    people = int(counted.people)
    maximum = math.log2(people)
    seeing = table.engine.seeing
    if seeing.person or counted.kind == "matched":
        # Rows of a person, and records that match several crowds, have no product law.
        return Entropy(maximum, None, None, counted.table_entropy)
    counts = [table.engine.value_counts(name) for name in columns or table.columns]
    return Entropy(
        maximum, experience_entropy(counts), random_entropy(counts, people), counted.table_entropy
    )


def _assumptions(table: Table) -> list[str]:
    seeing = table.engine.seeing
    said = [
        "The table is everyone: a crowd is counted among these people only.",
        "The attacker knows exactly these columns of the person, without error, and knows that "
        "the person is in the table.",
    ]
    if seeing.missing == "wildcard":
        said.append(
            "An empty cell matches anything, so a person's crowd is the number of records that "
            "agree with theirs; there are no common crowds."
        )
    else:
        said.append("An empty cell is a value of its own.")
    for name, how in seeing.coarser.items():
        said.append(f"{name} is seen {how.describe()}.")
    if seeing.count:
        said.append(f"A row stands for as many people as {seeing.count} says.")
    if table.unit.stated and table.unit.kind == "row":
        said.append("Each row is one person, as stated.")
    if seeing.person:
        said.append(f"A person ({seeing.person}) is the multiset of their rows.")
    if seeing.weight:
        said.append(
            f"The weights in {seeing.weight} add up to {table.engine.weight_total:,.0f} people; "
            "they are kept for "
            "population estimates and don't change these figures."
        )
    return said
