"""A trace that PyPy recorded, from the text of its log to the language.

A log says less than the language has words for. What it does not say is taken in the direction in which less can be
proved: two things that may be two have two names, whatever they are printed as. docs/pypy-logs.md lists it all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, DescrKind, Op
from optimizer.ir.text.lexer import Source, Token
from optimizer.ir.text.parser import Resolver
from optimizer.ir.text.syntax import Body, Header, Statement, parse_body
from optimizer.ir.trace import Exit, Operation, Trace, Var
from optimizer.ir.types.declared import Call, Declarations
from optimizer.ir.types.memory_types import Array, declared_field

_NULL = "ConstPtr(null)"
_NAMED = "ConstClass("
_FLOAT = re.compile(r"-?(?:[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?|inf|nan)")
_CALL = re.compile(r"<Call(?P<result>[irfnv]) .*EF=(?P<effect>[0-9]+)(?: OS=(?P<oopspec>[0-9]+))?>")
_ARRAY = re.compile(r"<Array(?P<kind>[SU]) (?P<size>[0-9]+)>")

_RESULTS = {"i": "int", "r": "ref", "f": "float", "n": "void", "v": "void"}
_NARROW = {"S1": "i8", "U1": "u8", "S2": "i16", "U2": "u16", "S4": "i32", "U4": "u32"}
_ELIDABLE, _LOOP_INVARIANT, _SILENT = (0, 3, 4), 1, (0, 1, 2)
_NO_MEMORY = 3  # it raises only if there is no memory for what it allocates, which there always is here
_ON_STRINGS = (
    *("concat", "slice", "equal", "eq_slice_checknull", "eq_slice_nonnull", "eq_slice_char", "eq_nonnull"),
    *("eq_nonnull_char", "eq_checknull_char", "eq_lengthok"),
)
_THREAD_LOCAL = 5
OOPSPECS = {
    _THREAD_LOCAL: "threadlocalref_get",
    12: "int_py_div",
    13: "int_udiv",
    14: "int_py_mod",
    100: "math_sqrt",
    **{22 + number: f"str{what}" for number, what in enumerate(_ON_STRINGS)},
    **{42 + number: f"unicode{what}" for number, what in enumerate(_ON_STRINGS)},
}
"""The functions that PyPy knows, by the numbers that it prints of them."""


def read_recorded(section: Section, file: str, *, bare: bool = False) -> Trace:
    """The trace in a section of the log `file`. Raises InputError.

    Its guards hand over the earlier values that later operations use, or, if it is to be `bare`, what is not known.
    """
    source = Source(file, list(section.lines))
    try:
        body = parse_body(source, 1)
        if body.header is None:
            raise InputError("this recorded trace has no inputs", file=file, line=1)
        trace = _Reader().trace(body, body.header, source)
    except InputError as mistake:
        line = mistake.line and mistake.line + section.line - 1
        raise InputError(mistake.message, file=file, line=line, column=mistake.column, source=mistake.source) from None
    return trace if bare else with_live_values(trace)


def with_live_values(trace: Trace) -> Trace:
    """The trace whose guards hand over each earlier value that a later operation uses."""
    defined = [*trace.inputs, *(operation.result for operation in trace.ops if operation.result is not None)]
    order = {var: index for index, var in enumerate(defined)}
    live: set[Var] = set()
    operations: list[Operation] = []
    for operation in reversed(trace.ops):
        if operation.result is not None:
            live.discard(operation.result)
        if operation.exit is not None:
            handed = sorted(live, key=order.__getitem__)
            operation = replace(operation, exit=Exit(tuple(handed)))
        live.update(arg for arg in operation.args if isinstance(arg, Var))
        operations.append(operation)
    return replace(trace, ops=tuple(reversed(operations)))


class _Reader:
    """Rewrites the statements of one section; what it numbers is numbered in the order of the text."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()
        self._floats: list[Token] = []
        self._descrs: dict[str, None] = {}

    def trace(self, body: Body, header: Header, source: Source) -> Trace:
        statements = [self._statement(statement) for statement in body.statements]
        inputs = Header(header.line, [*header.inputs, *self._floats])
        return Resolver(source, 64, declarations_of(self._descrs)).trace(inputs, statements)

    def _statement(self, statement: Statement) -> Statement:
        row = OPS.get(statement.name.text)
        if row is None or row.raw:
            return statement
        class_arg = row.memory.class_arg if row.memory is not None else None
        args = [self._argument(token, is_class=index == class_arg) for index, token in enumerate(statement.args)]
        return statement._replace(args=args, descr=statement.descr and self._descr(statement.descr, row))

    def _argument(self, token: Token, *, is_class: bool) -> Token:
        if token.text == _NULL:
            return token._replace(kind="name", text="NULL")
        if token.text.startswith(_NAMED):
            return token._replace(text=f"{_NAMED}{self._numbered(token.text[len(_NAMED) : -1])})")
        if is_class and token.kind == "number":
            return token._replace(kind="constant", text=f"{_NAMED}{token.text})")
        if _FLOAT.fullmatch(token.text):
            self._floats.append(token._replace(kind="name", text=f"f${len(self._floats)}"))
            return self._floats[-1]
        return token

    def _descr(self, token: Token, row: Op) -> Token:
        if row.memory is not None and row.memory.descr is DescrKind.STRUCT:
            return token._replace(text=f"{self._numbered(token.text.rstrip('>') + ' ')}>")
        self._descrs[token.text] = None
        return token

    def _numbered(self, name: str) -> str:
        """The name with a number of its own: that two are printed the same does not say that they are the same."""
        self._numbers[name] += 1
        return f"{name}${self._numbers[name]}"


def declarations_of(descrs: Iterable[str]) -> Declarations:
    """The declarations that are certain of these descrs: the items of narrow arrays, and the effects of calls.
    Allocations clear nothing but references."""
    arrays, calls = [], []
    for text in descrs:
        if array := _ARRAY.fullmatch(text):
            item = _NARROW.get(array["kind"] + array["size"])
            arrays += [Array(text, declared_field(text, "", item, items=True))] if item is not None else []
        elif call := declared_call(text, text):
            calls.append(call)
    return Declarations(arrays=tuple(arrays), calls=tuple(calls), cleared=False)


def declared_call(descr: str, name: str) -> Call | None:
    """The effects that the text of a call's descr tells, declared under that name; None of other texts."""
    found = _CALL.fullmatch(descr)
    if found is None:
        return None
    effect, oopspec = int(found["effect"]), int(found["oopspec"] or 0)
    return Call(
        name,
        _RESULTS[found["result"]],
        loop_invariant=effect == _LOOP_INVARIANT,
        can_raise=effect not in _SILENT and not (effect == _NO_MEMORY and oopspec in OOPSPECS),
        oopspec=OOPSPECS.get(oopspec),
        **_memory(effect, oopspec),
    )


def _memory(effect: int, oopspec: int) -> dict[str, Any]:
    """Words for what a call of that class does to memory and to code."""
    if effect in _ELIDABLE:
        return {"reads": (), "writes": (), "elidable": True}
    if effect == _LOOP_INVARIANT:  # it writes nothing; what belongs to the thread is nowhere in memory
        return {"writes": ()} | ({"reads": ()} if oopspec == _THREAD_LOCAL else {"can_invalidate": True})
    return {"can_invalidate": True}
