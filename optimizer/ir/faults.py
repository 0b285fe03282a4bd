"""The kinds of fault that an input can have: the user's mistake and the tool's limit.

The tool's own faults are ordinary exceptions; the command lines turn what they do not expect into exit code 5.
"""

from __future__ import annotations


class InputError(Exception):
    """The user's mistake: what was expected, what was found, and where.

    `line` and `column` count from 1; 0 means that the fault has no such place. `source` is the text of the line.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, column: int = 0, source: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source = source

    def __str__(self) -> str:
        place = ":".join([self.file] * bool(self.file) + [str(n) for n in (self.line, self.column) if n])
        text = f"{place}: {self.message}" if place else self.message
        if self.source and self.line:
            source, column = _window(self.source.expandtabs(1).rstrip(), self.column)
            text += f"\n    {source}"
            if column:
                text += f"\n    {' ' * (column - 1)}^"
        return text


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around a column, and the column in it."""
    first = max(0, column - 100)
    if len(line) <= 200:
        return line, column
    before, behind = "..." * (first > 0), "..." * (len(line) > first + 150)
    return before + line[first : first + 150] + behind, column and column - first + len(before)


class Unsupported(Exception):
    """The tool's limit: something that is right in the language and that this tool does not model.

    `what` is an operation's name or a short phrase; `line` counts from 1, 0 where there is none.
    """

    def __init__(self, what: str, line: int = 0, file: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.file = file

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}" if self.line else self.what


class Unspecified(Unsupported):
    """A run asks for what nobody says what it is."""
