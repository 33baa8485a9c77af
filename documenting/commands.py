"""The command reference, made from the commands: usage, sentences, options, an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import click

from documenting.examples import examples_in
from documenting.json_keys import runs
from documenting.made_parts import table
from reidrisk.cli.main import GROUPS, reidrisk
from reidrisk.cli.options import output_options, place_options, seeing_options, writing_options

# Where a command is explained; one that isn't listed has its help alone.
EXPLAINED_IN = {
    "columns": "seeing.md",
    "measure": "../method/crowd_sizes.md",
    "population": "../method/population.md",
    "attack": "../method/attack.md",
    "learn": "../method/learning.md",
    "link": "../method/linking.md",
    "search": "../method/search.md",
    "generalise": "../method/generalising.md",
    "releases": "../method/releases.md",
    "publish": "../how-to/publish.md",
    "compile": "tables_of_counts.md",
    "check": "statistics_file.md",
    "predict": "../method/index.md",
    "person": "../method/person.md",
    "people": "../method/person.md",
    "group": "../method/groups.md",
    "plan": "../method/plan.md",
    "report": "../report.md",
    "serve": "../page.md",
    "reproduce": "../papers.md",
}
_DEFAULT = re.compile(r"^(.*?)\s*\[([^\]]*)\]$", re.DOTALL)
_EXAMPLE = "Example:"


def options_of(*decorators: Callable[[Any], Any]) -> list[click.Option]:
    """The options that decorators give to a command, in their order."""

    def bare() -> None:
        """Nothing but options."""

    for decorate in reversed(decorators):
        decorate(bare)
    return list(reversed(getattr(bare, "__click_params__", [])))


# Options that mean the same in every command are explained once.
_PLACES = [*map(str, (option.name for option in options_of(place_options))), "memory_limit"]
SHARED = {
    "Quasi-identifiers and rows": [
        option for option in options_of(seeing_options) if option.name not in _PLACES
    ],
    "Engines and databases": [
        option for option in options_of(seeing_options) if option.name in _PLACES
    ],
    "Text tables": options_of(writing_options),
    "Output": options_of(output_options),
}


def commands() -> Iterator[tuple[str, str, click.Command]]:
    """(group, name, command), in the order of the groups."""
    context = click.Context(reidrisk)
    for group, named in GROUPS.items():
        for name in named:
            command = reidrisk.get_command(context, name)
            assert command is not None
            yield group, name, command


def commands_part(before: str) -> str:
    """Every command by its group, then the options they share; outputs stay as they stood."""
    parts: list[str] = []
    shown = {example.command: example.shown for example in examples_in(before)}
    for group, name, command in commands():
        if f"## {group}" not in parts:
            parts.append(f"## {group}")
        parts += command_section(name, command, shown)
    return "\n\n".join([*parts, *_shared_sections()])


def command_section(name: str, command: click.Command, shown: dict[str, str]) -> list[str]:
    """Usage, sentences, where more is said, options, the example."""
    context = click.Context(command, info_name=f"reidrisk {name}", parent=None)
    usage = command.get_usage(context).removeprefix("Usage: ")
    own = [option for option in own_options(command) if option.name != "help"]
    heads = ("option", "default", "meaning")
    parts = [f"### `{name}`", f"```text\n{' '.join(usage.split())}\n```", *sentences(command)]
    if own:
        parts.append(table(heads, [option_row(option) for option in own]))
    also = [_group_named(group, command) for group in _groups_of(command)]
    if also:
        parts.append(f"Also the options for {', '.join(also)}.")
    return [*parts, *_read_on(name), *_example(command, shown)]


def sentences(command: click.Command) -> list[str]:
    """The paragraphs of a command's help."""
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    return [with_code(" ".join(part.split())) for part in re.split(r"\n\s*\n", text)]


def with_code(text: str) -> str:
    """Options and file patterns in a sentence, written as code."""
    return re.sub(r"(?<![\w`-])(--[a-z][a-z-]*|-[a-z]\b|'[^' ]*\*[^' ]*')", r"`\1`", text)


def own_options(command: click.Command) -> list[click.Option]:
    """The options that only this command has, or that mean something of their own in it."""
    shared = [_said(option) for options in SHARED.values() for option in options]
    options = [param for param in command.params if isinstance(param, click.Option)]
    return [option for option in options if _said(option) not in shared]


def option_row(option: click.Option) -> tuple[str, str, str]:
    """How it is written, its default, what it means."""
    names = [f"`{name}`" for name in (*option.opts, *option.secondary_opts)]
    if option.metavar and not option.is_flag:
        names[-1] = names[-1][:-1] + f" {option.metavar}`"
    found = _DEFAULT.match(option.help or "")
    meaning, default = (found[1], found[2]) if found else (option.help or "", "–")
    return ", ".join(names), "needed" if option.required else default, with_code(meaning)


def example_commands(command: click.Command) -> list[str]:
    """The commands that a command's help shows behind "Example:"."""
    lines = [line.strip() for line in (command.epilog or "").replace("\b", "").splitlines()]
    return [line for line in lines if line and line != _EXAMPLE]


def _said(option: click.Option) -> tuple[tuple[str, ...], str | None]:
    return tuple(option.opts), option.help


def _groups_of(command: click.Command) -> list[str]:
    have = {_said(param) for param in command.params if isinstance(param, click.Option)}
    return [group for group, options in SHARED.items() if have & {*map(_said, options)}]


def _group_named(group: str, command: click.Command) -> str:
    """The group's name as a link, and those of its options that the command lacks."""
    have = {_said(param) for param in command.params if isinstance(param, click.Option)}
    lacking = [f"`{each.opts[0]}`" for each in SHARED[group] if _said(each) not in have]
    without = f" (but for {', '.join(lacking)})" if lacking else ""
    return f"[{group.lower()}](#{_anchor(group)}){without}"


def _read_on(name: str) -> list[str]:
    links = [f"[how it works]({EXPLAINED_IN[name]})"] if name in EXPLAINED_IN else []
    if name in runs():
        links.append(f"[its JSON](json.md#{name})")
    return [f"More: {', '.join(links)}."] if links else []


def _example(command: click.Command, shown: dict[str, str]) -> list[str]:
    written = example_commands(command)
    if not written:
        return []
    if command.name == "serve":
        return ["```sh\n" + "\n".join(written) + "\n```"]
    told = "".join(f"$ {line}\n{shown.get(line, '')}" for line in written)
    return [f"```console\n{told}```"]


def _shared_sections() -> list[str]:
    parts = ["## Options that mean the same everywhere"]
    for group, options in SHARED.items():
        rows = [option_row(option) for option in options]
        parts += [f"### {group}", table(("option", "default", "meaning"), rows)]
    return parts


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def undocumented(command: click.Command) -> list[str]:
    """What lacks words: the command itself (""), or options of it."""
    options = [param for param in command.params if isinstance(param, click.Option)]
    silent = [each.opts[-1] for each in options if not option_row(each)[2].strip(" .")]
    return ([] if (command.help or "").strip() else [""]) + silent
