"""Wording: numbers as people read them, the same everywhere."""

from __future__ import annotations


def number(amount: float) -> str:
    """30,162; 12.4 where an expectation isn't whole."""
    if float(amount).is_integer():
        return f"{int(amount):,}"
    return f"{amount:,.1f}" if amount >= 10 else f"{amount:,.2f}"


def share(part: float) -> str:
    """51.4 %; never 0 % for something or 100 % for not quite everything."""
    if part in (0, 1):
        return f"{part:.0%}".replace("%", " %")
    if part < 0.0001:
        return "< 0.01 %"
    if part > 0.9999:
        return "> 99.99 %"
    digits = 2 if part < 0.001 or part > 0.999 else 1
    return f"{part:.{digits}%}".replace("%", " %")


def probability(part: float | None) -> str:
    """Four digits, however small: 0.008399, 3.1e-12; 1 only for what is certain."""
    if part is None:
        return "–"
    if part in (0.0, 1.0):
        return f"{part:.0f}"
    if part > 0.9999:
        return f"1 − {1.0 - part:.2g}"
    return f"{part:.4g}"


def agreed(amount: float, one: str, several: str) -> str:
    """The number and the word that agrees with it: 1 view, 2 views."""
    return f"{number(amount)} {one if amount == 1 else several}"


def people(amount: float, nouns: tuple[str, str] = ("person", "people")) -> str:
    """1 person, 2 people; 2 rows where it isn't known whether they are people."""
    return agreed(amount, *nouns)


def listed(names: tuple[str, ...] | list[str]) -> str:
    """a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" and {names[-1]}"
