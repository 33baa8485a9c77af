"""Telling: results as the page shows them, in words and figures that are made once elsewhere.

Drawn: charts as trees of elements, which the page builds one by one.

[name, {attribute: text}, [children]], a text being a child: nothing is ever parsed as HTML, and no
element or attribute that could load or run something passes. What a chart would say by a style
attribute, which the page's policy forbids, it says by attributes of its own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

from reidrisk.crowds import Envelope
from reidrisk.learning import LearningRisk
from reidrisk.measurement import TableRisk
from reidrisk.prediction import GroupRisk, PersonRisk, PlanRisk
from reidrisk.reports import (
    NARROW,
    SVG,
    WIDE,
    Chart,
    Discretion,
    Found,
    answer_of,
    number,
    probability,
    share,
    svg_element,
    words,
)
from reidrisk.samples import PopulationRisk
from reidrisk.searches import BorderFound

Grid = dict[str, Any]


def table_answer(risk: TableRisk) -> dict[str, Any]:
    """How bad it is, three sentences, the figures with their limits, the table of crowds."""
    answer = answer_of(Found(risk), Discretion(risk.people, None))
    rows = [(crowd, held, part) for crowd, held, part, _ in words.tables.crowd_rows(risk)]
    model = words.tables.of_the_model(risk) if risk.predicted else []
    return _about(risk.envelope) | {
        "people": number(round(risk.people)),
        "level": answer.level,
        "verdict": answer.verdict,
        "sentences": words.tables.sentences(risk),
        "figures": [
            {"key": key, "name": name, "text": told.text, "within": _within(risk, key)}
            for key, (name, told) in answer.figures.items()
        ],
        "hundred": [{"many": many, "who": who} for many, who in answer.hundred],
        "crowds": grid(("crowd", "people", "share"), rows),
        "of_the_model": model,
        "predicted": risk.predicted,
    }


def _within(risk: TableRisk, key: str) -> str:
    limits = risk.intervals.get(key)
    return "" if limits is None else f"90 % interval {share(limits[0])} to {share(limits[1])}"


def person_answer(risk: PersonRisk) -> dict[str, Any]:
    """The sentences, the k table, and what gives most away."""
    rows = [(crowd, share(part)) for crowd, part in words.person.crowd_rows(risk)]
    away = [(each.attribute, share(each.risk_without_it)) for each in risk.gives_away]
    return _about(risk.envelope) | {
        "sentences": words.person.sentences(risk),
        "because": [*words.person.given_away(risk), *words.person.used_pairs(risk)],
        "crowds": grid(("crowd", "probability"), rows),
        "gives_away": grid(("not known", "risk then"), away),
    }


def group_answer(risk: GroupRisk) -> dict[str, Any]:
    """One group size: the sentences, and every law's probability."""
    (figures,) = risk.groups
    return _about(risk.envelope) | {
        "size": figures.size,
        "exact": probability(figures.exact),
        "expected_unique": number(round(figures.expected_unique or 0.0, 1)),
        "sentences": words.surveys.sentences(figures, risk.under),
        "laws": grid(("all unique", "probability"), words.surveys.form_rows(figures)),
    }


def search_answer(found: BorderFound) -> dict[str, Any]:
    """The answer, the combinations, and what became of all others."""
    return _about(found.envelope) | {
        "sentences": words.search.sentences(found),
        "grids": [each.to_dict() for each in words.search.grids(found) if each.rows],
        "became": words.search.what_became(found.searched, found.measure),
        "views": [list(view.columns) for view in found.minimal_risky[: words.search.MOST_LISTED]],
    }


def population_answer(risk: PopulationRisk) -> dict[str, Any]:
    """Who of those alone is alone in the population, and every attacker's risk."""
    return _about(risk.envelope) | {
        "sentences": words.population.sentences(risk),
        "grids": [words.population.risks(risk).to_dict()],
    }


def learning_answer(risk: LearningRisk) -> dict[str, Any]:
    """For whom a sensitive value is certain, what guessing gains, and the field's measures."""
    each = list(risk.sensitive.values())
    return _about(risk.envelope) | {
        "sentences": [text for one in each for text in words.learning.sentences(risk, one)],
        "grids": [grid.to_dict() for one in each for grid in words.learning.grids(one)],
    }


def plan_answer(risk: PlanRisk) -> dict[str, Any]:
    """The ways to ask, the safest first, each with what it would change."""
    heads = ("way to ask", *words.surveys.PLAN_HEADS[1:])
    options = [
        {"told": each.told, "kind": each.kind, "columns": each.columns, "bands": dict(each.bands)}
        for each in risk.options
    ]
    return _about(risk.envelope) | {
        "sentences": words.surveys.plan_sentences(risk),
        "grids": [grid(heads, words.surveys.plan_rows(risk))],
        "options": options,
    }


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> Grid:
    """A table in words."""
    return {"title": title, "heads": list(heads), "rows": [list(row) for row in rows]}


def _about(envelope: Envelope) -> dict[str, Any]:
    """A number never travels alone."""
    return {
        "from": envelope.origin,
        "model": envelope.model,
        "seed": envelope.seed,
        "columns": list(envelope.input.columns),
        "assumptions": [str(each) for each in envelope.assumptions],
        "warnings": list(envelope.warnings),
    }


ELEMENTS = frozenset(
    ("svg", "g", "path", "line", "rect", "circle", "text", "tspan", "defs", "clipPath", "title")
)
ATTRIBUTES = frozenset(
    (
        "width", "height", "viewBox", "fill", "fill-opacity", "stroke", "stroke-width",
        "stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap",
        "stroke-linejoin", "stroke-miterlimit", "opacity", "transform", "d", "x", "y", "x1", "x2",
        "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "text-anchor", "dominant-baseline",
        "font-family", "font-size", "font-weight", "font-style", "aria-hidden", "id", "clip-path",
    )
)  # fmt: skip
Tree = list[Any]


def chart_elements(chart: Chart) -> dict[str, Any]:
    """A chart's tree, and what it shows in words."""
    return {"tree": tree_of(svg_element(chart)), "described": chart.description or ""}


def both_widths(draw: Callable[[int], Chart]) -> dict[str, Any]:
    """For a wide and for a narrow page."""
    return {"wide": chart_elements(draw(WIDE)), "narrow": chart_elements(draw(NARROW))}


def tree_of(element: ET.Element) -> Tree:
    """An element with what may pass of its attributes and children."""
    name = element.tag.removeprefix(f"{{{SVG}}}")
    given = {**_styled(element.get("style", "")), **element.attrib}
    kept = {key: text for key, text in given.items() if key in ATTRIBUTES}
    children: Tree = [element.text] if element.text else []
    for child in element:
        if isinstance(child.tag, str) and child.tag.removeprefix(f"{{{SVG}}}") in ELEMENTS:
            children.append(tree_of(child))
        if child.tail:
            children.append(child.tail)
    return [name, kept, children]


def _styled(style: str) -> dict[str, str]:
    """fill: red; opacity: 1 as attributes."""
    parts = (part.partition(":") for part in style.split(";"))
    return {name.strip(): text.strip() for name, colon, text in parts if colon}
