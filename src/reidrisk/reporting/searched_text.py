"""What became of every view of a search, in words: counted, decided by which rule, open."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.reporting.wording import listed, number, share
from reidrisk.views.answers import Searched

MOST_REGIONS = 5
RULES = {
    "risky_subset": "see more than a risky view",
    "safe_superset": "see less than a safe view",
    "determined": "see a column that follows from another",
    "value_bound": "can't have enough crowds, by their values' counts",
    "product_bound": "can't have enough crowds, by their pairs'",
    "over_budget": "cost too much",
    "dominated": "can't reach more than a cheaper view",
}
_NUMBERS = ("expected_reidentifications", "distinct", "smallest_crowd")


def figure(measure: str, value: float | None) -> str:
    """A measure's value: shares as per cent, counts as numbers."""
    if value is None:
        return "–"
    return number(value) if measure in _NUMBERS else share(value)


def what_became(searched: Searched, measure: str) -> list[str]:
    """Counted, pruned by which rule, open."""
    beside = f" ({number(searched.ceilings)} more as bounds)" if searched.ceilings else ""
    told = [f"Of {number(searched.views)} views {number(searched.counted)} were counted{beside}."]
    pruned = [
        f"{number(searched.pruned[rule])} {RULES[rule]}"
        for rule in RULES
        if rule in searched.pruned
    ]
    if pruned:
        told.append(f"Decided without counting: {'; '.join(pruned)}.")
    if not searched.complete:
        told.append(f"Not decided when it had to stop: {number(searched.open_views)} views.")
    for region in searched.open[:MOST_REGIONS]:
        told.append(
            f"– {number(region.views)} with {listed([*region.sees, _any_of(region.any_of)])}: "
            f"{measure} between {figure(measure, region.low)} and {figure(measure, region.high)}."
        )
    if len(searched.open) > MOST_REGIONS:
        told.append(f"– and {len(searched.open) - MOST_REGIONS} more such groups (see --json).")
    return told


def _any_of(names: Sequence[str]) -> str:
    some = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    return f"any of {some}" if len(names) > 1 else some
