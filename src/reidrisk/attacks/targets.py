"""Targets: the people attacked, records or what statistics say of them, behind one face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from reidrisk.attacks.drawn_tables import DrawnTables, drawn_tables
from reidrisk.crowds import CrowdSizes
from reidrisk.engines import Table
from reidrisk.engines.codes_engine import CodesEngine
from reidrisk.engines.contract import Engine, Progress
from reidrisk.measuring.counted import entropy_of, envelope
from reidrisk.measuring.table_risk import TableRisk
from reidrisk.prediction.asking import Asked, asked_of_statistics
from reidrisk.prediction.table_prediction import predict
from reidrisk.prediction.viewing import seen_before, view_of
from reidrisk.statistics.settling import Settled

# Bands, levels, model, background: how statistics are seen.
Seen = tuple[Mapping[str, str], Mapping[str, str], str, Any]


class Targets:
    """The measures of all that is known (`view`), and where less of it is counted."""

    table: Table | None = None
    # Whether tables were drawn.
    drew = False

    def __init__(self, view: TableRisk) -> None:
        self.view = view

    @property
    def engine(self) -> Engine:
        """Records to play the attack on."""
        raise NotImplementedError

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        """The crowds of some of what is known."""
        return self.engine.crowd_sizes(columns)

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.engine.people

    @property
    def records(self) -> int:
        """How many rows have to be counted."""
        return self.engine.records

    @property
    def threads(self) -> int:
        """Cores to use."""
        return self.engine.threads if isinstance(self.engine, CodesEngine) else 1


class _Counted(Targets):
    """Records at hand."""

    def __init__(self, view: TableRisk, table: Table) -> None:
        super().__init__(view)
        self.table = table

    @property
    def engine(self) -> Engine:
        assert self.table is not None
        return self.table.engine


class _Predicted(Targets):
    """Only statistics; tables are drawn once they are needed."""

    def __init__(
        self, view: TableRisk, known: Settled, model: str, seed: int, tell: Progress
    ) -> None:
        super().__init__(view)
        self._asked = (known, model, seed)
        self._tell = tell

    @cached_property
    def _drawn(self) -> DrawnTables:
        known, model, seed = self._asked
        self.drew = True
        return drawn_tables(known, model, seed, progress=self._tell)

    @property
    def engine(self) -> Engine:
        return self._drawn.engines[0]

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        return self._drawn.crowd_sizes(columns)


def of_table(
    table: Table, names: Sequence[str], at_crowds: tuple[int, ...], progress: Progress
) -> Targets:
    """Count the crowds of what is known."""
    counted = table.engine.crowd_sizes(names)
    about = envelope("attack", table, names)
    entropy = entropy_of(table, counted, names)
    return _Counted(TableRisk(about, counted, entropy, at_crowds), table)


def of_statistics(
    asked: Asked,
    names: Sequence[str],
    at_crowds: tuple[int, ...],
    seen: Seen,
    seed: int,
    progress: Progress,
) -> Targets:
    """Predict the crowds of what is known."""
    bands, levels, model, background = seen
    view = predict(
        asked,
        columns=names,
        bands=bands,
        levels=levels,
        model=model,
        background=background,
        crowds=at_crowds,
        seed=seed,
        progress=progress,
    )
    behind = None if background is None else asked_of_statistics(background).statistics
    return _Predicted(
        _called_attack(view),
        seen_before(view_of(asked.statistics, names, bands, levels), behind),
        view.envelope.model or model,
        seed,
        progress,
    )


def _called_attack(view: TableRisk) -> TableRisk:
    return replace(view, envelope=replace(view.envelope, command="attack"))
