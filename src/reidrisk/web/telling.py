"""Telling: results as the page shows them, in words and figures that are made once elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reidrisk.measuring.envelope import Envelope
from reidrisk.measuring.table_risk import TableRisk
from reidrisk.prediction.group_risk import GroupRisk
from reidrisk.prediction.person_risk import PersonRisk
from reidrisk.prediction.plan_risk import PlanRisk
from reidrisk.reporting import group_text, person_text, plan_text, search_text, table_risk_text
from reidrisk.reporting.searched_text import what_became
from reidrisk.reporting.wording import number, probability, share
from reidrisk.reports.answer import answer_of
from reidrisk.reports.discretion import Discretion
from reidrisk.reports.found import Found
from reidrisk.views.answers import BorderFound

Grid = dict[str, Any]


def told_of_table(risk: TableRisk) -> dict[str, Any]:
    """How bad it is, three sentences, the figures with their limits, the table of crowds."""
    answer = answer_of(Found(risk), Discretion(risk.people, None))
    rows = [(crowd, held, part) for crowd, held, part, _ in table_risk_text.crowd_rows(risk)]
    model = table_risk_text.of_the_model(risk) if risk.predicted else []
    return _about(risk.envelope) | {
        "people": number(round(risk.people)),
        "level": answer.level,
        "verdict": answer.verdict,
        "sentences": table_risk_text.sentences(risk),
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
    return "" if limits is None else f"{share(limits[0])} to {share(limits[1])} if the model holds"


def told_of_person(risk: PersonRisk) -> dict[str, Any]:
    """The sentences, the k table, and what gives most away."""
    rows = [(crowd, share(part)) for crowd, part in person_text.crowd_rows(risk)]
    away = [(each.attribute, share(each.risk_without_it)) for each in risk.gives_away]
    return _about(risk.envelope) | {
        "sentences": person_text.sentences(risk),
        "because": [*person_text.given_away(risk), *person_text.used_pairs(risk)],
        "crowds": grid(("crowd", "probability"), rows),
        "gives_away": grid(("not known", "risk then"), away),
    }


def told_of_group(risk: GroupRisk) -> dict[str, Any]:
    """One group size: the sentences, and every law's probability."""
    (figures,) = risk.groups
    return _about(risk.envelope) | {
        "size": figures.size,
        "exact": probability(figures.exact),
        "expected_unique": number(round(figures.expected_unique or 0.0, 1)),
        "sentences": group_text.sentences(figures, risk.under),
        "laws": grid(("all unique", "probability"), group_text.form_rows(figures)),
    }


def told_of_search(found: BorderFound) -> dict[str, Any]:
    """The answer, the combinations, and what became of all others."""
    return _about(found.envelope) | {
        "sentences": search_text.sentences(found),
        "grids": [
            grid(heads, rows, title) for title, (heads, rows) in search_text.tables(found) if rows
        ],
        "became": what_became(found.searched, found.measure),
        "views": [list(view.columns) for view in found.minimal_risky[: search_text.MOST_LISTED]],
    }


def told_of_plan(plan: PlanRisk) -> dict[str, Any]:
    """The ways to ask, the safest first, each with what it would change."""
    options = [
        {"told": each.told, "kind": each.kind, "columns": each.columns, "bands": dict(each.bands)}
        for each in plan.options
    ]
    return _about(plan.envelope) | {
        "sentences": plan_text.sentences(plan),
        "grids": [grid(("way to ask", *plan_text.HEADS[1:]), plan_text.rows(plan))],
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
        "assumptions": list(envelope.assumptions),
        "warnings": list(envelope.warnings),
    }
