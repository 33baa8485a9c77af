"""Discretion: how much a report may tell. A number and its words are made here, together.

A report for publication tells a count x of n people by its class alone, for a threshold t:

    x < 3t              "fewer than 3t", nobody included
    x within 2t to 4t   "at least" so many, everybody included
    of n
    else                the nearest multiple of 2t

so that no class ends below t, nor does the difference of two. What is told of crowds comes from
such classes and nothing else (`protected_crowds`). A report for oneself tells all as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from reidrisk.errors import InputError
from reidrisk.reports.words.blocks import number, share

USUAL_LEAST = 5
# A share of no particular people, published: steps of a twentieth.
STEPS = 20
# What isn't counted but worked out from rounded figures.
ABOUT = "about "


def refuse_small_threshold(at_least: int) -> None:
    """A threshold of one keeps nothing back."""
    if at_least < 2:
        raise InputError("--at-least is a whole number from 2 for a report to publish")


@dataclass(frozen=True)
class Told:
    """A figure: its value (None where it is only known to lie beyond something) and its words.

    `drawn` is where a picture puts it; `low` and `high` are the counts it may stand for.
    """

    value: float | None
    text: str
    drawn: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {"value": self.value, "text": self.text}

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Discretion:
    """Tells figures about `everyone`, so many people; `at_least` is t, None where all is told."""

    everyone: float
    at_least: int | None = None

    def __post_init__(self) -> None:
        if self.at_least is not None:
            refuse_small_threshold(self.at_least)
        if self.at_least is not None and self.everyone < 6 * self.at_least:
            raise InputError(
                f"a report to publish with a threshold of {self.at_least} needs at least "
                f"{6 * self.at_least} people: of fewer, nothing is left to tell",
                "leave --publishable out, and keep the report to yourself",
            )

    @property
    def folds(self) -> bool:
        """Whether small counts are kept back."""
        return self.at_least is not None

    def people(self, amount: float) -> Told:
        """A number of people."""
        part = amount / self.everyone if self.everyone else 0.0
        least = self.at_least
        if least is None:
            few = 0 < amount < 0.5
            text = "fewer than 1" if few else number(round(amount))
            return Told(amount, text, part, amount, amount)
        step = 2 * least
        rounded = step * math.floor((amount + least) / step)
        # The last class begins where a multiple of the step no longer leaves room for another.
        last = step * (math.floor((self.everyone - 3 * least) / step) + 1)
        if rounded <= step:
            return self._few(3 * least - 1)
        if rounded >= last:
            return self._many(last - least)
        value = float(rounded)
        part = rounded / self.everyone
        return Told(value, number(value), part, rounded - least, rounded + least - 1)

    def _few(self, most: float) -> Told:
        drawn = (self.at_least or 0) / self.everyone
        return Told(None, f"fewer than {number(round(most) + 1)}", drawn, 0, most)

    def _many(self, fewest: float) -> Told:
        drawn = 1.0 - (self.at_least or 0) / self.everyone
        return Told(None, f"at least {number(round(fewest))}", drawn, fewest, self.everyone)

    def share(self, part: float) -> Told:
        """A share of all people."""
        if self.at_least is None:
            held = part * self.everyone
            return Told(float(part), share(part), part, held, held)
        amount = part * self.everyone
        # A whole number of people keeps being one: it must be classed as the count itself is.
        whole = round(amount)
        return self.as_share(self.people(whole if abs(amount - whole) < 1e-6 else amount))

    def as_share(self, told: Told) -> Told:
        """The share that a number of people is."""
        if self.at_least is None or told.value is not None:
            value = (told.value or 0.0) / self.everyone if self.everyone else 0.0
            text = f"{ABOUT if told.text.startswith(ABOUT) else ''}{share(value)}"
            return Told(value, text, told.drawn, told.low, told.high)
        few = told.drawn < 0.5
        bound = (told.high + 1) / self.everyone if few else 1.0 - told.low / self.everyone
        text = f"less than {_rounded_up(bound)} %" if few else f"at least {_beyond(bound)} %"
        return Told(None, text, told.drawn, told.low, told.high)

    def rest(self, told: Told) -> Told:
        """Everyone but these."""
        if told.value is None:
            few = told.drawn >= 0.5
            return (
                self._few(self.everyone - told.low)
                if few
                else self._many(self.everyone - told.high)
            )
        left = self.everyone - told.value
        low, high = self.everyone - told.high, self.everyone - told.low
        return Told(left, number(round(left)), 1.0 - told.drawn, low, high)

    def least(self, size: int) -> Told:
        """A crowd that is the smallest of some: rounded down, so that "at least" stays true."""
        if self.at_least is None:
            return Told(float(size), number(size))
        if size < self.at_least:
            return Told(None, f"fewer than {self.at_least}")
        rounded = size // self.at_least * self.at_least
        return Told(float(rounded), number(rounded))

    def risk_of(self, size: int) -> Told:
        """The risk in a crowd of `size`, by what is told of it."""
        told = self.least(size)
        if told.value is None:
            return Told(None, f"more than {share(1 / (self.at_least or 1))}", 1.0)
        return Told(1.0 / told.value, share(1.0 / told.value), 1.0 / told.value)

    def ratio(self, value: float) -> Told:
        """A figure of no particular people, between 0 and 1: to publish, in twentieths."""
        kept = round(value * STEPS) / STEPS if self.folds else value
        if self.folds and value > 0 and kept == 0:
            return Told(0.0, f"less than {share(1 / STEPS)}", 0.0)
        return Told(kept, share(kept) if 0 <= kept <= 1 else f"{kept:.3g}", kept)


def _rounded_up(part: float) -> str:
    """Per cent, to two digits, never less than it is."""
    per_cent = max(100.0 * part, 0.01)
    digits = max(1 - math.floor(math.log10(per_cent)), 0)
    return f"{math.ceil(per_cent * 10**digits - 1e-9) / 10**digits:g}"


def _beyond(part: float) -> str:
    """100 per cent less so much, never more than it is."""
    return f"{100.0 - float(_rounded_up(part)):.6g}"
