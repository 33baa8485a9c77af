"""Households: the risk that at least one member is re-identified.

    r_household = 1 − Π_members (1 − r_i),   r_i = E[1/F] of member i

of the members that are in the sample, as if one were found independently of the others. It is the
risk of what is known of each by itself. Somebody who knows who lives together knows more.

People of one household share columns (district, income, often nationality), which makes cells
larger than columns of individuals foretell. That is told of a column where members of nine in ten
households of several people have one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.arrays import Codes, Floats, Mask
from reidrisk.samples.sampled_cells import CodesOfCells

MOST_SHARE = 0.9


@dataclass(frozen=True)
class Households:
    """How many there are, those of several people, the mean of their risks and of their members',
    the highest, and the columns that members share.
    """

    number: int
    of_several: int
    overall_risk: float
    highest_risk: float
    shared: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """As in JSON."""
        return {
            "number": self.number, "of_several": self.of_several,
            "overall_risk": self.overall_risk, "highest_risk": self.highest_risk,
            "shared_columns": list(self.shared),
        }  # fmt: skip


def risk_of_each(household: Codes, risk: Floats) -> Floats:
    """r of each person's household."""
    safe = np.log1p(-np.minimum(risk, 1.0 - 1e-15))
    _, place = np.unique(household, return_inverse=True)
    whole = np.bincount(place, safe)
    certain = np.bincount(place, risk >= 1.0) > 0
    return np.asarray(np.where(certain, 1.0, -np.expm1(whole))[place])


def households(
    household: Codes, risk: Floats, names: Sequence[str], codes: CodesOfCells
) -> Households:
    """Of records, their risks, and their codes in the columns."""
    _, first, place = np.unique(household, return_index=True, return_inverse=True)
    each = risk_of_each(household, risk)
    several = np.bincount(place) > 1
    return Households(
        len(first), int(several.sum()), float(each[first].mean()), float(each.max()),
        tuple(name for at, name in enumerate(names) if _is_shared(codes[:, at], place, several)),
    )  # fmt: skip


def _is_shared(codes: Codes, place: Codes, several: Mask) -> bool:
    """Whether nine in ten households of several people have one value; not one that all have."""
    if not several.any() or codes.min() == codes.max():
        return False
    low = np.full(len(several), np.iinfo(np.int64).max, dtype=np.int64)
    high = np.full(len(several), -1, dtype=np.int64)
    np.minimum.at(low, place, codes)
    np.maximum.at(high, place, codes)
    return float((low == high)[several].mean()) >= MOST_SHARE
