"""A survey of the house: modules, lines, edges, cycles, and how many files a question touches.

    python -m tests.house.survey

An edge is an import from one room in another, those inside functions included; a name that comes
through a front door counts as an import of the module that defines it. A walk is one question
asked once everything is loaded; a file is on it when one of its functions is called.
"""

from __future__ import annotations

import ast
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import reidrisk

SOURCE = Path(reidrisk.__file__).resolve().parent
PACKAGE = SOURCE.name


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its name; a package is its ``__init__``."""
    named = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        named[".".join(part for part in parts if part != "__init__")] = path
    return named


def room(module: str) -> str:
    """The room a module lies in; a module beside the rooms is a room of its own."""
    return module.split(".")[1] if "." in module else ""


@cache
def front_door(package: str) -> dict[str, str]:
    """The names a package's front door offers, each with the module that defines it."""
    path = modules()[package]
    stub = path.with_suffix(".pyi")
    tree = ast.parse((stub if stub.exists() else path).read_text())
    offered = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            start = f"{package}." if node.level else ""
            module = start + (node.module or "")
            for alias in node.names:
                whole = f"{module.rstrip('.')}.{alias.name}"
                offered[alias.asname or alias.name] = whole if whole in modules() else module
    return offered


def _defined_in(module: str, name: str) -> str | None:
    if module not in modules():
        return None
    if f"{module}.{name}" in modules():
        return f"{module}.{name}"
    if modules()[module].name != "__init__.py":
        return module
    return front_door(module).get(name, module)


def imports(path: Path) -> Iterator[tuple[str, str, bool]]:
    """(module named, name taken from it, whether only when a function runs)."""
    tree = ast.parse(path.read_text())
    late = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", id(node) in late) for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name, id(node) in late) for alias in node.names)


@cache
def uses() -> Mapping[str, frozenset[str]]:
    """For each module those it imports from, wherever in it the import stands."""
    graph = {}
    for module, path in modules().items():
        named = ((whole, name) for whole, name, _ in imports(path) if whole.startswith(PACKAGE))
        known = {_defined_in(whole, name) for whole, name in named}
        graph[module] = frozenset(each for each in known if each and each != module)
    return graph


def edges() -> set[tuple[str, str]]:
    """(room, room it imports from)."""
    return {
        (room(module), room(other))
        for module, others in uses().items()
        for other in others
        if module != PACKAGE and room(module) != room(other)
    }


def cycles() -> list[list[str]]:
    """Modules that can be reached from themselves, those of one cycle together (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in sorted(uses()[module]):
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            together = [stack.pop()]
            while together[-1] != module:
                together.append(stack.pop())
            if len(together) > 1:
                found.append(sorted(together))

    for module in uses():
        if module not in order:
            visit(module)
    return found


def single_importers() -> list[str]:
    """Modules that exactly one other imports from."""
    importers: dict[str, set[str]] = {}
    for module, others in uses().items():
        for other in others:
            importers.setdefault(other, set()).add(module)
    return sorted(module for module, by in importers.items() if len(by) == 1)


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def walked(question: Callable[[], Any]) -> int:
    """How many of the product's files have a function that is called on the way to the answer."""
    question()
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and str(SOURCE) in code.co_filename:
            files.add(code.co_filename)

    sys.setprofile(note)
    threading.setprofile_all_threads(note) if sys.version_info >= (3, 12) else threading.setprofile(
        note
    )
    try:
        question()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return len(files)


def walks() -> dict[str, int]:
    """`measure`, `predict` and `search` as somebody types them, and one tick of the page."""
    folder = Path(tempfile.mkdtemp())
    table, statistics = folder / "people.csv", folder / "statistics.json"
    _quiet(["demo", "--seed", "1", "-o", str(table)])
    _quiet(["publish", str(table), "-o", str(statistics)])
    asked = {
        "measure": ["measure", str(table), "--columns", "postcode,age,sex"],
        "predict": ["predict", str(statistics), "--attributes", "county,age,sex"],
        "search": ["search", str(table), "--columns", "county,age,sex", "--allowable-risk", "0.01"],
    }
    found = {name: walked(lambda given=given: _quiet(given)) for name, given in asked.items()}
    return found | {"a tick of the page": walked(_tick(table))}


def _quiet(arguments: list[str]) -> None:
    """A command of the command line in this process, as its user would run it."""
    from tests.house.quietly import run_quietly

    run_quietly(arguments)


def _tick(table: Path) -> Callable[[], Any]:
    """One more attribute ticked on the page: its figures, as the browser asks for them."""
    from tests.house.quietly import ticking

    return ticking(table)


def main() -> None:
    """Print the survey."""
    paths = modules().values()
    print(f"modules                 {len(paths):>7,}")
    print(f"lines                   {sum(map(lines, paths)):>7,}")
    print(f"modules under 60 lines  {sum(lines(path) < 60 for path in paths):>7,}")
    print(f"edges between rooms     {len(edges()):>7,}")
    print(f"modules in cycles       {sum(map(len, cycles())):>7,}")
    print(f"with a single importer  {len(single_importers()):>7,}")
    for name, files in walks().items():
        print(f"files walked: {name:<18}{files:>3,}")


if __name__ == "__main__":
    main()
