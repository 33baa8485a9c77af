"""Scoring: the crowds of tuples given as codes, with dependence used as asked.

| dependence | law of a tuple |
|---|---|
| groups | RH with every group of strongly dependent values as one value (`grouping`) |
| pair | RH with the surest strong pair as one value: TFRR's eqs. 10 and 11 made exact; the joint count itself where the tuple has two values |
| paper | eqs. 10 and 11 as printed, the binomial B(n', p') (`paper_form`) |
| none | RH, all values independent |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reidrisk.errors import InputError
from reidrisk.laws.conditioned import GIVENS, CrowdsOfTuples, Given, crowds_of_tuples
from reidrisk.prediction.grouping import Grouped, grouped_counts, plain_counts
from reidrisk.prediction.paper_form import paper_crowds
from reidrisk.statistics.settling import Settled

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Dependence = Literal["groups", "pair", "paper", "none"]
DEPENDENCES: tuple[str, ...] = get_args(Dependence)


@dataclass(frozen=True, eq=False)
class Scored:
    """The crowds, and for which tuples which pairs of attributes (by place) were joined."""

    crowds: CrowdsOfTuples
    counts: Floats
    joined: Mapping[tuple[int, int], NDArray[np.bool_]] = field(default_factory=dict)


def scored(
    settled: Settled,
    codes: Codes,
    ks: Sequence[int],
    given: Given = "member",
    dependence: Dependence = "groups",
) -> Scored:
    """Score tuples: a row of value places for each, a column for each attribute."""
    checked(given, dependence)
    held = [attribute.expected_counts for attribute in settled.attributes]
    n = settled.records
    if dependence == "paper":
        single = grouped_counts(settled.knowledge, held, codes, most_pairs=1)
        plain = plain_counts(held, codes)
        return Scored(paper_crowds(n, plain, single, ks, given), plain, single.joined)
    grouped = _grouped(settled, held, codes, dependence)
    counts = grouped.counts
    if given == "member":
        # Whoever is in the table holds the tuple, so at least one person does.
        counts = np.maximum(counts, 1.0)
    return Scored(crowds_of_tuples(n, _whole(counts), ks, given), counts, grouped.joined)


def checked(given: str, dependence: str) -> None:
    """Refuse words that mean nothing here."""
    if given not in GIVENS:
        raise InputError(f"--given {given}: it is {', '.join(GIVENS[:-1])} or {GIVENS[-1]}")
    if dependence not in DEPENDENCES:
        listed = f"{', '.join(DEPENDENCES[:-1])} or {DEPENDENCES[-1]}"
        raise InputError(f"--dependence {dependence}: it is {listed}")


def _grouped(
    settled: Settled, held: Sequence[Floats], codes: Codes, dependence: Dependence
) -> Grouped:
    if dependence == "none":
        return Grouped(plain_counts(held, codes), {})
    most = 1 if dependence == "pair" else None
    return grouped_counts(settled.knowledge, held, codes, most)


def _whole(counts: Floats) -> Floats | NDArray[np.int64]:
    """As whole numbers where all are, which spares looking for fractions."""
    whole = np.rint(counts)
    return whole.astype(np.int64) if np.array_equal(whole, counts) else counts
