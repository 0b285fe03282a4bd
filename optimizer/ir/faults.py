"""The kinds of fault that an input can have: the user's mistake and the tool's limit.

The tool's own faults are ordinary exceptions; the command lines turn what they do not expect into exit code 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


class Sentences:
    """The module of that name with what is said of wrong inputs, loaded when one is: to read right ones takes none of
    it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


@dataclass(eq=False)
class InputError(Exception):
    """The user's mistake: what was expected, what was found, and where.

    `line` and `column` count from 1; 0 means that the fault has no such place. `source` is the text of the line.
    """

    message: str
    file: str = field(default="", kw_only=True)
    line: int = field(default=0, kw_only=True)
    column: int = field(default=0, kw_only=True)
    source: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        return str(READING.told(self))


READING = Sentences("optimizer.ir.text.reading_faults")
"""Sentences about texts that are no traces."""


@dataclass(eq=False)
class Unsupported(Exception):
    """The tool's limit: something that is right in the language and that this tool does not model.

    `what` is an operation's name or a short phrase; `line` counts from 1, 0 where there is none.
    """

    what: str
    line: int = 0
    file: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}" if self.line else self.what


class Unspecified(Unsupported):
    """A run asks for what nobody says what it is."""
