"""Both traces side by side as a table, with a line from each guard to the one that it stands for.

The lines are one drawing in the middle column. It is as high as the table, since each line of text is `LINE_EM` high
and long lines are broken here, not by the browser. On a narrow screen the traces stand below each other, row by row,
without the drawing: the numbers of guards say the same.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from fuzz.report.judged import JudgedPair, Link
from fuzz.report.looks import LINE_EM
from fuzz.report.markup import Markup, joined, tag
from validator.tell.line_pairs import Line, Row

_CHARACTERS = 60
_WIDTH = 72
_UNIT = 20.0

_FIRST = " ◂ first difference"


def beside(pair: JudgedPair) -> Markup:
    """The table."""
    sources = {link.after: link.before for link in pair.links}
    cells = [
        (_lines(row.before, row.is_first and row.before.marked), _lines(row.after, row.is_first and row.after.marked))
        for row in pair.rows
    ]
    heights = [max(1, len(left), len(right)) for left, right in cells]
    body: list[Markup] = []
    for row, (left, right), height in zip(pair.rows, cells, heights, strict=True):
        is_same = row.before.guard is None and (row.before.text, row.before.note) == (row.after.text, row.after.note)
        parts = [_cell(left, _label(row.before.guard), "both" if is_same else "before", height)]
        if not body:
            parts.append(tag("td", _drawing(pair, heights), rowspan=len(heights), class_="links", aria_hidden="true"))
        parts.append(_cell(right, _label(row.after.guard, sources, "g"), "after", height))
        body.append(tag("tr", *parts, class_="first" if row.is_first else "both" if is_same else None))
    head = tag("tr", tag("th", "before", scope="col"), tag("td"), tag("th", "after", scope="col"))
    table = tag("table", tag("thead", head), tag("tbody", *body), aria_label="both traces side by side")
    return tag("div", table, class_="trace scroll", tabindex=0, role="group", aria_label="both traces side by side")


def _label(guard: int | None, sources: dict[int, int] | None = None, prefix: str = "g") -> str:
    if guard is None:
        return ""
    if sources is None:
        return f"{prefix}{guard}"
    return f"{prefix}{guard}←{sources[guard]}" if guard in sources else f"{prefix}{guard}"


def _lines(line: Line, is_first: bool) -> list[tuple[Markup, bool]]:
    """The text of a line in pieces that fit, each with whether it goes on from the one above."""
    if not line.text:
        return []
    note = (f"  # {line.note}" if line.note else "") + (_FIRST if is_first else "")
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    texts = [*_broken(line.text, _CHARACTERS)] or [line.text]
    pieces = [joined(text if i == 0 else indent + text) for i, text in enumerate(texts)]
    if note and len(texts[-1]) + len(note) <= _CHARACTERS:
        pieces[-1] = joined(pieces[-1], tag("span", note, class_="note"))
    elif note:
        pieces += [joined(indent, tag("span", text, class_="note")) for text in _broken(note.strip(), _CHARACTERS - 4)]
    return [(piece, i > 0) for i, piece in enumerate(pieces)]


def _broken(text: str, width: int) -> Iterator[str]:
    """The text in lines of so many characters; words that are longer are broken too."""
    lines = textwrap.wrap(text, width, subsequent_indent="", drop_whitespace=False, break_on_hyphens=False)
    yield from (line if i == 0 else line.lstrip() for i, line in enumerate(lines))


def _cell(lines: Sequence[tuple[Markup, bool]], label: str, side: str, height: int) -> Markup:
    if not lines:
        return tag("td", class_="side", style=f"--lines:{height}")
    parts = [
        tag("span", tag("span", "" if is_more else label, class_="g"), piece, class_="more" if is_more else None)
        for piece, is_more in lines
    ]
    return tag("td", *parts, class_="side", data_side=side, style=f"--lines:{height}")


def _drawing(pair: JudgedPair, heights: Sequence[int]) -> Markup:
    """The lines between guards, from the middle of the first line of each."""
    before, after = _places(pair.rows, heights)
    lines = [_line(link, before[link.before], after[link.after]) for link in pair.links if link.before in before]
    total = sum(heights)
    return tag(
        "svg",
        *lines,
        viewBox=f"0 0 {_WIDTH} {total * _UNIT:g}",
        preserveAspectRatio="none",
        style=f"height:{total * LINE_EM:.2f}em",
    )


def _places(rows: Sequence[Row], heights: Sequence[int]) -> tuple[dict[int, float], dict[int, float]]:
    before: dict[int, float] = {}
    after: dict[int, float] = {}
    above = 0
    for row, height in zip(rows, heights, strict=True):
        for line, places in ((row.before, before), (row.after, after)):
            if line.guard is not None:
                places[line.guard] = (above + 0.5) * _UNIT
        above += height
    return before, after


def _line(link: Link, left: float, right: float) -> Markup:
    bend = _WIDTH / 2
    path = f"M2 {left:g} C{bend:g} {left:g} {bend:g} {right:g} {_WIDTH - 2} {right:g}"
    return tag("path", d=path, class_=f"link tone-{link.how}")
