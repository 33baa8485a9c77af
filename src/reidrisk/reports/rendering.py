"""Rendering: an answer as text, for a notebook, as a picture; chosen by its type."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import Any

from reidrisk.attacks import AttackRisk, UniqueSets
from reidrisk.crowds import Answer
from reidrisk.generalisation import Generalised
from reidrisk.measurement import ColumnsProfile, TableRisk
from reidrisk.prediction import GroupRisk, PeopleScored, PersonRisk, PlanRisk
from reidrisk.printable import printable
from reidrisk.reports.charts.drawing import can_draw, svg
from reidrisk.reports.charts.plotting import pictures_of
from reidrisk.reports.charts.theme import WIDE
from reidrisk.reports.document import Report, first_screen
from reidrisk.reports.words.attack import attack_blocks, unique_sets_blocks
from reidrisk.reports.words.blocks import IN_PYTHON, Blocks, html_of, text_of
from reidrisk.reports.words.columns import columns_blocks
from reidrisk.reports.words.generalised import generalised_blocks
from reidrisk.reports.words.group import group_blocks
from reidrisk.reports.words.layout import Style, plainly
from reidrisk.reports.words.person import people_blocks, person_blocks
from reidrisk.reports.words.plan import plan_blocks
from reidrisk.reports.words.search import search_blocks
from reidrisk.reports.words.table_risk import table_risk_blocks
from reidrisk.searches import SearchAnswer


@singledispatch
def blocks_of(answer: Answer) -> Blocks:
    """What an answer says."""
    raise TypeError(f"there are no words for {type(answer).__name__}")


blocks_of.register(TableRisk, table_risk_blocks)
blocks_of.register(ColumnsProfile, columns_blocks)
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
