"""The meaning of a trace's text: from statements to a trace."""

from __future__ import annotations

from collections.abc import Callable

from optimizer.ir.faults import READING, InputError
from optimizer.ir.text.lexer import Source, read_lines
from optimizer.ir.text.resolver import Resolver
from optimizer.ir.text.syntax import Body, parse_body
from optimizer.ir.trace import Trace
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations

_FENCE = "+++"


def parse(
    text: str,
    *,
    file: str = "<trace>",
    word: int | None = None,
    types: Declarations = NO_DECLARATIONS,
    translate: Callable[[Body, Source], Body] = lambda body, _: body,
) -> Trace:
    """The trace that `text` writes, once its statements are translated (see `optimizer.ir.dialects.reading`)."""
    source = read_lines(text, file)
    declarations, own_word, first_line = _front_matter(source, types)
    word = _choose_word(source, word, own_word)
    body = translate(parse_body(source, first_line), source)
    if body.header is None:
        raise READING.no_header(source, body.statements)
    return Resolver(source, word, declarations).trace(body.header, body.statements)


def _front_matter(source: Source, types: Declarations) -> tuple[Declarations, int | None, int]:
    """The declarations and the width of a word that stand between the two `+++` lines, and the number of the line
    behind them."""
    opening = 0
    for number, line in enumerate(source.lines, start=1):
        stripped = line.strip()
        if opening and stripped == _FENCE:
            from optimizer.ir.text.declarations import (
                TomlSource,
                read_front_matter,
            )  # here: most traces declare nothing

            toml = "\n".join(source.lines[opening : number - 1])
            return *read_front_matter(TomlSource(toml, source.file, opening + 1), types), number + 1
        if not opening and stripped == _FENCE:
            opening = number
        elif not opening and stripped and stripped[0] != "#":
            return types, None, number
    if opening:
        raise source.fault("the declarations that begin here do not end: expected +++", opening, 1)
    return types, None, 1


def _choose_word(source: Source, argument: int | None, front_matter: int | None) -> int:
    if argument is not None and not 4 <= argument <= 64:
        raise InputError(f"a word has 4 to 64 bits, not {argument}", file=source.file)
    if argument is not None and front_matter not in (None, argument):
        message = f"the trace is for words of {front_matter} bits, but words of {argument} bits are asked for"
        raise InputError(message, file=source.file)
    return argument or front_matter or 64
