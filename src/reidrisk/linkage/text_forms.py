"""Text forms: keys by which texts with common slips agree.

    normalised    letters and digits in lower case, without accents, marks and spaces
    phonetic      the American Soundex code of its letters, words run together (Russell 1918; the
                  National Archives' rules): the first letter, then three digits for the sounds of
                  the consonants that follow

Where it fails: Soundex was made for English names. It keeps slips of vowels and of like consonants
together, not a wrong first letter; scripts without Latin letters are only normalised.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

import numpy as np

from reidrisk.errors import InputError
from reidrisk.records import CodedTuples, text_array

_DIGIT = {
    letter: digit
    for digit, letters in {
        "1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r",
    }.items()
    for letter in letters
}  # fmt: skip
# Between these two a repeated sound counts once.
_SILENT = "hw"
_LENGTH = 4


def normalised_text(text: str) -> str:
    """Letters and digits alone, in lower case, without accents; as it is where none are left."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(each for each in parts if each.isalnum())
    return plain or text


def phonetic_text(text: str) -> str:
    """The code of its letters; texts of other scripts are normalised."""
    plain = normalised_text(text)
    return soundex("".join(each for each in plain if not each.isdigit()) or plain)


def soundex(word: str) -> str:
    """A word's code; one that doesn't begin with a Latin letter keeps its characters."""
    if not word or not ("a" <= word[0] <= "z"):
        return word
    code, last = word[0], _DIGIT.get(word[0], "")
    for letter in word[1:]:
        digit = _DIGIT.get(letter, "")
        if digit and digit != last:
            code += digit
        if letter not in _SILENT:
            last = digit
    return code[:_LENGTH].ljust(_LENGTH, "0")


FORMS: Mapping[str, Callable[[str], str]] = {
    "normalised": normalised_text,
    "phonetic": phonetic_text,
}


def checked_form(column: str, form: str) -> Callable[[str], str]:
    """The form of a name."""
    if form not in FORMS:
        raise InputError(
            f"--compare {column}={form}: there is no such form", f"there are: {', '.join(FORMS)}"
        )
    return FORMS[form]


def compared_as(tuples: CodedTuples, forms: Mapping[str, Callable[[str], str]]) -> CodedTuples:
    """The same people, texts of some columns in the form by which they are compared."""
    values, codes = list(tuples.values), list(tuples.codes)
    for name, form in forms.items():
        place = tuples.columns.index(name)
        place_of: dict[str, int] = {}
        texts = map(form, values[place].to_pylist())
        new = [place_of.setdefault(text, len(place_of)) for text in texts]
        # The empty cell comes after the last text.
        code_of = np.array([*new, len(place_of)], dtype=np.int64)
        codes[place] = code_of[codes[place]]
        values[place] = text_array(place_of)
    widths = [len(each) + 1 for each in values]
    return CodedTuples.of_codes(tuples.columns, codes, widths, tuples.people, values)
