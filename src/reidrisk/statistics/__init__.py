"""What may be published, and what counts say without records."""

from reidrisk.statistics.dependence import Dependence, dependence_between, max_dependence
from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed
from reidrisk.statistics.statistics_file import (
    InconsistentStatistics,
    load_statistics,
    merged,
    save_statistics,
)

__all__ = [
    "Attribute",
    "Dependence",
    "InconsistentStatistics",
    "Other",
    "PairCounts",
    "Statistics",
    "Suppressed",
    "dependence_between",
    "load_statistics",
    "max_dependence",
    "merged",
    "save_statistics",
]
