"""What became of every view of a search, in words: counted, decided by which rule, open."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.crowds.measures import is_a_count
from reidrisk.reporting.wording import agreed, listed, number, share
from reidrisk.views.answers import Searched

MOST_REGIONS = 5
# What is said of one view, and of several.
RULES = {
    "risky_subset": ("sees more than a risky view", "see more than a risky view"),
    "safe_superset": ("sees less than a safe view", "see less than a safe view"),
    "determined": (
        "sees a column that follows from another", "see a column that follows from another",
    ),
    "value_bound": ("can't have enough crowds, by its values' counts",
                    "can't have enough crowds, by their values' counts"),
    "product_bound": ("can't have enough crowds, by its pairs'",
                      "can't have enough crowds, by their pairs'"),
    "over_budget": ("costs too much", "cost too much"),
    "dominated": ("can't reach more than a cheaper view",) * 2,
}  # fmt: skip


def figure(measure: str, value: float | None) -> str:
    """A measure's value: shares as per cent, counts as numbers."""
    if value is None:
        return "–"
    return number(value) if is_a_count(measure) else share(value)


def what_became(searched: Searched, measure: str) -> list[str]:
    """Counted, pruned by which rule, open."""
    beside = f" ({number(searched.ceilings)} more as bounds)" if searched.ceilings else ""
    counted = agreed(searched.counted, "was", "were")
    told = [f"Of {_views(searched.views)} {counted} counted{beside}."]
    pruned = [
        agreed(searched.pruned[rule], *RULES[rule]) for rule in RULES if rule in searched.pruned
    ]
    if pruned:
        told.append(f"Decided without counting: {'; '.join(pruned)}.")
    if not searched.complete:
        told.append(f"Not decided when it had to stop: {_views(searched.open_views)}.")
    for region in searched.open[:MOST_REGIONS]:
        told.append(
            f"– {number(region.views)} with {listed([*region.sees, _any_of(region.any_of)])}: "
            f"{measure} between {figure(measure, region.low)} and {figure(measure, region.high)}."
        )
    if len(searched.open) > MOST_REGIONS:
        told.append(f"– and {len(searched.open) - MOST_REGIONS} more such groups (see --json).")
    return told


def _views(amount: int) -> str:
    return agreed(amount, "view", "views")


def _any_of(names: Sequence[str]) -> str:
    some = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    return f"any of {some}" if len(names) > 1 else some
