"""Overwriting: whose file an output may replace.

An existing file is replaced where it is what the same command wrote there, unchanged since, or
where that is asked for (--force); an input never is. What was written is remembered by size and
time, in a small file of this user's own for each place: a table has no room for a mark of ours, and
a mark would outlive an edit. What is no file (a device, a pipe) is written into, never replaced.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from reidrisk.errors import UnwritableOutput


@dataclass(frozen=True)
class _Asked:
    """Who writes, whether others' files may be replaced, and what is read (looked up late)."""

    command: str = "python"
    force: bool = False
    inputs: Callable[[], Iterable[Path]] = tuple


_ANYBODY = _Asked()
_asked: ContextVar[_Asked] = ContextVar("asked", default=_ANYBODY)


@contextmanager
def overwriting(
    force: bool = True, command: str = "python", inputs: Callable[[], Iterable[Path]] = tuple
) -> Iterator[None]:
    """Within the block files of others may be replaced (`force`), but none of the `inputs`."""
    token = _asked.set(_Asked(command, force, inputs))
    try:
        yield
    finally:
        _asked.reset(token)


def refuse_input_as_output(target: str | os.PathLike[str], inputs: Iterable[Path]) -> None:
    """An answer never takes the place of the table it came from, nor of anybody else's file."""
    place = Path(target)
    for path in inputs:
        if path.is_dir() and place.resolve().is_relative_to(path.resolve()):
            raise UnwritableOutput(
                f"{place} would become part of the table, which is the folder {path}",
                "name a file outside it",
            )
        if place.is_file() and path.exists() and place.samefile(path):
            raise UnwritableOutput(
                f"{place} is the table itself, and would be lost", "name another file"
            )
    refuse_unwritable(place)


def refuse_unwritable(target: str | os.PathLike[str]) -> None:
    """What can't be written, or would take another file's place, is refused before any work."""
    place = Path(target)
    if place.is_dir():
        raise UnwritableOutput(f"{place} is a directory", "name another place")
    if written_into(place):
        return
    parent = Path(os.path.realpath(place)).parent if place.is_symlink() else place.parent
    if not parent.is_dir():
        raise UnwritableOutput(
            f"{place} can't be written: there is no directory {parent}", "make it first"
        )
    if not place.exists():
        return
    if any(_reads(path, place) for path in _asked.get().inputs()):
        raise UnwritableOutput(
            f"{place} is the table itself, or another input, and would be lost",
            "name another file",
        )
    if not _asked.get().force and not _is_own(place):
        raise UnwritableOutput(
            f"{place} exists, and isn't what this command wrote there: it was written by somebody "
            "else, or changed since",
            "name another file, or replace it with --force",
        )


def _reads(given: Path, place: Path) -> bool:
    """Whether an input is that file, or the folder it lies in."""
    try:
        return given.samefile(place) or (given.is_dir() and given.samefile(place.parent))
    except OSError:
        return False


def written_into(place: Path) -> bool:
    """Whether something is there that is no file to be replaced."""
    if own_descriptor(place) is not None:
        return True
    try:
        return not stat.S_ISREG(place.stat().st_mode) and not place.is_dir()
    except OSError:
        return False


def own_descriptor(place: Path) -> int | None:
    """1 for /dev/stdout, /dev/fd/1 and /proc/self/fd/1, which the shell may have made a file."""
    text = os.path.abspath(place)
    named = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
    found = re.fullmatch(rf"/dev/fd/(\d+)|/proc/(?:self|{os.getpid()})/fd/(\d+)", text)
    return int(found[1] or found[2]) if found else named.get(text)


def _record_of(place: Path) -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = hashlib.sha256(os.path.realpath(place).encode()).hexdigest()
    return Path(home) / "reidrisk" / "written" / name


def _state(place: Path) -> str:
    held = place.stat()
    return f"{_asked.get().command} {held.st_size} {held.st_mtime_ns}"


def remember(place: Path) -> None:
    """Note what was written here; where that can't be kept, it counts as somebody else's later."""
    with suppress(OSError, RuntimeError):
        record = _record_of(place)
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        record.write_text(_state(place), encoding="utf-8")


def _is_own(place: Path) -> bool:
    try:
        return _record_of(place).read_text(encoding="utf-8") == _state(place)
    except (OSError, RuntimeError):
        return False
