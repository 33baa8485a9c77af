"""The Makefile says what is missing and what it does, and installs what is locked."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
STUB = """#!/bin/sh
case "$2" in
  *version_info*) exit {old} ;;
  *ensurepip*) exit {bare} ;;
esac
echo "Python 3.9.2"
"""


@pytest.mark.parametrize(
    ("old", "bare", "words"),
    [(1, 0, "is Python 3.9.2; reidrisk needs Python 3.11"), (0, 1, "apt install python3-venv")],
)
def test_what_python_lacks(tmp_path: Path, old: int, bare: int, words: str) -> None:
    python = tmp_path / "python3"
    python.write_text(STUB.format(old=old, bare=bare))
    python.chmod(0o755)
    done = make(tmp_path, f"PYTHON={python}")
    assert done.returncode != 0
    assert words in done.stderr
    assert not (tmp_path / "venv").exists()


def test_no_python_at_all(tmp_path: Path) -> None:
    done = make(tmp_path, "PYTHON=no-such-python")
    assert "no-such-python isn't installed" in done.stderr


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "-C", str(ROOT), f"VENV={folder / 'venv'}", *arguments, "demo"],
        capture_output=True, text=True,
    )  # fmt: skip


def targets() -> set[str]:
    """What `make` can be asked for by name: its phony targets."""
    declared = re.search(r"^\.PHONY:((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    assert declared
    return set(declared[1].replace("\\", " ").split())


def recipe(target: str, *arguments: str) -> list[str]:
    """The commands that `make` would run, where everything is set up."""
    # Run by make itself, the options of the outer one would be heard.
    clean = {name: held for name, held in os.environ.items() if not name.startswith("MAKE")}
    asked = ["make", "--no-print-directory", "-C", str(ROOT), "--dry-run", *arguments, target]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env=clean)
    return done.stdout.replace("\\\n", " ").splitlines()


def test_help_names_every_target() -> None:
    told = {line.split()[2] for line in recipe("help") if line.startswith('echo "make ')}
    assert told == targets() - {"help"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "RELEASING.md", ".ci/run"])
def test_pages_name_targets_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^|&& |timeout \d+ )make ([a-z][a-z-]*)", text, re.MULTILINE))
    assert named
    assert named <= targets()


def test_fast_tests_leave_out_the_slow_ones_alone() -> None:
    (fast,) = (line for line in recipe("test") if " -m pytest " in line)
    (everything,) = (line for line in recipe("test-all") if " -m pytest " in line)
    assert fast == f'REIDRISK_EXAMPLES=20 {everything} -m "not slow"'
    assert "--numprocesses auto" in everything
    assert "--numprocesses 1 " in recipe("test-all", "WORKERS=1")[-1]


def test_what_is_installed_is_locked() -> None:
    """All but pip, the renewing itself, and the environment of comparisons."""
    for target in ("demo", "test", "lint", "engines", "docs"):
        lines = [line for line in recipe(target, "--always-make") if "pip install" in line]
        editable = [line for line in lines if "--upgrade pip" not in line]
        assert editable, target
        for line in editable:
            assert "pip install --quiet --constraint requirements.lock --editable" in line
    for line in (ROOT / ".ci" / "run").read_text().splitlines():
        if "pip install" in line:
            assert "--constraint requirements.lock" in line


def test_a_new_lock_is_installed() -> None:
    """Each environment's stamp is older than a lock that was renewed."""
    stamps = re.findall(r"^\$\(VENV\)/\.(\w+): (.*)$", MAKEFILE, re.MULTILINE)
    assert {name for name, _ in stamps} == {"product", "test", "lint", "docs", "lock"}
    for name, needed in stamps:
        assert ("$(LOCK)" in needed) == (name != "lock")
