"""PeopleInGroups: people who share some attributes more often than two-way tables show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PeopleInGroups:
    """D combinations of some attributes' values as published, and as many as two-way tables let
    expect; the share of small crowds that were counted as one of twice the size for it.
    """

    of: tuple[str, ...]
    combinations: int
    expected: float
    # Of a whole table's small crowds: nought where the model keeps what was published.
    merged_share: float = 0.0

    @property
    def sentence(self) -> str:
        """In one sentence."""
        names = f"{', '.join(self.of[:-1])} and {self.of[-1]}"
        return (
            f"People come in groups that share {names}, as households do: {self.combinations:,} "
            f"combinations where two-way tables let expect {self.expected:,.0f}."
        )

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "of": list(self.of),
            "combinations": self.combinations,
            "expected_combinations": self.expected,
            "merged_share": self.merged_share,
        }
