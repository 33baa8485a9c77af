"""Wanted: what an attack was asked for, checked, and what that takes for granted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reidrisk.attacks.all_knowledge import refuse_too_many
from reidrisk.attacks.checking import (
    checked_probability,
    checked_targets,
    chosen_size,
    refuse_share_with_errors,
)
from reidrisk.crowds.measures import parsed_measure
from reidrisk.errors import InputError
from reidrisk.prediction.asking import checked_seed

AT_RANDOM = (
    "At random: each attribute is known with the same probability, independently of the others, of "
    "the person and of their values."
)
ERRING = (
    "With errors: each value is wrong with the same probability, independently; a wrong one is "
    "another value of its column, by frequency; the attacker picks one of those who agree on most "
    "attributes."
)
DRAWN = (
    "Attributes known in part, errors and the attack played are worked out on tables drawn from "
    "the model."
)


@dataclass(frozen=True)
class Wanted:
    """What an attack was asked for, checked; None is not asked for."""

    knows: tuple[str, ...]
    up_to: int | None
    share: float | None
    errors: float | None
    play: int | None
    unique_up_to: int | None
    measure: str
    view_limit: int
    seed: int

    def rng(self, purpose: int) -> np.random.Generator:
        """A stream of its own for each purpose, so that asking for more changes no figure."""
        return np.random.default_rng([self.seed, purpose])

    def granted(self, drew: bool) -> list[str]:
        """What the parts that were asked for take for granted; `drew`: tables were drawn."""
        said = {AT_RANDOM: self.share is not None, ERRING: self.errors is not None, DRAWN: drew}
        return [sentence for sentence, holds in said.items() if holds]


def checked_wishes(
    names: tuple[str, ...],
    up_to: int | None,
    share: float | None,
    errors: float | None,
    play: int | None,
    unique_up_to: int | None,
    measure: str,
    view_limit: int,
    seed: int,
) -> Wanted:
    """Refuse what can't be, before anything is counted."""
    parsed_measure(measure)
    if view_limit < 1:
        raise InputError("--view-limit needs a whole number from 1")
    refuse_share_with_errors(share, errors)
    if up_to is not None:
        chosen_size(up_to, len(names), "--up-to", 1)
        refuse_too_many(len(names), up_to, view_limit)
    return Wanted(
        names,
        up_to,
        checked_probability("--share", share),
        checked_probability("--errors", errors),
        checked_targets(play),
        unique_up_to,
        measure,
        view_limit,
        checked_seed(seed),
    )
