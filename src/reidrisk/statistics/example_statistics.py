"""A small statistics file to start from: made up, consistent, with one of everything."""

from __future__ import annotations

from reidrisk.statistics.statistics import Attribute, Other, PairCounts, Statistics


def example_statistics() -> Statistics:
    """A club of a hundred: two attributes, values merged into other, a two-way table."""
    return Statistics(
        title="A club of a hundred, made up",
        records=100,
        attributes=(
            Attribute("sex", {"female": 52, "male": 48}),
            Attribute("age", {"18-24": 20, "25-44": 45, "45-64": 25}, 2, Other(8, 2)),
        ),
        pairs=(
            PairCounts(
                ("sex", "age"),
                {
                    ("female", "18-24"): 12,
                    ("female", "25-44"): 23,
                    ("female", "45-64"): 12,
                    ("male", "18-24"): 8,
                    ("male", "25-44"): 22,
                    ("male", "45-64"): 13,
                },
            ),
        ),
    )
