"""Accesses to raw memory and to objects by their bytes: what one touches on the example, and doing it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from fuzz.draw.aimed_draft import AimedDraft
from optimizer.ir.floats import NAN, Float
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, VOID, DescrKind, Kind, Op, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, RAW_REF, Datum, Object, Ref
from optimizer.ir.trace import Operation, Value, Var
from optimizer.ir.types.layout import Field, RawItem
from optimizer.ir.types.memory_cells import cell_at


@immutable
class Access:
    """An operation to come, and what it touches on the example: so many bytes of an object, `RAW_REF` for raw memory,
    from an address or offset on; 1 of a field or of a reference."""

    operation: Operation
    slot: RawItem | Field
    object: Ref
    address: int

    @property
    def size(self) -> int:
        return self.slot.size if isinstance(self.slot, RawItem) and self.slot.type is not REF else 1

    @property
    def is_of_object(self) -> bool:
        return self.object != RAW_REF

    def meets(self, other: Access, word: int) -> bool:
        ring = 1 << word
        behind, ahead = (self.address - other.address) % ring, (other.address - self.address) % ring
        return self.object == other.object and (behind < other.size or ahead < self.size)


class _Address:
    """A heap that tells the address of what is accessed."""

    object, address = RAW_REF, 0

    def get_raw(self, _slot: RawItem | Field, address: int, _stored: Datum = 0) -> int:
        self.address = address
        return 0

    def get_bytes(self, p: Ref, _item: RawItem, offset: int, _stored: Datum = 0) -> int:
        self.object, self.address = p, offset
        return 0

    set_raw, set_bytes = get_raw, get_bytes


@cache
def access_rows(kind: Kind, descr: DescrKind, types: tuple[Type, ...]) -> tuple[Op, ...]:
    """Loads of these types, or stores, by what their descr is."""
    return tuple(
        row
        for row in OPS.values()
        if row.kind is kind and row.memory is not None and row.memory.descr is descr and row.result in (*types, VOID)
    )


def arguments(
    draft: AimedDraft, row: Op, type_: Type, base: Callable[[], Value | None], other: Callable[[int], Value]
) -> tuple[Value, ...] | None:
    """The base, what is stored, and what there is in the other places of the row, drawn one after the other; None as
    soon as there is none."""
    assert row.memory is not None
    args: list[Value] = []
    for index in range(len(row.args or ())):
        arg = base() if index == 0 else _stored(draft, type_) if index == row.memory.stores else other(index)
        if arg is None:
            return None
        args.append(arg)
    return tuple(args)


def drawn_base(
    draft: AimedDraft,
    near: Access | None,
    bases: list[Value],
    chances: tuple[int, int],
    new: Callable[[], Value | None],
) -> Value | None:
    """The base of the access near it, with that chance; else one of few, with that chance if there are not that many;
    else a new one, if there is one."""
    if near is not None and draft.choices.chance(chances[0]):
        return near.operation.args[0]
    if len(bases) == _BASES or (bases and draft.choices.chance(chances[1])):
        return draft.choices.pick(bases)
    base = new()
    bases += [] if base is None else [base]
    return base


_BASES = 3
"""The number of values from which a trace computes the addresses of its accesses, and of objects that it uses by their
bytes: what few addresses may be the same is hard to say already."""


def _stored(draft: AimedDraft, type_: Type) -> Value | None:
    """Something to store; not NaN, whose bytes nobody knows."""
    if type_ is not FLOAT:
        return draft.reference() if type_ is REF else draft.operand()
    value = draft.float_operand()
    number = draft.datum(value)
    return None if isinstance(number, Float) and number == NAN else value


def size_of(draft: AimedDraft, row: Op, type_: Type) -> int:
    """The number of bytes that an access takes, negative for a number with a sign."""
    if type_ is not INT:
        return 8 if type_ is FLOAT else draft.shape.word // 8
    size = draft.choices.pick([size for size in (1, 2, 4, 8) if 8 * size <= draft.shape.word])
    return -size if row.result is not VOID and draft.choices.chance(50) else size


def access(draft: AimedDraft, operation: Operation) -> Access:
    """The access that the operation would make."""
    memory, heap = operation.op.memory, _Address()
    assert memory is not None
    assert memory.meaning is not None
    slot = draft.types.layout.descr_of(operation)
    assert isinstance(slot, RawItem | Field)
    memory.meaning(draft.domain, heap, slot, *map(draft.datum, operation.args))
    return Access(operation, slot, heap.object, heap.address)


def do(draft: AimedDraft, wanted: Access | None) -> Var | None:
    """Adds the operation; gives its result."""
    if wanted is None:
        return None
    operation = wanted.operation
    if operation.op.result is not VOID and not wanted.object.fresh:
        _settle_contents(draft, wanted)
    draft.raw_accesses += 1
    done = draft.attempt(operation.op, operation.args, operation.descr, wanted.slot)
    return None if done is None else done.result


def _settle_contents(draft: AimedDraft, wanted: Access) -> None:
    """Says what stands at first in cells of which nothing has been said, in front of the load that reads them."""
    slot = wanted.slot
    if slot.type is REF and isinstance(slot, Field):
        return
    memory = slot.slot if isinstance(slot, RawItem) else slot
    for k in range(wanted.size):
        key = cell_at(memory.kind, memory.key, wanted.address + k, draft.shape.word)
        if key not in _described(draft.heap, wanted.object).cells:
            value = _content(draft, wanted)
            for heap in (draft.initial if wanted.is_of_object else draft.initial_raw, draft.heap):
                heap.objects[wanted.object] = _described(heap, wanted.object).put(key, value)


def _described(heap: Heap, ref: Ref) -> Object:
    return heap.add_raw() if ref == RAW_REF else heap.objects[ref]


def _content(draft: AimedDraft, wanted: Access) -> Datum:
    if wanted.slot.type is REF:
        return NULL if draft.choices.chance(20) else draft.choices.pick(list(draft.initial.objects))
    value = draft.choices.integer(0, 255) if isinstance(wanted.slot, RawItem) else draft.constant()
    return 0 if draft.choices.chance(30) else value
