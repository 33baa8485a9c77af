"""Tables a report is tried on: safe, middling, bad, hostile, and one with planted rarities."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

import pyarrow as pa

import reidrisk as rr

SCRIPT = "<script>alert('x')</script>"
HOSTILE = {
    f"age{SCRIPT}": [f"{place % 3}{SCRIPT}" for place in range(60)],
    "a|b*c_d`e": [f"[x](javascript:{place % 5})|*_`" for place in range(60)],
    '"onload="x': [f'" onmouseover="{place % 7}' for place in range(60)],
}
# Held by one, two, three and four people; none may be told.
RARE = ("Zyzzogeton", "Quokkaville", "Xerxesdottir", "Wombatshire")


def safe() -> rr.Table:
    """Everybody is in a crowd of 250."""
    return rr.read({"sex": ["f", "m"] * 500, "county": (["a"] * 2 + ["b"] * 2) * 250})


def grouped() -> rr.Table:
    """Nobody is alone, six are in crowds of three."""
    return rr.read({"sex": ["f"] * 500 + ["m"] * 494 + ["x"] * 3 + ["y"] * 3})


def middling() -> rr.Table:
    """A few stand out."""
    return rr.read(rr.city(), columns=["county", "age", "occupation"])


def bad() -> rr.Table:
    """Nearly everybody is alone."""
    return rr.read(rr.city(2000), columns=["postcode", "age", "sex", "occupation"])


def planted() -> pa.Table:
    """987 people in crowds of 24 and 25; crowds of 1, 2, 3 and 4; three with an age of their own.

    So four are alone, which is too few to show.
    """
    rows = [(f"town{place % 4}", str(20 + place % 40), "fm"[place % 2]) for place in range(987)]
    rows += [(town, "30", "f") for people, town in enumerate(RARE, 1) for _ in range(people)]
    rows += [("town0", age, "f") for age in ("991", "992", "993")]
    towns, ages, sexes = zip(*rows, strict=True)
    return pa.table({"town": towns, "age": ages, "sex": sexes})


class Seen(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._hidden += tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text += data + "\n"

    def all(self, attribute: str) -> list[str]:
        """Every value of an attribute."""
        return [each[attribute] or "" for _, each in self.elements if attribute in each]
