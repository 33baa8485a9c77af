"""Two-way tables of whole numbers with known row and column sums: which cells these determine.

Given one table with these sums, a cell (i, j) can be another number just when a cycle of open cells
runs through it along which people can be moved: draw i → j for every open cell, and j → i where it
holds people. A cell lies on such a cycle exactly if i and j are in one strongly connected component
(Gusfield's condition) and, where it holds people, taking it away doesn't tear that component apart:
its own two arrows make no cycle (Boesch and Tindell, on bridges of mixed graphs). A table with the
sums is found as a maximum flow from rows to columns.
"""

from __future__ import annotations

import numpy as np

from reidrisk.arrays import Ints, Mask

# scipy's flows are 32-bit.
LARGEST_FLOW = (1 << 31) - 1


def fixed_cells(open_: Mask, holds: Mask) -> Mask:
    """Cells that no other table with the same sums has otherwise; `holds`: those with people."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = open_.shape
    to_column, to_row = np.nonzero(open_), np.nonzero(open_ & holds)
    start = np.concatenate([to_column[0], to_row[1] + rows])
    end = np.concatenate([to_column[1] + rows, to_row[0]])
    size = rows + columns
    graph = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(size, size))
    component = connected_components(graph, directed=True, connection="strong")[1]
    of_row, of_column = np.split(np.asarray(component), [rows])
    apart = of_row[:, None] != of_column[None, :]
    return np.asarray(apart | _bridges(open_ & ~apart))


def _bridges(cells: Mask) -> Mask:
    """Cells whose removal cuts rows and columns apart that only they connect.

    Along a spanning forest, a tree edge is a bridge just when no other edge leads from below it to
    above: random 64-bit numbers on the other edges cancel out in the exclusive-or over the vertices
    below (they fail to with a chance of 2^−64).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    rows, columns = cells.shape
    i, j = np.nonzero(cells)
    size = rows + columns
    graph = coo_array((np.ones(len(i), dtype=np.int8), (i, j + rows)), shape=(size, size)).tocsr()
    tree_of = connected_components(graph, directed=False)[1]
    parent = np.full(size, -1)
    order: list[int] = []
    for root in np.unique(tree_of, return_index=True)[1]:
        visited, before = breadth_first_order(graph, root, directed=False)
        parent[visited[1:]] = before[visited[1:]]
        order += visited.tolist()
    in_tree = (parent[i] == j + rows) | (parent[j + rows] == i)
    marks = np.random.default_rng(0).integers(1, 1 << 63, len(i), dtype=np.int64)
    below = np.zeros(size, dtype=np.int64)
    np.bitwise_xor.at(below, i[~in_tree], marks[~in_tree])
    np.bitwise_xor.at(below, j[~in_tree] + rows, marks[~in_tree])
    for vertex in reversed(order):
        if parent[vertex] >= 0:
            below[parent[vertex]] ^= below[vertex]
    bridges = np.zeros(cells.shape, dtype=bool)
    child = np.where(parent[i] == j + rows, i, j + rows)
    bridge = in_tree & (below[child] == 0)
    bridges[i[bridge], j[bridge]] = True
    return bridges


def cells_that_can_hold(open_: Mask, row_sums: Ints, column_sums: Ints) -> Mask:
    """Open cells in which somebody may sit; all of them where no table has these sums."""
    table = a_table(open_, row_sums, column_sums)
    if table is None:
        return open_
    determined = fixed_cells(open_, table > 0) & (table == 0)
    return np.asarray(open_ & ~determined)


def a_table(open_: Mask, row_sums: Ints, column_sums: Ints) -> Ints | None:
    """Some table of whole numbers in the open cells with these sums; None where there is none."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    total = int(row_sums.sum())
    if total != int(column_sums.sum()) or total > LARGEST_FLOW:
        return None
    rows, columns = open_.shape
    source, sink = rows + columns, rows + columns + 1
    i, j = np.nonzero(open_)
    start = np.concatenate([np.full(rows, source), i, rows + np.arange(columns)])
    end = np.concatenate([np.arange(rows), j + rows, np.full(columns, sink)])
    room = np.concatenate([row_sums, np.minimum(row_sums[i], column_sums[j]), column_sums])
    graph = coo_array((room.astype(np.int32), (start, end)), shape=(sink + 1, sink + 1)).tocsr()
    flow_table = maximum_flow(graph, source, sink)
    if flow_table.flow_value < total:
        return None
    table = np.zeros(open_.shape, dtype=np.int64)
    table[i, j] = np.asarray(flow_table.flow[i, j + rows]).ravel()
    return table
