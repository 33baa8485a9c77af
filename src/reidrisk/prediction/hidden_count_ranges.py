"""Imputing: figures of a whole table, over everything that its hidden counts may be.

Symbols: the ways to share out the people under hidden counts have weights w (`hidden_counts`); f_w
is a figure by a model fitted to the counts of one way. Given is E[f] = Σ w·f_w, and the interval
holds the intervals of all ways. Where the ways are few, all are gone through. Else

- figures are means over `DRAWS` ways drawn by their chance (seeded);
- their ends are those of the most even and the least even way. The expected number of crowds that
  share out c people of a value is concave in c, so that under independence ORR lies between these
  two whatever the way; the share alone does but for values of very many people.

Models take long to fit to many pair tables. Where these have more than `MOST_CELLS` cells, or
under independence no way moves a figure by more than a `LITTLE` of what chance does, one typical
way stands for all of them, and the interval is widened by what the ways move under independence.

Where it fails: the ends under dependence are those of independence; pair cells nobody stated are
expectations in every way (`pair_settling`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Rows
from reidrisk.crowds import Assumption, CrowdSizes
from reidrisk.models import Knowledge, Model, expected_crowd_sizes, intervals
from reidrisk.statistics import CompleteCounts, HiddenCounts, scaled

Interval = tuple[float, float]
# As many ways are gone through one by one.
MOST_WAYS = 12
MOST_WAYS_WITHOUT_PAIRS = 40
DRAWS = 8
MOST_CELLS = 20_000
LITTLE = 0.25
HIDDEN_COUNTS = "hidden-counts-shared-out"
ONE_WAY = Assumption(
    HIDDEN_COUNTS,
    "statistics",
    "Figures are those of one typical imputation of the suppressed counts.",
)
# Models that are fitted in many steps.
SLOW = ("pairwise", "shuffle")


class Way(NamedTuple):
    """One way to share out what is hidden: its weight, and the counts by attribute."""

    weight: float
    counts: Mapping[str, Counts]


@dataclass(frozen=True)
class Imputed:
    """Figures over all ways: crowds, those as if independent, 90 % limits; whether ways were drawn,
    and how it was done, in a sentence.
    """

    crowds: CrowdSizes
    reference: CrowdSizes
    intervals: dict[str, Interval]
    drawn: bool = False
    assumptions: tuple[Assumption, ...] = ()


def imputed(
    known: CompleteCounts,
    model: Model,
    settle: Callable[[Mapping[str, Counts]], CompleteCounts],
    fit: Callable[[CompleteCounts], Model],
    rng: np.random.Generator,
) -> Imputed:
    """The figures of statistics; `model` is fitted to `known`, whose hidden counts are typical.

    `settle` gives the statistics with other counts, `fit` the same kind of model of them.
    """
    crowds = model.crowd_sizes()
    plain = _Figures(crowds, _as_if_independent(known.knowledge), intervals(crowds, model.spread()))
    if not known.hidden:
        return Imputed(plain.crowds, plain.reference, plain.intervals)
    ways, drawn = ways_to_share(known.hidden, rng, _most(known))
    references = [_reference(known, way) for way in ways]
    widened, little = _moved(plain, references)
    if _cells(known.knowledge) > MOST_CELLS or (model.name in SLOW and little):
        mean = CrowdSizes.mixed(zip((way.weight for way in ways), references, strict=True))
        return Imputed(plain.crowds, mean, widened, drawn, (_typical(),))
    found = [
        _figures(settle(way.counts), fit, one) for way, one in zip(ways, references, strict=True)
    ]
    weights = [way.weight for way in ways]
    return Imputed(
        CrowdSizes.mixed(zip(weights, (one.crowds for one in found), strict=True)),
        CrowdSizes.mixed(zip(weights, (one.reference for one in found), strict=True)),
        _around([one.intervals for one in found]),
        drawn,
        (_every(len(ways)) if not drawn else _by_draws(),),
    )


def ways_to_share(
    hidden: Mapping[str, HiddenCounts], rng: np.random.Generator, most: int = MOST_WAYS
) -> tuple[list[Way], bool]:
    """All ways; or some drawn, with the two ends, which weigh nothing. And whether they were."""
    listed = [counted.listed(most) for counted in hidden.values()]
    every = [each for each in listed if each is not None]
    if len(every) == len(listed) and np.prod([len(each) for each in every]) <= most:
        return [
            Way(
                float(np.prod([weight for weight, _ in chosen])),
                dict(zip(hidden, (counts for _, counts in chosen), strict=True)),
            )
            for chosen in product(*every)
        ], False
    ends = [counted.ends() for counted in hidden.values()]
    ways = [Way(0.0, dict(zip(hidden, each, strict=True))) for each in zip(*ends, strict=True)]
    for _ in range(DRAWS):
        drawn = {name: counted.draw(rng) for name, counted in hidden.items()}
        ways.append(Way(1.0 / DRAWS, drawn))
    return ways, True


def imputations_of(
    known: CompleteCounts,
    settle: Callable[[Mapping[str, Counts]], CompleteCounts],
    rng: np.random.Generator,
) -> tuple[list[tuple[float, CompleteCounts]], bool, tuple[Assumption, ...]]:
    """Statistics with hidden counts shared out each way, their weights, whether ways were drawn,
    and how it was done; none where nothing is hidden or pair tables are too many.
    """
    if not known.hidden:
        return [], False, ()
    if _cells(known.knowledge) > MOST_CELLS:
        return [], False, (ONE_WAY,)
    ways, drawn = ways_to_share(known.hidden, rng, _most(known))
    said = _by_draws() if drawn else _every(len(ways))
    return [(way.weight, settle(way.counts)) for way in ways], drawn, (said,)


def imputed_anew(rows: Rows, known: CompleteCounts, rng: np.random.Generator) -> Rows:
    """Drawn rows of everybody, their hidden counts shared out in another way, drawn by chance.

    As few people as it takes go from values with too many to those with too few.
    """
    found = rows
    for place, attribute in enumerate(known.attributes):
        if attribute.hidden is None or len(rows) != known.records:
            continue
        wanted = _to(attribute.hidden.draw(rng), known.records)
        codes = rows[:, place]
        more = np.where(
            attribute.hidden.places, wanted - np.bincount(codes, minlength=len(wanted)), 0
        )
        givers = np.flatnonzero(more < 0)
        leaving = [rng.permutation(np.flatnonzero(codes == v))[: -more[v]] for v in givers]
        people = np.concatenate([np.zeros(0, dtype=np.int64), *leaving])
        values = np.repeat(np.arange(len(more)), np.maximum(more, 0))
        moved = min(len(people), len(values))
        found = found.copy() if found is rows else found
        found[rng.permutation(people)[:moved], place] = rng.permutation(values)[:moved]
    return found


class _Figures(NamedTuple):
    crowds: CrowdSizes
    reference: CrowdSizes
    intervals: dict[str, Interval]


def _figures(
    known: CompleteCounts, fit: Callable[[CompleteCounts], Model], reference: CrowdSizes
) -> _Figures:
    model = fit(known)
    crowds = model.crowd_sizes()
    return _Figures(crowds, reference, intervals(crowds, model.spread()))


def _reference(known: CompleteCounts, way: Way) -> CrowdSizes:
    """As if independent, if hidden counts were shared out this way."""
    n = known.records
    counts = [
        each.counts if each.name not in way.counts else _to(way.counts[each.name], n)
        for each in known.attributes
    ]
    return expected_crowd_sizes(counts, n)


def _to(counts: Counts, people: int) -> Counts:
    return counts if int(counts.sum()) == people else scaled(counts, people)


def _as_if_independent(knowledge: Knowledge) -> CrowdSizes:
    return expected_crowd_sizes(knowledge.counts, knowledge.n)


def _most(known: CompleteCounts) -> int:
    return MOST_WAYS if known.knowledge.pairs else MOST_WAYS_WITHOUT_PAIRS


def _cells(knowledge: Knowledge) -> int:
    return sum(cells.size for cells in knowledge.pairs.values())


def _around(several: Sequence[Mapping[str, Interval]]) -> dict[str, Interval]:
    """The limits that hold all limits."""
    return {
        name: (min(each[name][0] for each in several), max(each[name][1] for each in several))
        for name in several[0]
    }


def _moved(plain: _Figures, references: Sequence[CrowdSizes]) -> tuple[dict[str, Interval], bool]:
    """The limits, further out by what the ways move under independence; whether that is little."""
    found, little = {}, True
    for name, (low, high) in plain.intervals.items():
        figures = np.array([getattr(each, name) for each in references])
        usual = getattr(plain.reference, name)
        down, up = min(float(figures.min()) - usual, 0.0), max(float(figures.max()) - usual, 0.0)
        little &= max(up, -down) <= LITTLE * (high - low) / 2.0
        found[name] = max(low + down, 0.0), min(high + up, 1.0)
    return found, little


def _every(ways: int) -> Assumption:
    return Assumption(
        HIDDEN_COUNTS,
        "statistics",
        f"Figures are means over all {ways} possible imputations of the suppressed counts; "
        "intervals cover all of them.",
    )


def _by_draws() -> Assumption:
    return Assumption(
        HIDDEN_COUNTS,
        "statistics",
        f"Figures are means over {DRAWS} imputations of the suppressed counts, drawn at random; "
        "intervals cover these, the most even and the least even one.",
    )


def _typical() -> Assumption:
    widened = "Intervals are widened by what other imputations would change under independence."
    return Assumption(HIDDEN_COUNTS, "statistics", f"{ONE_WAY} {widened}")
