"""Writing: an output appears whole or not at all.

It is written beside its place under another name and renamed at the end; whatever goes wrong
before that, an interrupt included, removes what was written.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reidrisk.errors import UnwritableOutput


@contextmanager
def whole_file(target: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, which becomes `target` when the block ends well."""
    place = Path(target)
    _refuse_unwritable(place)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
    except OSError as error:
        raise _told(place, error) from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, place)
    except OSError as error:
        raise _told(place, error) from None
    finally:
        with suppress(OSError):
            beside.unlink()


def _refuse_unwritable(place: Path) -> None:
    if place.is_dir():
        raise UnwritableOutput(f"{place} is a directory", "name a file in it")
    if not place.parent.is_dir():
        raise UnwritableOutput(
            f"{place} can't be written: there is no directory {place.parent}", "make it first"
        )


def _told(place: Path, error: OSError) -> UnwritableOutput:
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        return UnwritableOutput(
            f"{place} can't be written: the disk is full", "nothing was written; free some space"
        )
    return UnwritableOutput(f"{place} can't be written: {error.strerror or type(error).__name__}")


def _umask() -> int:
    held = os.umask(0)
    os.umask(held)
    return held
