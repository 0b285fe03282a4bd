"""The traces that have a meaning here.

Code behind a `label` may be entered from elsewhere, with any values of its arguments. Two have a meaning: the first
operation of the trace, with the inputs as its arguments, and the one to which the jump of a peeled loop goes back.
"""

from __future__ import annotations

from optimizer.ir.faults import Unsupported
from optimizer.ir.trace import Trace, all_operations


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
    for operation in [one for one in all_operations(trace) if not one.op.has_meaning or one.op.is_entry]:
        places = 0 if has_front_label(trace) else None, inner_label(trace) if peeled else None
        if not operation.op.has_meaning:
            raise Unsupported(operation.op.name, operation.line)
        if not [place for place in places if place is not None and operation is trace.ops[place]]:
            what = f"{operation.op.name} that is not in front, with the inputs as its arguments"
            raise Unsupported(what, operation.line)
