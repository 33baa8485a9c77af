"""Rendering: an answer as text, for a notebook, as a picture; chosen by its type."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, partial, singledispatch
from html import escape
from typing import Any

from reidrisk.attacks import AttackRisk, UniqueSets
from reidrisk.crowds import Answer
from reidrisk.errors import InputError
from reidrisk.generalisation import Generalised
from reidrisk.learning import LearningPrediction, LearningRisk
from reidrisk.linkage import LinkageRisk
from reidrisk.measurement import ColumnsProfile, TableRisk
from reidrisk.prediction import GroupRisk, PeopleScored, PersonRisk, PlanRisk
from reidrisk.printable import printable
from reidrisk.reports.charts.attributes import (
    Known,
    Share,
    cells_of,
    dependence_map,
    riskiest,
    shares,
)
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
    OfSize,
    attack_curve,
    cost_frontier,
    curve_of,
    generalisation_frontier,
    group_curve,
)
from reidrisk.reports.charts.drawing import ALONE, WIDE, Chart, can_draw, svg
from reidrisk.reports.charts.population import alone_in_both
from reidrisk.reports.document import Report, first_screen
from reidrisk.reports.sections.in_the_population import in_both
from reidrisk.reports.sections.what_would_be_learnt import learning_pictures
from reidrisk.reports.words.attack import attack_blocks, unique_sets_blocks
from reidrisk.reports.words.blocks import (
    IN_PYTHON,
    Blocks,
    Style,
    html_of,
    listed,
    number,
    plainly,
    probability,
    share,
    text_of,
)
from reidrisk.reports.words.generalised import generalised_blocks
from reidrisk.reports.words.learning import learning_blocks
from reidrisk.reports.words.linkage import linkage_blocks
from reidrisk.reports.words.person import people_blocks, person_blocks
from reidrisk.reports.words.population import population_blocks
from reidrisk.reports.words.predicted_learning import predicted_learning_blocks
from reidrisk.reports.words.republication import releases_blocks
from reidrisk.reports.words.search import search_blocks
from reidrisk.reports.words.surveys import TOLD, group_blocks, plan_blocks
from reidrisk.reports.words.tables import columns_blocks, table_risk_blocks
from reidrisk.republication import ReleasesRisk
from reidrisk.samples import PopulationRisk
from reidrisk.searches import BorderFound, CostsFound, FoundView, RatioFound, SearchAnswer


@singledispatch
def blocks_of(answer: Answer) -> Blocks:
    """What an answer says."""
    raise TypeError(f"there are no words for {type(answer).__name__}")


blocks_of.register(TableRisk, table_risk_blocks)
blocks_of.register(ColumnsProfile, columns_blocks)
blocks_of.register(PopulationRisk, population_blocks)
blocks_of.register(LearningRisk, learning_blocks)
blocks_of.register(LinkageRisk, linkage_blocks)
blocks_of.register(LearningPrediction, predicted_learning_blocks)
blocks_of.register(ReleasesRisk, releases_blocks)
blocks_of.register(AttackRisk, attack_blocks)
blocks_of.register(UniqueSets, unique_sets_blocks)
blocks_of.register(PersonRisk, person_blocks)
blocks_of.register(PeopleScored, people_blocks)
blocks_of.register(GroupRisk, group_blocks)
blocks_of.register(PlanRisk, plan_blocks)
blocks_of.register(SearchAnswer, search_blocks)
blocks_of.register(Generalised, generalised_blocks)


def text(
    answer: Answer, strong: Style = plainly, in_full: bool = False, where: str = IN_PYTHON
) -> str:
    """For a terminal; `in_full` with every assumption, which else are `where`."""
    if isinstance(answer, Report):
        return answer.to_markdown()
    return text_of(blocks_of(answer), strong, in_full, where)


def headline(answer: Answer) -> str:
    """What an answer comes to, and what it is about, in one line."""
    if isinstance(answer, Report):
        return printable(f"{answer.answer.verdict} ({answer.title})")
    return printable(blocks_of(answer).headline)


def html(answer: Answer) -> str:
    """For a notebook: words, tables and, where it can be drawn, the first picture."""
    if isinstance(answer, Report):
        return first_screen(answer)
    return html_of(blocks_of(answer), _picture(answer))


def _picture(answer: Answer) -> str:
    """Nothing is fetched for it; empty without the libraries that draw."""
    draw: Any = next(iter(pictures_of(answer).values()), None) if can_draw() else None
    if draw is None:
        return ""
    chart = draw(WIDE)
    described = escape(printable(chart.to_dict()["description"]), quote=True)
    return f'<div role="img" aria-label="{described}">{svg(chart)}</div>'


MOST_BARS = 20
Ways = Mapping[str, Callable[[int], Chart]]


def plot(result: Any, what: str | None = None, width: int = WIDE) -> Chart:
    """One of a result's pictures; the first one where none is named."""
    ways = pictures_of(result)
    if what is not None and what not in ways:
        raise InputError(f"there is no picture {what!r} of this", f"there are: {', '.join(ways)}")
    if not ways:
        raise InputError("there is nothing to draw of this result")
    return without_network(ways[what or next(iter(ways))](width))


@cache
def _offline(kind: Hashable) -> Any:
    """A kind of chart that a notebook shows as a drawing, not by a script from a network."""
    assert isinstance(kind, type)
    own = {"_repr_mimebundle_": _mimebundle, "__repr__": _in_a_line}
    return type("OfflineChart", (kind,), own)


def _in_a_line(chart: Chart) -> str:
    return f"<Chart: {printable(str(chart.description))}>"


def _mimebundle(chart: Chart, *_: object, **__: object) -> dict[str, str]:
    described = escape(printable(str(chart.description)), quote=True)
    if not can_draw():
        return {"text/plain": described}
    return {"text/html": f'<div role="img" aria-label="{described}">{svg(chart)}</div>'}


def without_network(chart: Chart) -> Chart:
    """The same Altair chart, shown in a notebook as a drawing."""
    # Charts keep what is set on them as part of their description.
    object.__setattr__(chart, "__class__", _offline(chart.__class__))
    return chart


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
        "crowds": partial(crowd_histogram, bins),
        "at_least": partial(at_least, points),
        "people": partial(hundred_people, parts_of(risk.crowd_sizes)),
    }
    cells = cells_of(risk.dependence or ())
    if cells:
        ways["dependence"] = partial(dependence_map, cells, risk.envelope.input.columns)
    return ways


def _of_attack(risk: AttackRisk) -> Ways:
    known = f"{listed(list(risk.knows))} known"
    ways: dict[str, Callable[[int], Chart]] = {
        "curve": partial(attack_curve, curve_of(known, risk.crowd_sizes))
    }
    every = risk.all_knowledge
    if every is not None:
        sizes = [
            Known(each.size, each.worst.knows, each.worst.value, each.mean, share(each.worst.value))
            for each in every.sizes
        ]
        ways["knowledge"] = partial(riskiest, sizes, every.measure)
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
        return {"sizes": partial(group_curve, points)}
    parts = [
        Share(f"{_group(each)}{TOLD[law]}", value, probability(value))
        for each in risk.groups[:MOST_BARS]
        for law in (TOLD if len(risk.groups) == 1 else ("exact",))
        if (value := getattr(each, law)) is not None
    ]
    return {"laws": partial(shares, parts, "probability that all are unique")}


def _group(each: Any) -> str:
    banded = ", ".join(f"{name} in bands of {wide}" for name, wide in each.bands.items())
    return "".join(f"{name}: " for name in (each.group, banded) if name)


def _of_person(risk: PersonRisk) -> Ways:
    plain = None if risk.without_dependence is None else risk.without_dependence.at_least
    ways: dict[str, Callable[[int], Chart]] = {
        "curve": partial(person_curve, risk.k_indistinguishable, plain)
    }
    if risk.gives_away:
        parts = [
            Share(f"without {each.attribute}", each.risk_without_it, share(each.risk_without_it))
            for each in risk.gives_away
        ]
        ways["gives_away"] = partial(
            shares,
            [Share("all known", risk.risk, share(risk.risk)), *parts],
            "risk",
            colour=ALONE,
        )
    return ways


def _of_population(risk: PopulationRisk) -> Ways:
    if not risk.sample_alone.people:
        return {}
    return {"alone_in_both": partial(alone_in_both, in_both(risk))}


def _of_releases(risk: ReleasesRisk) -> Ways:
    kinds = (("in the release", risk.release), ("added", risk.added), ("removed", risk.removed),
             ("changed", risk.changed))  # fmt: skip
    parts = [
        Share(f"{name} ({number(crowds.people)})", crowds.alone_share, share(crowds.alone_share))
        for name, crowds in kinds
        if crowds is not None and crowds.people
    ]
    return {"alone": partial(shares, parts, "share of them who are alone", colour=ALONE)}


def _of_linkage(risk: LinkageRisk) -> Ways:
    kinds = (("no candidate", risk.none), ("exactly one", risk.one), ("several", risk.more))
    parts = [
        Share(f"{name} ({number(people)})", people / risk.people, share(people / risk.people))
        for name, people in kinds
    ]
    if risk.right is not None and risk.made:
        hits = risk.right.value / risk.people
        parts.insert(2, Share("exactly one, and right", hits, share(hits)))
    return {"candidates": partial(shares, parts, "share of the people released")}


def _of_plan(plan: PlanRisk) -> Ways:
    parts = [Share(each.told, each.overall_risk, share(each.overall_risk)) for each in plan.options]
    return {"options": partial(shares, parts, "overall risk")}


def _of_border(found: BorderFound) -> Ways:
    parts = _views(found.minimal_risky, found.measure)
    if not parts:
        return {}
    return {"risky": partial(shares, parts, found.measure, colour=ALONE)}


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
    told = f"people it is more than {found.ratio:g} times likelier to re-identify"
    ways: dict[str, Callable[[int], Chart]] = {}
    if best:
        ways["combinations"] = partial(shares, best, told, colour=ALONE)
    if adds:
        ways["adds"] = partial(shares, adds, "share of the overall risk")
    return ways


def _of_costs(found: CostsFound) -> Ways:
    points = [
        Bought(view.cost or 0.0, view.measures[found.measure] or 0.0, " + ".join(view.columns))
        for view in found.frontier
    ]
    if not points:
        return {}
    begun = [Bought(0.0, found.of_nothing, "nothing known"), *points]
    return {"frontier": partial(cost_frontier, begun, found.measure)}


def _of_generalised(found: Generalised) -> Ways:
    curves = [
        *curve_of("as recorded", found.before.tables[0]),
        *curve_of("as released", found.after.tables[0]),
    ]
    ways: dict[str, Callable[[int], Chart]] = {}
    if found.frontier:
        points = [Bought(each.loss, each.measure, each.told) for each in found.frontier]
        ways["frontier"] = partial(generalisation_frontier, points, found.measure)
    return ways | {"attack": partial(attack_curve, curves)}


_KINDS: dict[type, Callable[[Any], Ways]] = {
    TableRisk: _of_table,
    AttackRisk: _of_attack,
    GroupRisk: _of_groups,
    PersonRisk: _of_person,
    PlanRisk: _of_plan,
    PopulationRisk: _of_population,
    LearningRisk: learning_pictures,
    ReleasesRisk: _of_releases,
    LinkageRisk: _of_linkage,
    BorderFound: _of_border,
    RatioFound: _of_ratios,
    CostsFound: _of_costs,
    Generalised: _of_generalised,
}
