"""Declarations as TOML text: reading and merging them (`declaration_writer` writes them)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from optimizer.ir.faults import InputError, Sentences
from optimizer.ir.floats import Float
from optimizer.ir.types.declaration_rules import ITEMS, find_problems
from optimizer.ir.types.declared import (
    FLAGS,
    NO_DECLARATIONS,
    SECTIONS,
    Call,
    Declarations,
    Descr,
    KnownObject,
    KnownResult,
    declarations_of,
)
from optimizer.ir.types.memory_types import DECLARED_TYPES, Array, Content, Field, Struct, declared_field, lone_field

Path = tuple[str, ...]
"""The keys that lead to a value, from the top."""

TOML = Sentences("optimizer.ir.text.toml_faults")
"""Sentences about wrong declarations."""

_LONGEST = 100
_TOO_LONG = re.compile(
    rf"""(?<![A-Za-z0-9_-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){{{_LONGEST}}}"""
)


@dataclass(frozen=True, slots=True)
class TomlSource:
    """TOML text. `first_line` is the number that its first line has in `file`."""

    text: str
    file: str = ""
    first_line: int = 1

    def load(self) -> dict[str, Any]:
        """The tables. Raises InputError, with line and column, for what is not TOML."""
        key = _TOO_LONG.search(self.text)
        if key is not None:
            raise TOML.long_key(self, key.start(), _LONGEST)
        try:
            return tomllib.loads(self.text)
        except (RecursionError, ValueError) as error:
            raise TOML.not_toml(self, error) from None

    def fault(self, path: Path, message: str) -> InputError:
        """An error about the value at `path`, placed on the line that comes nearest to it."""
        located: InputError = TOML.fault(self, path, message)
        return located


RESULT_TYPES = ("int", "ref", "float", "void")


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
    tables = _Entry(source, (), source.load()).table(_TOP)
    sections, flags = ({key: tables[key] for key in keys if key in tables} for keys in (SECTIONS, FLAGS))
    own = declarations_of(sections, flags)
    declarations = merge(known, own, source)
    for path, message in find_problems(declarations):
        raise source.fault(path, message)
    return declarations, tables.get("word")


def merge(first: Declarations, second: Declarations, source: TomlSource | None = None) -> Declarations:
    """The declarations of both. Raises InputError where they say different things of one name.

    `source` is the text of `second`, for the place of the error.
    """
    merged: dict[str, Any] = {}
    for key, items in first.sections.items():
        by_name = {item.name: item for item in items}
        for item in second.sections[key]:
            if by_name.setdefault(item.name, item) != item:
                message = f"{key} {item.name} is declared twice, in different ways"
                raise source.fault((key, item.name), message) if source else InputError(message)
        merged[key] = tuple(by_name.values())
    return declarations_of(merged, {flag: said and second.flags[flag] for flag, said in first.flags.items()})


@dataclass(frozen=True, slots=True)
class _Entry:
    """A value in TOML text, at its path."""

    source: TomlSource
    path: Path
    value: Any

    @property
    def name(self) -> str:
        return self.path[-1]

    def fault(self, message: str) -> InputError:
        return self.source.fault(self.path, message)

    def expected(self, what: str) -> InputError:
        return self.fault(f"{'.'.join(self.path)} must be {what}, got {TOML.shown(self.value)}")

    def entries(self) -> list[_Entry]:
        """The entries of a table."""
        if not isinstance(self.value, dict):
            raise self.expected("a table")
        return [_Entry(self.source, (*self.path, key), value) for key, value in self.value.items()]

    def table(self, readers: Mapping[str, _Reader]) -> dict[str, Any]:
        """The values of a table by their keys."""
        read: dict[str, Any] = {}
        for entry in self.entries():
            if entry.name not in readers:
                where = f"[{'.'.join(self.path)}]" if self.path else "the outermost table"
                raise entry.fault(f"{where} has no key {entry.name}; its keys are {', '.join(readers)}")
            read[entry.name] = readers[entry.name](entry)
        return read

    def check_name(self) -> None:
        if ITEMS in self.name:
            raise self.fault(f"a name holds no {ITEMS}, got {self.name}")


_Reader = Callable[[_Entry], Any]
"""Reads one value; raises InputError."""


# Values.


def _checked(is_right: Callable[[Any], bool], what: str) -> _Reader:
    def read(at: _Entry) -> Any:
        if not is_right(at.value):
            raise at.expected(what)
        return at.value

    return read


def _whole(low: int, high: int) -> _Reader:
    return _checked(lambda value: type(value) is int and low <= value <= high, f"a whole number from {low} to {high}")


def _one_of(names: tuple[str, ...]) -> _Reader:
    return _checked(lambda value: value in names, f"one of {', '.join(names)}")


_text = _checked(lambda value: isinstance(value, str) and value != "", "a name in quotes")
_flag = _checked(lambda value: isinstance(value, bool), "true or false")


def _list_of(reader: _Reader) -> _Reader:
    def read(at: _Entry) -> tuple[Any, ...]:
        if not isinstance(at.value, list):
            raise at.expected("a list")
        return tuple(reader(_Entry(at.source, at.path, item)) for item in at.value)

    return read


def _all(reader: _Reader) -> _Reader:
    return lambda at: tuple(map(reader, at.entries()))


def _names(at: _Entry) -> tuple[str, ...]:
    if at.value == "*":
        return ("*",)
    names: tuple[str, ...] = _list_of(_text)(at)
    if "*" not in names:
        return names
    return ("*", *(name for name in names if name != "*"))  # names are immutable memory that is written, too


def _content(at: _Entry) -> Content:
    match at.value:
        case int() if -(1 << 63) <= at.value < 1 << 63:
            return int(at.value)
        case float():
            return Float.of(at.value)
        case str() if at.value:
            return at.value
        case _:
            raise at.expected("a 64-bit number, or the name of a constant in quotes")


# Entries.


def _field(at: _Entry) -> Field:
    section, owner, *_ = at.path
    if "." in at.name:
        raise at.fault(f"the name of a field holds no dot, got {at.name}")
    type_, flags = _field_type(at)
    return declared_field(owner, at.name, type_, items=section == "array", **flags)


def _lone_field(at: _Entry) -> Field:
    type_, flags = _field_type(at)
    return lone_field(at.name, type_, **flags)


def _field_type(at: _Entry) -> tuple[str, dict[str, bool]]:
    at.check_name()
    read = at.table(_FIELD) if isinstance(at.value, dict) else {"type": _FIELD["type"](at)}
    if "type" not in read:
        raise at.fault(f"{'.'.join(at.path)} lacks its type: one of {', '.join(DECLARED_TYPES)}")
    return read.pop("type"), read


def _known_result(at: _Entry) -> KnownResult:
    read = at.table({"args": _list_of(_content), "value": _content})
    if len(read) < 2:
        raise at.fault("a known result has the form { args = [3, 4], value = 7 }")
    return KnownResult(**read)


def _struct(at: _Entry) -> Struct:
    at.check_name()
    return Struct(at.name, **{"vtable": at.name, **at.table(_STRUCT)})


def _array(at: _Entry) -> Array:
    at.check_name()
    read = at.table(_ARRAY)
    if ("item" in read) == ("fields" in read):
        raise at.fault(f"{'.'.join(at.path)} must have either an item or fields")
    if "item" in read:
        read["item"] = declared_field(at.name, "", read["item"], items=True)
    return Array(at.name, **read)


def _call(at: _Entry) -> Call:
    read = at.table(_CALL)
    if "result" not in read:
        raise at.fault(f"{'.'.join(at.path)} lacks its result: one of {', '.join(RESULT_TYPES)}")
    return Call(at.name, **({"reads": (), "writes": (), **read} if read.get("elidable") else read))


_NUMBER = _whole(0, (1 << 63) - 1)
_FIELD: dict[str, _Reader] = {"type": _one_of(DECLARED_TYPES), "immutable": _flag, "quasi_immutable": _flag}
_STRUCT: dict[str, _Reader] = {
    **dict.fromkeys(("parent", "vtable"), _text),
    **dict.fromkeys(("cleared", "identity"), _flag),
    "fields": _all(_field),
}
_ARRAY: dict[str, _Reader] = {
    "item": _one_of(DECLARED_TYPES),
    "fields": _all(_field),
    "immutable": _flag,
    "gc_type": _NUMBER,
}
_CALL: dict[str, _Reader] = {
    "result": _one_of(RESULT_TYPES),
    **dict.fromkeys(("elidable", "loop_invariant", "can_raise", "can_invalidate"), _flag),
    "oopspec": _text,
    "reads": _names,
    "writes": _names,
    "results": _list_of(_known_result),
}
_CONST: dict[str, _Reader] = {
    "struct": _text,
    "array": _text,
    "length": _NUMBER,
    "fields": _all(lambda at: (at.name, _content(at))),
    "same_as": _text,
}
_TOP: dict[str, _Reader] = {
    "struct": _all(_struct),
    "array": _all(_array),
    "field": _all(_lone_field),
    "call": _all(_call),
    "descr": _all(lambda at: Descr(at.name, _text(at))),
    "const": _all(lambda at: KnownObject(at.name, **at.table(_CONST))),
    **dict.fromkeys(FLAGS, _flag),
    "word": _whole(4, 64),
}
