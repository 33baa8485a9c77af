"""How far the binomial form is off: TFRR's maximum probability difference, signed and absolute.

    MPD = max_k (f_B(k) − f_RH(k))                                             (TFRR eq. 2)

As printed it is signed, and the largest |f_B − f_RH| is usually where f_B is too low: both are
given, each with its k. The paper compares B(n_d, P_{d−1}), n_d the last attribute's count, and
reports 0 to 0.005 at N = 30,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reidrisk.laws.binomial_form import BinomialForm, Holder
from reidrisk.laws.recursive_hypergeometric import RecursiveHypergeometric


@dataclass(frozen=True)
class ProbabilityDifference:
    """max_k (f_B − f_RH) and max_k |f_B − f_RH|, and where they are."""

    signed: float
    signed_at: int
    absolute: float
    absolute_at: int


def maximum_probability_difference(
    n: float, counts: Sequence[float], holder: Holder = "last"
) -> ProbabilityDifference:
    """MPD between the binomial form and the exact law."""
    return difference_between(
        BinomialForm.of(n, counts, holder), RecursiveHypergeometric(n, counts)
    )


def difference_between(form: BinomialForm, law: RecursiveHypergeometric) -> ProbabilityDifference:
    """max_k (f_B − f_RH) and max_k |f_B − f_RH|.

    Both fall off outside the exact law's window, so one k beyond either end is enough.
    """
    low, exact = law.window()
    exact = np.concatenate([[0.0], exact, [0.0]])
    sizes = low - 1 + np.arange(len(exact))
    difference = form.pmf(sizes) - exact
    signed, absolute = int(np.argmax(difference)), int(np.argmax(np.abs(difference)))
    return ProbabilityDifference(
        float(difference[signed]),
        int(sizes[signed]),
        float(abs(difference[absolute])),
        int(sizes[absolute]),
    )
