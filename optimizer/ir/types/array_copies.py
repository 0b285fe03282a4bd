"""Calls that copy a range of items, and are known to do nothing else.

The oopspec of the call's descr says so, `arraycopy` or `arraymove`, and its `writes` name the type of the arrays:

    call_n(ConstClass(f), p0, p1, i2, i3, i4, descr=copy)   items of p0 from i2 on become those of p1 from i3 on
    call_n(ConstClass(f), p0, i1, i2, i3, descr=move)       the same within one array

Such a call is no event. Its meaning is that of a row which traces cannot name.
"""

from __future__ import annotations

from optimizer.ir.rows.row import DescrKind, Kind, Memory, Op, Type
from optimizer.ir.rows.string_rows import COPY_REQUIRES, copy_items
from optimizer.ir.text.string_text import HIGHEST
from optimizer.ir.trace import Operation, Value
from optimizer.ir.types.declared import Call
from optimizer.ir.types.layout import Layout

_ARGS = {
    "arraycopy": (Type.REF, Type.REF, Type.INT, Type.INT, Type.INT),
    "arraymove": (Type.REF, Type.INT, Type.INT, Type.INT),
}
_MEMORY = Memory(DescrKind.ITEM, copy_items, requires=COPY_REQUIRES)
_ROW = Op("copy", _ARGS["arraycopy"], Type.VOID, Kind.COPY, modelled=False, memory=_MEMORY)


def array_copy(call: Call, operation: Operation, layout: Layout) -> Operation | None:
    """The copy that the call stands for; None where it is none."""
    if operation.op.name != "call_n" or call.can_raise or call.oopspec not in _ARGS:
        return None
    array, args = _array(call.writes, layout), operation.args[1:]
    if array is None or tuple(arg.type for arg in args) != _ARGS[call.oopspec]:
        return None
    whole: tuple[Value, ...] = args if call.oopspec == "arraycopy" else (args[0], *args)
    return Operation(_ROW, whole, None, None, array, operation.line)


def _array(writes: tuple[str, ...], layout: Layout) -> str | None:
    """The type of arrays whose items alone are written, if copies of these are modelled."""
    array = layout.array(writes[0]) if len(writes) == 1 else None
    if array is None or not array.declared or array.item is None or array.item.immutable:
        return None
    return None if array.item.type is Type.FLOAT or array.name in HIGHEST else array.name
