"""Arguments: a sentence about options of the command line, said to somebody who writes Python.

Messages name a choice as it is typed, ``--levels zip=3``. In Python the same choice is
``levels={'zip': 3}``. An option is followed by its value, or by a word of the sentence
(`CONNECTING`), and then only its name is said.
"""

from __future__ import annotations

import re

# Words that go on with the sentence, where a value could stand.
_CONNECTING = (
    "a above also alone and are as at asks begins belong belongs both but by calls can can't "
    "closed closes column columns compares concerns could counts defined doesn't each for from "
    "goes has have holds if in into is isn't it leave lies name named names need needs of on "
    "opens or out over people reads said say says sees so stands takes that the there they to too "
    "was which with without would "
)
CONNECTING = frozenset(_CONNECTING.split())
# Options whose argument has another name, or that a function of its own stands for.
NAMES = {
    "column": "columns", "table": "table_name", "no-header": "header",
    "risk-file": "write_risk_file", "person-file": "write_unique_sets",
    "register-key": "register_options", "l-diversity": "limits", "entropy-l": "limits",
    "t-closeness": "limits", "certain": "limits", "beta-likeness": "limits", "alpha": "limits",
}  # fmt: skip
LISTS = frozenset(
    {
        "columns",
        "knows",
        "empty",
        "sizes",
        "crowds",
        "keep",
        "could_ask",
        "asked",
        "on",
        "sensitive",
    }
)
MAPS = frozenset(
    {"bands", "levels", "decimals", "values", "member", "costs", "tolerance", "compare"}
)
FLAGS = {
    "rows-are-people": "True", "no-header": "False", "publishable": "True", "exact": "True",
    "unprotected": "True",
}  # fmt: skip
# A command to type stays as it is.
_COMMAND = re.compile(r"\breidrisk [a-z]+ .*")

_OPTION = re.compile(r"(?<![\w-])(?:--(?P<long>[a-z][a-z-]*[a-z])|-(?P<short>k))(?![\w-])")
_VALUE = re.compile(r" (?P<value>'[^']*'|[^\s;:.,)]+(?:[.,=:][^\s;:.,)]+)*)")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|nan|inf)")
_PLACEHOLDER = re.compile(r"[A-Z]+(?:[,=:][A-Z]+)*")


def in_python(sentence: str) -> str:
    """The sentence with arguments in the place of options."""
    command = _COMMAND.search(sentence)
    if command is not None:
        return in_python(sentence[: command.start()]) + sentence[command.start() :]
    parts, end = [], 0
    for option in _OPTION.finditer(sentence):
        if option.start() < end:
            continue
        parts.append(sentence[end : option.start()])
        written = option["long"] or option["short"]
        name = NAMES.get(written, written.replace("-", "_"))
        value = _VALUE.match(sentence, option.end())
        if written in FLAGS:
            added = sentence[: option.start()].endswith("add ")
            parts.append(f"{name}={FLAGS[written]}" if added else name)
            end = option.end()
        elif value is None or value["value"].lower() in CONNECTING:
            parts.append(name)
            end = option.end()
        else:
            parts.append(f"{name}={_literal(name, value['value'])}")
            end = value.end()
    return "".join([*parts, sentence[end:]])


def _literal(name: str, value: str) -> str:
    """A value as Python writes it; a placeholder such as COL stays as it is."""
    value = value.strip("'")
    if name in LISTS:
        return "[" + ", ".join(_one(each) for each in value.split(",")) + "]"
    if name in MAPS and "=" in value:
        pairs = (each.partition("=") for each in value.split(","))
        return "{" + ", ".join(f"{_one(key)}: {_one(how)}" for key, _, how in pairs) + "}"
    return _one(value)


def _one(value: str) -> str:
    is_plain = _NUMBER.fullmatch(value) or _PLACEHOLDER.fullmatch(value)
    return value if is_plain else repr(value)
