"""`person`: how many people share one person's values, predicted from statistics or counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from reidrisk.arrays import Ints
from reidrisk.crowds import Assumption
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.laws import Given
from reidrisk.measurement import chosen_crowds, envelope
from reidrisk.models import AUTO
from reidrisk.prediction.model_error import COUNTED, learned
from reidrisk.prediction.person_answer import GivenAway, OneCrowd, PersonRisk, UsedPair, one_crowd
from reidrisk.prediction.person_values import (
    NO_SUCH,
    by_name,
    found_in_table,
    found_value,
    values_matched,
)
from reidrisk.prediction.questions import LoadedStatistics, complete_counts, statistics_or_table
from reidrisk.prediction.scoring import Scored, checked, model_chosen, person_model, scored
from reidrisk.records import Reading, Table
from reidrisk.samples import PopulationView
from reidrisk.statistics import CompleteCounts

# Standard deviations that chance exceeds once in twenty times.
ONE_IN_TWENTY = 1.645
EXACT_VALUES = Assumption(
    "values-without-error",
    "person",
    "Exactly these values are known of the person, without error.",
)
_SAID_OF_MEMBERS = {
    "member": "The person is in the table, so they are one of their crowd.",
    "paper": "Somebody in the table has these values (TFRR eq. 12); that it is the person isn't "
    "used, "
    "which makes crowds too small.",
    "unknown": "It isn't known whether the person is in the table, or whether anybody has these "
    "values.",
}
# What is known of the person, by `given`; each rules the others out.
MEMBERSHIP = {
    given: Assumption(
        f"membership-{given}",
        "person",
        said,
        (f"membership-{other}" for other in _SAID_OF_MEMBERS if other != given),
    )
    for given, said in _SAID_OF_MEMBERS.items()
}

_HOW = {
    "tree": "Values depend on each other only through the pair tables used.",
    "pairwise": "Values are as independent as the pair tables allow.",
    "triples": "Values are as independent as the pair and triple tables allow.",
    "groups": "Values that aren't strongly dependent are independent of each other.",
    "pair": "Values other than the surest strongly dependent pair are independent.",
    "paper": "Values other than the surest strongly dependent pair are independent, and draws are "
    "with replacement (TFRR eqs. 10 and 11).",
    "independent": "Values are independent of each other.",
}
HOW = {model: Assumption(f"values-by-{model}", "model", said) for model, said in _HOW.items()}

MODELS: dict[str, str] = {
    "tree": "recursive hypergeometric along a tree of pair tables",
    "pairwise": "pairwise",
    "triples": "triples",
    "groups": "recursive hypergeometric with groups",
    "pair": "recursive hypergeometric with one pair",
    "paper": "binomial, as printed",
    "independent": "recursive hypergeometric",
}
MIXTURE = Assumption(
    "hidden-counts-mixed",
    "statistics",
    "Some of these values' counts are suppressed: the figures are a mixture over what they may be, "
    "and the range covers all of it.",
)


def person(
    source: Any,
    values: Mapping[str, object],
    *,
    given: Given = "member",
    crowds: Sequence[int] | None = None,
    model: str = AUTO,
    population: int | None = None,
    **reading: Unpack[Reading],
) -> PersonRisk:
    """One person's crowd, from statistics (predicted) or a table (counted).

    Further arguments are options of `read`, for records that aren't a `Table` yet.

    Parameters:
        source: statistics (an object, a file, several files) or records (a `Table`, or anything
            `read` takes).
        values: {column: value} of the person.
        given: what is known: they are a ``member`` of the table (exact), ``paper`` (TFRR eq. 12),
            or ``unknown`` whether they are in it.
        crowds: the k of P(crowd ≥ k).
        model: how pair tables are used: along a ``tree``, all of them (``pairwise``), as
            ``groups`` of strongly dependent values, as one such ``pair``, in the ``paper``'s form,
            or not at all (``independent``); ``auto`` takes the tree where there are pair tables.
        population: how many people the records are a sample of: the crowd is then that of the
            population, estimated by the laws of `population`.
    """
    checked(given, model)
    ks = chosen_crowds(crowds)
    loaded = statistics_or_table(source, reading)
    if isinstance(loaded, Table) and population is not None:
        return _estimated(loaded, values, ks, given, population)
    if isinstance(loaded, Table):
        return _counted(loaded, values, ks, given)
    if population is not None:
        raise ContradictoryOptions(
            "--population is for records, and these are statistics",
            "statistics of a sample say so themselves: publish --population",
        )
    return _predicted(loaded, values, ks, given, model)


def _predicted(
    loaded: LoadedStatistics,
    values: Mapping[str, object],
    ks: Sequence[int],
    given: Given,
    model: str,
) -> PersonRisk:
    wanted = by_name(loaded.statistics.names, values)
    names = list(wanted)
    known = complete_counts(loaded.statistics, names, {}, {})
    matched = [found_value(each, wanted[each.name]) for each in known.attributes]
    codes = np.array([[each.place for each in matched]])
    _refuse_nobody(known, codes, given)
    chosen = person_model(known, model)
    answer = scored(known, codes, ks, given, chosen.model)
    independent = person_model(known, "independent").model
    plain = scored(known, codes, ks, given, independent) if answer.used else None
    notes = values_matched(sentence for each in matched for sentence in each.said)
    return PersonRisk(
        envelope=loaded.envelope(
            "person",
            names,
            MODELS[chosen.model.name if answer.used else "independent"],
            (
                MEMBERSHIP[given],
                EXACT_VALUES,
                *model_chosen(chosen),
                HOW[chosen.model.name],
                *known.assumptions,
                *notes,
                *(() if answer.limits is None else (MIXTURE,)),
            ),
            known.warnings,
        ),
        given=given,
        crowd=one_crowd(answer.crowds),
        without_dependence=None if plain is None else one_crowd(plain.crowds),
        gives_away=_given_away(known, codes, given, chosen.model.name),
        pairs=_pairs(known, codes, answer),
        limits=_limits(answer, known, chosen.model.name),
    )


def _limits(answer: Scored, known: CompleteCounts, model: str) -> dict[str, tuple[float, float]]:
    """Where the first tuple's crowd lies nine times in ten, by the model's error; and between which
    figures hidden counts leave it, where these are wider.
    """
    crowd, risk = float(answer.crowds.expected[0]), float(answer.crowds.risk[0])
    low, high = learned(model).crowd(crowd, known.records, len(known.names))
    ends = {
        "expected_crowd": (low, high),
        "risk": (min(risk, 1.0 / max(high, 1.0)), max(risk, min(1.0 / max(low, 1e-300), 1.0))),
    }
    if len(known.names) <= COUNTED:
        ends = {}
    if answer.limits is None:
        return ends
    held = (each[0].tolist() for each in answer.limits)
    for name, (least, most) in zip(("expected_crowd", "risk", "alone"), held, strict=True):
        below, above = ends.get(name, (least, most))
        ends[name] = (min(least, below), max(most, above))
    return ends


def _refuse_nobody(known: CompleteCounts, codes: Ints, given: Given) -> None:
    for place, attribute in enumerate(known.attributes):
        if given != "unknown" and attribute.expected_counts[codes[0, place]] == 0:
            raise InputError(
                f"{attribute.name}: according to the statistics nobody has the value given, so "
                "nobody with "
                "it is in the table",
                "say --given unknown to ask about somebody who may not be in it",
            )
    if given != "unknown":
        _refuse_pairs(known, codes)


def _refuse_pairs(known: CompleteCounts, codes: Ints) -> None:
    """Two values that nobody holds at once."""
    for (i, j), cells in known.knowledge.pairs.items():
        if cells[codes[0, i], codes[0, j]] <= 0.0:
            raise InputError(
                f"{known.names[i]} and {known.names[j]}: according to the statistics nobody has "
                "both "
                "values given, so nobody with them is in the table",
                "say --given unknown to ask about somebody who may not be in it",
            )


def _given_away(
    known: CompleteCounts, codes: Ints, given: Given, model: str
) -> tuple[GivenAway, ...]:
    """The risk without each attribute, lowest first: the one that gives most away."""
    d = codes.shape[1]
    if d == 1:
        return (GivenAway(known.names[0], 1.0 / known.records),)
    without = []
    for left_out in range(d):
        kept = [place for place in range(d) if place != left_out]
        less = known.of(kept)
        fewer = scored(less, codes[:, kept], (2,), given, person_model(less, model).model)
        without.append(GivenAway(known.names[left_out], float(fewer.crowds.risk[0])))
    return tuple(sorted(without, key=lambda each: each.risk_without_it))


def _pairs(known: CompleteCounts, codes: Ints, answer: Scored) -> tuple[UsedPair, ...]:
    """The pairs that were used, with how many people hold both values."""
    pairs = []
    for i, j in answer.used:
        cells = known.knowledge.pairs[i, j]
        joint = float(cells[codes[0, i], codes[0, j]])
        rarer, other = sorted(float(known.knowledge.counts[at][codes[0, at]]) for at in (i, j))
        # Were they independent: binomial, the other's share of the people who hold the rarer.
        chance = other / known.records
        deviation = math.sqrt(rarer * chance * (1.0 - chance))
        pairs.append(
            UsedPair(
                (known.names[i], known.names[j]),
                joint,
                joint / max(int(rarer), 1),
                joint - rarer * chance > ONE_IN_TWENTY * deviation,
            )
        )
    return tuple(sorted(pairs, key=lambda pair: -pair.confidence))


def _counted(
    table: Table, values: Mapping[str, object], ks: Sequence[int], given: Given
) -> PersonRisk:
    """The crowd as it is in the table."""
    if table.engine.options.person is not None:
        raise ContradictoryOptions(
            "person is about one combination of values, and with --person people have several rows",
            "leave --person out, or make one row a person first",
        )
    wanted, notes = found_in_table(table, values)
    crowd = _crowd_of(table.engine.people_with(wanted), ks)
    without = [
        GivenAway(name, _crowd_of(_people_without(table, wanted, name), ks).risk) for name in wanted
    ]
    about = envelope("person", table, tuple(wanted), values_matched(notes))
    unknown = tuple(sentence for sentence in notes if NO_SUCH in sentence)
    about = replace(about, warnings=(*unknown, *about.warnings))
    order = tuple(sorted(without, key=lambda each: each.risk_without_it))
    return PersonRisk(about, given, crowd, gives_away=order)


def _estimated(
    table: Table, values: Mapping[str, object], ks: Sequence[int], given: Given, population: int
) -> PersonRisk:
    """The crowd in the population that the table is a sample of."""
    if given == "paper":
        raise ContradictoryOptions(
            "--given paper is a form for statistics, and these are the records of a sample",
            "--given member or unknown",
        )
    wanted, notes = found_in_table(table, values)
    view = PopulationView.of(table, tuple(wanted), population)
    found = view.crowd(wanted, ks, given)
    low, high = found.ends
    without = [
        GivenAway(name, _risk_without(table, wanted, name, population, given)) for name in wanted
    ]
    about = view.envelope("person")
    said = (EXACT_VALUES, *about.assumptions, *values_matched(notes))
    return PersonRisk(
        replace(about, assumptions=said),
        given,
        one_crowd(found.crowds),
        gives_away=tuple(sorted(without, key=lambda each: each.risk_without_it)),
        limits={"expected_crowd": found.ends, "risk": (1.0 / max(high, 1.0), 1.0 / max(low, 1.0))},
    )


def _risk_without(
    table: Table, held: Mapping[str, str | None], name: str, population: int, given: Given
) -> float:
    rest = {other: value for other, value in held.items() if other != name}
    if not rest:
        return 1.0 / population
    view = PopulationView.of(table, tuple(rest), population)
    return float(view.crowd(rest, (2,), given).crowds.risk[0])


def _people_without(table: Table, held: Mapping[str, str | None], name: str) -> int:
    rest = {other: value for other, value in held.items() if other != name}
    return table.engine.people_with(rest)


def _crowd_of(people: int, ks: Sequence[int]) -> OneCrowd:
    at_least = {k: float(people >= k) for k in ks}
    return OneCrowd(float(people), 1.0 / people if people else 0.0, at_least, float(people == 0))
