"""Learning error: how far predictions of what would be learnt are off on public tables.

Tables drawn from a model have the counts it was given; what these don't show no draw tells. How far
off figures were was learned from public tables whose truth is known, one of their columns taken as
sensitive, as `prediction` learned it for crowds (`model_error`).

Symbols: p a figure's mean over drawn tables, t the same in tables of the next simpler model, q the
share of people with a rare pair of values (`Signs`). The error that is left has the scale

    s = a·|t − p| + b·p(1 − p)·q + c·p(1 − p) + s_0,

and with d the distance from p to the 5 % or 95 % point of the draws the interval is

    [p − √((z_lo·s)² + d_lo²), p + √((z_hi·s)² + d_hi²)].

a, b, c, z_lo, z_hi are fitted apart for each model, kind of published counts (counted, read back,
left out) and family of figures (`FAMILIES`). Nothing is moved: what real tables have beyond pairs
makes crowds larger, which lowers right guesses, and tells more of the value, which raises them.

Where it fails: measures of the worst crowd (distinct ℓ, t-closeness, …) have the draws' interval
alone. Statistics farther out than any learned from get intervals twice as wide, which is a guess.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from reidrisk.crowds import Assumption
from reidrisk.prediction import COUNTED_ALL, Reach, Scale, Signs, features

Interval = tuple[float, float]
CERTAIN_HIDDEN = "certain_in_crowds_of_at_least_"
FAMILIES = ("guess_with", "guess_without_own", "guess_costs", "certain_share", CERTAIN_HIDDEN)
# What a model that wasn't tried is taken for.
STANDS_FOR = {"triples": "pairwise", "shuffle": "pairwise", "pair": "independent"}
# The pair table of two attributes is the table.
COUNTED = 2
BEYOND = 2.0


@dataclass(frozen=True)
class LearningError(Reach):
    """What was learned of one model: scales by kind and family."""

    scales: Mapping[str, Mapping[str, Scale]]
    most_attributes: int
    most_sparse: float

    def interval(self, name: str, p: float, chance: Interval, signs: Signs) -> Interval:
        """Of one figure; `chance` are the ends of the draws."""
        family = CERTAIN_HIDDEN if name.startswith(CERTAIN_HIDDEN) else name
        as_counted = signs.attributes <= COUNTED and signs.kind == COUNTED_ALL and not signs.sample
        if as_counted or family not in FAMILIES:
            return chance
        scale = self.scales[signs.kind][family]
        s = scale.of(features(p, signs.simpler.get(name), signs.sparse))
        s *= BEYOND if self.beyond(signs) else 1.0
        low, high = scale.ends(p, s, chance)
        least = -1.0 if name == "guess_costs" else 0.0
        return max(low, least), min(high, 1.0)


@cache
def _content() -> Mapping[str, Any]:
    text = files("reidrisk.learning").joinpath("learning_error.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@cache
def learned(model: str) -> LearningError:
    """What was learned of a model."""
    models = _content()["models"]
    return learned_of(models[STANDS_FOR.get(model, model)])


def learned_of(held: Mapping[str, Any]) -> LearningError:
    """From the file's entry of one model."""
    keys = ("a", "b", "c", "least", "low", "high")
    scales = {
        kind: {
            family: Scale(*(float(each[key]) for key in keys)) for family, each in families.items()
        }
        for kind, families in held["figures"].items()
    }
    return LearningError(scales, int(held["most_attributes"]), float(held["most_sparse"]))


def farther_out(model: str, signs: Signs) -> list[str]:
    """What to mind where statistics lie farther out than any learned from."""
    why = learned(model).beyond(signs) if signs.attributes > COUNTED or signs.sample else ""
    return [f"Intervals were made {BEYOND:g} times as wide: {why}."] if why else []


def with_learning_error() -> Assumption:
    """What intervals hold, and of which figures they don't."""
    held = _content()
    sentence = (
        "90 % intervals of right guesses and of who is certain hold the model's error as learned "
        f"from {held['sets']:,} sets of columns of {len(held['tables'])} public tables; on a table "
        f"left out they held the right guesses in {held['coverage']['guess_with']:.0%} of the "
        "sets. Those of measures of the worst crowd hold what differs between drawn tables alone."
    )
    return Assumption("intervals-with-learning-error", "model", sentence)
