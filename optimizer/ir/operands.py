"""Operations and constants made of others."""

from __future__ import annotations

from optimizer.ir.floats import Float
from optimizer.ir.rows.row import Op
from optimizer.ir.text.string_text import is_text
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value


def constant_of(number: int | Float) -> ConstInt | ConstFloat:
    """The constant that is that machine int or float."""
    return ConstFloat(number) if isinstance(number, Float) else ConstInt(number)


def instead(operation: Operation, op: Op, args: tuple[Value, ...]) -> Operation:
    """Another operation in that one's place; what only that one's row takes as its descr goes."""
    descr = operation.descr if _takes_descr(op) or not _takes_descr(operation.op) else None
    return Operation(op, args, operation.result, operation.exit, descr, operation.line)


def _takes_descr(op: Op) -> bool:
    return op.memory is not None and op.memory.descr is not None


def constant_text(name: str) -> str:
    """The text of the constant object of that name."""
    return name if is_text(name) else f"ConstPtr({name})"
