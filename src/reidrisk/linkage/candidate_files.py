"""Files of candidates: of each released record, or of each claim made.

Candidates by record, how many values they differ in, and the chance that one guess among them is
right; or the register's record that is claimed, by its key. Private, as they are about people.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from reidrisk.errors import InputError
from reidrisk.linkage.candidates import Candidates
from reidrisk.linkage.claims import Right
from reidrisk.records import Table, write_beside_records


def write_risks(table: Table, found: Candidates, right: Right | None, target: Path) -> None:
    """Each released record's candidates."""
    number, _, differences = found.fewest
    columns = {
        "candidates": pa.array(number),
        "differences": pa.array(differences, mask=number == 0),
    }
    if right is not None:
        columns["claim_probability"] = pa.array(right.chance)
    write_beside_records(table.engine, target, columns, with_crowd=False)


def write_matches(mine: Table, theirs: Table, found: Candidates, target: Path) -> None:
    """The register's record for each claim, by its key."""
    if theirs.engine.options.key is None:
        raise InputError(
            "--show-matches needs --register-key COL: by what are the register's people named?"
        )
    names = theirs.engine.crowd_of_each().read_all().column(0)
    number, rows, differences = found.fewest
    claimed = number == 1
    place = pa.array(rows, mask=~claimed)
    columns = {"match": names.take(place), "differences": pa.array(differences, mask=~claimed)}
    write_beside_records(mine.engine, target, columns, with_crowd=False)
