"""Populations that groups are drawn from: described by statistics, or counted in a table.

- A table, or statistics of one attribute, or of two with their whole pair table: every tuple's
  count is known, and the law is exact for these people, drawn with and without putting back.
- Statistics of more: tuples along a tree of pair tables, or independent; the law is exact for that
  model. Different people of these n can't be told from independent draws without their tuples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reidrisk.crowds import Assumption, assumed
from reidrisk.errors import InputError
from reidrisk.laws import GroupLaw, TupleSpace
from reidrisk.models import WHOLE, Tree, chosen_model
from reidrisk.prediction.multiple_imputation import complete_imputations
from reidrisk.prediction.person_values import (
    Listed,
    by_name,
    found_value,
    listed,
    values_matched,
)
from reidrisk.prediction.scoring import model_chosen
from reidrisk.records import CodedTuples, Recoding
from reidrisk.statistics import CompleteCounts

Values = Mapping[str, tuple[str, ...]]
Ways = Mapping[str, Recoding]
NOBODY = "nobody is left to draw from"
INDEPENDENT = Assumption("independent", "model", "Attributes are independent of each other.")
COUNTED = Assumption("one-attribute", "model", "The values' counts are known.")
DRAWN_ALIKE = Assumption(
    "different-people-as-drawn",
    "group",
    "Without the people's combinations of values, a group of different people can't be told apart "
    "from independent draws (exact_finite).",
)


@dataclass(frozen=True, eq=False)
class Population:
    """What a group is drawn from; `member` is p of the tuple a member is said to have.

    `imputations` are the same people with hidden counts filled in otherwise, each with its weight.
    """

    law: GroupLaw
    people: int
    group: str | None = None
    bands: Mapping[str, str] = field(default_factory=dict)
    member: float | None = None
    imputations: tuple[tuple[float, Population], ...] = ()
    # The model that predicted the law, and of how many attributes; None where it was counted.
    model: tuple[str, int] | None = None


class Described(NamedTuple):
    """A population known by its statistics: the model, what it assumes, and whether imputations of
    hidden counts were drawn.
    """

    population: Population
    model: str
    assumptions: tuple[Assumption, ...]
    drawn: bool = False


def described(
    complete: Callable[..., CompleteCounts],
    model: str,
    values: Values,
    ways: Ways,
    member: Mapping[str, object] | None = None,
    bands: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Described:
    """The population that statistics describe; `complete` gives them with any imputation."""
    known = complete()
    imputed, drawn, how = complete_imputations(known, complete, np.random.default_rng(seed))
    one = _one_imputation(known, model, values, ways, member, bands)
    imputations = tuple(
        (weight, _one_imputation(each, model, values, ways, member, bands).population)
        for weight, each in imputed
    )
    predicted = (one.model, len(known.names))
    population = replace(one.population, imputations=imputations, model=predicted)
    return Described(population, one.model, (*one.assumptions, *how), drawn)


def _one_imputation(
    known: CompleteCounts,
    model: str,
    values: Values,
    ways: Ways,
    member: Mapping[str, object] | None,
    bands: Mapping[str, str] | None,
) -> Described:
    lists = [
        listed(each.values, each.in_other, values.get(each.name), ways.get(each.name))
        for each in known.attributes
    ]
    space, used, how = _space(known, model)
    codes, forgiven = _codes(known, member, lists)
    narrow, share = space.restricted([each.keep for each in lists])
    if share <= 0.0:
        raise InputError(NOBODY, "nobody has any of the values listed")
    people = round(known.records * share)
    outcomes = math.prod(each.number for each in lists)
    counts = _joint_counts(known, used, lists)
    if counts is None:
        law = GroupLaw(narrow, outcomes)
        how = (*how, DRAWN_ALIKE)
    else:
        law = GroupLaw.of_counts(counts, outcomes)
    said = (*how, *known.assumptions, *forgiven, *left_out(known.records - people))
    p = None if codes is None else space.probability(codes) / share
    return Described(Population(law, people, None, bands or {}, p), used, said)


def _space(known: CompleteCounts, model: str) -> tuple[TupleSpace, str, tuple[Assumption, ...]]:
    """The space of tuples, the model's name, and what it assumes."""
    knowledge = known.knowledge
    if len(known.names) == 1:
        return chosen_model(knowledge, "independent").model.space(), "counted", (COUNTED,)
    choice = chosen_model(knowledge, model, question="group")
    chosen, assumption = choice.model, INDEPENDENT
    if isinstance(chosen, Tree):
        edges = len(chosen.forest.edges)
        tables = f"{edges} two-way tables" if edges != 1 else "one two-way table"
        sentence = f"Attributes depend on each other through {tables} only."
        assumption = Assumption("tree", "model", sentence)
    return chosen.space(), chosen.name, (*model_chosen(choice), assumption)


def _joint_counts(
    known: CompleteCounts, model: str, lists: Sequence[Listed]
) -> NDArray[np.int64] | None:
    """People per tuple that is listed, where the statistics count them."""
    if len(lists) == 1:
        return known.knowledge.counts[0][lists[0].keep]
    cells = known.knowledge.pairs.get((0, 1))
    if len(lists) > 2 or cells is None or model == "independent":
        return None
    whole = np.rint(cells)
    if np.any(np.abs(cells - whole) > WHOLE):
        return None
    return whole[np.ix_(lists[0].keep, lists[1].keep)].ravel().astype(np.int64)


def _codes(
    known: CompleteCounts, member: Mapping[str, object] | None, lists: Sequence[Listed]
) -> tuple[list[int] | None, tuple[Assumption, ...]]:
    """Where the member's values stand, and what was forgiven."""
    if member is None:
        return None, ()
    wanted = by_name(known.names, member)
    refuse_gaps(known.names, wanted)
    found = [found_value(each, wanted[each.name]) for each in known.attributes]
    codes = [each.place for each in found]
    if not all(each.keep[at] for each, at in zip(lists, codes, strict=True)):
        raise InputError("the member's values aren't all among those listed")
    return codes, values_matched(sentence for each in found for sentence in each.said)


def refuse_gaps(names: Sequence[str], member: Mapping[str, object]) -> None:
    """A member's tuple has a value for every column."""
    lacking = [name for name in names if name not in member]
    if lacking:
        raise InputError(
            f"the member has no value of {lacking[0]!r}", "give one for each quasi-identifier"
        )


def left_out(people: int) -> tuple[Assumption, ...]:
    """Those whose values aren't listed."""
    said = f"{people:,} people with values that aren't listed are left out."
    return assumed("unlisted-left-out", "group", [said] if people else [])


def only_listed(tuples: CodedTuples, values: Values, ways: Ways) -> CodedTuples:
    """The people whose values are all listed; `ways` says how coarse the table was read."""
    keep = np.ones(tuples.rows, dtype=bool)
    for name, chosen in values.items():
        place = tuples.columns.index(name)
        labels = [*tuples.values[place].to_pylist(), None]
        keep &= listed(labels, 0, chosen, ways.get(name)).keep[tuples.codes[place]]
    if not keep.any():
        raise InputError(NOBODY, "nobody has any of the values listed")
    people = None if tuples.people is None else tuples.people[keep]
    return tuples._replace(codes=tuple(each[keep] for each in tuples.codes), people=people)


def counted(
    tuples: CodedTuples, by: str | None, values: Values, ways: Ways, bands: Mapping[str, str]
) -> list[Population]:
    """The populations of a table, one for each value of `by`; N is the same for all of them."""
    outcomes = 1
    rows, people = tuples.each_once()
    for labels, codes, name in zip(rows.values, rows.codes, rows.columns, strict=True):
        if name != by:
            missing = [None] if np.any(codes == len(labels)) else []
            every = [*labels.to_pylist(), *missing]
            outcomes *= listed(every, 0, values.get(name), ways.get(name)).number
    if by is None:
        law = GroupLaw.of_counts(people, outcomes)
        return [Population(law, int(people.sum()), None, bands)]
    place = rows.columns.index(by)
    names = [*rows.values[place].to_pylist(), None]
    return [
        Population(
            GroupLaw.of_counts(tuples, outcomes), int(tuples.sum()), names[code] or "", bands
        )
        for code, tuples in _by_group(rows.codes[place], people)
    ]


def _by_group(
    codes: NDArray[np.integer], people: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    order = np.argsort(codes, kind="stable")
    which, begin = np.unique(codes[order], return_index=True)
    for code, held in zip(which, np.split(people[order], begin[1:]), strict=True):
        yield int(code), held
