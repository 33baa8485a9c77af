"""The paper's attributes, subsets and dependences, and what stands in for them: stand_ins.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Attribute(NamedTuple):
    """One of table 3's attributes, and its stand-in; empty where there is none."""

    number: int
    name: str
    description: str
    stand_in: str
    how: str
    quick: str


@dataclass(frozen=True)
class StandIns:
    """Tables 3, 4 and 5 as data, with the mapping; subsets and pairs in the stand-ins' names."""

    population: Mapping[str, Any]
    generated: Mapping[str, Any]
    attributes: tuple[Attribute, ...]
    numbers: Mapping[int, tuple[int, ...]]
    strong: frozenset[int]
    gain_ratios: Mapping[tuple[str, str], float]

    @property
    def used(self) -> tuple[Attribute, ...]:
        """The nine attributes that subsets are made of."""
        return tuple(each for each in self.attributes if each.stand_in)

    @property
    def columns(self) -> tuple[str, ...]:
        """The stand-ins, in the paper's order."""
        return tuple(each.stand_in for each in self.used)

    @property
    def subsets(self) -> dict[int, tuple[str, ...]]:
        """Table 4: the columns of each data set, by its number."""
        name = {each.number: each.stand_in for each in self.attributes}
        return {key: tuple(name[each] for each in held) for key, held in self.numbers.items()}


@cache
def stand_ins() -> StandIns:
    """Read once."""
    place = files("reidrisk_papers.r3a") / "stand_ins.toml"
    held = tomllib.loads(place.read_text(encoding="utf-8"))
    attributes = tuple(Attribute(**each) for each in held["attributes"])
    columns = [each.stand_in for each in attributes if each.stand_in]
    ratios = {
        (of, on): ratio
        for of, row in zip(columns, held["dependence"]["gain_ratios"], strict=True)
        for on, ratio in zip(columns, row, strict=True)
    }
    subsets = held["subsets"]
    return StandIns(
        held["population"],
        held["generated"],
        attributes,
        {number: tuple(each) for number, each in enumerate(subsets["attributes"], 1)},
        frozenset(subsets["strong"]),
        ratios,
    )
