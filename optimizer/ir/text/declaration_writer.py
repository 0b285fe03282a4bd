"""Declarations written as canonical TOML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from optimizer.ir.floats import Float
from optimizer.ir.types.declared import Call, Declarations, KnownResult
from optimizer.ir.types.memory_types import Field, Struct, declared_type


def format_declarations(declarations: Declarations) -> str:
    """Canonical TOML, which reads back as the same; '' where nothing is declared."""
    top = "".join(f"{flag} = false\n" for flag, said in declarations.flags.items() if not said)
    blocks = [top] if top else []
    if declarations.fields:
        blocks.append(
            "[field]\n" + "".join(f"{_key(item.name)} = {_field_toml(item)}\n" for item in declarations.fields)
        )
    blocks += [
        f"[{section}.{_key(item.name)}]\n" + "".join(_entries(item))
        for section, items in (
            ("struct", declarations.structs),
            ("array", declarations.arrays),
            ("call", declarations.calls),
        )
        for item in items
    ]
    if declarations.descrs:
        lines = [f"{_key(descr.name)} = {_quoted(descr.target)}\n" for descr in declarations.descrs]
        blocks.append("[descr]\n" + "".join(lines))
    blocks += [f"[const.{_key(item.name)}]\n" + "".join(_entries(item)) for item in declarations.consts]
    return "\n".join(blocks)


def _entries(item: Any) -> Iterable[str]:
    """A line for each attribute that is not at its default."""
    defaults = _defaults(item)
    for attribute in fields(item):
        value = getattr(item, attribute.name)
        if attribute.name not in ("name", "declared") and value != defaults.get(attribute.name, attribute.default):
            yield f"{attribute.name} = {_toml(value)}\n"


def _defaults(item: Any) -> dict[str, object]:
    """Defaults that depend on other attributes."""
    match item:
        case Struct():
            return {"vtable": item.name}
        case Call(elidable=True):
            return {"reads": (), "writes": ()}
        case _:
            return {}


def _toml(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case Float():
            return str(value)
        case Field():
            return _quoted(declared_type(value))
        case KnownResult():
            return f"{{ args = {_toml(value.args)}, value = {_toml(value.value)} }}"
        case (Field(), *_):
            return "{ " + ", ".join(f"{_key(field.name)} = {_field_toml(field)}" for field in value) + " }"
        case ((str(), int() | str() | Float()), *_):
            return "{ " + ", ".join(f"{_key(name)} = {_toml(item)}" for name, item in value) + " }"
        case tuple():
            return f"[{', '.join(_toml(item) for item in value)}]"
        case _:
            return str(value)


def _field_toml(field: Field) -> str:
    flags = {"immutable": field.immutable, "quasi_immutable": field.quasi_immutable}
    told = [f"{name} = true" for name, value in flags.items() if value]
    return "{ type = " + ", ".join([_toml(field), *told]) + " }" if told else _toml(field)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    import json  # here: most traces declare nothing

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
