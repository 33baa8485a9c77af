"""The statistics file: loading it, with every fault told, and saving it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reidrisk.errors import InputError, UnreadableInput
from reidrisk.output_files import whole_file
from reidrisk.printable import shell_word
from reidrisk.statistics.consistency import (
    InconsistentStatistics,
    disagreements,
    faults_of_maps,
    merged,
)
from reidrisk.statistics.determined import with_determined
from reidrisk.statistics.file_shape import (
    EARLIER,
    FORMAT,
    FileShape,
    PairShape,
    TripleShape,
    maps_of,
    shape_of,
    statistics_of,
)
from reidrisk.statistics.protection import KeyedRounding
from reidrisk.statistics.statistics import Statistics
from reidrisk.statistics.statistics_mark import LARGEST_BYTES, is_statistics_file

# A file of counts is small; a hundred times the largest seen is no longer one.
_OF_RECORDS = "are these records? count them with `measure`, or make statistics with `publish`"
# What pydantic calls a suppressed cell.
_TEXT_CELL = "constrained-str"


def load_statistics(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Statistics:
    """Load a statistics file, or several about the same people; contradictions are refused.

    Parameters:
        path: a file, or several.
    """
    if isinstance(path, (str, os.PathLike)):
        return _load(Path(path))
    return merged([_load(Path(each)) for each in path])


def _load(path: Path) -> Statistics:
    from pydantic import ValidationError

    content = _parsed(path)
    _refuse_other_formats(path, content)
    try:
        shape = FileShape.model_validate(content)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise InconsistentStatistics(path.name, _once_per_place(details)) from None
    tables: list[PairShape | TripleShape] = [*shape.pairs, *shape.triples]
    repeated = [sentence for table in tables for sentence in _repeated_cells(table)]
    if repeated:
        raise InconsistentStatistics(path.name, repeated)
    statistics, maps = statistics_of(shape), maps_of(shape)
    found = _of_no_earlier_version(shape) + disagreements(statistics)
    found += faults_of_maps(statistics, [(each.name, maps[each.name]) for each in shape.determined])
    if found:
        raise InconsistentStatistics(path.name, found)
    names = [name for name in statistics.names if name not in maps]
    for each in sorted(shape.determined, key=lambda each: each.place):
        names.insert(each.place, each.name)
    return with_determined(statistics, maps, names)


def _of_no_earlier_version(shape: FileShape) -> list[str]:
    """What the first format doesn't have: a file that states it was put together by hand."""
    stated = shape.protection is not None or bool(shape.determined) or bool(shape.triples)
    stated |= shape.shared is not None
    return (
        [f"{EARLIER} states no protection, no maps, no three-way tables and no shared attributes"]
        if stated and shape.format == EARLIER
        else []
    )


def _parsed(path: Path) -> Any:
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise UnreadableInput(
                f"{path.name} has {size / 1e6:,.0f} MB: too large for a statistics file",
                f"at most {LARGEST_BYTES / 1e6:,.0f} MB; are these records? then use `measure`",
            )
        return json.loads(path.read_bytes(), object_pairs_hook=_without_repeats)
    except FileNotFoundError:
        raise UnreadableInput(f"there is no file {path}") from None
    except (IsADirectoryError, PermissionError) as error:
        raise UnreadableInput(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnreadableInput(
            f"{path.name} isn't a statistics file: it isn't text in UTF-8", _OF_RECORDS
        ) from None
    except json.JSONDecodeError as error:
        raise UnreadableInput(
            f"{path.name} isn't a statistics file: line {error.lineno} isn't JSON",
            _as_table(path),
        ) from None
    except ValueError:
        raise UnreadableInput(
            f"{path.name} contains a number of thousands of digits",
            "counts are whole numbers of people",
        ) from None
    except RecursionError:
        raise UnreadableInput(f"{path.name} is nested too deeply to be statistics") from None


def _as_table(path: Path) -> str:
    """What to do with a table where statistics are taken: one of records, or of counts."""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = [line for line in islice(file, 1000) if line.strip()]
    if not lines or lines[0].lstrip().startswith(("{", "[")):
        return _OF_RECORDS
    of_counts = f"reidrisk compile {shell_word(str(path))} -o statistics.json"
    if _hold_counts(lines):
        return f"turn a table of counts into statistics first: {of_counts}"
    return f"{_OF_RECORDS}; turn a table of counts into statistics with: {of_counts}"


def _hold_counts(lines: list[str]) -> bool:
    """Few columns, the last one of numbers, and no two lines about the same."""
    mark = max(",;\t|", key=lines[0].count)
    rows = [[cell.strip(' "\n') for cell in line.split(mark)] for line in lines[1:]]
    about = {tuple(row[:-1]) for row in rows}
    counted = all(re.fullmatch(r"[0-9]+|[0-9.]+ ?%", row[-1]) for row in rows)
    return bool(rows) and counted and len(about) == len(rows) and 2 <= len(rows[0]) <= 4


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON's last of two equal keys would win in silence."""
    repeated = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    if repeated:
        raise UnreadableInput(
            f"the statistics list {repeated[0]!r} twice in one place", "each value has one count"
        )
    return dict(pairs)


def _refuse_other_formats(path: Path, content: Any) -> None:
    stated = content.get("format") if isinstance(content, dict) else None
    if isinstance(stated, str) and stated not in (FORMAT, EARLIER):
        raise UnreadableInput(
            f"{path.name} has the format {stated!r}", f"this version reads {FORMAT} and {EARLIER}"
        )
    if stated is None:
        raise UnreadableInput(
            f"{path.name} isn't a statistics file",
            f'it needs "format": "{FORMAT}", "records" and "attributes"',
        )


def _once_per_place(details: Iterable[Any]) -> list[str]:
    """A sentence for each cell: what it may be is tried form by form."""
    of_place: dict[str, str] = {}
    for sentence in map(_sentence, details):
        of_place.setdefault(sentence.partition(": ")[0], sentence)
    return list(of_place.values())


def _sentence(error: Any) -> str:
    steps = [str(part) for part in error["loc"] if str(part).isidentifier() or _is_place(part)]
    where = ".".join(step for step in steps if step not in ("int", "str", "none", _TEXT_CELL))
    if error["type"] == "less_than_equal":
        return f"{where}: more than {error['ctx']['le']:,}, the largest allowed"
    if error["type"] == "too_long":
        return f"{where}: more than {error['ctx']['max_length']:,}, the most allowed"
    if error["type"] == "value_error":
        return f"{where}: {error['ctx']['error']}"
    if (
        error["loc"]
        and error["loc"][0] in ("attributes", "pairs", "triples")
        and "counts" in error["loc"]
    ):
        return f'{where}: a count is a whole number from 0, null or "<5"'
    return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _is_place(part: Any) -> bool:
    """A number, or a value's label; not the name of one of the shape's own inner parts."""
    return isinstance(part, int) or not any(mark in str(part) for mark in "[(<")


def _repeated_cells(table: PairShape | TripleShape) -> list[str]:
    times = Counter(cell[:-1] for cell in table.counts)
    repeated = sum(1 for number in times.values() if number > 1)
    ways = "two" if isinstance(table, PairShape) else "three"
    named = f"the {ways}-way table of {', '.join(map(repr, table.of[:-1]))} and {table.of[-1]!r}"
    return [f"{named} lists {repeated} cells twice"] if repeated else []


def save_statistics(statistics: Statistics, path: str | os.PathLike[str]) -> None:
    """Save as JSON, whole or not at all; unprotected counts for their owner's eyes alone.

    Parameters:
        statistics: what to save.
        path: the file to write.
    """
    with whole_file(path, private=statistics.unprotected) as beside:
        text = json.dumps(shape_of(statistics), ensure_ascii=False, indent=1)
        beside.write_text(text + "\n", encoding="utf-8")


def is_rounded_file(path: str | os.PathLike[str]) -> bool:
    """Whether a statistics file is there whose numbers were rounded by a key."""
    if not is_statistics_file(path):
        return False
    try:
        return isinstance(_load(Path(path)).protection, KeyedRounding)
    except InputError:
        return False
