"""Well-formedness: what every trace satisfies, whoever built it; and which ones have a meaning here.

Code behind a `label` may be entered from elsewhere, with any values of its arguments. Two have a meaning: the first
operation of the trace, with the inputs as its arguments, and the one to which the jump of a peeled loop goes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from optimizer.ir.faults import Sentences, Unsupported
from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.text.lexer import is_variable_name
from optimizer.ir.trace import ConstInt, Operation, RawText, Trace, Value, Var, all_operations
from optimizer.ir.types.declared import Declarations
from optimizer.ir.types.layout import Layout, WrongDescr


@dataclass(eq=False)
class IllFormed(Exception):
    """A trace that is none: `message` says why. `operation` is None where the fault is not that of an operation;
    `place` is the part of it that is wrong, a `Place` of `optimizer.ir.ill_formed`."""

    message: str
    operation: Operation | None
    place: Any


_WRONG = Sentences("optimizer.ir.ill_formed")

_LETTERS = {Type.INT: ("i",), Type.REF: ("p", "r"), Type.FLOAT: ("f",)}
_FITTING = {Type.ANY: frozenset(Type), Type.PLACE: frozenset({Type.INT, Type.REF})}
"""The types of values that fit where several do."""


def input_type(name: str) -> Type | None:
    """The type of an input by its first letter, None where the letter says none."""
    return next((type_ for type_, letters in _LETTERS.items() if name.startswith(letters)), None)


def check(trace: Trace) -> None:
    """Raises IllFormed unless the trace is in SSA form, its operations have the arguments that they take, an
    operation with an overflow flag is followed by the guard that reads it, and the trace ends at its end.
    """
    if not 4 <= trace.word <= 64:
        raise _WRONG.wrong_word(trace.word)
    checker = _Checker(trace)
    checker.declarations(trace.declarations)
    checker.inputs(trace.inputs)
    checker.operations(trace.ops)


class _Checker:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._word = word = trace.word
        self._low, self._high = -(1 << (word - 1)), (1 << (word - 1)) - 1
        self._visible: dict[str, Var] = {}
        self._hidden: dict[str, bool] = {}  # names that are visible no more: are they defined in an exit block?
        self._layout = Layout(trace.declarations, trace.word)

    def declarations(self, declarations: Declarations) -> None:
        """Checks that the numbers declared of constants fit the word."""
        for const in declarations.consts:
            numbers = [value for _, value in const.fields]
            for number in (*numbers, *([] if const.length is None else [const.length])):
                if isinstance(number, int) and not self._low <= number <= self._high:
                    raise _WRONG.wide_declaration(const.name, number, self._word)

    def inputs(self, inputs: Sequence[Var]) -> None:
        for index, var in enumerate(inputs):
            if not is_variable_name(var.name) or input_type(var.name) is not var.type:
                raise _WRONG.wrong_input(var, index)
            if var.name in self._visible:
                raise _WRONG.same_input(var, index)
            self._visible[var.name] = var

    def operations(self, operations: Sequence[Operation]) -> None:
        if not operations:
            raise _WRONG.no_end()
        flag_from: Operation | None = None
        label = inner_label(self._trace)  # behind it, its arguments alone are visible
        for number, operation in enumerate(operations, start=1):
            row = operation.op
            if row.reads_flag != (flag_from is not None) and (row.kind is not Kind.POSITION or number - 1 == label):
                raise _WRONG.wrong_flag(flag_from, operation)
            if row.kind is not Kind.POSITION:
                flag_from = operation if row.overflows is not None else None
            self._operation(operation)
            if number - 1 == label:
                self._inner_label(operation, operations[-1])
            if row.kind is Kind.END and number < len(operations):
                raise _WRONG.behind_end(row, operations[number])
        if operations[-1].op.kind is not Kind.END:
            raise _WRONG.no_end(operations[-1])

    def _inner_label(self, label: Operation, end: Operation) -> None:
        taken = {arg.name: arg for arg in label.args if isinstance(arg, Var)}
        if len(taken) < len(label.args):
            raise _WRONG.wrong_label(label)
        if len(end.args) != len(label.args):
            raise _WRONG.wrong_number(end, len(label.args))
        _check_types(end, [arg.type for arg in label.args])
        self._hidden |= dict.fromkeys(self._visible.keys() - taken.keys(), False)
        self._visible = taken

    def _operation(self, operation: Operation) -> None:
        self._arguments(operation)
        if operation.op.kind is Kind.GUARD:
            self._exit(operation)
        elif operation.exit is not None:
            raise _WRONG.no_guard(operation)
        self._result(operation)

    def _arguments(self, operation: Operation) -> None:
        row, args = operation.op, operation.args
        if row.raw:
            if len(args) != 1 or not isinstance(args[0], RawText):
                raise _WRONG.no_text(operation)
            return
        if row.args is not None and len(row.args) != len(args):
            raise _WRONG.wrong_number(operation, len(row.args))
        visible = self._visible
        for index, value in enumerate(args):
            if not (isinstance(value, Var) and visible.get(value.name) is value):
                self._value(value, operation, "ARGUMENT", index)
        if row.same_type:
            _check_types(operation, [args[0].type] * len(args))
        elif row.args is not None:
            _check_types(operation, row.args)
        elif row.memory is not None and row.memory.happens is not None:
            if not args:
                raise _WRONG.no_condition(operation)
            _check_types(operation, [Type.INT if row.result is Type.VOID else row.result])
        for index in row.constant_args:
            if isinstance(args[index], Var):
                raise _WRONG.no_constant(operation, index)
        if self._word < row.min_word:
            raise _WRONG.narrow_word(operation, self._word)
        if row.memory is not None:
            try:
                self._layout.learn(operation)
            except WrongDescr as problem:
                raise _WRONG.wrong_descr(operation, problem) from None

    def _value(self, value: Value, operation: Operation, part: str, index: int) -> None:
        known = self._visible.get(value.name) if isinstance(value, Var) else None
        is_right = known == value if isinstance(value, Var) else not isinstance(value, RawText)
        if isinstance(value, ConstInt):
            is_right = self._low <= value.value <= self._high
        if not is_right:
            raise _WRONG.wrong_value(value, known, self._hidden, self._word, operation, part, index)

    def _result(self, operation: Operation) -> None:
        result, type_ = operation.result, operation.op.result
        if result is None and type_ is Type.VOID:
            return
        if result is None or result.type is not type_ or type_ is Type.VOID:
            raise _WRONG.wrong_result(operation)
        if result.name in self._visible or result.name in self._hidden:
            raise _WRONG.defined_twice(self._trace, operation)
        if not is_variable_name(result.name):
            raise _WRONG.wrong_name(operation)
        self._visible[result.name] = result

    def _exit(self, guard: Operation) -> None:
        exit_ = guard.exit
        if exit_ is None:
            raise _WRONG.no_exit(guard)
        if exit_.origin is not None and exit_.origin < 0:
            raise _WRONG.wrong_origin(guard)
        for operation in exit_.block:
            if not operation.op.in_exit_block:
                raise _WRONG.not_in_block(operation)
            self._operation(operation)
        for index, value in enumerate(exit_.failargs or ()):
            if value is not None:
                self._value(value, guard, "FAILARG", index)
        for operation in exit_.block:
            if operation.result is not None:
                del self._visible[operation.result.name]
                self._hidden[operation.result.name] = True


def _check_types(operation: Operation, expected: Iterable[Type]) -> None:
    for index, (value, type_) in enumerate(zip(operation.args, expected, strict=False)):
        if value.type is not type_ and value.type not in _FITTING.get(type_, ()):
            raise _WRONG.wrong_type(operation, index, type_)


# Meaning.


def has_front_label(trace: Trace) -> bool:
    """Does it begin with a label that says what the header says?"""
    return trace.ops[0].op.is_entry and trace.ops[0].args == trace.inputs


def inner_label(trace: Trace) -> int | None:
    """The place of the label that the jump at the end goes back to, unless that is the start of the trace."""
    if not trace.end.op.jumps or trace.end.descr is None:
        return None
    place = next((at for at, one in enumerate(trace.ops) if one.op.is_entry and one.descr == trace.end.descr), None)
    return None if place == 0 and has_front_label(trace) else place


def check_supported(trace: Trace, *, peeled: bool = False) -> None:
    """Raises Unsupported for the first operation that has no meaning here; the inner label of a `peeled` loop has."""
    entries = 0 if has_front_label(trace) else None, inner_label(trace) if peeled else None
    entered = [trace.ops[place] for place in entries if place is not None]
    for operation in all_operations(trace):
        if not operation.op.has_meaning:
            raise Unsupported(operation.op.name, operation.line)
        if operation.op.is_entry and not any(operation is one for one in entered):
            what = f"{operation.op.name} that is not in front, with the inputs as its arguments"
            raise Unsupported(what, operation.line)
