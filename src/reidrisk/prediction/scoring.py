"""Scoring: the crowds of tuples given as codes, with dependence used as asked.

| dependence | law of a tuple |
|---|---|
| tree | each attribute drawn from the holders of its parent in the tree of greatest information |
| groups | RH with every group of strongly dependent values as one value (`grouping`) |
| pair | RH with the surest strong pair as one value: TFRR's eqs. 10 and 11 made exact |
| paper | eqs. 10 and 11 as printed, the binomial B(n', p') (`paper_form`) |
| none | RH, all values independent |

With two values of known joint count m the first three say that the crowd is m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from reidrisk.errors import InputError
from reidrisk.laws.conditioned import GIVENS, CrowdsOfTuples, Given, crowds_of_tuples
from reidrisk.models.spanning_forest import Forest, spanning_forest
from reidrisk.prediction.grouping import grouped_counts, plain_counts
from reidrisk.prediction.tree_counts import tree_crowds
from reidrisk.statistics.settling import Settled

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Dependence = Literal["tree", "groups", "pair", "paper", "none"]
DEPENDENCES: tuple[str, ...] = get_args(Dependence)
Joined = Mapping[tuple[int, int], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Scored:
    """The crowds, and for which tuples which pairs of attributes (by place) were used."""

    crowds: CrowdsOfTuples
    used: Joined = field(default_factory=dict)


def scored(
    settled: Settled,
    codes: Codes,
    ks: Sequence[int],
    given: Given = "member",
    dependence: Dependence = "tree",
    forest: Forest | None = None,
) -> Scored:
    """Score tuples: a row of value places for each, a column for each attribute.

    `forest` spares looking for the tree again where it is known.
    """
    checked(given, dependence)
    n, held = settled.records, [each.expected_counts for each in settled.attributes]
    if dependence == "tree" and settled.knowledge.pairs:
        tree = forest or spanning_forest(settled.knowledge)
        everyone = np.ones(len(codes), dtype=bool)
        return Scored(
            tree_crowds(settled, tree, codes, ks, given), dict.fromkeys(tree.edges, everyone)
        )
    if dependence in ("tree", "none"):
        counts = _of_members(plain_counts(held, codes), given)
        return Scored(crowds_of_tuples(n, counts, ks, given))
    most = None if dependence == "groups" else 1
    grouped = grouped_counts(settled.knowledge, held, codes, most)
    if dependence == "paper":
        # SciPy's incomplete beta function: imported for reproduction only.
        from reidrisk.prediction.paper_form import paper_crowds

        plain = plain_counts(held, codes)
        return Scored(paper_crowds(n, plain, grouped, ks, given), grouped.joined)
    counts = _of_members(grouped.counts, given)
    return Scored(crowds_of_tuples(n, counts, ks, given), grouped.joined)


def checked(given: str, dependence: str) -> None:
    """Refuse words that mean nothing here."""
    if given not in GIVENS:
        raise InputError(f"--given {given}: it is {', '.join(GIVENS[:-1])} or {GIVENS[-1]}")
    if dependence not in DEPENDENCES:
        listed = f"{', '.join(DEPENDENCES[:-1])} or {DEPENDENCES[-1]}"
        raise InputError(f"--dependence {dependence}: it is {listed}")


def _of_members(counts: Floats, given: Given) -> Floats | NDArray[np.int64]:
    """Whoever is in the table holds the tuple, so at least one person does.

    Whole numbers as such, which spares looking for fractions.
    """
    counts = np.maximum(counts, 1.0) if given == "member" else counts
    whole = np.rint(counts)
    return whole.astype(np.int64) if np.array_equal(whole, counts) else counts
