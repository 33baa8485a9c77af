"""The reproduction as one page: no script, no network; each figure's values beside the paper's."""

from __future__ import annotations

from reidrisk.charts.theme import NARROW, WIDE
from reidrisk.papers.reproduction import Reproduction
from reidrisk.reports.html_page import rendered

HEADS = ("what", "the paper", "ours, as published", "ours, improved", "")


def page(found: Reproduction) -> str:
    """The whole page."""
    return rendered(
        "reproduction.html", "reidrisk.papers", found=found, heads=HEADS, widths=(WIDE, NARROW)
    )
