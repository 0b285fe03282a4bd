"""Questions about calls that optimizers, runs and the prover ask, and the checker does not."""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.rows.row import EVENT, Role
from optimizer.ir.trace import ConstRef, Operation
from optimizer.ir.types.calls import EVENT_ROLES, NOTHING, CallSite, Effects, call_of
from optimizer.ir.types.layout import Layout


def is_event(operation: Operation, layout: Layout) -> bool:
    """Is it an event, where it is made, and the first one of its function if that is loop invariant?"""
    if operation.op.kind is not EVENT:
        return False
    call = call_of(operation, layout)
    return call is not None and call.role in EVENT_ROLES


def effects_at(operation: Operation, layout: Layout) -> Effects:
    """The effects of the call or other event."""
    call = call_of(operation, layout)
    return NOTHING if call is None else call.effects


def tells_exceptions_apart(operation: Operation, layout: Layout) -> bool:
    """Does it look at the pending exception, change it, or raise one without being an event?"""
    memory = operation.op.memory
    if memory is None or memory.pending:
        return memory is not None
    call = call_of(operation, layout)
    return call is not None and call.role is not Role.EVENT and call.effects.can_raise


def constants_of(call: CallSite) -> Iterator[ConstRef]:
    """The objects that the known results of a function name."""
    for known in () if call.declared is None else call.declared.results:
        for one in (*known.args, known.value):
            if isinstance(one, str) and one != "NULL":
                yield ConstRef(f"ConstPtr({one})")
