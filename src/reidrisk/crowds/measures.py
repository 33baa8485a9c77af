"""The measures by name: the same names in --measure, --fail-above, JSON and Python.

A name may carry a parameter behind a colon: ``share_above:0.2`` (or 1/5),
``share_in_crowds_of_at_least:5``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.crowds.limits import limit_value
from reidrisk.errors import InputError

_PLAIN: dict[str, Callable[[CrowdSizes], float]] = {
    "overall_risk": lambda crowds: crowds.overall_risk,
    "alone_share": lambda crowds: crowds.alone_share,
    "highest_risk": lambda crowds: crowds.highest_risk,
    "smallest_crowd": lambda crowds: crowds.smallest_crowd,
    "lowest_risk": lambda crowds: crowds.lowest_risk,
    "expected_reidentifications": lambda crowds: crowds.expected_reidentifications,
    "distinct": lambda crowds: crowds.distinct,
    "people": lambda crowds: crowds.people,
}
_WITH_PARAMETER: dict[str, tuple[Callable[[str], float], Callable[[CrowdSizes, float], float]]] = {
    "share_above": (
        lambda risk: limit_value(risk, "share_above"),
        lambda crowds, risk: crowds.share_above(risk),
    ),
    "share_in_crowds_of_at_least": (
        int,
        lambda crowds, k: crowds.share_in_crowds_of_at_least(int(k)),
    ),
}
MEASURE_NAMES: tuple[str, ...] = (
    *_PLAIN,
    "share_above:RISK",
    "share_in_crowds_of_at_least:K",
)


# Larger is safer: a threshold they must not exceed would never warn of anything.
_SAFER_WHEN_LARGER = {
    "smallest_crowd": "k=5, the same as highest_risk=0.2, warns of crowds below 5",
    "share_in_crowds_of_at_least": "share_above:1/5=0.01 warns of people in crowds below 5",
}
# Numbers of people or crowds; all others are shares.
_COUNTS = ("expected_reidentifications", "distinct", "people", "smallest_crowd")


def safer_when_larger(name: str) -> bool:
    """Whether a measure falls as more is seen; all others rise, but `people`, which stays."""
    return name.partition(":")[0] in _SAFER_WHEN_LARGER


def is_a_count(name: str) -> bool:
    """Whether a measure is a number of people or crowds, and no share."""
    return name in _COUNTS


def checked_threshold(name: str, highest: float) -> float:
    """A threshold that can be crossed, by a measure that is worse when it is larger."""
    plain = name.partition(":")[0]
    parsed_measure(name)
    if plain in _SAFER_WHEN_LARGER:
        raise InputError(f"{plain} is safer when it is larger", _SAFER_WHEN_LARGER[plain])
    if math.isnan(highest) or highest < 0 or (not is_a_count(name) and highest > 1):
        raise InputError(
            f"{name} can't cross {highest:g}",
            "risks and shares lie between 0 and 1: write 5 % as 0.05",
        )
    return highest


def measure_value(crowds: CrowdSizes, name: str) -> float:
    """The measure called `name`, from a crowd-size histogram."""
    return parsed_measure(name)(crowds)


def parsed_measure(name: str) -> Callable[[CrowdSizes], float]:
    """The function behind a measure's name; an unknown name lists the names there are."""
    plain, _, parameter = name.partition(":")
    if plain in _PLAIN and not parameter:
        return _PLAIN[plain]
    if plain in _WITH_PARAMETER and parameter:
        read, measure = _WITH_PARAMETER[plain]
        try:
            value = read(parameter)
        except (ValueError, InputError):
            raise InputError(
                f"the measure {name!r} needs a number behind the colon",
                "for example share_above:0.2 or share_in_crowds_of_at_least:5",
            ) from None
        return lambda crowds: measure(crowds, value)
    raise InputError(f"no measure is called {name!r}", "there are: " + ", ".join(MEASURE_NAMES))
