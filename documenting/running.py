"""Running a command as a page shows it: in a folder of the page's own, its output as it is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reidrisk.publishing.key_file import made

COLUMNS = 100
CITY = ("postcode", "county", "age", "sex", "marital_state", "occupation")


class Said(NamedTuple):
    """What a command printed, both streams as a terminal mixes them, and its exit status."""

    text: str
    status: int


class Session:
    """An empty folder in which a page's commands are run one after the other, as in a shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        self.begun = False

    def run(self, command: str) -> Said:
        """Run a command; `echo $?` sees how the one before it ended."""
        if not self.begun and command.startswith("reidrisk demo"):
            said = self._begin(command)
        else:
            said = _run(f"(exit {self.status}); {command}", self.folder)
        self.begun = True
        self.status = said.status
        return said

    def _begin(self, command: str) -> Said:
        """Most pages begin by generating the same city, which needs to be done only once."""
        said, folder = _beginning(command)
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)
        # Published numbers are the same each time a page is run: the city's key is no secret.
        made(self.folder / "people.reidrisk-key", CITY, 5, bytes(range(32)))
        return said


@cache
def _beginning(command: str) -> tuple[Said, Path]:
    kept = Path(tempfile.mkdtemp(dir=_kept_folder().name))
    return _run(command, kept), kept


@cache
def _kept_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="reidrisk-pages-")


def _run(command: str, folder: Path) -> Said:
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=_environment(), text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return Said(done.stdout, done.returncode)


def _environment() -> dict[str, str]:
    """This Python's `reidrisk` first on the path; a terminal of a fixed width, without colour."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return dict(os.environ) | {
        "PATH": path,
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }
