"""What published counts give away, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from reidrisk.publishing import DerivableCounts
from reidrisk.reports.words.blocks import agreed, listed, number

MOST_NAMED = 3


def derivable_sentences(found: DerivableCounts) -> list[str]:
    """Which small counts a file shows, and which that it hides can be derived from it."""
    small = f"of fewer than {number(found.below)} people"
    sentences = []
    if found.shown:
        shows = agreed(found.shown, f"count {small}", f"counts {small}")
        sentences.append(f"The file shows {shows}.")
    if not found.derived:
        sentences.append(
            f"No hidden count {small} could be derived from all tables together (tested by "
            "interval propagation, not proven)."
        )
    else:
        counts = agreed(found.derived, f"hidden count {small}", f"hidden counts {small}")
        sentences.append(
            f"{counts} can be derived exactly from several tables together: don't share this file "
            f"with anybody who may not know them. Most: {_most(found.by_pair)}."
        )
        if found.by_attribute:
            sentences.append(
                f"What helps most: {listed(list(found.by_attribute)[:MOST_NAMED])}; publish fewer "
                "two-way tables, or leave out attributes that follow from others."
            )
    if found.narrowed:
        more = agreed(found.narrowed, "more is narrowed down", "more are narrowed down")
        sentences.append(f"{more} to a few of these numbers.")
    if not found.complete:
        sentences.append(f"The test is incomplete: {found.limits}.")
    return sentences


def _most(by_pair: Mapping[tuple[str, str], int]) -> str:
    named = [
        f"{' with '.join(filter(None, pair))} ({number(count)})"
        for pair, count in list(by_pair.items())[:MOST_NAMED]
    ]
    return listed(named)
