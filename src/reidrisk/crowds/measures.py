"""The measures by name: the same names in --measure, --fail-above, JSON and Python.

A name may carry a parameter behind a colon: ``share_above:0.2`` (or 1/5),
``share_in_crowds_of_at_least:5``.

Limits: the value up to which a measure is allowable, as people write it: 0.05, 1/11, k=11.

`k=11` asks for crowds of at least eleven: a highest risk of 1/11, a smallest crowd of 11.

Every measure of counted crowds is one whole number divided by another, and so is 1/11. Both become
the float nearest to their quotient, so what is equal as a fraction compares as equal, as long as
the whole numbers stay below 2^26. A decimal means what it says: 0.09 is less than 1/11, and crowds
of eleven exceed it; `rounding_note` says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from reidrisk.crowds.crowd_sizes import CrowdSizes
from reidrisk.errors import InputError

# As in Python; on the command line it is a text.
Limit = float | Fraction | str

_CROWD = re.compile(r"k\s*=\s*(\d+)", re.IGNORECASE)
_FRACTION = re.compile(r"(\d+)\s*/\s*(\d+)")
WAYS = "as in 0.05, 1/11 or k=11"


def limit_value(given: Limit, option: str, measure: str = "highest_risk") -> float:
    """The number that a limit of this measure means."""
    if not isinstance(given, str):
        return float(given)
    text = given.strip()
    if crowd := _CROWD.fullmatch(text):
        return _of_crowds(int(crowd[1]), text, option, measure)
    try:
        parts = _FRACTION.fullmatch(text)
        return float(Fraction(int(parts[1]), int(parts[2]))) if parts else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{option} {text}: it is no number", WAYS) from None


def _of_crowds(size: int, text: str, option: str, measure: str) -> float:
    if size < 1:
        raise InputError(f"{option} {text}: a crowd has at least one person", "as in k=5")
    plain = measure.partition(":")[0]
    if plain == "smallest_crowd":
        return float(size)
    if plain != "highest_risk":
        raise InputError(
            f"{option} {text}: a crowd size limits highest_risk, not {measure}",
            f"write 1/{size} for a value of 1/{size}",
        )
    return 1.0 / size


def crowd_size(given: int | str, option: str = "-k") -> int:
    """The k of k-anonymity: 11, k=11 or the highest risk it allows, 1/11."""
    text = str(given).strip()
    size = re.fullmatch(r"(?:k\s*=\s*|1\s*/\s*)?(-?\d+)", text, re.IGNORECASE)
    if size is None:
        raise InputError(f"{option} {text}: it is no crowd size", "as in -k 5")
    if int(size[1]) < 1:
        raise InputError(f"{option} {text}: a crowd has at least one person", "as in -k 5")
    return int(size[1])


def rounded_crowd(limit: float) -> int | None:
    """The s whose 1/s is above a limit that looks like 1/s rounded: 11 for 0.09; else None."""
    if not 1e-12 < limit < 1 or limit == 1.0 / round(1.0 / limit):
        return None
    size = math.ceil(1.0 / limit) - 1
    decimals = len(f"{limit:.12f}".rstrip("0").partition(".")[2])
    return size if size > 1 and 1.0 / size - limit < 0.5 * 10.0**-decimals else None


def rounding_note(measure: str, limit: float) -> str:
    """What to mind where a limit of the highest risk is a fraction that was rounded; else empty."""
    size = rounded_crowd(limit) if measure.partition(":")[0] == "highest_risk" else None
    if size is None:
        return ""
    return (
        f"1/{size} is {1 / size:.4g}, which is above {limit:.6g}: crowds of {size} exceed the "
        f"limit. To allow them, give it as 1/{size} or k={size}."
    )


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
