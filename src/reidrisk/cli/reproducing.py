"""The command again, as somebody else would type it: what was given, without this machine's paths.

Options that only say how to answer here (how much to say, on how many cores) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from reidrisk.printable import shell_words, without_password

_ONLY_HERE = {"as_json", "verbose", "quiet", "threads", "memory_limit"}
# Options that take a file or a folder.
_FILES = {"FILE", "PLACE", "FOLDER", "STATISTICS"}
_SIGNED_IN = re.compile(r"//.*@")


def command_again(context: click.Context) -> str:
    """reidrisk NAME ARGUMENTS OPTIONS, each option that isn't as usual."""
    words = ["reidrisk", str(context.info_name)]
    for parameter in context.command.params:
        given = context.params.get(str(parameter.name))
        if isinstance(parameter, click.Argument):
            words += [_plain(each) for each in given or ()]
    return shell_words([*words, *options_again(context, _plain)])


def options_again(context: click.Context, told: Callable[[str], str]) -> list[str]:
    """The options that aren't as usual; files and addresses as `told`."""
    words: list[str] = []
    for parameter in context.command.params:
        given = context.params.get(str(parameter.name))
        option = isinstance(parameter, click.Option) and parameter.name not in _ONLY_HERE
        if option and given != parameter.get_default(context):
            is_file = parameter.metavar in _FILES
            words += _option(parameter, given, told if is_file else without_password)
    return words


def _option(parameter: click.Parameter, given: Any, told: Callable[[str], str]) -> list[str]:
    name = parameter.opts[-1]
    if isinstance(given, bool):
        return [name] if given else []
    several = given if isinstance(given, tuple) else (given,)
    return [word for each in several if each is not None for word in (name, told(str(each)))]


def _plain(value: str) -> str:
    """A file by its name alone, an address without who signs in."""
    if "://" in value:
        return _SIGNED_IN.sub("//", without_password(value))
    return Path(value).name if "/" in value else without_password(value)
