"""The Makefile says what is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
