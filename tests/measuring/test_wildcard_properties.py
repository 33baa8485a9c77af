"""Missing as wildcard: against brute force, never riskier than a value of its own, monotone."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import reidrisk as rr

CELL = st.sampled_from([None, "x", "y"])
TABLES = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12).filter(
    lambda rows: all(any(row[j] is not None for row in rows) for j in range(3))
)


def risk(rows: list[tuple[Any, ...]], columns: list[str], missing: str) -> float:
    held = {name: [row[j] for row in rows] for j, name in enumerate("abc")}
    return rr.measure(rr.read(held, columns=columns, missing=missing)).overall_risk


@given(TABLES)
def test_overall_risk_is_that_of_every_pair_compared(rows: list[tuple[Any, ...]]) -> None:
    matching = [
        sum(all(None in (p, q) or p == q for p, q in zip(one, two, strict=True)) for two in rows)
        for one in rows
    ]
    expected = sum(1 / f for f in matching) / len(rows)
    assert abs(risk(rows, ["a", "b", "c"], "wildcard") - expected) < 1e-12


@given(TABLES)
def test_it_is_never_riskier_and_never_falls_with_a_column(rows: list[tuple[Any, ...]]) -> None:
    two, three = (risk(rows, list(names), "wildcard") for names in ("ab", "abc"))
    assert two <= three + 1e-12
    assert three <= risk(rows, ["a", "b", "c"], "own") + 1e-12
