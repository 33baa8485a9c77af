"""How each figure and table of the paper is run."""

from __future__ import annotations

from collections.abc import Callable

from reidrisk_papers.figure import Rerun
from reidrisk_papers.r3a.dependences import table_5, tables_3_4
from reidrisk_papers.r3a.entropies import figure_4
from reidrisk_papers.r3a.entropy_rules import rules
from reidrisk_papers.r3a.sample_means import figure_1
from reidrisk_papers.r3a.sampling_errors import figure_2, figure_3
from reidrisk_papers.r3a.worked_examples import equation_17, table_1, table_2
from reidrisk_papers.setting import Setting

RERUNS: dict[str, Callable[[Setting], Rerun]] = {
    "table_1": table_1,
    "table_2": table_2,
    "equation_17": equation_17,
    "figure_1": figure_1,
    "tables_3_4": tables_3_4,
    "table_5": table_5,
    "figure_2": figure_2,
    "figure_3": figure_3,
    "figure_4": figure_4,
    "rules": rules,
}
