"""The meaning of a trace's text: constants, names, and statements that become a trace."""

from __future__ import annotations

import re
from collections.abc import Callable

from optimizer.ir.check import IllFormed, check, input_type
from optimizer.ir.faults import READING, InputError
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import OPS, DescrKind, Kind, Op
from optimizer.ir.text.lexer import Source, Token, is_variable_name, read_lines
from optimizer.ir.text.string_text import BadConstant, is_text, read_text, write_text
from optimizer.ir.text.syntax import Body, Header, Statement, parse_body
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Exit, Operation, RawText, Trace, Value, Var
from optimizer.ir.types.declared import NO_DECLARATIONS, Declarations

_FENCE = "+++"
_DECIMAL = re.compile(r"-?[0-9]+")
_BITS = re.compile(r"0[xX][0-9a-fA-F]+")
_HEX_FLOAT = re.compile(r"-?0[xX][0-9a-fA-F]*+\.?[0-9a-fA-F]*+[pP][-+]?[0-9]{1,9}")
_FLOAT = re.compile(r"-?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]+)?|-inf")


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
    lines = [line.strip() for line in source.lines]
    first = next((number for number, line in enumerate(lines, start=1) if line and line[0] != "#"), 1)
    if lines[first - 1] != _FENCE:
        return types, None, first
    if _FENCE not in lines[first:]:
        raise source.fault("the declarations that begin here do not end: expected +++", first, 1)
    from optimizer.ir.text.declarations import TomlSource, read_front_matter  # here: most traces declare nothing

    last = lines.index(_FENCE, first)
    toml = TomlSource("\n".join(source.lines[first:last]), source.file, first + 1)
    return *read_front_matter(toml, types), last + 2


def _choose_word(source: Source, argument: int | None, front_matter: int | None) -> int:
    if argument is not None and not 4 <= argument <= 64:
        raise InputError(f"a word has 4 to 64 bits, not {argument}", file=source.file)
    if argument is not None and front_matter not in (None, argument):
        message = f"the trace is for words of {front_matter} bits, but words of {argument} bits are asked for"
        raise InputError(message, file=source.file)
    return argument or front_matter or 64


class Resolver:
    """Gives the names of one text their meanings. `_values` are the visible variables and the constants, by text."""

    def __init__(self, source: Source, word: int, declarations: Declarations) -> None:
        self._source = source
        self._word = word
        self._declarations = declarations
        self._values: dict[str, Value] = {}
        self._hidden: dict[str, int] = {}  # by name: the line in an exit block that defines it

    def trace(self, header: Header, statements: list[Statement]) -> Trace:
        """The trace of those statements. Raises InputError."""
        inputs = tuple(self._input(token, header.line) for token in header.inputs)
        operations = [self._operation(statement) for statement in statements]
        if not any(operation.op.kind is Kind.END for operation in operations):
            operations.append(Operation(OPS["finish"], ()))
        trace = Trace(inputs, tuple(operations), self._word, self._declarations, header.line)
        try:
            check(trace)
        except IllFormed as fault:
            raise READING.placed(self._source, fault, header, statements) from None
        return trace

    def _input(self, token: Token, line: int) -> Var:
        type_, is_name = input_type(token.text), token.kind == "name" and is_variable_name(token.text)
        if not is_name or type_ is None:
            raise READING.no_input(self._source, token, line, is_name)
        return self._define(Var(token.text, type_))

    def _define(self, var: Var) -> Var:
        """The first definition of a name counts; a second one is left to the check."""
        self._values.setdefault(var.name, var)
        return var

    def _operation(self, statement: Statement) -> Operation:
        row = OPS.get(statement.name.text)
        if row is None:
            raise READING.unknown_operation(self._source, statement)
        args: tuple[Value, ...] = tuple([self._value(token, statement.line) for token in statement.args])
        exit_ = self._exit(statement, row)
        result = self._result(statement, row)
        descr = statement.descr.text if statement.descr is not None else None
        if descr is None and len(args) == 1 and isinstance(args[0], ConstClass | ConstInt) and _allocates_struct(row):
            struct = self._struct_of(args[0].name if isinstance(args[0], ConstClass) else str(args[0].value))
            args, descr = ((), struct) if struct is not None else (args, None)
        if row.of_table and len(args) == 1 and isinstance(args[0], ConstInt):
            row, args, descr = OPS["same_as_r"], (ConstRef(f"ConstPtr(gc_table.{args[0].value})"),), None
        return Operation(row, args, result, exit_, descr, statement.line)

    def _struct_of(self, vtable: str) -> str | None:
        """The struct with that vtable, for older traces that name it so; None where that is not its name."""
        structs = {struct.name: struct for struct in self._declarations.structs}
        found = next((struct.name for struct in structs.values() if struct.vtable == vtable), vtable)
        return None if found in structs and structs[found].vtable != vtable else found

    def _result(self, statement: Statement, row: Op) -> Var | None:
        token = statement.result
        if token is None:
            return None
        if not is_variable_name(token.text):
            message = f"expected the name of a variable, got the constant {token.text}"
            raise self._source.fault(message, statement.line, token.column)
        return self._define(Var(token.text, row.result))

    def _exit(self, statement: Statement, row: Op) -> Exit | None:
        if statement.failargs is None and statement.block is None and statement.origin is None:
            return Exit() if row.is_guard else None
        block = [self._operation(inner) for inner in statement.block or ()]
        failargs: tuple[Value | None, ...] | None = None
        if statement.failargs is not None:
            failargs = tuple([self._live_value(token, statement.line) for token in statement.failargs])
        for inner in block:  # what it defines is not visible behind it
            if inner.result is not None and self._values.get(inner.result.name) is inner.result:
                del self._values[inner.result.name]
                self._hidden[inner.result.name] = inner.line
        origin = int(statement.origin.text) if statement.origin is not None else None
        return Exit(failargs, origin, tuple(block))

    def _live_value(self, token: Token, line: int) -> Value | None:
        return None if token.text == "None" and token.kind == "name" else self._value(token, line)

    def _value(self, token: Token, line: int) -> Value:
        text = token.text
        value = RawText(text) if token.kind == "raw" else self._values.get(text)
        if value is None:
            try:
                constant = read_constant(token, self._word)
            except BadConstant as fault:
                raise self._source.fault(str(fault), line, token.column) from None
            if constant is None:
                raise READING.undefined(self._source, token, line, self._hidden)
            value = self._values[text] = constant
        return value


def _allocates_struct(row: Op) -> bool:
    return row.kind is Kind.NEW and row.memory is not None and row.memory.descr is DescrKind.STRUCT


# Constants.


def read_constant(token: Token, word: int) -> Value | None:
    """The constant that a token writes, None for the name of a variable. Raises BadConstant."""
    text = token.text
    match token.kind:
        case "number":
            return _read_number(text, word)
        case "string":
            return ConstRef(write_text(*read_text(text)))
        case "constant":
            name = text[text.index("(") + 1 : -1].strip()
            if not name:
                raise BadConstant("expected a name in the parentheses")
            if text.startswith("ConstClass"):
                return ConstClass(name)
            return ConstRef(write_text(*read_text(name))) if is_text(name) else ConstRef(f"ConstPtr({name})")
    match text:
        case "NULL":
            return ConstRef(text)
        case "nan" | "inf":
            return ConstFloat(Float.of(float(text)))
        case _:
            return None


def _read_number(text: str, word: int) -> Value:
    if _DECIMAL.fullmatch(text):
        number = int(text) if len(text) < 30 else None
        if number is None or not -(1 << (word - 1)) <= number < 1 << (word - 1):
            raise BadConstant(READING.out_of_range(text, word))
        return ConstInt(number)
    if _BITS.fullmatch(text):
        digits = text[2:].lstrip("0") or "0"
        if len(digits) > 16 or int(digits, 16) >> word:
            raise BadConstant(READING.too_many_bits(text, word))
        return ConstInt(wrap(int(digits, 16), word))
    if _HEX_FLOAT.fullmatch(text) or _FLOAT.fullmatch(text):
        return _read_float(text)
    raise BadConstant(READING.no_number(text))


def _read_float(text: str) -> ConstFloat:
    try:
        value = float.fromhex(text) if "x" in text.lower() else float(text)
    except (OverflowError, ValueError):
        value = float("inf")
    if value in (float("inf"), float("-inf")) and text != "-inf":
        raise BadConstant(READING.large_float(text))
    return ConstFloat(Float.of(value))
