"""The house: which room may know which, what is public, how long a module may be."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import reidrisk

SOURCE = Path(reidrisk.__file__).parent
ROOT = SOURCE.parents[1]
MODULES = sorted(SOURCE.rglob("*.py"))

# Left to right along the road: a room knows itself and those before it.
ROAD = ["version", "printable", "errors", "memory", "overwriting", "writing", "cores", "crowds",
        "laws", "engines", "models", "statistics", "compiling", "measuring", "prediction",
        "views", "attacks", "generalising", "reporting", "charts", "reports", "demonstration",
        "papers", "web", "cli"]  # fmt: skip
# Third-party libraries that only some modules may import, so that the others stay light.
KEPT_IN = {
    "duckdb": ["engines/duckdb_session.py", "engines/sources/json_lines.py"],
    "fastexcel": ["engines/sources/foreign.py"],
    "pyreadstat": ["engines/sources/foreign.py"],
    "pydantic": ["statistics/file_shape.py", "statistics/statistics_file.py"],
    "click": ["cli/"],
    "rich": ["cli/progress.py"],
    "altair": ["charts/theme.py"],
    "vl_convert": ["charts/drawing.py"],
    "jinja2": ["reports/html_page.py", "web/page_routes.py"],
    "starlette": ["web/"],
    "uvicorn": ["web/serving.py"],
    "pandas": [],
    "polars": [],
    "sqlalchemy": ["engines/elsewhere/database_"],
    "psycopg": ["engines/elsewhere/database_opening.py"],
    "pyspark": ["engines/elsewhere/spark_connecting.py"],
    "scipy": ["laws/binomial_form.py", "statistics/two_way.py"],
}


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, whether it is imported when the module is loaded)."""
    tree = ast.parse(path.read_text())
    late = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(outer)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) not in late) for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, id(node) not in late))
    return found


def room(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_rooms_know_only_those_to_their_left(path: Path) -> None:
    if room(path) == "__init__":
        return
    place = ROAD.index(room(path))
    for module, at_once in imports(path):
        if module.startswith("reidrisk.") and at_once:
            assert ROAD.index(module.split(".")[1]) <= place, f"{module} lies to the right"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_libraries_are_kept_in_their_rooms(path: Path) -> None:
    name = str(path.relative_to(SOURCE))
    for module, _ in imports(path):
        library = module.split(".")[0]
        if library in KEPT_IN:
            assert any(name.startswith(allowed) for allowed in KEPT_IN[library]), module


@pytest.mark.parametrize("path", sorted((SOURCE / "papers").rglob("*.py")), ids=str)
def test_papers_use_public_names_alone(path: Path) -> None:
    """What a paper's rerun computes, anybody can; only showing it borrows from the report."""
    shown_with = ("reidrisk_papers", "reidrisk.charts", "reidrisk.reports")
    plain = {"reidrisk", "reidrisk.errors", "reidrisk.version", "reidrisk.output_files"}
    for module, _ in imports(path):
        if module.split(".")[0] == "reidrisk":
            assert module in plain or module.startswith(shown_with), module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_short_and_named_after_one_idea(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 250
    for part in path.relative_to(SOURCE).parts:
        assert part.removesuffix(".py") not in {"utils", "misc", "common", "helpers", "core"}
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_public_names() -> None:
    assert reidrisk.__all__ == sorted(reidrisk.__all__)
    assert reidrisk.__all__ == [
        "AttackRisk", "ColumnsProfile", "CrowdSizes", "Generalised", "GroupRisk", "Hierarchy",
        "PersonRisk", "PlanRisk", "RecursiveHypergeometric", "ReidriskError", "Report",
        "Reproduction", "Statistics", "Table", "TableRisk", "UniqueSets", "__version__", "attack",
        "city", "columns", "compile", "generalise", "group", "load_statistics", "measure", "people",
        "person", "plan", "predict", "publish", "random_table", "read", "report", "reproduce",
        "save_statistics", "search", "unique_sets", "write_group_file", "write_risk_file",
        "write_unique_sets",
    ]  # fmt: skip
    for name in reidrisk.__all__:
        assert getattr(reidrisk, name).__doc__
    modules = {path.stem for path in SOURCE.glob("*")}
    assert not modules & {name for name in reidrisk.__all__ if name != "__version__"}


def test_the_product_speaks_of_itself_alone() -> None:
    texts = [*MODULES, *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile"]
    texts += [*(ROOT / "documenting").glob("*.*"), ROOT / "mkdocs.yml"]
    for path in texts:
        assert not re.search(r"/work/|/root/|/tmp/", path.read_text()), path


@pytest.mark.parametrize("path", sorted((SOURCE / "cli").glob("*.py")), ids=lambda path: path.name)
def test_what_is_printed_goes_through_one_door(path: Path) -> None:
    """`speaking.say` shows control characters and hides passwords; nothing is printed beside it."""
    if path.name != "speaking.py":
        assert not re.search(r"\bclick\.(s?echo|secho)\(|\bprint\(", path.read_text())
