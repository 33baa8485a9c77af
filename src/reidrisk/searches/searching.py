"""`search`: dangerous combinations of attributes, by risk, by ratio or by cost."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reidrisk.crowds import Limit, measure_named
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.parallel import Progress, no_progress
from reidrisk.searches.answers import BorderFound, CostsFound, RatioFound, Telling
from reidrisk.searches.border import border
from reidrisk.searches.cost import (
    Costs,
    amount,
    checked_costs,
    frontier,
    load_costs,
    refuse_empty_budget,
)
from reidrisk.searches.lattice import Lattice
from reidrisk.searches.limits import Limits
from reidrisk.searches.ratio import ratio_search
from reidrisk.searches.scorer import Scorer
from reidrisk.searches.searched_tables import DRAWS, Searchable, searchable
from reidrisk.searches.yardsticks import Yardstick, yardstick


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
    up_to: int | None = None,
    time_limit: float | None = None,
    view_limit: int | None = None,
    model: str = "auto",
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = no_progress,
) -> BorderFound | RatioFound | CostsFound:
    """Which combinations of attributes make people stand out, in a table or by statistics alone.

    Ask one of three questions: with `allowable_risk`, which combinations exceed it, told by the
    smallest of them (`costs` rank them); with `ratio` and `attributes`, which combinations of so
    many attributes tell more than that many times what their best attribute tells; with `costs`
    and `budget`, how much success each cost buys (`success`: the cheapest way to that much).

    A limit is a number, a fraction such as 1/11 (as text or `fractions.Fraction`), or "k=11" for
    crowds of at least 11. `measure` is any measure; views see up to `up_to` attributes. A search
    that stops at `time_limit` (seconds) or `view_limit` says between which figures the open views
    lie. `bands`, `levels`, `model` and `background` are those of `predict`, for statistics.

    >>> import reidrisk as rr
    >>> table = rr.read({"age": [39, 39, 40, 40], "sex": ["f", "m", "f", "m"]})
    >>> [view.columns for view in rr.search(table, allowable_risk=0.5).minimal_risky]
    [('age', 'sex')]
    """
    refuse_contradictions(allowable_risk, ratio, attributes, costs, budget, success, measure, up_to)
    if isinstance(costs, (str, os.PathLike)):
        costs = load_costs(costs)
    limits = Limits(time_limit, view_limit, progress)
    asked = searchable(source, columns, bands, levels, model, draws, seed, background, progress)
    if ratio is not None:
        assert attributes is not None
        return ratio_search(asked, ratio, attributes, limits)
    lattice = Lattice.of_knowledge(asked.names, up_to)
    if allowable_risk is not None:
        name = measure or ("overall_risk" if asked.drawn else "highest_risk")
        return _by_risk(asked, lattice, name, allowable_risk, costs, limits)
    assert costs is not None
    return _by_cost(asked, lattice, measure or "overall_risk", costs, budget, success, limits)


def refuse_contradictions(
    allowable_risk: Limit | None,
    ratio: float | None,
    attributes: int | None,
    costs: Any,
    budget: Any,
    success: Limit | None,
    measure: str | None,
    up_to: int | None,
) -> None:
    """One question, with what belongs to it and nothing that belongs to another."""
    if allowable_risk is not None:
        measure_named(measure or "highest_risk").limit(allowable_risk, "--allowable-risk")
    if success is not None:
        measure_named(measure or "overall_risk").limit(success, "--success")
    asked = {"--allowable-risk": allowable_risk, "--ratio": ratio, "--budget": budget}
    given = [option for option, value in asked.items() if value is not None]
    if len(given) != 1:
        found = "none was given" if not given else f"{' and '.join(given)} were given"
        raise ContradictoryOptions(
            f"a search asks one question, and {found}",
            "--allowable-risk V, or --ratio Y --attributes X, or --costs FILE --budget R",
        )
    if (ratio is None) != (attributes is None):
        raise ContradictoryOptions("--ratio and --attributes belong together")
    if budget is not None and costs is None:
        raise ContradictoryOptions("--budget needs the attributes' costs", "give them by --costs")
    if ratio is not None and (costs is not None or measure is not None):
        raise ContradictoryOptions(
            "--ratio compares re-identification itself: it takes no --costs and no --measure"
        )
    if ratio is not None and up_to is not None:
        raise ContradictoryOptions(
            "--ratio counts combinations of exactly --attributes columns: it takes no --up-to"
        )
    if success is not None and budget is None:
        raise ContradictoryOptions("--success asks for the cheapest way within a --budget")


def _by_risk(
    asked: Searchable,
    lattice: Lattice,
    name: str,
    allowable_risk: Limit,
    costs: Mapping[str, Any] | None,
    limits: Limits,
) -> BorderFound:
    limit = measure_named(name).limit(allowable_risk, "--allowable-risk")
    judged = yardstick(name, limit)
    note = judged.measure.rounding_note(limit)
    paid = None if costs is None else checked_costs(costs, asked.columns)
    scorer = asked.scorer(lattice, judged)
    found = border(scorer, judged.risky, limits, asked.threads)
    telling = Telling(asked, scorer, judged, paid)
    about = asked.envelope
    warnings = [note] if note else []
    if asked.several_rows:
        warnings += _of_rows_alone(scorer, judged)
    return BorderFound(
        replace(about, warnings=(*about.warnings, *warnings)),
        telling.searched(found),
        len(asked.tables) if asked.drawn else None,
        asked.why,
        measure=name,
        allowable_risk=limit,
        minimal_risky=telling.views(found.risky),
        maximal_safe=telling.views(found.safe),
        safe_at_limit=found.at_limit,
    )


def _of_rows_alone(scorer: Scorer, judged: Yardstick) -> list[str]:
    """Said where people of several rows are beyond the limit before any column is known."""
    nothing = scorer.root().score()
    if not judged.risky(nothing.value):
        return []
    return [
        f"How many rows each person has is beyond the limit by itself: {judged.name} "
        f"{nothing.value:.6g} with no column known, so every combination of columns is risky. "
        "Fewer rows of each person would help, coarser columns don't."
    ]


def _by_cost(
    asked: Searchable,
    lattice: Lattice,
    name: str,
    costs: Mapping[str, Any],
    budget: Any,
    success: Limit | None,
    limits: Limits,
) -> CostsFound:
    judged = yardstick(name)
    if not judged.rising:
        raise InputError(
            f"{name} is safer when it is larger, so it is no success",
            "take highest_risk, overall_risk, alone_share or share_above:0.2",
        )
    wanted = None if success is None else measure_named(name).limit(success, "--success")
    if wanted is not None:
        yardstick(name, wanted, "--success")
    paid, most = checked_costs(costs, asked.columns), amount("the budget", budget)
    refuse_empty_budget(paid, most)
    each = Costs(tuple(paid[column] for column in asked.names))
    scorer = asked.scorer(lattice, judged)
    found = frontier(scorer, each, most, limits)
    telling = Telling(asked, scorer, judged, paid)
    cheapest = None if wanted is None else found.cheapest(wanted)
    return CostsFound(
        asked.envelope,
        telling.searched(found),
        len(asked.tables) if asked.drawn else None,
        asked.why,
        measure=name,
        budget=float(most),
        costs={column: float(cost) for column, cost in paid.items()},
        affordable=each.affordable(lattice.up_to, most),
        of_nothing=found.nothing.value,
        frontier=tuple(telling.view(point.bits, point.score) for point in found.points),
        success=wanted,
        cheapest=None if cheapest is None else telling.view(cheapest.bits, cheapest.score),
    )
