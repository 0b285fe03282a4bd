"""Two columns of lines, as wide as they need to be, or as a terminal is; below each other where that is narrow."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from validator.tell.line_pairs import Line, Row

Style = Callable[[str, str], str]
"""Gives a text a colour, or makes it bold."""


_MARK, _NO_MARK, _GAP = "  > ", "    ", "   "

_HELD = "#\0"
"""The start of what a line came to, which stays on one line with it."""

_NARROWEST = 32
"""A column is no narrower than that."""


def columns(found: Sequence[Row], style: Style, width: int | None) -> Iterator[str]:
    """The rows, the first difference marked, in lines of at most `width` characters, of any number if that is None."""
    needed = [max(len(name), *(len(str(line)) for line in side)) for name, side in _sides(found)]
    room = sum(needed) if width is None else width - len(_MARK) - len(_GAP)
    if sum(needed) > room and room < 2 * _NARROWEST:
        yield from _below(found, style, max(room, _NARROWEST))
        return
    left = min(needed[0], max(room // 2, room - needed[1]))
    yield f"{_NO_MARK}{'before':<{left}}{_GAP}after"
    for row in found:
        cells = _wrapped(row.before, left), _wrapped(row.after, room - left)
        for number in range(max(map(len, cells))):
            one, other = (cell[number] if number < len(cell) else "" for cell in cells)
            text = f"{_MARK if row.is_first and not number else _NO_MARK}{one:<{left}}{_GAP}{other}".rstrip()
            yield style(text, "bold") if row.is_first else text


def _sides(found: Sequence[Row]) -> tuple[tuple[str, list[Line]], tuple[str, list[Line]]]:
    return ("before", [row.before for row in found]), ("after", [row.after for row in found])


def _below(found: Sequence[Row], style: Style, room: int) -> Iterator[str]:
    """One trace below the other."""
    for name, side in _sides(found):
        yield f"{_NO_MARK}{name}"
        for row, line in zip(found, side, strict=True):
            for number, text in enumerate(_wrapped(line, room) if line.text else ()):
                text = f"{_MARK if row.is_first and not number else _NO_MARK}{text}"
                yield style(text, "bold") if row.is_first else text
        if name == "before":
            yield ""


def _wrapped(line: Line, room: int) -> list[str]:
    """The line in pieces that fit, indented but for the first."""
    text = str(line)
    if len(text) <= room:
        return [text]
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    pieces = textwrap.wrap(text.replace("# ", _HELD), room, subsequent_indent=indent, break_on_hyphens=False)
    return [piece.replace(_HELD, "# ") for piece in pieces]
