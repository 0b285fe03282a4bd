"""The addresses of accesses to raw memory: few, which overlap more often than not."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.steps.raw_access import Access, access, access_rows, arguments, drawn_base, size_of
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, VOID, DescrKind, Kind, Op, Type
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_ITEMS = tuple(f"<Array{sign} {size}>" for size in (1, 2, 4, 8) for sign in "US")
_FIELDS = ("Raw.a", "Raw.b", "<FieldS Other.c 8>")
_REFERENCES = ("Raw.p", "Raw.q")

_INDICES = 2
"""The number of indices that a trace scales."""


def at_address(draft: AimedDraft, kind: Kind, near: Access | None) -> Access | None:
    """An access to raw memory, near another one now and then."""
    choices = draft.choices
    bytes_ = (DescrKind.RAW_ITEM, DescrKind.RAW_ITEM, DescrKind.RAW_SIZE)
    descr_kind = choices.pick((DescrKind.RAW_FIELD,) if draft.uses_raw_fields else bytes_)
    has_floats = not draft.uses_raw_fields and draft.shape.word == 64 and draft.floats
    type_ = FLOAT if has_floats and choices.chance(30) else INT
    types = (type_, REF) if descr_kind is DescrKind.RAW_FIELD else (type_,)
    row = choices.pick(access_rows(kind, descr_kind, types))
    descr = _descr(draft, row, type_)
    type_ = REF if descr in _REFERENCES else type_
    args = arguments(
        draft,
        row,
        type_,
        lambda: drawn_base(draft, near, draft.raw_bases, (55, 60), lambda: _new_base(draft)),
        lambda index: _argument(draft, row, index, type_),
    )
    if args is None:
        return None
    if descr_kind is DescrKind.RAW_FIELD:
        assert descr is not None
        draft.types.layout.learn_use(descr, DescrKind.RAW_FIELD, type_, row.name)
    return access(draft, Operation(row, args, None, descr=descr))


def _argument(draft: AimedDraft, row: Op, index: int, type_: Type) -> Value:
    choices, arity = draft.choices, len(row.args or ())
    if index in row.constant_args:
        if index < arity - 1:
            return ConstInt(choices.pick((0, 1, 2, 4, 8, -1)))
        return ConstInt(size_of(draft, row, type_))
    return scaled_index(draft) if choices.chance(15) else ConstInt(choices.pick((0, 0, 0, 1, 1, 2, 4, 8, -1, 3)))


def _new_base(draft: AimedDraft) -> Value:
    """A pointer, one that stands a little behind another one, or a constant."""
    choices = draft.choices
    if draft.raw_bases and choices.chance(30):
        before = choices.pick(draft.raw_bases)
        distance = ConstInt(choices.pick((1, 2, 4, 8, 16, -1)))
        if isinstance(before, Var) and choices.chance(70):
            return draft.compute(OPS["int_add"], (before, distance))
        if isinstance(before, Var):
            args = (before, ConstInt(choices.integer(0, 2)), distance, ConstInt(choices.integer(0, 3)))
            taken = draft.attempt(choices.pick(draft.memory.places), args)
            return before if taken is None or taken.result is None else taken.result
    given = _given(draft, draft.raw_indices)
    return ConstInt(choices.integer(-4, 40)) if choices.chance(12) or not given else choices.pick(given)


def scaled_index(draft: AimedDraft) -> Value:
    """One of few, and no pointer: of twice a pointer it is hard to say what it meets."""
    if len(draft.raw_indices) < _INDICES and not (draft.raw_indices and draft.choices.chance(60)):
        given = _given(draft, draft.raw_bases)
        draft.raw_indices.append(draft.choices.pick(given) if given else ConstInt(draft.choices.integer(0, 4)))
    return draft.choices.pick(draft.raw_indices)


def _given(draft: AimedDraft, others: Sequence[Value]) -> list[Var]:
    """Inputs, now and then anything else: where what is computed leads is hard to say."""
    among = draft.inputs if draft.choices.chance(93) else draft.variables
    return [var for var in among if var.type is INT and var not in others]


def _descr(draft: AimedDraft, row: Op, type_: Type) -> str | None:
    assert row.memory is not None
    if row.memory.descr is DescrKind.RAW_SIZE:
        return None
    if row.memory.descr is DescrKind.RAW_FIELD:
        is_reference = row.result is REF or (row.result is VOID and draft.choices.chance(30))
        return draft.choices.pick(_REFERENCES if is_reference else _FIELDS)
    if type_ is FLOAT:
        return "<ArrayF 8>"
    if draft.choices.chance(15):
        arrays = [array for array in draft.types.declarations.arrays if array.item and array.item.type is INT]
        return draft.choices.pick(("words", *(array.name for array in arrays)))
    return draft.choices.pick([name for name in _ITEMS if 8 * int(name[8]) <= draft.shape.word])
