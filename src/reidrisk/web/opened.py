"""Opened: a table or statistics the page holds, its attributes, and what of it a question sees.

Viewed: answers about views, remembered for a while; the one unasked for longest goes first.

Open sources: what the page holds, within limits; what wasn't asked for longest goes first.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from reidrisk.crowds import CrowdSizes, RowUnit
from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.hierarchies import coarser_ways
from reidrisk.measurement import measure
from reidrisk.prediction import LoadedStatistics, recoded_as, statistics_or_table
from reidrisk.records import (
    CONSTANT,
    MEASUREMENT,
    QUASI_IDENTIFIER,
    HeldRecords,
    ReadOptions,
    Table,
    hold,
    number_of,
    parsed_bands,
    parsed_digits,
)
from reidrisk.statistics import is_statistics_file
from reidrisk.web.answers import table_answer
from reidrisk.web.guard import Settings
from reidrisk.web.requests import ViewRequest

MOST_VIEWS = 64


@dataclass(frozen=True, eq=False)
class Viewed:
    """A view that was answered: what is told of it, and its crowds for the pictures."""

    told: dict[str, Any]
    crowds: CrowdSizes
    # Pictures that were drawn already, by name and width.
    pictures: dict[str, Any] = field(default_factory=dict)


class Views:
    """The views answered last; the one asked for longest ago goes first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Viewed] = OrderedDict()
        self._counting: dict[str, threading.Lock] = {}
        self._turn = threading.Lock()

    @contextmanager
    def turn(self, key: str) -> Iterator[None]:
        """Figures and pictures are asked for together: one of them counts, the others wait."""
        with self._turn:
            mine = self._counting.setdefault(key, threading.Lock())
        with mine:
            try:
                yield
            finally:
                self._counting.pop(key, None)

    def get(self, key: str) -> Viewed | None:
        """The answer, if it is still held."""
        with self._turn:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: str, viewed: Viewed) -> Viewed:
        """Hold an answer."""
        with self._turn:
            self._held[key] = viewed
            while len(self._held) > MOST_VIEWS:
                self._held.popitem(last=False)
        return viewed


MOST_CHOICES = 200  # More than a person looks through: then a value is typed.
# A column with more values than this isn't looked through for ways to see it coarser.
MOST_JUDGED = 50_000
TIMES_ITS_SIZE = 20


@dataclass(eq=False)
class Opened:
    """What the page may ask of whatever it holds."""

    held: Any
    title: str
    pinned: bool = False
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    views: Views = field(default_factory=Views)
    kind: ClassVar[str]

    @property
    def size(self) -> int:
        """Bytes held."""
        raise NotImplementedError

    def described(self) -> dict[str, Any]:
        """For the page: people, attributes, how each may be recoded."""
        raise NotImplementedError

    def source(self, view: ViewRequest) -> Any:
        """What a question is put to: the table, or the statistics, recoded so."""
        raise NotImplementedError

    def choices(self, column: str) -> list[str]:
        """An attribute's values; none where they are too many to be looked through."""
        raise NotImplementedError

    def packed(self) -> Any:
        """What a process of its own is given, to open it again."""
        raise NotImplementedError

    def _described(
        self,
        people: int,
        attributes: list[dict[str, Any]],
        warnings: tuple[str, ...] = (),
        unit: RowUnit | None = None,
    ) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "people": people,
            "attributes": attributes,
            "warnings": list(warnings),
            "unit": unit and unit.to_dict() | {"question": unit.question},
        }


def _attribute(name: str, values: int, texts: list[str], **differing: Any) -> dict[str, Any]:
    """For the page; `texts` are those judged for ways to recode them."""
    usual = {"kind": "", "ticked": True, "why": "", "usable": True, "measured": False}
    return {"name": name, "values": values, "ways": ways_of(name, texts)} | usual | differing


@dataclass(eq=False)
class OpenedTable(Opened):
    """Records held as codes."""

    held: HeldRecords
    kind = "records"

    @property
    def size(self) -> int:
        """Bytes held."""
        return self.held.size

    def described(self) -> dict[str, Any]:
        """For the page."""
        attributes = []
        for look in self.held.looks:
            column = self.held.coded.get(look.name)
            many = 0 if column is None else len(column.values)
            attributes.append(
                _attribute(
                    look.name,
                    many,
                    list(column.texts()) if column is not None and many <= MOST_JUDGED else [],
                    kind=look.kind,
                    ticked=look.role in (QUASI_IDENTIFIER, CONSTANT),
                    why=look.why if look.left_out else "",
                    usable=column is not None,
                    measured=look.role == MEASUREMENT,
                )
            )
        held = self.held
        return self._described(held.records, attributes, held.warnings, held.unit)

    def source(self, view: ViewRequest) -> Table:
        """The table recoded so, once it is known what a row stands for."""
        return counting_people(self.held.view(view.columns, **view.options))

    def viewed(self, view: ViewRequest) -> Viewed:
        """Count a view, or remember it."""
        with self.views.turn(view.key):
            known = self.views.get(view.key)
            if known is not None:
                return known
            risk = measure(self.source(view), dependence=False)
            return self.views.keep(view.key, Viewed(table_answer(risk), risk.crowd_sizes))

    def choices(self, column: str) -> list[str]:
        """Sorted; none where they are too many."""
        held = self.held.coded.get(column)
        return [] if held is None or len(held.values) > MOST_CHOICES else in_order(held.texts())

    def packed(self) -> HeldRecords:
        """The codes themselves."""
        return self.held


@dataclass(eq=False)
class OpenedStatistics(Opened):
    """Statistics, and the files they are in."""

    held: LoadedStatistics
    kind = "statistics"

    @property
    def size(self) -> int:
        """Bytes held, roughly: a cell takes about two hundred."""
        known = self.held.statistics
        cells = sum(each.cells for each in known.attributes)
        return 200 * (cells + sum(len(pair.counts) for pair in known.pairs))

    def described(self) -> dict[str, Any]:
        """For the page."""
        known = self.held.statistics
        attributes = [
            _attribute(
                each.name,
                len(each.counts) + (each.other.values if each.other else 0),
                list(each.counts),
            )
            for each in known.attributes
        ]
        return self._described(known.sample_of or known.records, attributes)

    def source(self, view: ViewRequest) -> LoadedStatistics:
        """The statistics recoded so."""
        return seen_statistics(self.held, view)

    def choices(self, column: str) -> list[str]:
        """The values listed, in their order."""
        listed = list(self.held.statistics.attribute(column).counts)
        return listed if len(listed) <= MOST_CHOICES else []

    def packed(self) -> list[str]:
        """The files."""
        return [str(path) for path in self.held.paths]


def counting_people(table: Table) -> Table:
    """The table, once it is known what a row stands for."""
    table.unit.refuse_unanswered("the page counts people, and", "answer its question first")
    return table


def seen_statistics(asked: LoadedStatistics, view: ViewRequest) -> LoadedStatistics:
    """What only a table can be asked is refused."""
    of_rows = view.count is not None or view.person is not None or view.rows_are_people
    if view.decimals or of_rows or view.sensitive or view.missing != "own":
        raise ContradictoryOptions(
            "decimals, empty cells, rows and sensitive columns are about records, and these are "
            "statistics"
        )
    return recoded_as(asked, view.columns, view.bands, view.levels)


def read_in(paths: list[Path], options: ReadOptions) -> HeldRecords | LoadedStatistics:
    """What is held of files of statistics, or of one table."""
    if all(map(is_statistics_file, paths)):
        _refuse_large(paths, options.bytes_allowed)
        asked = statistics_or_table([str(path) for path in paths])
        assert isinstance(asked, LoadedStatistics)
        return asked
    if len(paths) > 1:
        raise ContradictoryOptions("several files that aren't all statistics", "open one table")
    return hold(paths[0], options)


def _refuse_large(paths: list[Path], limit: int) -> None:
    """A statistics file takes some twenty times its size while it is checked."""
    size = sum(path.stat().st_size for path in paths)
    if TIMES_ITS_SIZE * size > limit:
        told = f"statistics of {size:,} bytes need more memory than is allowed"
        raise InputError(told, "start reidrisk serve with a larger --memory-limit")


def ways_of(name: str, values: list[str]) -> list[dict[str, str]]:
    """How an attribute may be seen coarser, in words."""
    parsed = {"bands": parsed_bands, "levels": parsed_digits}
    return [
        {"option": option, "how": how, "told": parsed[option](name, how).describe()}
        for option, how in coarser_ways(values)
    ]


def in_order(texts: Any) -> list[str]:
    """Numbers by size, then texts by letters."""

    def place(text: str) -> tuple[bool, float, str]:
        number = number_of(text)
        return number is None, 0.0 if number is None else number, text

    return sorted(texts, key=place)


class LetGo(InputError):
    """A table or statistics the page doesn't hold, or no longer."""

    kind = "let_go"

    def __init__(self) -> None:
        super().__init__("this table is no longer open", "open it again")


class OpenSources:
    """Tables and statistics by their ids. Those opened at the start stay."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._held: OrderedDict[str, Opened] = OrderedDict()
        self._folders: dict[str, Path] = {}
        self._turn = threading.Lock()

    def put(self, source: Opened, folder: Path | None = None) -> Opened:
        """Hold it, and the folder its files are in; let others go where there is no room."""
        with self._turn:
            self._held[source.id] = source
            if folder is not None:
                self._folders[source.id] = folder
            for other in self._too_many(source):
                self._drop(other)
        return source

    def get(self, key: str) -> Opened:
        """What was opened under this id."""
        with self._turn:
            if key not in self._held:
                raise LetGo
            self._held.move_to_end(key)
            return self._held[key]

    def close(self, key: str) -> None:
        """Let it go."""
        with self._turn:
            if key in self._held:
                self._drop(key)

    def __iter__(self) -> Iterator[Opened]:
        with self._turn:
            return iter(list(self._held.values()))

    def _too_many(self, newest: Opened) -> list[str]:
        """Ids that have to go, the longest unasked first; never the newest."""
        room = self._settings.memory_limit // 2
        loose = [each for each in self._held.values() if not each.pinned and each is not newest]
        size, many = sum(each.size for each in self._held.values()), len(self._held)
        going = []
        for each in loose:
            if size <= room and many <= self._settings.most_held:
                break
            going.append(each.id)
            size, many = size - each.size, many - 1
        return going

    def _drop(self, key: str) -> None:
        del self._held[key]
        folder = self._folders.pop(key, None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
