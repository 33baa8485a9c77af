"""How strongly the rows of a table resemble what is expected of them.

Row a of the table is multinomial, its chances drawn from a Dirichlet law of mean q_a and strength
β. The likelihood of β, sum by sum:

    Σ_a [lnΓ(β) − lnΓ(n_a + β) + Σ_v lnΓ(x_av + β q_av) − lnΓ(β q_av)]

Where it fails: a table of one person a row says nothing of β; it then ends at the largest tried,
or near what is usual.
"""

from __future__ import annotations

import numpy as np

from reidrisk.arrays import Floats

STRENGTHS = np.exp(np.linspace(-3.0, 10.0, 14))


def likeliest_strength(
    people: Floats, expected: Floats, usual: float | None = None
) -> tuple[float, float]:
    """β of the greatest likelihood, on a grid with a parabola at its top; and ln of the likelihood.

    With a `usual` strength, less ½(ln β − ln usual)².
    """
    from scipy.special import gammaln

    rows, columns = np.nonzero(people)
    held, means = people[rows, columns], expected[rows, columns]
    totals, many = np.unique(people.sum(axis=1), return_counts=True)
    found = np.empty(len(STRENGTHS))
    for at, strength in enumerate(STRENGTHS):
        of_rows = np.dot(many, gammaln(strength) - gammaln(totals + strength))
        of_cells = (gammaln(held + strength * means) - gammaln(strength * means)).sum()
        found[at] = of_rows + of_cells
    if usual is not None:
        found -= 0.5 * np.log(STRENGTHS / usual) ** 2
    best = int(np.argmax(found))
    if not 0 < best < len(found) - 1:
        return float(STRENGTHS[best]), float(found[best])
    low, top, high = found[best - 1 : best + 2]
    bend = min(low - 2.0 * top + high, -1e-12)
    step = 0.5 * (low - high) / bend
    strength = np.exp(np.log(STRENGTHS[best]) + step * np.log(STRENGTHS[1] / STRENGTHS[0]))
    return float(strength), float(top - 0.125 * (low - high) ** 2 / bend)
