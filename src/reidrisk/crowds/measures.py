"""Measure: everything that is known of a measure, in one record. `MEASURES` lists them all.

The names are those in --measure, --fail-above, JSON and Python. A name may carry a parameter behind
a colon: ``share_above:0.2`` (or 1/5), ``share_in_crowds_of_at_least:5``.

Symbols: N_s crowds of size s, D = Σ N_s crowds in all, n people, m and M the smallest and the
largest crowd. Merging two crowds (a generalisation, a column less) makes a, b into a + b: D falls
by one, m and M never fall, and the people in crowds below any size never become more. So whatever
falls with D and with the people in small crowds, or with rising m or M, can only improve. A share
of people in crowds of exactly two has no such direction: two people alone make a pair.

A new measure is one more record here, and its line in the documentation.

Limits: the value up to which a measure is allowable, as people write it: 0.05, 1/11, k=11.
`k=11` asks for crowds of at least eleven: a highest risk of 1/11, a smallest crowd of 11.

Every measure of counted crowds is one whole number divided by another, and so is 1/11. Both become
the float nearest to their quotient, so what is equal as a fraction compares as equal, as long as
the whole numbers stay below 2^26. A decimal means what it says: 0.09 is less than 1/11, and crowds
of eleven exceed it; `Measure.rounding_note` says so.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from operator import attrgetter
from typing import Any, Literal

from reidrisk.errors import InputError

# As in Python; on the command line it is a text.
Limit = float | Fraction | str

_CROWD = re.compile(r"k\s*=\s*(\d+)", re.IGNORECASE)
_FRACTION = re.compile(r"(\d+)\s*/\s*(\d+)")
WAYS = "as in 0.05, 1/11 or k=11"


def risk_in_crowd(size: int) -> float:
    """1/size."""
    return 1.0 / size


def limit_value(
    given: Limit, option: str, of_crowd: Callable[[int], float] = risk_in_crowd
) -> float:
    """The number that a limit means; `of_crowd` turns the size in k=11 into one."""
    if not isinstance(given, str):
        return float(given)
    text = given.strip()
    if crowd := _CROWD.fullmatch(text):
        if int(crowd[1]) < 1:
            raise InputError(f"{option} {text}: a crowd has at least one person", "as in k=5")
        return of_crowd(int(crowd[1]))
    try:
        parts = _FRACTION.fullmatch(text)
        return float(Fraction(int(parts[1]), int(parts[2]))) if parts else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"{option} {text}: it isn't a number", WAYS) from None


def crowd_size(given: int | str, option: str = "-k") -> int:
    """The k of k-anonymity: 11, k=11 or the highest risk it allows, 1/11."""
    text = str(given).strip()
    size = re.fullmatch(r"(?:k\s*=\s*|1\s*/\s*)?(-?\d+)", text, re.IGNORECASE)
    if size is None:
        raise InputError(
            f"{option} {text}: it isn't a crowd size", "give a whole number, as in -k 5"
        )
    if int(size[1]) < 1:
        raise InputError(f"{option} {text}: a crowd has at least one person", "as in -k 5")
    return int(size[1])


def first_size(risk: float) -> int:
    """The smallest s with 1/s ≤ risk, compared as the measures compare; none below 10^-12."""
    if risk < 1e-12:
        return sys.maxsize
    size = max(math.floor(1.0 / risk) - 1, 1)
    while 1.0 / size > risk:
        size += 1
    return size


def rounded_crowd(limit: float) -> int | None:
    """The s whose 1/s is above a limit that looks like 1/s rounded: 11 for 0.09; else None."""
    if not 1e-12 < limit < 1 or limit == 1.0 / round(1.0 / limit):
        return None
    size = math.ceil(1.0 / limit) - 1
    decimals = len(f"{limit:.12f}".rstrip("0").partition(".")[2])
    return size if size > 1 and 1.0 / size - limit < 0.5 * 10.0**-decimals else None


# A part of n people; a number of people or crowds; the size of one crowd, and one divided by it.
Unit = Literal["share", "count", "crowd size", "1/crowd size"]
# What merging crowds does to it: never makes it worse; nothing; this or that.
Merging = Literal["improves", "keeps", "either"]
# As it is; by the class of the people counted; the smallest crowd, rounded down; worked out from
# what else is published; not at all.
Release = Literal["exact", "people", "smallest crowd", "estimate", "withheld"]


@dataclass(frozen=True)
class Part:
    """The part of a histogram that decides a measure, and the measure made of it.

    ``crowds`` is D, ``below`` the people in crowds below a size, ``smallest`` the smallest crowd.
    """

    of: Literal["crowds", "below", "smallest"]
    # (the part, n) → the measure
    measure: Callable[[float, int], float]
    # For `below`: the size.
    size: int = 0


@dataclass(frozen=True)
class Parameter:
    """What stands behind the colon of a measure's name."""

    placeholder: str
    read: Callable[[str], float]
    # Below which crowd size people count, by its value.
    size: Callable[[float], int]
    shown: Callable[[float], str]


@dataclass(frozen=True)
class Measure:
    """One measure of crowd sizes; two of one name are the same."""

    name: str
    # In prose, and what the field says besides (docs/words.md).
    plain: str = field(compare=False)
    field_terms: tuple[str, ...] = field(compare=False)
    compute: Callable[..., float] = field(compare=False, repr=False)
    unit: Unit = field(compare=False)
    safer_when_larger: bool = field(default=False, compare=False)
    merging: Merging = field(default="improves", compare=False)
    release: Release = field(default="withheld", compare=False)
    # None where the whole histogram is needed.
    part: Part | None = field(default=None, compare=False, repr=False)
    # Whether leaving people of small crowds out of a release can improve it.
    suppression_helps: bool = field(default=True, compare=False)
    # How to say the same by a measure that is worse when it is larger.
    instead: str = field(default="", compare=False)
    parameter: Parameter | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return measure_named, (self.name,)

    @property
    def both_words(self) -> str:
        """The plain word with the field's: overall risk (average, marketer)."""
        return f"{self.plain} ({', '.join(self.field_terms)})" if self.field_terms else self.plain

    @property
    def is_count(self) -> bool:
        """Whether it is a number of people or crowds, and no share."""
        return self.unit in ("count", "crowd size")

    @property
    def bounds(self) -> tuple[float, float]:
        """What it lies between, whatever the table."""
        return (0.0, math.inf if self.is_count else 1.0)

    def value(self, of: Any) -> float:
        """Of these crowds, or of whatever else it is a measure of."""
        return self.compute(of)

    def worse(self, value: float, limit: float) -> bool:
        """Whether a value is beyond a limit."""
        return value < limit if self.safer_when_larger else value > limit

    def worst(self, values: list[float]) -> float:
        """The riskiest of several values."""
        return min(values) if self.safer_when_larger else max(values)

    def limit(self, given: Limit, option: str) -> float:
        """The number that a limit of this measure means."""

        def of_crowd(size: int) -> float:
            if self.part is not None and self.part.of == "smallest":
                return float(self.part.measure(size, size))
            raise InputError(
                f"{option} k={size}: a crowd size limits highest_risk, not {self.name}",
                f"write 1/{size} for a value of 1/{size}",
            )

        return limit_value(given, option, of_crowd)

    def least_crowd(self, limit: float) -> int | None:
        """The smallest crowd that a limit allows; None where it asks for none."""
        if self.part is None or self.part.of != "smallest":
            return None
        return math.ceil(limit) if self.unit == "crowd size" else first_size(limit)

    def threshold(self, highest: float) -> float:
        """A threshold that can be crossed, by a measure that is worse when it is larger."""
        if self.safer_when_larger:
            plain = self.name.partition(":")[0]
            raise InputError(f"{plain} is safer when it is larger", self.instead)
        low, high = self.bounds
        if not low <= highest <= high:
            raise InputError(
                f"{self.name} can't cross {highest:g}",
                "risks and shares lie between 0 and 1: write 5 % as 0.05",
            )
        return highest

    def rounding_note(self, limit: float) -> str:
        """What to mind where a limit of 1/crowd is a fraction that was rounded; else empty."""
        decided = self.unit == "1/crowd size" and self.part is not None
        size = rounded_crowd(limit) if decided else None
        if size is None:
            return ""
        return (
            f"1/{size} is {1 / size:.4g}, which is above {limit:.6g}: crowds of {size} exceed the "
            f"limit. To allow them, give it as 1/{size} or k={size}."
        )

    def refuse_unless_monotone(self) -> None:
        """Searches and generalisations conclude from one release that coarser ones are safer."""
        instead = "judge by highest_risk, overall_risk, alone_share or share_above:0.2"
        if self.merging == "keeps":
            raise InputError(
                f"{self.name} is the same for every combination of columns: none is riskier by it",
                instead,
            )
        if self.merging == "either":
            raise InputError(
                f"{self.name} isn't monotone: merging crowds may make it better or worse, so one "
                "combination of columns says nothing about those with fewer or more columns",
                instead,
            )

    def with_parameter(self, text: str) -> Measure:
        """The measure that a parameter makes of this one."""
        assert self.parameter is not None
        value = self.parameter.read(text)
        size = self.parameter.size(value)
        return replace(
            self,
            name=f"{self.name}:{text}",
            plain=self.plain.format(self.parameter.shown(value)),
            compute=partial(self.compute, parameter=value),
            part=None if self.part is None else replace(self.part, size=size),
            parameter=None,
        )


def measure_named(name: str, among: Mapping[str, Measure] | None = None) -> Measure:
    """The measure of a name, of crowds unless it is `among` others; an unknown name lists them."""
    plain, _, parameter = name.partition(":")
    among = MEASURES if among is None else among
    measure = among.get(plain)
    if measure is not None and measure.parameter is None and not parameter:
        return measure
    if measure is not None and measure.parameter is not None and parameter:
        try:
            return measure.with_parameter(parameter)
        except (ValueError, InputError):
            raise InputError(
                f"the measure {name!r} needs a number behind the colon",
                "for example share_above:0.2 or share_in_crowds_of_at_least:5",
            ) from None
    raise InputError(
        f"no measure is called {name!r}", "there are: " + ", ".join(measure_names(among))
    )


def measure_names(among: Mapping[str, Measure] | None = None) -> list[str]:
    """Every name as it is written, with what goes behind the colon."""
    return [
        name if each.parameter is None else f"{name}:{each.parameter.placeholder}"
        for name, each in (MEASURES if among is None else among).items()
    ]


_LISTED = (
    Measure(
        "overall_risk",
        "overall risk",
        ("average", "marketer"),
        attrgetter("overall_risk"),
        "share",
        release="estimate",
        part=Part("crowds", lambda crowds, people: crowds / people),
    ),
    Measure(
        "alone_share",
        "alone",
        ("unique",),
        attrgetter("alone_share"),
        "share",
        release="people",
        part=Part("below", lambda small, people: small / people, 2),
    ),
    Measure(
        "highest_risk",
        "highest risk",
        ("maximum", "prosecutor"),
        attrgetter("highest_risk"),
        "1/crowd size",
        release="smallest crowd",
        part=Part("smallest", lambda smallest, _: 1.0 / smallest),
    ),
    Measure(
        "smallest_crowd",
        "smallest crowd",
        ("k of k-anonymity",),
        attrgetter("smallest_crowd"),
        "crowd size",
        safer_when_larger=True,
        release="smallest crowd",
        part=Part("smallest", lambda smallest, _: smallest),
        instead="k=5, the same as highest_risk=0.2, warns of crowds below 5",
    ),
    Measure(
        "lowest_risk",
        "lowest risk",
        ("minimum", "prosecutor"),
        attrgetter("lowest_risk"),
        "1/crowd size",
        # The largest crowd is the last to be left out.
        suppression_helps=False,
    ),
    Measure(
        "expected_reidentifications",
        "expected re-identifications",
        (),
        attrgetter("expected_reidentifications"),
        "count",
        part=Part("crowds", lambda crowds, _: float(crowds)),
    ),
    Measure(
        "distinct",
        "crowds",
        ("equivalence classes",),
        attrgetter("distinct"),
        "count",
        part=Part("crowds", lambda crowds, _: float(crowds)),
    ),
    Measure(
        "people",
        "people",
        ("records",),
        attrgetter("people"),
        "count",
        merging="keeps",
        release="exact",
    ),
    Measure(
        "share_above",
        "risk above {}",
        (),
        lambda crowds, parameter: crowds.share_above(parameter),
        "share",
        release="people",
        part=Part("below", lambda small, people: small / people),
        parameter=Parameter(
            "RISK",
            lambda text: limit_value(text, "share_above"),
            first_size,
            lambda risk: f"{100 * risk:g} %",
        ),
    ),
    Measure(
        "share_in_crowds_of_at_least",
        "in crowds of at least {}",
        (),
        lambda crowds, parameter: crowds.share_in_crowds_of_at_least(int(parameter)),
        "share",
        safer_when_larger=True,
        release="people",
        # Of whole numbers: 1 − small/people may miss a threshold by a rounding error.
        part=Part("below", lambda small, people: (people - small) / people),
        instead="share_above:1/5=0.01 warns of people in crowds below 5",
        parameter=Parameter("K", int, int, str),
    ),
)
MEASURES: dict[str, Measure] = {each.name: each for each in _LISTED}
