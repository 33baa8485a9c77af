"""Measuring: sets of columns published in three ways, predicted, and held against the truth.

Rounding and suppression are drawn by a seed here. Predictions are of the counts that `predict` fits
its model to first, answers about people and groups of those that `person` and `group` take.
Pairwise isn't fitted to what is published in the second and third way where the first fit took more
than `MOST_SECONDS` of the processor, nor to tables of more than `MOST_CELLS` pair cells; of more
than `MOST_PROTECTED` only the unprotected counts are predicted, since to read back rounded ones
takes gigabytes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

import reidrisk as rr
from benchmarks.accuracy.real_tables import RealTable
from benchmarks.protections import as_records
from reidrisk.arrays import Ints
from reidrisk.errors import InputError
from reidrisk.machine import no_progress
from reidrisk.models import Chosen, chosen_model
from reidrisk.prediction.model_error import figures_of, signs_of
from reidrisk.prediction.multiple_imputation import first_fit, pooled_figures
from reidrisk.prediction.person_values import found_value
from reidrisk.prediction.questions import complete_counts
from reidrisk.prediction.scoring import person_model, scored
from reidrisk.publishing import as_published
from reidrisk.publishing.certified_tables import certified_tables
from reidrisk.statistics import CompleteAttribute, CompleteCounts, Statistics

from .cases import KS, NAMES, Case, Prediction, Published

LOG = logging.getLogger(__name__)
MEMBERS = 60
MOST_SECONDS, MOST_CELLS, MOST_PROTECTED = 15.0, 2_000_000, 10_000_000
# Those that answer about people and groups, too.
QUICK = ("tree", "independent")
MODELS = (*QUICK, "pairwise")
# Some people's values, column by column.
Texts = Sequence[Sequence[str]]
Publish = Callable[..., Statistics]


def _unprotected(table: rr.Table, triples: bool = False) -> Statistics:
    return rr.publish(table, unprotected=True, triples=triples)


def _rounded(table: rr.Table, triples: bool = False) -> Statistics:
    return as_published(table, triples=triples)


def _certified(table: rr.Table) -> Statistics:
    pairs = list(combinations(table.columns, 2))
    return certified_tables(table, pairs, 5, 1, np.random.default_rng(0)).statistics


UNPROTECTED = "unprotected"
WAYS: Mapping[str, Publish] = {
    UNPROTECTED: _unprotected, "rounded": _rounded, "exact": _certified,
}  # fmt: skip
# Those that can hold triple tables, of how many columns on; people of tables that are drawn for it.
WITH_TRIPLES, OF_COLUMNS, MOST_DRAWN = (_unprotected, _rounded), 4, 500_000


def case_of(table: RealTable, columns: Sequence[str], seed: int = 0) -> Case:
    """Count one set of columns, and predict it as published in each way."""
    counted = table.of(columns)
    truth = figures_of(counted.crowds(), KS)
    crowds, members = _members(counted, np.random.default_rng(seed))
    published = dict(_in_each_way(_some_columns(table, columns), members, seed))
    alpha = chance_to_share(counted.people.tolist())
    figures = tuple(truth[name] for name in NAMES)
    return Case(table.name, tuple(columns), counted.n, figures, alpha, crowds, published)


def _in_each_way(table: RealTable, members: Texts, seed: int) -> Iterator[tuple[str, Published]]:
    """What the models say, by protection; one that refuses the table or a column is left out."""
    records = as_records(table)
    models: Sequence[str] = MODELS
    cells = sum(len(a) * len(b) for a, b in combinations(table.values, 2))
    for way, publish in WAYS.items():
        if cells > MOST_PROTECTED and way != UNPROTECTED:
            continue
        try:
            statistics = publish(records)
        except InputError as refused:
            LOG.warning("%s, %d columns: %s", table.name, len(table.columns), refused)
            continue
        if statistics.names != table.columns:
            LOG.warning("%s, %d columns: %s drops some", table.name, len(table.columns), way)
            continue
        begin = time.process_time()
        published, slow = _published(statistics, members, models, seed)
        seconds = time.process_time() - begin
        LOG.info("%s, %d columns, %s: %.0f s", table.name, len(table.columns), way, seconds)
        models = QUICK if slow else models
        yield way, with_triples(published, records, publish, seed)


def with_triples(published: Published, records: rr.Table, publish: Publish, seed: int) -> Published:
    """With what the triples model says where the file holds triple tables, too."""
    columns, people = len(records.columns), rr.measure(records).people
    if publish not in WITH_TRIPLES or columns < OF_COLUMNS or people > MOST_DRAWN:
        return published
    complete = partial(complete_counts, publish(records, triples=True), None, {}, {})
    _, prediction = _prediction(complete, "triples", seed)
    return published._replace(predictions={**published.predictions, "triples": prediction})


def chance_to_share(crowds: Sequence[int]) -> float:
    """Σ n_t(n_t − 1)/(n(n − 1)): two different people share all values. Where no two do, as if half
    a pair did, for what isn't there can't be compared by a ratio.
    """
    n = sum(crowds)
    pairs = sum(crowd * (crowd - 1) for crowd in crowds) / 2
    return max(pairs, 0.5) / (n * (n - 1) / 2)


def _some_columns(table: RealTable, columns: Sequence[str]) -> RealTable:
    places = [table.columns.index(column) for column in columns]
    values = tuple(table.values[place] for place in places)
    return RealTable(table.name, tuple(columns), values, table.codes[:, places], table.people)


def _members(counted: RealTable, rng: np.random.Generator) -> tuple[tuple[int, ...], Texts]:
    """Some people, drawn at random: their crowds, and their values by column."""
    wanted = min(MEMBERS, counted.n)
    drawn = rng.multivariate_hypergeometric(counted.people, wanted, method="marginals")
    rows = np.repeat(np.arange(len(drawn)), drawn)
    held = zip(counted.values, counted.codes[rows].T, strict=True)
    texts = [[f"v{values[code]}" for code in codes.tolist()] for values, codes in held]
    return tuple(counted.people[rows].tolist()), texts


def _published(
    statistics: Statistics, members: Texts, models: Sequence[str], seed: int
) -> tuple[Published, bool]:
    """What the models say of a published file; whether pairwise took too long."""
    complete = partial(complete_counts, statistics, None, {}, {})
    predictions, slow, known = {}, False, complete()
    slow = sum(each.size for each in known.knowledge.pairs.values()) > MOST_CELLS
    for model in models:
        if model == "pairwise" and slow:
            continue
        begin = time.process_time()
        known, predictions[model] = _prediction(complete, model, seed)
        slow |= time.process_time() - begin > MOST_SECONDS
    alphas, expected = _about_people(complete() if known.read_back else known, members)
    sparse = signs_of(known, "tree", KS).sparse
    return Published(sparse, predictions, alphas, expected), slow


def _about_people(
    known: CompleteCounts, members: Texts
) -> tuple[dict[str, float], dict[str, list[float | None]]]:
    """Σp_t² and the members' expected crowds, by model."""
    alphas, expected = {}, {}
    for model in QUICK:
        fitted = chosen_model(known.knowledge, model, question="group").model
        alphas[model] = fitted.space().power_sum(2)
        expected[model] = list(_expected(known, members, model))
    return alphas, expected


def _prediction(
    complete: Callable[..., CompleteCounts], name: str, seed: int
) -> tuple[CompleteCounts, Prediction]:
    """The counts it was fitted to, and what it says."""
    rng = np.random.default_rng(seed)
    fit = partial(_fitted, name=name, seed=seed)
    known, (model, _) = first_fit(complete, fit, rng)
    pooled = pooled_figures(known, model, complete, lambda other: fit(other).model, rng)
    figures = figures_of(pooled.crowds, KS)
    two = tuple(pooled.intervals[name] for name in NAMES[:2])
    return known, Prediction(tuple(figures[name] for name in NAMES), two)


def _fitted(known: CompleteCounts, name: str, seed: int) -> Chosen:
    return chosen_model(known.knowledge, name, np.random.default_rng(seed), no_progress)


def _expected(known: CompleteCounts, members: Texts, name: str) -> Iterator[float | None]:
    """Expected crowds of members; None for whom `person` says that nobody has these values."""
    columns = zip(known.attributes, members, strict=True)
    codes = np.stack([_places(attribute, column) for attribute, column in columns], axis=1)
    possible = (codes >= 0).all(axis=1) & _possible(known, codes)
    model = person_model(known, name).model
    crowds = iter(())
    if possible.any():
        answer = scored(known, codes[possible], (2,), "member", model)
        crowds = iter(answer.crowds.expected.tolist())
    for is_possible in possible.tolist():
        yield next(crowds) if is_possible else None


def _places(attribute: CompleteAttribute, values: Sequence[str]) -> Ints:
    """Where the values stand in an attribute's counts; -1 for one that isn't there."""
    places = {}
    for value in set(values):
        try:
            places[value] = found_value(attribute, value).place
        except InputError:
            places[value] = -1
    return np.array([places[value] for value in values])


def _possible(known: CompleteCounts, codes: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    possible = np.ones(len(codes), dtype=bool)
    for attribute, column in zip(known.attributes, codes.T, strict=True):
        possible &= np.asarray(attribute.expected_counts)[column] > 0
    for (i, j), cells in known.knowledge.pairs.items():
        possible &= cells[codes[:, i], codes[:, j]] > 0.0
    return possible
