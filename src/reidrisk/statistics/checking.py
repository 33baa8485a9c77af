"""Checking: does a statistics file agree with itself? Every fault is named, with both numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from reidrisk.engines.text_form import text_form
from reidrisk.errors import InputError
from reidrisk.statistics.statistics import Attribute, PairCounts, Statistics, Suppressed, Value

MOST_FAULTS_TOLD = 20


class InconsistentStatistics(InputError):
    """Statistics that disagree with themselves; `faults` names every disagreement."""

    kind = "inconsistent_statistics"

    def __init__(self, named: str, found: Sequence[str]) -> None:
        self.faults = tuple(found)
        more = len(found) - MOST_FAULTS_TOLD
        beyond = [f"and {more} more"] if more > 0 else []
        told = [*found[:MOST_FAULTS_TOLD], *beyond]
        super().__init__(f"{named} disagrees with itself:", details=told)


def faults(statistics: Statistics) -> list[str]:
    """Every disagreement, as a sentence; none for statistics that may be predicted from."""
    return [
        *_repeated(statistics),
        *_sample(statistics),
        *(said for each in statistics.attributes for said in _attribute(each, statistics)),
        *(said for each in statistics.pairs for said in _pair(each, statistics)),
    ]


def _repeated(statistics: Statistics) -> Iterator[str]:
    for name, times in Counter(statistics.names).items():
        if times > 1:
            yield f"attribute {name!r} is listed {times} times"
    for of, times in Counter(tuple(sorted(each.of)) for each in statistics.pairs).items():
        if times > 1:
            yield f"the pair of {of[0]!r} and {of[1]!r} is listed {times} times"


def _sample(statistics: Statistics) -> Iterator[str]:
    whole = statistics.sample_of
    if whole is not None and whole < statistics.records:
        yield f"{statistics.records:,} records can't be a sample of {whole:,} people"


def _attribute(attribute: Attribute, statistics: Statistics) -> Iterator[str]:
    yield from _labels(attribute)
    other = attribute.other
    if other is not None and other.count + _slack(1, statistics) < other.values:
        yield (
            f"attribute {attribute.name!r}: other lumps {other.values:,} values of "
            f"{other.count:,} people together"
        )
    slack = _slack(attribute.cells, statistics)
    least, most = attribute.known, _most(attribute.known, attribute.suppressed)
    if least > statistics.records + slack:
        yield (
            f"attribute {attribute.name!r}: its counts add up to {least:,}, more than the "
            f"{statistics.records:,} records"
        )
    elif most is not None and most < statistics.records - slack:
        word = "at most " if attribute.suppressed else ""
        yield (
            f"attribute {attribute.name!r}: its counts add up to {word}{most:,}, fewer than the "
            f"{statistics.records:,} records"
        )


def _labels(attribute: Attribute) -> Iterator[str]:
    """39 and 39.0 are one value, and an empty label is none."""
    forms = Counter(text_form(value) for value in attribute.counts)
    for form, times in forms.items():
        if form is None:
            yield f"attribute {attribute.name!r}: a label is empty; that is `missing`"
        elif times > 1:
            yield f"attribute {attribute.name!r}: {times} of its labels are the one value {form!r}"


def _most(known: int, suppressed: list[Suppressed]) -> int | None:
    """The largest sum; None when a suppressed count may be anything."""
    bounds = [each.most for each in suppressed]
    return None if None in bounds else known + sum(each for each in bounds if each is not None)


def _slack(cells: int, statistics: Statistics) -> float:
    """How far rounding may take a sum of so many numbers from the truth: half a step each."""
    return cells * statistics.rounded_to / 2 if statistics.rounded_to else 0.0


def _pair(pair: PairCounts, statistics: Statistics) -> Iterator[str]:
    named = f"the pair of {pair.of[0]!r} and {pair.of[1]!r}"
    unknown = [name for name in pair.of if name not in statistics.names]
    if unknown:
        yield f"{named}: there is no attribute {unknown[0]!r}"
        return
    if pair.of[0] == pair.of[1]:
        yield f"{named}: an attribute makes no pair with itself"
        return
    for side, name in enumerate(pair.of):
        yield from _side(pair, side, statistics.attribute(name), statistics, named)


def _side(
    pair: PairCounts, side: int, attribute: Attribute, statistics: Statistics, named: str
) -> Iterator[str]:
    """A pair table's rows against the attribute's counts.

    Never more; and fewer by no more people than the table as a whole leaves out: none, of a table
    that covers every record.
    """
    in_row = Counter(values[side] for values in pair.counts)
    left_out = _left_out(pair, statistics)
    margin = pair.margin(side)
    for value, cells in in_row.items():
        people = _people(attribute, value)
        if people is None:
            yield f"{named}: {attribute.name!r} has no value {value!r}"
            continue
        row, slack = margin.get(value, 0), _slack(cells + 1, statistics)
        if isinstance(people, Suppressed):
            if people.most is not None and row > people.most + slack:
                yield _disagreement(named, attribute, value, row, people.most, "more")
            continue
        if row > people + slack:
            yield _disagreement(named, attribute, value, row, people, "more")
        elif left_out is not None and row < people - slack - left_out:
            yield _disagreement(named, attribute, value, row, people, "fewer")


def _left_out(pair: PairCounts, statistics: Statistics) -> float | None:
    """The most people that a pair table's cells may leave out; None where the rows say it all.

    Of counts that are exact, rows that lack more than the table does stand beside rows that have
    too many, which are told.
    """
    left = statistics.records - pair.known
    if statistics.rounded_to:
        return max(left + _slack(len(pair.counts), statistics), 0.0)
    return 0.0 if left <= 0 else None


def covers_everybody(stated: float, cells: int, records: int, rounded_to: int | None) -> bool:
    """Whether cells that add up to so many may well be all there are.

    Rounding moves a sum of c cells by R·√(c/12) usually, and seldom by three times that. What
    rounding can do at most, half a step a cell, would take tables for whole that lack a tenth.
    """
    return stated >= records - 3.0 * (rounded_to or 0) * math.sqrt(cells / 12.0)


def _people(attribute: Attribute, value: Value) -> int | Suppressed | None:
    return attribute.missing if value is None else attribute.counts.get(value)


def _disagreement(
    named: str,
    attribute: Attribute,
    value: Value,
    row: int,
    people: int,
    word: str,
) -> str:
    which = "the missing value" if value is None else f"{value!r}"
    return (
        f"{named}: its cells with {which} of {attribute.name!r} add up to {row:,}, {word} than the "
        f"{people:,} people of that value"
    )
