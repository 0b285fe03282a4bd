"""The identity of objects that functions on strings give, which nobody fixes: such an object has the right items, and
may be there already.

A trace stands for the runs in which each call gives an object of its own, and for those in which a call gives what the
same one has given before, or a constant with these items. An optimized trace may be one of either: which it is shows in
the calls that it has left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.text.string_text import is_text, read_text, write_text
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_cells import takes_object
from optimizer.ir.types.trace_layout import layout_of

_Call = tuple[Op, tuple[Value, ...]]

_SAME = OPS["same_as_r"]

_CHANGED = {Kind.STORE: 0, Kind.COPY: 1}  # the argument that is changed


def sharing(before: Trace, after: Trace, layout: Layout) -> Trace:
    """The recorded trace in which functions on strings give again what they have given, or constants of `layout`, where
    the optimized one seems to take them for that. What they give is their own where it may be changed."""
    calls = _calls(before, layout)
    if not calls or _changes_others(before):
        return before
    walk = _Sharing(calls, after, layout)
    ops = tuple(map(walk.step, before.ops))
    return replace(before, ops=ops) if walk.found else before


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


def _calls(trace: Trace, layout: Layout) -> dict[Var, _Call]:
    """The calls of functions that make strings, by their results. Other names of arguments are seen through."""
    same: dict[Value, Value] = {}
    calls: dict[Var, _Call] = {}
    for operation in trace.ops:
        known = meant(operation, layout)
        args = tuple([same.get(arg, arg) for arg in known.args])
        if operation.op is _SAME and operation.result is not None:
            same[operation.result] = args[0]
        elif known.op.kind is Kind.NEW and known is not operation and known.result is not None:
            calls[known.result] = known.op, args
    return calls


class _Sharing:
    def __init__(self, calls: Mapping[Var, _Call], after: Trace, layout: Layout) -> None:
        self._layout = layout
        self._after = after
        self._calls, left = calls, _calls(after, layout)
        self._lost = Counter(calls.values()) - Counter(left.values())  # calls that the optimized trace does not have
        self._rows = Counter(row for row, _ in left.values())
        self._lost_rows = Counter(row for row, _ in calls.values()) - self._rows
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
        text = _folded(known.op, args)
        given = self._given.setdefault((known.op, args), known.result)
        value: Value = ConstRef(text) if text in self._layout.texts and text is not None else given
        if value == known.result or not self._is_shared(known.result, text):
            return operation
        self.found[known.result] = value
        return Operation(_SAME, (value,), known.result, line=operation.line)

    def _is_shared(self, made: Var, text: str | None) -> bool:
        """Does the optimized trace have fewer of these calls, and the constant, or what one of them gave?"""
        call = self._calls[made]
        if call not in self._lost or call[0] not in self._lost_rows:
            return False
        return call[0] in self._rows or (text is not None and text in layout_of(self._after).texts)

    def _stands_for(self, value: Value) -> Value:
        return self.found.get(value) or self._same.get(value, value)


def _folded(row: Op, args: tuple[Value, ...]) -> str | None:
    """The constant that has the items of the string which a row of constants makes; None where that is not known, or
    not defined."""
    texts = [read_text(arg.text) for arg in args if isinstance(arg, ConstRef) and is_text(arg.text)]
    numbers = [arg.value for arg in args if isinstance(arg, ConstInt)]
    if len(texts) + len(numbers) < len(args) or any(kind != (row.memory and row.memory.on) for kind, _ in texts):
        return None
    match [items for _, items in texts], numbers:
        case [one, other], []:
            return write_text(texts[0][0], one + other)
        case [whole], [start, stop] if 0 <= start <= stop <= len(whole):
            return write_text(texts[0][0], whole[start:stop])
    return None
