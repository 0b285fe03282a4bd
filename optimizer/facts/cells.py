"""The subjects of operations on memory: cells, copies of ranges of them, and the contents of fresh objects."""

from __future__ import annotations

from optimizer.facts.conditions import NULL
from optimizer.ir.floats import ZERO
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import FIELD, FLOAT, REF
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_types import is_left_open

MOST_CELLS = 32
"""The number of cells of one slot that are known at a time, at most, those of local objects not counted."""


@immutable
class Cell:
    """A field of an object, or an item or interior field at an index."""

    slot: Field
    object: Value
    index: Value | None = None

    def __hash__(self) -> int:
        return hash((self.object, self.index))


def cell_of(operation: Operation, layout: Layout) -> Cell:
    """The cell that a load reads or a store changes."""
    memory, slot = operation.op.memory, layout.descr_of(operation)
    assert memory is not None
    assert isinstance(slot, Field)
    has_index = memory.descr is not FIELD
    return Cell(slot, operation.args[0], operation.args[1] if has_index else None)


def stored_value(operation: Operation) -> Value:
    """The value that a store writes."""
    memory = operation.op.memory
    assert memory is not None
    assert memory.stores is not None
    return operation.args[memory.stores]


@immutable
class Copy:
    """A copy of `count` items of `source`, from index `start` on, to those of `object` from `at` on."""

    slot: Field
    source: Value
    object: Value
    start: Value
    at: Value
    count: Value

    def cells(self) -> list[tuple[Cell, Cell]]:
        """The pairs of cells read and written, item by item; none where the range is not constant, or too long."""
        if not (
            isinstance(self.start, ConstInt) and isinstance(self.at, ConstInt) and isinstance(self.count, ConstInt)
        ):
            return []
        start, at, count = self.start.value, self.at.value, self.count.value
        offsets = range(count) if 0 <= count <= MOST_CELLS else ()
        return [
            (Cell(self.slot, self.source, ConstInt(start + i)), Cell(self.slot, self.object, ConstInt(at + i)))
            for i in offsets
        ]


def copy_of(operation: Operation, layout: Layout) -> Copy:
    """The copy of a range of items that the operation makes."""
    slot = layout.descr_of(operation)
    assert isinstance(slot, Field)
    return Copy(slot, *operation.args)


def zero(slot: Field) -> Value:
    """The content of a cleared cell."""
    if slot.type is FLOAT:
        return ConstFloat(ZERO)
    return NULL if slot.type is REF else ConstInt(0)


def default_content(cell: Cell, allocated: Struct | Array, cleared: bool) -> Value | None:
    """The content of a cell of a fresh object that has not been written; None where nobody may read it."""
    slot = cell.slot
    is_open = is_left_open(allocated, slot.key, is_item=cell.index is not None, is_ref=slot.type is REF)
    return None if is_open and not cleared else zero(slot)


def is_cleared(operation: Operation, allocated: Struct | Array) -> bool:
    """Does the allocation put 0 and NULL into all that it makes?"""
    if isinstance(allocated, Struct):
        return allocated.cleared
    memory = operation.memory
    assert memory is not None
    assert memory.meaning is not None
    return bool(memory.meaning(None, _Allocating(), allocated, None))


class _Allocating:
    """Tells whether an array is cleared."""

    def new_array(self, _array: Array, _length: object, cleared: bool) -> bool:
        return cleared
