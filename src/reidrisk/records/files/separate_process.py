"""Apart: files of other programs' formats are read by a process of their own, under a limit.

The libraries that read them hold a table whole, end the process where memory runs out, and trust
what a file says of its size. That process sends the table as it is read; its end is not ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from reidrisk import errors, memory
from reidrisk.errors import OutOfRoom, ReidriskError, UnreadableInput

# A table is held here while the rest of it is still held there.
SHARE = 0.75


class ReadApart(NamedTuple):
    """A table, what was found out about it, and what looks wrong."""

    table: pa.Table
    note: str = ""
    warnings: Sequence[str] = ()


def read_apart(reader: str, path: Path, limit: int | None, **options: Any) -> ReadApart:
    """What one of `READERS` reads; `limit` is the memory it may take."""
    if not sys.executable:
        return _read(reader, path, options)
    held = int(SHARE * (limit or memory.usual_limit()))
    question = {"reader": reader, "path": str(path), "limit": held, "options": options}
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline() or b"null")
        if said is None:
            raise _ended_early(path)
        if "error" in said:
            raise _told(said)
        table = pa.ipc.open_stream(process.stdout).read_all()
        return ReadApart(table, said["note"], said["warnings"])
    except (BrokenPipeError, pa.ArrowInvalid):
        raise _ended_early(path) from None
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()


def _ended_early(path: Path) -> ReidriskError:
    return UnreadableInput(
        f"{path.name} can't be read: it takes more memory than is given, or is damaged",
        "give more by --memory-limit, or save it as CSV or Parquet and try that",
    )


def _told(said: dict[str, Any]) -> ReidriskError:
    if said["error"] == "MemoryError":
        return OutOfRoom(
            f"reading {said['message']} takes more memory than is given",
            "give more by --memory-limit, or save it as CSV or Parquet",
        )
    kind = getattr(errors, said["error"], None)
    if kind is None:
        return UnreadableInput(f"{said['message']} is damaged: it can't be read")
    raised: ReidriskError = kind(said["message"], said["hint"])
    return raised


def _read(reader: str, path: Path, options: dict[str, Any]) -> ReadApart:
    from reidrisk.records.files import foreign

    return foreign.READERS[reader](path, **options)


def main() -> None:
    """Read what is asked for, and send it."""
    sent = sys.stdout.buffer
    sys.stdout = sys.stderr
    question = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_who_asked, daemon=True).start()
    path = Path(question["path"])
    from reidrisk.records.files import foreign  # noqa: F401 (its libraries are no part of the limit)

    memory.hold_to(question["limit"])
    try:
        found = _read(question["reader"], path, question["options"])
    except ReidriskError as error:
        said: dict[str, Any] = {
            "error": type(error).__name__, "message": error.message, "hint": error.hint,
        }  # fmt: skip
    except Exception as error:
        said = {"error": type(error).__name__, "message": path.name, "hint": ""}
    else:
        said = {"note": found.note, "warnings": list(found.warnings)}
    sent.write(json.dumps(said).encode() + b"\n")
    if "note" in said:
        with pa.ipc.new_stream(sent, found.table.schema) as stream:
            stream.write_table(found.table)
    sent.flush()


def _end_with_who_asked() -> None:
    """Nothing more is ever asked; whoever asked is gone when this ends."""
    import os

    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    main()
