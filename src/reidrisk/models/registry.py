"""Choosing a model by what is known, and saying why.

- no pair table: `independent`, there is nothing else to go by;
- pair tables that connect the attributes without a circle: `tree`, which keeps all of them and is
  the law of greatest entropy too;
- more: `pairwise`, which keeps all of them where a tree would drop some;
- more than pairwise can be fitted to in reasonable time: `tree`, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reidrisk.models.as_published.semi_random import frequent_tuples
from reidrisk.models.as_published.shuffle import Shuffle
from reidrisk.models.contract import Model
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pair import Pair
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.tree import Tree
from reidrisk.parallel import Progress, no_progress

# Pairwise rakes each table a dozen times over a million rows: 200 tables take half a minute.
MOST_PAIR_TABLES = 200
MOST_CELLS = 20_000_000


class Chosen(NamedTuple):
    """A model and why it was chosen."""

    model: Model
    why: str


def _of_kind(name: str, knowledge: Knowledge, rng: np.random.Generator, tell: Progress) -> Model:
    made: dict[str, Callable[[], Model]] = {
        "independent": lambda: Independent.of(knowledge),
        "pair": lambda: Pair.of(knowledge),
        "tree": lambda: Tree.of(knowledge),
        "pairwise": lambda: Pairwise.of(knowledge, rng, tell),
        "shuffle": lambda: Shuffle.of(
            knowledge, frequent_tuples(knowledge), int(rng.integers(1 << 32)), progress=tell
        ),
    }
    return made[name]()


NAMES = ("auto", "independent", "pair", "tree", "pairwise", "shuffle")


def chosen_model(
    knowledge: Knowledge,
    name: str = "auto",
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Chosen:
    """The model called `name`, fitted; `auto` chooses."""
    if knowledge.n < 1:
        raise ValueError("there is nobody to predict")
    rng = rng or np.random.default_rng(0)
    if name != "auto":
        return Chosen(_of_kind(name, knowledge, rng, progress), "It was asked for.")
    kind, why = _choice(knowledge)
    return Chosen(_of_kind(kind, knowledge, rng, progress), why)


def _choice(knowledge: Knowledge) -> tuple[str, str]:
    tables = len(knowledge.pairs)
    if not tables:
        return "independent", "There are no pair tables, so nothing is known of dependence."
    if not has_circle(knowledge):
        held = "The one pair table is" if tables == 1 else f"All {tables} pair tables are"
        return "tree", f"{held} kept by a tree, which needs no fitting."
    cells = sum(cells.size for cells in knowledge.pairs.values())
    if tables > MOST_PAIR_TABLES or cells > MOST_CELLS:
        return "tree", (
            f"{tables:,} pair tables with {cells:,} cells are too many to fit together, so a tree "
            "of the most telling ones is used; --model pairwise insists."
        )
    return "pairwise", f"A tree can't keep all {tables:,} pair tables; the pairwise law does."


def has_circle(knowledge: Knowledge) -> bool:
    """Whether the pair tables connect some attributes in more than one way."""
    tree_of = list(range(len(knowledge.names)))
    for i, j in knowledge.pairs:
        if tree_of[i] == tree_of[j]:
            return True
        old, new = tree_of[j], tree_of[i]
        tree_of = [new if each == old else each for each in tree_of]
    return False
