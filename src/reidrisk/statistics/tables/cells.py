"""Cells of published tables: numbers and suppression marks, labels, and units.

**Numbers.** 1,234.5 and 1.234,5 and 1 234,5 are one number; which mark is the decimal one is
decided for a whole table, never for a cell. "<5", "x", ".", "/", ":" and the empty cell are
suppressed; "-" is nobody.

**Labels.** What a row or column is called: a value, no value, or the total; what a column holds.
English first, and the languages of the public tables people bring: German, French, Dutch, Spanish,
Italian. A word that isn't here is a value.

**Units.** "in thousands", "x 1 000", "en milliers" multiply a table's numbers. Only a text about
the numbers counts: in brackets, after "in", or alone between commas. "more than ten thousand
inhabitants" is a title, and "per 1 000" is a rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Literal

from reidrisk.records import text_form
from reidrisk.statistics.statistics import Suppressed, Value
from reidrisk.statistics.value_matching import normalised

Number = Decimal | Suppressed

_SUPPRESSED = frozenset(
    ("", "x", ".", "..", "...", "…", ":", "/", "c", "s", "*", "n/a", "na", "n.a.", "nan", "null",
     "#")
)  # fmt: skip
_NOBODY = frozenset(("-", "–", "—", "−", "nil", "nihil", "none"))
_BELOW = re.compile(r"(<|<=|≤|less than|under|fewer than)\s*([0-9]+)", re.IGNORECASE)
_FROM_ONE = re.compile(r"[01]\s*[-–—]\s*([0-9]+)")
# Marks of a footnote or of a provisional figure behind the number.
_FOOTNOTE = re.compile(r"\s*(?:[*†‡¹²³⁴⁵⁶⁷⁸⁹⁰]+|[(\[][0-9a-zA-Z]{1,2}[)\]]|(?<=[0-9])\s+[per])$")
_SPACES = " \u00a0\u2009\u202f'’"
_GROUPED = {
    decimal: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}([{other}{_SPACES}])[0-9]{{3}}(?:\1[0-9]{{3}})*")
    for decimal, other in ((".", ","), (",", "."))
}


@dataclass(frozen=True)
class Numerals:
    """A table's cells read with one decimal mark."""

    numbers: tuple[Number, ...]
    # Digits behind the decimal mark, at most.
    decimals: int
    percent_signs: bool

    @property
    def whole_but_for_zeros(self) -> bool:
        """12.0: there may be digits behind the mark, but all of them are zeros."""
        return all(n == n.to_integral_value() for n in self.numbers if isinstance(n, Decimal))


def readings(texts: Sequence[str], decimal: str | None = None) -> list[Numerals]:
    """The ways to read all cells, those without fractions first; none where a cell is no number.

    Two ways remain only where every mark has three digits behind it: 12.345 may be either.
    """
    marks = (decimal,) if decimal else (".", ",")
    valid = [numerals for mark in marks if (numerals := _read(texts, mark)) is not None]
    if len(valid) == 2 and valid[0].numbers == valid[1].numbers:
        return valid[:1]
    return sorted(valid, key=lambda numerals: numerals.decimals)


# More people than there are: a mistake, not a count.
MOST_DIGITS = 16


def is_number(text: str) -> bool:
    """Whether a cell holds a number under some reading, or a suppression mark."""
    bare = text.replace("%", "").strip()
    return bool(bare) and any(_number(text, mark) is not None for mark in ".,")


def _read(texts: Sequence[str], decimal: str) -> Numerals | None:
    numbers = tuple(number for text in texts if (number := _number(text, decimal)) is not None)
    if len(numbers) < len(texts):
        return None
    exponents = [int(n.as_tuple().exponent) for n in numbers if isinstance(n, Decimal)]
    return Numerals(numbers, -min(exponents, default=0), any("%" in text for text in texts))


def _number(text: str, decimal: str) -> Number | None:
    bare = text.replace("%", "").strip()
    if bare.casefold() in _SUPPRESSED:
        return Suppressed()
    if bare.casefold() in _NOBODY:
        return Decimal(0)
    if below := _BELOW.fullmatch(bare):
        reached = below[1] in ("<=", "≤")
        return Suppressed(int(below[2]) + reached)
    if up_to := _FROM_ONE.fullmatch(bare):
        return Suppressed(int(up_to[1]) + 1)
    return _plain(_FOOTNOTE.sub("", bare), decimal)


def _plain(text: str, decimal: str) -> Decimal | None:
    whole, mark, fraction = text.partition(decimal)
    if grouped := _GROUPED[decimal].fullmatch(whole):
        whole = whole.replace(grouped[1], "")
    if not re.fullmatch(r"[+-]?[0-9]+", whole) and not (mark and whole in ("", "-", "+")):
        return None
    if len(whole) > MOST_DIGITS:
        return None
    if mark and not re.fullmatch(r"[0-9]+" if whole in ("", "-", "+") else r"[0-9]*", fraction):
        return None
    return Decimal(f"{whole or '0'}.{fraction or '0'}" if fraction else whole)


def _words(listed: str) -> frozenset[str]:
    return frozenset(map(normalised, listed.split(", ")))


_TOTALS = _words(
    "total, totals, grand total, sum, all, overall, altogether, everyone, both sexes, all ages, "
    "all persons, all people, total population, gesamt, insgesamt, summe, zusammen, alle, totaal, "
    "allen, ensemble, tous, toutes, ambos sexos, totale, tutti, todos, Σ"
)
_MISSING = _words(
    "missing, unknown, not stated, not known, not reported, not available, no answer, (blank), "
    "unbekannt, keine Angabe, inconnu, non déclaré, onbekend, desconocido, no consta, "
    "non indicato, sconosciuto"
)
_COUNT = _words(
    "count, counts, people, persons, number, number of people, n, records, frequency, freq, "
    "individuals, population, anzahl, personen, aantal, nombre, effectif, personnes, numero, "
    "número, personas, persone"
)
_SHARE = re.compile(
    r"%|\b(?:per ?cent|percentages?|pct|shares?|proportion|prozent|anteil|pourcent|porcentaje)\b",
    re.IGNORECASE,
)
_TOTAL_WORD = (
    r"(?:(?:sub|grand )?totals?|totaal|totale|totaux|gesamt|insgesamt|zusammen|summe|ensemble|samen"
    r"|combined|altogether)"
)
_EVERY = (
    r"(?:all|alle|tous les|toutes les|todas las|todos los|tutte le|tutti i) (?:age groups|ages"
    r"|sexes|genders|persons|people|residents|inhabitants|regions|groups|categories|leeftijden"
    r"|geslachten|personen|inwoners|regio's|altersgruppen|altersklassen|geschlechter|einwohner"
    r"|regionen|âges|personnes|régions|edades|sexos|personas|età|sessi|persone)"
)
_SPOKEN_TOTAL = re.compile(
    rf"^{_TOTAL_WORD}\b|\b{_TOTAL_WORD}:?$|^{_EVERY}$|^gesamtbevölkerung$", re.IGNORECASE
)
_SOURCE = re.compile(
    r"(?:sources?|notes?|bron|quelle|fuente|fonte|nota|anmerkung(?:en)?|remarks?)\s*:",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:sources?|notes?|bron|quelle|fuente|fonte|nota|anmerkung)\b|\(?[*†‡¹²³]|\[[0-9]\]|[0-9]\) ",
    re.IGNORECASE,
)


def speaks_of_total(label: str) -> bool:
    """Total men and women, Männer und Frauen zusammen, Alle leeftijden …"""
    return bool(_SPOKEN_TOTAL.search(label.strip()))


def is_total(label: str) -> bool:
    """Total, All ages, Insgesamt …"""
    form = normalised(label).rstrip(":")
    return form in _TOTALS or normalised(label).startswith(("total(", "total:"))


def is_missing(label: str) -> bool:
    """No label, or one that says that nothing is known."""
    return not label or normalised(label) in _MISSING


def is_count(heading: str) -> bool:
    """A column's heading that says it counts people."""
    return normalised(heading) in _COUNT


def is_share(heading: str) -> bool:
    """A column's heading that says it holds shares or per cent."""
    return bool(_SHARE.search(heading)) and not is_count(heading)


def is_source(text: str) -> bool:
    """Source: … and Note: …, whatever stands behind it."""
    return bool(_SOURCE.match(text))


def is_note(text: str) -> bool:
    """The beginning of a line below a table that isn't part of it."""
    return bool(_NOTE.match(text))


class Sum(Enum):
    """Stands where a total stands for a label."""

    ALL = "all"


Label = Value | Literal[Sum.ALL]
Place = tuple[Label, ...]


def labelled(texts: Iterable[str]) -> dict[str, Label]:
    """What each text of one side of a table stands for.

    "Total men and women" is the total where nothing else is; beside "Total" it is a value.
    """
    listed = dict.fromkeys(texts)
    spoken = [text for text in listed if speaks_of_total(text)]
    total = spoken[0] if len(spoken) == 1 and not any(map(is_total, listed)) else None
    return {text: Sum.ALL if text == total else _label(text) for text in listed}


def _label(text: str) -> Label:
    if is_total(text):
        return Sum.ALL
    return None if is_missing(text) else text_form(text)


_GAP = "[ .,'’\u00a0\u2009\u202f]?"
_THOUSANDS = r"thousands?|tausend|tsd\.?|milliers|duizend(?:tallen)?|miles|migliaia"
_MILLIONS = r"millions?|millionen|mio\.?|miljoen(?:en)?|mln\.?|millones|milioni"
_OF_PEOPLE = (
    r"(?:\s+(?:of\s+|de\s+|d['’])?(?:people|persons|personen|personnes|personas|persone|inhabitants"
    r"|einwohner|inwoners|habitants|habitantes))?"
)


def _said(words: str, digits: str) -> re.Pattern[str]:
    """In brackets, behind in or ×, or (but for digits) alone between commas."""
    word = rf"(?:{words}|{digits})"
    return re.compile(
        rf"\s*[(\[]\s*(?:in|en|x|×|\*)?\s*{word}{_OF_PEOPLE}\s*[)\]]"
        rf"|,?\s*(?:^|(?<=[\s,;:(]))(?:in|en|×|x|\*)\s*{word}{_OF_PEOPLE}(?=\s*(?:$|[;:)]|,(?![0-9])))"
        rf"|(?:^|[,;:]\s*)(?:{words}){_OF_PEOPLE}\s*(?=$|[,;])",
        re.IGNORECASE,
    )


# Millions first: 1 000 is also the beginning of 1 000 000.
_UNITS = (
    (1_000_000, _said(_MILLIONS, rf"1{_GAP}000{_GAP}000")),
    (1000, _said(_THOUSANDS, rf"1{_GAP}000s?|'?000s?")),
)


def times_of(text: str) -> int:
    """By how much a text says that numbers have to be multiplied; 1 where it says nothing."""
    return next((times for times, unit in _UNITS if unit.search(text)), 1)


def without_unit(text: str) -> str:
    """A heading without what it says about the size of the numbers."""
    for _, unit in _UNITS:
        text = unit.sub("", text)
    return text.strip()
