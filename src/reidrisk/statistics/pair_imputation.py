"""Pair tables with gaps, completed: the unpublished cells share the remaining count.

Symbols: n_a and n_b the attributes' counts, x_ab a stated cell. In a whole table a cell that isn't
listed is nobody. In a part of one, r_a = n_a − Σ_b x_ab people of value a sit in cells that weren't
stated, c_b likewise; those cells get r_a·c_b in proportion, raked to r and c: the most even table
that agrees with what was stated. A cell known to be below a number holds somebody where the sums
leave room for that; where its share would come to more, it is a Poisson count of that mean given
that it is below (`below_a_number`). At last the table is raked to n_a and n_b, which
changes nothing unless counts were rounded. A cell that was worked out is an expectation: where it
comes to a whole number though the sums leave it a choice, it's kept off it by a hair, for no model
takes a number with a fraction for counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from reidrisk.arrays import Counts, Floats, Mask
from reidrisk.models import raked
from reidrisk.statistics.complete_counts import HiddenCells
from reidrisk.statistics.consistency import covers_everybody
from reidrisk.statistics.statistics import PairCounts, Suppressed, Value
from reidrisk.statistics.two_way_sums import cells_that_can_hold, fixed_cells

Side = tuple[Mapping[Value, int], Counts]

# As many cells as half a gigabyte holds; a larger table is left out, and said so.
MOST_CELLS = 64_000_000
CAPPING_ROUNDS = 5
CREEPS = 1e-8
WHOLE = 1e-6
HAIR = 1e-5


class CompletePair(NamedTuple):
    """The complete table, a row a value of the first side; what of it is hidden, what was assumed,
    and what to mind. No cells where it was left out.
    """

    cells: Floats | None
    hidden: HiddenCells | None
    said: list[str]
    warnings: list[str]


def completed_pair(
    pair: PairCounts, first: Side, second: Side, rounded_to: int | None
) -> CompletePair:
    """Complete a pair table; the sides are the values' places and the attributes' counts."""
    (rows, row_counts), (columns, column_counts) = first, second
    shape = (len(row_counts), len(column_counts))
    named = f"{pair.of[0]} with {pair.of[1]}"
    if shape[0] * shape[1] > MOST_CELLS:
        many = f"{shape[0] * shape[1]:,} possible cells"
        warnings = [f"{named}: with {many} the two-way table is too large and was left out."]
        return CompletePair(None, None, [], warnings)
    stated, open_, most, held_back = _stated(pair, rows, columns, shape, rounded_to)
    total = int(row_counts.sum())
    covered = covers_everybody(stated.sum(), len(pair.counts), total, rounded_to)
    if covered and not _lacks_people(
        stated, ~open_ | held_back, row_counts, column_counts, rounded_to
    ):
        # It covers everyone: what isn't listed is nobody, what was suppressed may be somebody.
        open_ = held_back
    least = np.zeros(shape)
    if not rounded_to:
        least = _least(stated, open_, most, row_counts, column_counts)
    filled = _filled(stated + least, least, open_, most, row_counts, column_counts)
    if rounded_to:
        filled = _reachable(filled, open_, row_counts, column_counts)
    sentences = [f"{named}: unpublished cells share the remaining count."] if open_.any() else []
    fit = raked(filled, row_counts.astype(np.float64), column_counts.astype(np.float64))
    if not fit.cells.sum() > 0:
        warnings = [f"{named}: its cells leave no room for anybody; it was left out."]
        return CompletePair(None, None, [], warnings)
    warnings = []
    if fit.off_by > 0.5:
        warnings.append(
            f"{named}: its rows don't fit the attributes' counts: they are off by "
            f"{fit.off_by:,.1f} people."
        )
    moved = float(np.abs(np.where(open_, 0.0, fit.cells - stated)).max(initial=0.0))
    if moved > 0.5 + (rounded_to or 0):
        warnings.append(
            f"{named}: published cells were changed by up to {moved:,.1f} people to fit the "
            "attributes' counts."
        )
    # Counts that raking moved by its last digits are whole numbers still.
    whole = np.rint(fit.cells)
    near = np.asarray(np.abs(fit.cells - whole) < WHOLE)
    cells = np.where(near, whole, fit.cells)
    hidden = None
    if open_.any() and not rounded_to:
        hidden = _hidden(stated, open_, (least, most), (row_counts, column_counts), cells)
        cells = np.where(near & hidden.hidden, whole + HAIR, cells)
    return CompletePair(cells, hidden, sentences, warnings)


def _least(stated: Floats, open_: Mask, most: Floats, rows: Counts, columns: Counts) -> Floats:
    """One person in each cell suppressed below a number, where the sums leave room for them."""
    least = np.where(open_ & np.isfinite(most) & (most >= 1.0), 1.0, 0.0)
    both = stated + least
    fits = np.all(both.sum(axis=1) <= rows) and np.all(both.sum(axis=0) <= columns)
    return least if fits else np.zeros_like(least)


def _hidden(
    stated: Floats,
    open_: Mask,
    limits: tuple[Floats, Floats],
    sums: tuple[Counts, Counts],
    cells: Floats,
) -> HiddenCells:
    """The open cells that the sums leave a choice, and between which numbers they lie."""
    left_rows = np.maximum(sums[0] - stated.sum(axis=1), 0.0)[:, None]
    left_columns = np.maximum(sums[1] - stated.sum(axis=0), 0.0)[None, :]
    choice: Mask = open_ & (left_rows > 0) & (left_columns > 0) & (cells > 0)
    if np.any(choice & (cells == np.rint(cells))):
        choice &= ~(fixed_cells(choice, choice) & (cells == np.rint(cells)))
    least, most = limits
    top = np.minimum(np.minimum(left_rows, left_columns), most)
    return HiddenCells(open_, choice, least, np.maximum(top, least), choice & np.isfinite(most))


def _lacks_people(
    stated: Floats, listed: Mask, rows: Counts, columns: Counts, rounded_to: int | None
) -> bool:
    """Whether a row or column lacks more people than rounding its cells can have hidden."""
    if not rounded_to:
        return False
    lines = ((rows, 1), (columns, 0))
    return any(
        bool(np.any(counts - stated.sum(axis) > (listed.sum(axis) + 1) * rounded_to / 2.0))
        for counts, axis in lines
    )


def _stated(
    pair: PairCounts,
    rows: Mapping[Value, int],
    columns: Mapping[Value, int],
    shape: tuple[int, int],
    rounded_to: int | None,
) -> tuple[Floats, Mask, Floats, Mask]:
    """The stated cells, which weren't, the most a cell may be, and which were suppressed.

    A nought that was rounded may be somebody: up to half a step. Cells of a value that nobody holds
    (a missing one that was rounded away) say nothing.
    """
    stated, most = np.zeros(shape), np.full(shape, np.inf)
    open_, held_back = np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for (a, b), count in pair.counts.items():
        if a not in rows or b not in columns:
            continue
        place = rows[a], columns[b]
        if isinstance(count, Suppressed):
            held_back[place] = True
            most[place] = np.inf if count.most is None else count.most
        elif count == 0 and rounded_to:
            held_back[place], most[place] = True, rounded_to / 2.0
        else:
            stated[place], open_[place] = count, False
    return stated, open_, most, held_back


def _filled(
    begun: Floats, least: Floats, open_: Mask, most: Floats, rows: Counts, columns: Counts
) -> Floats:
    """The stated cells with the open ones filled, which begin with the least they hold."""
    cells = begun.copy()
    free = open_.copy()
    endless = np.asarray(open_ & np.isinf(most))
    beside_unlimited = np.any(endless, axis=1, keepdims=True) & np.any(
        endless, axis=0, keepdims=True
    )
    for _ in range(CAPPING_ROUNDS):
        left_rows = np.maximum(rows - cells.sum(axis=1), 0.0)
        left_columns = np.maximum(columns - cells.sum(axis=0), 0.0)
        total = min(left_rows.sum(), left_columns.sum())
        if not free.any() or total <= 0:
            break
        left_rows *= total / left_rows.sum()
        left_columns *= total / left_columns.sum()
        share = _shared(free, left_rows, left_columns, total)
        full = most
        if least.any():
            full = np.where(beside_unlimited, below_a_number(least + share, least, most), most)
        over = free & (least + share > full)
        if not over.any():
            return cells + share
        # Those that would hold more than they may are capped; the rest again.
        cells[over] = full[over]
        free &= ~over
    return cells


def below_a_number(mean: Floats, least: Floats, most: Floats) -> Floats:
    """E[X given least ≤ X ≤ most], X Poisson of this mean; where there is no most, the mean."""
    means, (some,) = mean.copy(), np.nonzero(np.isfinite(most.ravel()))
    if some.size:
        low, high = least.ravel()[some], most.ravel()[some]
        number = np.arange(int(high.max()) + 1)
        log_weight = number * np.log(np.maximum(mean.ravel()[some], 1e-300))[:, None]
        log_weight -= np.concatenate([[0.0], np.cumsum(np.log(number[1:]))])
        within = (number >= low[:, None]) & (number <= high[:, None])
        log_weight = np.where(within, log_weight, -np.inf)
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        means.ravel()[some] = weight @ number / weight.sum(axis=1)
    return means


def _reachable(cells: Floats, open_: Mask, rows: Counts, columns: Counts) -> Floats:
    """Rows and columns that rounding left with nobody, though they have people, begin as chance
    would have them.
    """
    empty = (cells.sum(axis=1) == 0)[:, None] | (cells.sum(axis=0) == 0)[None, :]
    product = np.outer(rows, columns) / max(int(rows.sum()), 1)
    return np.where(empty & open_, product, cells)


def _shared(free: Mask, rows: Floats, columns: Floats, total: float) -> Floats:
    """What is left over in rows and columns, in proportion to their product.

    Raking creeps where the sums leave a cell no choice but 0: such cells are closed first.
    """
    start = np.outer(rows, columns) / total
    fit = raked(np.where(free, start, 0.0), rows, columns)
    if fit.off_by <= CREEPS * total:
        return fit.cells
    can = cells_that_can_hold(free, np.rint(rows).astype(int), np.rint(columns).astype(int))
    return raked(np.where(can, start, 0.0), rows, columns).cells
