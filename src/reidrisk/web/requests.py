"""Requests: JSON bodies in, the view they are about, files as they are uploaded; errors out.

An uploaded file is written to a folder of its own as it arrives. The limit holds while it comes:
what is too large is never on the disk as a whole. A table's file is removed as soon as its records
are held as codes; that of statistics stays until they go.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reidrisk.crowds import measure_named
from reidrisk.errors import InputError, ReidriskError
from reidrisk.printable import shell_words
from reidrisk.web.guard import LARGEST_QUESTION

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
            "open it with: reidrisk serve FILE, or start with a larger --upload-limit",
        )


def file_name(name: str) -> str:
    """The last part of the name a browser gives, which says the format; never a path."""
    name = _UNUSABLE.sub("", unquote(name)).replace("\\", "/").rpartition("/")[2].strip()
    short = name.encode()[-LONGEST_NAME:].decode(errors="ignore")
    return short if short.strip(".") else "table"


class TooSlow(InputError):
    """What was announced doesn't come."""

    kind = "slow"

    def __init__(self) -> None:
        super().__init__("the rest of it didn't arrive in time", "try it again")


async def body_blocks(request: Request) -> AsyncIterator[bytes]:
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


async def received_file(request: Request, limit: int, under: Path) -> Path:
    """The file, in a folder of its own; nothing is left of one that doesn't arrive whole."""
    announced = request.headers.get("content-length", "0")
    is_number = announced.isascii() and announced.isdigit()
    if is_number and (len(announced) > 18 or int(announced) > limit):
        raise TooLarge(limit)
    folder = Path(tempfile.mkdtemp(dir=under))
    place = folder / file_name(request.headers.get("x-file-name", ""))
    try:
        size = 0
        with place.open("wb") as file:
            async for block in body_blocks(request):
                size += len(block)
                if size > limit:
                    raise TooLarge(limit)
                file.write(block)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place


async def question_of(request: Request) -> dict[str, Any]:
    """A small JSON object."""
    body = bytearray()
    async for block in body_blocks(request):
        body += block
        if len(body) > LARGEST_QUESTION:
            raise InputError("the question is too long")
    try:
        asked = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise InputError("the question isn't JSON") from None
    if not isinstance(asked, dict):
        raise InputError("the question isn't an object")
    return asked


async def error_response(request: Request, error: Exception) -> Response:
    """An error that was raised on purpose, in words."""
    assert isinstance(error, ReidriskError)
    error_object = {"kind": error.kind, "message": error.message, "hint": error.hint}
    status = {"too_large": 413, "let_go": 404, "slow": 408, "fault": 500}.get(error.kind, 400)
    # The rest of what is too large or too slow isn't waited for.
    headers = {"Connection": "close"} if status in (408, 413) else None
    return JSONResponse({"error": error_object}, status, headers)


async def not_found(request: Request, error: Exception) -> Response:
    """An address that isn't one."""
    error_object = {"kind": "no_page", "message": "there is nothing at this address", "hint": ""}
    return JSONResponse({"error": error_object}, 404)


MOST_COLUMNS = 1000


@dataclass(frozen=True)
class ViewRequest:
    """The options mean what they mean on the command line."""

    columns: tuple[str, ...]
    bands: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    decimals: Mapping[str, str] = field(default_factory=dict)
    missing: str = "own"
    count: str | None = None
    person: str | None = None
    rows_are_people: bool = False
    sensitive: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same for the same view."""
        coarser = [sorted(each.items()) for each in (self.bands, self.levels, self.decimals)]
        unit = [self.count, self.person, self.rows_are_people]
        return json.dumps([self.columns, coarser, self.missing, unit, self.sensitive])

    @property
    def options(self) -> dict[str, Any]:
        """What `HeldRecords.view` is given beside the columns."""
        return {
            "bands": self.bands,
            "levels": self.levels,
            "decimals": self.decimals,
            "missing": self.missing,
            "count": self.count,
            "person": self.person,
            "rows_are_people": self.rows_are_people,
            "sensitive": self.sensitive,
        }

    def command(self, verb: str, named: Sequence[str], *more: str) -> str:
        """The command that asks the same."""
        words = ["reidrisk", verb, *named]
        for name in self.columns:
            words += ["--column", name]
        for option in ("bands", "levels", "decimals"):
            for name, how in getattr(self, option).items():
                words += [f"--{option}", f"{name}={how}"]
        words += ["--missing", self.missing] if self.missing != "own" else []
        words += ["--count", self.count] if self.count is not None else []
        words += ["--person", self.person] if self.person is not None else []
        words += ["--rows-are-people"] if self.rows_are_people else []
        words += ["--sensitive", ",".join(self.sensitive)] if self.sensitive else []
        return shell_words([*words, *more])


def parsed_view(body: Any) -> ViewRequest:
    """From the page's JSON; whether the table has it is checked later."""
    given = mapping(body, "view")
    columns = texts(given.get("columns"), "columns")
    if not columns:
        raise InputError("no attribute is ticked", "tick at least one")
    coarser = {
        option: {
            name: str(how)
            for name, how in mapping(given.get(option) or {}, option).items()
            if name in columns
        }
        for option in ("bands", "levels", "decimals")
    }
    count, person = given.get("count"), given.get("person")
    return ViewRequest(
        tuple(columns), **coarser, missing=str(given.get("missing") or "own"),
        count=None if not count else str(count), person=None if not person else str(person),
        rows_are_people=given.get("rows_are_people") is True,
        sensitive=tuple(texts(given.get("sensitive") or [], "sensitive")),
    )  # fmt: skip


def mapping(given: Any, what: str) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(given, dict):
        raise InputError(f"{what}: an object was expected")
    return given


def texts(given: Any, what: str) -> list[str]:
    """A list of texts."""
    few = isinstance(given, list) and len(given) <= MOST_COLUMNS
    if not few or not all(isinstance(each, str) for each in given):
        raise InputError(f"{what}: a list of at most {MOST_COLUMNS:,} names was expected")
    return list(given)


def whole(given: Any, what: str, least: int, most: int) -> int:
    """A whole number between two others."""
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise InputError(f"{what}: a whole number from {least:,} to {most:,} was expected")
    return given


def part(given: Any, what: str, measure: str = "highest_risk") -> float:
    """A number from 0 to 1; as a text also a fraction such as 1/11, or k=11."""
    number = isinstance(given, (int, float, str)) and not isinstance(given, bool)
    value = measure_named(measure).limit(given, what) if number else math.nan
    if not 0 <= value <= 1:
        raise InputError(f"{what}: a number from 0 to 1 was expected")
    return value
