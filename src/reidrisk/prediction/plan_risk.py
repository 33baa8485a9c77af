"""`plan`: what one more question, or a coarser one, costs, before anybody is asked.

For each way to ask: alone and overall risk of the population under a model of its statistics (as in
`predict`), and of a group of k drawn from it P(all unique) and the expected number of unique
members (as in `group`: exact, along the tree of pair tables).

Where it fails: each way is fitted by itself, so one more question may come out a little safer than
it is; a question in bands is compared with the same people asked exactly.

PlanRisk: what each question that could be asked, or asked more coarsely, does to the risk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from reidrisk.crowds import Answer, Assumption, Envelope
from reidrisk.errors import InputError, UnusableColumn
from reidrisk.machine import Progress, no_progress
from reidrisk.models import AUTO, Chosen, checked_model, chosen_model
from reidrisk.prediction.group_prediction import checked_sizes, widths_of
from reidrisk.prediction.group_risk import figures_of
from reidrisk.prediction.model_error import signs_of, table_figures, with_model_error
from reidrisk.prediction.multiple_imputation import first_fit, pooled_figures
from reidrisk.prediction.person_values import parsed_values
from reidrisk.prediction.populations import described
from reidrisk.prediction.questions import completion, statistics_or_table
from reidrisk.prediction.table_prediction import BY_CHANCE
from reidrisk.records import Table, number_of, parsed_bands
from reidrisk.statistics import CompleteCounts, Statistics, coarser

Kind = Literal["as_asked", "one_more", "coarser"]
# Figures a plan may be ranked by; all are safer when they are smaller.
MEASURES = ("overall_risk", "alone_share", "exact", "expected_unique")


@dataclass(frozen=True)
class PlanOption:
    """One way to ask: these attributes, some in bands.

    `alone_share` and `overall_risk` are of the whole population; `exact`, P(all members unique),
    and `expected_unique` members of the group that is asked. 90 % limits in `intervals`.
    """

    kind: Kind
    columns: tuple[str, ...]
    bands: Mapping[str, str]
    overall_risk: float
    alone_share: float
    alone: float
    exact: float
    expected_unique: float
    member_unique: float
    kappa: float
    outcomes: int
    model: str
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """What is different from asking as planned."""
        if self.kind == "one_more":
            return f"and {self.columns[-1]}"
        if self.kind == "coarser":
            return ", ".join(f"{name} in bands of {width}" for name, width in self.bands.items())
        return "as asked"

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "bands": dict(self.bands),
            "overall_risk": self.overall_risk,
            "alone_share": self.alone_share,
            "alone": {"people": self.alone, "share": self.alone_share},
            "exact": self.exact,
            "expected_unique": self.expected_unique,
            "member_unique": self.member_unique,
            "kappa": self.kappa,
            "outcomes": self.outcomes,
            "model": self.model,
            "intervals": {name: list(limits) for name, limits in self.intervals.items()},
        }


@dataclass(frozen=True, eq=False)
class PlanRisk(Answer):
    """The answer of `plan`: the ways to ask, the safest first."""

    envelope: Envelope
    size: int
    measure: str
    options: tuple[PlanOption, ...]

    @property
    def as_asked(self) -> PlanOption:
        """The plan as it stands."""
        return next(each for each in self.options if each.kind == "as_asked")

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        return self.envelope.to_dict() | {
            "size": self.size,
            "measure": self.measure,
            "asked": list(self.as_asked.columns),
            "options": [each.to_dict() for each in self.options],
        }


# Tried on every attribute asked whose values are numbers, unless widths are given.
USUAL_WIDTHS = ("2", "5", "10", "20")
# Whole numbers lie close together, codes don't: values per step between the first and the last.
CLOSE = 0.25
DRAWN = Assumption(
    "members-drawn",
    "group",
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

    Parameters:
        statistics: of the population: an object, a file, or several files.
        asked: the attributes asked for.
        size: how many people are asked.
        could_ask: further questions; by default everything else the statistics know.
        bands: the widths to try (``{"age": [5, 10]}``); by default 2, 5, 10 and 20 where values are
            numbers close together.
        values: what an attribute may be, as in ``{"age": "0-94"}``.
        measure: what they are ranked by: overall_risk, alone_share, exact or expected_unique.
        model: ``auto`` chooses by what is known of dependence; or ``independent``,
            ``pair``, ``tree``, ``pairwise``, ``triples``, ``shuffle``.
        seed: of whatever is drawn at random; the answer repeats it.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    source = statistics_or_table(statistics)
    if isinstance(source, Table):
        raise InputError(
            "a plan is made from statistics of the population, and these are records",
            "make statistics with `publish`",
        )
    _refuse(measure, model)
    (k,) = checked_sizes(size, None, None)
    listed = parsed_values(values)
    views = list(_views(source.statistics, asked, could_ask, bands))
    options, assumptions, by_chance = [], list[Assumption](), False
    for done, view in enumerate(views):
        progress(WORK, done, len(views))
        option, sentences, drawn = _option(source.statistics, view, k, listed, model, seed)
        options.append(option)
        by_chance |= drawn
        assumptions += [sentence for sentence in sentences if sentence not in assumptions]
    options.sort(key=lambda option: getattr(option, measure))
    used = dict.fromkeys(option.model for option in options)
    about = source.envelope(
        "plan",
        list(dict.fromkeys(name for _, columns, _ in views for name in columns)),
        ", ".join(used),
        (DRAWN, with_model_error(), *assumptions),
        seed=seed if by_chance or set(used) & set(BY_CHANCE) else None,
    )
    return PlanRisk(about, k, measure, tuple(options))


def _refuse(measure: str, model: str) -> None:
    if measure not in MEASURES:
        listed = f"{', '.join(MEASURES[:-1])} or {MEASURES[-1]}"
        raise InputError(f"--measure {measure}: a plan is ranked by {listed}")
    checked_model(model)


def _views(
    statistics: Statistics,
    planned: Sequence[str],
    could_ask: Sequence[str] | None,
    bands: Mapping[str, object] | None,
) -> Iterator[View]:
    """Every way to ask."""
    columns = tuple(dict.fromkeys(planned))
    if not columns:
        raise InputError("no question is asked", f"there are: {', '.join(statistics.names)}")
    more = [name for name in statistics.names if name not in columns]
    more = more if could_ask is None else list(dict.fromkeys(could_ask))
    for name in (*columns, *more, *(bands or {})):
        statistics.attribute(name)
    both = [name for name in more if name in columns]
    if both:
        raise InputError(f"{both[0]!r} is asked already", "leave it out of --could-ask")
    unasked = [name for name in bands or {} if name not in columns]
    if unasked:
        raise InputError(f"--bands {unasked[0]}: it isn't asked", "bands are of what is asked")
    yield "as_asked", columns, {}
    for name in more:
        yield "one_more", (*columns, name), {}
    for name in columns if bands is None else bands:
        widths = USUAL_WIDTHS if bands is None else widths_of(name, bands[name])
        for width in widths:
            if bands is not None or _coarser(statistics, name, width):
                yield "coarser", columns, {name: width}


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
) -> tuple[PlanOption, tuple[Assumption, ...], bool]:
    kind, columns, bands = view
    complete = completion(statistics, columns, bands, {})

    def fit(known: CompleteCounts) -> Chosen:
        return chosen_model(known.knowledge, model, np.random.default_rng(seed))

    rng = np.random.default_rng(seed)
    known, (chosen, _) = first_fit(complete, fit, rng)
    crowds = pooled_figures(known, chosen, complete, lambda other: fit(other).model, rng)
    recodings = {name: parsed_bands(name, width) for name, width in bands.items()}
    mine = {name: listed for name, listed in values.items() if name in columns}
    how = "independent" if model == "independent" else AUTO
    seen = described(complete, how, mine, recodings, seed=seed)
    group = figures_of(seen.population, k)
    signs = signs_of(known, chosen.name, ())
    figures = table_figures(crowds.crowds, crowds.intervals, chosen.name, signs, ())
    predicted, within = figures.crowds, figures.intervals
    option = PlanOption(
        kind=kind,
        columns=columns,
        bands=bands,
        overall_risk=predicted.overall_risk,
        alone_share=predicted.alone_share,
        alone=predicted.alone.people,
        exact=group.exact or 0.0,
        expected_unique=group.expected_unique or 0.0,
        member_unique=group.member_unique or 0.0,
        kappa=group.kappa,
        outcomes=group.outcomes,
        model=chosen.name,
        intervals={name: limits for name, limits in within.items() if name in MEASURES}
        | {name: limits for name, limits in group.limits.items() if name in MEASURES},
    )
    return option, (*known.assumptions, *crowds.assumptions), seen.drawn or crowds.drawn
