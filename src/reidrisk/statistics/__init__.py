"""What may be published, and what counts say without records.

Imported when first used: measuring records needs dependence only.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reidrisk.statistics.checking import InconsistentStatistics
    from reidrisk.statistics.dependence import Dependence, dependence_between, max_dependence
    from reidrisk.statistics.merging import merged
    from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics, Suppressed
    from reidrisk.statistics.statistics_file import load_statistics, save_statistics

_MODULES = {
    "Attribute": "statistics",
    "Dependence": "dependence",
    "InconsistentStatistics": "checking",
    "Other": "statistics",
    "PairCounts": "statistics",
    "Statistics": "statistics",
    "Suppressed": "statistics",
    "dependence_between": "dependence",
    "load_statistics": "statistics_file",
    "max_dependence": "dependence",
    "merged": "merging",
    "save_statistics": "statistics_file",
}

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


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'reidrisk.statistics' has no attribute {name!r}")
    return getattr(import_module(f"reidrisk.statistics.{_MODULES[name]}"), name)
