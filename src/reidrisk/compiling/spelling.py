"""Spelling: the same value written differently in two tables, 20–24 and [20-25), is one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reidrisk.compiling.labels import Label
from reidrisk.statistics.matching import KnownValues
from reidrisk.statistics.statistics import Count

Margin = Mapping[Label, Count]


class Spelling:
    """How an attribute's own table spells its values."""

    def __init__(self, margin: Iterable[Label]) -> None:
        self._known = KnownValues([label for label in margin if isinstance(label, str)])

    def of(self, label: Label) -> Label:
        """The label as the attribute spells it; unchanged where it has no such value."""
        return self._known.same(label) if isinstance(label, str) else label


def margin_by(labels: Iterable[Label], margin: Margin) -> dict[Label, Count]:
    """A margin's counts under another table's labels; those it doesn't have are left out."""
    spelling = Spelling(margin)
    found = {label: spelling.of(label) for label in labels}
    return {label: margin[own] for label, own in found.items() if own in margin}
