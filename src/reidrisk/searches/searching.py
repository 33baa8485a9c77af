"""`search`: dangerous combinations of attributes, by risk, by ratio or by cost."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

from reidrisk.crowds import Limit
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.records import ReadingBesides
from reidrisk.searches.answers import BorderFound, CostsFound, RatioFound, ViewFigures
from reidrisk.searches.border import border
from reidrisk.searches.cost import (
    Costs,
    amount,
    checked_costs,
    frontier,
    load_costs,
    refuse_empty_budget,
)
from reidrisk.searches.lattice import Lattice, Limits
from reidrisk.searches.ratio import ratio_search
from reidrisk.searches.scorer import Scorer, Yardstick, searched_measure, yardstick
from reidrisk.searches.searched_tables import DRAWS, Searchable, searchable


def search(
    source: Any,
    *,
    allowable_risk: Limit | None = None,
    ratio: float | None = None,
    attributes: int | None = None,
    costs: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    budget: Any = None,
    success: Limit | None = None,
    columns: Sequence[str] | None = None,
    bands: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    background: Any = None,
    measure: str | None = None,
    sensitive: str | Sequence[str] = (),
    up_to: int | None = None,
    time_limit: float | None = None,
    view_limit: int | None = None,
    model: str = "auto",
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = no_progress,
    **reading: Unpack[ReadingBesides],
) -> BorderFound | RatioFound | CostsFound:
    """Which combinations of columns make people stand out, in a table or by statistics alone.

    Ask one of three questions: with `allowable_risk`, which combinations exceed it, given by the
    smallest of them (`costs` rank them); with `ratio` and `attributes`, which combinations of so
    many columns reveal more than that many times what their best column reveals; with `costs` and
    `budget`, how much success each cost buys.

    A search that stops at `time_limit` or `view_limit` says between which figures the combinations
    lie that are open. Further arguments are options of `read`, for records that aren't a `Table`
    yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes).
        allowable_risk: a number, a fraction such as 1/11 (as text or `fractions.Fraction`), or
            ``"k=11"`` for crowds of at least 11.
        ratio: how many times the best column's success.
        attributes: of how many columns, with `ratio`.
        costs: {column: cost}, or a TOML file of them.
        budget: the highest cost, with `costs`.
        success: with `budget`, the cheapest way to this much.
        columns: the quasi-identifiers; by default all of the table or of the statistics.
        bands: {column: width} recodes statistics, or records that aren't a `Table` yet, into bands.
        levels: {column: digits} recodes them to the first characters of codes.
        background: other statistics, whose dependence is used where these have no pair table.
        measure: any measure; by default the highest risk. Or of what is learnt of `sensitive`
            columns: ``certain_share``, ``distinct_l``, ``entropy_l``, ``t_closeness``,
            ``beta_likeness``, ``enhanced_beta_likeness``, ``alpha``, ``guess_gain``.
        sensitive: the columns that somebody may learn; by default those that the table was read
            with. Of several, the one counts where the measure is worst.
        up_to: combinations of at most so many columns.
        time_limit: seconds.
        view_limit: combinations counted.
        model: for statistics: ``auto`` chooses by what is known of dependence; or ``independent``,
            ``pair``, ``tree``, ``pairwise``, ``triples``, ``shuffle``.
        draws: tables drawn, where there are only statistics.
        seed: of whatever is drawn at random; the answer repeats it.
        progress: called with what is being done, how much of it is done, and of how much.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40, 40], "sex": ["f", "m", "f", "m"]})
    >>> [view.columns for view in rr.search(table, allowable_risk=0.5).minimal_risky]
    [('age', 'sex')]
    """
    question = Question(
        allowable_risk, ratio, attributes, costs, budget, success, measure, up_to
    ).with_costs_read()
    limits = Limits(time_limit, view_limit, progress)
    named = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    tables = searchable(
        source, columns, bands, levels, model, draws, seed, background, progress, reading, named
    )
    if ratio is not None:
        assert attributes is not None
        return ratio_search(tables, ratio, attributes, limits)
    by = _by_cost if allowable_risk is None else _by_risk
    return by(tables, question, limits)


@dataclass(frozen=True)
class Question:
    """One of the three questions, with what belongs to it and nothing that belongs to another."""

    allowable_risk: Limit | None = None
    ratio: float | None = None
    attributes: int | None = None
    costs: Any = None
    budget: Any = None
    success: Limit | None = None
    measure: str | None = None
    up_to: int | None = None

    def __post_init__(self) -> None:
        if self.allowable_risk is not None:
            limit = searched_measure(self.measure or "highest_risk").limit
            limit(self.allowable_risk, "--allowable-risk")
        if self.success is not None:
            searched_measure(self.measure or "overall_risk").limit(self.success, "--success")
        questions = {
            "--allowable-risk": self.allowable_risk, "--ratio": self.ratio, "--budget": self.budget,
        }  # fmt: skip
        given = [option for option, value in questions.items() if value is not None]
        if len(given) != 1:
            found = "none was given" if not given else f"{' and '.join(given)} were given"
            raise ContradictoryOptions(
                f"a search asks one question, and {found}",
                "--allowable-risk V, or --ratio Y --attributes X, or --costs FILE --budget R",
            )
        if (self.ratio is None) != (self.attributes is None):
            raise ContradictoryOptions("--ratio and --attributes belong together")
        if self.budget is not None and self.costs is None:
            raise ContradictoryOptions(
                "--budget needs the attributes' costs", "give them by --costs"
            )
        if self.ratio is not None and (self.costs is not None or self.measure is not None):
            raise ContradictoryOptions(
                "--ratio compares re-identification itself: it takes no --costs and no --measure"
            )
        if self.ratio is not None and self.up_to is not None:
            raise ContradictoryOptions(
                "--ratio counts combinations of exactly --attributes columns: it takes no --up-to"
            )
        if self.success is not None and self.budget is None:
            raise ContradictoryOptions("--success asks for the cheapest way within a --budget")

    def with_costs_read(self) -> Question:
        """The costs of a file in the place of its name."""
        named = isinstance(self.costs, (str, os.PathLike))
        return replace(self, costs=load_costs(self.costs)) if named else self

    def costs_of(self, columns: Sequence[str]) -> dict[str, Fraction] | None:
        """What each column costs; None where no costs were given."""
        return None if self.costs is None else checked_costs(self.costs, columns)


def _by_risk(asked: Searchable, question: Question, limits: Limits) -> BorderFound:
    name = question.measure or ("overall_risk" if asked.drawn else "highest_risk")
    assert question.allowable_risk is not None
    limit = searched_measure(name).limit(question.allowable_risk, "--allowable-risk")
    judged, costs = yardstick(name, limit), question.costs_of(asked.columns)
    lattice = Lattice.of_knowledge(asked.names, question.up_to)
    scorer = asked.scorer(lattice, judged)
    found = border(scorer, judged.risky, limits, asked.threads)
    figures = ViewFigures(asked, scorer, judged, costs)
    about, note = asked.envelope, judged.measure.rounding_note(limit)
    warnings = [note] if note else []
    if asked.several_rows or judged.of_learning:
        warnings += _of_nothing(scorer, judged)
    return BorderFound(
        replace(about, warnings=(*about.warnings, *warnings)),
        figures.searched(found),
        len(asked.tables) if asked.drawn else None,
        asked.why,
        measure=name,
        allowable_risk=limit,
        minimal_risky=figures.views(found.risky),
        maximal_safe=figures.views(found.safe),
        safe_at_limit=found.at_limit,
    )


def _of_nothing(scorer: Scorer, judged: Yardstick) -> list[str]:
    """Said where people are beyond the limit before any column is known: those of several rows by
    how many they have, and what is learnt of a column by its values alone.
    """
    nothing = scorer.root().score()
    if not judged.risky(nothing.value):
        return []
    value = f"{judged.name} {nothing.value:.6g} with no column known"
    if judged.of_learning:
        return [
            f"The best that can be reached is {value}, which is beyond the limit: so is every "
            "combination of columns."
        ]
    return [
        f"How many rows each person has is beyond the limit by itself: {value}, so every "
        "combination of columns is risky. Fewer rows of each person would help, coarser columns "
        "don't."
    ]


def _by_cost(asked: Searchable, question: Question, limits: Limits) -> CostsFound:
    name = question.measure or "overall_risk"
    judged = yardstick(name)
    if not judged.rising:
        raise InputError(
            f"{name} is safer when it is larger, so it can't measure success",
            "take highest_risk, overall_risk, alone_share or share_above:0.2",
        )
    wanted = None
    if question.success is not None:
        wanted = judged.measure.limit(question.success, "--success")
        yardstick(name, wanted, "--success")
    costs, most = question.costs_of(asked.columns), amount("the budget", question.budget)
    assert costs is not None
    refuse_empty_budget(costs, most)
    each = Costs(tuple(costs[column] for column in asked.names))
    lattice = Lattice.of_knowledge(asked.names, question.up_to)
    scorer = asked.scorer(lattice, judged)
    found = frontier(scorer, each, most, limits)
    figures = ViewFigures(asked, scorer, judged, costs)
    cheapest = None if wanted is None else found.cheapest(wanted)
    return CostsFound(
        asked.envelope,
        figures.searched(found),
        len(asked.tables) if asked.drawn else None,
        asked.why,
        measure=name,
        budget=float(most),
        costs={column: float(cost) for column, cost in costs.items()},
        affordable=each.affordable(lattice.up_to, most),
        of_nothing=found.nothing.value,
        frontier=tuple(figures.view(point.bits, point.score) for point in found.points),
        success=wanted,
        cheapest=None if cheapest is None else figures.view(cheapest.bits, cheapest.score),
    )
