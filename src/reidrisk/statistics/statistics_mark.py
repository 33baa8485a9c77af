"""The mark by which a file says of itself that it holds statistics.

Apart from reading such a file, so that whoever has records needn't load what reads statistics.
"""

from __future__ import annotations

import os
from pathlib import Path

LARGEST_BYTES = 200 * 10**6


def is_statistics_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it holds statistics, wherever it says so."""
    file_path = Path(path)
    try:
        with file_path.open("rb") as file:
            beginning = file.read(4096)
            if beginning.lstrip()[:1] != b"{":
                return False
            if b"reidrisk-statistics/" in beginning:
                return True
            small = (
                file_path.stat().st_size <= LARGEST_BYTES and file_path.suffix.lower() == ".json"
            )
            return small and b'"reidrisk-statistics/' in file.read()
    except OSError:
        return False
