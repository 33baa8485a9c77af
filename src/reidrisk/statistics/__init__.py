"""What counts say without records: dependence between attributes; later, what may be published."""

from reidrisk.statistics.dependence import Dependence, dependence, max_dependence

__all__ = ["Dependence", "dependence", "max_dependence"]
