"""Raw memory in a concrete heap: bytes by their addresses, and contents of named fields of raw structs.

They are cells of one object that is always there. What nothing says anything of holds 0 or NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimizer.ir.types.memory_types import Field, RawItem
from optimizer.ir.types.raw_memory import BYTES

Cells = Mapping[tuple[str, int], Any]


def load(cells: Cells, item: RawItem, address: int, width: int) -> int:
    """The number that stands at the address, in two's complement if it has a sign."""
    held = [cells.get((BYTES.key, (address + k) % (1 << width)), 0) for k in range(item.size)]
    return int.from_bytes(bytes(held), "little", signed=item.signed or 8 * item.size == width)


def store(item: RawItem, address: int, value: int, width: int) -> dict[tuple[str, int], Any]:
    """The cells that change when the lowest bytes of the value are put there."""
    held = (value % (1 << 8 * item.size)).to_bytes(item.size, "little")
    return {(BYTES.key, (address + k) % (1 << width)): byte for k, byte in enumerate(held)}


def cell(slot: Field, address: int, width: int) -> tuple[str, int]:
    """The cell of a named field of the raw struct at the address."""
    return slot.key, address % (1 << width)
