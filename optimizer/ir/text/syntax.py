"""The shape of a trace's text: a header and statements, whose names have no meaning yet.

Both dialects have this shape; `optimizer.ir.dialects.toy` rewrites one into the other on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from optimizer.ir.faults import READING
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text.lexer import NAME, Source, Token, is_variable_name, tokenize


class Statement(NamedTuple):
    """One operation as it is written. A raw operation has one argument, of kind "raw".

    `closing` is the column of the parenthesis behind the arguments. `failargs` is None where there is no
    list, `block` where there is no exit block.
    """

    line: int
    result: Token | None
    name: Token
    args: list[Token]
    closing: int
    descr: Token | None = None
    origin: Token | None = None
    failargs: list[Token] | None = None
    block: list[Statement] | None = None


class Header(NamedTuple):
    """The inputs, and the line on which they stand."""

    line: int
    inputs: list[Token]


class Body(NamedTuple):
    """A text's header, None where it has none, and its statements."""

    header: Header | None
    statements: list[Statement]


_OFFSET = r"\s*(?:\+[0-9]+:\s*)?"
OPERATION = re.compile(rf"{_OFFSET}(?:({NAME})\s*=\s*)?({NAME})\s*\(")
"""The beginning of a line with an operation: its result and its name."""
LOG_MARK = re.compile(r"\[[0-9a-f]+\] (?:\{(?P<opens>[\w-]+)|(?P<closes>[\w-]+)\})\s*\Z")
"""The line of a log of PyPy on which a section begins or ends."""
LINE_START = re.compile(_OFFSET)
"""The space and the offset that may stand in front of all that a line says."""
_BLOCK_END = re.compile(r"\s*\}\s*(?:#.*)?\Z")
_LOOP_END = "--end of the loop--"
_VALUES = frozenset(("name", "number", "constant", "string"))


def parse_body(source: Source, first_line: int) -> Body:
    """The statements from line `first_line` on. Raises InputError."""
    parser = _LineParser(source)
    lines = _meaningful_lines(source, first_line)
    header: Header | None = None
    statements: list[Statement] = []
    for number, start in lines:
        if source.lines[number - 1][start] != "[":
            statement, opens_block = parser.statement(number)
            if opens_block:
                statement = statement._replace(block=_parse_block(parser, lines, number))
            statements.append(statement)
        elif header is None and not statements and not LOG_MARK.match(source.lines[number - 1]):
            header = parser.header(number, start)
        else:
            raise READING.second_header(source, number, start, header)
    return Body(header, statements)


def _meaningful_lines(source: Source, first_line: int) -> Iterator[tuple[int, int]]:
    """The numbers of the lines that say something, each with the index at which it begins."""
    for number in range(first_line, len(source.lines) + 1):
        line = source.lines[number - 1]
        match = LINE_START.match(line)
        start = match.end() if match else 0
        said = line[start:].rstrip()
        if said and said[0] != "#" and said != _LOOP_END:
            yield number, start


def _parse_block(parser: _LineParser, lines: Iterator[tuple[int, int]], opened: int) -> list[Statement]:
    source = parser.source
    block: list[Statement] = []
    for number, start in lines:
        if _BLOCK_END.match(source.lines[number - 1], start):
            return block
        if source.lines[number - 1][start] == "[":
            break
        statement, opens_block = parser.statement(number)
        if opens_block:
            raise READING.block_in_block(source, number)
        block.append(statement)
    raise READING.open_block(source, opened)


class _LineParser:
    """Reads the lines of one source; `_tokens` and `_at` are those of the line at hand."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._line = 0
        self._tokens: list[Token] = []
        self._at = 0

    def header(self, number: int, start: int) -> Header:
        self._line, self._tokens, self._at = number, tokenize(self.source, number, start), 1
        inputs = self._values("]", "an input")
        self._end()
        return Header(number, inputs)

    def statement(self, number: int) -> tuple[Statement, bool]:
        """The operation on line `number`, and whether an exit block begins behind it."""
        line = self.source.lines[number - 1]
        head = OPERATION.match(line)
        if head is None:
            raise READING.not_an_operation(self.source, number)
        result = Token("name", head[1], head.start(1) + 1) if head[1] is not None else None
        name = Token("name", head[2], head.start(2) + 1)
        row = OPS.get(name.text)
        if row is not None and row.raw:
            return self._raw(number, result, name, head.end()), False
        self._line, self._tokens, self._at = number, tokenize(self.source, number, head.end()), 0
        args, closing, descr, origin = self._arguments()
        failargs = None
        if self._take("["):
            failargs = self._values("]", "a live value")
        opens_block = self._take("{")
        self._end()
        return Statement(number, result, name, args, closing, descr, origin, failargs), opens_block

    def _raw(self, number: int, result: Token | None, name: Token, start: int) -> Statement:
        line = self.source.lines[number - 1]
        end = line.rfind(")")
        if end < start or line[end + 1 :].strip()[:1] not in ("", "#"):
            raise READING.open_operation(self.source, number, start)
        text = Token("raw", line[start:end], start + 1)
        return Statement(number, result, name, [text], end + 1)

    def _arguments(self) -> tuple[list[Token], int, Token | None, Token | None]:
        """The arguments up to the closing parenthesis, its column, the descr and the origin."""
        args: list[Token] = []
        descr = origin = None
        tokens, at = self._tokens, self._at
        if tokens[at].kind == ")":
            self._at = at + 1
            return args, tokens[at].column, None, None
        while True:
            token = tokens[self._at]
            if token.kind == "descr" and descr is None:
                descr = self._descr()
            elif token.text == "origin" and tokens[self._at + 1].kind == "=":
                origin = self._origin(origin)
            elif descr is None and origin is None:
                args.append(self._value("an argument"))
            else:
                raise self._expected(")")
            if not self._goes_on(")"):
                return args, tokens[self._at - 1].column, descr, origin

    def _descr(self) -> Token:
        token = self._tokens[self._at]
        text = token.text.strip()
        if not text:
            raise self._fault("expected the name of a descr behind descr=")
        self._at += 1
        return token._replace(text=text)

    def _origin(self, before: Token | None) -> Token:
        token = self._tokens[self._at + 2]
        if before is not None:
            raise self._fault("an origin is given already")
        if token.kind != "number" or not re.fullmatch("[0-9]{1,9}", token.text):
            raise READING.no_origin(self.source, self._line, token)
        self._at += 3
        return token

    def _values(self, closing: str, what: str) -> list[Token]:
        values: list[Token] = []
        if self._take(closing):
            return values
        while True:
            values.append(self._value(what))
            if not self._goes_on(closing):
                return values

    def _value(self, what: str) -> Token:
        token = self._tokens[self._at]
        if token.kind not in _VALUES:
            raise self._expected(what)
        self._at += 1
        if self._tokens[self._at].kind == "suffix":
            if token.kind == "name" and is_variable_name(token.text):
                raise self._fault(f"{self._tokens[self._at].text} stands only behind constants")
            self._at += 1
        return token

    def _goes_on(self, closing: str) -> bool:
        """Takes a comma, or the closing mark."""
        kind = self._tokens[self._at].kind
        if kind != "," and kind != closing:
            raise self._expected(f", or {closing}")
        self._at += 1
        return kind == ","

    def _take(self, kind: str) -> bool:
        found = self._tokens[self._at].kind == kind
        self._at += found
        return found

    def _end(self) -> None:
        if self._tokens[self._at].kind != "end":
            raise self._expected("the end of the line")

    def _expected(self, what: str) -> Exception:
        return self._fault(READING.got(what, self._tokens[self._at]))

    def _fault(self, message: str) -> Exception:
        return self.source.fault(message, self._line, self._tokens[self._at].column)
