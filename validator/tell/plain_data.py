"""Frozen dataclasses as plain data that JSON can hold, and back: field by field, as their types say.

Types may be int, float, str, bool, None, enumerations, counters of texts, tuples of any length of one type or of a
fixed one, unions of plain types, an optional one of any type, and dataclasses of these.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import Counter
from collections.abc import Collection
from enum import Enum
from functools import cache
from typing import Any


class WrongData(ValueError):
    """The data is not that of a value of the type."""


def to_plain(value: Any, without: Collection[str] = ()) -> Any:
    """The data of a value; `without` are fields that are left out wherever they occur."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [to_plain(one, without) for one in value]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name not in without]
        return {name: to_plain(getattr(value, name), without) for name in names}
    return value


def from_plain(type_: Any, data: Any, without: Collection[str] = ()) -> Any:
    """The value of that type; fields that were left out have their defaults, or are 0.0. Raises WrongData."""
    if dataclasses.is_dataclass(type_):
        return _dataclass(type_, data, without)
    if isinstance(type_, type) and issubclass(type_, Enum):
        if data not in [one.value for one in type_]:
            raise WrongData(f"{data!r} is no {type_.__name__}")
        return type_(data)
    if type_ is float and type(data) is int:
        return float(data)
    match typing.get_origin(type_), typing.get_args(type_):
        case ((types.UnionType | typing.Union), options):
            return _one_of(options, data, without)
        case origin, (item, last) if origin is tuple and last is ...:
            return tuple(from_plain(item, one, without) for one in _list(data))
        case origin, items if origin is tuple:
            if len(_list(data)) != len(items):
                raise WrongData(f"{len(items)} values were expected, got {data!r}")
            return tuple(from_plain(item, one, without) for item, one in zip(items, data, strict=True))
        case origin, _ if origin is Counter:
            if not isinstance(data, dict):
                raise WrongData(f"counts were expected, got {data!r}")
            return Counter({name: from_plain(int, count) for name, count in data.items()})
    if type(data) is not type_ and not (data is None and type_ is type(None)):
        raise WrongData(f"{data!r} is no {type_}")
    return data


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise WrongData(f"a list was expected, got {data!r}")
    return data


def _one_of(options: tuple[Any, ...], data: Any, without: Collection[str]) -> Any:
    for option in options:
        try:
            return from_plain(option, data, without)
        except WrongData:
            continue
    raise WrongData(f"{data!r} is none of {options}")


def _dataclass(type_: Any, data: Any, without: Collection[str]) -> Any:
    hints = _hints(type_)
    if not isinstance(data, dict) or set(data) != hints.keys() - set(without):
        raise WrongData(f"{data!r} is no {type_.__name__}")
    values = {name: from_plain(hints[name], value, without) for name, value in data.items()}
    missing = [field.name for field in dataclasses.fields(type_) if field.default is dataclasses.MISSING]
    return type_(**{name: 0.0 for name in missing if name in without} | values)


@cache
def _hints(type_: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(type_)
    return {field.name: hints[field.name] for field in dataclasses.fields(type_)}
