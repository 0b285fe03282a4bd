"""Raw memory: one space of bytes beside the objects, addressed by machine ints.

A byte has an address, a word taken without a sign; addresses wrap around. A number of several bytes stands in memory
with its lowest byte first. A trace uses it as bytes, or by named fields of raw structs, whose offsets nobody knows:
each such field is memory of its own, found by the address of its struct. It may be among the bytes: where both are
used, nobody may rely on a field behind a store to bytes, or on bytes behind a store to a field.

To the rest of the project raw memory is the items of an array, `BYTES`, and of one more for each named field.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import FLOAT, INT, RAW_FIELD, RAW_ITEM, RAW_SIZE, REF, Type
from optimizer.ir.trace import ConstInt, Operation, Trace, all_operations
from optimizer.ir.types.memory_types import Array, Field, RawItem, Resolved, is_of_object
from optimizer.ir.types.object_bytes import check_bytes, view_of

if TYPE_CHECKING:
    from optimizer.ir.types.layout import Layout

RAW = "raw"
"""What declarations of calls call all raw memory, and texts of heaps too."""

BYTES = Field(f"{RAW}[]", "", INT, low=0, high=255, declared=True)
"""The bytes of raw memory; the index is the address."""

RAW_ARRAY = Array("raw memory", BYTES)
"""What raw memory is in a heap."""

RAW_KINDS = (RAW_ITEM, RAW_SIZE, RAW_FIELD)

_PRINTED = re.compile(r"<Array(?P<flag>[A-Z]) (?P<size>[0-9]+)>")
_BYTES = {"i8": 1, "u8": 1, "bool": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "float": 8}


class WrongSize(Exception):
    """An item that no operation on raw memory can have; the message says why."""


def is_raw(key: str) -> bool:
    """Is it the key of raw memory?"""
    return key.startswith(BYTES.key)


def raw_descr(key: str) -> str:
    """The name by which what an event writes is found again, of raw memory with that key."""
    return key.replace("[]", "", 1)


def raw_field(field: Field) -> Field:
    """The field of a raw struct, as memory of its own."""
    return replace(field, key=f"{BYTES.key}.{field.key}", owner=None, immutable=False, quasi_immutable=False)


def raw_item(operation: Operation, layout: Layout) -> RawItem:
    """What an operation on bytes reads or writes, by its descr or its size. Raises WrongSize."""
    memory, word = operation.op.memory, layout.word
    assert memory is not None
    type_ = operation.op.result if memory.stores is None else operation.args[memory.stores].type
    if memory.descr is RAW_SIZE:
        last = operation.args[-1]
        size = last.value if isinstance(last, ConstInt) else 0
        item = RawItem(abs(size), size < 0, type_, operation.args[0].type is REF)
        if abs(size) not in (1, 2, 4, 8):
            raise WrongSize(f"{operation.op.name} takes a size of 1, 2, 4 or 8 bytes (negative: signed), got {last}")
    else:
        item = _described(layout.canonical(operation.descr) or "", type_, layout)
    if type_ is INT and 8 * item.size > word:
        raise WrongSize(f"{operation.op.name} takes {item.size} bytes, and a word has {word} bits")
    return item


def _described(name: str, type_: Type, layout: Layout) -> RawItem:
    """What a descr says: a declared array, or the size in the name that PyPy prints. Else it is a word."""
    of_type = RawItem(8 if type_ is FLOAT else layout.word // 8, True, type_)
    declared = next((array.item for array in layout.declarations.arrays if array.name == name), None)
    if declared is not None:
        return replace(of_type, size=_BYTES.get(declared, of_type.size), signed=not declared.startswith(("u", "bool")))
    printed = _PRINTED.fullmatch(name)
    if printed is None or int(printed["size"]) not in (1, 2, 4, 8):
        return of_type
    return replace(of_type, size=int(printed["size"]), signed=printed["flag"] == "S")


def slot_of(descr: Resolved | None) -> Field | None:
    """The memory that an operation with that descr names."""
    if isinstance(descr, RawItem):
        return view_of(descr) if descr.of_object else BYTES
    return descr if isinstance(descr, Field) else None


def range_of(slot: RawItem | Field, word: int) -> tuple[int | None, int | None]:
    """The least and the largest number that a load gives; None where that is any word, or no number."""
    if isinstance(slot, Field) or 8 * slot.size >= word:
        return (slot.low, slot.high) if isinstance(slot, Field) else (None, None)
    bits = 8 * slot.size
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if slot.signed else (0, (1 << bits) - 1)


def uses_raw(trace: Trace, layout: Layout) -> bool:
    """Does it use raw memory? Raises Unsupported where it uses bytes, of objects too, in a way that is not modelled."""
    found = False
    for operation in all_operations(trace):
        if operation.op.memory is not None and operation.op.memory.descr in RAW_KINDS:
            descr = layout.descr_of(operation)
            if isinstance(descr, RawItem):
                check_bytes(operation, descr, layout.word)
            found |= not is_of_object(descr)
    return found
