"""Answer: what every result is. A number never travels alone.

The envelope says where an answer comes from and what it assumes. Answers compare by value (arrays
by their contents), pickle, and are shown by the renderer that is registered: results lie left of
`reports`, which shows them by their type, and the package, which may know every room, registers it.

Assumption: a statement an answer rests on, with what it is about and what it rules out. It reads as
its sentence; its key says which one it is, whatever names and numbers the sentence has. Two of
which one excludes the other can't stand in one answer.

RowUnit: what a row of the input stands for, and what has to be answered before figures are about
people. A row is one person, a number of people (``--count``), or one of several rows of a person
(``--person``). While columns speak against one person a row, and nobody has said which it is,
figures count rows, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

from reidrisk.errors import UnansweredUnit
from reidrisk.input_hash import keyed, sha256_of
from reidrisk.printable import json_text, shell_word
from reidrisk.version import __version__

About = Literal["table", "attacker", "person", "group", "statistics", "model"]


class Assumption(str):
    """A sentence; `key`, what it is `about`, and the keys of those it `excludes`."""

    key: str
    about: About
    excludes: frozenset[str]

    def __new__(
        cls, key: str, about: About, sentence: str, excludes: Iterable[str] = ()
    ) -> Assumption:
        """A sentence with what is to be known of it."""
        made = super().__new__(cls, sentence)
        vars(made).update(key=key, about=about, excludes=frozenset(excludes))
        return made

    @property
    def sentence(self) -> str:
        """The statement in full."""
        return str(self)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.key, self.about, str(self), self.excludes

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: an assumption can't be changed")


def assumed(key: str, about: About, sentences: Iterable[str]) -> tuple[Assumption, ...]:
    """One assumption that takes several sentences, as one for each column."""
    return tuple(Assumption(key, about, sentence) for sentence in sentences)


def subjects(assumptions: Iterable[Assumption]) -> tuple[str, ...]:
    """What they are about, each once: the table, the attacker."""
    return tuple(dict.fromkeys(f"the {each.about}" for each in assumptions))


Kind = Literal["row", "count", "person"]


@dataclass(frozen=True)
class LikelyUnit:
    """A column that says a row isn't one person: whose it is, or how many people it holds."""

    column: str
    kind: Literal["count", "person"]
    why: str


@dataclass(frozen=True)
class RowUnit:
    """What a row stands for; `stated` where the user said so, `likely` what speaks against it."""

    kind: Kind = "row"
    column: str | None = None
    stated: bool = False
    likely: tuple[LikelyUnit, ...] = ()

    @property
    def unanswered(self) -> bool:
        """Whether figures count rows that may not be people."""
        return not self.stated and bool(self.likely)

    @property
    def nouns(self) -> tuple[str, str]:
        """What the figures count: one, several."""
        return ("row", "rows") if self.unanswered else ("person", "people")

    @property
    def question(self) -> str:
        """What has to be answered; empty where nothing has."""
        if not self.unanswered:
            return ""
        return f"Is each row one person? {' '.join(each.why for each in self.likely)}"

    @property
    def warning(self) -> str:
        """The question, what the figures are meanwhile, and the options that answer it."""
        if not self.unanswered:
            return ""
        return f"{self.question} The figures below count rows, not people. {self.answers}"

    @property
    def answers(self) -> str:
        """The options that answer the question."""
        told = {"person": "a person may have several rows", "count": "a row stands for many people"}
        ways = [
            f"if {told[each.kind]}, add --{each.kind} {shell_word(each.column)}"
            for each in self.likely
        ]
        said = "; ".join([*ways, "if each row is one person, add --rows-are-people"])
        return said[0].upper() + said[1:] + "."

    def refuse_unanswered(self, what: str, answers: str = "") -> None:
        """`what` would promise something about people without knowing who they are.

        `answers` says where to answer; by default, the options that do.
        """
        if self.unanswered:
            said = f"{what} needs to know what a row stands for. {self.question}"
            raise UnansweredUnit(said, answers or self.answers)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "is": self.kind,
            "column": self.column,
            "stated": self.stated,
            "likely": [vars(each).copy() for each in self.likely],
        }


@dataclass(frozen=True)
class InputHash:
    """SHA-256 of files as they were when read; computed when first asked for.

    With `with_key` it is the HMAC of that under the user's own key.
    """

    paths: tuple[Path, ...] = ()
    when_read: tuple[str, ...] = ()
    # Known already, as of a table of the page that has been read.
    digest: str | None = None
    with_key: bool = False

    @cached_property
    def value(self) -> str | None:
        """None for a table in memory, and for files that have changed since they were read."""
        plain = self.digest or sha256_of(self.paths, self.when_read)
        return keyed(plain) if self.with_key else plain


@dataclass(frozen=True)
class Input:
    """What was read: its hash (computed when asked for), people and columns."""

    people: int
    columns: tuple[str, ...]
    hashed: InputHash = field(default_factory=InputHash)
    named: str = ""
    notes: tuple[str, ...] = ()
    # What a row of the table stands for; None where there is no row.
    unit: RowUnit | None = None

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the input's bytes; None for a table in memory."""
        return self.hashed.value

    @property
    def nouns(self) -> tuple[str, str]:
        """What is counted, one and several: a person, people; rows while that isn't settled."""
        return ("person", "people") if self.unit is None else self.unit.nouns

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        with_key = self.hashed.with_key
        return {
            "sha256": None if with_key else self.sha256,
            **({"keyed_sha256": self.sha256} if with_key else {}),
            "people": self.people,
            "columns": list(self.columns),
            "notes": list(self.notes),
            "unit": None if self.unit is None else self.unit.to_dict(),
        }

    def with_keyed_hash(self) -> Input:
        """The same with a hash that only the holder of the key can check."""
        return replace(self, hashed=replace(self.hashed, with_key=True))


@dataclass(frozen=True)
class Envelope:
    """Where an answer comes from and what it assumes; contradictory assumptions are refused."""

    command: str
    origin: Literal["records", "statistics"]
    input: Input
    missing: str
    engine: str
    seed: int | None = None
    model: str | None = None
    assumptions: tuple[Assumption, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = {each.key for each in self.assumptions}
        for each in self.assumptions:
            if excluded := ", ".join(sorted(keys & each.excludes)):
                raise ValueError(f"{each.key} can't be assumed together with {excluded}")

    @property
    def unit_warning(self) -> str:
        """What stands above every figure where a row may not be a person; empty otherwise."""
        return "" if self.input.unit is None else self.input.unit.warning

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "command": self.command,
            "version": __version__,
            "from": self.origin,
            "input": self.input.to_dict(),
            "missing": self.missing,
            "engine": self.engine,
            "seed": self.seed,
            "model": self.model,
            "assumptions": [str(each) for each in self.assumptions],
            "warnings": [*filter(None, [self.unit_warning]), *self.warnings],
        }


def named(paths: Sequence[Path], form: str) -> str:
    """A table's file, or the first of its files and how many more."""
    if not paths:
        return f"the table from {form}"
    return paths[0].name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


class Renderer(Protocol):
    """Shows any answer by its type."""

    def text(self, answer: Any) -> str:
        """For a terminal, a log, `print`."""

    def headline(self, answer: Any) -> str:
        """What it comes to, and what it is about, in one line."""

    def html(self, answer: Any) -> str:
        """For a notebook; everything from the data is escaped."""

    def plot(self, answer: Any, what: str | None, width: int) -> Any:
        """One of its pictures, the first by default."""


_registered: list[Callable[[], Renderer]] = []


def register(renderer: Callable[[], Renderer]) -> None:
    """Who shows answers: called when one is shown, so that nothing is imported before."""
    _registered[:] = [renderer]


def renderer() -> Renderer:
    """Who shows answers."""
    return _registered[0]()


class Answer:
    """A result: its envelope and figures, as JSON, as text, in a notebook, as a picture.

    Subclasses are dataclasses with ``eq=False``: equality is that of `same`.
    """

    if TYPE_CHECKING:

        @property
        def envelope(self) -> Envelope:
            """Where it comes from and what it assumes."""

    def to_dict(self) -> dict[str, Any]:
        """As in JSON; the keys are fixed."""
        raise NotImplementedError

    def to_json(self) -> str:
        """One JSON object."""
        return json_text(self.to_dict())

    def plot(self, what: str | None = None, width: int = 640) -> Any:
        """An Altair chart; `what` names another than the first (a wrong name lists them).

        A notebook shows it as a drawing that needs no network.
        """
        return renderer().plot(self, what, width)

    def __init_subclass__(cls) -> None:
        # In the class itself, so that `dataclass` doesn't write one that lists every field.
        if "__repr__" not in vars(cls):
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {renderer().headline(self)}>"

    def __str__(self) -> str:
        return renderer().text(self)

    def _repr_html_(self) -> str:
        return renderer().html(self)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Answer) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def same(one: Any, other: Any) -> bool:
    """Equal by value: arrays by their contents, records field by field, NaN equal to itself."""
    # Not imported with the package: the command line sets up numpy first, or does without it.
    import numpy as np

    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        with_gaps = one.dtype.kind == "f" and other.dtype.kind == "f"
        return np.array_equal(one, other, equal_nan=with_gaps)
    if type(one) is not type(other):
        return not isinstance(one, Answer) and bool(one == other)
    if is_dataclass(one):
        names = [each.name for each in fields(one) if each.compare]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, partial):
        return one.func == other.func and same(
            (one.args, one.keywords), (other.args, other.keywords)
        )
    return bool(one == other) or bool(one != one and other != other)
