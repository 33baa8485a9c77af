"""The lock holds what is asked for; hooks, CI and releases do what the pages say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import reidrisk
from tests.house.test_makefile import recipe

packaging = pytest.importorskip("packaging.requirements")
ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
# Environments of their own: comparisons are with what others release today.
UNLOCKED = {"benchmark", "peers"}
PYTHONS = ["3.11.2", "3.11.9", "3.12.1", "3.13.0", "3.14.0"]


def asked() -> list[str]:
    """Every requirement of the product and of the extras that `make` installs."""
    extras = PROJECT["optional-dependencies"]
    named = [each for name in extras if name not in UNLOCKED for each in extras[name]]
    return [each for each in [*PROJECT["dependencies"], *named] if not each.startswith("reidrisk")]


def locked(python: str) -> dict[str, str]:
    """{package: version} that the lock gives on Linux with this Python."""
    here = {
        "python_full_version": python,
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    read = [packaging.Requirement(line) for line in lines]
    meant = [each for each in read if each.marker is None or each.marker.evaluate(here)]
    versions = {each.name: str(each.specifier).removeprefix("==") for each in meant}
    assert len(versions) == len(meant), "a package has two versions"
    return versions


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_holds_what_is_asked_for(python: str) -> None:
    versions = locked(python)
    for text in asked():
        requirement = packaging.Requirement(text)
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert name in versions, f"{text} isn't locked: make lock"
        assert requirement.specifier.contains(versions[name]), f"{text}: make lock"


def test_every_extra_is_locked_or_said_not_to_be() -> None:
    (command,) = (line for line in recipe("lock") if "pip compile" in line)
    named = set(re.findall(r"--extra (\S+)", command))
    extras: dict[str, list[str]] = PROJECT["optional-dependencies"]
    # reidrisk[a,b] in an extra brings those.
    for requirement in [each for name in named for each in extras[name]]:
        found = re.match(r"reidrisk\[(.*)\]", requirement)
        named |= set(found[1].split(",")) if found else set()
    assert named == set(extras) - UNLOCKED


def test_the_lock_names_versions_alone() -> None:
    """No registry, no file of one machine; pip takes no extras in constraints."""
    for line in LOCK.splitlines():
        assert re.fullmatch(r"#.*|[a-z0-9-]+==[0-9][\w.+!]*( ; .+)?", line), line
    assert not re.search(r"://|--|\[", LOCK)


def test_hooks_run_what_lint_runs() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    hooks = re.findall(r"^ +entry: (.+)$", text, re.MULTILINE)
    assert hooks == recipe("lint")[-3:]
    assert all(hook.startswith(".venv/bin/") for hook in hooks)
    assert set(re.findall(r"repo: (\S+)", text)) == {"local"}
    assert text.count("pass_filenames: false") == len(hooks)


def test_public_ci_calls_the_one_of_the_clone() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert re.findall(r"run: (.+)", text) == [".ci/run"]
    assert 'python: ["3.11", "3.13"]' in text
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert f'"{lowest}"' in text


def test_one_version_everywhere() -> None:
    version = reidrisk.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"reidrisk (version {version})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_each_server_has_one_process_and_a_cluster_is_for_slow_tests() -> None:
    """Also where a parameter alone says which server a test asks for."""
    speaking = re.compile(r"\bpostgres\b|\bcluster\b|\bobjects: Objects")
    modules = [p for p in (ROOT / "tests").rglob("test_*.py") if speaking.search(p.read_text())]
    asked = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
    asked += ["-p", "tests.house.test_habits", *map(str, modules)]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=ROOT, timeout=300)
    told = re.findall(r"^marked (\S+) (True|False) (.*)$", done.stdout, re.MULTILINE)
    assert {group for group, *_ in told} > {"postgres", "cluster", "objects"}
    for group, slow, name in told:
        if re.search(r"\[(.*-)?spark( csv)?[]-]", name):
            assert group == "cluster", name
        if re.search(r"\[(.*-)?postgresql[]-]", name):
            assert group == "postgres", name
        assert slow == "True" or group != "cluster", name


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where this module is a plugin: how each test is marked."""
    for item in session.items:
        group = item.get_closest_marker("xdist_group")
        slow = item.get_closest_marker("slow") is not None
        sys.stdout.write(f"marked {group.args[0] if group else 'none'} {slow} {item.nodeid}\n")
