"""People drawn from a table, their true crowds, and their tuples as codes of its statistics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import reidrisk as rr
from reidrisk.prediction.value_places import ValuePlaces
from reidrisk.statistics.settling import Settled, settled


class DrawnPeople(NamedTuple):
    """What is published of a table, and some of its people: codes and true crowds."""

    settled: Settled
    codes: NDArray[np.int64]
    crowds: NDArray[np.int64]


def drawn_people(
    source: Any, columns: list[str], people: int, rng: np.random.Generator, pairs: str = "all"
) -> DrawnPeople:
    """Publish everything of a table, nothing folded, and draw people from it."""
    table = rr.read(source, columns=columns)
    known = settled(rr.publish(table, pairs=pairs, at_least=1))
    crowd = table.engine.crowd_of_each().read_all().column("crowd").to_numpy()
    rows = np.sort(rng.choice(len(crowd), min(people, len(crowd)), replace=False))
    texts = table.engine.texts_of_each(columns).read_all().take(rows).combine_chunks()
    places = [ValuePlaces(each, "member") for each in known.attributes]
    codes = [each.of(texts.column(each.attribute.name).chunk(0)) for each in places]
    return DrawnPeople(known, np.stack(codes, axis=1), crowd[rows])
