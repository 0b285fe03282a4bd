"""Declarations as TOML text: reading and merging them (`declaration_writer` writes them)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from optimizer.ir.faults import InputError
from optimizer.ir.floats import Float
from optimizer.ir.text.toml_source import Path, TomlSource
from optimizer.ir.types.declaration_rules import ITEMS, find_problems
from optimizer.ir.types.declared import (
    NO_DECLARATIONS,
    Call,
    Declarations,
    Descr,
    KnownObject,
    KnownResult,
    Scalar,
)
from optimizer.ir.types.memory_types import DECLARED_TYPES, Array, Field, Struct, declared_field

RESULT_TYPES = ("int", "ref", "float", "void")

# Reads one TOML value: takes the source, the path of the value and the value; raises InputError.
Reader = Callable[[TomlSource, Path, Any], Any]


def parse_declarations(text: str, *, file: str = "", first_line: int = 1) -> Declarations:
    """The declarations in TOML `text`, the first line of which is line `first_line` of `file`.

    Raises InputError.
    """
    source = TomlSource(text, file, first_line)
    declarations, word = read_front_matter(source)
    if word is not None:
        raise source.fault(("word",), "`word` stands in the front matter of a trace, not in a file of declarations")
    return declarations


def read_front_matter(source: TomlSource, known: Declarations = NO_DECLARATIONS) -> tuple[Declarations, int | None]:
    """The declarations in the front matter of a trace, added to those `known`, and the width of a word, None where it
    says none. Raises InputError."""
    tables = _read_table(source, (), source.load(), _TOP)
    sections = {name: tables.get(key, ()) for key, (name, _) in _SECTIONS.items()}
    own = Declarations(**sections, cleared=tables.get("cleared", True))
    declarations = merge(known, own, source)
    for path, message in find_problems(declarations):
        raise source.fault(path, message)
    return declarations, tables.get("word")


def merge(first: Declarations, second: Declarations, source: TomlSource | None = None) -> Declarations:
    """The declarations of both. Raises InputError where they say different things of one name.

    `source` is the text of `second`, for the place of the error.
    """
    merged: dict[str, Any] = {}
    for key, (name, _) in _SECTIONS.items():
        by_name = {item.name: item for item in getattr(first, name)}
        for item in getattr(second, name):
            if by_name.setdefault(item.name, item) != item:
                message = f"{key} {item.name} is declared twice, in different ways"
                raise source.fault((key, item.name), message) if source else InputError(message)
        merged[name] = tuple(by_name.values())
    return Declarations(**merged, cleared=first.cleared and second.cleared)


def _expected(source: TomlSource, path: Path, what: str, value: object) -> InputError:
    found = _shown(value)
    return source.fault(path, f"{'.'.join(path)} must be {what}, got {found}")


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            import json  # here: only an error needs it

            return json.dumps(value, ensure_ascii=False)
        case int() if value.bit_length() > 64:
            return "a number of more than 64 bits"
        case _:
            return str(value)


def _read_table(source: TomlSource, path: Path, value: object, readers: Mapping[str, Reader]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _expected(source, path, "a table", value)
    read: dict[str, Any] = {}
    for key, item in value.items():
        if key not in readers:
            keys = ", ".join(readers)
            where = f"[{'.'.join(path)}]" if path else "the outermost table"
            raise source.fault((*path, key), f"{where} has no key {key}; its keys are {keys}")
        read[key] = readers[key](source, (*path, key), item)
    return read


def _text(source: TomlSource, path: Path, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _expected(source, path, "a name in quotes", value)
    return value


def _flag(source: TomlSource, path: Path, value: object) -> bool:
    if not isinstance(value, bool):
        raise _expected(source, path, "true or false", value)
    return value


def _whole(low: int, high: int) -> Reader:
    def read(source: TomlSource, path: Path, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _expected(source, path, f"a whole number from {low} to {high}", value)
        return value

    return read


def _one_of(names: tuple[str, ...]) -> Reader:
    def read(source: TomlSource, path: Path, value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise _expected(source, path, f"one of {', '.join(names)}", value)
        return value

    return read


def _list_of(reader: Reader) -> Reader:
    def read(source: TomlSource, path: Path, value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _expected(source, path, "a list", value)
        return tuple(reader(source, path, item) for item in value)

    return read


def _names(source: TomlSource, path: Path, value: object) -> tuple[str, ...]:
    names: tuple[str, ...] = _list_of(_text)(source, path, [value] if value == "*" else value)
    if "*" not in names:
        return names
    return ("*", *(name for name in names if name != "*"))  # names are immutable memory that is written, too


def _scalar(source: TomlSource, path: Path, value: object) -> Scalar:
    match value:
        case bool():
            return Scalar("int", int(value))
        case int() if -(1 << 63) <= value < 1 << 63:
            return Scalar("int", value)
        case float():
            return Scalar("float", Float.of(value))
        case str() if value:
            return Scalar("ref", value)
        case _:
            raise _expected(source, path, "a 64-bit number, or the name of a constant in quotes", value)


def _check_name(source: TomlSource, path: Path) -> None:
    if ITEMS in path[-1]:
        raise source.fault(path, f"a name holds no {ITEMS}, got {path[-1]}")


def _field(source: TomlSource, path: Path, value: object) -> Field:
    section, owner, *_ = path
    if "." in path[-1]:
        raise source.fault(path, f"the name of a field holds no dot, got {path[-1]}")
    _check_name(source, path)
    if not isinstance(value, dict):
        return declared_field(owner, path[-1], _FIELD["type"](source, path, value), items=section == "array")
    read = _read_table(source, path, value, _FIELD)
    if "type" not in read:
        raise source.fault(path, f"{'.'.join(path)} lacks its type: one of {', '.join(DECLARED_TYPES)}")
    return declared_field(owner, path[-1], read.pop("type"), items=section == "array", **read)


def _field_list(source: TomlSource, path: Path, value: object) -> tuple[Field, ...]:
    if not isinstance(value, dict):
        raise _expected(source, path, "a table", value)
    return tuple(_field(source, (*path, name), item) for name, item in value.items())


def _known_result(source: TomlSource, path: Path, value: object) -> KnownResult:
    read = _read_table(source, path, value, {"args": _list_of(_scalar), "value": _scalar})
    if len(read) < 2:
        raise source.fault(path, "a known result has the form { args = [3, 4], value = 7 }")
    return KnownResult(**read)


def _struct(source: TomlSource, path: Path, value: object) -> Struct:
    _check_name(source, path)
    return Struct(path[-1], **{"vtable": path[-1], **_read_table(source, path, value, _STRUCT)})


def _array(source: TomlSource, path: Path, value: object) -> Array:
    _check_name(source, path)
    read = _read_table(source, path, value, _ARRAY)
    if ("item" in read) == ("fields" in read):
        raise source.fault(path, f"{'.'.join(path)} must have either an item or fields")
    if "item" in read:
        read["item"] = declared_field(path[-1], "", read["item"], items=True)
    return Array(path[-1], **read)


def _call(source: TomlSource, path: Path, value: object) -> Call:
    read = _read_table(source, path, value, _CALL)
    if "result" not in read:
        raise source.fault(path, f"{'.'.join(path)} lacks its result: one of {', '.join(RESULT_TYPES)}")
    if read.get("elidable"):
        read = {"reads": (), "writes": (), **read}
    return Call(path[-1], **read)


def _descr(source: TomlSource, path: Path, value: object) -> Descr:
    return Descr(path[-1], _text(source, path, value))


def _const(source: TomlSource, path: Path, value: object) -> KnownObject:
    return KnownObject(path[-1], **_read_table(source, path, value, _CONST))


def _known_fields(source: TomlSource, path: Path, value: object) -> tuple[tuple[str, Scalar], ...]:
    if not isinstance(value, dict):
        raise _expected(source, path, "a table", value)
    return tuple((name, _scalar(source, (*path, name), item)) for name, item in value.items())


def _section(reader: Reader) -> Reader:
    def read(source: TomlSource, path: Path, value: object) -> tuple[Any, ...]:
        if not isinstance(value, dict):
            raise _expected(source, path, "a table", value)
        return tuple(reader(source, (*path, name), item) for name, item in value.items())

    return read


_FIELD: dict[str, Reader] = {"type": _one_of(DECLARED_TYPES), "immutable": _flag, "quasi_immutable": _flag}
_STRUCT: dict[str, Reader] = {"parent": _text, "vtable": _text, "cleared": _flag, "fields": _field_list}
_ARRAY: dict[str, Reader] = {"item": _one_of(DECLARED_TYPES), "fields": _field_list, "immutable": _flag}
_CALL: dict[str, Reader] = {
    "result": _one_of(RESULT_TYPES),
    "elidable": _flag,
    "loop_invariant": _flag,
    "can_raise": _flag,
    "can_invalidate": _flag,
    "oopspec": _text,
    "reads": _names,
    "writes": _names,
    "results": _list_of(_known_result),
}
_CONST: dict[str, Reader] = {
    "struct": _text,
    "array": _text,
    "length": _whole(0, (1 << 63) - 1),
    "fields": _known_fields,
    "same_as": _text,
}
# By TOML section: the attribute of Declarations that holds it, and how one entry is read.
_SECTIONS: dict[str, tuple[str, Reader]] = {
    "struct": ("structs", _struct),
    "array": ("arrays", _array),
    "call": ("calls", _call),
    "descr": ("descrs", _descr),
    "const": ("consts", _const),
}
_TOP: dict[str, Reader] = {
    **{key: _section(reader) for key, (_, reader) in _SECTIONS.items()},
    "cleared": _flag,
    "word": _whole(4, 64),
}
