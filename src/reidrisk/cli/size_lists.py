"""Lists of sizes as they are written in options: 2-5,10."""

from __future__ import annotations

from reidrisk.errors import InputError

MOST_DIGITS = 16


def crowd_list(text: str | None) -> list[int] | None:
    """2-5,10 → 2, 3, 4, 5, 10."""
    return listed_sizes("--crowds", text, "write it as 2-5,10")


def listed_sizes(
    option: str, text: str | None, hint: str, widest: int = 10_000
) -> list[int] | None:
    """Sizes and ranges of them behind commas; a range reaches at most `widest` up."""
    if text is None:
        return None
    sizes: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not _is_size(low) or (dash and not _is_size(high)):
            raise InputError(f"{option} {text}: not a list of sizes", hint)
        if max(len(low), len(high)) > MOST_DIGITS:
            raise InputError(f"{option}: there are no crowds of so many people", hint)
        first, last = int(low), int(high) if dash else int(low)
        if first < 1 or last < first or last - first > widest:
            raise InputError(f"{option} {text}: sizes start at 1 and rise, 10,000 at most", hint)
        sizes.extend(range(first, last + 1))
    return sizes


def _is_size(text: str) -> bool:
    """Digits as everybody writes them: ² is one too."""
    return text.isascii() and text.isdigit()
