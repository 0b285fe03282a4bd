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
    lines = _meaningful_lines(source, first_line)
    header: Header | None = None
    statements: list[Statement] = []
    for number, start in lines:
        if source.lines[number - 1][start] != "[":
            statement, opens_block = _parse_statement(source, number)
            if opens_block:
                statement = statement._replace(block=_parse_block(source, lines, number))
            statements.append(statement)
        elif header is None and not statements and not LOG_MARK.match(source.lines[number - 1]):
            line = _Line(source, number, start + 1)
            header = Header(number, line.values("an input"))
            line.end()
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


def _parse_block(source: Source, lines: Iterator[tuple[int, int]], opened: int) -> list[Statement]:
    block: list[Statement] = []
    for number, start in lines:
        if _BLOCK_END.match(source.lines[number - 1], start):
            return block
        if source.lines[number - 1][start] == "[":
            break
        statement, opens_block = _parse_statement(source, number)
        if opens_block:
            raise READING.block_in_block(source, number)
        block.append(statement)
    raise READING.open_block(source, opened)


def _parse_statement(source: Source, number: int) -> tuple[Statement, bool]:
    """The operation on line `number`, and whether an exit block begins behind it."""
    text = source.lines[number - 1]
    head = OPERATION.match(text)
    if head is None:
        raise READING.not_an_operation(source, number)
    result = Token("name", head[1], head.start(1) + 1) if head[1] is not None else None
    name = Token("name", head[2], head.start(2) + 1)
    row = OPS.get(name.text)
    if row is not None and row.raw:
        end = text.rfind(")")
        if end < head.end() or text[end + 1 :].strip()[:1] not in ("", "#"):
            raise READING.open_operation(source, number, head.end())
        raw = Token("raw", text[head.end() : end], head.end() + 1)
        return Statement(number, result, name, [raw], end + 1), False
    line = _Line(source, number, head.end())
    args, closing, descr, origin = line.arguments()
    failargs = line.values("a live value") if line.take("[") else None
    opens_block = line.take("{")
    line.end()
    return Statement(number, result, name, args, closing, descr, origin, failargs), opens_block


class _Line:
    """The words of a line from an index on, read one after the other."""

    def __init__(self, source: Source, number: int, start: int) -> None:
        self._source, self._number = source, number
        self._tokens, self._at = tokenize(source, number, start), 0

    def arguments(self) -> tuple[list[Token], int, Token | None, Token | None]:
        """The arguments up to the closing parenthesis, its column, the descr and the origin."""
        args: list[Token] = []
        descr = origin = None
        for token in self._items(")"):
            if token.kind == "descr" and descr is None:
                descr = token
                self._at += 1
            elif token.text == "origin" and self._tokens[self._at + 1].kind == "=":
                if origin is not None:
                    raise self._fault("an origin is given already")
                origin = self._origin()
            elif descr is None and origin is None:
                args.append(self._value("an argument"))
            else:
                raise self._expected(")")
        return args, self._tokens[self._at - 1].column, descr, origin

    def _origin(self) -> Token:
        token = self._tokens[self._at + 2]
        if token.kind != "number" or not re.fullmatch("[0-9]{1,9}", token.text):
            raise READING.no_origin(self._source, self._number, token)
        self._at += 3
        return token

    def values(self, what: str) -> list[Token]:
        """The values up to the closing bracket."""
        return [self._value(what) for _ in self._items("]")]

    def _items(self, closing: str) -> Iterator[Token]:
        """The first words of items with commas between them, up to the closing mark; who asks takes the items."""
        goes_on = not self.take(closing)
        while goes_on:
            yield self._tokens[self._at]
            goes_on = self.take(",")
            if not goes_on and not self.take(closing):
                raise self._expected(f", or {closing}")

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

    def take(self, kind: str) -> bool:
        """Takes the next word if it is of that kind."""
        found = self._tokens[self._at].kind == kind
        self._at += found
        return found

    def end(self) -> None:
        if self._tokens[self._at].kind != "end":
            raise self._expected("the end of the line")

    def _expected(self, what: str) -> Exception:
        return self._fault(READING.got(what, self._tokens[self._at]))

    def _fault(self, message: str) -> Exception:
        return self._source.fault(message, self._number, self._tokens[self._at].column)
