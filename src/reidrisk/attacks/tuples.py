"""Tuples: the different tuples of a table as codes, and how many people hold each.

An attack is played on these: people who share a tuple can't be told apart by anything known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reidrisk.engines.coded_tuples import CodedTuples
from reidrisk.engines.codes_engine import CodesEngine
from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.contract import Engine
from reidrisk.engines.labelling import text_array
from reidrisk.errors import ContradictoryOptions, InputError

Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tuples:
    """Different tuples: column j's code of each, and the people of each, at least one.

    `counts[j]` says how many people hold each code of column j; a missing value is a code too.
    """

    columns: tuple[CodedColumn, ...]
    people: Whole
    counts: tuple[Whole, ...]

    @property
    def n(self) -> int:
        """All people."""
        return int(self.ends[-1])

    @cached_property
    def ends(self) -> Whole:
        """People up to and with each tuple: person i sits in the first tuple that ends above i."""
        return np.cumsum(self.people)

    @cached_property
    def each_alone(self) -> bool:
        """Whether every tuple is held by one person."""
        return bool((self.people == 1).all())

    def __len__(self) -> int:
        return len(self.people)

    def drawn(self, people: int, rng: np.random.Generator) -> Whole:
        """The tuples of people drawn with replacement, everybody as likely as everybody else."""
        return np.searchsorted(self.ends, rng.integers(0, self.n, people), side="right")

    def codes_of(self, places: Whole) -> list[NDArray[Any]]:
        """Each column's codes of some tuples."""
        return [column.codes[places] for column in self.columns]


def tuples_of_codes(coded: CodedTuples) -> Tuples:
    """From tuples listed once each, with their people."""
    assert coded.people is not None
    columns = tuple(
        CodedColumn(name, codes, text_array(map(str, range(len(held)))), np.append(held, 0))
        for name, codes, held in zip(coded.columns, coded.codes, coded.held, strict=True)
    )
    return Tuples(columns, coded.people, coded.held)


def tuples_of(engine: Engine, columns: Sequence[str], what: str) -> Tuples:
    """The different tuples of records; `what` is asked of them, for the words of a refusal."""
    refuse_several_rows(engine, what)
    if engine.seeing.missing == "wildcard":
        raise ContradictoryOptions(
            f"{what} and --missing wildcard can't both hold",
            "an empty cell would agree with every value, so who agrees on most isn't settled; "
            "use --missing own",
        )
    return tuples_of_codes(engine.coded_tuples(columns).each_once()[0])


def in_memory(engine: Engine, what: str) -> CodesEngine:
    """The records as codes, where they are; counting on disk can't be asked for them."""
    if not isinstance(engine, CodesEngine):
        if engine.name != "duckdb":
            raise InputError(
                f"{what} needs the records in memory, and with {engine.name} they stay where they "
                "are",
                "export the columns to a file first, if they may leave",
            )
        raise InputError(
            f"{what} needs the records in memory, and they are counted on disk",
            "use --engine codes, or give it more with --memory-limit",
        )
    return engine


def refuse_several_rows(engine: Engine, what: str) -> None:
    """A person of several rows has no one tuple."""
    if engine.seeing.person is not None:
        raise ContradictoryOptions(
            f"{what} and --person can't both hold",
            "with --person people have several rows, and no one tuple to match; measure, search "
            "and attack --knows alone count them",
        )
