"""Discretion: how much a report may tell. A number and its words are made here, together.

A report for publication rounds every count of people to a multiple of t and folds what lies below:

    c = 0           0
    0 < c < t       "fewer than t"
    n − t < c < n   "more than n − t", since the rest could be worked out
    else            the nearest multiple of t

and shares are those of such counts, so that neither a share nor a difference of two gives a small
count away. A report for oneself tells all as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reidrisk.errors import InputError
from reidrisk.reporting.wording import number, share

USUAL_LEAST = 5


@dataclass(frozen=True)
class Told:
    """A figure: its value (None where it is only known to lie beyond something) and its words.

    `drawn` is where a picture puts it.
    """

    value: float | None
    text: str
    drawn: float = 0.0

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
        if self.at_least is not None and self.at_least < 2:
            raise InputError("--at-least is a whole number from 2 for a report to publish")
        if self.at_least is not None and self.everyone < 2 * self.at_least:
            raise InputError(
                f"of so few people nothing is left to tell without counts below {self.at_least}",
                "leave --publishable out, and keep the report to yourself",
            )

    @property
    def folds(self) -> bool:
        """Whether small counts are kept back."""
        return self.at_least is not None

    def people(self, amount: float) -> Told:
        """A number of people, or of crowds: there are no more of them than people."""
        part = amount / self.everyone if self.everyone else 0.0
        least = self.at_least
        if least is None:
            whole = round(amount)
            few = 0 < amount < 0.5
            return Told(amount, "fewer than 1" if few else number(whole), part)
        if amount == 0 or amount == self.everyone:
            return Told(float(amount), number(round(amount)), part)
        # A picture puts what is folded in the middle of where it may be.
        middle = least / self.everyone / 2.0
        if amount < least:
            return Told(None, f"fewer than {least}", middle)
        if amount > self.everyone - least:
            beyond = number(round(self.everyone - least))
            return Told(None, f"more than {beyond}", 1.0 - middle)
        rounded = least * round(amount / least)
        return Told(float(rounded), number(rounded), rounded / self.everyone)

    def share(self, part: float) -> Told:
        """A share of all people, or a mean of them that moves by at most 1/n with each."""
        if self.at_least is None or part in (0, 1):
            return Told(float(part), share(part), part)
        held = part * self.everyone
        # A whole number of people keeps being one: it must be rounded as the count itself is.
        whole = round(held)
        told = self.people(whole if abs(held - whole) < 1e-6 else held)
        if told.value is None:
            limit = self.at_least / self.everyone
            few = told.drawn < 0.5
            text = f"less than {share(limit)}" if few else f"more than {share(1.0 - limit)}"
            return Told(None, text, told.drawn)
        return Told(told.drawn, share(told.drawn), told.drawn)

    def least(self, size: int) -> Told:
        """A crowd that is the smallest of some: rounded down, so that "at least" stays true."""
        if self.at_least is None or size < self.at_least:
            told = self.people(size)
            return told if self.at_least else Told(float(size), number(size), 0.0)
        rounded = size // self.at_least * self.at_least
        return Told(float(rounded), number(rounded), 0.0)

    def risk_of(self, size: int) -> Told:
        """The risk in a crowd of `size`, by what is told of it."""
        told = self.least(size)
        if told.value is None:
            return Told(None, f"more than {share(1 / (self.at_least or 1))}", 1.0)
        return Told(1.0 / told.value, share(1.0 / told.value), 1.0 / told.value)

    def ratio(self, value: float) -> Told:
        """A figure of no particular people, between 0 and 1: three digits are enough to publish."""
        kept = float(f"{value:.3g}") if self.folds else value
        return Told(kept, share(kept) if 0 <= kept <= 1 else f"{kept:.3g}", kept)
