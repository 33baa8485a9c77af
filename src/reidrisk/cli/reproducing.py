"""The command again, as somebody else would type it: what was given, without this machine's paths.

Options that only say how to answer here (how much to say, on how many cores) are left out.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click

_ONLY_HERE = {"as_json", "verbose", "quiet", "threads", "memory_limit"}

_SIGNED_IN = re.compile(r"//.*@")


def command_again(context: click.Context) -> str:
    """reidrisk NAME ARGUMENTS OPTIONS, each option that isn't as usual."""
    words = ["reidrisk", str(context.info_name)]
    for parameter in context.command.params:
        given = context.params.get(str(parameter.name))
        if isinstance(parameter, click.Argument):
            words += [_plain(each) for each in given or ()]
        elif parameter.name not in _ONLY_HERE and given != parameter.get_default(context):
            words += _option(parameter, given)
    return shlex.join(words)


def _option(parameter: click.Parameter, given: Any) -> list[str]:
    name = parameter.opts[-1]
    if isinstance(given, bool):
        return [name] if given else []
    several = given if isinstance(given, tuple) else (given,)
    return [word for each in several if each is not None for word in (name, _plain(each))]


def _plain(value: Any) -> str:
    """A file by its name alone, an address without who signs in."""
    text = str(value)
    if "://" in text:
        from reidrisk.engines.elsewhere.addresses import without_password

        return _SIGNED_IN.sub("//", without_password(text))
    return Path(text).name if "/" in text else text
