"""Ours beside the paper's: a reason is given only where ours isn't as reported; shares in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from reidrisk_papers.expected import paper
from reidrisk_papers.figure import Ours, Value


def compared(figure: str, key: str, values: Iterable[Value | None], why: str = "") -> Ours:
    """Our values of a line, as published and improved if there is one; `why` is kept where the
    paper's own doesn't hold.
    """
    published, improved = (*values, None)[:2]
    expected = paper("tfrr").reported[figure].expected[key]
    holds = published is None or expected.holds(published) is not False
    return Ours(published, improved, "" if holds else why)


def per_cent(share: ArrayLike, digits: int = 0) -> str:
    """A share, the mean of several, or the share of yeses, within a text or a table."""
    return f"{100 * np.mean(np.asarray(share, dtype=float)):.{digits}f} %"
