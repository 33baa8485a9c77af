"""Wanted: what an attack was asked for, checked before anything is counted, and what it assumes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.attacks.known_attributes import USUAL_LIMIT, refuse_too_many
from reidrisk.crowds import Assumption, measure_named
from reidrisk.errors import ContradictoryOptions, InputError, UnknownColumn
from reidrisk.measurement import EXACT_KNOWLEDGE
from reidrisk.prediction import checked_seed
from reidrisk.records import unknown_column

MOST_TARGETS = 10_000_000


def chosen_names(
    asked: Sequence[str] | str | None, there: Sequence[str], of_records: bool = False
) -> tuple[str, ...]:
    """The attributes known: those asked for, or all there are.

    A text with commas is several names, unless an attribute is called so. Records may have more
    columns than quasi-identifiers (`of_records`), which the refusal of an unknown one says.
    """
    if asked is None:
        return tuple(there)
    given = [asked] if isinstance(asked, str) else list(asked)
    names = [
        name
        for text in given
        for name in ([text] if text in there else [part.strip() for part in text.split(",")])
        if name
    ]
    if not names:
        raise InputError("no attribute is known", f"name at least one: --knows {there[0]}")
    for name in names:
        if name not in there:
            raise _not_quasi_identifier(name, there) if of_records else unknown_column(name, there)
        if names.count(name) > 1:
            raise ContradictoryOptions(f"--knows names {name!r} twice")
    return tuple(names)


def _not_quasi_identifier(name: str, there: Sequence[str]) -> UnknownColumn:
    unknown = unknown_column(name, there)
    more = "others, likely identifiers too, take part once --columns names them"
    return UnknownColumn(f"{name!r} isn't among the quasi-identifiers", f"{unknown.hint}; {more}")


def chosen_size(asked: int | None, attributes: int, option: str, usual: int) -> int:
    """So many attributes at most: as asked, or the usual number if there are as many."""
    if asked is None:
        return min(usual, attributes)
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
        raise InputError(f"{option} needs a whole number from 1")
    if asked > attributes:
        raise InputError(
            f"{option} {asked} is more than the {attributes} attributes there are",
            f"at most {option} {attributes}",
        )
    return asked


def checked_probability(option: str, value: float | None) -> float | None:
    """A probability or a share, from 0 to 1."""
    if value is not None and (math.isnan(value) or not 0 <= value <= 1):
        raise InputError(f"{option} {value:g} isn't between 0 and 1", "write 5 % as 0.05")
    return value


AT_RANDOM = Assumption(
    "attacker-knows-part",
    "attacker",
    "Where the attacker knows a part, each attribute is known with the same probability, "
    "independently of the others, of the person and of their values.",
)
# Takes the place of what `measure` assumes of an attacker.
WITH_ERRORS = Assumption(
    "attacker-with-errors",
    "attacker",
    "The attacker knows these columns of the person and knows that the person is in the table. "
    "Where values may be wrong, each is wrong with the same probability, independently; a wrong "
    "one is another value of its column, by frequency; the attacker picks one of those who agree "
    "on most attributes.",
    (EXACT_KNOWLEDGE.key,),
)
GUESSES_COMMONEST = Assumption(
    "attacker-guesses-commonest",
    "attacker",
    "The attacker guesses the commonest value of the person's crowd, and knows nothing else of the "
    "person.",
)
DRAWN = Assumption(
    "attacked-on-drawn-tables",
    "model",
    "Attributes known in part, errors and the simulated attack are computed on tables drawn from "
    "the model.",
)


@dataclass(frozen=True)
class Wanted:
    """What an attack was asked for, checked; None is not asked for."""

    knows: tuple[str, ...]
    up_to: int | None = None
    share: float | None = None
    errors: float | None = None
    play: int | None = None
    unique_up_to: int | None = None
    measure: str = "overall_risk"
    view_limit: int = USUAL_LIMIT
    seed: int = 0
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        measure_named(self.measure)
        checked_seed(self.seed)
        checked_probability("--share", self.share)
        checked_probability("--errors", self.errors)
        if self.view_limit < 1:
            raise InputError("--view-limit needs a whole number from 1")
        if self.share is not None and self.errors is not None:
            raise ContradictoryOptions(
                "--share and --errors can't both hold",
                "the attacker either lacks attributes or has some wrong; ask one after the other",
            )
        if self.sensitive and (self.share is not None or self.errors is not None):
            raise ContradictoryOptions(
                "--sensitive guesses from the crowd of all that is known, and with --share or "
                "--errors it isn't known which crowd that is",
                "ask one after the other",
            )
        if self.up_to is not None:
            chosen_size(self.up_to, len(self.knows), "--up-to", 1)
            refuse_too_many(len(self.knows), self.up_to, self.view_limit)
        targets = self.play
        if targets is not None and (isinstance(targets, bool) or targets < 1):
            raise InputError(
                f"--play {targets}: it needs at least one target", "as in --play 10000"
            )
        if targets is not None and targets > MOST_TARGETS:
            raise InputError(f"--play {targets}: at most {MOST_TARGETS:,} targets are attacked")

    def rng(self, purpose: int) -> np.random.Generator:
        """A stream of its own for each purpose, so that asking for more changes no figure."""
        return np.random.default_rng([self.seed, purpose])

    def assumptions(self, usual: Iterable[Assumption], drew: bool) -> tuple[Assumption, ...]:
        """The usual ones, as the attacker asked for changes them; `drew`: tables were drawn."""
        held = tuple(usual)
        if self.errors is not None:
            others = [each for each in held if each.key not in WITH_ERRORS.excludes]
            held = (*others, WITH_ERRORS)
        at_random = (AT_RANDOM,) if self.share is not None else ()
        guessing = (GUESSES_COMMONEST,) if self.sensitive else ()
        return (*held, *at_random, *guessing, *((DRAWN,) if drew else ()))


def refuse_of_population(wanted: Wanted) -> None:
    """What is asked of the records themselves can't be asked of people who have none."""
    asked = {"--share": wanted.share, "--errors": wanted.errors, "--play": wanted.play,
             "--unique-up-to": wanted.unique_up_to,
             "--sensitive": wanted.sensitive or None}  # fmt: skip
    for option, value in asked.items():
        if value is not None:
            raise ContradictoryOptions(
                f"{option} and --population can't both hold: it is about the records themselves, "
                "and most people of the population have none",
                "ask one after the other",
            )
