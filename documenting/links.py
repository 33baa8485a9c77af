"""Links that lead somewhere: in the pages as a code forge shows them, and in the built site.

    python -m documenting.links          README.md, docs/…: relative links and anchors
    python -m documenting.links site     the same in built pages; nothing comes from a network

Addresses elsewhere can't be tried offline: only how they are written is looked at.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from documenting.built_pages import built_page

ROOT = Path(__file__).resolve().parents[1]
Anchors = Callable[[Path], Collection[str]]
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
_IMAGE = re.compile(r'<img [^>]*src="([^"]+)"')
_HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
_ELSEWHERE = ("http", "https", "mailto")
# Characters of an address as RFC 3986 has them.
_WRITTEN = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")


def markdown_pages() -> list[Path]:
    """Those a code forge shows."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def faults_of_markdown(page: Path) -> Iterator[str]:
    """Every link of a page that leads nowhere."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in (*_LINK.findall(text), *_IMAGE.findall(text)):
        fault = _fault(target, page, ROOT, anchors_of_markdown)
        if fault:
            yield f"{page.relative_to(ROOT)}: {target}: {fault}"


@cache
def anchors_of_markdown(page: Path) -> frozenset[str]:
    """The anchors a forge gives the headings of a page."""
    if page.suffix != ".md":
        return frozenset()
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return frozenset(slug(heading) for heading in _HEADING.findall(text))


def slug(heading: str) -> str:
    """`## Errors (--errors e)` is #errors---errors-e."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def faults_of_site(site: Path) -> Iterator[str]:
    """Every link of a built page that leads nowhere, and everything loaded from elsewhere."""
    for page in sorted(site.rglob("*.html")):
        built = built_page(page)
        for target in built.loaded:
            if urlsplit(target).scheme in _ELSEWHERE or target.startswith("//"):
                yield f"{page.relative_to(site)}: loads {target} from a network"
        for target in (*built.links, *built.loaded):
            fault = _fault(target, page, site, lambda other: built_page(other).anchors)
            if fault:
                yield f"{page.relative_to(site)}: {target}: {fault}"
    for sheet in sorted(site.rglob("*.css")):
        for target in re.findall(
            r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^)'\"\s]+)", _text(sheet)
        ):
            yield f"{sheet.relative_to(site)}: loads {target} from a network"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _fault(target: str, page: Path, root: Path, anchors: Anchors) -> str | None:
    """What is wrong with a link; None if nothing is."""
    parts = urlsplit(target)
    if parts.scheme == "data":
        return None
    if parts.scheme or target.startswith("//"):
        right = (
            parts.scheme in _ELSEWHERE
            and _WRITTEN.fullmatch(target)
            and (parts.netloc or parts.path)
        )
        return None if right else "not an address"
    place = root if parts.path.startswith("/") else page.parent
    other = (place / unquote(parts.path).lstrip("/")).resolve() if parts.path else page
    if not other.exists():
        return "no such file"
    if parts.fragment and unquote(parts.fragment) not in anchors(other):
        return "no such anchor"
    return None


def main(arguments: Sequence[str]) -> int:
    """Say what is wrong, and whether anything is."""
    if arguments:
        found = list(faults_of_site(Path(arguments[0]).resolve()))
    else:
        found = [fault for page in markdown_pages() for fault in faults_of_markdown(page)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
