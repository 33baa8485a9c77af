"""The statistics file: loaded, checked and saved."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reidrisk.errors import UnreadableInput
from reidrisk.printable import shell_word
from reidrisk.statistics.checking import InconsistentStatistics, faults
from reidrisk.statistics.merging import merged, with_one_spelling
from reidrisk.statistics.statistics import Statistics
from reidrisk.writing import whole_file

# A file of counts is small; a hundred times the largest seen is no longer one.
_OF_RECORDS = "are these records? count them with `measure`, or make statistics with `publish`"
LARGEST_BYTES = 200 * 10**6
# What pydantic calls a cell that is held back.
_TEXT_CELL = "constrained-str"


def load_statistics(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Statistics:
    """Load a statistics file, or several about the same people; refuse what disagrees."""
    if isinstance(path, (str, os.PathLike)):
        return _load(Path(path))
    return merged([_load(Path(each)) for each in path])


def _load(path: Path) -> Statistics:
    statistics = read_shape(path)
    found = faults(statistics)
    if found:
        raise InconsistentStatistics(path.name, found)
    return statistics


def read_shape(path: Path) -> Statistics:
    """What the file says, whether or not it agrees with itself."""
    from pydantic import ValidationError

    from reidrisk.statistics.file_shape import FileShape, statistics_of

    held = _parsed(path)
    _refuse_other_formats(path, held)
    try:
        shape = FileShape.model_validate(held)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)
        raise InconsistentStatistics(path.name, _each_once(map(_told, told))) from None
    repeated = [fault for each in shape.pairs for fault in _repeated_cells(each.of, each.counts)]
    if repeated:
        raise InconsistentStatistics(path.name, repeated)
    return with_one_spelling(statistics_of(shape))


def _parsed(path: Path) -> Any:
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise UnreadableInput(
                f"{path.name} has {size / 1e6:,.0f} MB: too large for a file of statistics",
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
            f"{path.name} isn't a statistics file: line {error.lineno} is no JSON",
            _as_table(path),
        ) from None
    except ValueError:
        raise UnreadableInput(
            f"{path.name} holds a number of thousands of digits", "counts are numbers of people"
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
        return f"a table of counts becomes statistics first: {of_counts}"
    return f"{_OF_RECORDS}; a table of counts becomes statistics by: {of_counts}"


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


def _refuse_other_formats(path: Path, held: Any) -> None:
    stated = held.get("format") if isinstance(held, dict) else None
    if isinstance(stated, str) and stated != "reidrisk-statistics/1":
        raise UnreadableInput(
            f"{path.name} has the format {stated!r}", "this version reads reidrisk-statistics/1"
        )
    if stated is None:
        raise UnreadableInput(
            f"{path.name} is no file of statistics",
            'it needs "format": "reidrisk-statistics/1", "records" and "attributes"',
        )


def _each_once(told: Iterable[str]) -> list[str]:
    """A cell is told of once: what it may be is tried form by form."""
    of_place: dict[str, str] = {}
    for fault in told:
        of_place.setdefault(fault.partition(": ")[0], fault)
    return list(of_place.values())


def _told(error: Any) -> str:
    steps = [str(part) for part in error["loc"] if str(part).isidentifier() or _is_place(part)]
    place = ".".join(step for step in steps if step not in ("int", "str", "none", _TEXT_CELL))
    if error["type"] == "less_than_equal":
        return f"{place}: more than {error['ctx']['le']:,}, the largest it may be"
    if error["type"] == "too_long":
        return f"{place}: more than {error['ctx']['max_length']:,}, which is the most there may be"
    if error["type"] == "value_error":
        return f"{place}: {error['ctx']['error']}"
    if error["loc"] and error["loc"][0] in ("attributes", "pairs") and "counts" in error["loc"]:
        return f'{place}: a count is a whole number from 0, null or "<5"'
    return f"{place}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _is_place(part: Any) -> bool:
    """A number, or a value's label; not the name of one of the shape's own inner parts."""
    return isinstance(part, int) or not any(mark in str(part) for mark in "[(<")


def _repeated_cells(of: tuple[str, str], cells: Iterable[tuple[Any, Any, Any]]) -> list[str]:
    times = Counter((a, b) for a, b, _ in cells)
    repeated = sum(1 for each in times.values() if each > 1)
    return [f"the pair of {of[0]!r} and {of[1]!r} lists {repeated} cells twice"] if repeated else []


def save_statistics(statistics: Statistics, path: str | os.PathLike[str]) -> None:
    """Save as JSON, whole or not at all."""
    from reidrisk.statistics.file_shape import shape_of

    with whole_file(path) as beside:
        text = json.dumps(shape_of(statistics), ensure_ascii=False, indent=1)
        beside.write_text(text + "\n", encoding="utf-8")


def is_statistics_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it holds statistics, wherever it says so."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            beginning = file.read(4096)
            if beginning.lstrip()[:1] != b"{":
                return False
            if b"reidrisk-statistics/" in beginning:
                return True
            small = place.stat().st_size <= LARGEST_BYTES and place.suffix.lower() == ".json"
            return small and b'"reidrisk-statistics/' in file.read()
    except OSError:
        return False
