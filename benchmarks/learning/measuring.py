"""Measuring: a set of columns counted, published in three ways, and predicted by each model.

Rounding and suppression are drawn by a seed. `--exact` is published of tables of at most
`MOST_CERTIFIED` people. Pairwise isn't fitted where the pair tables have more than `MOST_CELLS`
cells, nor to what is published in the second and third way where it took more than `MOST_SECONDS`
of the processor.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from itertools import combinations

from benchmarks.model_error.measuring import UNPROTECTED, WAYS
from reidrisk.errors import InputError
from reidrisk.learning import learn
from reidrisk.learning.learning_prediction import figures_of, mean_figures
from reidrisk.learning.predicted_learning import Asked, drawn_learning, signs_with_simpler
from reidrisk.learning.sensitive_risk import SensitiveRisk
from reidrisk.statistics import Statistics

from .cases import CROWD, NAMES, Case, Prediction, Published
from .sets import Records

LOG = logging.getLogger(__name__)
MODELS = ("pairwise", "tree", "independent")
DRAWS = 6
MOST_SECONDS, MOST_CELLS, MOST_CERTIFIED = 10.0, 1_000_000, 40_000


def case_of(records: Records, seed: int = 0) -> Case:
    """Count one set, and predict it as published in each way."""
    begin = time.process_time()
    risk = learn(records.counted, crowds=[CROWD]).sensitive[records.sensitive]
    assert isinstance(risk, SensitiveRisk)
    truth, people = figures_of(risk), risk.counts.n
    published = dict(_in_each_way(records, people, seed))
    seconds = time.process_time() - begin
    LOG.warning("%s, %d columns: %.0f s", records.table, len(records.columns), seconds)
    figures = tuple(truth[name] for name in NAMES)
    return Case(
        records.table, records.columns, records.sensitive, people, records.chosen, figures,
        published, records.person,
    )  # fmt: skip


def _in_each_way(records: Records, people: int, seed: int) -> Iterator[tuple[str, Published]]:
    models: Sequence[str] = MODELS
    for way, publish in WAYS.items():
        if way == "exact" and people > MOST_CERTIFIED:
            continue
        try:
            statistics = publish(records.published)
        except InputError as refused:
            LOG.warning("%s, %s: %s", records.table, way, refused)
            continue
        if set(statistics.names) != {*records.columns, records.sensitive}:
            LOG.warning("%s, %d columns: %s drops some", records.table, len(records.columns), way)
            continue
        if _cells(statistics) > MOST_CELLS:
            models = MODELS[1:]
        begin = time.process_time()
        yield way, _published(statistics, records, models, seed)
        if time.process_time() - begin > MOST_SECONDS:
            models = MODELS[1:]
        assert way != UNPROTECTED or not statistics.read_back


def _cells(statistics: Statistics) -> int:
    widths = [len(each.stated) for each in statistics.attributes]
    return sum(one * other for one, other in combinations(widths, 2))


def _published(
    statistics: Statistics, records: Records, models: Sequence[str], seed: int
) -> Published:
    predictions, sparse = {}, 0.0
    for model in models:
        asked = Asked(
            records.columns, (records.sensitive,), {}, {}, model, DRAWS, seed, None, (CROWD,)
        )
        found = drawn_learning(statistics, asked)
        signs = signs_with_simpler(found, asked)[records.sensitive]
        means, ends = mean_figures(found.drawn[records.sensitive])
        sparse = max(sparse, signs.sparse)
        predictions[model] = Prediction(
            tuple(means[name] for name in NAMES),
            tuple(ends[name] for name in NAMES),
            tuple(signs.simpler[name] for name in NAMES) if signs.simpler else (),
        )
    return Published(sparse, predictions)
