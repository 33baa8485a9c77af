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
    public = [name for name in reidrisk.__all__ if not name.startswith("__")]
    functions = [name for name in public if not inspect.isclass(getattr(reidrisk, name))]
    parts = ["## Functions", *(function_section(name) for name in functions)]
    classes = [name for name in public if name not in functions]
    parts += ["## What they return", *(class_section(name) for name in classes)]
    return "\n\n".join(parts)


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
        elif paragraph.startswith("    "):
            yield paragraph
        else:
            yield re.sub(r"``(.+?)``", r"`\1`", " ".join(paragraph.split()))


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
    return silent


def _own_docstring(thing: Any) -> str:
    """What was written, not what a record is given without asking."""
    text = inspect.getdoc(thing) or ""
    return "" if text.startswith(f"{getattr(thing, '__name__', '')}(") else text
