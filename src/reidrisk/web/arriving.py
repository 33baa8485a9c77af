"""Arriving: a file that is dropped on the page, written to a folder of its own as it comes.

The limit holds while it comes: what is too large is never on the disk as a whole. A table's file
is removed as soon as its records are held as codes; that of statistics stays until they go.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote

from starlette.requests import Request

from reidrisk.errors import InputError

LONGEST_NAME = 120
SECONDS_FOR_BLOCK = 20.0
# Bytes a second: slower than any line, faster than who only wants to keep us waiting.
LEAST_PACE = 10_000
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f]")


class TooLarge(InputError):
    """An upload beyond the limit."""

    kind = "too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the file is larger than {limit:,} bytes",
            "start with a larger --upload-limit, or name the file: reidrisk serve FILE",
        )


def file_name(given: str) -> str:
    """The last part of the name a browser gives, which says the format; never a path."""
    name = _UNUSABLE.sub("", unquote(given)).replace("\\", "/").rpartition("/")[2].strip()
    short = name.encode()[-LONGEST_NAME:].decode(errors="ignore")
    return short if short.strip(".") else "table"


class TooSlow(InputError):
    """What was announced doesn't come."""

    kind = "slow"

    def __init__(self) -> None:
        super().__init__("the rest of it didn't come in time", "try it again")


async def blocks_of(request: Request) -> AsyncIterator[bytes]:
    """A request's body as it comes; whoever lets us wait is hung up on."""
    stream, began, size = request.stream(), time.monotonic(), 0
    while True:
        try:
            block = await asyncio.wait_for(anext(stream), SECONDS_FOR_BLOCK)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise TooSlow from None
        size += len(block)
        if time.monotonic() - began > SECONDS_FOR_BLOCK + size / LEAST_PACE:
            raise TooSlow
        yield block


async def arrived(request: Request, limit: int, under: Path) -> Path:
    """The file, in a folder of its own; nothing is left of one that doesn't arrive whole."""
    said = request.headers.get("content-length", "0")
    if said.isascii() and said.isdigit() and (len(said) > 18 or int(said) > limit):
        raise TooLarge(limit)
    folder = Path(tempfile.mkdtemp(dir=under))
    place = folder / file_name(request.headers.get("x-file-name", ""))
    try:
        size = 0
        with place.open("wb") as file:
            async for block in blocks_of(request):
                size += len(block)
                if size > limit:
                    raise TooLarge(limit)
                file.write(block)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place
