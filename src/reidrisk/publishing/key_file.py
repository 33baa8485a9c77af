"""The key file: the secret that rounding is drawn with, which stays with whoever publishes.

With the key anybody could undo the rounding, number by number; without it, a table published again
would be rounded otherwise, and the mean of several roundings comes close to the truth. So the key
is made once for a table, lies beside what was published, and is readable for its owner alone.

A key says which table it belongs to by a keyed hash of the table's column names: rounding another
table with it would round what both have in common the same way.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.output_files import whole_file

FORMAT = "reidrisk-key/1"
_BYTES = 32


@dataclass(frozen=True, repr=False)
class Key:
    """The secret, where it lies, and whether it was made just now."""

    secret: bytes
    path: Path
    new: bool

    def __repr__(self) -> str:
        return f"<Key {self.path.name}>"


def usual_place(output: str | os.PathLike[str]) -> Path:
    """Beside what is published: statistics.json.key."""
    return Path(f"{os.fspath(output)}.key")


def key_at(path: str | os.PathLike[str], columns: Iterable[str], make: bool = True) -> Key:
    """The key in this file, which has to belong to a table of these columns.

    `make` says whether one is made where there is no file; else a missing key is refused.
    """
    place = Path(path)
    if not place.exists():
        if not make:
            raise UnreadableInput(
                f"there is no key file {place}",
                "without it the same numbers would be rounded otherwise, and both files together "
                "tell more than each: restore it",
            )
        return _made(place, columns)
    _refuse_open_to_others(place)
    held = _parsed(place)
    secret = bytes.fromhex(held["key"])
    if not hmac.compare_digest(held["table"], _table_mark(secret, columns)):
        raise InputError(
            f"{place.name} is the key of another table: its columns differ",
            "name that table's own key file, or another place for a new one",
        )
    return Key(secret, place, new=False)


def _made(place: Path, columns: Iterable[str]) -> Key:
    secret = secrets.token_bytes(_BYTES)
    held = {"format": FORMAT, "key": secret.hex(), "table": _table_mark(secret, columns)}
    with whole_file(place, private=True) as beside:
        beside.write_text(json.dumps(held, indent=1) + "\n", encoding="ascii")
    return Key(secret, place, new=True)


def _table_mark(secret: bytes, columns: Iterable[str]) -> str:
    named = json.dumps(["table", *sorted(columns)], ensure_ascii=False).encode()
    return hmac.digest(secret, named, "sha256").hex()


def _refuse_open_to_others(place: Path) -> None:
    mode = stat.S_IMODE(place.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise InputError(
            f"{place} can be read or written by others (mode {mode:03o})",
            f"whoever has the key can undo the rounding: chmod 600 {place}",
        )


def _parsed(place: Path) -> Any:
    """What the file holds; no message repeats any of it."""
    try:
        held = json.loads(place.read_text(encoding="ascii"))
        well = held["format"] == FORMAT and len(bytes.fromhex(held["key"])) == _BYTES
        well = well and isinstance(held["table"], str)
    except OSError as error:
        raise UnreadableInput(f"{place} can't be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        well = False
    if not well:
        raise UnreadableInput(f"{place.name} isn't a key file of this command")
    return held
