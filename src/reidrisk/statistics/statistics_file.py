"""The statistics file: its schema, which the JSON Schema is made from; loading and saving it.

A further kind of count, a protection or a table of three attributes gets its shape here, and its
object in `statistics`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field

from reidrisk.errors import UnreadableInput
from reidrisk.output_files import whole_file
from reidrisk.printable import shell_word
from reidrisk.statistics.consistency import (
    InconsistentStatistics,
    disagreements,
    merged,
    with_one_spelling,
)
from reidrisk.statistics.statistics import (
    Attribute,
    Count,
    Other,
    PairCounts,
    Statistics,
    Suppressed,
)

FORMAT = "reidrisk-statistics/1"
# More people than there are: such numbers are a mistake, and floats still tell them apart.
LARGEST_COUNT = 10**15
# Each is given a place, in the models too: all surnames of the largest countries are fewer.
MOST_OTHER_VALUES = 10**7
MOST_ATTRIBUTES = 10_000
MOST_WRONG = 30
_BELOW = re.compile(r"\s*<\s*([0-9]{1,15})\s*")


def _whole(value: Any) -> Any:
    """39.0 is the whole number 39; true is no number."""
    if isinstance(value, bool):
        raise ValueError("a whole number is needed, not true or false")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=LARGEST_COUNT, strict=True)]
Below = Annotated[
    str, Field(pattern=r"^\s*<\s*[0-9]{1,15}\s*$", description="suppressed: below a number")
]
Cell = Whole | Below | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _mostly_counts(counts: Any) -> Any:
    """Where most cells are no counts one fault is told, not one for each of millions."""
    if isinstance(counts, dict):
        wrong = (cell for cell in counts.values() if not _may_be_a_count(cell))
        if len(list(islice(wrong, MOST_WRONG))) == MOST_WRONG:
            raise ValueError(f"{MOST_WRONG} or more of its cells aren't counts")
    return counts


def _may_be_a_count(cell: Any) -> bool:
    if isinstance(cell, str):
        return _BELOW.fullmatch(cell) is not None
    if cell is None or isinstance(cell, bool):
        return cell is None
    return isinstance(cell, (int, float)) and 0 <= cell <= LARGEST_COUNT and cell == int(cell)


class OtherShape(_Strict):
    """Values merged into other."""

    count: Whole = Field(description="how many people have one of them")
    values: Annotated[
        int, BeforeValidator(_whole), Field(ge=0, le=MOST_OTHER_VALUES, strict=True)
    ] = Field(description="how many values were merged")


class AttributeShape(_Strict):
    """One attribute."""

    name: str = Field(min_length=1, description="its name; each name once")
    counts: Annotated[dict[str, Cell], BeforeValidator(_mostly_counts)] = Field(
        description="people per value; null or '<5' where suppressed"
    )
    missing: Cell = Field(default=0, description="people without a value")
    other: OtherShape | None = Field(default=None, description="values merged into other")


class PairShape(_Strict):
    """A pair table, whole or in part."""

    of: tuple[str, str] = Field(description="the two attributes")
    counts: Annotated[list[tuple[str | None, str | None, Cell]], FailFast()] = Field(
        description="[value of the first, value of the second, people]; null is the missing value"
    )


class FileShape(_Strict):
    """Statistics about people: counts, no records."""

    format: Literal["reidrisk-statistics/1"] = Field(description="identifies this kind of file")
    title: str = Field(default="", description="what the statistics are about")
    records: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=LARGEST_COUNT, strict=True)] = (
        Field(description="how many people the counts are about")
    )
    attributes: list[AttributeShape] = Field(
        min_length=1,
        max_length=MOST_ATTRIBUTES,
        description="the attributes, each with the people of its values",
    )
    pairs: Annotated[list[PairShape], FailFast()] = Field(
        default_factory=list, description="two-way tables: how many people have both values"
    )
    sample_of: Whole | None = Field(default=None, description="size of the population sampled")
    rounded_to: Whole | None = Field(default=None, description="counts are multiples of this")
    at_least: Whole | None = Field(default=None, description="counts below this were suppressed")


def count_of(cell: int | str | None) -> Count:
    """A cell as a count: a number, or suppressed."""
    if cell is None:
        return Suppressed()
    if isinstance(cell, str):
        below = _BELOW.fullmatch(cell)
        return Suppressed(int(below[1]) if below else None)
    return cell


def cell_of(count: Count) -> int | str | None:
    """A count as a cell."""
    if isinstance(count, int):
        return count
    return None if count.below is None else f"<{count.below}"


def statistics_of(shape: FileShape) -> Statistics:
    """What the file says, as an object. Repeated cells are refused before."""
    attributes = tuple(
        Attribute(
            each.name,
            {value: count_of(cell) for value, cell in each.counts.items()},
            count_of(each.missing),
            Other(each.other.count, each.other.values) if each.other else None,
        )
        for each in shape.attributes
    )
    pairs = tuple(
        PairCounts(each.of, {(a, b): count_of(cell) for a, b, cell in each.counts})
        for each in shape.pairs
    )
    return Statistics(
        shape.records,
        attributes,
        pairs,
        shape.title,
        shape.sample_of,
        shape.rounded_to or None,
        shape.at_least or None,
    )


def shape_of(statistics: Statistics) -> dict[str, Any]:
    """The object as JSON."""
    return {
        "format": FORMAT,
        "title": statistics.title,
        "records": statistics.records,
        "attributes": [_attribute_shape(each) for each in statistics.attributes],
        "pairs": [
            {"of": list(each.of), "counts": [[*v, cell_of(c)] for v, c in each.counts.items()]}
            for each in statistics.pairs
        ],
        "sample_of": statistics.sample_of,
        "rounded_to": statistics.rounded_to,
        "at_least": statistics.at_least,
    }


def _attribute_shape(attribute: Attribute) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "name": attribute.name,
        "counts": {value: cell_of(count) for value, count in attribute.counts.items()},
    }
    if attribute.missing != 0:
        shape["missing"] = cell_of(attribute.missing)
    if attribute.other is not None:
        shape["other"] = {"count": attribute.other.count, "values": attribute.other.values}
    return shape


# A file of counts is small; a hundred times the largest seen is no longer one.
_OF_RECORDS = "are these records? count them with `measure`, or make statistics with `publish`"
LARGEST_BYTES = 200 * 10**6
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
    repeated = [sentence for pair in shape.pairs for sentence in _repeated_cells(pair)]
    if repeated:
        raise InconsistentStatistics(path.name, repeated)
    statistics = with_one_spelling(statistics_of(shape))
    found = disagreements(statistics)
    if found:
        raise InconsistentStatistics(path.name, found)
    return statistics


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
    if isinstance(stated, str) and stated != FORMAT:
        raise UnreadableInput(
            f"{path.name} has the format {stated!r}", f"this version reads {FORMAT}"
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
    if error["loc"] and error["loc"][0] in ("attributes", "pairs") and "counts" in error["loc"]:
        return f'{where}: a count is a whole number from 0, null or "<5"'
    return f"{where}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _is_place(part: Any) -> bool:
    """A number, or a value's label; not the name of one of the shape's own inner parts."""
    return isinstance(part, int) or not any(mark in str(part) for mark in "[(<")


def _repeated_cells(pair: PairShape) -> list[str]:
    times = Counter((a, b) for a, b, _ in pair.counts)
    repeated = sum(1 for number in times.values() if number > 1)
    named = "the two-way table of {!r} and {!r}".format(*pair.of)
    return [f"{named} lists {repeated} cells twice"] if repeated else []


def save_statistics(statistics: Statistics, path: str | os.PathLike[str]) -> None:
    """Save as JSON, whole or not at all.

    Parameters:
        statistics: what to save.
        path: the file to write.
    """
    with whole_file(path) as beside:
        text = json.dumps(shape_of(statistics), ensure_ascii=False, indent=1)
        beside.write_text(text + "\n", encoding="utf-8")


def is_statistics_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it holds statistics, wherever it says so."""
    file_path = Path(path)
    try:
        with file_path.open("rb") as file:
            beginning = file.read(4096)
            if beginning.lstrip()[:1] != b"{":
                return False
            if b"reidrisk-statistics/" in beginning:
                return True
            small = (
                file_path.stat().st_size <= LARGEST_BYTES and file_path.suffix.lower() == ".json"
            )
            return small and b'"reidrisk-statistics/' in file.read()
    except OSError:
        return False
