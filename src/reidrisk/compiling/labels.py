"""Labels: what a row or column of a small table is called: a value, no value, or the total."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal

from reidrisk.compiling.words import is_missing, is_total, speaks_of_total
from reidrisk.engines.text_form import text_form
from reidrisk.statistics.statistics import Value


class Sum(Enum):
    """Stands where a total stands for a label."""

    ALL = "all"


Label = Value | Literal[Sum.ALL]
Place = tuple[Label, ...]


def labelled(texts: Iterable[str]) -> dict[str, Label]:
    """What each text of one side of a table stands for.

    "Total men and women" is the total where nothing else is; beside "Total" it is a value.
    """
    found = dict.fromkeys(texts)
    spoken = [text for text in found if speaks_of_total(text)]
    plain = any(is_total(text) for text in found)
    total = spoken[0] if len(spoken) == 1 and not plain else None
    return {text: Sum.ALL if text == total else _label(text) for text in found}


def _label(text: str) -> Label:
    if is_total(text):
        return Sum.ALL
    return None if is_missing(text) else text_form(text)
