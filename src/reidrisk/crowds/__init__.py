"""The one object everything is about: the histogram of crowd sizes, counted or predicted."""

from reidrisk.crowds.crowd_sizes import Alone, CrowdSizes
from reidrisk.crowds.measures import MEASURE_NAMES, measure_value

__all__ = ["MEASURE_NAMES", "Alone", "CrowdSizes", "measure_value"]
