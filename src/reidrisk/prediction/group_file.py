"""The precomputed table that Koot et al. want statistical offices to publish.

One row a group: `group`, `outcomes` (N), `people`, `kappa`, from which the published forms follow
at any size, then the law they were rounded by: `protection`, its `base`, and `kappa_step`. For
oneself every figure as it is, a row a group and size, with `exact`, the `size` it is of, and
`discrepancy`; with `people` exact_finite follows, as exact/π_u(k, people).
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from reidrisk.crowds import Envelope, Input, InputHash, assumed
from reidrisk.errors import InputError, UnreadableInput
from reidrisk.input_hash import state_of
from reidrisk.laws import published_forms
from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.prediction.group_risk import GroupFigures, GroupRisk, figures_by_kappa
from reidrisk.prediction.published_groups import (
    UNPROTECTED,
    ToldGroup,
    kappa_limits,
    published_groups,
)

USUAL_LEAST = 5
NEEDED = ("group", "outcomes", "people", "kappa", "exact")
# What is the same at every size.
OF_GROUP = (*NEEDED[1:4], "discrepancy", "base", "kappa_step")
SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("outcomes", pa.int64()),
        ("people", pa.int64()),
        ("kappa", pa.float64()),
        ("exact", pa.float64()),
        ("size", pa.int64()),
        ("discrepancy", pa.float64()),
        ("protection", pa.string()),
        ("base", pa.int64()),
        ("kappa_step", pa.float64()),
    ]
)


def write_group_file(
    risk: GroupRisk,
    path: str | os.PathLike[str],
    at_least: int = USUAL_LEAST,
    key_file: str | os.PathLike[str] | None = None,
) -> int:
    """Write a row for each group, as CSV or Parquet; how many groups were left out.

    The file is made to be published: people and κ are rounded at random by the table's key, as
    `publish` rounds, and groups that `publish` wouldn't name are left out. Figures from statistics
    are as protected as these are; unprotected ones are refused. With `at_least` 1 the file has all
    figures as they are, a row for each group and size.

    Parameters:
        risk: of groups, as `group` answers with `by`.
        path: .csv or .parquet.
        at_least: people are rounded to its multiples, and groups of fewer than twice as many,
            rounded, aren't named.
        key_file: the key of rounding, made where there is none; by default a key is drawn and
            forgotten, so that writing again rounds otherwise.
    """
    target = Path(path)
    kind = table_kind(target)
    if len({tuple(each.bands.items()) for each in risk.groups}) > 1:
        raise InputError("a file holds one width of bands", "ask for one width at a time")
    if at_least == 1:
        told = [ToldGroup(each, UNPROTECTED) for each in risk.groups]
    else:
        told = published_groups(risk, at_least, key_file)
    rows = [each.row() for each in told]
    if max(row["outcomes"] for row in rows) >= 1 << 63:
        raise InputError("there are too many outcomes to be written as one number")
    with whole_file(target) as beside, table_writer(beside, kind, SCHEMA) as write:
        write(pa.RecordBatch.from_pylist(rows, schema=SCHEMA))
    return len({each.group for each in risk.groups} - {each.figures.group for each in told})


def is_group_file(path: Path) -> bool:
    """Whether a CSV or Parquet file has the columns of such a table."""
    try:
        if path.suffix.lower() == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                names = next(csv.reader(file), [])
        elif path.suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            names = pq.read_schema(path).names
        else:
            return False
    except (OSError, UnicodeDecodeError, pa.ArrowInvalid, csv.Error):
        # Reading it as a table will say what is wrong.
        return False
    return set(NEEDED) <= set(names)


PUBLISHED_FORMS = assumed(
    "published-approximations",
    "group",
    (
        "Only the number of outcomes, κ and the discrepancy of each group are known: these are "
        "the published approximations.",
        "exact is given at the sizes that the file holds.",
    ),
)


def read_group_file(path: Path, sizes: Sequence[int]) -> GroupRisk:
    """The published forms of each group at these sizes; exact where the file has it."""
    if not sizes:
        raise InputError("no group size was given", "as in --size 29 or --sizes 2-60")
    when_read = state_of([path])
    rows = list(_rows(path))
    known: dict[tuple[str, int], float] = {}
    groups: dict[str, dict[str, float | None]] = {}
    for row in rows:
        name = str(row["group"])
        groups.setdefault(name, {key: _number(row, key) for key in OF_GROUP})
        size, exact = _number(row, "size"), _number(row, "exact")
        if size is not None and exact is not None:
            known[name, int(size)] = exact
    figures = tuple(
        _figures(name, held, k, known.get((name, k)))
        for name, held in groups.items()
        for k in sizes
    )
    people = sum(int(held["people"] or 0) for held in groups.values())
    about = Envelope(
        command="group",
        origin="statistics",
        input=Input(people, (), InputHash((path,), when_read), path.name),
        missing="own",
        engine="none",
        model="published forms",
        assumptions=PUBLISHED_FORMS,
    )
    return GroupRisk(about, figures, several=True)


def _figures(name: str, held: dict[str, float | None], k: int, exact: float | None) -> GroupFigures:
    outcomes, people = int(held["outcomes"] or 0), int(held["people"] or 0)
    kappa, discrepancy = held["kappa"], held["discrepancy"]
    if outcomes < 1 or kappa is None or kappa < 0.0 or (exact is not None and not 0 <= exact <= 1):
        raise UnreadableInput(
            "a group has no outcomes, no kappa, or an impossible probability",
            "write the file again with --by and -o",
        )
    finite = None
    if exact is not None and k <= people:
        finite = min(math.exp(-published_forms.log_uniform(k, people)) * exact, 1.0)
    limits = {}
    if held["kappa_step"] is not None and held["base"] is not None:
        limits["kappa"] = kappa_limits(
            kappa, outcomes, people, int(held["base"]), held["kappa_step"]
        )
    return GroupFigures(
        **figures_by_kappa(k, outcomes, kappa, discrepancy),  # type: ignore[arg-type]
        size=k,
        outcomes=outcomes,
        people=people,
        exact=exact,
        exact_finite=finite,
        group=name,
        limits=limits,
    )


def _rows(path: Path) -> Iterator[dict[str, object]]:
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        yield from pq.read_table(path).to_pylist()
        return
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _number(row: dict[str, object], name: str) -> float | None:
    value = row.get(name)
    if value is None or value == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UnreadableInput(f"column {name!r} holds something that is no number")
    return number
