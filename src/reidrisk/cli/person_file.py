"""The file of what singles each person out: what it needs, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reidrisk.cli.arguments import writing_arguments
from reidrisk.cli.output import say
from reidrisk.errors import ContradictoryOptions


def sets_wanted(options: Mapping[str, Any]) -> bool:
    """Whether minimal unique sets were asked for."""
    return options["unique_up_to"] is not None or options["person_file"] is not None


def refuse_unwritable(source: str, options: Mapping[str, Any]) -> None:
    """Say so before anything is read: the kind of each file, and whether it would lose another."""
    from reidrisk.output_files import refuse_input_as_output, table_kind

    files = [options.get(name) for name in ("risk_file", "person_file")]
    outputs = [path for path in files if path is not None]
    for path in outputs:
        table_kind(Path(path))
        refuse_input_as_output(path, [Path(source)])
    if len(outputs) == 2 and Path(outputs[0]).resolve() == Path(outputs[1]).resolve():
        raise ContradictoryOptions("--risk-file and --person-file name the same file")
    if options["key"] is not None and not outputs:
        raise ContradictoryOptions("--key names the rows of a file, but no file is to be written")


def write_person_file(source: str, sets: Any, options: Mapping[str, Any]) -> None:
    """Write it where it was asked for."""
    from reidrisk.attacks import write_unique_sets
    from reidrisk.records import read

    if options["person_file"] is None:
        return
    names = None
    if options["key"] is not None:
        names = read(source, columns=[options["key"]], **writing_arguments(options))
    write_unique_sets(sets, options["person_file"], names=names)


def say_person_file(options: Mapping[str, Any]) -> None:
    """Where it is."""
    if options["person_file"] is not None:
        say(f"\n  Each record's minimal unique sets: {options['person_file']}")
