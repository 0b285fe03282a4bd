"""Places of faults in TOML text: the line on which a key stands. Loaded when a text has a fault."""

from __future__ import annotations

import re

from optimizer.ir.faults import InputError
from optimizer.ir.text.toml_source import Path, TomlSource

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
        return source.fault_at("the declarations are nested too deeply", 1, 0)
    place = _PLACE.search(str(error))
    if place is None:
        return source.fault_at("a number in the declarations has too many digits", 1, 0)
    line, column = int(place[1] or len(source.lines())), int(place[2] or 0)
    message = str(error)[:1].lower() + str(error)[1 : place.start()]
    return source.fault_at(f"the declarations are not valid TOML: {message}", line, column)


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
