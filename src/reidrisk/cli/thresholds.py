"""Thresholds: measures that must not be exceeded, and what is said when they are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from reidrisk.cli.speaking import say
from reidrisk.errors import ContradictoryOptions, InputError


def thresholds(given: tuple[str, ...]) -> dict[str, float]:
    """MEASURE=VALUE, repeated or behind commas; checked before anything is read."""
    from reidrisk.crowds.measures import checked_threshold

    limits: dict[str, float] = {}
    for part in (part for text in given for part in text.split(",")):
        name, _, value = (word.strip() for word in part.partition("="))
        try:
            highest = float(value)
        except ValueError:
            raise InputError(
                f"--fail-above {part}: it isn't MEASURE=VALUE", "as in overall_risk=0.05"
            ) from None
        if name in limits:
            raise ContradictoryOptions(f"--fail-above names {name} twice")
        limits[name] = checked_threshold(name, highest)
    return limits


def crossed_thresholds(risk: Any, limits: Mapping[str, float]) -> list[str]:
    """The measures above their threshold, each told on standard error."""
    crossed = [name for name, highest in limits.items() if risk.value(name) > highest]
    # Whoever reads it may have gone, and the threshold is crossed all the same.
    with suppress(BrokenPipeError):
        for name in crossed:
            say(
                f"Threshold crossed: {name} is {risk.value(name):.6g}, above {limits[name]:.6g}.",
                err=True,
            )
    return crossed
