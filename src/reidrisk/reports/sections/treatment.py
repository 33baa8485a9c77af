"""Targets and treatment: is a limit kept, what was done to the table, what would coarser values do.

A report to be published shows no figure of the table before: two tables that differ by few people
reveal those few. It says how coarse each column became, and how many people were left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from reidrisk.crowds import CrowdSizes, Limit, first_size, measure_named
from reidrisk.errors import InputError
from reidrisk.generalisation import Reached, ReleaseRecord
from reidrisk.measurement import TableRisk
from reidrisk.records import Table, read
from reidrisk.reports.charts.curves import Bought, frontier_alt_text, generalisation_frontier
from reidrisk.reports.crowd_figures import crowd_figures
from reidrisk.reports.discretion import Discretion, Told
from reidrisk.reports.document import Picture, Section
from reidrisk.reports.findings import Found
from reidrisk.reports.words.blocks import Grid, listed, number, share
from reidrisk.reports.words.generalised import LOSSES
from reidrisk.reports.words.search import figure
from reidrisk.searches import Yardstick

Limits = tuple[Yardstick, ...]


def checked_limits(given: Mapping[str, Limit]) -> Limits:
    """{measure: limit} as yardsticks, refused before anything is counted."""
    limits = []
    for name, each in given.items():
        measure = measure_named(name)
        value = measure.limit(each, name)
        if not measure.safer_when_larger:
            measure.threshold(value)
        limits.append(Yardstick(measure, value))
    return tuple(limits)


def refuse_telling_limits(limits: Limits, at_least: int) -> None:
    """Whether a crowd below what may be told is there can't be told either.

    Nor whether any other exact measure is within a limit: two limits would enclose it.
    """
    for each in limits:
        size = _size(each)
        if size is None or each.measure.release != "smallest crowd":
            raise InputError(
                f"whether {each.name} is within a limit reveals more than may be published",
                f"a --publishable report judges crowds of at least {at_least}: -k {at_least}",
            )
        if 1 < size < at_least:
            raise InputError(
                f"whether every crowd has {size} people reveals crowds below {at_least}",
                f"a --publishable report judges crowds of at least {at_least}",
            )


def _size(limit: Yardstick) -> int | None:
    """The crowd that a limit asks for; None where it asks for none."""
    assert limit.allowable is not None
    return limit.measure.least_crowd(limit.allowable) if limit.allowable > 0 else None


def target_section(found: Found, told: Discretion, limits: Limits) -> Section | None:
    """Each limit with what was found; None where none was given."""
    if not limits:
        return None
    crossed = [each for each in limits if each.risky(float(found.risk.value(each.name)))]
    rows = tuple(
        (_asked(each), _found(found, told, each).text, "no" if each in crossed else "yes")
        for each in limits
    )
    return Section(
        "target",
        "Is the target met?",
        tuple(_target_sentences(limits, crossed)),
        (),
        (Grid(("target", "found", "met"), rows, (0, 2)),),
        {each.name: _found(found, told, each) for each in limits},
        "met: the measure is at most its limit, compared as fractions; at least, where larger is "
        "safer",
        "A target says nothing about columns outside the quasi-identifiers, and nothing about what "
        "is disclosed about people within a crowd (attribute disclosure).",
    )


def _target_sentences(limits: Limits, crossed: list[Yardstick]) -> list[str]:
    asked = listed([_asked(each) for each in limits])
    said = [f"Target: {asked}."]
    if not crossed:
        said.append("It is met.")
    elif len(crossed) == len(limits):
        said.append("It isn't met.")
    else:
        said.append(f"It isn't met: {listed([_asked(each) for each in crossed])} isn't reached.")
    notes = (each.measure.rounding_note(each.allowable or 0.0) for each in limits)
    return [*said, *(note for note in notes if note)]


def _asked(limit: Yardstick) -> str:
    size = _size(limit)
    if size is not None:
        return f"crowds of at least {number(size)}"
    beyond = "up to" if limit.rising else "at least"
    return f"{limit.name} {beyond} {figure(limit.name, limit.allowable)}"


def _found(found: Found, told: Discretion, limit: Yardstick) -> Told:
    figures = crowd_figures(found.risk.crowd_sizes, told)
    return figures.smallest if _size(limit) is not None else figures.exactly(limit.measure)


MEASURES = ("people", "alone_share", "overall_risk", "smallest_crowd", "distinct")


@dataclass(frozen=True)
class Treatment:
    """The measures before, and the record of what was done where there is one."""

    before: Mapping[str, float]
    record: ReleaseRecord | None = None


def treatment_of(
    before: Any, record: ReleaseRecord | None, now: Table, sha256: Callable[[], str | None]
) -> Treatment | None:
    """From the table before, counted by the same columns; else from the record that suits."""
    suiting = record if record is not None and record.suits(sha256()) else None
    if before is None:
        return None if suiting is None else Treatment(_recorded(suiting), suiting)
    table = before if isinstance(before, Table) else read(before, columns=list(now.columns))
    if set(table.columns) != set(now.columns):
        raise InputError(
            "the table before has other quasi-identifiers",
            f"read it with columns {', '.join(now.columns)}",
        )
    crowds: CrowdSizes = table.engine.crowd_sizes()
    if crowds.people < now.people:
        raise InputError(
            f"the table before has {crowds.people:,} people, fewer than the {now.people:,} now",
            "--before names the table that this one was made from",
        )
    return Treatment({name: float(measure_named(name).value(crowds)) for name in MEASURES}, suiting)


def _recorded(record: ReleaseRecord) -> dict[str, float]:
    return {name: record.before(name) for name in MEASURES if name in record.told["before"]}


def treatment_section(done: Treatment | None, risk: TableRisk, told: Discretion) -> Section | None:
    """Levels, people left out, and, for oneself, the measures before and after."""
    if done is None:
        return None
    gone = max(done.before["people"] - risk.people, 0)
    left = Discretion(done.before["people"], told.at_least).people(gone)
    grids = [] if told.folds else [_measures(done, risk)]
    if done.record is not None:
        grids.append(_levels(done.record))
    return Section(
        "treatment",
        "What was done to this table?",
        tuple(_treatment_sentences(done, gone, left.text, told)),
        (),
        tuple(grids),
        {"people_left_out": left},
        "before and after: the same measures of the same columns",
        "What other columns reveal, and who was left out, isn't shown here."
        + (" Figures of the table before aren't published." if told.folds else ""),
    )


def _treatment_sentences(done: Treatment, gone: float, left: str, told: Discretion) -> list[str]:
    said = []
    if done.record is not None:
        coarser = [name for name, (level, _) in done.record.levels.items() if level]
        said.append(f"Made coarser: {listed(coarser)}." if coarser else "No column became coarser.")
    if gone == 0:
        said.append("Nobody was left out.")
    elif told.folds:
        said.append(f"People left out: {left}.")
    else:
        part = share(gone / done.before["people"])
        said.append(f"People left out: {left} of {number(done.before['people'])} ({part}).")
    return said


def _measures(done: Treatment, risk: TableRisk) -> Grid:
    rows = tuple(
        (
            measure_named(name).plain,
            figure(name, done.before[name]),
            figure(name, float(risk.value(name))),
        )
        for name in MEASURES
        if name in done.before
    )
    return Grid(("", "before", "now"), rows)


def _levels(record: ReleaseRecord) -> Grid:
    rows = tuple(
        (name, f"{level} of {height}" + (" (hidden)" if level == height > 0 else ""))
        for name, (level, height) in record.levels.items()
    )
    return Grid(("column", "level"), rows, (0, 1))


MEASURE = "highest risk"


def generalisation_section(found: Found, told: Discretion) -> Section | None:
    """The frontier of generalising, the least loss first; None where it wasn't asked for."""
    if found.generalised is None or not found.generalised.frontier:
        return None
    steps = [each for each in found.generalised.frontier if _may_be_told(each, told)]
    if not steps:
        return None
    points = [Bought(each.loss, _risk(each, told), each.told) for each in steps]
    rows = tuple(
        (_crowd(each.allowable), share(each.loss), share(_risk(each, told)), each.told)
        for each in steps
    )
    first, last = steps[0], steps[-1]
    stopped = (
        ""
        if all(each.proven for each in steps)
        else " Not all are proven to be: the time limit was reached."
    )
    return Section(
        "generalisation",
        "What would coarser values do?",
        (
            f"Crowds of at least {_crowd(first.allowable)} take a loss of detail of "
            f"{share(first.loss)}; crowds of at least {_crowd(last.allowable)} take "
            f"{share(last.loss)}."
            if last.loss
            else f"No detail has to be lost for crowds of at least {_crowd(last.allowable)}.",
            f"Each step is the least loss that reaches these crowds.{stopped}",
        ),
        (
            Picture(
                partial(generalisation_frontier, points, MEASURE),
                frontier_alt_text(points, ("loss of detail", MEASURE)),
            ),
        ),
        (Grid(("crowds of at least", "loss of detail", MEASURE, "levels"), rows, (3,)),),
        {"least_loss": told.ratio(first.loss), "most_loss": told.ratio(last.loss)},
        f"loss: {LOSSES[found.generalised.loss_name]}; 0 as recorded, 1 when all is hidden",
        "All attributes count equally, whatever their detail is worth to those who use the table.",
    )


def _may_be_told(step: Reached, told: Discretion) -> bool:
    """To publish, crowds of at least the threshold."""
    return told.at_least is None or round(1.0 / step.allowable) >= told.at_least


def _risk(step: Reached, told: Discretion) -> float:
    """The measure; to publish, what it was to be at most."""
    return step.allowable if told.folds else step.measure


def _crowd(allowable: float) -> str:
    return number(first_size(allowable))
