"""The process of a command: what it needs before it starts, and how it ends.

Exit status and the last words, for people or as JSON: 0 done, 1 a threshold was crossed, 2 bad
input, 3 the engine failed, 130 interrupted, 141 who read the output has gone.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from reidrisk import machine
from reidrisk.cli.arguments import quoted_pattern
from reidrisk.cli.output import say, say_text
from reidrisk.cli.thresholds import ThresholdCrossed
from reidrisk.errors import InputError, OutOfRoom, ReidriskError, where_it_failed
from reidrisk.printable import (
    json_text,
    sentence_without_passwords,
    shell_words,
    without_password,
)


def without_spinning_threads() -> None:
    """numpy's linear algebra would start threads that spin all along; nothing here uses it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def within_memory(arguments: Sequence[str]) -> None:
    """Whatever a file turns out to hold, this process takes little more than --memory-limit."""
    if arguments and arguments[0] == "serve":
        # The page's work is done in processes of its own, which keep the limit.
        return
    said = None
    for place, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option == "--memory-limit":
            said = value if equals else next(iter(arguments[place + 1 :]), None)
    try:
        limit = machine.parsed_size(said) or machine.usual_limit()
    except InputError:
        # The command itself says what is wrong with it.
        limit = machine.usual_limit()
    machine.hold_to(machine.needed_for_libraries_too(limit))


INTERRUPTED = 130
# As a process ends that SIGPIPE ends.
READER_GONE = 141


def exit_with(command: Callable[[], Any], arguments: Sequence[str]) -> NoReturn:
    """Run a command and leave with the status its outcome asks for."""
    as_json = "--json" in arguments
    for ending in (signal.SIGTERM, signal.SIGHUP):
        # Being told to end is being interrupted: what was begun is cleared away.
        signal.signal(ending, signal.default_int_handler)
    try:
        status = command()
        _leave(status if isinstance(status, int) else 0)
    except ThresholdCrossed:
        _leave(1)
    except OutOfRoom as error:
        _say_error(
            as_json, error.kind, error.message, f"{error.hint}; {cluster_command(arguments)}"
        )
        _leave(error.exit_status)
    except ReidriskError as error:
        _say_error(as_json, error.kind, error.message, error.hint)
        _leave(error.exit_status)
    except click.UsageError as error:
        _say_error(as_json, "usage", *_usage(error, arguments))
        _leave(2)
    except click.ClickException as error:
        _say_error(as_json, "usage", _in_a_line(error), "")
        _leave(2)
    except (KeyboardInterrupt, click.exceptions.Abort):
        say(f"Interrupted; {_written()}.", err=True)
        _leave(INTERRUPTED)
    except (BrokenPipeError, SystemExit):
        # The reader of our output has gone, which click says by leaving with 1. The status isn't
        # 0: a threshold may not have been looked at yet.
        _leave(READER_GONE)
    except OSError as error:
        # On standard error also under --json: it is standard output that fails.
        _say_error(False, "unwritable_output", f"the answer can't be written: {_why(error)}", "")
        sys.stdout = sys.stderr
        _leave(2)
    except MemoryError:
        hint = "set a limit, such as --memory-limit 4GB: what exceeds it goes to disk"
        _say_error(
            as_json, "engine_failure", "memory ran out", f"{hint}; {cluster_command(arguments)}"
        )
        _leave(3)
    except Exception as error:
        # Its own words may quote a record, so they aren't shown; where it happened is.
        _say_error(
            as_json,
            "fault",
            f"reidrisk failed: {where_it_failed(error)}",
            "this is an error in reidrisk; please report it",
        )
        _leave(3)


def cluster_command(arguments: Sequence[str]) -> str:
    """The same command, counted by a cluster: its engine replaced, nothing else."""
    kept: list[str] = []
    following = iter(arguments)
    for argument in following:
        if argument in ("--engine", "--memory-limit", "--threads"):
            next(following, None)
        elif not argument.startswith(("--engine=", "--memory-limit=", "--threads=")):
            option, equals, value = argument.partition("=")
            own = option + equals if equals and option.startswith("--") else ""
            kept.append(own + without_password(value if own else argument))
    command = shell_words(["reidrisk", *kept, "--engine", "spark://host:7077"])
    return f"or let a cluster count it, from Parquet or CSV that it can read: {command}"


def _in_a_line(error: click.ClickException) -> str:
    """What click says, which lists choices on lines of their own."""
    return sentence_without_passwords(" ".join(error.format_message().split()))


def _usage(error: click.UsageError, arguments: Sequence[str]) -> tuple[str, str]:
    """What is wrong with the command as it was typed, and what would work."""
    message, pattern = _in_a_line(error), quoted_pattern(arguments)
    if message.startswith("Got unexpected extra argument") and pattern:
        return "several files were given, but one table is expected", pattern
    hint = f"see: {error.ctx.command_path} --help" if error.ctx else ""
    return message, getattr(error, "hint", hint)


def _say_error(as_json: bool, kind: str, message: str, hint: str) -> None:
    """The last words; where nobody can hear them, the status alone says how it ended."""
    try:
        if as_json:
            message_object = {"error": {"kind": kind, "message": message, "hint": hint}}
            say_text(json_text(message_object, indent=None))
            return
    except (OSError, SystemExit):
        # Standard output is full, closed or unread: say it on standard error.
        sys.stdout = sys.stderr
    with suppress(OSError, SystemExit):
        # What follows a message, line by line, is printable already; nothing else has several.
        first, *details = message.split("\n")
        say(f"Error: {first}", err=True)
        for each in details:
            say(each, err=True)
        if hint:
            say(f"Hint: {hint}", err=True)


def open_standard_streams() -> None:
    """Give a closed standard stream its number back, before a file takes it.

    What is written to a closed standard output must fail, or a gate that reads nothing would open:
    it stands for a device that can't be written. Words on a closed standard error are lost.
    """
    for number, how in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, how)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _written() -> str:
    """What is complete although the command isn't."""
    files = getattr(sys.modules.get("reidrisk.output_files"), "COMPLETE", [])
    names = ", ".join(dict.fromkeys(str(file) for file in files))
    return f"these files were written before: {names}" if names else "nothing was written"


def _why(error: OSError) -> str:
    closed = error.errno == errno.EBADF
    return "standard output is closed" if closed else error.strerror or type(error).__name__


def _leave(status: int) -> NoReturn:
    """Leave at once: threads that still count for an interrupted question aren't waited for."""
    if "reidrisk.output_files" in sys.modules:
        sys.modules["reidrisk.output_files"].remove_temporary_folders()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        with suppress(OSError):
            sys.stderr.write(f"Error: the answer can't be written: {_why(error)}\n")
        status = status or 2
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)
