"""Sentences about traces that are not well-formed. Loaded when a trace is not."""

from __future__ import annotations

from optimizer.ir.check import IllFormed, Part, Place
from optimizer.ir.trace import Operation, Trace, all_operations


def wrong_number(operation: Operation, expected: int) -> IllFormed:
    """The fault of an operation with too few or too many arguments."""
    found = len(operation.args)
    takes = f"{expected} argument{'s' * (expected != 1)}" if expected else "no arguments"
    place = Place(Part.ARGUMENT, expected) if found > expected else Place(Part.LAST_ARGUMENT)
    return IllFormed(f"{operation.op.name} takes {takes}, got {found}", operation, place)


def wrong_flag(flag_from: Operation | None, operation: Operation) -> IllFormed:
    """The fault of an overflow flag that nobody reads, or of its reader without one."""
    if flag_from is None:
        return IllFormed(
            f"{operation.op.name} must stand directly behind an operation that tells of overflow, such as int_add_ovf",
            operation,
        )
    return IllFormed(
        f"{flag_from.op.name} must be followed directly by guard_no_overflow or guard_overflow, "
        f"got {operation.op.name}",
        flag_from,
    )


def first_definition(trace: Trace, name: str) -> str:
    """The place of the first definition of a name that has two."""
    if any(var.name == name for var in trace.inputs):
        return ": it is an input"
    results = ((operation.result, operation.line) for operation in all_operations(trace))
    line = next(line for result, line in results if result is not None and result.name == name)
    return f", the first time on line {line}" if line else ""
