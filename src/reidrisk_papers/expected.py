"""What a paper reports, as data: `expected.toml` in the paper's folder, never in code.

Each figure or table has a title, what the paper did, how it is rerun here, and the values it
reports. A value is an interval: `between` two numbers, `below` or `above` one, or `about` one, give
or take `within`. Without any of these the paper gives no number, and nothing is judged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf, isfinite
from typing import Any

PAPERS = ("tfrr", "r3a", "koot", "attack")
_FORMS = ("number", "share", "count")


@dataclass(frozen=True)
class Expected:
    """One value of a paper: what it is of, where it lies, and how it is written."""

    key: str
    what: str
    low: float = -inf
    high: float = inf
    said: str = ""
    form: str = "number"
    headline: bool = False

    @property
    def given(self) -> bool:
        """Whether the paper gives a number."""
        return isfinite(self.low) or isfinite(self.high)

    def holds(self, value: float | tuple[float, float]) -> bool | None:
        """Whether a value, or a whole range, lies where the paper says."""
        if not self.given:
            return None
        least, most = value if isinstance(value, tuple) else (value, value)
        return bool(self.low <= least and most <= self.high)

    def written(self, value: float | tuple[float, float]) -> str:
        """A value in this figure's form."""
        if isinstance(value, tuple):
            return " to ".join(self.written(each) for each in value)
        if self.form == "share":
            return f"{value * 100:.1f} %"
        if self.form == "count":
            return f"{value:,.0f}"
        return f"{value:.4f}" if 1e-3 <= abs(value) < 1e3 else f"{value:.3g}"


@dataclass(frozen=True)
class Reported:
    """One figure or table of a paper."""

    key: str
    title: str
    did: str
    ran: str
    expected: Mapping[str, Expected]


@dataclass(frozen=True)
class Paper:
    """A paper: its title, where it is published, and its figures in order."""

    key: str
    title: str
    reference: str
    reported: Mapping[str, Reported]


@cache
def paper(key: str) -> Paper:
    """The paper's own figures, read from its folder."""
    place = files("reidrisk_papers") / key / "expected.toml"
    held = tomllib.loads(place.read_text(encoding="utf-8"))
    figures = {name: _reported(name, each) for name, each in held["figures"].items()}
    return Paper(key, held["title"], held["reference"], figures)


def _reported(key: str, held: Mapping[str, Any]) -> Reported:
    values = held.get("expected", {})
    expected = {name: _expected(name, each) for name, each in values.items()}
    return Reported(key, held["title"], held["did"], held["ran"], expected)


def _expected(key: str, held: Mapping[str, Any]) -> Expected:
    unknown = set(held) - {
        "what", "between", "below", "above", "about", "within", "said", "form", "headline",
    }  # fmt: skip
    form = held.get("form", "number")
    if unknown or form not in _FORMS or ("about" in held) != ("within" in held):
        raise ValueError(f"expected.toml, {key}: {sorted(unknown) or form}")
    low, high = _interval(held)
    blank = Expected(key, held["what"], low, high, form=form)
    said = held.get("said", "") or _said(blank, held)
    return Expected(key, held["what"], low, high, said, form, held.get("headline", False))


def _interval(held: Mapping[str, Any]) -> tuple[float, float]:
    if "between" in held:
        low, high = held["between"]
        return float(low), float(high)
    if "about" in held:
        return held["about"] - held["within"], held["about"] + held["within"]
    return float(held.get("above", -inf)), float(held.get("below", inf))


def _said(value: Expected, held: Mapping[str, Any]) -> str:
    """The paper's value in a few characters."""
    if "between" in held:
        return value.written((value.low, value.high))
    if "about" in held:
        return value.written(float(held["about"]))
    if "below" in held:
        return f"below {value.written(value.high)}"
    if "above" in held:
        return f"above {value.written(value.low)}"
    return "–"
