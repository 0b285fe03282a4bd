"""A piece of TOML text, at its place in a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from optimizer.ir.faults import InputError

Path = tuple[str, ...]
"""The keys that lead to a value, from the top."""

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
        import tomllib  # here, because its import takes as long as validating a small pair

        key = _TOO_LONG.search(self.text)
        if key is not None:
            ahead = self.text[: key.start()].split("\n")
            message = f"a key in the declarations has more than {_LONGEST} names, the most there may be"
            raise self.fault_at(message, len(ahead), len(ahead[-1]) + 1)
        try:
            return tomllib.loads(self.text)
        except (RecursionError, ValueError) as error:
            from optimizer.ir.text.toml_faults import not_toml

            raise not_toml(self, error) from None

    def fault(self, path: Path, message: str) -> InputError:
        """An error about the value at `path`, placed on the line that comes nearest to it."""
        from optimizer.ir.text.toml_faults import line_of

        return self.fault_at(message, *line_of(path, self.lines()))

    def lines(self) -> list[str]:
        return self.text.split("\n")

    def fault_at(self, message: str, line: int, column: int) -> InputError:
        """An error at a place that counts from 1 in this text."""
        lines = self.lines()
        source = lines[line - 1] if line <= len(lines) else ""
        return InputError(message, file=self.file, line=self.first_line + line - 1, column=column, source=source)
