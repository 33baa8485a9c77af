"""The precomputed table that Koot et al. want statistical offices to publish.

One row a group and size: `group`, `outcomes` (N), `people`, `kappa`, `exact`, then `size` (which
`exact` is of) and `discrepancy`. κ, N and the discrepancy give the published forms at any size;
`exact` is known at the sizes it was written for, and with `people` so is exact_finite, as
exact/π_u(k, people).
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from reidrisk.crowds import Envelope, Input, InputHash, assumed
from reidrisk.errors import InputError, UnreadableInput
from reidrisk.input_hash import state_of
from reidrisk.laws import published_forms
from reidrisk.output_files import table_kind, table_writer, whole_file
from reidrisk.prediction.group_risk import GroupFigures, GroupRisk, figures_by_kappa

USUAL_LEAST = 5
# Groups of so many times the threshold have a discrepancy and exact in a published file.
LARGE = 100
# Groups of fewer than e tuples, as it were, aren't told apart.
LEAST_ENTROPY = 1.0
NEEDED = ("group", "outcomes", "people", "kappa", "exact")
SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("outcomes", pa.int64()),
        ("people", pa.int64()),
        ("kappa", pa.float64()),
        ("exact", pa.float64()),
        ("size", pa.int64()),
        ("discrepancy", pa.float64()),
    ]
)


def write_group_file(
    risk: GroupRisk, path: str | os.PathLike[str], at_least: int = USUAL_LEAST
) -> int:
    """Write a row for each group and size, as CSV or Parquet; how many groups were left out.

    The file is made to be published: it names no group of fewer than `at_least` people, and gives
    κ in classes from which no smaller number follows (`_published`). With 1 it has all figures as
    they are.

    Parameters:
        risk: of groups, as `group` answers with `by`.
        path: .csv or .parquet.
        at_least: groups of fewer people aren't named.
    """
    target = Path(path)
    kind = table_kind(target)
    if at_least < 1:
        raise InputError("--at-least is a whole number from 1")
    if len({tuple(each.bands.items()) for each in risk.groups}) > 1:
        raise InputError("a file holds one width of bands", "ask for one width at a time")
    named = [each for each in risk.groups if at_least == 1 or (each.people or 0) >= at_least]
    if not named:
        raise InputError(
            f"no group has {at_least} people, so none may be named in the file",
            "--at-least 1 writes every group, for yourself",
        )
    groups = named if at_least == 1 else [_published(each, at_least) for each in named]
    rows = {name: [getattr(each, name) for each in groups] for name in SCHEMA.names}
    rows["group"] = [each or "" for each in rows["group"]]
    if max(rows["outcomes"]) >= 1 << 63:
        raise InputError("there are too many outcomes to be written as one number")
    with whole_file(target) as beside, table_writer(beside, kind, SCHEMA) as write:
        write(pa.record_batch(rows, schema=SCHEMA))
    return len({each.group for each in risk.groups} - {each.group for each in named})


def _published(figures: GroupFigures, least: int) -> GroupFigures:
    """Figures of a group of m people that don't tell how few of them are alone, or in pairs.

    H is at most log m, where all tuples differ, and 2·log 2/m less for each pair. What κ to full
    precision tells of five people is which of seven ways they are in crowds. So log m − H is told
    in steps of 2t·log 2/m, those of H below one nat as one; a test tries all groups of up to 30.
    People are rounded to multiples of t. The discrepancy and exact are left out below 100·t people
    and rounded above, to what t pairs change: N·t/m² and about k²·t/m² of itself.
    """
    m, k = figures.people or least, figures.size
    rounded = least * round(m / least)
    step = 2.0 * least * math.log(2.0) / rounded
    lacking = min(
        figures.kappa - math.log(figures.outcomes) + math.log(m), math.log(m) - LEAST_ENTROPY
    )
    told = (math.floor(max(lacking, 0.0) / step + 1e-9) + 0.5) * step
    kappa = max(math.log(figures.outcomes) - math.log(rounded) + told, 0.0)
    exact, discrepancy, pairs = None, None, least / (m * m)
    if m >= LARGE * least:
        if figures.exact is not None:
            exact = min(_in_steps(figures.exact, figures.exact * min(k * k * pairs, 1.0)), 1.0)
        if figures.discrepancy is not None:
            discrepancy = _in_steps(figures.discrepancy, figures.outcomes * pairs)
    return replace(
        figures, people=rounded, kappa=float(f"{kappa:.6g}"), exact=exact, discrepancy=discrepancy
    )


def _in_steps(value: float, least: float) -> float:
    """The nearest multiple of the next power of ten, or its double or quintuple, from `least`."""
    if least <= 0.0:
        return value
    power = 10.0 ** math.floor(math.log10(least))
    step = next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= least * 0.999999)
    return float(f"{round(value / step) * step:.12g}")


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
        groups.setdefault(name, {key: _number(row, key) for key in (*NEEDED[1:4], "discrepancy")})
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
    return GroupFigures(
        **figures_by_kappa(k, outcomes, kappa, discrepancy),  # type: ignore[arg-type]
        size=k,
        outcomes=outcomes,
        people=people,
        exact=exact,
        exact_finite=finite,
        group=name,
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
