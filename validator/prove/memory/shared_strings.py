"""Which object a function on strings gives, nobody says: it has the right items, and may be there already.

A trace stands for the runs in which each call gives an object of its own, and for those in which a call gives what the
same one has given before, or a constant with these items. An optimized trace may be one of either.
"""

from __future__ import annotations

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.trace import ConstRef, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.byte_access import takes_object
from optimizer.ir.types.calls import effects_at
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.string_calls import folded

_Call = tuple[Op, tuple[Value, ...]]

_SAME = OPS["same_as_r"]

_CHANGED = {Kind.STORE: 0, Kind.COPY: 1}  # the argument that is changed


def sharing(trace: Trace, layout: Layout) -> Trace | None:
    """The trace in which functions on strings give again what they have given, and constants of `layout`, where that
    is known; None where it is that of `trace`, or where what they give may be changed, which has to be their own."""
    if _changes_others(trace):
        return None
    walk = _Walk(layout)
    ops = tuple(map(walk.step, trace.ops))
    return replace(trace, ops=ops) if walk.found else None


def _changes_others(trace: Trace) -> bool:
    """Does the trace store to strings that it may not have allocated as such, or to bytes of what may be one?"""
    operations = list(all_operations(trace))
    if any(operation.op.kind is Kind.RAW_STORE and takes_object(operation) for operation in operations):
        return True
    made = {operation.result for operation in operations if operation.op.kind is Kind.NEW}
    return any(
        operation.args[_CHANGED[operation.op.kind]] not in made
        for operation in operations
        if operation.op.kind in _CHANGED and operation.op.memory is not None and operation.op.memory.on is not None
    )


class _Walk:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._given: dict[_Call, Var] = {}
        self._same: dict[Value, Value] = {}  # what variables are other names of
        self.found: dict[Value, Value] = {}

    def step(self, operation: Operation) -> Operation:
        if operation.op is _SAME and operation.result is not None:
            self._same[operation.result] = self._stands_for(operation.args[0])
        known = meant(operation, self._layout)
        if known.op.kind is Kind.NEW and known is not operation and known.result is not None:
            return self._new(operation, known)
        slot = self._layout.descr_of(known) if known.op.kind in (Kind.STORE, Kind.COPY) else None
        if known.op.kind is Kind.EVENT or slot is not None:
            effects = effects_at(operation, self._layout)
            self._given = {
                call: given
                for call, given in self._given.items()
                if self._slot(call) != slot and not (slot is None and effects.may_write(self._slot(call)))
            }
        return operation

    def _slot(self, call: _Call) -> Field:
        row = call[0]
        slot = self._layout.descr_of(Operation(row, call[1], None))
        assert isinstance(slot, Field)
        return slot

    def _new(self, operation: Operation, known: Operation) -> Operation:
        assert known.result is not None
        args = tuple(map(self._stands_for, known.args))
        text = folded(known.op, args)
        given = self._given.setdefault((known.op, args), known.result)
        value: Value = ConstRef(text) if text in self._layout.texts and text is not None else given
        if value == known.result:
            return operation
        self.found[known.result] = value
        return Operation(_SAME, (value,), known.result, line=operation.line)

    def _stands_for(self, value: Value) -> Value:
        return self.found.get(value) or self._same.get(value, value)
