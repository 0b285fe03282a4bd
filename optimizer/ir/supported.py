"""The traces that have a meaning here.

Code behind a `label` may be entered from elsewhere, with any values of its arguments. Only two have a meaning: one that
says the same as the header, the first operation of the trace, with the inputs as its arguments; and, of a loop, the one
that the jump at the end goes back to.
"""

from __future__ import annotations

from optimizer.ir.faults import Unsupported
from optimizer.ir.loops import has_front_label, inner_label
from optimizer.ir.trace import Trace, all_operations


def check_supported(trace: Trace, *, peeled: bool = False) -> None:
    """Raises Unsupported for the first operation that has no meaning here; the inner label of a `peeled` loop has."""
    for operation in [one for one in all_operations(trace) if not one.op.has_meaning or one.op.is_entry]:
        row = operation.op
        if not row.has_meaning:
            raise Unsupported(row.name, operation.line)
        if row.is_entry and not (operation is trace.ops[0] and has_front_label(trace)):
            label = inner_label(trace) if peeled else None
            if label is None or operation is not trace.ops[label]:
                raise Unsupported(f"{row.name} that is not in front, with the inputs as its arguments", operation.line)
