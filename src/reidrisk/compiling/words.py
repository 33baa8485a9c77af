"""Words of published tables: labels that are totals, labels of no value, what a column holds.

English first, and the languages of the public tables people bring: German, French, Dutch, Spanish,
Italian. A word that isn't here is a value.
"""

from __future__ import annotations

import re

from reidrisk.statistics.matching import folded

_TOTALS = frozenset(
    map(
        folded,
        (
            "total", "totals", "grand total", "sum", "all", "overall", "altogether", "everyone",
            "both sexes", "all ages", "all persons", "all people", "total population",
            "gesamt", "insgesamt", "summe", "zusammen", "alle", "totaal", "allen", "ensemble",
            "tous", "toutes", "ambos sexos", "totale", "tutti", "todos", "Σ",
        ),
    )
)  # fmt: skip
_MISSING = frozenset(
    map(
        folded,
        (
            "missing", "unknown", "not stated", "not known", "not reported", "not available",
            "no answer", "(blank)", "unbekannt", "keine Angabe", "inconnu", "non déclaré",
            "onbekend", "desconocido", "no consta", "non indicato", "sconosciuto",
        ),
    )
)  # fmt: skip
_COUNT = frozenset(
    map(
        folded,
        (
            "count", "counts", "people", "persons", "number", "number of people", "n", "records",
            "frequency", "freq", "individuals", "population", "anzahl", "personen", "aantal",
            "nombre", "effectif", "personnes", "numero", "número", "personas", "persone",
        ),
    )
)  # fmt: skip
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
    form = folded(label).rstrip(":")
    return form in _TOTALS or folded(label).startswith(("total(", "total:"))


def is_missing(label: str) -> bool:
    """No label, or one that says that nothing is known."""
    return not label or folded(label) in _MISSING


def is_count(heading: str) -> bool:
    """A column's heading that says it counts people."""
    return folded(heading) in _COUNT


def is_share(heading: str) -> bool:
    """A column's heading that says it holds shares or per cent."""
    return bool(_SHARE.search(heading)) and not is_count(heading)


def is_source(text: str) -> bool:
    """Source: … and Note: …, whatever stands behind it."""
    return bool(_SOURCE.match(text))


def is_note(text: str) -> bool:
    """The beginning of a line below a table that isn't part of it."""
    return bool(_NOTE.match(text))
