"""Memory: how much there is, how much counting takes, and the words people write it in."""

from __future__ import annotations

import os
import re
from pathlib import Path

from reidrisk.errors import InputError

_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6}
_UNITS |= {"g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12}
_UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
_CGROUP = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
LEAST = 200 * 10**6
# What the libraries and a column on its way take, whatever the table's length.
BASE_BYTES = 200 * 10**6


def parsed_size(
    text: str | int | None, option: str = "--memory-limit", least: int = LEAST
) -> int | None:
    """4GB, 500 MB, 2GiB or a number of bytes."""
    if text is None or isinstance(text, int):
        return text
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Z]*)\s*", text)
    if not found or found[2].casefold() not in _UNITS:
        raise InputError(f"{option} {text}: not a size", "write it as 4GB or 500MB")
    size = int(float(found[1]) * _UNITS[found[2].casefold()])
    if size < least:
        enough = f"{least // 10**6}MB" if least >= 10**6 else f"{least} bytes"
        raise InputError(f"{option} {text}: too little to work with", f"give at least {enough}")
    return size


def usual_limit() -> int:
    """60 % of what the machine, or the container, has."""
    held = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _CGROUP:
        try:
            held.append(int(path.read_text()))
        except (OSError, ValueError):
            continue
    return int(0.6 * min(held))


def needed_for_codes(rows: int, columns: int, cores: int = 1) -> int:
    """Bytes the packed codes take at their peak.

    Each column leaves codes of two bytes on average; a column being read takes about 12 bytes a
    row on each core; a key takes 8, its sorted copy 8 more, the comparison 2.
    """
    return BASE_BYTES + rows * (2 * columns + max(12 * cores, 18))
