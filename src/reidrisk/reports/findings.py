"""Findings: the answers behind a report, computed within limits; what is left out says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from reidrisk.attacks import attack
from reidrisk.crowds import CrowdSizes
from reidrisk.errors import InputError
from reidrisk.generalisation import Generalised, generalise
from reidrisk.hierarchies import Given
from reidrisk.learning import LearningRisk, learn
from reidrisk.machine import Progress
from reidrisk.measurement import StandingOut, TableRisk, measure, standing_out
from reidrisk.prediction import GroupRisk, LoadedStatistics, group, predict
from reidrisk.publishing import (
    DerivableCounts,
    Expected,
    as_published,
    derivable_counts,
    expected_reconstruction,
)
from reidrisk.records import Table
from reidrisk.searches import Ranking, ranking, searchable
from reidrisk.statistics import Statistics, defined_for

# Beyond these a prediction, or all pair tables, would take longer than the rest of the report.
MOST_PREDICTED = 16
MOST_PAIRED = 60
MOST_ATTACKS = 4
GROUP_POINTS = 30
ALMOST_NEVER = 0.001
Answer = TypeVar("Answer")


# Seconds of the attack on a file, and people drawn from it.
ATTACKED_SECONDS, MOST_DRAWN = 10.0, 40_000


class Attack(NamedTuple):
    """What is known, and the crowds of those who share it."""

    knows: tuple[str, ...]
    crowds: CrowdSizes


@dataclass(frozen=True)
class Wanted:
    """What a report was asked for."""

    crowds: Sequence[int] | None
    model: str
    seed: int
    up_to: int | None
    time_limit: float | None
    progress: Progress
    # How the records are seen, for statistics that are held against them.
    bands: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Given = None
    # Some of the sensitive columns; by default all that the table was read with.
    sensitive: tuple[str, ...] = ()


class PublishedFile(NamedTuple):
    """A statistics file, what the attack derives from it, and how much two draws coincide."""

    statistics: Statistics
    attacked: DerivableCounts
    expected: Expected | None


@dataclass(frozen=True)
class Found:
    """The answers; None where there is none, with the reason under `left_out`."""

    risk: TableRisk
    ranking: Ranking | None = None
    attacks: tuple[Attack, ...] = ()
    group: GroupRisk | None = None
    prediction: TableRisk | None = None
    values: StandingOut | None = None
    generalised: Generalised | None = None
    learning: LearningRisk | None = None
    published: PublishedFile | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def people(self) -> str:
        """What rows stand for, in the plural: rows where it isn't known that they are people."""
        return self.risk.envelope.input.nouns[1]


def of_table(table: Table, statistics: Any, wanted: Wanted) -> Found:
    """Everything about records; `statistics` are those to be held against them, if any."""
    told = _Telling(wanted, 7)
    # Sensitive columns that can't be used are a mistake as well, said before all is counted.
    learnt = _learnt(table, wanted)
    risk = told.step(lambda: measure(table, crowds=wanted.crowds, dependence=False))
    risk = replace(risk, dependence=told.step(lambda: _dependence(table)))
    found = Found(risk, learning=learnt, left_out=told.left_out)
    ranked = told.tried("combinations", lambda: _ranking(table, wanted))
    predicted = partial(_predicted, table, statistics, wanted)
    return replace(
        found,
        ranking=ranked,
        values=told.tried("values", lambda: standing_out(table)),
        attacks=told.tried("attack", lambda: _attacks(table, table.columns, ranked, wanted)) or (),
        group=told.tried("group", lambda: groups_of_all_sizes(table)),
        # Statistics that were asked for and can't be used are a mistake, no part to leave out.
        prediction=told.tried("prediction", predicted)
        if statistics is None
        else told.step(predicted),
        generalised=_generalised(table, wanted),
    )


def of_statistics(asked: LoadedStatistics, wanted: Wanted) -> Found:
    """Everything about the table that statistics describe."""
    told = _Telling(wanted, 5)
    risk = told.step(
        lambda: predict(
            asked, model=wanted.model, seed=wanted.seed, crowds=wanted.crowds,
            progress=wanted.progress,
        )
    )  # fmt: skip
    ranked = told.tried("combinations", lambda: _ranking(asked, wanted))
    names = asked.statistics.names
    return Found(
        risk,
        ranked,
        told.tried("attack", lambda: _attacks(asked, names, ranked, wanted)) or (),
        told.tried("group", lambda: groups_of_all_sizes(asked)),
        published=told.tried("given_away", lambda: _file(asked.statistics, wanted)),
        generalised=_generalised(asked, wanted),
        left_out=told.left_out,
    )


class _Telling:
    """Works things out one after the other, says how far it is, and notes what can't be done."""

    def __init__(self, wanted: Wanted, steps: int) -> None:
        self.progress, self.steps, self.done = wanted.progress, steps, 0
        self.left_out: dict[str, str] = {}

    def step(self, work: Callable[[], Answer]) -> Answer:
        answer = work()
        self.done += 1
        self.progress("report", min(self.done, self.steps), self.steps)
        return answer

    def tried(self, what: str, work: Callable[[], Answer]) -> Answer | None:
        try:
            return self.step(work)
        except InputError as error:
            self.left_out[what] = error.message
            return None


def _learnt(table: Table, wanted: Wanted) -> LearningRisk | None:
    if not table.engine.options.sensitive:
        return None
    found = learn(table, sensitive=wanted.sensitive or None, crowds=wanted.crowds)
    assert isinstance(found, LearningRisk)
    return found


def _dependence(table: Table) -> Any:
    if not 2 <= len(table.columns) <= MOST_PAIRED or not defined_for(table):
        return None
    return measure(table, dependence=True).dependence


def _ranking(source: Any, wanted: Wanted) -> Ranking:
    asked = searchable(source, model=wanted.model, seed=wanted.seed, progress=wanted.progress)
    found = ranking(asked, wanted.up_to, wanted.time_limit, wanted.progress)
    if not found.views:
        raise InputError("no combination was counted within the time limit")
    return found


def _attacks(
    source: Any, columns: Sequence[str], ranked: Ranking | None, wanted: Wanted
) -> tuple[Attack, ...]:
    """Knowing one, two, … attributes, each the riskiest so many; last, knowing all."""
    known = [] if ranked is None else [
        ranked.of_size(size)[0].columns
        for size in range(1, min(ranked.up_to, MOST_ATTACKS - 1, len(columns) - 1) + 1)
        if ranked.of_size(size)
    ]  # fmt: skip
    options: dict[str, Any] = (
        {} if isinstance(source, Table) else {"model": wanted.model, "seed": wanted.seed}
    )
    return tuple(
        Attack(tuple(knows), attack(source, knows=knows, **options).crowd_sizes)
        for knows in (*known, tuple(columns))
    )


def _generalised(source: Any, wanted: Wanted) -> Generalised | None:
    """The least loss for crowds of 2 to 100; hierarchies that don't fit are a mistake."""
    if wanted.hierarchies is None:
        return None
    return generalise(
        source,
        k=2,
        hierarchies=wanted.hierarchies,
        frontier=True,
        play=0,
        time_limit=wanted.time_limit,
        seed=wanted.seed,
        model="auto" if isinstance(source, Table) else wanted.model,
        progress=wanted.progress,
    )


def groups_of_all_sizes(source: Any) -> GroupRisk:
    """From two members up to where it almost never happens that all are unique.

    The sizes on both sides of an even chance are among them.
    """
    last = max(group(source, under=ALMOST_NEVER).size, 3)
    steps = [place / GROUP_POINTS for place in range(GROUP_POINTS + 1)]
    even = max(group(source, under=0.5).size, 3)
    sizes = {2 + round((last - 2) * step) for step in steps} | {even - 1, even}
    return group(source, sizes=sorted(sizes))


def _file(statistics: Statistics, wanted: Wanted) -> PublishedFile:
    """What a file gives away, for as long as a reader waits."""
    attacked = derivable_counts(statistics, seconds=ATTACKED_SECONDS)
    few = statistics.protection is not None and not statistics.unprotected
    expected = expected_reconstruction(statistics, wanted.seed, MOST_DRAWN) if few else None
    return PublishedFile(statistics, attacked, expected)


def _predicted(table: Table, statistics: Any, wanted: Wanted) -> TableRisk:
    """From the statistics given, or from what could be published of the table itself."""
    if statistics is None and len(table.columns) > MOST_PREDICTED:
        raise InputError(
            f"a prediction from published counts is made for up to {MOST_PREDICTED} columns, and "
            f"these are {len(table.columns)}"
        )
    asked: dict[str, Any] = {"model": wanted.model, "seed": wanted.seed, "crowds": wanted.crowds}
    if statistics is None:
        return predict(as_published(table.by_rows()), progress=wanted.progress, **asked)
    return predict(
        statistics,
        columns=list(table.columns),
        bands=wanted.bands,
        levels=wanted.levels,
        progress=wanted.progress,
        **asked,
    )
