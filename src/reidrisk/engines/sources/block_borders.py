"""Block borders: a size of blocks of which none ends between a carriage return and its line feed.

Arrow reads a file block by block and takes a line feed that begins a block for the end of the line
break before it, inside a quoted value too, which would lose it there.
"""

from __future__ import annotations

from pathlib import Path


def block_without_split_breaks(path: Path, least: int) -> int:
    """The first size from `least` on whose borders all lie beside line breaks, not in them."""
    size = path.stat().st_size
    with path.open("rb") as file:

        def splits(block: int) -> bool:
            for border in range(block, size, block):
                file.seek(border - 1)
                if file.read(2) == b"\r\n":
                    return True
            return False

        # Each size has other borders; only a file of nothing but line breaks has no good one.
        return next((block for block in range(least, least + 64) if not splits(block)), least)
