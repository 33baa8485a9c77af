"""`plan`: what one more question, or a coarser one, costs, before anybody is asked.

For each way to ask: alone and overall risk of the population under a model of its statistics (as in
`predict`), and of a group of k drawn from it P(all unique) and the expected number of unique
members (as in `group`: exact, along the tree of pair tables).

Where it fails: each way is fitted by itself, so one more question may come out a little safer than
it is; a question in bands is compared with the same people asked exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reidrisk.engines import Table
from reidrisk.engines.coarsening import parsed_bands
from reidrisk.engines.text_form import number_of
from reidrisk.errors import InputError, UnusableColumn
from reidrisk.models.choosing import NAMES, chosen_model
from reidrisk.models.contract import Model, Progress, no_progress
from reidrisk.prediction.asking import asked_of
from reidrisk.prediction.group import checked_sizes, widths_of
from reidrisk.prediction.group_figures import figures_of, over_ways
from reidrisk.prediction.imputing import imputed, settled_ways
from reidrisk.prediction.listed_values import parsed_values
from reidrisk.prediction.plan_risk import MEASURES, Kind, PlanOption, PlanRisk
from reidrisk.prediction.populations import described
from reidrisk.prediction.table_prediction import BY_CHANCE, NO_BOUND
from reidrisk.prediction.viewing import view_of
from reidrisk.statistics.coarser import coarser
from reidrisk.statistics.settling import Counts, Settled
from reidrisk.statistics.statistics import Statistics

# Tried on every attribute asked whose values are numbers, unless widths are given.
USUAL_WIDTHS = ("2", "5", "10", "20")
# Whole numbers lie close together, codes don't: values per step between the first and the last.
CLOSE = 0.25
DRAWN = (
    "Those who are asked are drawn independently of each other; their figures follow the tree of "
    "pair tables.",
)
View = tuple[Kind, tuple[str, ...], dict[str, str]]
WORK = "looking at ways to ask"


def plan(
    statistics: Any,
    asked: Sequence[str],
    size: int,
    *,
    could_ask: Sequence[str] | None = None,
    bands: Mapping[str, object] | None = None,
    values: Mapping[str, object] | None = None,
    measure: str = "overall_risk",
    model: str = "auto",
    seed: int = 0,
    progress: Progress = no_progress,
) -> PlanRisk:
    """Rank asking as planned, each question that `could_ask` adds, and each coarser band.

    `could_ask` is by default everything else the statistics know; `bands` the widths to try
    (``{"age": [5, 10]}``), by default 2, 5, 10 and 20 where values are numbers close together.
    `measure` is what they are ranked by: overall_risk, alone_share, exact or expected_unique.
    """
    source = asked_of(statistics)
    if isinstance(source, Table):
        raise InputError(
            "a plan is made from statistics of the population, and these are records",
            "make statistics with `publish`",
        )
    _refuse(measure, model)
    (k,) = checked_sizes(size, None, None)
    listed = parsed_values(values)
    views = list(_views(source.statistics, asked, could_ask, bands))
    options, said, by_chance = [], list[str](), False
    for done, view in enumerate(views):
        progress(WORK, done, len(views))
        option, sentences, drawn = _option(source.statistics, view, k, listed, model, seed)
        options.append(option)
        by_chance |= drawn
        said += [sentence for sentence in sentences if sentence not in said]
    options.sort(key=lambda option: getattr(option, measure))
    used = dict.fromkeys(option.model for option in options)
    about = source.envelope(
        "plan",
        list(dict.fromkeys(name for _, columns, _ in views for name in columns)),
        ", ".join(used),
        (*DRAWN, *NO_BOUND[1:], *said),
        seed=seed if by_chance or set(used) & set(BY_CHANCE) else None,
    )
    return PlanRisk(about, k, measure, tuple(options))


def _refuse(measure: str, model: str) -> None:
    if measure not in MEASURES:
        listed = f"{', '.join(MEASURES[:-1])} or {MEASURES[-1]}"
        raise InputError(f"--measure {measure}: a plan is ranked by {listed}")
    if model not in NAMES:
        raise InputError(f"--model {model}: it is {', '.join(NAMES[:-1])} or {NAMES[-1]}")


def _views(
    statistics: Statistics,
    asked: Sequence[str],
    could_ask: Sequence[str] | None,
    bands: Mapping[str, object] | None,
) -> Iterator[View]:
    """Every way to ask."""
    planned = tuple(dict.fromkeys(asked))
    if not planned:
        raise InputError("no question is asked", f"there are: {', '.join(statistics.names)}")
    more = [name for name in statistics.names if name not in planned]
    more = more if could_ask is None else list(dict.fromkeys(could_ask))
    for name in (*planned, *more, *(bands or {})):
        statistics.attribute(name)
    both = [name for name in more if name in planned]
    if both:
        raise InputError(f"{both[0]!r} is asked already", "leave it out of --could-ask")
    unasked = [name for name in bands or {} if name not in planned]
    if unasked:
        raise InputError(f"--bands {unasked[0]}: it isn't asked", "bands are of what is asked")
    yield "as_asked", planned, {}
    for name in more:
        yield "one_more", (*planned, name), {}
    for name in planned if bands is None else bands:
        widths = USUAL_WIDTHS if bands is None else widths_of(name, bands[name])
        for width in widths:
            if bands is not None or _coarser(statistics, name, width):
                yield "coarser", planned, {name: width}


def _coarser(statistics: Statistics, name: str, width: str) -> bool:
    """Whether an attribute can be seen in such bands, and has fewer values then."""
    attribute = statistics.attribute(name)
    numbers = [number for value in attribute.counts if (number := number_of(value)) is not None]
    if numbers and len(numbers) < CLOSE * (max(numbers) - min(numbers)):
        return False
    try:
        seen = coarser(statistics, {name: width}, {}).attribute(name)
    except UnusableColumn:
        return False
    return 1 < len(seen.counts) < len(attribute.counts)


def _option(
    statistics: Statistics,
    view: View,
    k: int,
    values: Mapping[str, tuple[str, ...]],
    model: str,
    seed: int,
) -> tuple[PlanOption, tuple[str, ...], bool]:
    kind, columns, bands = view

    def settle(shares: Mapping[str, Counts] | None = None) -> Settled:
        return view_of(statistics, columns, bands, {}, shares)

    def fit(known: Settled) -> Model:
        return chosen_model(known.knowledge, model, np.random.default_rng(seed)).model

    known = settle()
    chosen = fit(known)
    crowds = imputed(known, chosen, settle, fit, np.random.default_rng(seed))
    ways = {name: parsed_bands(name, width) for name, width in bands.items()}
    mine = {name: listed for name, listed in values.items() if name in columns}
    how = "independent" if model == "independent" else "tree"
    over, drawn, _ = settled_ways(known, settle, np.random.default_rng(seed))
    population = described(known, how, mine, ways).population
    each = tuple((weight, described(one, how, mine, ways).population) for weight, one in over)
    group = over_ways(figures_of(population, k), replace(population, ways=each))
    option = PlanOption(
        kind=kind,
        columns=columns,
        bands=bands,
        overall_risk=crowds.crowds.overall_risk,
        alone_share=crowds.crowds.alone_share,
        alone=crowds.crowds.alone.people,
        exact=group.exact or 0.0,
        expected_unique=group.expected_unique or 0.0,
        member_unique=group.member_unique or 0.0,
        kappa=group.kappa,
        outcomes=group.outcomes,
        model=chosen.name,
        intervals=crowds.intervals
        | {name: limits for name, limits in group.limits.items() if name in MEASURES},
    )
    return option, (*known.assumptions, *crowds.said), drawn or crowds.drawn
