"""Drawn tables: where only statistics are known, tables to attack are drawn from their model.

The model is fitted once to all that is known; tables of n people drawn from it are counted like
records: knowing more never lowers a risk in them, which models refitted to each view don't promise.
A view's histogram is the mean over the tables; that of one attribute, or of two whose pair table
was counted, is read off the statistics, exactly.

Where it fails: tables drawn from the pairwise law have the pair counts nearly (`mending`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reidrisk import cores
from reidrisk.crowds import CrowdSizes
from reidrisk.engines.codes_engine import CodesEngine
from reidrisk.engines.coding import CodedColumn
from reidrisk.engines.labelling import text_array
from reidrisk.engines.seeing import Seeing
from reidrisk.models.choosing import chosen_model
from reidrisk.models.contract import Model, Progress, no_progress
from reidrisk.models.knowledge import Knowledge
from reidrisk.prediction.imputing import shared_anew
from reidrisk.statistics.settling import Settled

TABLES = 3
# A cell that isn't this close to a whole number was worked out, not counted.
WHOLE = 1e-9


@dataclass(frozen=True)
class DrawnTables:
    """Tables that have the statistics given, as far as the model knows."""

    knowledge: Knowledge
    engines: tuple[CodesEngine, ...]
    # Attributes with counts that the statistics hide: these aren't read off.
    hidden: frozenset[str] = frozenset()

    def crowd_sizes(self, columns: Sequence[str]) -> CrowdSizes:
        """The histogram of a view where it is known, else its mean."""
        stated = self._stated([self.knowledge.names.index(name) for name in columns])
        if stated is not None:
            return CrowdSizes.of(stated)
        part = 1 / len(self.engines)
        return CrowdSizes.mixed((part, engine.crowd_sizes(columns)) for engine in self.engines)

    def _stated(self, places: Sequence[int]) -> NDArray[np.int64] | None:
        """People per tuple of these attributes, where the statistics count them."""
        if any(self.knowledge.names[place] in self.hidden for place in places):
            return None
        if len(places) == 1:
            return self.knowledge.counts[places[0]]
        cells = self.knowledge.pair(*places) if len(places) == 2 else None
        if cells is None or np.abs(cells - np.rint(cells)).max() > WHOLE:
            return None
        return np.rint(cells).astype(np.int64).ravel()


def drawn_tables(
    known: Settled, model: str, seed: int, tables: int = TABLES, progress: Progress = no_progress
) -> DrawnTables:
    """Fit the model called `model` and draw tables of as many people as there are."""
    fitted = chosen_model(known.knowledge, model, np.random.default_rng(seed), progress).model
    streams = np.random.default_rng([seed, tables]).spawn(tables)
    engines = tuple(_drawn(fitted, known, stream) for stream in streams)
    return DrawnTables(known.knowledge, engines, frozenset(known.hidden))


def _drawn(model: Model, known: Settled, rng: np.random.Generator) -> CodesEngine:
    """One table, hidden counts shared out anew."""
    knowledge = model.knowledge
    rows = shared_anew(model.sample(knowledge.n, rng), known, rng)
    columns = {}
    for place, name in enumerate(knowledge.names):
        values = len(knowledge.counts[place])
        # One number is left over for the missing value, which is one of the values here.
        codes = rows[:, place].astype(np.min_scalar_type(values + 1))
        held = np.bincount(codes, minlength=values + 1)
        columns[name] = CodedColumn(name, codes, text_array(map(str, range(values))), held)
    seeing = Seeing(columns=tuple(columns))
    return CodesEngine(columns, seeing, knowledge.n, threads=cores.available())
