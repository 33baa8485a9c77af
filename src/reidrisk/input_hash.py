"""Provenance: which bytes an answer came from."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_begun: dict[tuple[str, ...], threading.Thread] = {}
_found: dict[tuple[str, ...], str] = {}


def begin_hashing(path: str | os.PathLike[str]) -> None:
    """Hash a file beside other work; `sha256_of` waits for it. A glob or no file is left alone."""
    held = Path(path)
    if held.is_file():
        key = state_of([held])
        _begun[key] = threading.Thread(target=_find, args=(key, [held]), daemon=True)
        _begun[key].start()


def state_of(paths: Sequence[Path]) -> tuple[str, ...]:
    """Names, sizes and times of files: one that was written anew is another file."""
    states = [(path, path.stat()) for path in paths]
    return tuple(f"{path}:{state.st_size}:{state.st_mtime_ns}" for path, state in states)


def sha256_of(paths: Sequence[Path], when_read: tuple[str, ...]) -> str | None:
    """SHA-256 of the files' contents one after the other.

    None without files, and when they have changed since they were read.
    """
    try:
        key = state_of(paths)
    except OSError:
        return None
    if not paths or key != when_read:
        return None
    begun = _begun.pop(key, None)
    if begun is not None:
        begun.join()
    found = _found.pop(key, None)
    return _hashed(paths) if found is None else found


def _find(key: tuple[str, ...], paths: Sequence[Path]) -> None:
    try:
        _found[key] = _hashed(paths)
    except OSError:
        # Reading the table will say what is wrong with the file.
        return


def _hashed(paths: Sequence[Path]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def keyed(sha256: str | None) -> str | None:
    """HMAC-SHA-256 of a hash under this user's own key; None where there is no hash or no key.

    A plain hash lets anybody who knows all records but one try values until it agrees. The key is
    made at random when first needed and kept readable for its owner alone.
    """
    import hmac

    if sha256 is None:
        return None
    try:
        key = _key(key_file())
    except (OSError, ValueError, RuntimeError):
        # No home, nothing may be written there, or what is there is no key.
        return None
    return hmac.new(key, bytes.fromhex(sha256), "sha256").hexdigest()


def key_file() -> Path:
    """Where the key is kept."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "reidrisk" / "report.key"


def _key(place: Path) -> bytes:
    """The key, made if there is none; of two processes that make one at once, one wins."""
    import secrets
    import tempfile

    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Made whole under another name: 0600, and never seen half written.
        with tempfile.NamedTemporaryFile("w", dir=place.parent) as made:
            made.write(secrets.token_hex(32))
            made.flush()
            with suppress(FileExistsError):
                os.link(made.name, place)
    return bytes.fromhex(place.read_text(encoding="ascii"))
