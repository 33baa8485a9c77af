"""The registry: which model answers which question, and which one `auto` is.

| model | table | person | group |
|---|---|---|---|
| independent | yes | yes | yes |
| tree | yes | yes | yes |
| pairwise | yes | yes | – its law is no product, so a group's sums over all tuples can't be had |
| triples | yes | yes | – as pairwise |
| pair | strongly dependent attributes (R3A) | the surest pair of values (TFRR) | – |
| groups, paper | – | TFRR's value groups; eqs. 10 and 11 as printed | – |
| shuffle | R3A as published | – | – |

`auto`, for all three:

- no pair table: `independent`, there is nothing else to go by;
- triple tables, and a table or a person is asked about: `triples`, which keeps them and all pair
  tables; a group's law is the tree's as below;
- pair tables that connect the attributes without a circle: `tree`, which keeps all of them and is
  the law of greatest entropy too;
- more, and a table is asked about: `pairwise`, which keeps all of them, unless they are too many to
  be fitted together in reasonable time; `tree` then;
- more, and a person or a group is asked about: `tree`. Its law of one crowd is exact and follows
  every number that hidden cells may be, where pairwise's is of second order and takes cells as they
  were filled in; what it leaves out makes risks come out too high (docs/accuracy.md); and it needs
  no fit, which takes pairwise ten seconds on six columns of a city, and again for every column that
  a person's answer leaves out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reidrisk.errors import InputError
from reidrisk.machine import Progress, no_progress
from reidrisk.models.as_published.semi_random import frequent_tuples
from reidrisk.models.as_published.shuffle import Shuffle
from reidrisk.models.contract import Model, Question
from reidrisk.models.forest import joined_edges
from reidrisk.models.independent import Independent
from reidrisk.models.knowledge import Knowledge
from reidrisk.models.pairwise import Pairwise
from reidrisk.models.strong_dependence import Pair, ValueGroups
from reidrisk.models.tree import Tree
from reidrisk.models.triples import Triples

LOG = logging.getLogger(__name__)
AUTO = "auto"
ASKED_FOR = "It was asked for."
# Pairwise rakes each table a dozen times over a million rows: 200 tables take half a minute.
MOST_PAIR_TABLES = 200
MOST_CELLS = 20_000_000


class Kind(NamedTuple):
    """The questions a model answers, and how it is fitted."""

    answers: tuple[Question, ...]
    fitted: Callable[[Knowledge, np.random.Generator, Progress, Question], Model]


def _shuffled(
    knowledge: Knowledge, rng: np.random.Generator, progress: Progress, _: Question
) -> Model:
    seed = int(rng.integers(1 << 32))
    return Shuffle.of(knowledge, frequent_tuples(knowledge), seed, progress=progress)


MODELS: dict[str, Kind] = {
    "independent": Kind(("table", "person", "group"), lambda known, *_: Independent.of(known)),
    "pair": Kind(("table", "person"), lambda known, *_: Pair.of(known)),
    "tree": Kind(("table", "person", "group"), lambda known, *_: Tree.of(known)),
    "pairwise": Kind(("table", "person"), lambda known, *how: Pairwise.of(known.of_pairs, *how)),
    "triples": Kind(
        ("table", "person"), lambda known, rng, progress, _: Triples.of(known, rng, progress)
    ),
    "groups": Kind(("person",), lambda known, *_: ValueGroups(known, "groups")),
    "paper": Kind(("person",), lambda known, *_: ValueGroups(known, "paper")),
    "shuffle": Kind(("table",), _shuffled),
}


def model_names(question: Question = "table") -> tuple[str, ...]:
    """What --model may be: the default first, then the models that answer the question."""
    return (AUTO, *(name for name, kind in MODELS.items() if question in kind.answers))


def checked_model(name: str, question: Question = "table") -> str:
    """The name, if such a model answers the question."""
    names = model_names(question)
    if name not in names:
        raise InputError(f"--model {name}: it is {', '.join(names[:-1])} or {names[-1]}")
    return name


class Chosen(NamedTuple):
    """A model and why it was chosen."""

    model: Model
    why: str


def chosen_model(
    knowledge: Knowledge,
    name: str = AUTO,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
    question: Question = "table",
) -> Chosen:
    """The model called `name`, fitted; `auto` chooses one for the question. Without pair tables
    every model of a person or a group is the independent one.
    """
    if knowledge.n < 1:
        raise ValueError("there is nobody to predict")
    kind, why = name, ASKED_FOR
    if name == AUTO or (question != "table" and not (knowledge.pairs or knowledge.triples)):
        kind, why = _choice(knowledge, question)
    model = MODELS[kind].fitted(knowledge, rng or np.random.default_rng(0), progress, question)
    # How the fit ended isn't asked here: some models draw tables to answer that.
    LOG.info("model %s: %s", kind, why)
    return Chosen(model, why)


def _choice(knowledge: Knowledge, question: Question) -> tuple[str, str]:
    tables = len(knowledge.pairs)
    if knowledge.triples and question != "group":
        triples = len(knowledge.triples)
        kept = "the three-way table" if triples == 1 else f"the {triples:,} three-way tables"
        return "triples", f"It keeps {kept}, which show what no two-way table does."
    if not tables:
        return "independent", "There are no pair tables, so nothing is known of dependence."
    if len(joined_edges(len(knowledge.names), knowledge.pairs)) == tables:
        held = "The one pair table is" if tables == 1 else f"All {tables} pair tables are"
        return "tree", f"{held} kept by a tree, which needs no fitting."
    if question != "table":
        return "tree", (
            f"Of {tables:,} pair tables, a tree of the most informative ones is used, which gives "
            f"the exact law of a {question} and, where it errs, risks that are too high."
        )
    cells = sum(cells.size for cells in knowledge.pairs.values())
    if tables > MOST_PAIR_TABLES or cells > MOST_CELLS:
        return "tree", (
            f"{tables:,} pair tables with {cells:,} cells are too many to fit together, so a tree "
            "of the most informative ones is used; --model pairwise insists."
        )
    return "pairwise", (
        f"No tree (decomposable model) reproduces all {tables:,} two-way tables; the log-linear "
        "model with all two-way interactions does."
    )
