"""The shape of a heap's text: lines, whose names have no meaning yet.

    p0 = Node(value=5, next=p1)
    p1 = Node(value=7, next=NULL)
    p2 = Chars[1, 2, 3]
    p3 = p0
    ConstPtr(a) = Node(tag=7)

A line describes an object or names one again. What an object does not mention is 0 or NULL, behind `...` it is not
written yet. The items of an array may have indices, `Chars[7: 1, length=10]`; those of an array of structs are
`Points[(x=1), (y=2)]`. A name that is no word stands in quotes. Memory that a declared class does not have, but that an
undeclared descr names, stands behind it in parentheses: `p0 = Node(value=5, x=1)`, `p2 = Chars[1](x=1, Others[0]=2)`.

    raw[4096: 1, 2, 3, 8192: 255](Node.value[4096]=7)

is raw memory: bytes by their addresses, which are told as machine ints are; those in a row need no addresses of their
own. Behind them are the fields of raw structs, by the addresses of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.ir.faults import InputError
from optimizer.ir.run.objects import NULL
from optimizer.ir.text.lexer import NAME, Source, Token
from optimizer.ir.text.reading_faults import describe
from optimizer.ir.text.string_text import HIGHEST, BadConstant, read_text, write_text
from optimizer.ir.types.memory_cells import RAW_ARRAY
from optimizer.ir.types.memory_types import RAW


@dataclass(frozen=True, slots=True)
class Name:
    """The name in front of the `=` of a line."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Entry:
    """`name=value` or `name[index]=value`."""

    name: Token
    index: Token | None
    value: Token


@dataclass(frozen=True, slots=True)
class Item:
    """`value`, or `(entries)`, with an index or without; or a string, which stands for its items."""

    index: Token | None
    value: Token | None
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """`name = other`, or a description: `items` are None for a struct; `is_blank` says that it holds `...`."""

    name: Name
    other: Token | None = None
    type: Token | None = None
    items: tuple[Item, ...] | None = None
    length: Token | None = None
    entries: tuple[Entry, ...] = ()
    is_blank: bool = False

    def texts(self) -> Iterator[str]:
        """The constant strings that it refers to."""
        entries = [*self.entries, *(entry for item in self.items or () for entry in item.entries)]
        items = [] if self.type is None or self.type.text in HIGHEST else [item.value for item in self.items or ()]
        tokens = (self.other, *(entry.value for entry in entries), *items)
        yield from (token.text for token in tokens if token is not None and token.kind == "string")


_TOKEN = re.compile(
    rf"""(?P<blank>\s+|\#.*)
    |(?P<constant>ConstPtr\([^()]*\))
    |"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<string>u"(?:[^"\\]|\\.)*")
    |(?P<name>{NAME})
    |(?P<number>[-+.]?[0-9](?:[eEpP][-+](?=[0-9])|[\w.])*+|-inf\b)
    |(?P<dots>\.\.\.)
    |(?P<mark>[()\[\]=,:?])
    |(?P<fault>.)""",
    re.VERBOSE,
)
UNWRITTEN = "?"
"""The text of an item of an array that has not been written."""

_VALUES = ("name", "number", "constant")
_A_NAME = "the name of an object, such as p0"


def read_line(source: Source, number: int) -> Iterator[Line]:
    """The line of that number (from 1); nothing for one that is blank or a comment. Raises InputError."""
    parser = _Parser(source, number)
    if not parser.sees("end"):
        yield parser.line()


class _Parser:
    def __init__(self, source: Source, number: int) -> None:
        self._source = source
        self._number = number
        self._tokens: list[Token] = []
        self._at = 0
        self._blank = False
        text = source.lines[number - 1]
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            if kind == "fault":
                raise source.fault(f"the character {match[0]} has no meaning here", number, match.start() + 1)
            if kind != "blank":
                self._tokens.append(Token(match[0] if kind == "mark" else kind, match[kind], match.start() + 1))
        self._tokens.append(Token("end", "", len(text.rstrip()) + 1))

    def sees(self, kind: str) -> bool:
        return self._tokens[self._at].kind == kind

    def line(self) -> Line:
        if self._sees_null():
            raise self._fault(_A_NAME)
        token = self._text() or self._take(("name", "constant"), _A_NAME)
        name = Name(token.text, self._number, token.column)
        if token.text == RAW and self._goes("["):
            return self._raw(Name(RAW_ARRAY.name, self._number, token.column), token)
        self._take(("=",), "=")
        is_other = self._sees_null() or self.sees("constant")
        if self._at + 2 == len(self._tokens) and (text := self._text()) is not None:
            return Line(name, other=text)
        what = self._take(
            ("name", "quoted", "constant"), "an object, such as Node(value=5) or Chars[1, 2], or the name of one"
        )
        if is_other or self.sees("end"):
            self._take(("end",), "the end of the line")
            return Line(name, other=what)
        if self._goes("["):
            items, length = self._items()
            entries = self._entries() if self._goes("(") else ()
            line = Line(name, None, what, items, length, entries, self._blank)
        else:
            self._take(("(",), "( or [")
            line = Line(name, None, what, None, None, self._entries(), self._blank)
        self._take(("end",), "the end of the line")
        return line

    def _raw(self, name: Name, token: Token) -> Line:
        """The rest of a line behind `raw[`."""
        items: list[Item] = []
        while not self._goes("]"):
            items.append(Item(self._index(), self._take(("number",), "a byte")))
            self._separate("]")
        entries = self._entries() if self._goes("(") else ()
        for entry in entries:
            if entry.index is None:
                raise self._source.fault(f"expected {entry.name.text}[address]", self._number, entry.name.column)
        self._take(("end",), "the end of the line")
        return Line(name, None, token, tuple(items), None, entries)

    def _items(self) -> tuple[tuple[Item, ...], Token | None]:
        items: list[Item] = []
        length: Token | None = None
        while not self._goes("]"):
            if self._goes("dots"):
                self._blank = True
            elif self._sees_length():
                self._at += 2
                length = self._take(("number",), "a length")
            else:
                items.append(self._item())
            self._separate("]")
        return tuple(items), length

    def _text(self) -> Token | None:
        """The string that stands here, in its canonical form, if one does."""
        token = self._tokens[self._at]
        if token.kind not in ("quoted", "string"):
            return None
        self._at += 1
        try:
            kind, items = read_text(token.text if token.kind == "string" else f'"{token.text}"')
        except BadConstant as problem:
            raise self._source.fault(str(problem), self._number, token.column) from None
        return Token("string", write_text(kind, items), token.column)

    def _sees_null(self) -> bool:
        return self.sees("name") and self._tokens[self._at].text == NULL.name

    def _sees_length(self) -> bool:
        return self._tokens[self._at].text == "length" and self._tokens[self._at + 1].kind == "="

    def _item(self) -> Item:
        index = self._index()
        if self._goes("("):
            return Item(index, None, self._entries())
        text = self._text() if index is None else None
        return Item(index, text or self._take((*_VALUES, UNWRITTEN), "an item"))

    def _index(self) -> Token | None:
        """The number and the colon in front of an item, if they are there."""
        if not self.sees("number") or self._tokens[self._at + 1].kind != ":":
            return None
        self._at += 2
        return self._tokens[self._at - 2]

    def _entries(self) -> tuple[Entry, ...]:
        """Up to the closing parenthesis."""
        entries: list[Entry] = []
        while not self._goes(")"):
            if self._goes("dots"):
                self._blank = True
            else:
                name = self._take(("name", "quoted"), "a field, such as value=5")
                index = None
                if self._goes("["):
                    index = self._take(("number",), "an index")
                    self._take(("]",), "]")
                self._take(("=",), "=")
                value = self._text() or self._take(_VALUES, "a number, NULL or the name of an object")
                entries.append(Entry(name, index, value))
            self._separate(")")
        return tuple(entries)

    def _separate(self, closing: str) -> None:
        if not self._goes(",") and not self.sees(closing):
            raise self._fault(f", or {closing}")

    def _goes(self, kind: str) -> bool:
        found = self.sees(kind)
        self._at += found
        return found

    def _take(self, kinds: tuple[str, ...], expected: str) -> Token:
        token = self._tokens[self._at]
        if token.kind not in kinds:
            raise self._fault(expected)
        self._at += 1
        return token

    def _fault(self, expected: str) -> InputError:
        token = self._tokens[self._at]
        return self._source.fault(f"expected {expected}, got {describe(token)}", self._number, token.column)
