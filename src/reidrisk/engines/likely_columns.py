"""Likely columns: which columns are looked at when nobody says so, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence

from reidrisk.engines.roles import WEIGHT, Look
from reidrisk.engines.seeing import Seeing
from reidrisk.errors import UnusableColumn
from reidrisk.printable import shell_word


def likely_columns(looks: Sequence[Look], chosen: Seeing) -> tuple[Seeing, list[str]]:
    """All columns but those that are likely no quasi-identifiers, and sentences that say so."""
    candidates = [look.name for look in looks]
    left = [look for look in looks if look.left_out and look.name not in chosen.coarser]
    out = {look.name for look in left}
    kept = [name for name in candidates if name not in out]
    if not kept:
        raise UnusableColumn(
            "every column looks like an identifier, a free text or a measurement",
            f"say which to look at: --columns {','.join(candidates[:3])}",
        )
    warnings = [_left_out_sentence(left)] if left else []
    return chosen.looking_at(kept), warnings + _hints(looks, chosen)


def _left_out_sentence(left: Sequence[Look]) -> str:
    named = "; ".join(f"{look.name} ({look.role}: {look.why})" for look in left)
    return f"Not looked at: {named}. Name columns with --columns to look at them all the same."


def _hints(looks: Sequence[Look], chosen: Seeing) -> list[str]:
    return [
        f"If {look.name} is a survey weight, add --weight {shell_word(look.name)}."
        for look in looks
        if look.role == WEIGHT and not chosen.weight
    ]
