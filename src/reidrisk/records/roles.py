"""Roles: what a column is likely to be, and what a row is likely to stand for, from a first look.

The rules look at the first `FIRST_LOOK` rows only, so that a table of any size gets the same
verdict from `columns` and from `measure`, at the price of a short read. Without --columns, the
likely quasi-identifiers are chosen, and what was left out is said.

Two kinds of column speak against one person a row: one whose name means a person and whose values
repeat, and a whole number whose name means a number of people.

Where it fails: a column is recognised by its name. Of a table with more rows than the first look
takes, a person's column is looked through up to `MOST_LOOKED_THROUGH` rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from reidrisk.crowds import LikelyUnit, RowUnit
from reidrisk.errors import UnreadableInput, UnusableColumn
from reidrisk.machine import no_progress
from reidrisk.printable import shell_word
from reidrisk.records.files.source import LONGEST_VALUE, Source, no_category, refuse_many
from reidrisk.records.memory.coding import CodedColumn, Labelling, code_column
from reidrisk.records.read_options import ReadOptions
from reidrisk.records.text_forms import date_kind, number_marks, number_of

FIRST_LOOK = 100_000
ENOUGH_ROWS = 100
NEARLY_ALL = 0.9
# A person's number that more rows than this share, each, is a category.
MOST_ROWS_OF_ID = 1000
_IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|hid|pid|hhid|uid|uuid|guid|nbr|ssn|bsn|nin|nhs|mrn|passport|account|"
    r"e-?mail|phone|telephone|mobile|iban|licen[cs]e|name|surname|firstname|lastname|address)"
    r"($|[^a-z])|(patient|person|record|member|client|customer|case|encounter|respondent)"
    r"([^a-z]?(id|no|nr|nbr|num|number|key))?$"
)
_WEIGHT_NAME = re.compile(
    r"^(fnlwgt|wgt|pwgtp|wgtp|perwt|hhwt|asecwt)$"
    r"|(survey|sampl\w*|household|person|instance)_(weights?|wgt|wt)$"
)
_KNOWN_OUTSIDE = re.compile(
    r"post(al)?[ _-]?code|zip|plz|(^|[^a-z])(dob|born|birth\w*|geb\w*|age|date|street|city|town)"
    r"($|[^a-z])|birth"
)
_COORDINATE_NAME = re.compile(
    r"(^|[^a-z])(lat|latitude|lon|lng|long|longitude|breitengrad|l(ae|ä)ngengrad|latitud|longitud|"
    r"latitudine|longitudine|breedtegraad|lengtegraad)($|[^a-z])"
)
# Of a longitude; a latitude's are half as far.
_MOST_DEGREES = 180.0
_PERSON_WORDS = (
    r"patient|person|member|client|customer|respondent|participant|subject|citizen|resident|"
    r"student|pupil|employee|worker|user|insured|enroll?ee|beneficiary|versicherter?|persoon|usager"
)
_ID_WORDS = r"(id|ids|no|nr|nbr|num|number|key|code|uid|uuid|guid|identifier|pseudonym)"
_PERSON_ID_NAME = re.compile(
    rf"(^|[^a-z])({_PERSON_WORDS}|case|encounter)s?[^a-z]?{_ID_WORDS}$|(^|[^a-z]){_ID_WORDS}[^a-z]({_PERSON_WORDS})$"
    r"|(^|[^a-z])(pid|mrn|ssn|bsn|nin|nhs[^a-z]?(number|no|id)?|nir)$"
)
# Of anybody or anything: it says something of persons only where nearly all its values differ.
_PLAIN_IDENTIFIER_NAME = re.compile(
    r"^(id|uid|uuid|guid|identifier|pseudonym|account|email|e-mail|passport)$"
)
_PERSON_NAME = re.compile(rf"^({_PERSON_WORDS})$")
_COUNT_NAME = re.compile(
    r"^(counts?|n|freqs?|frequency|frequencies|people|population|persons|cases|headcount|"
    r"(n|nb|num|no|nr|number[^a-z]of)[^a-z]?(people|persons|cases|records|patients|individuals)|"
    r"(people|person|case|patient)s?[^a-z](count|total)|anzahl([^a-z]?(fall|faelle|fälle))?|"
    r"aantal|effectifs?)$"
)

IDENTIFIER = "identifier"
QUASI_IDENTIFIER = "quasi-identifier"
CONSTANT = "constant"
FREE_TEXT = "free text"
MEASUREMENT = "measurement"
COUNT = "count"
WEIGHT = "weight"
# Role and reason of a column that can't be counted.
NO_SINGLE_VALUES = (FREE_TEXT, "it holds lists or structures")


@dataclass(frozen=True)
class Look:
    """What the first look at one column says."""

    name: str
    kind: str
    role: str
    why: str
    rows: int
    values: int
    # Rows that hold a value.
    present: int = 0

    @property
    def left_out(self) -> bool:
        """No quasi-identifier unless it is named."""
        return self.role not in (QUASI_IDENTIFIER, CONSTANT)


def first_look(source: Source, names: Sequence[str], empty: frozenset[str]) -> list[Look]:
    """Judge the named columns by their first rows."""
    refuse_many(names)
    table = source.head(names, FIRST_LOOK)
    labelling = Labelling(empty, source.decimal_comma)
    return [_judged(name, table.column(name).chunks, labelling) for name in names]


def _judged(name: str, chunks: Sequence[object], labelling: Labelling) -> Look:
    try:
        column = code_column(name, list(chunks), labelling)
    except UnusableColumn:
        return Look(name, "nested", *NO_SINGLE_VALUES, 0, 0)
    return judge(column)


def judge(column: CodedColumn) -> Look:
    """The likely role of a coded column."""
    return judged(column, len(column.codes), len(column.values))


def judged(column: CodedColumn, rows: int, values: int) -> Look:
    """The likely role of a column of so many rows and values, some of which it holds."""
    kind = kind_of(column)
    role, why = _role(column, kind, rows, values)
    return Look(column.name, kind, role, why, rows, values, rows - int(column.held[-1]))


def _role(column: CodedColumn, kind: str, rows: int, values: int) -> tuple[str, str]:
    present = rows - int(column.held[-1])
    if values == 0 or (values == 1 and present == rows):
        return CONSTANT, "it has one value" if values else "it is empty"
    if _is_prose(column, values, present):
        return FREE_TEXT, "its values are long texts"
    if "number" in kind and _WEIGHT_NAME.search(column.name.casefold()):
        return WEIGHT, "its name says it is a survey weight"
    if kind == "number with fractions" and is_coordinate(column.name) and _are_degrees(column):
        return QUASI_IDENTIFIER, "a coordinate; --decimals rounds it"
    if kind == "number with fractions":
        return MEASUREMENT, "it holds numbers with fractions; --bands groups them"
    if kind == "whole number" and named_count(column.name):
        return COUNT, "its name says how many people a row stands for"
    words = words_of(column.name)
    if kind.startswith("date") or _KNOWN_OUTSIDE.search(words):
        return QUASI_IDENTIFIER, ""
    if named_person_id(column.name) and values > 1 and present <= MOST_ROWS_OF_ID * values:
        return IDENTIFIER, "its name says that it is a person's number"
    if _IDENTIFIER_NAME.search(words) and values >= max(2, present / 4):
        return IDENTIFIER, "its name and its many values say so"
    if rows >= ENOUGH_ROWS and values >= NEARLY_ALL * present:
        return IDENTIFIER, f"{values / present:.0%} of its values are different"
    return QUASI_IDENTIFIER, ""


def is_coordinate(name: str) -> bool:
    """Whether the name says latitude or longitude: a place, not a measurement."""
    return bool(_COORDINATE_NAME.search(words_of(name)))


def _are_degrees(column: CodedColumn) -> bool:
    numbers = map(number_of, column.texts())
    return all(number is not None and abs(number) <= _MOST_DEGREES for number in numbers)


def words_of(name: str) -> str:
    """customerId → customer_id: words stay apart when case is folded."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold()


def named_person(name: str) -> bool:
    """patient_nbr, id_person, MRN, patient: the name says whose the row is."""
    return named_person_id(name) or bool(_PERSON_NAME.search(words_of(name)))


def named_person_id(name: str) -> bool:
    """The name says that its values are persons' numbers."""
    return bool(_PERSON_ID_NAME.search(words_of(name)))


def named_identifier(name: str) -> bool:
    """id, email, account …: whose or what's, the name doesn't say."""
    return bool(_PLAIN_IDENTIFIER_NAME.search(words_of(name)))


def named_count(name: str) -> bool:
    """count, n_people, AnzahlFall: the name says how many people a row stands for."""
    return bool(_COUNT_NAME.search(words_of(name)))


def _is_prose(column: CodedColumn, values: int, present: int) -> bool:
    some = list(islice(column.texts(), 200))
    long = sum(len(text) for text in some) / len(some) > 40
    wordy = sum(text.count(" ") for text in some) / len(some) > 4
    return long and (wordy or max(map(len, some)) > 1000) and values >= present / 4


def kind_of(column: CodedColumn) -> str:
    """number with fractions, whole number, code, date, true/false, text or empty."""
    if not len(column.values):
        return "empty"
    some = list(islice(column.texts(), 2000))
    if set(some) <= {"true", "false"}:
        return "true/false"
    # Day and month are told apart by all values, of which the first few show whether to look.
    dates = date_kind(some[:50]) and date_kind(list(column.texts()))
    if dates:
        return dates
    if any(number_of(text) is None for text in some):
        return _marked_kind(list(column.texts()))
    if column.is_measurement():
        return "number with fractions"
    leading = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in some)
    return "code" if leading else "whole number"


def _marked_kind(texts: Sequence[str]) -> str:
    """A number where every value is one, with marks between thousands; else text."""
    marks = number_marks(texts)
    plain = [None if marks is None else marks.plain(text) for text in texts]
    numbers = [None if text is None else number_of(text) for text in plain]
    if any(number is None for number in numbers):
        return "text"
    whole = all(number is not None and number.is_integer() for number in numbers)
    return "whole number" if whole else "number with fractions"


def likely_columns(looks: Sequence[Look], chosen: ReadOptions) -> tuple[ReadOptions, list[str]]:
    """All columns but those that are likely no quasi-identifiers, and sentences that say so."""
    candidates = [look.name for look in looks]
    left = [look for look in looks if look.left_out and look.name not in chosen.recoding]
    out = {look.name for look in left}
    kept = [name for name in candidates if name not in out]
    if not kept:
        raise UnusableColumn(
            "every column looks like an identifier, a free text or a measurement",
            f"name the quasi-identifiers: --columns {','.join(candidates[:3])}",
        )
    warnings = [_left_out_sentence(left)] if left else []
    return chosen.with_columns(kept).decided("--columns"), warnings + _hints(looks, chosen)


def _left_out_sentence(left: Sequence[Look]) -> str:
    named = "; ".join(f"{look.name} ({look.role}: {look.why})" for look in left)
    return f"Not used as quasi-identifiers: {named}. To use them all the same, add --columns."


def _hints(looks: Sequence[Look], chosen: ReadOptions) -> list[str]:
    return [
        f"If {look.name} is a survey weight, add --weight {shell_word(look.name)}."
        for look in looks
        if look.role == WEIGHT and not chosen.weight
    ]


MOST_LOOKED_THROUGH = 20_000_000

# Rows for each value above which it is a category, not a person: of a column called "patient"
# (unless its values are many), of any other identifier.
_MOST_ROWS_OF_NAME, _MANY_VALUES, _MOST_ROWS_OF_ANY = 20, 100, 4


# Column → values held, longest text, all are numbers, some have fractions.
Faults = Mapping[str, Sequence[Any]]


def refuse_faults(faults: Faults, options: ReadOptions, records: int) -> None:
    """No rows, nothing but empty cells, measurements, and values that are no categories."""
    if not records:
        raise UnreadableInput("the table has no rows")
    if not any(held for held, *_ in faults.values()):
        raise UnusableColumn(
            "every quasi-identifier is empty in every row: there is nothing to measure",
            "choose other columns, or check --empty",
        )
    for name, (_, longest, numbers, fractions) in faults.items():
        if longest > LONGEST_VALUE:
            raise no_category(name, f"a value of {longest:,} characters")
        if numbers and fractions and name not in options.recoding and not is_coordinate(name):
            raise measurement(name)


def measurement(name: str) -> UnusableColumn:
    """The error for a column of numbers with fractions."""
    return UnusableColumn(
        f"column {name!r} holds numbers with fractions: nearly everyone would stand out by them",
        f"group it into bands (--bands {name}=10) or round it (--decimals {name}=0)",
    )


def stated_unit(options: ReadOptions) -> RowUnit | None:
    """What the options say; None where they say nothing."""
    if options.person is not None:
        return RowUnit("person", options.person, True)
    if options.count is not None:
        return RowUnit("count", options.count, True)
    return RowUnit(stated=True) if options.rows_are_people else None


def unit_names(names: Iterable[str]) -> list[str]:
    """The columns whose names say that they are a person's or a number of people."""
    ways = (named_person, named_identifier, named_count)
    return [name for name in names if any(named(name) for named in ways)]


def likely_units(looks: Sequence[Look], repeats: Iterable[str] = ()) -> tuple[LikelyUnit, ...]:
    """What the looks at columns say; `repeats` are columns found to repeat further on."""
    found = [_likely(look, look.name in set(repeats)) for look in looks]
    # A count first: who counts cells has no persons to tell apart.
    return tuple(sorted(filter(None, found), key=lambda each: each.kind))


def _likely(look: Look, repeats: bool) -> LikelyUnit | None:
    if named_count(look.name) and look.kind == "whole number" and look.values > 1:
        why = f"{look.name} looks like the number of people a row stands for."
        return LikelyUnit(look.name, "count", why)
    if repeats:
        return LikelyUnit(look.name, "person", f"Values of {look.name} repeat.")
    if look.kind in ("number with fractions", "nested") or look.values in (0, look.present):
        return None
    if _is_person(look):
        why = (
            f"{look.name} repeats: {look.values:,} different values in the {look.present:,} rows "
            "read."
        )
        return LikelyUnit(look.name, "person", why)
    return None


def _is_person(look: Look) -> bool:
    """Whether values that repeat are people who come several times, by the column's name."""
    rows_each = look.present / look.values
    if named_person_id(look.name):
        return look.values > 1 and rows_each <= MOST_ROWS_OF_ID
    if named_person(look.name):
        many = look.values >= _MANY_VALUES and rows_each <= MOST_ROWS_OF_ID
        return look.kind != "true/false" and (rows_each <= _MOST_ROWS_OF_NAME or many)
    return named_identifier(look.name) and rows_each <= _MOST_ROWS_OF_ANY


def unit_of(source: Source, options: ReadOptions, looks: Sequence[Look]) -> RowUnit:
    """The unit of a table that is read here; `looks` are those taken already."""
    stated = stated_unit(options)
    if stated is not None:
        return stated
    wanted = unit_names(source.names)
    looked = {look.name: look for look in looks}
    more = [name for name in wanted if name not in looked]
    if more:
        looked |= {look.name: look for look in first_look(source, more, options.empty)}
    found = [looked[name] for name in wanted]
    beyond = [each.name for each in found if _may_repeat_later(each) and _repeats(source, each)]
    return RowUnit(likely=likely_units(found, beyond))


def _may_repeat_later(look: Look) -> bool:
    """A person's column in which nobody came twice so far, and there is more to come."""
    return named_person(look.name) and look.values == look.present and look.rows >= FIRST_LOOK


def _repeats(source: Source, look: Look) -> bool:
    """Whether a value comes twice in the whole column."""

    def repeated(name: str, chunks: Iterable[pa.Array]) -> bool:
        column = code_column(name, _first(chunks, MOST_LOOKED_THROUGH), Labelling())
        return len(column.values) < len(column.codes) - int(column.held[-1])

    (found,) = source.each_column([look.name], repeated, 1, no_progress)
    return found


def _first(chunks: Iterable[pa.Array], most: int) -> Iterator[pa.Array]:
    """Chunks up to so many rows, roughly."""
    rows = 0
    for chunk in chunks:
        yield chunk
        rows += len(chunk)
        if rows >= most:
            return
