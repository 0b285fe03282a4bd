"""Sentences about traces that are not well-formed. Loaded when a trace is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from optimizer.ir.check import IllFormed
from optimizer.ir.rows.row import Op, Type
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.layout import WrongDescr


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


_NAMES = {
    Type.INT: "a machine int",
    Type.REF: "a reference",
    Type.FLOAT: "a float",
    Type.VOID: "nothing",
    Type.PLACE: "an address or an object",
}


def _fault(message: str, operation: Operation | None = None, place: Place = Place(Part.OPERATION)) -> IllFormed:
    return IllFormed(message, operation, place)


def describe_range(number: object, word: int) -> str:
    """The error for a constant that does not fit in a word."""
    return (
        f"the constant {number} is outside the range of a machine int of {word} bits, -2^{word - 1} to 2^{word - 1} - 1"
    )


# Of the whole.


def wrong_word(word: int) -> IllFormed:
    return _fault(f"a word has 4 to 64 bits, not {word}")


def wide_declaration(name: str, number: int, word: int) -> IllFormed:
    return _fault(f"const.{name}: {describe_range(number, word)}")


def wrong_input(var: Var, index: int) -> IllFormed:
    message = (
        "an input is named with the first letter i for a machine int, p or r for a reference, "
        f"f for a float; got {var.name}"
    )
    return _fault(message, None, Place(Part.INPUT, index))


def same_input(var: Var, index: int) -> IllFormed:
    return _fault(f"the input {var.name} is there twice", None, Place(Part.INPUT, index))


def no_end(last: Operation | None = None) -> IllFormed:
    if last is None:
        return _fault("a trace has a jump or finish at its end")
    return _fault(f"a trace ends with jump or finish, not with {last.op.name}", last)


def behind_end(end: Op, behind: Operation) -> IllFormed:
    return _fault(f"{behind.op.name} stands behind {end.name}, where the trace ends", behind)


def wrong_label(label: Operation) -> IllFormed:
    return _fault("a label that the jump at the end goes back to takes variables, each of them once", label)


# Of arguments.


def wrong_number(operation: Operation, expected: int) -> IllFormed:
    """The fault of an operation with too few or too many arguments."""
    found = len(operation.args)
    takes = f"{expected} argument{'s' * (expected != 1)}" if expected else "no arguments"
    place = Place(Part.ARGUMENT, expected) if found > expected else Place(Part.LAST_ARGUMENT)
    return _fault(f"{operation.op.name} takes {takes}, got {found}", operation, place)


def wrong_flag(flag_from: Operation | None, operation: Operation) -> IllFormed:
    """The fault of an overflow flag that nobody reads, or of its reader without one."""
    if flag_from is None:
        return _fault(
            f"{operation.op.name} must stand directly behind an operation that tells of overflow, such as int_add_ovf",
            operation,
        )
    return _fault(
        f"{flag_from.op.name} must be followed directly by guard_no_overflow or guard_overflow, "
        f"got {operation.op.name}",
        flag_from,
    )


def no_text(operation: Operation) -> IllFormed:
    return _fault(f"{operation.op.name} takes free text", operation)


def no_condition(operation: Operation) -> IllFormed:
    return _fault(f"{operation.op.name} takes a condition first", operation, Place(Part.LAST_ARGUMENT))


def no_constant(operation: Operation, index: int) -> IllFormed:
    message = f"argument {index + 1} of {operation.op.name} must be a constant, got {operation.args[index]}"
    return _fault(message, operation, Place(Part.ARGUMENT, index))


def narrow_word(operation: Operation, word: int) -> IllFormed:
    row = operation.op
    return _fault(f"{row.name} needs words of {row.min_word} bits or more, not of {word}", operation)


def wrong_descr(operation: Operation, problem: WrongDescr) -> IllFormed:
    return _fault(str(problem), operation, Place(Part.DESCR))


def wrong_type(operation: Operation, index: int, type_: Type) -> IllFormed:
    value = operation.args[index]
    message = (
        f"argument {index + 1} of {operation.op.name} must be {_NAMES[type_]}, got {value}, "
        f"which is {_NAMES[value.type]}"
    )
    return _fault(message, operation, Place(Part.ARGUMENT, index))


def wrong_value(
    value: Value, known: Var | None, hidden: Mapping[str, bool], word: int, operation: Operation, part: str, index: int
) -> IllFormed:
    """The fault of a value that is not visible, is `known` as another one, or is no constant here."""
    if isinstance(value, Var) and known is not None:
        message = f"{value.name} is {_NAMES[known.type]}, and is used as {_NAMES[value.type]}"
    elif isinstance(value, Var) and value.name not in hidden:
        message = f"{value.name} is not defined in front of its use"
    elif isinstance(value, Var):
        block = "an exit block: it is visible only there and in its guard's failargs"
        front = "front of the label that the jump goes back to, which does not take it"
        message = f"{value.name} is defined in {block if hidden[value.name] else front}"
    elif isinstance(value, ConstInt):
        message = describe_range(value.value, word)
    else:
        message = f"{operation.op.name} does not take free text"
    return _fault(message, operation, Place(Part[part], index))


# Of results and exits.


def wrong_result(operation: Operation) -> IllFormed:
    """The fault of a result that is not there, or is none, or has another type."""
    row, result, place = operation.op, operation.result, Place(Part.RESULT)
    if result is None:
        return _fault(f"{row.name} has a result: expected a variable and = in front of it", operation)
    if row.result is Type.VOID:
        return _fault(f"{row.name} has no result", operation, place)
    return _fault(f"{row.name} gives {_NAMES[row.result]}, and {result} is {_NAMES[result.type]}", operation, place)


def wrong_name(operation: Operation) -> IllFormed:
    return _fault(f"{operation.result} cannot be the name of a variable", operation, Place(Part.RESULT))


def defined_twice(trace: Trace, operation: Operation) -> IllFormed:
    name = str(operation.result)
    return _fault(f"{name} is defined twice{_first_definition(trace, name)}", operation, Place(Part.RESULT))


def _first_definition(trace: Trace, name: str) -> str:
    """The place of the first definition of a name that has two."""
    if any(var.name == name for var in trace.inputs):
        return ": it is an input"
    results = ((operation.result, operation.line) for operation in all_operations(trace))
    line = next(line for result, line in results if result is not None and result.name == name)
    return f", the first time on line {line}" if line else ""


def no_guard(operation: Operation) -> IllFormed:
    message = f"{operation.op.name} is not a guard, and only guards have failargs, origins and exit blocks"
    return _fault(message, operation, Place(Part.FAILARGS))


def no_exit(guard: Operation) -> IllFormed:
    return _fault(f"{guard.op.name} is a guard, and has no exit", guard)


def wrong_origin(guard: Operation) -> IllFormed:
    origin = None if guard.exit is None else guard.exit.origin
    return _fault(f"an origin is the number of a guard, 0 or more, got {origin}", guard, Place(Part.ORIGIN))


def not_in_block(operation: Operation) -> IllFormed:
    message = (
        f"{operation.op.name} cannot stand in an exit block, which holds only pure operations, allocations and stores"
    )
    return _fault(message, operation)
