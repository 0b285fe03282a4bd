"""The memory that texts and worlds name: fields, items and raw memory."""

from __future__ import annotations

from optimizer.ir.rows.row import FIELD, INTERIOR, ITEM
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_types import BYTES, RAW


def memory_named(layout: Layout, text: str, *, has_index: bool) -> Field | None:
    """The field of that name, or, with an index, the items or a field of an array.

    None where it is no such, or neither declared nor used.
    """
    name = layout.canonical(text) or text
    if has_index and name.partition(".")[0] == RAW:
        return layout.raw_field(name.partition(".")[2]) if name != RAW else BYTES
    wanted = (ITEM, INTERIOR) if has_index else (FIELD,)
    kind = next((kind for kind in layout.kinds(name) if kind in wanted), None)
    slot = None if kind is None else layout.resolve(kind, name)
    return slot if isinstance(slot, Field) else None
