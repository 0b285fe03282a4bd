"""Sentences about texts that are no traces: faults with their places, and hints. Loaded when a text has one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from optimizer.ir.check import IllFormed
from optimizer.ir.faults import InputError
from optimizer.ir.ill_formed import Part, Place, describe_range
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text.lexer import Source, Token, tokenize
from optimizer.ir.text.syntax import LINE_START, LOG_MARK, Header, Statement

_OF_VARIABLES = ("i", "p", "r", "f", "v")
"""The first letters that variables have in most traces."""


# Of characters and words.


def describe(token: Token) -> str:
    """The token as it is told in an error."""
    if token.kind == "end":
        return "the end of the line"
    return shorten(f"descr={token.text}" if token.kind == "descr" else token.text)


def shorten(text: str) -> str:
    """A text that a user wrote, for an error: its beginning where it is long."""
    return text if len(text) <= 60 else f"{text[:40]}..."


def got(what: str, token: Token) -> str:
    """The fault of a word that stands where something else is expected."""
    return f"expected {what}, got {describe(token)}"


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


def second_header(source: Source, number: int, start: int, header: Header | None) -> InputError:
    """The fault of inputs that do not begin the trace."""
    if LOG_MARK.match(source.lines[number - 1]):
        return source.fault("this is a log of PyPy: traceproof pypy-log takes the traces out of it", number, 1)
    message = "the inputs of the trace stand in front of its operations"
    if header is not None:
        message = f"a second trace begins here; the first one begins on line {header.line}"
    return source.fault(message, number, start + 1)


def block_in_block(source: Source, number: int) -> InputError:
    column = source.lines[number - 1].rfind("{") + 1
    return source.fault("an exit block cannot stand in an exit block", number, column)


def open_block(source: Source, opened: int) -> InputError:
    """The fault of an exit block that does not end."""
    opening = source.lines[opened - 1]
    message = "the exit block that begins here does not end: expected } on a line of its own"
    return source.fault(message, opened, opening.find("{", opening.rfind("]") + 1) + 1)


def open_operation(source: Source, number: int, start: int) -> InputError:
    """The fault of free text that does not end where its line does."""
    line = source.lines[number - 1]
    end = line.rfind(")")
    if end < start:
        return source.fault("expected ) at the end of the operation", number, len(line.rstrip()) + 1)
    return source.fault(f"expected the end of the line, got {shorten(line[end + 1 :].strip())}", number, end + 2)


def no_origin(source: Source, line: int, token: Token) -> InputError:
    message = f"an origin is the number of a guard, 0 or more, got {describe(token)}"
    return source.fault(message, line, token.column)


# Of constants.


def out_of_range(text: str, word: int) -> str:
    """The fault of a number that is no machine int."""
    return describe_range(shorten(text), word)


def too_many_bits(text: str, word: int) -> str:
    return f"the bit pattern {shorten(text)} has more than {word} bits"


def no_number(text: str) -> str:
    return f"expected a number, such as 10, -1, 0xff, 1.5 or 0x1.8p+1, got {shorten(text)}"


def large_float(text: str) -> str:
    return f"{shorten(text)} is too large for a float"


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


# Of all faults.


def told(fault: InputError) -> str:
    """The fault in words, with the line where it is, marked at its column."""
    place = ":".join([fault.file] * bool(fault.file) + [str(n) for n in (fault.line, fault.column) if n])
    text = f"{place}: {fault.message}" if place else fault.message
    if fault.source and fault.line:
        source, column = _window(fault.source.expandtabs(1).rstrip(), fault.column)
        text += f"\n    {source}"
        if column:
            text += f"\n    {' ' * (column - 1)}^"
    return text


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of a long line around a column, and the column in it."""
    first = max(0, column - 100)
    if len(line) <= 200:
        return line, column
    before, behind = "..." * (first > 0), "..." * (len(line) > first + 150)
    return before + line[first : first + 150] + behind, column and column - first + len(before)
