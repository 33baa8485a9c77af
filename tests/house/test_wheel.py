"""The wheel, installed into an empty environment without the source tree."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.wheel
def test_commands_run_from_the_wheel(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {"reidrisk/py.typed", "reidrisk/statistics/statistics.schema.json"} <= inside
    assert {"reidrisk/reports/templates/report.html"} <= inside
    assert {"reidrisk/web/templates/page.html", "reidrisk/web/static/page.js"} <= inside
    assert not any(
        name.startswith(("tests/", "benchmarks/", "reidrisk_papers/")) for name in inside
    )
    venv.create(tmp_path / "empty", with_pip=True)
    bin_folder = tmp_path / "empty" / "bin"
    pip = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True, cwd=tmp_path)
    bare = {"PATH": f"{bin_folder}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path)}

    def said(*arguments: str) -> str:
        done = subprocess.run(
            ["reidrisk", *arguments], cwd=tmp_path, env=bare, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "With records:" in said("--help")
    assert "100,000 generated people" in said("demo", "-o", "city.csv")
    assert "To copy: reidrisk measure city.csv --columns" in said("columns", "city.csv")
    assert "are alone" in said("measure", "city.csv", "--engine", "duckdb")
    assert "people stand out" in said("report", "city.csv", "--columns", "age,sex,county")
    missing = subprocess.run(
        ["reidrisk", "measure", "none.xlsx"], cwd=tmp_path, env=bare, capture_output=True, text=True
    )
    assert missing.returncode == 2
    (tmp_path / "none.xlsx").write_bytes(b"PK")
    missing = subprocess.run(
        ["reidrisk", "measure", "none.xlsx"], cwd=tmp_path, env=bare, capture_output=True, text=True
    )
    assert "pip install 'reidrisk[formats]'" in missing.stderr
    papers = ["reidrisk", "reproduce", "attack", "--quick"]
    missing = subprocess.run(papers, cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert missing.returncode == 2
    assert "isn't part of this installation" in missing.stderr
    assert "clone it, run make demo" in missing.stderr
    page = ["reidrisk", "report", "city.csv", "-o", "report.html"]
    missing = subprocess.run(page, cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert missing.returncode == 2
    assert "pip install 'reidrisk[report]'" in missing.stderr
