"""A built page as a browser sees it: what it links to, what it loads, which anchors it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

# What a browser fetches by itself: {element: attribute}.
_LOADED = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src",
    "audio": "src", "embed": "src", "object": "data", "input": "src",
}  # fmt: skip
# A <link> that is only said, not fetched.
_ONLY_SAID = {"canonical", "prev", "next", "edit", "alternate"}


@dataclass
class BuiltPage:
    """What stands in a page."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


@cache
def built_page(path: Path) -> BuiltPage:
    """Read a page once; a file that isn't one has nothing."""
    reader = _Reader()
    if path.suffix == ".html":
        reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = BuiltPage(anchors={"", "top"})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element has."""
        given = {name: value or "" for name, value in attrs}
        for name in ("id", "name"):
            if name in given:
                self.page.anchors.add(given[name])
        if tag == "a" and given.get("href"):
            self.page.links.append(given["href"])
        if tag in _LOADED and given.get(_LOADED[tag]):
            self.page.loaded.append(given[_LOADED[tag]])
        if tag == "link" and not _ONLY_SAID & set(given.get("rel", "").split()):
            self.page.loaded.append(given.get("href", ""))
        self.page.loaded += [
            part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()
        ]
