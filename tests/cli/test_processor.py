"""Which processors get numpy's other sort; the switch must have an effect where it is set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ZEN4 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
OTHERS = {
    "intel": ZEN4.replace("AuthenticAMD", "GenuineIntel"),
    "zen 5": ZEN4.replace(": 25", ": 26"),
    "arm": "processor\t: 0\nBogoMIPS\t: 50.00\n",
}
SCRIPT = (
    "import os, sys, pathlib, reidrisk.machine as p\n"
    "p.sorting_fast(pathlib.Path(sys.argv[1]))\n"
    "print(os.environ.get('NPY_DISABLE_CPU_FEATURES', ''))\n"
    "import warnings; warnings.simplefilter('error', RuntimeWarning)\n"
    "import numpy; print(numpy.sort(numpy.array([3, 1, 2])).tolist())"
)


def switched(tmp_path: Path, described: str | None, **env: str) -> str:
    path = tmp_path / "cpuinfo"
    if described is not None:
        path.write_text(described)
    clean = {k: v for k, v in os.environ.items() if k != "NPY_DISABLE_CPU_FEATURES"} | env
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, env=clean
    )
    switch, ordered = done.stdout.splitlines()
    assert ordered == "[1, 2, 3]"
    return switch


def test_only_where_it_is_slow(tmp_path: Path) -> None:
    assert "AVX512F" in switched(tmp_path, ZEN4)
    assert switched(tmp_path, ZEN4, NPY_DISABLE_CPU_FEATURES="AVX2") == "AVX2"


@pytest.mark.parametrize("other", OTHERS)
def test_not_elsewhere(tmp_path: Path, other: str) -> None:
    assert switched(tmp_path, OTHERS[other]) == ""


def test_not_without_a_description(tmp_path: Path) -> None:
    assert switched(tmp_path, None) == ""
