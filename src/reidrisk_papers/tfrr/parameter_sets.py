"""The 64 parameter sets (N, d, λ) of figures 1, 3 and 4, and their random tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import pyarrow as pa

import reidrisk as rr
from reidrisk_papers.setting import Setting

RECORDS = (30_000, 150_000, 750_000, 3_750_000)
ATTRIBUTES = (2, 3, 4, 5)
LAMBDAS = (0.1, 0.5, 2.5, 12.5)
QUICK_RECORDS = RECORDS[:2]
# The first place of a random table's seed; other places belong to what is drawn from it.
TABLES = 1


class ParameterSet(NamedTuple):
    """N records, d attributes, λ records to be expected for each possible tuple."""

    records: int
    attributes: int
    lambda_: float


SETS = tuple(ParameterSet(*each) for each in product(RECORDS, ATTRIBUTES, LAMBDAS))


def sets_of(setting: Setting) -> list[ParameterSet]:
    """All 64, or the 32 of the two smaller N."""
    return [each for each in SETS if not setting.quick or each.records in QUICK_RECORDS]


def followed(setting: Setting, figure: str) -> Iterator[ParameterSet]:
    """The sets one after the other, with progress."""
    asked = sets_of(setting)
    for done, chosen in enumerate(asked):
        setting.progress(f"tfrr: {figure}, N = {chosen.records:,}", done, len(asked))
        yield chosen


def random_table(setting: Setting, chosen: ParameterSet, number: int = 0) -> pa.Table:
    """One of a set's tables: the same whichever other sets and figures are run."""
    rng = setting.rng(TABLES, SETS.index(chosen), number)
    return rr.random_table(chosen.records, chosen.attributes, chosen.lambda_, rng)


def told(setting: Setting) -> str:
    """On what data these figures are run."""
    which = "the 32 sets of N = 30,000 and 150,000" if setting.quick else "the 64 sets"
    return (
        f"as in the paper, {which}; its supplement is lost, so the tables are drawn as the "
        "reported figures ask for: N/λ possible tuples, d attributes of round((N/λ)^(1/d)) values "
        "each, their proportions from a flat Dirichlet law, records independent"
    )


def sector(chosen: ParameterSet) -> str:
    """Where a set's box stands."""
    return f"N = {chosen.records:,}"
