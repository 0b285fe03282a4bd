"""The text of a trace cut into lines, and a line into its words.

A line is an operation, a header, the end of an exit block, or nothing (blank, a comment, a log's end mark).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from optimizer.ir.faults import READING, InputError


class Token(NamedTuple):
    """A word of a line. `kind` is name, number, constant, string, suffix, descr, fault or the mark itself.

    Of a descr, `text` is what stands behind the `=`. `column` counts from 1.
    """

    kind: str
    text: str
    column: int


def _nested(opening: str, closing: str, depth: int = 3) -> str:
    """A pattern for brackets that hold text, and such brackets in turn as deep as that."""
    inner = f"|{_nested(opening, closing, depth - 1)}" if depth else ""
    return rf"{opening}(?:[^{opening}{closing}]{inner})*+{closing}"


_ANGLES, _ROUND, _SQUARE = _nested("<", ">"), _nested(r"\(", r"\)"), _nested(r"\[", r"\]")
NAME = r"[^\W\d][\w.$]*"
NUMBER = r"[-+.]?[0-9](?:[eEpP][-+](?=[0-9])|[\w.])*+|-(?:inf|nan)\b"
_STRING = r'"(?:[^"\\]|\\.)*+"'

_TOKEN = re.compile(
    rf"""(?P<blank>\s++|\#.*)
    |descr\s*=\s*+(?P<descr>(?:{_ANGLES}|{_ROUND}|{_SQUARE}|{_STRING}|[^<()\[\]{{}},"\#])++)
    |(?P<open_descr>descr\s*=\s*)
    |(?P<constant>Const(?:Ptr|Class){_ROUND})
    |(?P<string>[us]?{_STRING})
    |(?P<name>{NAME})
    |(?P<number>{NUMBER})
    |(?P<suffix>/c[irf]\b)
    |(?P<mark>[()\[\]{{}},=])
    |(?P<fault>.)""",
    re.VERBOSE,
)
_NAME_END = re.compile(rf"{NAME}\Z")
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ud800-\udfff\ufffd]")
RESERVED = ("NULL", "None", "nan", "inf")


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a file, for errors that point into them."""

    file: str
    lines: list[str]

    def fault(self, message: str, line: int, column: int = 0) -> InputError:
        """An error at a place that counts from 1."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return InputError(message, file=self.file, line=line, column=column, source=text)


def read_lines(text: str, file: str) -> Source:
    """The lines of `text`, whatever ends them. Raises InputError for what is not text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    source = Source(file, text.split("\n"))
    garbage = _NOT_TEXT.search(text)
    if garbage:
        raise READING.not_text(file, text, garbage.start())
    if not text.strip():
        raise InputError("the file is empty: a trace begins with its inputs, such as [i0, i1]", file=file)
    return source


def tokenize(source: Source, number: int, start: int = 0) -> list[Token]:
    """The words of line `number`, from index `start` on, and one of kind "end". Raises InputError."""
    line = source.lines[number - 1]
    tokens: list[Token] = []
    for match in _TOKEN.finditer(line, start):
        kind = match.lastgroup
        if kind == "blank":
            continue
        if kind in ("fault", "open_descr", None):
            raise source.fault(READING.bad_character(match[0], line[match.end() :]), number, match.start() + 1)
        text = match[kind].rstrip()
        tokens.append(Token(text if kind == "mark" else kind, text, match.start() + 1))
    tokens.append(Token("end", "", len(line.rstrip()) + 1))
    return tokens


def is_variable_name(text: str) -> bool:
    """Can a variable be called so?"""
    return _NAME_END.match(text) is not None and text not in RESERVED
