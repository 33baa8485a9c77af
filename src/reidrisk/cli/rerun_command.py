"""The command again, as somebody else would type it: what was given, without this machine's paths.

Options that only say how to answer here (how much to say, on how many cores) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from reidrisk.printable import shell_words, without_password

_MAY_BE_PUBLISHED = {
    "columns", "column", "bands", "levels", "missing", "person", "count", "crowds", "publishable",
    "at_least", "model", "seed", "up_to", "time_limit", "kind", "rows_are_people",
}  # fmt: skip
_OF_ANSWERS = {"as_json", "verbose", "quiet"}
_ONLY_HERE = {*_OF_ANSWERS, "threads", "memory_limit"}
# Options that take a file or a folder.
_FILES = {"FILE", "PLACE", "FOLDER", "STATISTICS"}
_SIGNED_IN = re.compile(r"//.*@")


def command_again(context: click.Context, source: str = "") -> str:
    """reidrisk NAME ARGUMENTS OPTIONS, each option that isn't as usual.

    With `source`, for a report to be published: that stands for the arguments, and of the options
    only those that name no file and hold no text of the records.
    """
    words = ["reidrisk", str(context.info_name)]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if isinstance(parameter, click.Argument):
            words += [source] if source else [_plain(each) for each in value or ()]
    only = _MAY_BE_PUBLISHED if source else None
    return shell_words([*words, *options_again(context, _plain, only=only)])


def options_again(
    context: click.Context,
    masked: Callable[[str], str],
    here: bool = False,
    only: Collection[str] | None = None,
) -> list[str]:
    """The options that aren't as usual; files and addresses as `told`.

    `here`: to be run on this machine, so those that concern it are kept. `only` some of them.
    """
    without = _OF_ANSWERS if here else _ONLY_HERE
    words: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        option = isinstance(parameter, click.Option) and parameter.name not in without
        option = option and (only is None or parameter.name in only)
        if option and value != parameter.get_default(context):
            is_file = parameter.metavar in _FILES
            words += _option(parameter, value, masked if is_file else without_password)
    return words


def _option(parameter: click.Parameter, value: Any, masked: Callable[[str], str]) -> list[str]:
    name = parameter.opts[-1]
    if isinstance(value, bool):
        return [name] if value else []
    several = value if isinstance(value, tuple) else (value,)
    words: list[str] = []
    for each in several:
        if each is not None:
            # A value that begins with a dash would be taken for an option.
            text = masked(str(each))
            words += [f"{name}={text}"] if text.startswith("-") else [name, text]
    return words


def _plain(value: str) -> str:
    """A file by its name alone, an address without who signs in."""
    if "://" in value:
        return _SIGNED_IN.sub("//", without_password(value))
    return Path(value).name if "/" in value else without_password(value)


def placeholder(subject: Any) -> str:
    """What stands for the file in a report to be published."""
    from reidrisk.records import Table

    return "TABLE" if isinstance(subject, Table) else "STATISTICS"
