"""A piece of TOML text that knows on which line of its file each of its keys stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from optimizer.ir.faults import InputError

Path = tuple[str, ...]
"""The keys that lead to a value, from the top."""

_NAME = r"""(?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_NAMES = re.compile(_NAME)
_LONGEST = 100
_TOO_LONG = re.compile(
    rf"""(?<![A-Za-z0-9_-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){{{_LONGEST}}}"""
)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _path(dotted: str) -> Path:
    return tuple(name.strip("\"'") for name in _NAMES.findall(dotted))


@dataclass(frozen=True, slots=True)
class TomlSource:
    """TOML text. `first_line` is the number that its first line has in `file`."""

    text: str
    file: str = ""
    first_line: int = 1

    def load(self) -> dict[str, Any]:
        """The tables. Raises InputError, with line and column, for what is not TOML."""
        import tomllib  # here, because its import takes as long as validating a small pair

        key = _TOO_LONG.search(self.text)
        if key is not None:
            ahead = self.text[: key.start()].split("\n")
            message = f"a key in the declarations has more than {_LONGEST} names, the most there may be"
            raise self._fault_at(message, len(ahead), len(ahead[-1]) + 1)
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            raise self._fault_at("the declarations are nested too deeply", 1, 0) from None
        except ValueError as error:
            place = _PLACE.search(str(error))
            if place is None:
                raise self._fault_at("a number in the declarations has too many digits", 1, 0) from None
            line = int(place[1] or len(self._lines()))
            column = int(place[2] or 0)
            message = str(error)[:1].lower() + str(error)[1 : place.start()]
            raise self._fault_at(f"the declarations are not valid TOML: {message}", line, column) from None

    def fault(self, path: Path, message: str) -> InputError:
        """An error about the value at `path`, placed on the line that comes nearest to it."""
        line, column = self._find(path)
        return self._fault_at(message, line, column)

    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def _find(self, path: Path) -> tuple[int, int]:
        best, found, table = 0, (1, 0), Path()
        for number, line in enumerate(self._lines(), start=1):
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
                best, found = shared, (number, column + 1)
        return found

    def _fault_at(self, message: str, line: int, column: int) -> InputError:
        lines = self._lines()
        return InputError(
            message,
            file=self.file,
            line=self.first_line + line - 1,
            column=column,
            source=lines[line - 1] if line <= len(lines) else "",
        )


def _shared(here: Path, path: Path) -> int:
    """The number of names that the two paths have in common from the top."""
    for index, (one, other) in enumerate(zip(here, path, strict=False)):
        if one != other:
            return index
    return min(len(here), len(path))
