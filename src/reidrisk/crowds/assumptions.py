"""Assumption: a statement an answer rests on, with what it is about and what it rules out.

An assumption reads as its sentence; its key says which one it is, whatever names and numbers the
sentence has. Two of which one excludes the other can't stand in one answer (`Envelope`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NoReturn

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


def refuse_contradictions(assumptions: Iterable[Assumption]) -> None:
    """A ValueError where one of them excludes another."""
    listed = list(assumptions)
    keys = {each.key for each in listed}
    for each in listed:
        excluded = ", ".join(sorted(keys & each.excludes))
        if excluded:
            raise ValueError(f"{each.key} can't be assumed together with {excluded}")


def subjects(assumptions: Iterable[Assumption]) -> tuple[str, ...]:
    """What they are about, each once: the table, the attacker."""
    return tuple(dict.fromkeys(f"the {each.about}" for each in assumptions))
