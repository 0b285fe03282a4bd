"""Both traces side by side, with a line from each guard to the one that it stands for, cut to what a page shows.

The lines are one drawing in the middle column. It is as high as the table, since each line of text is one line high
and long lines are broken here, not by the browser. On a narrow screen the traces stand below each other, row by row,
without the drawing: the numbers of guards say the same.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from fuzz.report.judged import JudgedPair
from validator.tell.line_pairs import Line, Row

_CHARACTERS = 60
_WIDTH = 72
_UNIT = 20

_FIRST = " ◂ first difference"


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a cell. `is_more`: it goes on with the one above."""

    guard: str
    text: str
    note: str = ""
    is_more: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    """The lines of both cells of a row, which is so many lines high."""

    before: list[ShownLine]
    after: list[ShownLine]
    is_first: bool
    is_same: bool

    @property
    def height(self) -> int:
        return max(1, len(self.before), len(self.after))


@dataclass(frozen=True, slots=True)
class ShownLink:
    """The line between two guards, as a path of SVG."""

    path: str
    how: str


@dataclass(frozen=True, slots=True)
class Beside:
    """The table of both traces. Its drawing has `width` and `height`, and is `lines` lines of text high."""

    rows: list[ShownRow]
    links: list[ShownLink]
    lines: int
    width: int = _WIDTH

    @property
    def height(self) -> int:
        return self.lines * _UNIT


def beside(pair: JudgedPair) -> Beside:
    """Both traces of the pair."""
    sources = {link.after: f"←{link.before}" for link in pair.links}
    shown = [_row(row, sources) for row in pair.rows]
    before: dict[int, float] = {}
    after: dict[int, float] = {}
    lines = 0
    for row, cells in zip(pair.rows, shown, strict=True):
        for line, places in ((row.before, before), (row.after, after)):
            if line.guard is not None:
                places[line.guard] = (lines + 0.5) * _UNIT  # the middle of its first line
        lines += cells.height
    bend = _WIDTH / 2
    links = []
    for link in pair.links:
        if link.before in before:
            left, right = before[link.before], after[link.after]
            path = f"M2 {left:g} C{bend:g} {left:g} {bend:g} {right:g} {_WIDTH - 2} {right:g}"
            links.append(ShownLink(path, link.how or "same"))
    return Beside(shown, links, lines)


def _row(row: Row, sources: dict[int, str]) -> ShownRow:
    before, after = row.before, row.after
    return ShownRow(
        [*_lines(before, {}, row.is_first)],
        [*_lines(after, sources, row.is_first)],
        row.is_first,
        before.guard is None and (before.text, before.note) == (after.text, after.note),
    )


def _lines(line: Line, sources: dict[int, str], is_first: bool) -> Iterator[ShownLine]:
    """The text of a line in pieces that fit, with its note."""
    if not line.text:
        return
    guard = "" if line.guard is None else f"g{line.guard}{sources.get(line.guard, '')}"
    note = (f"  # {line.note}" if line.note else "") + (_FIRST if is_first and line.marked else "")
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    first, *more = [*_broken(line.text, _CHARACTERS)] or [line.text]
    texts = [first, *(indent + text for text in more)]
    fits = len((more or [first])[-1]) + len(note) <= _CHARACTERS
    for i, text in enumerate(texts):
        is_last = i == len(texts) - 1
        yield ShownLine("" if i else guard, text, note if is_last and fits else "", i > 0)
    if note and not fits:
        for text in _broken(note.strip(), _CHARACTERS - 4):
            yield ShownLine("", indent, text, is_more=True)


def _broken(text: str, width: int) -> Iterator[str]:
    """The text in lines of so many characters; words that are longer are broken too."""
    lines = textwrap.wrap(text, width, subsequent_indent="", drop_whitespace=False, break_on_hyphens=False)
    yield from (line if i == 0 else line.lstrip() for i, line in enumerate(lines))
