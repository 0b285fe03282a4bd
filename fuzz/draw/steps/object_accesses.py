"""Accesses to objects by their bytes: to few objects, at the offsets that fields and items have, or next to these."""

from __future__ import annotations

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.steps.raw_access import Access, access, access_rows, arguments, drawn_base, size_of
from fuzz.draw.steps.raw_addresses import scaled_index
from optimizer.ir.rows.ops import FLOAT, INT, REF, DescrKind, Kind, Op, Type
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_FAR = 256
"""Offsets are smaller on the example."""


def in_object(draft: AimedDraft, kind: Kind, near: Access | None) -> Access | None:
    """An access to bytes of an object, or to a reference in it, near another one now and then."""
    type_ = _type(draft, near)
    row = draft.choices.pick(access_rows(kind, DescrKind.RAW_SIZE, (type_,)))
    args = arguments(
        draft,
        row,
        type_,
        lambda: drawn_base(draft, near, draft.byte_bases, (50, 50), lambda: _new_base(draft)),
        lambda index: _argument(draft, row, index, type_),
    )
    if args is None:
        return None
    found = access(draft, Operation(row, args))
    return found if 0 <= found.address < _FAR else None


def _type(draft: AimedDraft, near: Access | None) -> Type:
    choices = draft.choices
    if near is not None and choices.chance(60):
        return near.slot.type
    has_floats = draft.shape.word == 64 and draft.floats
    other = FLOAT if has_floats else INT
    return choices.pick((INT, INT, other, REF if draft.byte_references else other))


def _argument(draft: AimedDraft, row: Op, index: int, type_: Type) -> Value:
    choices, word_size = draft.choices, draft.shape.word // 8
    if index == len(row.args or ()) - 1:
        return ConstInt(size_of(draft, row, type_))
    if len(row.constant_args) > 1:
        if index == 1:
            return scaled_index(draft) if choices.chance(30) else ConstInt(choices.integer(0, 3))
        if index == row.constant_args[0]:
            return ConstInt(word_size if type_ is REF else choices.pick((1, 2, 4, 8)))
    elif choices.chance(15) and type_ is not REF:
        return scaled_index(draft)
    beside = 0 if type_ is REF else choices.pick((0, 0, 0, 1, 2, 4))
    return ConstInt(word_size * choices.pick((1, 1, 2, 2, 3)) + beside)


def _new_base(draft: AimedDraft) -> Var | None:
    """An object of whose fields and items the trace knows nothing, or a new one."""
    found = [var for var in draft.references if var not in draft.byte_bases and _is_free(draft, var)]
    if found and draft.choices.chance(75):
        return draft.choices.pick(found)
    return draft.allocate()


def _is_free(draft: AimedDraft, var: Var) -> bool:
    ref = draft.refs[var.name]
    return ref in draft.heap.objects and not draft.heap.is_text(ref) and draft.used_as.by_bytes(ref) is not False
