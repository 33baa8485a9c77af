"""Plotting: which pictures each result has. The first is what `.plot()` shows.

A result in a notebook: its words and table, and below them its picture where it can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from reidrisk.attacks import AttackRisk
from reidrisk.errors import InputError
from reidrisk.generalisation import Generalised
from reidrisk.measurement import TableRisk
from reidrisk.prediction import GroupRisk, PersonRisk, PlanRisk
from reidrisk.printable import printable
from reidrisk.reports.charts.crowds import (
    AtLeast,
    at_least,
    bins_of,
    crowd_histogram,
    hundred_people,
    parts_of,
    person_curve,
)
from reidrisk.reports.charts.curves import (
    Bought,
    Known,
    OfSize,
    attack_curve,
    cost_frontier,
    curve_of,
    generalisation_frontier,
    group_curve,
    riskiest,
)
from reidrisk.reports.charts.dependence_map import cells_of, dependence_map
from reidrisk.reports.charts.drawing import can_draw, svg
from reidrisk.reports.charts.shares import Share, shares
from reidrisk.reports.charts.theme import ALONE, WIDE, Chart
from reidrisk.reports.words.group import TOLD
from reidrisk.reports.words.layout import listed, probability, share
from reidrisk.searches import BorderFound, CostsFound, FoundView, RatioFound

MOST_BARS = 20
Ways = Mapping[str, Callable[[int], Chart]]


def plot(result: Any, what: str | None = None, width: int = WIDE) -> Chart:
    """One of a result's pictures; the first one where none is named."""
    ways = pictures_of(result)
    if what is not None and what not in ways:
        raise InputError(f"there is no picture {what!r} of this", f"there are: {', '.join(ways)}")
    if not ways:
        raise InputError("there is nothing to draw of this result")
    return ways[what or next(iter(ways))](width)


def pictures_of(result: Any) -> Ways:
    """{name: the picture at a width}, only those there are figures for."""
    for kind, ways in _KINDS.items():
        if isinstance(result, kind):
            return ways(result)
    return {}


def _of_table(risk: TableRisk) -> Ways:
    bins = [each._replace(told=share(each.share)) for each in bins_of(risk.crowd_sizes)]
    points = [AtLeast(k, part, share(part)) for k, part in risk.share_in_crowds_of_at_least.items()]
    ways: dict[str, Callable[[int], Chart]] = {
        "crowds": lambda width: crowd_histogram(bins, width),
        "at_least": lambda width: at_least(points, width),
        "people": lambda width: hundred_people(parts_of(risk.crowd_sizes), width),
    }
    cells = cells_of(risk.dependence or ())
    if cells:
        ways["dependence"] = lambda width: dependence_map(cells, risk.envelope.input.columns, width)
    return ways


def _of_attack(risk: AttackRisk) -> Ways:
    known = f"{listed(list(risk.knows))} known"
    ways: dict[str, Callable[[int], Chart]] = {
        "curve": lambda width: attack_curve(curve_of(known, risk.crowd_sizes), width)
    }
    every = risk.all_knowledge
    if every is not None:
        sizes = [
            Known(each.size, each.worst.knows, each.worst.value, each.mean, share(each.worst.value))
            for each in every.sizes
        ]
        ways["knowledge"] = lambda width: riskiest(sizes, every.measure, width)
    return ways | {key: way for key, way in _of_table(risk.view).items() if key != "dependence"}


def _of_groups(risk: GroupRisk) -> Ways:
    laws = ("exact", "kullback_leibler", "uniform")
    if len({each.size for each in risk.groups}) > 1:
        points = [
            OfSize(each.size, value, f"{_group(each)}{TOLD[law]}")
            for law in laws
            for each in risk.groups
            if (value := getattr(each, law)) is not None
        ]
        return {"sizes": lambda width: group_curve(points, width)}
    parts = [
        Share(f"{_group(each)}{TOLD[law]}", value, probability(value))
        for each in risk.groups[:MOST_BARS]
        for law in (TOLD if len(risk.groups) == 1 else ("exact",))
        if (value := getattr(each, law)) is not None
    ]
    return {"laws": lambda width: shares(parts, "probability that all are unique", width)}


def _group(each: Any) -> str:
    banded = ", ".join(f"{name} in bands of {wide}" for name, wide in each.bands.items())
    return "".join(f"{name}: " for name in (each.group, banded) if name)


def _of_person(risk: PersonRisk) -> Ways:
    plain = None if risk.without_dependence is None else risk.without_dependence.at_least
    ways: dict[str, Callable[[int], Chart]] = {
        "curve": lambda width: person_curve(risk.k_indistinguishable, plain, width)
    }
    if risk.gives_away:
        parts = [
            Share(f"without {each.attribute}", each.risk_without_it, share(each.risk_without_it))
            for each in risk.gives_away
        ]
        ways["gives_away"] = lambda width: shares(
            [Share("all known", risk.risk, share(risk.risk)), *parts], "risk", width, ALONE
        )
    return ways


def _of_plan(plan: PlanRisk) -> Ways:
    parts = [Share(each.told, each.overall_risk, share(each.overall_risk)) for each in plan.options]
    return {"options": lambda width: shares(parts, "overall risk", width)}


def _of_border(found: BorderFound) -> Ways:
    parts = _views(found.minimal_risky, found.measure)
    if not parts:
        return {}
    return {"risky": lambda width: shares(parts, found.measure, width, ALONE)}


def _views(views: Sequence[FoundView], measure: str) -> list[Share]:
    return [
        Share(" + ".join(view.columns), value, share(value))
        for view in views[:MOST_BARS]
        if (value := view.measures[measure]) is not None
    ]


def _of_ratios(found: RatioFound) -> Ways:
    best = [
        Share(" + ".join(each.columns), each.share_above, share(each.share_above))
        for each in found.combinations[:MOST_BARS]
    ]
    adds = [Share(each.attribute, each.share, share(each.share)) for each in found.adds]
    told = f"people it tells {found.ratio:g} times as much of"
    ways: dict[str, Callable[[int], Chart]] = {}
    if best:
        ways["combinations"] = lambda width: shares(best, told, width, ALONE)
    if adds:
        ways["adds"] = lambda width: shares(adds, "share of the overall risk", width)
    return ways


def _of_costs(found: CostsFound) -> Ways:
    points = [
        Bought(view.cost or 0.0, view.measures[found.measure] or 0.0, " + ".join(view.columns))
        for view in found.frontier
    ]
    if not points:
        return {}
    begun = [Bought(0.0, found.of_nothing, "nothing known"), *points]
    return {"frontier": lambda width: cost_frontier(begun, found.measure, width)}


def _of_generalised(found: Generalised) -> Ways:
    curves = [
        *curve_of("as recorded", found.before.tables[0]),
        *curve_of("as released", found.after.tables[0]),
    ]
    ways: dict[str, Callable[[int], Chart]] = {}
    if found.frontier:
        points = [Bought(each.loss, each.measure, each.told) for each in found.frontier]
        ways["frontier"] = lambda width: generalisation_frontier(points, found.measure, width)
    return ways | {"attack": lambda width: attack_curve(curves, width)}


_KINDS: dict[type, Callable[[Any], Ways]] = {
    TableRisk: _of_table,
    AttackRisk: _of_attack,
    GroupRisk: _of_groups,
    PersonRisk: _of_person,
    PlanRisk: _of_plan,
    BorderFound: _of_border,
    RatioFound: _of_ratios,
    CostsFound: _of_costs,
    Generalised: _of_generalised,
}


def with_picture(words: str, result: Any) -> str:
    """The words as they are without the libraries that draw; nothing is fetched in any case."""
    if not can_draw():
        return words

    for draw in pictures_of(result).values():
        chart = draw(640)
        described = escape(printable(chart.to_dict()["description"]), quote=True)
        return f'{words}<div role="img" aria-label="{described}">{svg(chart)}</div>'
    return words
