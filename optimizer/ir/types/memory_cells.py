"""The cells of memory: how they are found, what numbers stand in them, and how texts call them."""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.ir.rows.row import RAW_SIZE, REF
from optimizer.ir.trace import Operation
from optimizer.ir.types.memory_types import BYTES, Array, Field, MemoryKind, RawItem, kind_of

RAW_ARRAY = Array("raw memory", BYTES)
"""The type of raw memory in a heap."""


def cell_at(kind: MemoryKind, key: str, index: int, word: int) -> tuple[str, int]:
    """The cell at that index, offset or address."""
    return key, index % (1 << word) if kind is MemoryKind.RAW else index


def end_of(kind: MemoryKind, length: int, word: int) -> int:
    """The first index behind what an object of that length has of such memory."""
    return {MemoryKind.OBJECTS: length, MemoryKind.RAW: 1 << word, MemoryKind.VIEW: 1 << (word - 1)}[kind]


def written_name(key: str) -> str:
    """The name by which what an event writes to that memory is found again."""
    return key.replace("[]", "", 1) if kind_of(key) is MemoryKind.RAW else key.removesuffix("[]").replace("[].", ".")


def has_kind(kind: MemoryKind, keys: Iterable[str]) -> bool:
    """Is any of the memory with these keys of that kind?"""
    return any(kind_of(key) is kind for key in keys)


def number_in(item: RawItem, held: Iterable[int], word: int) -> int:
    """The number that stands in these bytes."""
    return int.from_bytes(bytes(held), "little", signed=item.signed or 8 * item.size == word)


def bytes_of(item: RawItem, value: int) -> bytes:
    """The lowest bytes of the number."""
    return (value % (1 << 8 * item.size)).to_bytes(item.size, "little")


def range_of(slot: Field | RawItem, word: int) -> tuple[int | None, int | None]:
    """The least and the largest number that a load gives; None where that is any word, or no number."""
    if isinstance(slot, Field):
        return slot.low, slot.high
    bits = 8 * slot.size
    if bits >= word:
        return None, None
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if slot.signed else (0, (1 << bits) - 1)


def takes_object(operation: Operation) -> bool:
    """Is it about an object's bytes?"""
    memory = operation.op.memory
    return memory is not None and memory.descr is RAW_SIZE and operation.args[0].type is REF
