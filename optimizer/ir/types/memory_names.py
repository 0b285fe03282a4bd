"""The memory that texts and worlds name: fields, items and raw memory."""

from __future__ import annotations

from optimizer.ir.rows.row import ARRAY, FIELD, INTERIOR, ITEM, DescrKind
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
    kind = next((kind for kind in kinds(layout, name) if kind in wanted), None)
    slot = None if kind is None else layout.resolve(kind, name)
    return slot if isinstance(slot, Field) else None


def kinds(layout: Layout, text: str) -> tuple[DescrKind, ...]:
    """The kinds of descr that the name or alias can be: as it is declared, else as it is used."""
    name = layout.canonical(text) or text
    used = (layout.uses[name][0],) if name in layout.uses else ()
    return layout.declared_as(name) or ((ITEM, ARRAY) if used == (ITEM,) else used)


def is_declared(layout: Layout, text: str) -> bool:
    """Does a declaration say what that name or alias is?"""
    return layout.declared_as(layout.canonical(text) or text) is not None
