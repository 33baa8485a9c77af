"""The Python reference, made from the public names: signature, docstring, fields and methods."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import reidrisk
from documenting.json_keys import meaning_anywhere
from documenting.made_parts import table

_WIDE = 88


def names_part(before: str) -> str:
    """Functions first, then what they return."""
    functions, classes, errors = public_names()
    parts = ["## Functions", *(function_section(name) for name in functions)]
    parts += ["## Records", *(class_section(name) for name in classes)]
    return "\n\n".join([*parts, "## Errors", errors_table(errors)])


def public_names() -> tuple[list[str], list[str], list[str]]:
    """Functions, records and errors."""
    public = [name for name in reidrisk.__all__ if not name.startswith("__")]
    kinds = {name: getattr(reidrisk, name) for name in public}
    functions = [name for name, each in kinds.items() if not inspect.isclass(each)]
    errors = [
        name for name in public if name not in functions and issubclass(kinds[name], Exception)
    ]
    return functions, [name for name in public if name not in {*functions, *errors}], errors


def errors_table(names: list[str]) -> str:
    """Each error, what it is one of, when it is raised."""
    kinds = [getattr(reidrisk, name) for name in names]
    rows = [
        (f"`{kind.__name__}`", f"`{kind.__base__.__name__}`", _first_sentence(kind))
        for kind in kinds
    ]
    return table(("error", "is one of", "raised when"), rows)


def function_section(name: str) -> str:
    """`rr.measure`: signature and docstring."""
    function = getattr(reidrisk, name)
    return "\n\n".join([f"### `{name}`", signature(name, function), *paragraphs(function)])


def class_section(name: str) -> str:
    """`rr.TableRisk`: signature, docstring, a row for each field, property and method."""
    kind = getattr(reidrisk, name)
    rows = [(f"`.{member}`", meaning) for member, meaning in members(kind)]
    parts = [f"### `{name}`", signature(name, kind), *paragraphs(kind)]
    return "\n\n".join([*parts, table(("", "meaning"), rows)] if rows else parts)


def signature(name: str, called: Any) -> str:
    """As it is called, a line a parameter where it is long."""
    given = inspect.signature(called)
    shown = [_parameter(each) for each in given.parameters.values()]
    keyword = [i for i, each in enumerate(given.parameters.values()) if each.kind.value == 3]
    if keyword:
        shown.insert(keyword[0], "*")
    line = f"rr.{name}({', '.join(shown)})"
    if len(line) > _WIDE:
        line = f"rr.{name}(\n" + "".join(f"    {each},\n" for each in shown) + ")"
    returned = given.return_annotation
    told = returned not in (inspect.Parameter.empty, None, "None")
    return f"```python\n{line}{f' -> {returned}' if told else ''}\n```"


def paragraphs(thing: Any) -> Iterator[str]:
    """The docstring as Markdown; what begins with >>> is code."""
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(thing) or ""):
        if paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        elif paragraph.startswith("Parameters:"):
            yield "\n".join(f"- `{name}`: {meaning}" for name, meaning in parameters(thing).items())
        elif paragraph.startswith("    "):
            yield paragraph
        else:
            yield re.sub(r"``(.+?)``", r"`\1`", " ".join(paragraph.split()))


def parameters(function: Any) -> dict[str, str]:
    """What the docstring's paragraph "Parameters:" says of each, in its order."""
    written = re.split(r"\n\s*\n", inspect.getdoc(function) or "")
    (section,) = [each for each in written if each.startswith("Parameters:")] or [""]
    found = re.split(r"\n    (\w+): ", section)[1:]
    return {
        name: " ".join(meaning.split())
        for name, meaning in zip(found[::2], found[1::2], strict=True)
    }


def members(kind: type) -> list[tuple[str, str]]:
    """(name, meaning) of the fields, then of properties and methods, inherited ones too."""
    fields = [each.name for each in dataclasses.fields(kind)] if _is_record(kind) else []
    told = [(name, meaning_anywhere(name)) for name in fields if not name.startswith("_")]
    seen = {*fields}
    for owner in (each for each in kind.__mro__ if each.__module__.startswith("reidrisk")):
        for name, member in vars(owner).items():
            if name in seen or name.startswith("_") or not _is_member(member):
                continue
            seen.add(name)
            told.append((_called(name, member), _first_sentence(member)))
    return told


def _is_record(kind: type) -> bool:
    return dataclasses.is_dataclass(kind)


def _is_member(member: Any) -> bool:
    kinds = (property, cached_property, classmethod, staticmethod)
    return isinstance(member, kinds) or inspect.isfunction(member)


def _called(name: str, member: Any) -> str:
    if isinstance(member, (property, cached_property)):
        return name
    function = getattr(member, "__func__", member)
    given = [each for each in inspect.signature(function).parameters if each not in ("self", "cls")]
    return f"{name}({', '.join(given)})"


def _first_sentence(member: Any) -> str:
    text = inspect.getdoc(getattr(member, "__func__", member)) or ""
    return re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split("\n\n")[0].split()))


def _parameter(each: inspect.Parameter) -> str:
    if each.name == "progress":
        return "progress=None"
    shown = re.sub(r"'([^']*)'", r'"\1"', str(each.replace(annotation=inspect.Parameter.empty)))
    return f"*{each.name}" if each.kind.value == 2 else shown


def undocumented() -> list[str]:
    """Public names, and members of public records, that lack words."""
    silent = []
    for name in (each for each in reidrisk.__all__ if not each.startswith("__")):
        thing = getattr(reidrisk, name)
        if not _own_docstring(thing):
            silent.append(name)
        if inspect.isclass(thing):
            silent += [f"{name}.{member}" for member, meaning in members(thing) if not meaning]
        else:
            documented = parameters(thing)
            # What `**reading` takes is documented as the parameters of `read`.
            silent += [
                f"{name}({each})"
                for each, parameter in inspect.signature(thing).parameters.items()
                if each not in documented and parameter.kind is not parameter.VAR_KEYWORD
            ]
    return silent


def _own_docstring(thing: Any) -> str:
    """What was written, not what a record is given without asking."""
    text = inspect.getdoc(thing) or ""
    return "" if text.startswith(f"{getattr(thing, '__name__', '')}(") else text
