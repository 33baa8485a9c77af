"""Provenance: which bytes an answer came from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path


def sha256_of(paths: Sequence[Path]) -> str | None:
    """SHA-256 of the file, or of the files' contents one after the other; None without files."""
    if not paths:
        return None
    if len(paths) == 1:
        with paths[0].open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
