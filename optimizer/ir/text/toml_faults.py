"""Places of faults in TOML text: the line on which a key stands. Loaded when a text has a fault."""

from __future__ import annotations

import json
import re

from optimizer.ir.faults import InputError
from optimizer.ir.text.declarations import Path, TomlSource

_NAME = r"""(?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_NAMES = re.compile(_NAME)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _path(dotted: str) -> Path:
    return tuple(name.strip("\"'") for name in _NAMES.findall(dotted))


def not_toml(source: TomlSource, error: RecursionError | ValueError) -> InputError:
    """The fault of a text that is not TOML, as its reader says."""
    if isinstance(error, RecursionError):
        return _fault_at(source, "the declarations are nested too deeply", 1, 0)
    place = _PLACE.search(str(error))
    if place is None:
        return _fault_at(source, "a number in the declarations has too many digits", 1, 0)
    line, column = int(place[1] or len(source.text.split("\n"))), int(place[2] or 0)
    message = str(error)[:1].lower() + str(error)[1 : place.start()]
    return _fault_at(source, f"the declarations are not valid TOML: {message}", line, column)


def long_key(source: TomlSource, start: int, longest: int) -> InputError:
    """The fault of a key with more names than may be, which begins at that index."""
    ahead = source.text[:start].split("\n")
    message = f"a key in the declarations has more than {longest} names, the most there may be"
    return _fault_at(source, message, len(ahead), len(ahead[-1]) + 1)


def line_of(path: Path, lines: list[str]) -> tuple[int, int]:
    """The line and column of the key that comes nearest to the path."""
    best, nearest, table = 0, (1, 0), Path()
    for number, line in enumerate(lines, start=1):
        if header := _HEADER.match(line):
            table = here = _path(header[1])
            column = header.start(1)
        elif key := _KEY.match(line):
            here = table + _path(key[1])
            column = key.start(1)
        else:
            continue
        shared = _shared(here, path)
        if shared > best:
            best, nearest = shared, (number, column + 1)
    return nearest


def _shared(here: Path, path: Path) -> int:
    """The number of names that the two paths have in common from the top."""
    for index, (one, other) in enumerate(zip(here, path, strict=False)):
        if one != other:
            return index
    return min(len(here), len(path))


def fault(source: TomlSource, path: Path, message: str) -> InputError:
    """An error about the value at `path`, placed on the line that comes nearest to it."""
    return _fault_at(source, message, *line_of(path, source.text.split("\n")))


def _fault_at(source: TomlSource, message: str, line: int, column: int) -> InputError:
    """An error at a place that counts from 1 in this text."""
    lines = source.text.split("\n")
    text = lines[line - 1] if line <= len(lines) else ""
    return InputError(message, file=source.file, line=source.first_line + line - 1, column=column, source=text)


def shown(value: object) -> str:
    """The value as an error tells it."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case int() if value.bit_length() > 64:
            return "a number of more than 64 bits"
        case _:
            return str(value)
