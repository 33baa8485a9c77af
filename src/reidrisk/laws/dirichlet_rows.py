"""Rows of a table, each drawn from chances of its own: what a sample of them says of the chances.

Symbols: row a of a sample has x_av people in cell v, n_a in all; q_av is what the row is expected
to look like, Σ_v q_av = 1. The row is multinomial, its chances drawn from a Dirichlet law of mean
q_a and strength β, so that

    ln P(x_a | β) = lnΓ(β) − lnΓ(n_a + β) + Σ_v [lnΓ(x_av + β q_av) − lnΓ(β q_av)] + constant
    E[chance of v | x_a, β] = (x_av + β q_av)/(n_a + β)

Rows differ in how strongly they resemble what is expected: all children are pupils, adults have any
occupation. So β is one of a grid, in shares w that the rows themselves tell (EM, from equal shares,
with as much as three rows of equal shares added), and the chances are means over what β may be:

    π_ag ∝ w_g P(x_a | β_g),   E[chance of v | x_a] = Σ_g π_ag (x_av + β_g q_av)/(n_a + β_g)

Where every row has all its people in one cell, and that is seen a hundred times over and more (a
postcode lies in one county), it is taken to be so always: chances of other cells are 0.

Where it fails: what is expected of a row is true of its mean only; two empty cells of a row, one
impossible and one missed by chance, get chances in proportion to q.
"""

from __future__ import annotations

import numpy as np

from reidrisk.arrays import Floats, Places

STRENGTHS = np.exp(np.linspace(-5.0, 8.0, 14))
ROUNDS, SETTLED = 200, 1e-4
# Rows of equal shares of all strengths that are added to those there are.
ADDED = 3.0
# People beyond the first of each row who all agree with it, from which on rows always do.
AGREEING = 100


def row_chances(row: Places, people: Floats, expected: Floats) -> Floats:
    """The chance of each cell within its row.

    Cells are listed: the row of each, how many people of the sample it holds, and q.
    """
    rows = int(row.max(initial=-1)) + 1
    totals = np.bincount(row, people, rows).astype(np.float64)
    if _always_one_cell(row, people, totals):
        return np.asarray(people / np.where(totals > 0.0, totals, np.inf)[row])
    strengths = _strength_shares(row, people, expected, totals)
    held = strengths / (totals[:, None] + STRENGTHS)
    own, prior = held.sum(axis=1), held @ STRENGTHS
    return np.asarray(people * own[row] + expected * prior[row])


def _always_one_cell(row: Places, people: Floats, totals: Floats) -> bool:
    filled = np.bincount(row, people > 0.0, len(totals))
    return bool(filled.max(initial=0.0) <= 1.0) and float(totals.sum() - filled.sum()) >= AGREEING


def _strength_shares(row: Places, people: Floats, expected: Floats, totals: Floats) -> Floats:
    """π, a row for each row."""
    log_likelihood = _log_likelihood(row, people, expected, totals)
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    shares: Floats = np.full(len(STRENGTHS), 1.0 / len(STRENGTHS))
    of_each: Floats = likelihood
    for _ in range(ROUNDS):
        of_each = likelihood * shares
        of_each /= of_each.sum(axis=1, keepdims=True)
        before = shares
        shares = (of_each.sum(axis=0) + ADDED / len(STRENGTHS)) / (len(totals) + ADDED)
        if np.abs(shares - before).max() < SETTLED:
            break
    return of_each


def _log_likelihood(row: Places, people: Floats, expected: Floats, totals: Floats) -> Floats:
    """ln P(x | β), a row for each row, a column for each strength."""
    from scipy.special import gammaln

    seen = np.flatnonzero((people > 0.0) & (expected > 0.0))
    at, held, means = row[seen], people[seen], expected[seen]
    found = np.empty((len(totals), len(STRENGTHS)))
    for place, strength in enumerate(STRENGTHS):
        cells = gammaln(held + strength * means) - gammaln(strength * means)
        found[:, place] = np.bincount(at, cells, len(totals))
        found[:, place] += gammaln(strength) - gammaln(totals + strength)
    return found
