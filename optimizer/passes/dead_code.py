"""Dead code: what no guard, event or end needs is not computed.

    [i0, i1]
    i2 = int_mul(i0, i0)
    i3 = int_add(i0, i1)                    [i0, i1]
    guard_true(i1) [i4, None] {             i3 = int_add(i0, i1)
        i4 = int_neg(i3)            =>      guard_true(i1, origin=0) [i4, None] {
        i5 = int_neg(i2)                        i4 = int_neg(i3)
    }                                       }
    i6 = int_neg(i3)                        jump(i0)
    jump(i0)

Unlike the other passes this one looks at the trace as a whole, after them. Guards, events, positions and ends
stay, and so does what they read: arguments, failargs, exit blocks. Loads and allocations go like all that is computed;
a store stays, but for one to an object that the trace allocates and nobody needs, and so does a fact, but for one on
what is computed and nobody else needs. A guard without a list of failargs
has unknown live values, so that everything before it stays as well, and all of its exit block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from optimizer.ir.rows.row import COPY, EVENT, FACT, LOAD, NEW, PURE, RAW_LOAD, SCAN, STORE
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.calls import EVENT_ROLES, call_of
from optimizer.ir.types.layout import Layout

NAME = "dead-code"

_COMPUTED = frozenset({PURE, LOAD, RAW_LOAD, SCAN, NEW})
_NOBODY = Var("")  # what a call that nobody needs gives


def remove_dead_code(trace: Trace, layout: Layout) -> Trace:
    """The trace without the operations, in exit blocks too, whose results nobody needs."""
    return _Liveness(trace, layout).live_part()


class _Liveness:
    """The variables that are live, found from the operations that stay in any case.

    `_purposes` are for each operation, in the order of the text, the variable that it is there for; None of what stays.
    """

    def __init__(self, trace: Trace, layout: Layout) -> None:
        self._trace = trace
        self._layout = layout
        operations = all_operations(trace)
        self._definitions: dict[Value | None, Operation] = {op.result: op for op in operations if op.result is not None}
        self._purposes = [self._purpose(op) for op in operations]
        self._about: dict[Value | None, list[Operation]] = {}  # stores to what is allocated, and facts
        self._live: set[Value | None] = set()
        self._find_roots(operations)
        self._reach_all()

    def _purpose(self, operation: Operation) -> Var | None:
        kind = operation.op.kind
        if kind is STORE or kind is COPY:
            return self._changed_allocation(operation.args[kind is COPY])
        if kind is FACT:  # what it tells of may go
            definition = self._definitions.get(operation.args[0] if operation.args else None)
            return definition.result if definition is not None and self._goes(definition) else None
        return (operation.result or _NOBODY) if self._goes(operation) else None

    def _goes(self, operation: Operation) -> bool:
        """Is it there for its result alone? A call that can raise is not, and an overflow operation stays with its
        guard."""
        row = operation.op
        if row.kind in _COMPUTED:
            return row.overflows is None
        if row.kind is not EVENT or not row.is_call:
            return False
        call = call_of(operation, self._layout)
        return call is not None and call.role not in EVENT_ROLES and not call.effects.can_raise

    def _changed_allocation(self, changed: Value) -> Var | None:
        """The object that a store or a copy changes, if the trace allocates it."""
        allocation = self._definitions.get(changed)
        return allocation.result if allocation is not None and allocation.op.kind is NEW else None

    def _find_roots(self, operations: Sequence[Operation]) -> None:
        unneeded = 0  # from there on, some may be needed by nobody
        for place, (operation, purpose) in enumerate(zip(operations, self._purposes, strict=True)):
            if purpose is None:
                self._live.update(operation.args)
            elif purpose is not operation.result:
                self._about.setdefault(purpose, []).append(operation)
            exit_ = operation.exit
            if exit_ is None:
                continue
            if exit_.failargs is not None:
                self._live.update(exit_.failargs)
            else:
                for one in (*operations[unneeded : place + 1], *exit_.block):
                    self._live.update((*one.args, one.result))
                unneeded = place + 1

    def _reach_all(self) -> None:
        definitions, about = self._definitions, self._about
        fresh = self._live.copy()
        while fresh:
            reached: set[Value | None] = set()
            for value in fresh & definitions.keys():
                reached.update(definitions[value].args)
            for value in fresh & about.keys():
                for one in about[value]:
                    reached.update(one.args)
            fresh = reached - self._live
            self._live |= fresh

    def live_part(self) -> Trace:
        """The trace without the operations whose purposes are not live."""
        return self._trace.of(self.keep(self._trace.ops, iter(self._purposes)))

    def keep(self, operations: Iterable[Operation], purposes: Iterator[Var | None]) -> list[Operation]:
        kept: list[Operation] = []
        for operation, purpose in zip(operations, purposes, strict=False):  # purposes go on behind a block
            exit_ = operation.exit
            if exit_ is not None and exit_.block:
                block = tuple(self.keep(exit_.block, purposes))
                operation = operation.on(operation.args, Exit(exit_.failargs, exit_.origin, block))
            if purpose is None or purpose in self._live:
                kept.append(operation)
        return kept
