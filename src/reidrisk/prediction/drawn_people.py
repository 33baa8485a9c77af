"""Drawn people: tables of n people drawn from a model of statistics, to be counted like records.

A table keeps the counts the model was given, as far as the model says it can; numbers of people
under hidden counts are shared out another way in each.

Where it fails: what no published table shows is as independent as it can be in every one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from reidrisk import machine
from reidrisk.arrays import Rows
from reidrisk.machine import Progress, no_progress
from reidrisk.models import Model
from reidrisk.prediction.multiple_imputation import imputed_anew
from reidrisk.records import CodedTuples, text_array
from reidrisk.statistics import CompleteCounts

# Tables of more people are drawn one after the other, for memory's sake.
MOST_AT_ONCE = 1_000_000

Answer = TypeVar("Answer")


def drawn_rows(model: Model, known: CompleteCounts, rng: np.random.Generator) -> Rows:
    """One row a person, one column an attribute: the places of their values."""
    return imputed_anew(model.sample(model.knowledge.n, rng), known, rng)


def of_each_drawn(
    model: Model,
    known: CompleteCounts,
    seeds: Sequence[Sequence[int]],
    answer: Callable[[CodedTuples], Answer],
    progress: Progress = no_progress,
) -> list[Answer]:
    """What is found in each of several tables: one for each seed, each different tuple once."""
    values = [text_array(v for v in a.values if v is not None) for a in known.attributes]
    progress("drawing tables", 0, len(seeds))

    def one(seed: Sequence[int]) -> Answer:
        rows = drawn_rows(model, known, np.random.default_rng(seed))
        widths = tuple(len(counts) for counts in model.knowledge.counts)
        codes = [
            column.astype(np.min_scalar_type(width))
            for column, width in zip(rows.T, widths, strict=True)
        ]
        every = CodedTuples.of_codes(model.knowledge.names, codes, widths, None, values)
        return answer(every.each_once()[0])

    threads = machine.available() if known.knowledge.n <= MOST_AT_ONCE else 1
    return machine.each(one, seeds, threads)
