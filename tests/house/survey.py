"""A survey of the house: modules, lines, edges, cycles, and how many files a question touches.

    python -m tests.house.survey

An edge is an import from one room in another, those inside functions included; a name that comes
through a front door counts as an import of the module that defines it. A walk is one question
asked once everything is loaded; a file is on it when one of its functions is called.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from types import FrameType

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


def defined_in(module: str, name: str) -> str | None:
    """The module that a name imported from another one is defined in."""
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
        known = {defined_in(whole, name) for whole, name in named}
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


class Walk:
    """The files whose functions are called while it is under way, in every thread begun since."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.under_way = False
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def files_of(self, question: Callable[[], object]) -> int:
        """How many of the product's files the question runs through, once all is loaded."""
        question()
        self.files.clear()
        self.under_way = True
        try:
            question()
        finally:
            self.under_way = False
        return len(self.files)

    def end(self) -> None:
        """Note nothing any more."""
        threading.setprofile(None)
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        called = self.under_way and event == "call" and code.co_name != "<module>"
        if called and code.co_filename.startswith(str(SOURCE)):
            self.files.add(code.co_filename)


def walks() -> dict[str, int]:
    """`measure`, `predict` and `search` as somebody types them, and one tick of the page."""
    walk = Walk()
    with tempfile.TemporaryDirectory() as folder:
        table, statistics = Path(folder) / "people.csv", Path(folder) / "statistics.json"
        answered("demo", "-o", table)
        answered("publish", table, "-o", statistics, "--columns", "county,age,sex,marital_state")
        asked = {
            "measure": ("measure", table, "--columns", "postcode,age,sex"),
            "predict": ("predict", statistics),
            "search": ("search", table, "--allowable-risk", "0.01", "--measure", "alone_share"),
        }
        found = {name: walk.files_of(partial(answered, *how)) for name, how in asked.items()}
        with ticked(table) as tick:
            found["a tick"] = walk.files_of(tick)
    walk.end()
    return found


def answered(*arguments: object) -> str:
    """What a command prints, run in this process."""
    from reidrisk.cli.main import reidrisk as command_line

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        command_line.main([str(each) for each in arguments], standalone_mode=False)
    return printed.getvalue()


@contextlib.contextmanager
def ticked(table: Path) -> Iterator[Callable[[], object]]:
    """One more attribute ticked on the page that holds this table, as the browser asks for it."""
    from starlette.testclient import TestClient

    from reidrisk.web import Settings
    from reidrisk.web.app import application

    settings = Settings()
    with TestClient(application(settings, ()), base_url="http://127.0.0.1:8000") as browser:
        session = {"X-Reidrisk-Session": settings.session}
        sent = browser.post(
            "/sources", content=table.read_bytes(), headers=session | {"X-File-Name": table.name}
        )
        source = sent.json()["id"]
        columns = iter([["county", "age"], ["county", "age", "sex"]])

        def tick() -> object:
            view = {"view": {"columns": next(columns)}}
            answer = browser.post(f"/sources/{source}/view", json=view, headers=session)
            assert answer.status_code == 200, answer.text
            return answer

        yield tick


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
