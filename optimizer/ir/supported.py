"""The traces that have a meaning here.

Code behind a `label` may be entered from elsewhere, with any values of its arguments. Only one that says the same as
the header has a meaning: the first operation of the trace, with the inputs as its arguments.
"""

from __future__ import annotations

from optimizer.ir.faults import Unsupported
from optimizer.ir.trace import Trace, all_operations


def check_supported(trace: Trace) -> None:
    """Raises Unsupported for the first operation that has no meaning here."""
    for operation in [one for one in all_operations(trace) if not one.op.has_meaning or one.op.is_entry]:
        row = operation.op
        if not row.has_meaning:
            raise Unsupported(row.name, operation.line)
        if row.is_entry and (operation is not trace.ops[0] or operation.args != trace.inputs):
            raise Unsupported(f"{row.name} that is not in front, with the inputs as its arguments", operation.line)
