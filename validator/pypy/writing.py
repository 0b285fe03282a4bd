"""Traces written operation by operation, of texts as a log prints them."""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.ir.check import IllFormed, check, input_type
from optimizer.ir.faults import InputError
from optimizer.ir.rows.ops import INT, OPS
from optimizer.ir.text.lexer import Source, tokenize
from optimizer.ir.text.parser import read_constant
from optimizer.ir.text.string_text import BadConstant
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var
from optimizer.ir.types.declaration_rules import find_problems
from optimizer.ir.types.declared import Declarations

_WORD = 64


class Writing:
    """A trace that grows from its inputs on. Each operation has a line of its own, behind that of the inputs."""

    def __init__(self, inputs: Iterable[str]) -> None:
        self._inputs = tuple([Var(name, input_type(name) or INT) for name in inputs])
        self._values: dict[str, Value] = {var.name: var for var in self._inputs}
        self._ops: list[Operation] = []

    def add(
        self,
        name: str,
        args: Iterable[str],
        result: str | None = None,
        descr: str = "",
        handed: Iterable[str] | None = None,
    ) -> None:
        """Adds an operation; a guard lists what it hands over, if that is told. Raises InputError."""
        row = OPS.get(name)
        if row is None:
            raise InputError(f"there is no operation {name}")
        values = tuple([self._value(text) for text in args])
        exit_ = None
        if row.is_guard:
            exit_ = Exit(None if handed is None else tuple([self._value(text) for text in handed]))
        var = None
        if result is not None:
            var = Var(result, row.result)
            self._values.setdefault(result, var)
        self._ops.append(Operation(row, values, var, exit_, descr or None, len(self._ops) + 2))

    def _value(self, text: str) -> Value:
        value = self._values.get(text)
        if value is None:
            value = self._values[text] = _constant(text)
        return value

    def trace(self, declarations: Declarations) -> Trace:
        """The trace as it is now, which is well-formed, and whose declarations fit together. Raises InputError."""
        for _, problem in find_problems(declarations):
            raise InputError(problem)
        trace = Trace(self._inputs, tuple(self._ops), _WORD, declarations, 1)
        try:
            check(trace)
        except IllFormed as fault:
            raise InputError(fault.message) from None
        return trace


def _constant(text: str) -> Value:
    try:
        constant = read_constant(tokenize(Source("", [text]), 1)[0], _WORD)
    except BadConstant as fault:
        raise InputError(str(fault)) from None
    if constant is None:
        raise InputError(f"{text} is not defined")
    return constant
