"""The statistics file, made from its JSON Schema: every field and what it may hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import reidrisk
from documenting.made_parts import table

SCHEMA = Path(reidrisk.__file__).parent / "statistics" / "statistics.schema.json"
_KINDS = {
    "integer": "whole number", "string": "text", "null": "null", "array": "list",
    "object": "object",
}  # fmt: skip


def fields_part(before: str) -> str:
    """A row for each field, those inside others named by their path."""
    rows = [
        (f"`{path}`", _kind(field), "yes" if needed else "", field.get("description", ""))
        for path, field, needed in fields()
    ]
    return table(("field", "holds", "needed", "meaning"), rows)


def fields() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """(path, its schema, whether it is needed), in the order of the file."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    yield from _fields_of(schema, schema["$defs"], "")


def _fields_of(
    shape: dict[str, Any], named: dict[str, Any], before: str
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    for name, field in shape["properties"].items():
        path = f"{before}{name}"
        yield path, field, name in shape.get("required", ())
        inner = _inside(field)
        if inner is not None:
            mark = "[]." if field.get("type") == "array" else "."
            yield from _fields_of(named[inner], named, f"{path}{mark}")


def _inside(field: dict[str, Any]) -> str | None:
    """The name of the shape a field holds, or a list of it."""
    for choice in (field, field.get("items", {}), *field.get("anyOf", ())):
        if "$ref" in choice:
            return str(choice["$ref"]).rsplit("/", 1)[-1]
    return None


def _kind(field: dict[str, Any]) -> str:
    if "const" in field:
        return f'"{field["const"]}"'
    kinds = [_one_kind(choice) for choice in field.get("anyOf", [field])]
    return ", ".join(dict.fromkeys(kinds))


def _one_kind(choice: dict[str, Any]) -> str:
    if "$ref" in choice:
        return "object"
    if "pattern" in choice:
        return 'text such as "<5"'
    return _KINDS[choice["type"]]
