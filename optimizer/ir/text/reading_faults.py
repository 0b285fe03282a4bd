"""Sentences about texts that are no traces: faults with their places, and hints. Loaded when a text has one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from optimizer.ir.check import IllFormed, Part, Place
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text.lexer import Source, Token, describe, shorten, tokenize
from optimizer.ir.text.syntax import LINE_START, Header, Statement

_OF_VARIABLES = ("i", "p", "r", "f", "v")
"""The first letters that variables have in most traces."""


# Of characters and words.


def not_text(file: str, text: str, index: int) -> InputError:
    """The fault of a character that no text holds."""
    line, column = text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
    message = f"this is not text: it holds the character U+{ord(text[index]):04X}"
    return InputError(message, file=file, line=line, column=column)


def bad_character(text: str, rest: str) -> str:
    """The fault of what begins no word, by what stands behind it."""
    if len(text) > 1:
        has_brackets = any(bracket in rest for bracket in "<([{")
        return "the brackets of the descr must be closed" if has_brackets else "expected a name behind descr="
    if text == '"':
        return 'a text in quotes must end with " on the same line'
    hint = "; a comment begins with #" if text == ";" else ""
    return f"the character {text} has no meaning here{hint}"


# Of lines.


def no_header(source: Source, statements: Sequence[Statement]) -> InputError:
    """The fault of a text without inputs."""
    if not statements:
        return InputError("there is no trace here: a trace begins with its inputs, such as [i0, i1]", file=source.file)
    first = statements[0]
    message = f"a trace begins with its inputs, such as [i0, i1], got {first.name.text}"
    return source.fault(message, first.line, (first.result or first.name).column)


def not_an_operation(source: Source, number: int) -> InputError:
    """The fault of a line that does not begin as an operation does."""
    start = LINE_START.match(source.lines[number - 1])
    tokens = tokenize(source, number, start.end() if start else 0)
    at = 2 if tokens[1:] and tokens[1].kind == "=" else 0
    first = tokens[at]
    if first.kind == "}":
        message = "} ends an exit block, but none has begun"
    elif at and tokens[0].kind != "name":
        first = tokens[0]
        message = f"expected the name of a variable in front of =, got {describe(first)}"
    elif first.kind == "name":
        first = tokens[at + 1]
        message = f"expected ( behind {tokens[at].text}, got {describe(first)}"
    else:
        message = f"expected an operation, such as i2 = int_add(i0, 1), got {describe(first)}"
    return source.fault(message, number, first.column)


# Of names.


def no_input(source: Source, token: Token, line: int, is_name: bool) -> InputError:
    """The fault of an input that is no name, or whose first letter says no type."""
    message = f"expected an input, got {describe(token)}"
    if is_name:
        message = (
            "an input is named with the first letter i for a machine int, p or r for a reference, "
            f"f for a float; got {shorten(token.text)}"
        )
    return source.fault(message, line, token.column)


def unknown_operation(source: Source, statement: Statement) -> InputError:
    """The fault of an operation that the table does not have."""
    name = statement.name.text
    near = [row for row in OPS if row[:-1] == f"{name}_"] or (
        get_close_matches(name.lower(), OPS, n=2, cutoff=0.8) if len(name) < 50 else []
    )
    hint = ""
    if near:
        is_named = "is an operation" if len(near) == 1 else "are operations"
        hint = f"; there {is_named} named {', '.join(near)}"
    message = f"there is no operation {shorten(name)}{hint}"
    return source.fault(message, statement.line, statement.name.column)


def undefined(source: Source, token: Token, line: int, hidden: Mapping[str, int]) -> InputError:
    """The fault of a name that is not visible; `hidden` are the lines of definitions in exit blocks that have ended."""
    name = token.text
    if name == "None":
        message = "None stands only in failargs, for a value that is not live"
    elif name in hidden:
        message = (
            f"{name} is defined in the exit block on line {hidden[name]}: it is visible only there "
            "and in its guard's failargs"
        )
    else:
        defined = _defined_later(source, name, line)
        message = f"{shorten(name)} is not defined"
        if defined:
            message = f"{name} is used before it is defined, on line {defined}"
        elif not name.startswith(_OF_VARIABLES):
            message += f"; a class is written ConstClass({shorten(name)})"
    return source.fault(message, line, token.column)


def _defined_later(source: Source, name: str, line: int) -> int:
    """The number of the line from `line` on that defines the name, or 0."""
    definition = re.compile(rf"\s*(?:\+[0-9]+:\s*)?{re.escape(name)}\s*=[^=]")
    lines = enumerate(source.lines[line - 1 :], start=line)
    return next((number for number, text in lines if definition.match(text)), 0)


# Of traces that are not well-formed.


def placed(source: Source, fault: IllFormed, header: Header, statements: list[Statement]) -> InputError:
    """The fault at its place in the text."""
    if fault.operation is None:
        column = header.inputs[fault.place.index].column if fault.place.part is Part.INPUT else 1
        return source.fault(fault.message, header.line, column)
    line = fault.operation.line
    every = [inner for statement in statements for inner in (statement, *(statement.block or ()))]
    statement = next(one for one in every if one.line == line)
    return source.fault(fault.message, line, _column(statement, fault.place))


def _column(statement: Statement, place: Place) -> int:
    """The column of a part of the statement; that of its name where it does not have the part."""
    if place.part is Part.LAST_ARGUMENT:
        return statement.closing - 1
    failargs = statement.failargs or []
    parts: dict[Part, Sequence[Token | None]] = {
        Part.RESULT: [statement.result],
        Part.ARGUMENT: statement.args,
        Part.DESCR: [statement.descr],
        Part.FAILARG: failargs,
        Part.FAILARGS: [*failargs, statement.origin],
        Part.ORIGIN: [statement.origin],
    }
    tokens = parts.get(place.part, ())
    token = tokens[place.index] if place.index < len(tokens) else None
    return (token or statement.name).column
