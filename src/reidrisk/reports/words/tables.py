"""Tables in words: what is in one, its crowds and risks, how columns depend on each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reidrisk.measurement import ColumnProfile, ColumnsProfile, TableRisk
from reidrisk.printable import shell_word
from reidrisk.records import QUASI_IDENTIFIER, Table, number_of
from reidrisk.reports.crowd_figures import crowd_figures, level_of, verdict_of
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.words.blocks import (
    Blocks,
    Characters,
    Grid,
    Part,
    agreed,
    bar,
    number,
    people,
    share,
)
from reidrisk.statistics import Dependence

LONGEST_NAME = 18
BY_ALL_ROWS = (
    "People are described by all their rows, so how many rows somebody has sets them apart too."
)


def table_risk_blocks(risk: TableRisk) -> Blocks:
    """The whole answer."""
    dependence = dependence_parts(risk.dependence or (), risk.envelope.input.columns)
    model = of_the_model(risk) if risk.predicted else []
    parts = (sentences(risk), crowds_grid(risk), *dependence, model, [_details(risk)])
    return Blocks(headline(risk), risk.envelope, parts)


def headline(risk: TableRisk) -> str:
    """The verdict, and what it is about."""
    return f"{verdict(risk)} ({subject(risk)})"


def subject(risk: TableRisk) -> str:
    """What was counted or predicted."""
    seen = risk.envelope.input
    columns = agreed(len(seen.columns), "quasi-identifier", "quasi-identifiers")
    return f"{seen.named}: {counted(risk, round(risk.people))}, {columns}"


def verdict(risk: TableRisk) -> str:
    """How bad it is, in a few words."""
    told = Discretion(risk.people)
    level = level_of(crowd_figures(risk.crowd_sizes, told))
    return verdict_of(level, told, risk.envelope.input.nouns[1])


def counted(risk: TableRisk, amount: float) -> str:
    """1 person, 2 people; rows where it isn't known whether they are people."""
    return people(amount, risk.envelope.input.nouns)


def sentences(risk: TableRisk) -> list[str]:
    """Who is at risk, in three sentences that differ with the answer; and what makes people of
    several rows differ.
    """
    several_rows = any(each.key == "persons-of-rows" for each in risk.envelope.assumptions)
    return [
        _alone_sentence(risk),
        _overall_sentence(risk),
        _extremes_sentence(risk),
        *([BY_ALL_ROWS] if several_rows else []),
    ]


def _alone_sentence(risk: TableRisk) -> str:
    if risk.predicted:
        return _expected_alone(risk)
    alone, everyone = risk.alone, risk.people
    if alone.people == 0:
        return (
            "Nobody is alone (unique): everyone shares their combination of values with at least "
            f"{agreed(risk.smallest_crowd - 1, 'other', 'others')}."
        )
    if alone.people == everyone:
        if everyone == 1:
            one = risk.envelope.input.nouns[0]
            return f"The one {one} in the table is alone (unique)."
        return (
            f"Everyone is alone (unique): no two of the {counted(risk, everyone)} share a "
            "combination of values."
        )
    are = "is" if alone.people == 1 else "are"
    return (
        f"{counted(risk, alone.people)} of {number(everyone)} ({share(alone.share)}) {are} alone "
        "(unique): nobody else has their combination of values."
    )


def _expected_alone(risk: TableRisk) -> str:
    alone = risk.alone
    if alone.people < 0.5:
        return (
            "Nobody is expected to be alone (unique); the smallest crowd is likely to have "
            f"{counted(risk, risk.smallest_crowd)}."
        )
    limits = risk.intervals.get("alone_share")
    within = f", {_between(limits)}" if limits else ""
    return (
        f"{counted(risk, round(alone.people))} of {number(round(risk.people))} "
        f"({share(alone.share)}{within}) are expected to be alone (unique): nobody else has their "
        "combination of values."
    )


def _between(limits: tuple[float, float]) -> str:
    """The interval, which holds the model's error and chance."""
    return f"90 % interval {share(limits[0])} to {share(limits[1])}"


def of_the_model(risk: TableRisk) -> list[str]:
    """Which model, why, how its fit ended, and what independence would give."""
    told = [f"Model: {risk.envelope.model}. {risk.why}"]
    if risk.fit and risk.fit.get("ended") not in (None, "exact"):
        details = [f"{_FIT[key]} {risk.fit[key]:,.3g}" for key in _FIT if key in risk.fit]
        ended = _ENDS.get(risk.fit["ended"], risk.fit["ended"])
        if any(NOT_FITTED.search(warning) for warning in risk.envelope.warnings):
            # A note says how it ended, and how far off it is.
            ended = "The fit in figures"
            moves = ""
        else:
            ended, moves = _not_quite(risk.fit, risk.people, ended)
        told.append(f"{ended} ({', '.join(details)}).{moves}")
    if risk.reference is not None:
        under = risk.reference
        told.append(
            f"If all columns were independent: {number(round(under.alone.people))} alone "
            f"({share(under.alone_share)}), overall risk {share(under.overall_risk)}."
        )
    return told


def _not_quite(fit: Mapping[str, Any], people: float, ended: str) -> tuple[str, str]:
    """How a fit ended that came near enough for no warning, and what is left does to the figures:
    a person in another cell makes one crowd more or fewer at most.
    """
    off = fit.get("people_off")
    if fit["ended"] not in ("sweeps ran out", "no closer") or off is None:
        return ended, ""
    if off < HALF_A_PERSON:
        return "The fit ends within half a person of every two-way table", ""
    moved = share(off / people)
    return ended, f" What is off can move the overall risk by about {moved}."


HALF_A_PERSON = 0.5
NOT_FITTED = re.compile("^The fit did not converge|people could not be placed")
_ENDS = {
    "converged": "The fit converged",
    "sweeps ran out": "The fit did not converge within the allowed sweeps",
    "no closer": "The fit did not converge",
    "all reached": "All margins were met",
    "some tuples out of reach": "Some people could not be placed",
}
_FIT = {
    "sweeps": "sweeps",
    "tables": "drawn tables",
    "largest_pair_deviation": "largest pair deviation in people",
    "people_off": "people in other cells than published",
    "effective_rows": "effective rows",
    "monte_carlo_error": "Monte Carlo error of the overall risk",
    "samples": "samples",
    "capacity": "tables a sample",
    "unreached_people": "people out of reach",
}


def _overall_sentence(risk: TableRisk) -> str:
    hits, everyone = round(risk.expected_reidentifications), round(risk.people)
    limits = risk.intervals.get("overall_risk")
    within = f"; {_between(limits)}" if limits else ""
    return (
        "With one guess per person, an attacker who knows these columns re-identifies "
        f"{number(hits)} of {number(everyone)} on average: overall risk "
        f"{share(risk.overall_risk)} (average risk, marketer{within})."
    )


def _extremes_sentence(risk: TableRisk) -> str:
    smallest, largest = risk.smallest_crowd, risk.crowd_sizes.largest_crowd
    highest = f"highest risk {share(risk.highest_risk)} (maximum, prosecutor)"
    k = f"k-anonymity: k = {number(smallest)}"
    if smallest == largest:
        return f"Every crowd has {counted(risk, smallest)} ({k}): {highest}."
    return (
        f"Smallest crowd {number(smallest)} ({k}): {highest}. Largest crowd {number(largest)}: "
        f"lowest risk {share(risk.lowest_risk)}."
    )


def crowd_rows(risk: TableRisk) -> list[tuple[str, str, str, float]]:
    """(crowd, people, share, share as a number): alone, then at least k."""
    rows = [("alone", number(round(risk.alone.people)), share(risk.alone_share), risk.alone_share)]
    for k, part in risk.share_in_crowds_of_at_least.items():
        rows.append((f"at least {number(k)}", number(round(part * risk.people)), share(part), part))
    return rows


def crowds_grid(risk: TableRisk) -> Grid:
    """People alone, and in crowds of at least k; predicted ones with their intervals."""
    rows = crowd_rows(risk)
    heads: tuple[str, ...] = ("crowd", risk.envelope.input.nouns[1], "share")
    cells: list[tuple[str, ...]] = [(crowd, held, part) for crowd, held, part, _ in rows]
    if risk.intervals:
        ends = [risk.intervals.get("alone_share"), *map(risk.interval_at_least, risk.at_crowds)]
        heads = (*heads, "90 % interval")
        cells = [(*row, _ends(limits)) for row, limits in zip(cells, ends, strict=True)]
    return Grid(heads, tuple(cells), bars=tuple(bar(part) for *_, part in rows))


def _ends(limits: tuple[float, float] | None) -> str:
    return "" if limits is None else f"{share(limits[0])} to {share(limits[1])}"


def _details(risk: TableRisk) -> str:
    entropy = risk.entropy
    known = {
        "everyone different": entropy.maximum,
        "sum of the columns": entropy.experience,
        "if independent": entropy.random,
        "as it is": entropy.table,
    }
    bits = ", ".join(f"{name} {value:.2f}" for name, value in known.items() if value is not None)
    # Where an empty cell matches anything there are matches, not crowds.
    matched = risk.crowd_sizes.kind == "matched"
    crowds = "" if matched else f"Crowds (equivalence classes): {number(round(risk.distinct))}. "
    return f"{crowds}Entropy in bits: {bits}."


def dependence_parts(found: Sequence[Dependence], columns: Sequence[str]) -> tuple[Part, ...]:
    """The matrix for pairs of columns; a line for a group that was asked for."""
    if any(len(each.of) > 1 or len(each.on) > 1 for each in found) or len(found) == 1:
        return ([_group_sentence(each) for each in found],)
    return (_matrix(found, columns), [_following(found)]) if found else ()


def _group_sentence(each: Dependence) -> str:
    return (
        f"{','.join(each.of)} depends on {','.join(each.on)}: gain ratio {each.gain_ratio:.3f} "
        f"({each.kind}), corrected for chance; uncorrected {each.uncorrected:.3f}."
    )


def _matrix(found: Sequence[Dependence], columns: Sequence[str]) -> Grid:
    ratio = {(each.of[0], each.on[0]): each.gain_ratio for each in found}
    rows = []
    for place, of in enumerate(columns, start=1):
        cells = ["–" if of == on else _cell(ratio.get((of, on))) for on in columns]
        rows.append((f"{place} {of[:LONGEST_NAME]}", *cells))
    heads = ("predicted by …", *(str(place) for place in range(1, len(columns) + 1)))
    return Grid(heads, tuple(rows))


def _cell(ratio: float | None) -> str:
    """Two digits; one that isn't quite 1 doesn't look like it."""
    if ratio is None:
        return ""
    return "1" if ratio == 1 else f"{min(ratio, 0.99):.2f}"[1:]


def _following(found: Sequence[Dependence]) -> str:
    complete = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "complete"]
    strong = [f"{each.of[0]} from {each.on[0]}" for each in found if each.kind == "strong"]
    said = (
        "Dependence (gain ratio corrected for chance, 0 to 1): how well the column numbered above "
        "predicts the column on the left."
    )
    if complete:
        said += f" Entirely predicted: {', '.join(complete)}."
    if strong:
        said += f" Largely predicted: {', '.join(strong)}."
    return said


def columns_blocks(profile: ColumnsProfile, command: str = "") -> Blocks:
    """One line a column, then the option to copy, behind the `command` it belongs to."""
    rows = tuple(
        (
            column.name,
            _distinct(column),
            number(column.empty) if column.empty else "–",
            column.kind,
            column.role + (f" ({column.why})" if column.why else ""),
        )
        for column in profile.columns
    )
    seen = profile.envelope.input
    heads = ("column", "distinct", "empty", "kind", "likely role")
    likely = sum(column.role == QUASI_IDENTIFIER for column in profile.columns)
    headline = (
        f"{agreed(likely, 'likely quasi-identifier', 'likely quasi-identifiers')} ({seen.named}: "
        f"{agreed(profile.rows, 'row', 'rows')}, {agreed(len(rows), 'column', 'columns')})"
    )
    parts = (
        Grid(heads, rows, (0, 3, 4)),
        [f"Detected: {note}." for note in seen.notes],
        _estimated(profile),
        Characters(f"  {_option(profile, command)}"),
    )
    unanswered = profile.unit.unanswered
    note = (f"{profile.unit.question} {profile.unit.answers}",) if unanswered else ()
    about = replace(profile.envelope, warnings=(*note, *profile.envelope.warnings))
    return Blocks(headline, about, parts)


def _estimated(profile: ColumnsProfile) -> list[str]:
    errors = [each.distinct_error for each in profile.columns if each.distinct_error is not None]
    if not errors:
        return []
    return [
        "Distinct values of long columns are estimated, not counted: 99 of 100 such figures are "
        f"off by less than {share(max(errors))}."
    ]


def _distinct(column: ColumnProfile) -> str:
    """No more digits than are known."""
    if not column.approximate:
        return number(column.distinct)
    digits = max(len(str(column.distinct)) - 2, 0)
    return f"about {number(round(column.distinct, -digits))}"


def _option(profile: ColumnsProfile, command: str) -> str:
    if not profile.columns_option:
        return "No column is likely a quasi-identifier; choose some with --columns."
    return f"To copy: {command}{profile.columns_option}"


MANY_VALUES = 20
TOO_MANY_VALUES = 100_000


def next_steps(risk: TableRisk, table: Table, wrote_risk_file: bool = False) -> list[str]:
    """Options to add to the command just run, each with what it answers."""
    steps = []
    coarser = _coarser_option(table) if risk.alone.people else ""
    if coarser:
        steps.append((coarser, "how much do coarser values help?"))
    if not wrote_risk_file:
        named = " --key COL" if table.engine.stays else ""
        steps.append((f"--risk-file risk.parquet{named}", "each record's crowd and risk"))
    steps.append(("--fail-above overall_risk=0.05", "as a check in a pipeline"))
    width = max(len(option) for option, _ in steps)
    return [f"{option.ljust(width)}  {answers}" for option, answers in steps]


def _coarser_option(table: Table) -> str:
    """Bands for the number with most values, or fewer digits for the code with most."""
    held = {name: len(table.engine.value_counts(name)) for name in table.columns}
    # Values themselves are looked at only where they are few enough to be worth it.
    tried = [name for name in held if MANY_VALUES <= held[name] <= TOO_MANY_VALUES]
    for name in sorted(tried, key=lambda name: -held[name]):
        if name in table.engine.options.recoding or "," in name:
            continue
        values = table.engine.marginal(name).values
        numbers = [number_of(value) for value in values[:1000]]
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers):
            if _is_code(values):
                return f"--levels {shell_word(f'{name}={len(values[0]) // 2 or 1}')}"
            return f"--bands {shell_word(f'{name}={_width(max(known) - min(known))}')}"
    return ""


def _is_code(values: tuple[str, ...]) -> bool:
    """Codes are of one length and long, or begin with a zero: postcodes, not ages."""
    some = values[:1000]
    leading = any(text[0] == "0" and len(text) > 1 for text in some)
    return leading or (len({len(text) for text in some}) == 1 and len(some[0]) >= 4)


def _width(span: float) -> str:
    """A round width that makes about fifteen bands: 5 for ages."""
    width = 1.0
    while span / width > 40:
        for step in (2, 2.5, 2):
            width *= step
            if span / width <= 25:
                return f"{width:g}"
    return f"{max(width, 5):g}"
