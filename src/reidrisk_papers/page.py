"""The reproduction as one page: no script, no network; each figure's values beside the paper's."""

from __future__ import annotations

from reidrisk.reports import NARROW, WIDE, rendered
from reidrisk_papers.reproduction import Reproduction

HEADS = ("what", "the paper", "ours, as published", "ours, improved", "")


def page(found: Reproduction) -> str:
    """The whole page."""
    return rendered(
        "reproduction.html", "reidrisk_papers", found=found, heads=HEADS, widths=(WIDE, NARROW)
    )
