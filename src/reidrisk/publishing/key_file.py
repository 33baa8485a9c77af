"""The key file: the secret that rounding is drawn with, which stays with whoever publishes.

With the key anybody could undo the rounding, number by number; without it, a table published again
would be rounded otherwise, and the mean of several roundings comes close to the truth. So the key
is made once for a table, lies beside it, and is readable for its owner alone.

A key says which table it belongs to by a keyed hash of the names of all its columns: rounding
another table with it would round what both have in common the same way. And it says to which base
it rounds, which it stays with: a number rounded to multiples of 3, 4 and 5 is hardly hidden.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.output_files import whole_file

FORMAT = "reidrisk-key/1"
KEY_ENDING = "reidrisk-key"
_BYTES = 32


@dataclass(frozen=True, repr=False)
class Key:
    """The secret, where it lies, and whether it was made just now."""

    secret: bytes
    path: Path
    new: bool

    def __repr__(self) -> str:
        return f"<Key {self.path.name}>"


def key_at(
    path: str | os.PathLike[str], columns: Iterable[str], base: int, make: bool = True
) -> Key:
    """The key in this file, which has to belong to a table of these columns, and to this base.

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
        return made(place, columns, base, secrets.token_bytes(_BYTES))
    _refuse_open_to_others(place)
    held = _parsed(place)
    secret = bytes.fromhex(held["key"])
    if not hmac.compare_digest(held["table"], _table_mark(secret, columns)):
        raise InputError(
            f"{place.name} is the key of another table: its columns differ",
            "name that table's own key file, or another place for a new one",
        )
    # Keys of earlier versions don't say it.
    if held.get("base", base) != base:
        raise InputError(
            f"{place.name} rounds to multiples of {held['base']}: the same counts rounded to "
            f"multiples of {base} as well could be worked out from both files",
            f"publish with --at-least {held['base']}, or, if nothing rounded with this key was "
            "given away, remove it",
        )
    return Key(secret, place, new=False)


def keys_beside(paths: Sequence[Path], columns: Iterable[str]) -> list[Path]:
    """The keys with which statistics of the table in these files were rounded, as far as they lie
    where `publish` puts them: named after one of the files; of several files, any key in their
    folders that belongs to a table of these columns.
    """
    named = [path.with_name(f"{path.stem}.{KEY_ENDING}") for path in paths]
    found = [place for place in named if place.exists()]
    if len(paths) > 1:
        held = list(columns)
        for folder in sorted({path.parent for path in paths}):
            found += [each for each in sorted(folder.glob(f"*.{KEY_ENDING}"))
                      if each not in found and _belongs(each, held)]  # fmt: skip
    return found


def _belongs(place: Path, columns: Iterable[str]) -> bool:
    """Whether it is the key of such a table; one that can't be read may be."""
    try:
        held = _parsed(place)
    except UnreadableInput:
        return True
    mark = _table_mark(bytes.fromhex(held["key"]), columns)
    return hmac.compare_digest(held["table"], mark)


def made(place: Path, columns: Iterable[str], base: int, secret: bytes) -> Key:
    """Write a key file for a table of these columns."""
    held = {
        "format": FORMAT,
        "key": secret.hex(),
        "table": _table_mark(secret, columns),
        "base": base,
    }
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
        well = well and isinstance(held.get("base", 0), int)
    except OSError as error:
        raise UnreadableInput(f"{place} can't be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        well = False
    if not well:
        raise UnreadableInput(f"{place.name} isn't a key file of this command")
    return held
