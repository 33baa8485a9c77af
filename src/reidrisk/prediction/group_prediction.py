"""`group`: are all k members of a group unique, and how likely is that? (Koot et al.)"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from reidrisk.crowds import Assumption, Envelope
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.measurement import envelope, seen_coarser
from reidrisk.models import AUTO, checked_model
from reidrisk.prediction.group_file import is_group_file, read_group_file
from reidrisk.prediction.group_risk import GroupRisk, figures_of
from reidrisk.prediction.person_values import found_in_table, parsed_values, values_matched
from reidrisk.prediction.populations import (
    Population,
    counted,
    described,
    left_out,
    only_listed,
    refuse_gaps,
)
from reidrisk.prediction.questions import LoadedStatistics, asked_with_recoding, completion
from reidrisk.records import (
    ReadingBesides,
    Recoding,
    Table,
    parsed_bands,
    parsed_digits,
    unknown_column,
)

LARGEST = 10_000_000
DRAWN = Assumption(
    "members-drawn",
    "group",
    "Members are drawn independently of each other (exact), or are different people of these "
    "(exact_finite).",
)
Widths = Mapping[str, object]


def group(
    source: Any,
    size: int | None = None,
    *,
    sizes: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    by: str | None = None,
    bands: Widths | None = None,
    levels: Mapping[str, object] | None = None,
    values: Mapping[str, object] | None = None,
    member: Mapping[str, object] | None = None,
    under: float | None = None,
    model: str = AUTO,
    simulate: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    **reading: Unpack[ReadingBesides],
) -> GroupRisk:
    """P(all members of a group of `size` are unique), from statistics or a table.

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes). A file that `write_group_file` wrote is read back.
        size: of the group.
        sizes: or several sizes.
        columns: the quasi-identifiers; by default all of the table or of the statistics.
        by: a column of a table: each of its values is a group of its own.
        bands: {column: width or widths}, as in ``{"age": [1, 2, 5]}``.
        levels: {column: digits} keeps the first characters of codes.
        values: what an attribute may be, as in ``{"age": "0-94"}``.
        member: {column: value}: the probability that somebody with these values is unique.
        under: from which size on the probability is at most this.
        model: ``tree``, ``independent``, or ``auto``, which takes a tree where there are pair
            tables.
        simulate: draw groups until the relative half-width of the interval is this.
        confidence: of that interval.
        seed: of whatever is drawn at random; the answer repeats it.
    """
    wanted = checked_sizes(size, sizes, under)
    _refuse(model, under, simulate, confidence)
    if _is_group_file(source):
        return read_group_file(Path(source), wanted)
    columns = [columns] if isinstance(columns, str) else columns
    wanted_columns = None if columns is None else [*columns, *([by] if by else [])]
    statistics_or_records, _, _ = asked_with_recoding(
        source, reading, None, None, columns=wanted_columns
    )
    listed = parsed_values(values)
    views = [
        dict(zip(bands or {}, each, strict=True))
        for each in product(*(widths_of(name, given) for name, given in (bands or {}).items()))
    ]
    if isinstance(statistics_or_records, Table):
        answered = _from_table(
            statistics_or_records, columns, by, views, levels or {}, listed, member
        )
    else:
        if by is not None:
            raise InputError(
                "--by needs records: statistics don't say which combinations of values go with "
                "which group",
                "give the table, or statistics of one group",
            )
        answered = _from_statistics(
            statistics_or_records, columns, views, levels or {}, listed, member, model, seed
        )
    about, populations = answered
    rng = np.random.default_rng(seed)
    figures = tuple(
        figures_of(population, k, under, simulate, confidence, rng)
        for population in populations
        for k in wanted or [population.law.smallest_under(under or 0.0)]
    )
    if simulate is not None:
        about = replace(about, seed=seed)
    several = sizes is not None or by is not None or len(views) > 1
    return GroupRisk(about, figures, several, under, statistics_or_records, by, listed)


def checked_sizes(
    size: int | None, sizes: Sequence[int] | None, under: float | None
) -> tuple[int, ...]:
    """The group sizes asked for; none where `under` is to find one."""
    if size is not None and sizes is not None:
        raise ContradictoryOptions("--size and --sizes can't both hold", "keep one of them")
    chosen = [size] if size is not None else list(sizes or ())
    if not chosen and (under is None or sizes is not None):
        raise InputError("no group size was given", "as in --size 29 or --sizes 2-60")
    if not all(isinstance(k, (int, np.integer)) and 1 <= k <= LARGEST for k in chosen):
        raise InputError(f"group sizes are whole numbers from 1 to {LARGEST:,}")
    return tuple(dict.fromkeys(int(k) for k in chosen))


def _refuse(model: str, under: float | None, simulate: float | None, confidence: float) -> None:
    checked_model(model, "group")
    if under is not None and not 0.0 < under < 1.0:
        raise InputError("--under is a probability between 0 and 1", "as in --under 0.01")
    if simulate is not None and not 0.001 <= simulate <= 1.0:
        raise InputError("--simulate is a relative half-width from 0.001 to 1", "as in 0.1")
    if not 0.5 <= confidence < 1.0:
        raise InputError("--confidence lies between 0.5 and 1", "as in 0.95")


def widths_of(name: str, given: object) -> list[str]:
    """One width or several; 1,2,5 is three."""
    parts = given.split(",") if isinstance(given, str) else given
    found = [parts] if not isinstance(parts, (list, tuple)) else list(parts)
    if not found:
        raise InputError(f"--bands {name}: no width is given", "as in age=5")
    return [str(each).strip() for each in found]


def _ways(bands: Mapping[str, str], levels: Mapping[str, object]) -> dict[str, Recoding]:
    ways = {name: parsed_bands(name, width) for name, width in bands.items()}
    both = set(ways) & set(levels)
    if both:
        raise ContradictoryOptions(f"--bands and --levels both name {sorted(both)[0]!r}")
    return ways | {name: parsed_digits(name, str(digits)) for name, digits in levels.items()}


def _from_statistics(
    loaded: LoadedStatistics,
    columns: Sequence[str] | None,
    views: Sequence[Mapping[str, str]],
    levels: Mapping[str, object],
    values: Mapping[str, tuple[str, ...]],
    member: Mapping[str, object] | None,
    model: str,
    seed: int,
) -> tuple[Envelope, list[Population]]:
    texts = {name: str(digits) for name, digits in levels.items()}
    _known(values, columns or loaded.statistics.names)
    populations, used, by_chance = list[Population](), model, False
    assumptions: list[Assumption] = [DRAWN]
    for bands in views:
        complete = completion(loaded.statistics, columns, bands, texts)
        seen = described(complete, model, values, _ways(bands, levels), member, bands, seed)
        populations.append(seen.population)
        assumptions += [each for each in seen.assumptions if each not in assumptions]
        used, by_chance = seen.model, by_chance or seen.drawn
    names = columns or loaded.statistics.names
    about = loaded.envelope("group", names, used, assumptions, seed=seed if by_chance else None)
    return about, populations


def _from_table(
    table: Table,
    columns: Sequence[str] | None,
    by: str | None,
    views: Sequence[Mapping[str, str]],
    levels: Mapping[str, object],
    values: Mapping[str, tuple[str, ...]],
    member: Mapping[str, object] | None,
) -> tuple[Envelope, list[Population]]:
    options = table.engine.options
    if options.person is not None or options.missing == "wildcard":
        raise ContradictoryOptions(
            "each member of a group has one combination of values; with --person or --missing "
            "wildcard there may be several",
            "leave them out",
        )
    chosen = [name for name in columns or table.columns if name != by]
    for name in (*chosen, *([by] if by else [])):
        if name not in table.columns:
            raise unknown_column(name, table.columns)
    if not chosen:
        raise InputError("no quasi-identifiers are left", "name at least one: --columns age,sex")
    if member is not None and by is not None:
        raise ContradictoryOptions("--member and --by can't both hold", "keep one of them")
    _known(values, chosen)
    everybody = table.engine.coded_tuples([*([by] if by else []), *chosen]).each_once()[0]
    tuples = only_listed(everybody, values, options.recoding)
    populations: list[Population] = []
    assumptions = [DRAWN, *left_out(everybody.total - tuples.total)]
    for bands in views:
        ways = _ways(bands, levels)
        seen = tuples.recoded(ways) if ways else tuples
        populations += counted(seen, by, values, {**options.recoding, **ways}, bands)
        assumptions += seen_coarser(ways)
    if member is not None:
        if any(views) or values:
            raise ContradictoryOptions(
                "--member is looked up in the table as it was read, without --values or further "
                "bands",
                "leave them out, or give the bands to rr.read",
            )
        populations, forgiven = _with_member(table, chosen, populations, member)
        assumptions += values_matched(forgiven)
    about = envelope("group", table, chosen, list(dict.fromkeys(assumptions)))
    # Nobody attacks here: the question is whether members of a group are alike.
    kept = tuple(each for each in about.assumptions if each.about != "attacker")
    return replace(about, assumptions=kept, model="counted"), populations


def _with_member(
    table: Table,
    columns: Sequence[str],
    populations: Sequence[Population],
    member: Mapping[str, object],
) -> tuple[list[Population], list[str]]:
    """p of the member's tuple: how many of these people have it."""
    values, notes = found_in_table(table, member)
    refuse_gaps(columns, values)
    people = table.engine.people_with({name: values[name] for name in columns})
    return [replace(each, member=people / each.people) for each in populations], notes


def _known(values: Mapping[str, object], columns: Sequence[str]) -> None:
    for name in values:
        if name not in columns:
            raise unknown_column(name, columns)


def _is_group_file(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and is_group_file(Path(source))
