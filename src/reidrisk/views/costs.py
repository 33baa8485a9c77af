"""Costs: what an attacker pays for each attribute, and the budget (attack paper, algorithm 6).

A TOML file names a cost for every attribute looked at, in any unit, at the top or under
``[costs]``:

    [costs]
    age = 1
    postcode = 2.5

Sums are exact (fractions), so that three times 0.1 is within a budget of 0.3.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from reidrisk.engines.seeing import unknown_column
from reidrisk.errors import InputError, UnreadableInput
from reidrisk.views.view import Bits, Lattice

# More different sums than this aren't told apart to count views.
MOST_SUMS = 200_000
# Before or behind the point; sums stay exact, so that a cost of 1e-999999 would take for ever.
MOST_DIGITS = 100


@dataclass(frozen=True)
class Costs:
    """The cost of each attribute, in the order of a lattice."""

    each: tuple[Fraction, ...]

    def of(self, lattice: Lattice, bits: Bits) -> Fraction:
        """What a view's attributes cost together."""
        return sum((self.each[j] for j in lattice.seen(bits)), Fraction(0))

    def affordable(self, up_to: int, budget: Fraction) -> int | None:
        """How many sets of one to `up_to` attributes cost at most `budget`; None: too many sums."""
        ways: dict[tuple[int, Fraction], int] = {(0, Fraction(0)): 1}
        for cost in self.each:
            for (size, total), number in list(ways.items()):
                if size < up_to and total + cost <= budget:
                    more = (size + 1, total + cost)
                    ways[more] = ways.get(more, 0) + number
            if len(ways) > MOST_SUMS:
                return None
        return sum(ways.values()) - 1


def load_costs(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Costs from a TOML file."""
    place = Path(path)
    try:
        told = tomllib.loads(place.read_text(encoding="utf-8"), parse_float=str)
    except OSError as error:
        raise UnreadableInput(f"{place} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        # Not TOML, not UTF-8, or a number of thousands of digits.
        raise UnreadableInput(
            f"{place.name} isn't TOML", "a line a column, as in: age = 1  or  'home town' = 2.5"
        ) from None
    held = told.get("costs", told)
    return dict(held) if isinstance(held, Mapping) else told


def checked_costs(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Fraction]:
    """A cost of zero or more for each attribute, and for no other."""
    for name in given:
        if name not in names:
            unknown = unknown_column(str(name), names)
            raise InputError(
                f"a cost is given for {str(name)!r}, which isn't among the columns looked at",
                unknown.hint,
            )
    missing = [name for name in names if name not in given]
    if missing:
        listed = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        raise InputError(
            f"no cost is given for {listed}", "give every column looked at a cost, 0 if it is free"
        )
    return {name: amount(f"the cost of {name}", given[name]) for name in names}


def amount(what: str, given: Any) -> Fraction:
    """A number of zero or more, exactly."""
    try:
        told = None if isinstance(given, bool) else Decimal(str(given).strip())
    except InvalidOperation:
        told = None
    if told is None or not told.is_finite():
        raise InputError(f"{what} isn't a number")
    if told and abs(told.adjusted()) > MOST_DIGITS:
        raise InputError(f"{what} has more than {MOST_DIGITS} digits", "take another unit")
    exact = Fraction(told)
    if exact < 0:
        raise InputError(f"{what} is {float(exact):g}, and a cost can't be negative")
    return exact


def refuse_empty_budget(costs: Mapping[str, Fraction], budget: Fraction) -> None:
    """A budget has to buy something."""
    cheapest = min(costs, key=lambda name: costs[name])
    if costs[cheapest] > budget:
        raise InputError(
            f"a budget of {float(budget):g} buys nothing: the cheapest attribute, {cheapest}, "
            f"costs {float(costs[cheapest]):g}",
            f"allow at least that: --budget {float(costs[cheapest]):g}",
        )
