"""Each figure of Koot et al., and how it is rerun."""

from __future__ import annotations

from collections.abc import Callable

from reidrisk_papers.figure import Rerun
from reidrisk_papers.koot.age_bands import figure_4
from reidrisk_papers.koot.group_sizes import figure_3
from reidrisk_papers.koot.kappa_explains import figure_1, figure_2
from reidrisk_papers.koot.open_questions import dependence, marginals
from reidrisk_papers.setting import Setting

RERUNS: dict[str, Callable[[Setting], Rerun]] = {
    "figure_1": figure_1,
    "figure_2": figure_2,
    "figure_3": figure_3,
    "figure_4": figure_4,
    "marginals": marginals,
    "dependence": dependence,
}
