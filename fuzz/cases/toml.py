"""TOML: written, and taken apart key by key; what is wrong is told with the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

import tomli_w

from optimizer.ir.faults import InputError
from validator.tell.stored_state import Stored, StoredWrite, read_write

Mode = TypeVar("Mode", bound=Enum)

_SURROGATE = re.compile("[\ud800-\udfff]")


def format_toml(data: Mapping[str, Any]) -> str:
    """TOML text of plain data, which is read again as it was; halves of characters are read as their escapes."""
    text = tomli_w.dumps(data)
    if r"\r\n" not in text:  # which would be read as a plain end of a line, where lines stand as they are
        text = tomli_w.dumps(data, multiline_strings=True)
    return _SURROGATE.sub(lambda found: rf"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is taken apart: what was taken is gone from it."""

    file: str
    data: dict[str, Any]

    def take(self, key: str, kind: type, default: Any) -> Any:
        value = self.data.pop(key, default)
        if value is not default and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            raise InputError(f"`{key}` must be {_KINDS[kind]}, got {value!r}", file=self.file)
        return value

    def choose(self, key: str, among: tuple[str, ...], default: str) -> str:
        value: str = self.take(key, str, default)
        if value not in (*among, default):
            raise InputError(f"`{key}` must be one of {', '.join(among)}, got {value!r}", file=self.file)
        return value

    def mode(self, key: str, default: Mode) -> Mode:
        """One of the values of an enumeration, by its name."""
        return type(default)(self.choose(key, tuple(one.value for one in type(default)), default.value))

    def several(self, key: str, kind: type) -> tuple[Any, ...] | None:
        """A list of texts or numbers; None where it is not there."""
        if key not in self.data:
            return None
        values: list[Any] = self.take(key, list, [])
        if not all(isinstance(value, kind) for value in values):
            said = "whole numbers" if kind is int else "texts in quotes"
            raise InputError(f"`{key}` must be a list of {said}, got {values!r}", file=self.file)
        return tuple(values)

    def numbers(self, key: str) -> tuple[int, ...]:
        return self.several(key, int) or ()

    def values(self, key: str) -> tuple[Stored, ...]:
        return tuple(self._stored(key, value) for value in self.take(key, list, []))

    def stored(self) -> tuple[tuple[str, Stored], ...]:
        return tuple((key, self._stored(key, self.data.pop(key))) for key in list(self.data))

    def _stored(self, key: str, value: Any) -> Stored:
        if isinstance(value, int | str) and not isinstance(value, bool):
            return value
        raise InputError(f"`{key}` must hold whole numbers and names of objects, got {value!r}", file=self.file)

    def writes(self, key: str) -> tuple[tuple[StoredWrite, ...], ...]:
        events: list[Any] = self.take(key, list, [])
        if not all(isinstance(done, list) for done in events):
            raise InputError(f"`{key}` must be a list of lists, one for each event, got {events!r}", file=self.file)
        return tuple(tuple(read_write(one, self.file) for one in done) for done in events)

    def table(self, key: str) -> Table:
        return Table(self.file, dict(self.take(key, dict, {})))

    def all(self, kind: type) -> tuple[tuple[str, Any], ...]:
        return tuple((key, self.take(key, kind, None)) for key in list(self.data))

    def close(self) -> None:
        for key in self.data:
            raise InputError(f"unknown key `{key}`", file=self.file)


_KINDS: dict[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}
