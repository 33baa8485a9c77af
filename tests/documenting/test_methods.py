"""One page a method: it names its modules, has symbols and a formula, and says where it fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documenting.examples import ROOT

import reidrisk

METHODS = ROOT / "docs" / "method"
SOURCE = Path(reidrisk.__file__).parent
PAGES = sorted(page for page in METHODS.glob("*.md") if page.stem not in ("index", "errata"))
MODELS = {"independent", "pair", "tree", "pairwise", "triples", "shuffle"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_method_is_explained_whole(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    first = text.split("\n\n")[1]
    assert first.startswith("Module"), "the first paragraph names the modules"
    assert "here it fails" in text
    assert "Symbols: " in text
    assert re.search(r"[=≤≥≈←]", text), "a formula"
    index = (METHODS / "index.md").read_text(encoding="utf-8")
    assert f"]({page.name})" in index, "the list of methods has it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_modules_named_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`reidrisk((?:\.\w+)+)`(?: \(([^)]*)\))?", text.split("\n\n")[1])
    assert paths
    for dotted, inside in paths:
        place = SOURCE.joinpath(*dotted.strip(".").split("."))
        assert place.is_dir() or place.with_suffix(".py").exists(), dotted
        folder = place if place.is_dir() else place.parent
        for name in re.findall(r"`(\w+)`", inside):
            assert (folder / f"{name}.py").exists(), name


def test_no_model_is_without_a_page() -> None:
    from reidrisk.models.registry import model_names

    assert set(model_names()) - {"auto"} == MODELS
    assert {page.stem for page in PAGES} >= MODELS


def test_the_menu_has_every_page() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert str(page.relative_to(ROOT / "docs")) in menu, page
