"""Objects by their bytes: what `gc_load_i(p0, 24, 4)` and its like read and write of an object.

Which bytes of an object its fields and items are nobody knows. So the bytes are memory of their own, found by object
and offset, as if they were items of one more array; and so are the references that stand at offsets. What is proved
does not rely on fields and items of an object behind a store to its bytes, nor on its bytes behind a store to its
fields or items, but for this: numbers and references do not overlap, and no store to bytes changes a class or a length.
A run in which both are used of one object has no meaning here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from optimizer.ir.faults import Unspecified, Unsupported
from optimizer.ir.rows.row import COPY, FLOAT, INT, LOAD, RAW_SIZE, REF, SCAN, STORE
from optimizer.ir.types.memory_types import Field, RawItem

if TYPE_CHECKING:
    from optimizer.ir.rows.row import Op
    from optimizer.ir.trace import Operation, Value

OBJECT_BYTES = Field("gc_bytes[]", "", INT, low=0, high=255)
"""The bytes of objects; the index is the offset."""

OBJECT_REFERENCES = Field("gc_references[]", "", REF)
"""The references that stand somewhere in objects; the index is the offset."""

_USING = frozenset({LOAD, STORE, COPY, SCAN})

VIEWS = {slot.key: slot for slot in (OBJECT_BYTES, OBJECT_REFERENCES)}
"""The memory that objects are by their bytes, by key."""

NAMES = frozenset(key.removesuffix("[]") for key in VIEWS)
"""What texts of heaps call this memory."""


def view_of(item: RawItem) -> Field:
    """The memory in which these bytes of an object are."""
    return OBJECT_REFERENCES if item.type is REF else OBJECT_BYTES


def check_bytes(operation: Operation, item: RawItem, word: int) -> None:
    """Raises Unsupported for bytes, of objects or of raw memory, that are not modelled."""
    name, line = operation.op.name, operation.line
    if item.type is REF and not item.of_object:
        raise Unsupported(f"{name} of a reference in raw memory", line)
    if item.type is REF and 8 * item.size != word:
        raise Unsupported(f"{name} of a reference in {item.size} bytes, with words of {word} bits", line)
    if item.type is FLOAT and (item.size != 8 or word != 64):
        raise Unsupported(f"{name} of a float in {item.size} bytes, with words of {word} bits", line)


class UsedAs:
    """What the objects of a run are used as, by their bytes or otherwise."""

    def __init__(self) -> None:
        self._by_bytes: dict[Any, bool] = {}

    def note(self, row: Op, operands: Sequence[Value], args: Sequence[Any], line: int = 0) -> None:
        """An operation is done, and its operands are these arguments. Raises Unspecified for an object that is used in
        both ways."""
        kind = row.kind
        by_bytes = kind not in _USING
        if by_bytes and not _is_of_object(row, operands):
            return
        for arg in args[: 2 if kind is COPY else 1]:
            if self._by_bytes.setdefault(arg, by_bytes) is not by_bytes:
                raise Unspecified(f"{row.name} of an object that is used by its bytes and otherwise", line)

    def by_bytes(self, arg: Any) -> bool | None:
        """Is that object used by its bytes? None if it has not been used."""
        return self._by_bytes.get(arg)


def takes_object(operation: Operation) -> bool:
    """Is it about an object's bytes?"""
    return _is_of_object(operation.op, operation.args)


def _is_of_object(row: Op, operands: Sequence[Value]) -> bool:
    memory = row.memory
    return memory is not None and memory.descr is RAW_SIZE and operands[0].type is REF
