"""Reads at once the lines that look as the printer writes them; most lines of most traces do.

What is read here is only what the statements of `optimizer.ir.text.syntax` and the names of
`optimizer.ir.text.resolver` would give as well. They read the other lines, and they say what is wrong with a text.
"""

from __future__ import annotations

import re

from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.text.lexer import NAME, RESERVED, Source, Token, tokenize
from optimizer.ir.text.resolver import Resolver
from optimizer.ir.text.syntax import BLOCK_END, OFFSET, LineParser, beginning
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var
from optimizer.ir.types.declared import Declarations

_WORDS = r"[-\w.$, ()]*"
_ARGUMENTS = rf"({_WORDS})(?:descr=([\w.$]+)|origin=([0-9]{{1,9}}))?"
_LINE = re.compile(rf"{OFFSET}(?:({NAME}) = )?({NAME})\({_ARGUMENTS}\)(?: \[({_WORDS})\])?( {{)?\Z")
_DECIMAL = re.compile("-?[0-9]+")


class _NotPlain(Exception):
    """Something has to be read word by word, or told by what does that."""


def read_plainly(source: Source, first_line: int, word: int, declarations: Declarations) -> Trace | None:
    """The trace from that line on; None where it cannot be read so, or is none."""
    try:
        trace = _Reader(source, first_line, Resolver(source, word, declarations)).trace()
        check(trace)
    except (InputError, IllFormed, _NotPlain):
        return None
    return trace


class _Reader:
    def __init__(self, source: Source, first_line: int, resolver: Resolver) -> None:
        self._parser = LineParser(source)
        self._resolver = resolver
        self._lines = enumerate(source.lines[first_line - 1 :], start=first_line)

    def trace(self) -> Trace:
        for number, line in self._lines:
            start = beginning(line)
            if start is None:
                continue
            if line[start] != "[":
                break
            inputs = self._resolver.inputs(self._parser.header(number, start))
            return self._resolver.unchecked(inputs, self._operations(), number)
        raise _NotPlain

    def _operations(self, in_block: bool = False) -> list[Operation]:
        """Those of the lines that are left, or up to the end of an exit block."""
        found = []
        for number, line in self._lines:
            match = _LINE.match(line)
            if match is not None:
                found.append(self._operation(match, number, in_block))
                continue
            start = beginning(line)
            if start is None:
                continue
            if in_block and BLOCK_END.match(line, start):
                return found
            found.append(self._carefully(number))
        if in_block:
            raise _NotPlain
        return found

    def _carefully(self, number: int) -> Operation:
        statement, opens_block = self._parser.statement(number)
        if opens_block:
            raise _NotPlain
        return self._resolver.operation(statement)

    def _operation(self, match: re.Match[str], number: int, in_block: bool) -> Operation:
        name, op, args, descr, origin, failargs, opens_block = match.groups()
        row = OPS.get(op)
        if row is None or (opens_block and in_block) or name in RESERVED:
            raise _NotPlain
        if row.raw or row.of_table or (row.kind is Kind.NEW and descr is None):
            return self._carefully(number)
        if args and (descr or origin):
            if len(args) < 3 or args[-2:] != ", ":
                raise _NotPlain
            args = args[:-2]
        values = self._values(args)
        exit_ = None
        if row.kind is Kind.GUARD:
            exit_ = self._exit(failargs, opens_block is not None, origin)
        elif failargs is not None or opens_block or origin:
            raise _NotPlain
        result = None if name is None else self._resolver.define(Var(name, row.result))
        return Operation(row, values, result, exit_, descr, number)

    def _exit(self, failargs: str | None, opens_block: bool, origin: str | None) -> Exit:
        block = self._operations(in_block=True) if opens_block else []
        handed = None if failargs is None else self._live(failargs)
        self._resolver.hide(block)
        return Exit(handed, None if origin is None else int(origin), tuple(block))

    def _values(self, words: str) -> tuple[Value, ...]:
        if not words:
            return ()
        get = self._resolver.values.get
        return tuple([get(word) or self._constant(word) for word in words.split(", ")])

    def _live(self, words: str) -> tuple[Value | None, ...]:
        if not words:
            return ()
        get = self._resolver.values.get
        return tuple([get(word) or (None if word == "None" else self._constant(word)) for word in words.split(", ")])

    def _constant(self, word: str) -> Value:
        """The constant that the word is; it is one word to the lexer too."""
        if _DECIMAL.fullmatch(word):
            return self._resolver.value(Token("number", word, 1), 1)
        token, *rest = tokenize(Source("", [word]), 1)
        if token.text != word or len(rest) != 1:
            raise _NotPlain
        return self._resolver.value(token, 1)
