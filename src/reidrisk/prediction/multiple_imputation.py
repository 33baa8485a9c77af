"""Multiple imputation: figures of a whole table, over everything its hidden counts may be.

Symbols: the ways to distribute the people under hidden counts, the imputations, have weights w
(`hidden_counts`); f_w is a figure by a model fitted to the counts of one of them. Given is
E[f] = Σ w·f_w, and the interval covers the intervals of all imputations. Where these are few, all
are gone through. Else

- figures are means over `DRAWS` imputations drawn by their chance (seeded);
- their ends are those of the most even and the least even one. The expected number of crowds that
  divide c people of a value is concave in c, so that under independence ORR lies between these two
  whatever the imputation; the share alone does but for values of very many people.

Models take long to fit to many pair tables. Where these have more than `MOST_CELLS` cells, or
under independence no imputation moves a figure by more than a `LITTLE` of what chance does, one
typical imputation stands for all of them, and the interval is widened by what the others move
under independence.

**Counts that were read back** (`reading_back`) are drawn from their posterior, and what differs
between the draws widens the interval. Of slow models one draw is fitted, and the draws' difference
is that of a tree of pair tables.

Where it fails: the ends under dependence are those of independence; unpublished pair cells are
expectations in every imputation (`pair_imputation`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.machine import no_progress
from reidrisk.models import Chosen, Model, chosen_model, expected_crowd_sizes, intervals
from reidrisk.statistics import CompleteCounts, Filling, HiddenCounts, WholeNumbers, scaled

Interval = tuple[float, float]
Shares = Mapping[str, Counts]
# So many imputations are gone through one by one.
MOST_LISTED = 12
MOST_LISTED_WITHOUT_PAIRS = 40
DRAWS = 8
MOST_CELLS = 20_000
LITTLE = 0.25
# Share of the people that a model may have in other cells than the pair tables drawn.
CONTRADICTORY = 0.01
# Standard deviations on each side of a 90 % interval.
NINETY = 1.645
# Models that are fitted in many steps.
SLOW = ("pairwise", "triples", "shuffle")


def _assumed(sentence: str) -> Assumption:
    return Assumption("hidden-counts-shared-out", "statistics", sentence)


ONE_TYPICAL = _assumed("Figures are those of one typical imputation of the suppressed counts.")
ONE_WIDENED = _assumed(
    f"{ONE_TYPICAL} Intervals are widened by what other imputations would change under "
    "independence."
)


OVER_DRAWS = Assumption(
    "published-numbers-drawn",
    "statistics",
    f"Figures are means over {DRAWS} tables of counts, drawn from what the published numbers say "
    "of them; intervals are widened by what differs between these.",
)
ONE_DRAW = Assumption(
    "published-numbers-drawn",
    "statistics",
    "Figures are those of one table of counts, drawn from what the published numbers say of them; "
    f"intervals are widened by what differs between {DRAWS} of these along a tree of pair tables.",
)


class Imputation(NamedTuple):
    """One way to distribute what is hidden: its weight, and the counts by attribute."""

    weight: float
    counts: Shares


class Imputations(NamedTuple):
    """All imputations, or some `drawn` ones and the two ends, which weigh nothing; and how it was
    done.
    """

    listed: list[Imputation]
    drawn: bool
    how: Assumption


@dataclass(frozen=True)
class PooledFigures:
    """Figures over all imputations: crowds, those as if independent, 90 % limits; whether
    imputations were drawn, and how it was done.
    """

    crowds: CrowdSizes
    reference: CrowdSizes
    intervals: dict[str, Interval]
    drawn: bool = False
    assumptions: tuple[Assumption, ...] = ()


def first_fit(
    complete: Callable[..., CompleteCounts],
    fit: Callable[[CompleteCounts], Chosen],
    rng: np.random.Generator,
) -> tuple[CompleteCounts, Chosen]:
    """The counts that a model is fitted to first, and the model: typical counts, or a draw of those
    read back, as whole numbers where they were rounded.

    Pair tables that are drawn one by one can contradict each other where most of their cells are
    small. Where a model can't have them all, it is fitted to expectations.
    """
    known = complete(WholeNumbers(rng))
    chosen = fit(known)
    off = chosen.model.fit.get("people_off", 0.0)
    if known.knowledge.drawn and off > CONTRADICTORY * known.records:
        known = complete(rng)
        chosen = fit(known)
    return known, chosen


def pooled_figures(
    known: CompleteCounts,
    model: Model,
    complete: Callable[[Filling], CompleteCounts],
    fit: Callable[[CompleteCounts], Model],
    rng: np.random.Generator,
) -> PooledFigures:
    """The figures of statistics; `model` is fitted to `known` (`first_fit`).

    `complete` gives the statistics with other counts, `fit` the same kind of model of them.
    """
    if known.read_back:
        return _over_draws(known, model, complete, fit, rng)
    plain = _figures(model, _reference(known, {}))
    if not known.hidden:
        return plain
    imputations, drawn, how = imputations_of(known, rng)
    references = [_reference(known, each.counts) for each in imputations]
    widened, little = _widened(plain, references)
    weights = [each.weight for each in imputations]
    mean = CrowdSizes.mixed(zip(weights, references, strict=True))
    if _cells(known) > MOST_CELLS or (model.name in SLOW and little):
        return PooledFigures(plain.crowds, mean, widened, drawn, (ONE_WIDENED,))
    figures = [
        _figures(fit(complete(each.counts)), reference)
        for each, reference in zip(imputations, references, strict=True)
    ]
    crowds = CrowdSizes.mixed(zip(weights, (each.crowds for each in figures), strict=True))
    covering = {
        name: (
            min(each.intervals[name][0] for each in figures),
            max(each.intervals[name][1] for each in figures),
        )
        for name in plain.intervals
    }
    return PooledFigures(crowds, mean, covering, drawn, (how,))


def _over_draws(
    known: CompleteCounts,
    model: Model,
    complete: Callable[[Filling], CompleteCounts],
    fit: Callable[[CompleteCounts], Model],
    rng: np.random.Generator,
) -> PooledFigures:
    """The figures of counts that were read back: means over draws of them, by Rubin's rules.

    Symbols: w half the width of a figure's interval, s its standard deviation over D draws. Half
    the width becomes √(w² + (1.645·s)²·(1 + 1/D)).
    """
    # One after the other: pair tables of millions of cells are too large to be kept eight times.
    draws = (complete(rng) for _ in range(DRAWS - 1))
    reference = _reference(known, {})
    first = _figures(model, reference)
    if model.name in SLOW or _cells(known) > MOST_CELLS:
        alike = [_fitted_quickly(each).crowd_sizes() for each in chain([known], draws)]
        return PooledFigures(first.crowds, reference, _widened_by(first, alike), True, (ONE_DRAW,))
    every = [first, *(_figures(fit(each), reference) for each in draws)]
    crowds = CrowdSizes.mixed((1.0 / DRAWS, each.crowds) for each in every)
    mean = PooledFigures(crowds, reference, every[0].intervals)
    limits = _widened_by(mean, [each.crowds for each in every])
    return PooledFigures(crowds, reference, limits, True, (OVER_DRAWS,))


def _fitted_quickly(known: CompleteCounts) -> Model:
    name = "tree" if known.knowledge.pairs else "independent"
    return chosen_model(known.knowledge, name, np.random.default_rng(0), no_progress).model


def _widened_by(plain: PooledFigures, draws: Sequence[CrowdSizes]) -> dict[str, Interval]:
    limits = {}
    for name, (low, high) in plain.intervals.items():
        figures = np.array([getattr(each, name) for each in draws])
        between = NINETY * float(figures.std(ddof=1)) * math.sqrt(1.0 + 1.0 / len(figures))
        half = math.hypot((high - low) / 2.0, between)
        middle = getattr(plain.crowds, name)
        limits[name] = max(middle - half, 0.0), min(middle + half, 1.0)
    return limits


def imputations_of(known: CompleteCounts, rng: np.random.Generator) -> Imputations:
    """The imputations of hidden counts, all where they are few."""
    most = MOST_LISTED if known.knowledge.pairs else MOST_LISTED_WITHOUT_PAIRS
    return listed_or_drawn(known.hidden, rng, most)


def listed_or_drawn(
    hidden: Mapping[str, HiddenCounts], rng: np.random.Generator, most: int = MOST_LISTED
) -> Imputations:
    """All imputations where they are at most `most`, else some drawn."""
    of_each = [counted.listed(most) for counted in hidden.values()]
    every = [listed for listed in of_each if listed is not None]
    if len(every) == len(of_each) and np.prod([len(listed) for listed in every]) <= most:
        imputations = [
            Imputation(
                float(np.prod([weight for weight, _ in chosen])),
                dict(zip(hidden, (counts for _, counts in chosen), strict=True)),
            )
            for chosen in product(*every)
        ]
        how = _assumed(
            f"Figures are means over all {len(imputations)} possible imputations of the "
            "suppressed counts; intervals cover all of them."
        )
        return Imputations(imputations, False, how)
    ends = zip(*(counted.ends() for counted in hidden.values()), strict=True)
    drawn = [Imputation(0.0, dict(zip(hidden, counts, strict=True))) for counts in ends]
    for _ in range(DRAWS):
        counts = {name: counted.draw(rng) for name, counted in hidden.items()}
        drawn.append(Imputation(1.0 / DRAWS, counts))
    how = _assumed(
        f"Figures are means over {DRAWS} imputations of the suppressed counts, drawn at random; "
        "intervals cover these, the most even and the least even one."
    )
    return Imputations(drawn, True, how)


def complete_imputations(
    known: CompleteCounts,
    complete: Callable[[Filling], CompleteCounts],
    rng: np.random.Generator,
) -> tuple[list[tuple[float, CompleteCounts]], bool, tuple[Assumption, ...]]:
    """Statistics with each imputation of hidden counts, their weights, whether they were drawn, and
    how it was done; none where nothing is hidden or pair tables are too many.
    """
    if known.read_back and _cells(known) <= MOST_CELLS:
        return [(1.0 / DRAWS, complete(rng)) for _ in range(DRAWS)], True, (OVER_DRAWS,)
    if not known.hidden:
        return [], False, ()
    if _cells(known) > MOST_CELLS:
        return [], False, (ONE_TYPICAL,)
    imputations, drawn, how = imputations_of(known, rng)
    return [(each.weight, complete(each.counts)) for each in imputations], drawn, (how,)


def imputed_anew(rows: Rows, known: CompleteCounts, rng: np.random.Generator) -> Rows:
    """Drawn rows of everybody with another imputation of their hidden counts, drawn by chance.

    As few people as it takes go from values with too many to those with too few.
    """
    imputed = rows
    for place, attribute in enumerate(known.attributes):
        if attribute.hidden is None or len(rows) != known.records:
            continue
        wanted = _scaled_to(attribute.hidden.draw(rng), known.records)
        codes = rows[:, place]
        more = np.where(
            attribute.hidden.places, wanted - np.bincount(codes, minlength=len(wanted)), 0
        )
        givers = np.flatnonzero(more < 0)
        leaving = [rng.permutation(np.flatnonzero(codes == v))[: -more[v]] for v in givers]
        people = np.concatenate([np.zeros(0, dtype=np.int64), *leaving])
        values = np.repeat(np.arange(len(more)), np.maximum(more, 0))
        moved = min(len(people), len(values))
        imputed = imputed.copy() if imputed is rows else imputed
        imputed[rng.permutation(people)[:moved], place] = rng.permutation(values)[:moved]
    return imputed


def _figures(model: Model, reference: CrowdSizes) -> PooledFigures:
    crowds = model.crowd_sizes()
    return PooledFigures(crowds, reference, intervals(crowds, model.spread()))


def _reference(known: CompleteCounts, shares: Shares) -> CrowdSizes:
    """As if independent, with these counts of the attributes that have hidden ones."""
    n = known.records
    own = zip(known.names, known.knowledge.counts, strict=True)
    counts = [_scaled_to(shares[name], n) if name in shares else held for name, held in own]
    return expected_crowd_sizes(counts, n)


def _scaled_to(counts: Counts, people: int) -> Counts:
    return counts if int(counts.sum()) == people else scaled(counts, people)


def _cells(known: CompleteCounts) -> int:
    return sum(cells.size for cells in known.knowledge.pairs.values())


def _widened(
    plain: PooledFigures, references: Sequence[CrowdSizes]
) -> tuple[dict[str, Interval], bool]:
    """The limits, further out by what imputations move under independence; whether it is little."""
    limits, little = {}, True
    for name, (low, high) in plain.intervals.items():
        figures = np.array([getattr(each, name) for each in references])
        usual = getattr(plain.reference, name)
        down, up = min(float(figures.min()) - usual, 0.0), max(float(figures.max()) - usual, 0.0)
        little &= max(up, -down) <= LITTLE * (high - low) / 2.0
        limits[name] = max(low + down, 0.0), min(high + up, 1.0)
    return limits, little
