"""The house: which package may import which, what is public, how long a module may be."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import reidrisk
from tests.house import survey

SOURCE = Path(reidrisk.__file__).parent
ROOT = SOURCE.parents[1]
MODULES = sorted(SOURCE.rglob("*.py"))

# Modules beside the packages, which every package may use.
BESIDE = {
    "arguments", "arrays", "errors", "input_hash", "machine", "output_files", "printable",
    "version",
}  # fmt: skip
# Which packages a package may import from, in its functions too.
ALLOWED = {
    "crowds": set(),
    "laws": set(),
    "records": {"crowds"},
    "models": {"crowds", "laws"},
    "hierarchies": {"records", "statistics"},
    "learning": {
        "crowds", "hierarchies", "measurement", "models", "prediction", "records", "statistics",
    },
    "statistics": {"crowds", "laws", "models", "records"},
    "publishing": {"laws", "models", "records", "statistics"},
    "measurement": {"crowds", "models", "records", "statistics"},
    "republication": {"crowds", "measurement", "records", "statistics"},
    "samples": {"crowds", "laws", "measurement", "records", "statistics"},
    "linkage": {"crowds", "measurement", "records", "samples", "statistics"},
    "prediction": {
        "crowds", "laws", "measurement", "models", "publishing", "records", "samples",
        "statistics",
    },
    "searches": {
        "crowds", "hierarchies", "learning", "measurement", "models", "prediction", "records",
        "statistics",
    },
    "attacks": {
        "crowds", "learning", "measurement", "models", "prediction", "records", "samples",
        "statistics",
    },
    "generalisation": {
        "attacks", "crowds", "hierarchies", "learning", "models", "prediction", "records",
        "searches", "statistics",
    },
    "reports": {
        "attacks", "crowds", "generalisation", "hierarchies", "learning", "linkage",
        "measurement", "models", "prediction", "publishing", "records", "republication", "samples",
        "searches", "statistics",
    },
    "demo": {"measurement", "prediction", "publishing", "records", "reports", "statistics"},
    "web": {
        "crowds", "demo", "generalisation", "hierarchies", "learning", "measurement", "prediction",
        "publishing", "records", "reports", "samples", "searches", "statistics",
    },
    "cli": {
        "attacks", "crowds", "demo", "generalisation", "learning", "linkage", "measurement",
        "prediction", "publishing", "records", "reports", "republication", "samples", "searches",
        "statistics", "web",
    },
}  # fmt: skip
# Third-party libraries that only some modules may import, so that the others stay light.
KEPT_IN = {
    "duckdb": ["records/sql/duckdb_session.py", "records/files/json_lines.py"],
    "fastexcel": ["records/files/"],
    "pyreadstat": ["records/files/"],
    "pydantic": ["statistics/file_shape.py", "statistics/statistics_file.py"],
    "click": ["cli/"],
    "rich": ["cli/output.py"],
    "altair": ["reports/charts/drawing.py"],
    "vl_convert": ["reports/charts/drawing.py"],
    "jinja2": ["reports/document.py", "web/app.py"],
    "starlette": ["web/"],
    "uvicorn": ["web/server.py"],
    "pandas": [],
    "polars": [],
    "sqlalchemy": ["records/sql/database"],
    "psycopg": ["records/sql/database.py"],
    "pyspark": ["records/sql/spark_connection.py"],
    "scipy": [
        "laws/binomial_form.py",
        "laws/dirichlet_rows.py",
        "samples/",
        "statistics/two_way_sums.py",
        "models/drawn_tables.py",
    ],
    "lazy_loader": [
        "__init__.py",
        "reports/words/__init__.py",
        *(f"{package}/__init__.py" for package in ALLOWED),
    ],
}


@pytest.mark.parametrize("package", [*ALLOWED, *sorted(BESIDE)])
def test_packages_import_only_what_is_listed_for_them(package: str) -> None:
    used = {other for one, other in survey.edges() if one == package}
    assert used <= ALLOWED.get(package, set()) | BESIDE


def test_every_package_is_listed() -> None:
    assert {survey.room(module) for module in survey.modules()} <= {
        "",
        "__main__",
        *ALLOWED,
        *BESIDE,
    }


def test_no_module_is_reached_from_itself() -> None:
    assert survey.cycles() == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_imported_past_a_front_door(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0]
    for module, name, _ in survey.imports(path):
        parts = module.split(".")
        if parts[0] == "reidrisk" and len(parts) > 1 and parts[1] in ALLOWED and parts[1] != own:
            assert len(parts) == 2, f"{module} lies behind a front door"
            assert name in survey.front_door(module), f"{module} doesn't offer {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_outside_records_asks_which_engine_it_has(path: Path) -> None:
    """Engines are asked the questions of their contract, and answer alike."""
    if path.relative_to(SOURCE).parts[0] == "records":
        return
    engines = {
        node.name
        for module in (SOURCE / "records").rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Engine") and node.name != "Engine"
    }
    assert len(engines) > 3
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name | ast.Attribute | ast.alias):
            named = ast.unparse(node).split(".")[-1]
            assert named not in engines, f"line {node.lineno}: {named}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "hasattr"):
            first, second = map(ast.unparse, node.args)
            of_engine = first.split(".")[-1] in ("engine", "engines") or second.endswith("Engine")
            assert not of_engine, f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Compare):
            sides = map(ast.unparse, [node.left, *node.comparators])
            assert not any(side.endswith("engine.name") for side in sides), f"line {node.lineno}"


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_a_front_door_offers_what_others_use_and_no_more(package: str) -> None:
    folder = SOURCE / package
    offered = set(survey.front_door(f"reidrisk.{package}"))
    # What shows answers asks for these by the protocol `Renderer`.
    rendering = {"text", "headline", "html", "plot"} if package == "reports" else set()
    assert offered == set(import_module(f"reidrisk.{package}").__all__)
    hidden = {name for name in offered if (folder / f"{name}.py").exists()}
    itself = {
        name for name in hidden if survey.defined_in(f"reidrisk.{package}", name).endswith(name)
    }
    assert hidden == itself, "a module of that name would hide it"
    outside = [*ROOT.glob("src/**/*.py"), *ROOT.glob("benchmarks/**/*.py")]
    outside = [path for path in outside if folder not in path.parents]
    public = set(survey.front_door("reidrisk"))
    used = {name for path in outside for module, name, _ in survey.imports(path)
            if module == f"reidrisk.{package}"}  # fmt: skip
    manual = "".join(path.read_text() for path in ROOT.glob("docs/**/*.md"))
    for names in re.findall(rf"from reidrisk\.{package} import (.+)", manual):
        used |= set(names.split(", "))
    assert offered - public - rendering <= used


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_libraries_are_kept_in_their_rooms(path: Path) -> None:
    name = str(path.relative_to(SOURCE))
    for module, _, _ in survey.imports(path):
        library = module.split(".")[0]
        if library in KEPT_IN:
            assert any(name.startswith(allowed) for allowed in KEPT_IN[library]), module


PAPERS = SOURCE.parent / "reidrisk_papers"


@pytest.mark.parametrize("path", sorted(PAPERS.rglob("*.py")), ids=lambda path: path.stem)
def test_papers_use_public_names_alone(path: Path) -> None:
    """What a paper's rerun computes, anybody can; only showing it borrows from the report."""
    plain = {"reidrisk", "reidrisk.reports", *(f"reidrisk.{name}" for name in BESIDE)}
    for module, _, _ in survey.imports(path):
        if module.split(".")[0] == "reidrisk":
            assert module in plain, module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_short_and_named_after_one_idea(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    for part in path.relative_to(SOURCE).parts:
        assert part.removesuffix(".py") not in {"utils", "misc", "common", "helpers", "core"}
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_public_names() -> None:
    assert reidrisk.__all__ == sorted(reidrisk.__all__)
    assert reidrisk.__all__ == [
        "AttackRisk", "Attribute", "ColumnsProfile", "ContradictoryOptions", "CrowdSizes",
        "EngineFailure", "Generalised", "GroupRisk", "Hierarchy", "ImpossibleCounts",
        "InputError", "LearningPrediction", "LearningRisk", "LinkageRisk", "MissingExtra",
        "Other", "OutOfRoom", "PairCounts", "PersonRisk", "PlanRisk", "PopulationRisk",
        "RecursiveHypergeometric", "ReidriskError", "ReleasesRisk", "Report", "Statistics",
        "Suppressed", "Table", "TableRisk", "TripleCounts", "UnansweredUnit", "UniqueSets",
        "UnknownColumn", "UnreadableInput", "UnusableColumn", "UnwritableOutput", "__version__",
        "attack", "city", "columns", "compile", "generalise", "group", "learn", "link",
        "load_statistics", "measure", "people", "person", "plan", "population", "predict",
        "publish", "random_table", "read", "releases", "report", "save_statistics", "search",
        "unique_sets", "write_group_file", "write_risk_file", "write_unique_sets",
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
    """`output.say` shows control characters and hides passwords; nothing is printed beside it."""
    if path.name != "output.py":
        assert not re.search(r"\bclick\.(s?echo|secho)\(|\bprint\(", path.read_text())
