"""A piece of TOML text, at its place in a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from optimizer.ir.faults import InputError, Sentences

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
        import tomllib  # here, because its import takes as long as validating a small pair

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
