"""Sums: a column of texts that adds others up, whichever mark its numbers have."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from reidrisk.compiling.grid import Row
from reidrisk.compiling.numerals import readings


def is_sum(body: Sequence[Row], total: int, others: Sequence[int]) -> bool:
    """Whether a column is the sum of others in every row; rows held back in part don't count."""
    texts = [row[at] for row in body for at in (total, *others)]
    width = len(others) + 1
    for reading in readings(texts):
        rows = [reading.numbers[at : at + width] for at in range(0, len(texts), width)]
        known = [
            [number for number in row if isinstance(number, Decimal)]
            for row in rows
            if all(isinstance(number, Decimal) for number in row)
        ]
        if known and all(row[0] == sum(row[1:]) for row in known):
            return True
    return False
