"""Accesses to objects by their bytes: to few objects, at the offsets that fields and items have, or next to these."""

from __future__ import annotations

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.steps.raw_access import Access, access, access_rows, arguments, size_of, stored
from fuzz.draw.steps.raw_addresses import scaled_index
from optimizer.ir.rows.ops import FLOAT, INT, REF, DescrKind, Kind, Op, Type
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_BASES = 3
"""The number of references to objects that a trace uses by their bytes."""

_FAR = 256
"""Offsets are smaller on the example."""


def in_object(draft: AimedDraft, kind: Kind, near: Access | None) -> Access | None:
    """An access to bytes of an object, or to a reference in it, near another one now and then."""
    type_ = _type(draft, near)
    row = draft.choices.pick(access_rows(kind, DescrKind.RAW_SIZE, (type_,)))
    args = arguments(row, lambda index: _argument(draft, row, index, type_, near))
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


def _argument(draft: AimedDraft, row: Op, index: int, type_: Type, near: Access | None) -> Value | None:
    choices, word_size = draft.choices, draft.shape.word // 8
    assert row.memory is not None
    if index == 0:
        return _base(draft, near)
    if index == row.memory.stores:
        return stored(draft, type_)
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


def _base(draft: AimedDraft, near: Access | None) -> Value | None:
    """Mostly an object that has been used before."""
    choices, bases = draft.choices, draft.byte_bases
    if near is not None and choices.chance(50):
        return near.operation.args[0]
    if len(bases) == _BASES or (bases and choices.chance(50)):
        return choices.pick(bases)
    base = _new_base(draft)
    if base is not None:
        bases.append(base)
    return base


def _new_base(draft: AimedDraft) -> Var | None:
    """An object of whose fields and items the trace knows nothing, or a new one."""
    found = [var for var in draft.references if var not in draft.byte_bases and _is_free(draft, var)]
    if found and draft.choices.chance(75):
        return draft.choices.pick(found)
    return draft.allocate()


def _is_free(draft: AimedDraft, var: Var) -> bool:
    ref = draft.refs[var.name]
    return ref in draft.heap.objects and not draft.heap.is_text(ref) and draft.used_as.by_bytes(ref) is not False
