"""Links lead somewhere, and the built pages load nothing from a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from documenting.links import (
    ROOT,
    anchors_of_markdown,
    faults_of_markdown,
    faults_of_site,
    markdown_pages,
    slug,
)

from tests.web.browsing import FLAGS, chromium_or_skip


@pytest.mark.parametrize("page", markdown_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_lead_somewhere(page: Path) -> None:
    assert list(faults_of_markdown(page)) == []


def test_anchors_are_those_of_a_forge() -> None:
    assert slug("Errors (`--errors e`)") == "errors---errors-e"
    assert slug("3. Tables you *published*") == "3-tables-you-published"
    assert slug("[How](x.md) it is") == "how-it-is"
    assert "structure" in anchors_of_markdown(ROOT / "CONTRIBUTING.md")


def test_broken_links_of_markdown_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("documenting.links.ROOT", tmp_path)
    page = tmp_path / "a.md"
    page.write_text(
        "# Here\n[a](a.md#here) [b](b.md) [c](a.md#there) [d](https://x.org/y) [e](htp:/x y)\n"
        '[f](ftp://x) `[not](one.md)`\n```\n[nor](this.md)\n```\n<img alt="g" src="g.png">\n'
    )
    assert [fault.split(": ", 1)[1] for fault in faults_of_markdown(page)] == [
        "b.md: no such file", "a.md#there: no such anchor", "ftp://x: not an address",
        "g.png: no such file",
    ]  # fmt: skip


def test_what_a_built_page_gets_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="https://cdn.org/x.css"><link rel="canonical" href="https://x.org">'
        '<script src="//cdn.org/x.js"></script><img src="gone.png" srcset="https://y.org/z.png 2x">'
        '<a href="#here">1</a><a href="b.html">2</a><a href="https://x.org">3</a><p id="there">'
    )
    (tmp_path / "x.css").write_text("@font-face { src: url('https://fonts.org/a.woff2') }")
    found = "\n".join(faults_of_site(tmp_path))
    faults = (
        "cdn.org/x.css from", "cdn.org/x.js from", "y.org/z.png from", "gone.png: no such",
        "#here: no such anchor", "b.html: no such file", "fonts.org/a.woff2 from",
    )  # fmt: skip
    for fault in faults:
        assert fault in found
    assert "canonical" not in found
    assert "x.org:" not in found


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    for module in ("mkdocs", "material"):
        pytest.importorskip(module, reason="pip install 'reidrisk[docs]'")
    site = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return site


def test_the_site_is_built_whole(built_site: Path) -> None:
    assert list(faults_of_site(built_site)) == []
    assert (built_site / "index.html").exists()


def test_a_browser_loads_nothing_from_elsewhere_and_finds(built_site: Path) -> None:
    """Opened as a file, without a server: pages load, search answers."""
    chromium = chromium_or_skip()
    from playwright.sync_api import sync_playwright

    asked: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.on("request", lambda request: asked.append(request.url))
        page.goto((built_site / "how-to" / "hospital.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.set_viewport_size({"width": 1300, "height": 900})
        # The index is made when the field is entered; what is typed before isn't looked for.
        page.locator(".md-search__input").click()
        page.get_by_text("Type to start searching").wait_for(state="attached")
        page.locator(".md-search__input").press_sequentially("equivalence class")
        page.locator(".md-search-result__link").first.wait_for(state="attached")
        browser.close()
    assert not [address for address in asked if not address.startswith(("file:", "data:"))]
