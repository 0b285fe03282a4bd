"""Well-formedness: what every trace satisfies, whoever built it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import ModuleType

from optimizer.ir.rows.ops import Kind, Type
from optimizer.ir.supported import inner_label
from optimizer.ir.text.lexer import is_variable_name
from optimizer.ir.trace import ConstInt, Operation, RawText, Trace, Value, Var
from optimizer.ir.types.declared import Declarations
from optimizer.ir.types.layout import Layout, WrongDescr
from optimizer.ir.values import describe_range


class Part(Enum):
    """A part of a trace or of an operation."""

    INPUT = auto()
    OPERATION = auto()
    RESULT = auto()
    ARGUMENT = auto()
    LAST_ARGUMENT = auto()
    DESCR = auto()
    FAILARGS = auto()
    FAILARG = auto()
    ORIGIN = auto()


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a fault; `index` is the number of the input, argument or failarg, from 0."""

    part: Part
    index: int = 0


class IllFormed(Exception):
    """A trace that is none. `operation` is None where the fault is not that of an operation."""

    def __init__(self, message: str, operation: Operation | None = None, place: Place = Place(Part.OPERATION)) -> None:
        super().__init__(message)
        self.message = message
        self.operation = operation
        self.place = place


_LETTERS = {Type.INT: ("i",), Type.REF: ("p", "r"), Type.FLOAT: ("f",)}
_NAMES = {
    Type.INT: "a machine int",
    Type.REF: "a reference",
    Type.FLOAT: "a float",
    Type.VOID: "nothing",
    Type.PLACE: "an address or an object",
}
_BLOCK = "an exit block: it is visible only there and in its guard's failargs"
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
        raise IllFormed(f"a word has 4 to 64 bits, not {trace.word}")
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
        self._hidden: dict[str, str] = {}  # names that are visible no more, and where they are defined
        self._layout = Layout(trace.declarations, trace.word)

    def declarations(self, declarations: Declarations) -> None:
        """Checks that the numbers declared of constants fit the word."""
        for const in declarations.consts:
            numbers = [value.value for _, value in const.fields if value.type == "int"]
            for number in (*numbers, *([] if const.length is None else [const.length])):
                if isinstance(number, int) and not self._low <= number <= self._high:
                    raise IllFormed(f"const.{const.name}: {describe_range(number, self._word)}")

    def inputs(self, inputs: Sequence[Var]) -> None:
        for index, var in enumerate(inputs):
            place = Place(Part.INPUT, index)
            if not is_variable_name(var.name) or input_type(var.name) is not var.type:
                raise IllFormed(
                    "an input is named with the first letter i for a machine int, p or r for a reference, "
                    f"f for a float; got {var.name}",
                    None,
                    place,
                )
            if var.name in self._visible:
                raise IllFormed(f"the input {var.name} is there twice", None, place)
            self._visible[var.name] = var

    def operations(self, operations: Sequence[Operation]) -> None:
        if not operations:
            raise IllFormed("a trace has a jump or finish at its end")
        flag_from: Operation | None = None
        label = inner_label(self._trace)  # behind it, its arguments alone are visible
        for number, operation in enumerate(operations, start=1):
            row = operation.op
            if row.reads_flag != (flag_from is not None) and (row.kind is not Kind.POSITION or number - 1 == label):
                raise _faults().wrong_flag(flag_from, operation)
            if row.kind is not Kind.POSITION:
                flag_from = operation if row.overflows is not None else None
            self._operation(operation)
            if number - 1 == label:
                self._inner_label(operation, operations[-1])
            if row.kind is Kind.END and number < len(operations):
                behind = operations[number]
                raise IllFormed(f"{behind.op.name} stands behind {row.name}, where the trace ends", behind)
        last = operations[-1]
        if last.op.kind is not Kind.END:
            raise IllFormed(f"a trace ends with jump or finish, not with {last.op.name}", last)

    def _inner_label(self, label: Operation, end: Operation) -> None:
        taken = {arg.name: arg for arg in label.args if isinstance(arg, Var)}
        if len(taken) < len(label.args):
            raise IllFormed("a label that the jump at the end goes back to takes variables, each of them once", label)
        if len(end.args) != len(label.args):
            raise _faults().wrong_number(end, len(label.args))
        _check_types(end, [arg.type for arg in label.args])
        in_front = "front of the label that the jump goes back to, which does not take it"
        self._hidden |= dict.fromkeys(self._visible.keys() - taken.keys(), in_front)
        self._visible = taken

    def _operation(self, operation: Operation) -> None:
        self._arguments(operation)
        if operation.op.kind is Kind.GUARD:
            self._exit(operation)
        elif operation.exit is not None:
            raise IllFormed(
                f"{operation.op.name} is not a guard, and only guards have failargs, origins and exit blocks",
                operation,
                Place(Part.FAILARGS),
            )
        self._result(operation)

    def _arguments(self, operation: Operation) -> None:
        row, args = operation.op, operation.args
        if row.raw:
            if len(args) != 1 or not isinstance(args[0], RawText):
                raise IllFormed(f"{row.name} takes free text", operation)
            return
        if row.args is not None and len(row.args) != len(args):
            raise _faults().wrong_number(operation, len(row.args))
        visible = self._visible
        for index, value in enumerate(args):
            if not (isinstance(value, Var) and visible.get(value.name) is value):
                self._value(value, operation, Part.ARGUMENT, index)
        if row.same_type:
            _check_types(operation, [args[0].type] * len(args))
        elif row.args is not None:
            _check_types(operation, row.args)
        elif row.memory is not None and row.memory.happens is not None:
            if not args:
                raise IllFormed(f"{row.name} takes a condition first", operation, Place(Part.LAST_ARGUMENT))
            _check_types(operation, [Type.INT if row.result is Type.VOID else row.result])
        for index in row.constant_args:
            if isinstance(args[index], Var):
                message = f"argument {index + 1} of {row.name} must be a constant, got {args[index]}"
                raise IllFormed(message, operation, Place(Part.ARGUMENT, index))
        if self._word < row.min_word:
            raise IllFormed(f"{row.name} needs words of {row.min_word} bits or more, not of {self._word}", operation)
        if row.memory is not None:
            try:
                self._layout.learn(operation)
            except WrongDescr as problem:
                raise IllFormed(str(problem), operation, Place(Part.DESCR)) from None

    def _value(self, value: Value, operation: Operation, part: Part, index: int) -> None:
        if isinstance(value, Var):
            known = self._visible.get(value.name)
            if known is value:
                return
            if known is None:
                message = self._undefined(value.name)
            elif known != value:
                message = f"{value.name} is {_NAMES[known.type]}, and is used as {_NAMES[value.type]}"
            else:
                return
        elif isinstance(value, ConstInt):
            if self._low <= value.value <= self._high:
                return
            message = describe_range(value.value, self._word)
        elif isinstance(value, RawText):
            message = f"{operation.op.name} does not take free text"
        else:
            return
        raise IllFormed(message, operation, Place(part, index))

    def _undefined(self, name: str) -> str:
        if name in self._hidden:
            return f"{name} is defined in {self._hidden[name]}"
        return f"{name} is not defined in front of its use"

    def _result(self, operation: Operation) -> None:
        row, result = operation.op, operation.result
        if result is None:
            if row.result is not Type.VOID:
                raise IllFormed(f"{row.name} has a result: expected a variable and = in front of it", operation)
            return
        place = Place(Part.RESULT)
        if row.result is Type.VOID:
            raise IllFormed(f"{row.name} has no result", operation, place)
        if result.type is not row.result:
            message = f"{row.name} gives {_NAMES[row.result]}, and {result} is {_NAMES[result.type]}"
            raise IllFormed(message, operation, place)
        name = result.name
        if name in self._visible or name in self._hidden:
            raise IllFormed(f"{name} is defined twice{_faults().first_definition(self._trace, name)}", operation, place)
        if not is_variable_name(name):
            raise IllFormed(f"{name} cannot be the name of a variable", operation, place)
        self._visible[name] = result

    def _exit(self, guard: Operation) -> None:
        exit_ = guard.exit
        if exit_ is None:
            raise IllFormed(f"{guard.op.name} is a guard, and has no exit", guard)
        if exit_.origin is not None and exit_.origin < 0:
            raise IllFormed(
                f"an origin is the number of a guard, 0 or more, got {exit_.origin}",
                guard,
                Place(Part.ORIGIN),
            )
        for operation in exit_.block:
            if not operation.op.in_exit_block:
                raise IllFormed(
                    f"{operation.op.name} cannot stand in an exit block, which holds only pure operations, "
                    "allocations and stores",
                    operation,
                )
            self._operation(operation)
        for index, value in enumerate(exit_.failargs or ()):
            if value is not None:
                self._value(value, guard, Part.FAILARG, index)
        for operation in exit_.block:
            if operation.result is not None:
                del self._visible[operation.result.name]
                self._hidden[operation.result.name] = _BLOCK


def _check_types(operation: Operation, expected: Iterable[Type]) -> None:
    for index, (value, type_) in enumerate(zip(operation.args, expected, strict=False)):
        if value.type is not type_ and value.type not in _FITTING.get(type_, ()):
            message = (
                f"argument {index + 1} of {operation.op.name} must be {_NAMES[type_]}, "
                f"got {value}, which is {_NAMES[value.type]}"
            )
            raise IllFormed(message, operation, Place(Part.ARGUMENT, index))


def _faults() -> ModuleType:
    """The module with what is said of traces that are none: to check one that is takes none of it."""
    from optimizer.ir import ill_formed

    return ill_formed
