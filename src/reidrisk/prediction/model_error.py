"""Model error: how far predictions are off on public tables, and intervals that hold it.

A model keeps the counts it was given; what these don't show makes its figures wrong, and no table
drawn from it says by how much. That was learned from public tables, whose truth is known.

Symbols: p a predicted figure between 0 and 1 (overall risk, share alone, share in crowds of at
least k), t the same by the next simpler model (the tree's for `pairwise`, independence for the
tree), q the share of people one of whose pairs of values at most three people have. All constants
are fitted apart for counts as they are, counts read back from rounded or noisy ones, and files that
leave counts out (`KINDS`).

**Moving.** What pairs don't show makes crowds larger, so most predictions are too high. Of the
overall risk

    m = μ·√(|t − p|·p(1 − p)·q)  by `pairwise`,   μ·|t − p|  by `triples`,   μ ≥ 0,

is taken off, μ fitted by least absolute deviations: a share θ = 2m/p of the crowds of up to ten are
counted as one of twice the size, so that all figures move together (`moved`). Pairs fail where both
is there: more depends than a tree holds, and pairs of values are rare.

**The interval.** The scale of the error that is left is

    s = a·|t − p| + b·p(1 − p)·q + c·p(1 − p) + s_0,

a, b, c fitted by the log score of a Laplace law of (truth − p)/s, each table with the same weight.
With d the distance from p to an end of what chance leaves (tables drawn from the model, a
protection's draws), z_lo and z_hi are the 5 % and 95 % quantiles of ±√((truth − p)² − d²)/s, what
chance doesn't explain, moved out by two numbers per family of figures; the interval is

    [p − √((z_lo·s)² + d_lo²), p + √((z_hi·s)² + d_hi²)]   within 0 and 1.

The lower end is moved out farther: what pairs don't show differs most between tables, and makes
figures lower than predicted. Of crowds of at least k, d is that of the share alone times
√(Σ_{x<k} x²·C_x/C_1), with C_x crowds of x people (`chance_of_crowds`). Of combinations of columns,
to which no simpler model was fitted, |t − p| is taken as half of the sets have it at most.

- **Groups.** r = ln(chance that two different people share all values, in truth / by the model,
  Σp_t²); in truth Σn_t(n_t − 1)/(n(n − 1)), half a pair where nobody shares; a probability that all
  are unique, π, lies between π^exp(r_hi) and π^exp(r_lo).
- **People.** r = ln(crowd in truth / expected crowd) of members, by the size of the expected crowd.

All of it was fitted leaving one table out at a time, and how often the intervals held the truth of
the table left out stands with the constants (`model_error.json`, made by
`python -m benchmarks.model_error`).

Where it stops: what is known of two attributes is counted, and has no such error. Statistics
farther out than any learned from (`Learned.beyond`) get intervals twice as wide, which is a guess.
Coverage is over tables: on one table most of the figures may lie outside.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.machine import no_progress
from reidrisk.measurement import AT_LEAST
from reidrisk.models import chosen_model
from reidrisk.prediction.error_scale import Features, Interval, Scale
from reidrisk.statistics import CompleteCounts

# What two attributes say is counted, and three whose triple table is known.
COUNTED = 2
# Standard deviations on each side of a 90 % interval.
NINETY = 1.645
FEW_PEOPLE = 3.0
ROWS = 5_000
BEYOND = 2.0
# The key of what is assumed where a sample stands for its population.
OF_A_SAMPLE = "sample-scaled"
FAMILIES = ("overall_risk", "alone_share", "in_crowds_of_at_least")
# How the counts came to be known.
COUNTED_ALL, READ_BACK, LEFT_OUT = KINDS = ("counted", "read_back", "left_out")
# Larger crowds hardly matter to any risk, and stay.
MOST_MERGED = 10
SIMPLER = {"pairwise": "tree", "triples": "tree", "shuffle": "tree", "pair": "independent",
           "tree": "independent"}  # fmt: skip


class Signs(NamedTuple):
    """What is seen of the statistics: how many attributes, q, the figures t; whether they are a
    sample's; how the counts came to be known (`KINDS`).
    """

    attributes: int
    sparse: float = 0.0
    simpler: Mapping[str, float] = {}
    sample: bool = False
    kind: str = COUNTED_ALL


def figures_of(crowds: CrowdSizes, ks: Sequence[int]) -> dict[str, float]:
    """The figures that have intervals, by name."""
    return {
        "overall_risk": crowds.overall_risk,
        "alone_share": crowds.alone_share,
        **{f"{AT_LEAST}{k}": crowds.share_in_crowds_of_at_least(k) for k in ks if k > 1},
    }


def signs_of(known: CompleteCounts, model: str, ks: Sequence[int]) -> Signs:
    """Fit the simpler model, and look at who of its people has a rare pair of values."""
    simpler = SIMPLER.get(model)
    knowledge = known.knowledge
    sample = any(each.key == OF_A_SAMPLE for each in known.assumptions)
    kind = READ_BACK if known.read_back else LEFT_OUT if known.hidden_cells else COUNTED_ALL
    if model == "triples" and len(knowledge.names) == COUNTED + 1 and knowledge.triples:
        return Signs(COUNTED, sample=sample, kind=kind)
    if simpler is None or not knowledge.pairs or len(knowledge.names) <= COUNTED:
        return Signs(len(knowledge.names), sample=sample, kind=kind)
    rng = np.random.default_rng(0)
    other = chosen_model(knowledge, simpler, rng, no_progress).model
    drawn = other if simpler == "tree" else chosen_model(knowledge, "tree", rng, no_progress).model
    rows = drawn.sample(min(ROWS, knowledge.n), rng)
    rare = np.zeros(len(rows), dtype=bool)
    for (i, j), cells in knowledge.pairs.items():
        rare |= cells[rows[:, i], rows[:, j]] <= FEW_PEOPLE
    figures = figures_of(other.crowd_sizes(), ks)
    return Signs(len(knowledge.names), float(rare.mean()), figures, sample, kind)


# By what a figure is moved: |t − p|, or √(|t − p|·p(1 − p)·q).
APART, APART_AND_RARE = SIGNS_OF_MOVING = ("apart", "apart_and_rare")


def features(p: float, t: float | None, sparse: float, usually_apart: float = 0.0) -> Features:
    """|t − p|, p(1 − p)·q, p(1 − p); where t isn't known, |t − p| is as usual."""
    varies = max(p * (1.0 - p), 0.0)
    return usually_apart * varies if t is None else abs(p - t), varies * sparse, varies


def moving_sign(by: str, seen: Features) -> float:
    """What of the features a figure is moved by."""
    apart, rare, _ = seen
    return math.sqrt(apart * rare) if by == APART_AND_RARE else apart


class Reach:
    """How far out the statistics were that something was learned from."""

    most_attributes: int
    most_sparse: float

    def beyond(self, signs: Signs) -> str:
        """Why statistics lie farther out than any learned from; empty where they don't."""
        if signs.sample:
            return "the statistics are a sample's, and only whole tables were learned"
        if signs.attributes > self.most_attributes:
            return f"{signs.attributes} attributes, and at most {self.most_attributes} were learned"
        if signs.sparse > self.most_sparse:
            return (
                f"{signs.sparse:.0%} of the people have a rare pair of values, and at most "
                f"{self.most_sparse:.0%} were learned"
            )
        return ""


@dataclass(frozen=True)
class Learned(Reach):
    """What was learned of one model."""

    # By what figures are moved, and μ by kind; by kind the scale of each family.
    moved_by: str
    moves: Mapping[str, float]
    scales: Mapping[str, Mapping[str, Scale]]
    # Quantiles of r of groups; edges of expected crowds, and quantiles of r between them.
    group: Interval
    edges: tuple[float, ...]
    person: tuple[Interval, ...]
    most_attributes: int
    most_sparse: float
    # |t − p| as a share of p(1 − p), half of the times at most.
    usually_apart: float

    def move(self, p: float, signs: Signs) -> float:
        """m, how much of an overall risk p is taken off."""
        if signs.attributes <= COUNTED:
            return 0.0
        sign = moving_sign(self.moved_by, self._features("overall_risk", p, signs))
        return min(self.moves[signs.kind] * sign, p / 2.0)

    def _features(self, name: str, p: float, signs: Signs) -> Features:
        return features(p, signs.simpler.get(name), signs.sparse, self.usually_apart)

    def interval(self, name: str, p: float, chance: Interval, signs: Signs) -> Interval:
        """The interval of one figure, as predicted or moved; `chance` are the ends of what chance
        leaves.
        """
        if signs.attributes <= COUNTED and not signs.sample:
            return chance
        family = FAMILIES[2] if name.startswith(AT_LEAST) else name
        scale = self.scales[signs.kind][family]
        s = scale.of(self._features(name, p, signs))
        s *= BEYOND if self.beyond(signs) else 1.0
        low, high = scale.ends(p, s, chance)
        return max(low, 0.0), min(high, 1.0)

    def all_unique(self, probability: float, attributes: int) -> Interval:
        """Of a probability that all members of a group are unique, or one of them."""
        if attributes <= COUNTED or probability <= 0.0:
            return probability, probability
        low, high = self.group
        return probability ** math.exp(high), probability ** math.exp(low)

    def crowd(self, expected: float, people: float, attributes: int) -> Interval:
        """Of somebody's crowd."""
        if attributes <= COUNTED:
            return expected, expected
        place = int(np.searchsorted(self.edges, expected, side="right"))
        low, high = self.person[min(place, len(self.person) - 1)]
        ends = expected * math.exp(low), expected * math.exp(high)
        return max(min(ends[0], expected), min(1.0, expected)), min(max(ends[1], expected), people)


def chance_of_crowds(small: float, single: float, alone: float, people: float) -> float:
    """d of a share in crowds of at least k: `small` is Σ x²·C_x over crowds of x < k, `single` C_1,
    `alone` half of what chance leaves of the share alone.

    If the numbers of crowds of each size were independent and Poisson, the share's variance would
    be Σ x²·C_x/n²; a model that keeps pairs leaves as much less of it as of the share alone. That
    is more than drawn tables leave, up to one and a half times at k = 10.
    """
    free = NINETY / max(people, 1.0)
    kept = alone / (free * math.sqrt(single)) if single > 0.0 else 1.0
    return free * math.sqrt(small) * min(kept, 1.0)


def moved(crowds: CrowdSizes, by: float) -> CrowdSizes:
    """A share 2·by/ORR of the crowds of up to ten are counted as half as many, twice as large: ORR
    is lower by so much, but for what larger crowds have of it.
    """
    if by <= 0.0:
        return crowds
    small, share = crowds.sizes <= MOST_MERGED, min(2.0 * by / crowds.overall_risk, 1.0)
    kept = np.where(small, (1.0 - share) * crowds.crowds, crowds.crowds)
    sizes = np.concatenate([crowds.sizes, 2 * crowds.sizes[small]])
    every = np.concatenate([kept, share * crowds.crowds[small] / 2.0])
    distinct, place = np.unique(sizes, return_inverse=True)
    total = np.bincount(place.ravel(), every)
    return CrowdSizes(distinct[total > 0.0], total[total > 0.0], "expected")


class Figures(NamedTuple):
    """Crowds as the model has them and moved; the intervals of all figures."""

    as_fitted: CrowdSizes
    crowds: CrowdSizes
    intervals: dict[str, Interval]


def table_figures(
    crowds: CrowdSizes,
    chance: Mapping[str, Interval],
    model: str,
    signs: Signs,
    ks: Sequence[int],
) -> Figures:
    """Of a whole table; `chance` holds the ends of what chance leaves, where known."""
    of_model, people = learned(model), crowds.people
    now = moved(crowds, of_model.move(crowds.overall_risk, signs))
    before, figures = figures_of(crowds, ks), figures_of(now, ks)
    every = {**_chance_by_size(crowds, chance, ks), **chance}
    found = {}
    for name, p in figures.items():
        off = p - before[name]
        low, high = every.get(name, (before[name], before[name]))
        found[name] = of_model.interval(name, p, (low + off, high + off), signs)
    low, high = found["overall_risk"]
    found["expected_reidentifications"] = (low * people, high * people)
    return Figures(crowds, now, found)


def _chance_by_size(
    crowds: CrowdSizes, chance: Mapping[str, Interval], ks: Sequence[int]
) -> dict[str, Interval]:
    """What chance leaves of shares in crowds of at least k, if it is known of the share alone."""
    if FAMILIES[1] not in chance:
        return {}
    low, high = chance[FAMILIES[1]]
    of_size = crowds.sizes.astype(np.float64) ** 2 * crowds.crowds
    single = float(of_size[crowds.sizes == 1].sum())
    found = {}
    for k in ks:
        share, small = crowds.share_in_crowds_of_at_least(k), of_size[crowds.sizes < k].sum()
        d = chance_of_crowds(float(small), single, (high - low) / 2.0, crowds.people)
        found[f"{AT_LEAST}{k}"] = max(share - d, 0.0), min(share + d, 1.0)
    return found


def of_a_combination(
    measure: str, p: float, drawn: Interval, model: str, signs: Signs, attributes: int
) -> Interval:
    """Of a measure of some of the attributes, around what drawn tables have of it; nobody fitted a
    simpler model to them, and fewer of their people have rare pairs of values than of all.
    """
    part, of_model = signs._replace(attributes=attributes, simpler={}), learned(model)
    name = AT_LEAST if measure.startswith("share_above") else measure
    if name not in (*FAMILIES, AT_LEAST):
        return drawn
    low, high = of_model.interval(name, p, drawn, part)
    # Figures of combinations aren't moved, so what would be taken off is left open.
    off = of_model.move(p, part) * (2.0 if name != FAMILIES[0] else 1.0)
    return max(low - off, 0.0), high + off if name == AT_LEAST else high


def farther_out(model: str, signs: Signs) -> list[str]:
    """What to mind where statistics lie farther out than any learned from."""
    why = learned(model).beyond(signs) if signs.attributes > COUNTED or signs.sample else ""
    return [f"Intervals were made {BEYOND:g} times as wide: {why}."] if why else []


@cache
def _content() -> Mapping[str, Any]:
    text = files("reidrisk.prediction").joinpath("model_error.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@cache
def learned(model: str) -> Learned:
    """What was learned of a model; of one that wasn't tried, what was of the tree."""
    models = _content()["models"]
    return learned_of(models.get(model, models["tree"]))


def learned_of(held: Mapping[str, Any]) -> Learned:
    """From the file's entry of one model."""
    scales = {
        kind: {
            family: Scale(*(float(each[key]) for key in ("a", "b", "c", "least", "low", "high")))
            for family, each in families.items()
        }
        for kind, families in held["figures"].items()
    }
    return Learned(
        str(held["moved_by"]),
        {kind: float(weight) for kind, weight in held["moves"].items()},
        scales,
        (float(held["group"]["low"]), float(held["group"]["high"])),
        tuple(float(each) for each in held["person"]["edges"]),
        tuple((float(low), float(high)) for low, high in held["person"]["quantiles"]),
        int(held["most_attributes"]),
        float(held["most_sparse"]),
        float(held["usually_apart"]),
    )


def coverage() -> str:
    """How many tables and sets it was learned from, and how often intervals held there."""
    held = _content()
    return (
        f"90 % intervals hold the model's error as learned from {held['sets']:,} sets of columns "
        f"of {len(held['tables'])} public tables; on a table left out they held the overall risk "
        f"in {held['coverage']['overall_risk']:.0%} of the sets, the share alone in "
        f"{held['coverage']['alone_share']:.0%}."
    )


def with_model_error() -> Assumption:
    """What intervals hold."""
    return Assumption("intervals-with-model-error", "model", coverage())


def said_of_moving(figures: Figures) -> tuple[Assumption, ...]:
    """What was taken off, where anything was."""
    before, after = figures.as_fitted.overall_risk, figures.crowds.overall_risk
    if before == after:
        return ()
    sentence = (
        f"Figures were moved by what the model is usually off by on public tables: as fitted, the "
        f"overall risk is {before:.2%}, not {after:.2%}."
    )
    return (Assumption("moved-by-usual-error", "model", sentence),)
