"""Steps of traces over raw memory: accesses to few addresses, which overlap more often than not.

An access is drawn by its row alone: its arguments, until the address that the row makes of them is where it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from fuzz.aimed_draft import AimedDraft
from fuzz.pointer_steps import guard_something, heap_event
from fuzz.shape import Step
from optimizer.ir.floats import Float
from optimizer.ir.heap import Heap
from optimizer.ir.immutable import immutable
from optimizer.ir.layout import Field, RawItem
from optimizer.ir.objects import RAW_REF, Cell, Datum
from optimizer.ir.ops import OPS, DescrKind, Kind, Op, Type
from optimizer.ir.raw_heap import cell
from optimizer.ir.raw_memory import BYTES
from optimizer.ir.trace import ConstInt, Operation, Value, Var

_ITEMS = tuple(f"<Array{sign} {size}>" for size in (1, 2, 4, 8) for sign in "US")
_FIELDS = ("Raw.a", "Raw.b", "<FieldS Other.c 8>")
_REFERENCES = ("Raw.p", "Raw.q")
_TRIES = 6

_BASES = 3
_INDICES = 2
"""A trace computes the addresses of its accesses from so many values, and scales so many indices."""

_MOST_ACCESSES = 14
"""A trace with more accesses begins no further step of them."""


@immutable
class _Access:
    """An operation to come, and what it touches on the example: so many bytes, or 1 of a field, from an address on."""

    operation: Operation
    slot: RawItem | Field
    address: int

    @property
    def size(self) -> int:
        return self.slot.size if isinstance(self.slot, RawItem) else 1

    def meets(self, other: _Access, word: int) -> bool:
        ring = 1 << word
        behind, ahead = (self.address - other.address) % ring, (other.address - self.address) % ring
        return behind < other.size or ahead < self.size


class _Address:
    """A heap that tells the address of what is accessed."""

    def __init__(self) -> None:
        self.address = 0

    def get_raw(self, _slot: RawItem | Field, address: int) -> int:
        self.address = address
        return 0

    def set_raw(self, _slot: RawItem | Field, address: int, _value: object) -> None:
        self.address = address


def take_raw_step(draft: AimedDraft, step: Step) -> bool:
    """Takes the step; False if it is not one of raw memory."""
    taken = _STEPS.get(step)
    if taken is not None and draft.shape.word >= 16 and draft.raw_accesses < _MOST_ACCESSES:
        taken(draft)
    return taken is not None


# Accesses.


def _drawn(draft: AimedDraft, kind: Kind, near: _Access | None = None) -> _Access | None:
    """A load or store; one that overlaps with another, if that is easy."""
    found: _Access | None = None
    for _ in range(_TRIES):
        found = _any(draft, kind, near)
        if near is None or (found is not None and found.meets(near, draft.shape.word)):
            return found
    return found


def _any(draft: AimedDraft, kind: Kind, near: _Access | None) -> _Access | None:
    choices = draft.choices
    bytes_ = (DescrKind.RAW_ITEM, DescrKind.RAW_ITEM, DescrKind.RAW_SIZE)
    descr_kind = choices.pick((DescrKind.RAW_FIELD,) if draft.uses_raw_fields else bytes_)
    has_floats = not draft.uses_raw_fields and draft.shape.word == 64 and draft.floats
    type_ = Type.FLOAT if has_floats and choices.chance(30) else Type.INT
    row = choices.pick(_rows(kind, descr_kind, type_))
    descr = _descr(draft, row, type_)
    type_ = Type.REF if descr in _REFERENCES else type_
    args: list[Value] = []
    for index in range(len(row.args or ())):
        arg = _argument(draft, row, index, type_, near)
        if arg is None:
            return None
        args.append(arg)
    return _access(draft, Operation(row, tuple(args), None, descr=descr))


@cache
def _rows(kind: Kind, descr: DescrKind, type_: Type) -> tuple[Op, ...]:
    types = (type_, Type.REF, Type.VOID) if descr is DescrKind.RAW_FIELD else (type_, Type.VOID)
    return tuple(
        row
        for row in OPS.values()
        if row.kind is kind and row.memory is not None and row.memory.descr is descr and row.result in types
    )


def _stored(draft: AimedDraft, type_: Type) -> Value | None:
    """Something to store; not NaN, whose bytes nobody knows."""
    if type_ is not Type.FLOAT:
        return draft.reference() if type_ is Type.REF else draft.operand()
    value = draft.float_operand()
    number = draft.datum(value)
    return None if isinstance(number, Float) and number.is_nan else value


def _argument(draft: AimedDraft, row: Op, index: int, type_: Type, near: _Access | None) -> Value | None:
    choices, arity = draft.choices, len(row.args or ())
    assert row.memory is not None
    if index == 0:
        return _base(draft, near)
    if index == row.memory.stores:
        return _stored(draft, type_)
    if index in row.constant_args:
        if index < arity - 1:
            return ConstInt(choices.pick((0, 1, 2, 4, 8, -1)))
        if type_ is Type.FLOAT:
            return ConstInt(8)
        size = choices.pick([size for size in (1, 2, 4, 8) if 8 * size <= draft.shape.word])
        return ConstInt(-size if row.result is not Type.VOID and choices.chance(50) else size)
    return _index(draft) if choices.chance(15) else ConstInt(choices.pick((0, 0, 0, 1, 1, 2, 4, 8, -1, 3)))


def _base(draft: AimedDraft, near: _Access | None) -> Value:
    """Mostly an address that has been used before: what few addresses may be the same is hard to say already."""
    choices = draft.choices
    if near is not None and choices.chance(55):
        return near.operation.args[0]
    if len(draft.raw_bases) == _BASES or (draft.raw_bases and choices.chance(60)):
        return choices.pick(draft.raw_bases)
    base = _new_base(draft)
    draft.raw_bases.append(base)
    return base


def _new_base(draft: AimedDraft) -> Value:
    """A pointer, one that stands a little behind another one, or a constant."""
    choices = draft.choices
    if draft.raw_bases and choices.chance(30):
        before = choices.pick(draft.raw_bases)
        if isinstance(before, Var):
            return draft.compute(OPS["int_add"], (before, ConstInt(choices.pick((1, 2, 4, 8, 16, -1)))))
    given = _given(draft, draft.raw_indices)
    return ConstInt(choices.integer(-4, 40)) if choices.chance(12) or not given else choices.pick(given)


def _index(draft: AimedDraft) -> Value:
    """One of few, and no pointer: of twice a pointer it is hard to say what it meets."""
    if len(draft.raw_indices) < _INDICES and not (draft.raw_indices and draft.choices.chance(60)):
        given = _given(draft, draft.raw_bases)
        draft.raw_indices.append(draft.choices.pick(given) if given else ConstInt(draft.choices.integer(0, 4)))
    return draft.choices.pick(draft.raw_indices)


def _given(draft: AimedDraft, others: Sequence[Value]) -> list[Var]:
    """Inputs, now and then anything else: where what is computed leads is hard to say."""
    among = draft.inputs if draft.choices.chance(93) else draft.variables
    return [var for var in among if var.type is Type.INT and var not in others]


def _descr(draft: AimedDraft, row: Op, type_: Type) -> str | None:
    assert row.memory is not None
    if row.memory.descr is DescrKind.RAW_SIZE:
        return None
    if row.memory.descr is DescrKind.RAW_FIELD:
        is_reference = row.result is Type.REF or (row.result is Type.VOID and draft.choices.chance(30))
        return draft.choices.pick(_REFERENCES if is_reference else _FIELDS)
    if type_ is Type.FLOAT:
        return "<ArrayF 8>"
    if draft.choices.chance(15):
        return draft.choices.pick(("words", *_declared(draft)))
    return draft.choices.pick([name for name in _ITEMS if 8 * int(name[8]) <= draft.shape.word])


def _declared(draft: AimedDraft) -> list[str]:
    """The declared arrays of machine ints."""
    return [array.name for array in draft.types.declarations.arrays if array.item not in (None, "ref", "float")]


def _access(draft: AimedDraft, operation: Operation) -> _Access:
    memory, heap = operation.op.memory, _Address()
    assert memory is not None
    assert memory.meaning is not None
    if memory.descr is DescrKind.RAW_FIELD:
        assert operation.descr is not None
        type_ = Type.REF if operation.descr in _REFERENCES else Type.INT
        draft.types.layout.learn_use(operation.descr, DescrKind.RAW_FIELD, type_, operation.op.name)
    slot = draft.types.layout.descr_of(operation)
    assert isinstance(slot, RawItem | Field)
    memory.meaning(draft.domain, heap, slot, *map(draft.datum, operation.args))
    return _Access(operation, slot, heap.address)


def _do(draft: AimedDraft, access: _Access | None) -> Var | None:
    """Adds the operation; gives its result."""
    if access is None:
        return None
    if access.operation.result is None and access.operation.op.result is not Type.VOID:
        _settle_contents(draft, access)
    operation = access.operation
    draft.raw_accesses += 1
    done = draft.attempt(operation.op, operation.args, operation.descr, access.slot)
    return None if done is None else done.result


def _settle_contents(draft: AimedDraft, access: _Access) -> None:
    """Says what stands at first in cells of which nothing has been said, in front of the load that reads them."""
    word, is_bytes = draft.shape.word, isinstance(access.slot, RawItem)
    slot = BYTES if isinstance(access.slot, RawItem) else access.slot
    if slot.type is Type.REF:
        return
    for k in range(access.size):
        key = cell(slot, access.address + k, word)
        if key not in draft.heap.add_raw().cells:
            value = draft.choices.integer(0, 255) if is_bytes else draft.constant()
            value = 0 if draft.choices.chance(30) else value
            for heap in (draft.initial_raw, draft.heap):
                _put(heap, key, value)


def _put(heap: Heap, key: Cell, value: Datum) -> None:
    raw = heap.add_raw()
    heap.objects[RAW_REF] = replace(raw, cells={**raw.cells, key: value})


# Steps.


def _one(draft: AimedDraft) -> None:
    _do(draft, _drawn(draft, draft.choices.pick((Kind.RAW_LOAD, Kind.RAW_STORE))))


def _overlap(draft: AimedDraft) -> None:
    """A store, others near it, and a load from there, narrower or wider."""
    first = _drawn(draft, Kind.RAW_STORE)
    if first is None:
        return
    _do(draft, first)
    draft.choices.repeat(0, 2, lambda: _between(draft, first))
    loaded = _do(draft, _drawn(draft, Kind.RAW_LOAD, first))
    if loaded is not None and loaded.type is Type.INT and draft.choices.chance(40):
        mask = ConstInt(draft.choices.pick((255, 0x7FFF, 127, -256)))
        draft.compute(draft.choices.pick(draft.rows.masks), (loaded, mask))


def _between(draft: AimedDraft, access: _Access) -> None:
    match draft.choices.integer(0, 6):
        case 0 | 1 | 2:
            _do(draft, _drawn(draft, Kind.RAW_STORE, access))
        case 3:
            _do(draft, _drawn(draft, Kind.RAW_LOAD, access))
        case 4:
            heap_event(draft)
        case _:
            guard_something(draft)


def _overwrite(draft: AimedDraft) -> None:
    """Two stores to nearly the same bytes, with something between them."""
    first = _drawn(draft, Kind.RAW_STORE)
    if first is None:
        return
    _do(draft, first)
    draft.choices.repeat(0, 1, lambda: _between(draft, first))
    same = draft.choices.chance(50)
    _do(draft, _with_value(draft, first) if same else _drawn(draft, Kind.RAW_STORE, first))


def _with_value(draft: AimedDraft, access: _Access) -> _Access:
    """The same store of something else."""
    memory = access.operation.op.memory
    assert memory is not None
    assert memory.stores is not None
    args = list(access.operation.args)
    if args[memory.stores].type is Type.INT:
        args[memory.stores] = draft.operand()
    return replace(access, operation=replace(access.operation, args=tuple(args)))


def _reread(draft: AimedDraft) -> None:
    """Two loads from nearly the same bytes, with something between them."""
    first = _drawn(draft, Kind.RAW_LOAD)
    if first is None:
        return
    _do(draft, first)
    draft.choices.repeat(0, 1, lambda: _between(draft, first))
    _do(draft, first if draft.choices.chance(40) else _drawn(draft, Kind.RAW_LOAD, first))


_STEPS: dict[Step, Callable[[AimedDraft], None]] = {
    Step.RAW_ACCESS: _one,
    Step.RAW_OVERLAP: _overlap,
    Step.RAW_OVERWRITE: _overwrite,
    Step.RAW_REREAD: _reread,
}
