"""What can go wrong, drawn before it is defined.

    ReidriskError
    ├── InputError           the user can fix it: exit status 2
    │   ├── UnreadableInput      the file is missing, empty, damaged or of an unknown format
    │   ├── UnknownColumn        a column that isn't in the table
    │   ├── UnusableColumn       the column is there, but can't be used as asked
    │   ├── ContradictoryOptions two options that contradict each other
    │   ├── UnansweredUnit       it isn't known yet what a row stands for
    │   ├── ImpossibleCounts     counts that no table can have
    │   ├── MissingExtra         an optional library isn't installed
    │   └── UnwritableOutput     the output can't be written there
    └── EngineFailure        the engine gave up: exit status 3
        └── OutOfRoom            the table outgrew the memory or the disk of this machine

A message says what is wrong; `hint` says what would work.
Neither ever carries a value of a record: columns, counts and line numbers only. Whatever a message
repeats, names or addresses, is shown without control characters and without passwords.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reidrisk.arguments import in_python
from reidrisk.printable import printable, sentence_without_passwords


class ReidriskError(Exception):
    """Anything this package raises on purpose.

    As a text it names arguments, as in ``columns=``; `message` and `hint` name the options of the
    command line.
    """

    kind = "error"
    exit_status = 3

    def __init__(self, message: str, hint: str = "", details: Sequence[str] = ()) -> None:
        """`details` follow the message, one on each line of its own."""
        message, hint, *details = (
            sentence_without_passwords(printable(words)) for words in (message, hint, *details)
        )
        message = "\n".join([message, *(f"- {each}" for each in details)])
        super().__init__(in_python(message if not hint else f"{message}\n{hint}"))
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        return _raised_elsewhere, (type(self), self.args, vars(self))


def _raised_elsewhere(
    kind: type[ReidriskError], words: tuple[str, ...], held: dict[str, Any]
) -> ReidriskError:
    """An error that comes back from another process."""
    error = kind.__new__(kind)
    error.args = words
    vars(error).update(held)
    return error


class InputError(ReidriskError):
    """The user can fix it."""

    kind = "input"
    exit_status = 2


class UnreadableInput(InputError):
    """The file is missing, empty, damaged or of an unknown format."""

    kind = "unreadable_input"


class UnknownColumn(InputError):
    """A column that isn't in the table."""

    kind = "unknown_column"


class UnusableColumn(InputError):
    """The column is there, but can't be used as asked."""

    kind = "unusable_column"


class ContradictoryOptions(InputError):
    """Two options that contradict each other."""

    kind = "contradictory_options"


class UnansweredUnit(InputError):
    """It isn't known yet what a row stands for: a person, several people, or part of one."""

    kind = "unanswered_unit"


class ImpossibleCounts(InputError):
    """Counts that no table can have."""

    kind = "impossible_counts"


class MissingExtra(InputError):
    """An optional library isn't installed."""

    kind = "missing_extra"

    def __init__(self, what: str, extra: str, doing: str = "reading") -> None:
        super().__init__(
            f"{doing} {what} needs a library that isn't installed",
            f"install it with: pip install 'reidrisk[{extra}]'",
        )


class UnwritableOutput(InputError):
    """The output can't be written there."""

    kind = "unwritable_output"


class EngineFailure(ReidriskError):
    """The engine gave up: out of memory, out of disk, interrupted inside."""

    kind = "engine_failure"


class OutOfRoom(EngineFailure):
    """The table outgrew the memory or the disk of this machine."""


def where_it_failed(error: Exception) -> str:
    """Class and place of an unexpected error, not its message, which may quote a record."""
    import os
    import traceback

    trace = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in trace if "reidrisk" in frame.filename] or trace
    last = ours[-1]
    return (
        f"{type(error).__name__} in {last.name} ({os.path.basename(last.filename)}:{last.lineno})"
    )
