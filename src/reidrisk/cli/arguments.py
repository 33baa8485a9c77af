"""What options say: the arguments of the questions they are for, and the command again.

A source is records or statistics; options that only the other kind has are refused. Every file or
folder that a command was given to read is kept from being overwritten. The command again is as
somebody else would type it, without this machine's paths; options that only say how to answer here
(how much to say, on how many cores) are left out.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from reidrisk.errors import ContradictoryOptions, InputError
from reidrisk.printable import shell_word, shell_words, without_password


def reading_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `rr.read` from a command's options."""
    return (
        {
            "columns": chosen_columns(given["columns"], given["column"]),
            "bands": assignments("--bands", given["bands"]),
            "levels": assignments("--levels", given["levels"]),
            "decimals": assignments("--decimals", given["decimals"]),
            "missing": given["missing"],
            "count": given["count"],
            "weight": given["weight"],
            "person": given["person"],
            "rows_are_people": given["rows_are_people"],
            "memory_limit": given["memory_limit"],
        }
        | writing_arguments(given)
        | place_arguments(given)
    )


def place_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that say where records are counted; a password is asked for, never shown."""
    password = None
    if given["password_prompt"]:
        password = click.prompt("Password", hide_input=True, err=True, default="")
    return {
        "engine": given["engine"],
        "table_name": given["table_name"],
        "query": given["query"],
        "password": password,
    }


def writing_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those that say how a file is written."""
    return {
        "empty": [text for text in given["empty"].split(",") if text],
        "delimiter": given["delimiter"],
        "encoding": given["encoding"],
        "decimal": given["decimal"],
        "sheet": given["sheet"],
        "header": not given["no_header"],
        "threads": given["threads"],
    }


def chosen_columns(listed: tuple[str, ...], single: tuple[str, ...]) -> list[str] | None:
    """--columns a,b and --column, each repeated or not, together; None when neither was given."""
    if not listed and not single:
        return None
    names = [name.strip() for text in listed for name in text.split(",")]
    return [name for name in names if name] + list(single)


def sensitive_columns(given: tuple[str, ...]) -> list[str]:
    """--sensitive a,b, repeated or not."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def assignments(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """COL=VALUE, repeated or behind commas; the last = parts the two."""
    found: dict[str, str] = {}
    for text in given:
        for part in text.split(","):
            name, equals, value = part.rpartition("=")
            if not equals or not name.strip() or not value.strip():
                raise InputError(f"{option} {text} isn't COLUMN=VALUE", "such as age=5")
            if name.strip() in found:
                raise ContradictoryOptions(f"{option} names column {name.strip()!r} twice")
            found[name.strip()] = value.strip()
    return found


# What only records have, and only statistics; each with its value when it isn't given.
OF_RECORDS = {
    "decimals": (), "missing": "own", "count": None, "weight": None, "person": None,
    "rows_are_people": False,
    "engine": "embedded", "memory_limit": None, "empty": "", "delimiter": None, "encoding": None,
    "decimal": None, "no_header": False, "sheet": None, "risk_file": None, "person_file": None,
    "unique_up_to": None, "key": None, "sensitive": (), "table_name": None, "query": None,
    "password_prompt": False,
}  # fmt: skip
OF_STATISTICS = {"model": None, "background": None, "draws": None}


def are_statistics(
    source: tuple[str, ...], given: Mapping[str, Any], both: Collection[str] = ()
) -> bool:
    """Whether the source is; options that are for the other kind are refused, but those that a
    command has for `both`.
    """
    from reidrisk.statistics import is_statistics_file

    given = {name: value for name, value in given.items() if name not in both}
    if all(map(is_statistics_file, source)):
        refuse_options("statistics", "records", OF_RECORDS, given)
        return True
    if len(source) > 1:
        raise ContradictoryOptions(
            "several files that aren't all statistics",
            quoted_pattern(source) or "one table, or several statistics files",
        )
    refuse_options("records", "statistics", OF_STATISTICS, given)
    return False


def refuse_options(
    these: str, those: str, options: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Options given of what only those others have."""
    for name, usual in options.items():
        if given.get(name, usual) != usual:
            raise ContradictoryOptions(f"--{_option(name)} is for {those}, and these are {these}")


def _option(name: str) -> str:
    return "table" if name == "table_name" else name.replace("_", "-")


def statistics_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """How statistics are seen and used, from a command's options."""
    from reidrisk.prediction import statistics_from_files

    behind = given["background"]
    return {
        "bands": assignments("--bands", given["bands"]),
        "levels": assignments("--levels", given["levels"]),
        "model": given["model"] or "auto",
        "background": None if behind is None else statistics_from_files([behind]),
    }


def seen_statistics(asked: Any, given: Mapping[str, Any]) -> Any:
    """Statistics seen as the options of a table say; those that only a table has are refused."""
    from reidrisk.prediction import recoded_as

    for option in ("count", "weight", "person"):
        if given[option]:
            raise ContradictoryOptions(f"--{option} is for records, and these are statistics")
    if given["missing"] != "own":
        raise ContradictoryOptions("--missing is for records, and these are statistics")
    return recoded_as(
        asked,
        chosen_columns(given["columns"], given["column"]),
        assignments("--bands", given["bands"]),
        assignments("--levels", given["levels"]),
    )


MOST_DIGITS = 16


def crowd_list(text: str | None) -> list[int] | None:
    """2-5,10 → 2, 3, 4, 5, 10."""
    return listed_sizes("--crowds", text, "write it as 2-5,10")


def listed_sizes(
    option: str, text: str | None, hint: str, widest: int = 10_000
) -> list[int] | None:
    """Sizes and ranges of them behind commas; a range reaches at most `widest` up."""
    if text is None:
        return None
    sizes: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not _is_size(low) or (dash and not _is_size(high)):
            raise InputError(f"{option} {text}: not a list of sizes", hint)
        if max(len(low), len(high)) > MOST_DIGITS:
            raise InputError(f"{option}: there are no crowds of so many people", hint)
        first, last = int(low), int(high) if dash else int(low)
        if first < 1 or last < first or last - first > widest:
            raise InputError(f"{option} {text}: sizes start at 1 and rise, 10,000 at most", hint)
        sizes.extend(range(first, last + 1))
    return sizes


def _is_size(text: str) -> bool:
    """Digits as everybody writes them: ² is one too."""
    return text.isascii() and text.isdigit()


MOST_SIZES = 10_000


def size_list(text: str | None) -> list[int] | None:
    """2-60 or 10,20,50 → the sizes."""
    return listed_sizes("--sizes", text, "write it as 2-60 or 10,20,50", MOST_SIZES - 1)


def widths_of(given: tuple[str, ...]) -> dict[str, list[str]]:
    """age=2,5,10 → three widths of age; what stands behind a comma without = is one more width."""
    found: dict[str, list[str]] = {}
    for text in given:
        name = ""
        for part in text.split(","):
            before, equals, width = part.rpartition("=")
            if equals:
                name = before.strip()
                if name in found:
                    raise ContradictoryOptions(f"--bands names column {name!r} twice")
                found[name] = []
            if not name or not width.strip():
                raise InputError(f"--bands {text} isn't COLUMN=WIDTH", "such as age=5")
            found[name].append(width.strip())
    return found


def values_of(given: tuple[str, ...]) -> dict[str, str]:
    """age=0-94 and sex=f/m, repeated or behind commas."""
    return _named("--values", [part for text in given for part in text.split(",")], "age=0-94")


def member_values(given: tuple[str, ...]) -> dict[str, str] | None:
    """age=39, repeated; a value may hold commas and more =."""
    return _named("--member", given, "age=39") if given else None


def _named(option: str, given: tuple[str, ...] | list[str], example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option} is written NAME=VALUE", f"such as {example}")
        if name.strip() in found:
            raise ContradictoryOptions(f"{option} names {name.strip()!r} twice")
        found[name.strip()] = value.strip()
    return found


def quoted_pattern(arguments: Sequence[str]) -> str:
    """The pattern that a shell may have made several files of, in quotes; empty for one file."""
    files = [Path(each) for each in arguments if os.path.isfile(each)]
    if len(files) < 2:
        return ""
    folders, endings = {file.parent for file in files}, {file.suffix for file in files}
    if len(folders) > 1 or len(endings) > 1:
        return "to read several files as one table, name a folder that has only them"
    quoted = shell_word(str(files[0].parent / f"*{files[0].suffix}"))
    return f"to read several files as one table, put the pattern in quotes: {quoted}"


# Parameters that say where to write; whatever else names a file is an input.
OUTPUTS = {"output", "risk_file", "person_file", "example", "save_hierarchies"}
# Options whose value may look like a folder: a decimal point isn't the one they are in.
MARKS = {"decimal", "delimiter"}


def watch_outputs(context: click.Context, parameter: click.Parameter, force: bool) -> None:
    """Overwrite what an earlier run wrote and nothing else, unless by force."""
    from reidrisk.output_files import overwriting

    # The other parameters are read later than this one.
    command = str(context.info_name)
    context.with_resource(overwriting(force, command, lambda: list(_inputs(context))))


def _inputs(context: click.Context) -> Iterator[Path]:
    """Every existing file or folder named by an argument or an option, alone or after a ``=``."""
    for name, value in context.params.items():
        if name in OUTPUTS | MARKS:
            continue
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, str) or "://" in each:
                continue
            for part in {each, each.partition("=")[2]} - {""}:
                names = [part, *(glob.glob(part) if glob.has_magic(part) else ())]
                yield from (Path(found) for found in names if "\0" not in found)


_MAY_BE_PUBLISHED = {
    "columns", "column", "bands", "levels", "missing", "person", "count", "crowds", "publishable",
    "at_least", "model", "seed", "up_to", "time_limit", "kind", "rows_are_people",
    "sensitive",
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
            words += _option_again(parameter, value, masked if is_file else without_password)
    return words


def _option_again(
    parameter: click.Parameter, value: Any, masked: Callable[[str], str]
) -> list[str]:
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
