"""Limits on what may be learnt, as targets of a search or of a generalisation.

Symbols: `sensitive_counts`. A limit on a measure that is the worst crowd's holds when it holds in
each crowd; such a crowd *fails* or doesn't. Which of them people may be left out for:

- distinct ℓ, and that no value is certain: a crowd that holds a crowd that doesn't fail doesn't
  fail either, whatever else it holds. So merging never makes more people fail, and leaving the
  failing crowds out, whole, is the least that can be left out.
- t-closeness, entropy ℓ, β-likeness, α: a small crowd that fails may drag a large one over the
  limit when they are merged, and whoever goes changes p_s, with which crowds are compared. The
  people in failing crowds may become more, so a search by them would prove nothing.

With everybody kept all of them can only improve: distances and likeness are convex in p_cs, entropy
is concave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.arrays import Floats, Ints
from reidrisk.crowds import Limit, Measure
from reidrisk.errors import InputError
from reidrisk.hierarchies import Given, given_hierarchies
from reidrisk.learning.closeness import alpha_of_each_crowd, likeness_of_each_crowd
from reidrisk.learning.diversity import entropies
from reidrisk.learning.sensitive_counts import (
    SensitiveCounts,
    cells_of,
    labels_of,
    sets_of_values,
)
from reidrisk.learning.sensitive_risk import (
    LEARNING_MEASURES,
    Distances,
    SensitiveRisk,
    learning_measure,
    usual_distances,
)
from reidrisk.learning.table_learning import distances_by
from reidrisk.records import CodedPeople, CodedPersons, Keys

# Values closer to a limit than this meet it: sums of floating-point parts differ by so little.
SAME = 1e-12
OfEachCrowd = Callable[[SensitiveCounts, Distances], Floats | Ints]
_OF_EACH_CROWD: dict[str, OfEachCrowd] = {
    "distinct_l": lambda counts, _: counts.distinct,
    "entropy_l": lambda counts, _: np.exp(np.maximum(entropies(counts), 0.0)),
    "t_closeness": lambda counts, distances: distances.of(counts),
    "beta_likeness": lambda counts, _: likeness_of_each_crowd(counts),
    "enhanced_beta_likeness": lambda counts, _: likeness_of_each_crowd(counts, enhanced=True),
    "alpha": lambda counts, _: alpha_of_each_crowd(counts),
}
# How each limit is asked for on the command line.
LIMIT_OPTIONS = {
    "distinct_l": "--l-diversity",
    "entropy_l": "--entropy-l",
    "t_closeness": "--t-closeness",
    "certain_share": "--certain",
    "beta_likeness": "--beta-likeness",
    "alpha": "--alpha",
}
MAY_BE_LEFT_OUT = ("distinct_l", "certain_share")
_LEAST = {"distinct_l": 1.0, "entropy_l": 1.0}


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column of people who are listed one by one, or those alike together.

    `codes` has the value of each who is listed, `labels` what the codes mean; `distances` are those
    of t-closeness.
    """

    name: str
    codes: Ints
    labels: tuple[str | None, ...]
    distances: Distances

    @property
    def width(self) -> int:
        """How many codes there are."""
        return max(len(self.labels), 1)

    def taken(self, listed: Ints) -> SensitiveColumn:
        """Of some of those listed."""
        return replace(self, codes=self.codes[listed])

    def counted(self, keys: Keys, people: Ints | None, threads: int = 1) -> SensitiveCounts:
        """In the crowds of those with the same key, rising; a crowd of nobody isn't one."""
        both = keys.keys.astype(np.int64) * self.width + self.codes
        span = Keys(both, keys.span * self.width)
        crowd, value, amount = cells_of(span, self.width, people, threads)
        alike = np.ones(int(crowd[-1]) + 1, dtype=np.int64)
        return SensitiveCounts(self.name, crowd, value, amount, self.labels, alike)

    def risk(self, counts: SensitiveCounts) -> SensitiveRisk:
        """What would be learnt of people counted so."""
        by_hierarchy = self.distances.kind == "hierarchy"
        # Values that nobody has any more have no place in an order.
        return SensitiveRisk(counts, self.distances if by_hierarchy else usual_distances(counts))


def sensitive_columns(
    people: CodedPeople, places: Sequence[int], given: Given = None, there: Sequence[str] = ()
) -> tuple[SensitiveColumn, ...]:
    """The columns at these places; by the hierarchies `given`, for those that there is one of."""
    return tuple(_sensitive_column(people, place, given, there) for place in places)


def _sensitive_column(
    people: CodedPeople, place: int, given: Given, there: Sequence[str]
) -> SensitiveColumn:
    name, texts = people.columns[place], [str(text) for text in people.values[place].to_pylist()]
    if isinstance(people, CodedPersons):
        codes, labels = sets_of_values(people, place)
    else:
        codes = people.codes[place].astype(np.int64)
        labels = labels_of(texts, people.cardinalities[place])
    column = SensitiveColumn(name, codes, labels, Distances())
    hierarchy = given_hierarchies(given, {name: texts}, there).get(name)
    if hierarchy is not None:
        return replace(column, distances=distances_by(hierarchy, people.of([place]), texts))
    everybody = column.counted(Keys(np.zeros(len(codes), dtype=np.int64), 1), people.people)
    return replace(column, distances=usual_distances(everybody))


class JudgedCrowds(NamedTuple):
    """Each crowd's people, whether it fails a limit, and whether a value is certain in it."""

    sizes: Ints
    failing: NDArray[np.bool_]
    certain: NDArray[np.bool_]


@dataclass(frozen=True)
class LearningLimits:
    """{measure: the most, or least, it may be}, for every sensitive column."""

    limits: Mapping[str, float]

    @property
    def certain_share(self) -> float:
        """How many people's value may be certain at most."""
        return self.limits.get("certain_share", 1.0)

    @property
    def unfit_for_leaving_out(self) -> tuple[str, ...]:
        """Limits that nobody can be left out for."""
        return tuple(name for name in self.limits if name not in MAY_BE_LEFT_OUT)

    def judged(
        self,
        columns: Sequence[SensitiveColumn],
        keys: Keys,
        people: Ints | None,
        threads: int = 1,
    ) -> JudgedCrowds:
        """The crowds of those with the same key, in the order of their keys.

        Of one column a share of people whose value is certain is left open (`certain`): some of
        them may be left out. What is a limit on all crowds together otherwise, all of them fail.
        """
        judged = [column.counted(keys, people, threads) for column in columns]
        failing = np.zeros(len(judged[0].starts), dtype=bool)
        for column, counts in zip(columns, judged, strict=True):
            failing |= self._failing(counts, column.distances)
        certain = np.zeros(len(failing), dtype=bool)
        if 0.0 < self.certain_share < 1.0:
            if len(judged) == 1:
                certain[judged[0].certain] = True
            for counts in judged[1:] and judged:
                people_certain = int(counts.sizes[counts.certain].sum())
                failing |= people_certain / counts.n > self.certain_share
        return JudgedCrowds(judged[0].sizes, failing, certain & ~failing)

    def _failing(self, counts: SensitiveCounts, distances: Distances) -> NDArray[np.bool_]:
        failing = np.zeros(len(counts.starts), dtype=bool)
        for name, limit in self.limits.items():
            if name in _OF_EACH_CROWD:
                values = _OF_EACH_CROWD[name](counts, distances)
                failing |= _beyond(learning_measure(name), values, limit)
        if self.certain_share == 0.0:
            failing[counts.certain] = True
        gain = self.limits.get("guess_gain")
        if gain is not None:
            # Of all crowds together, so that they fail together.
            right = int(counts.most.sum()) - int(counts.totals.max())
            failing |= right / counts.n > gain + SAME
        return failing

    def met(self, name: str, risk: SensitiveRisk) -> bool:
        """Whether one of them is."""
        measure = learning_measure(name)
        return not beyond(measure, measure.value(risk), self.limits[name])


def _beyond(measure: Measure, values: Any, limit: float) -> NDArray[np.bool_]:
    if measure.safer_when_larger:
        return np.asarray(values < limit - SAME)
    return np.asarray(values > limit + SAME)


def beyond(measure: Measure, value: float, limit: float) -> bool:
    """Whether a value is beyond a limit by more than a rounding error."""
    return bool(_beyond(measure, value, limit))


def learning_limits(
    given: Mapping[str, Limit] | None, options: Mapping[str, str] | None = None
) -> LearningLimits | None:
    """Limits by the names of `LEARNING_MEASURES`, each as people write it; None without any.

    `options` are what the names are called where they were given, if otherwise.
    """
    if not given:
        return None
    called = options or {}
    return LearningLimits(
        {name: learning_limit(name, limit, called.get(name, name)) for name, limit in given.items()}
    )


def learning_limit(name: str, given: Limit, option: str) -> float:
    """The number that a limit on what is learnt means; refused where no search can keep it."""
    measure = searched_learning_measure(name)
    limit = measure.limit(given, option)
    low, high = _LEAST.get(name, 0.0), measure.bounds[1]
    if not low <= limit <= high or limit == np.inf:
        raise InputError(f"{option} {limit:g}: {_range(low, high)}", _EXAMPLES.get(name, ""))
    if name == "distinct_l" and limit != int(limit):
        raise InputError(f"{option} {limit:g}: it is a whole number of values", "as in 3")
    return limit


def searched_learning_measure(name: str) -> Measure:
    """The measure of learning that has a name; refused where merging crowds may make it worse."""
    measure = learning_measure(name)
    if measure.merging != "improves":
        fit = [each.name for each in LEARNING_MEASURES.values() if each.merging == "improves"]
        raise InputError(
            f"{name} isn't monotone: merging crowds may make it better or worse, so a search by it "
            "would prove nothing",
            f"take {', '.join(fit)}",
        )
    return measure


_EXAMPLES = {
    "certain_share": "0 where nobody's value may be certain, 0.01 for one person of a hundred",
    "t_closeness": "as in 0.2",
    "distinct_l": "as in 3: at least three values in every crowd",
}


def _range(low: float, high: float) -> str:
    return f"it is a number from {low:g}" + ("" if high == np.inf else f" to {high:g}")
