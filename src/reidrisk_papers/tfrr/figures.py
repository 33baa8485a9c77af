"""How each figure is run."""

from __future__ import annotations

from collections.abc import Callable

from reidrisk_papers.figure import Rerun
from reidrisk_papers.setting import Setting
from reidrisk_papers.tfrr.binomial_differences import figure_3
from reidrisk_papers.tfrr.random_dependence import figure_1
from reidrisk_papers.tfrr.random_people import figure_4
from reidrisk_papers.tfrr.real_dependence import figure_2a
from reidrisk_papers.tfrr.real_people import figure_5
from reidrisk_papers.tfrr.rectified import figure_6
from reidrisk_papers.tfrr.subset_dependence import figure_2b

RERUNS: dict[str, Callable[[Setting], Rerun]] = {
    "figure_1": figure_1,
    "figure_2a": figure_2a,
    "figure_2b": figure_2b,
    "figure_3": figure_3,
    "figure_4": figure_4,
    "figure_5": figure_5,
    "figure_6": figure_6,
}
