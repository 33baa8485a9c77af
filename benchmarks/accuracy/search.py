"""Dangerous combinations from statistics alone, held against those counted in the records.

The rule: for each table, measure and allowable value, `search` is asked of the records and of what
can be published of all people (all pair tables, nothing folded), under three models, five drawn
tables each, seed 0. Every view of the columns is risky or safe by either; all thresholds are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import reidrisk as rr
from reidrisk.searches.lattice import Lattice
from reidrisk.searches.searched_tables import searchable

MODELS = ("independent", "tree", "pairwise")


class Searched(NamedTuple):
    """A public table, its columns, what a row stands for, and what is asked of it."""

    file: str
    columns: tuple[str, ...]
    people: str | None
    asked: tuple[tuple[str, tuple[float, ...]], ...]


TABLES = {
    "Adult": Searched(
        "adult/adult_arx.parquet",
        ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"),
        None,
        (("overall_risk", (0.01, 0.05, 0.2)), ("alone_share", (0.01, 0.05, 0.2))),
    ),
    "Belgium": Searched(
        "belgium_2015/belgium_2015.parquet",
        ("municipality", "age", "sex", "nationality", "civil_status"),
        "count",
        (("overall_risk", (0.001, 0.005, 0.01)), ("alone_share", (0.0001, 0.001, 0.003))),
    ),
}  # fmt: skip


def lines(data: Path, seed: int, names: Sequence[str] = tuple(TABLES)) -> Iterator[str]:
    """A table for each public one."""
    for named in names:
        table = TABLES[named]
        records = rr.read(data / table.file, columns=list(table.columns), count=table.people)
        yield from _of_table(named, table, records, seed)
        yield ""


def _of_table(named: str, table: Searched, records: rr.Table, seed: int) -> Iterator[str]:
    statistics = rr.publish(records, pairs="all", unprotected=True)
    yield f"| {named}: risky is | truly risky | " + " | ".join(
        f"{model}: found, added" for model in MODELS
    ) + " | smallest risky: truly, pairwise, both |"  # fmt: skip
    yield "|---" * (3 + len(MODELS)) + "|"
    drawn = {model: searchable(statistics, model=model, seed=seed) for model in MODELS}
    for measure, values in table.asked:
        for value in values:
            asked: dict[str, Any] = {"measure": measure, "allowable_risk": value}
            truth = rr.search(records, **asked)
            answers = {model: rr.search(drawn[model], **asked) for model in MODELS}
            yield comparison(measure, value, table.columns, truth, answers)


def comparison(
    measure: str, value: float, columns: Sequence[str], truth: Any, answers: dict[str, Any]
) -> str:
    """One line: how many risky views each model finds and adds."""
    lattice = Lattice.of_knowledge(columns)
    risky = _risky(lattice, truth)
    cells = []
    for found in answers.values():
        told = _risky(lattice, found)
        cells.append(f"{len(told & risky)} ({_share(told & risky, risky)}), {len(told - risky)}")
    smallest, predicted = (_smallest(each) for each in (truth, answers["pairwise"]))
    both = f"{len(smallest)}, {len(predicted)}, {len(smallest & predicted)}"
    views = f"{len(risky)} of {lattice.views}"
    return f"| {measure} > {value:g} | {views} | " + " | ".join(cells) + f" | {both} |"


def _share(found: set[int], of: set[int]) -> str:
    return f"{len(found) / len(of):.1%}" if of else "–"


def _smallest(found: Any) -> set[frozenset[str]]:
    return {frozenset(view.columns) for view in found.minimal_risky}


def _risky(lattice: Lattice, found: Any) -> set[int]:
    """Every view that sees all that a minimal risky one sees."""
    place = {name: at for at, name in enumerate(lattice.names)}
    border = [sum(1 << place[name] for name in view.columns) for view in found.minimal_risky]
    return {bits for bits in lattice.all_bits() if any(low & ~bits == 0 for low in border)}
