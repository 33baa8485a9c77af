"""Run a process to its end and say what it cost."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import struct_rusage
from typing import IO

RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # getrusage counts bytes there, KiB elsewhere.


class ChildError(Exception):
    """A process ended with a status other than 0."""


@dataclass(frozen=True)
class Run:
    """One finished process: seconds of wall and of CPU (user + system), peak bytes, output."""

    wall: float
    cpu: float
    peak: int
    output: str


def run(command: Sequence[str], scratch: Path) -> Run:
    """Run a command in a new folder inside `scratch`, where it may spill; raise if it fails.

    CPU and peak memory are the process's own and those of the children it waited for, from
    `wait4`. Output goes to a file, not a pipe: nothing has to be read while it runs.
    """
    with (
        tempfile.TemporaryDirectory(dir=scratch, prefix="run-") as folder,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
    ):
        start = time.perf_counter()
        child = subprocess.Popen(
            command, stdout=output, stderr=errors, cwd=folder, env=environment(scratch)
        )
        usage = wait(child)
        wall = time.perf_counter() - start
        if child.returncode != 0:
            raise ChildError(complaint(command, child.returncode, errors))
        cpu = usage.ru_utime + usage.ru_stime
        return Run(wall, cpu, usage.ru_maxrss * RSS_UNIT, from_start(output))


def wait(child: subprocess.Popen[bytes]) -> struct_rusage:
    """Wait for the end of a process and return what it used; kill it if interrupted."""
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        child.wait()
        raise
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage


def environment(scratch: Path) -> dict[str, str]:
    """Let every process keep its compiled bytecode in one folder, whatever the shell says.

    Otherwise a package that was never compiled (installed for editing, or under
    PYTHONDONTWRITEBYTECODE) would be compiled anew in each run, and pip's packages would not.
    """
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {"PYTHONPYCACHEPREFIX": str(scratch / "bytecode")}


def from_start(file: IO[str]) -> str:
    """Return all that was written to a temporary file."""
    file.seek(0)
    return file.read()


def complaint(command: Sequence[str], status: int, errors: IO[str]) -> str:
    """Say which command failed, how, and its last words."""
    words = " ".join(Path(word).name for word in command)
    last = "\n".join(from_start(errors).splitlines()[-15:])
    return f"`{words}` ended with status {status}\n{last}"
