"""Calls that do what is known of operations on memory: their descrs say so."""

from __future__ import annotations

from optimizer.ir.rows.row import EVENT
from optimizer.ir.trace import Operation
from optimizer.ir.types.layout import Layout


def meant(operation: Operation, layout: Layout) -> Operation:
    """The operation on memory that the call stands for, if that is known; any other operation as it is."""
    if operation.op.kind is not EVENT or operation.descr is None or not operation.op.is_call:
        return operation
    call = layout.call(operation.descr)
    if call is None or call.oopspec is None:
        return operation
    from optimizer.ir.types.array_copies import array_copy  # here: most traces have no such calls
    from optimizer.ir.types.string_calls import string_call

    row = string_call(call, operation)
    if row is not None:
        return Operation(row, operation.args[1:], operation.result, None, None, operation.line)
    return array_copy(call, operation, layout) or operation
