"""Attacks in plain loops, to be checked by eye."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

from tests.truth.plain_engine import PlainEngine

Row = tuple[str | None, ...]


def people_rows(truth: PlainEngine, names: Sequence[str]) -> list[Row]:
    """One row a person: a row that stands for several people is repeated."""
    return [
        row for at, row in enumerate(truth.rows(names)) for _ in range(truth.people_of(at))
    ]  # fmt: skip


def cdf(risks: Sequence[float]) -> list[tuple[float, float]]:
    return [(r, sum(q <= r for q in risks) / len(risks)) for r in sorted(set(risks))]


def survival(risks: Sequence[float]) -> list[tuple[float, float]]:
    return [(r, sum(q >= r for q in risks) / len(risks)) for r in sorted(set(risks))]


def overall_risk(rows: Sequence[Row], known: Sequence[int]) -> float:
    """Mean of 1/crowd, knowing the columns at these places."""
    seen = [tuple(row[j] for j in known) for row in rows]
    return sum(1 / seen.count(each) for each in seen) / len(seen)


def risk_at_random(rows: Sequence[Row], share: float) -> float:
    d = len(rows[0])
    return sum(
        share**size * (1 - share) ** (d - size) * overall_risk(rows, known)
        for size in range(d + 1)
        for known in combinations(range(d), size)
    )


def best_agreement(rows: Sequence[Row], values: Row) -> list[int]:
    """The people who agree with the values on most attributes."""
    agree = [sum(a == b for a, b in zip(row, values, strict=True)) for row in rows]
    return [at for at, many in enumerate(agree) if many == max(agree)]


def risk_with_errors(rows: Sequence[Row], error: float) -> float:
    """Every target, everything that may be told of them, everybody the attacker may pick."""
    d, n = len(rows[0]), len(rows)
    counts = [Counter(row[j] for row in rows) for j in range(d)]
    chosen = {y: best_agreement(rows, y) for y in product(*counts)}
    total = 0.0
    for target, row in enumerate(rows):
        for told, candidates in chosen.items():
            if target in candidates:
                chance = 1.0
                for j in range(d):
                    others = n - counts[j][row[j]]
                    if told[j] == row[j]:
                        chance *= 1 - error if others else 1.0
                    else:
                        chance *= error * counts[j][told[j]] / others
                total += chance / len(candidates)
    return total / n


def minimal_sets(truth: PlainEngine, names: Sequence[str], up_to: int) -> list[set[Row]]:
    """For each row the sets under which it is alone and no smaller one of which does."""
    views = [view for size in range(1, up_to + 1) for view in combinations(names, size)]
    crowds = {view: truth.crowd_of_each(view) for view in views}
    found: list[set[Row]] = []
    for row in range(len(truth.rows())):
        alone = (
            [view for view in views if crowds[view][row] == 1] if truth.people_of(row) == 1 else []
        )
        found.append({v for v in alone if not any(set(w) < set(v) for w in alone)})
    return found
