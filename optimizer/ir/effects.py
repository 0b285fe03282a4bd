"""What an event may read, change and end, as its descr declares."""

from __future__ import annotations

from dataclasses import dataclass

from optimizer.ir.layout import Field, Layout
from optimizer.ir.trace import Operation


@dataclass(frozen=True, slots=True)
class Effects:
    """The keys of the memory that an event may read and write; None is everything. `elidable` calls are no events."""

    reads: frozenset[str] | None = None
    writes: frozenset[str] | None = None
    can_invalidate: bool = True
    elidable: bool = False

    def may_write(self, slot: Field) -> bool:
        """May it change that memory? What is immutable, only if it is named."""
        return not slot.immutable if self.writes is None else slot.key in self.writes

    def may_see(self, slot: Field) -> bool:
        """May it read or write that memory? At such an event it must be as it was recorded."""
        return self.reads is None or self.writes is None or slot.key in self.reads or slot.key in self.writes


EVERYTHING = Effects()
"""Of an operation without a declared descr."""


def effects_of(operation: Operation, layout: Layout) -> Effects:
    """What the event or call may do."""
    call = None if operation.descr is None else layout.call(operation.descr)
    if call is None:
        return EVERYTHING
    return Effects(
        layout.memory_keys(call.reads),
        layout.memory_keys(call.writes),
        call.can_invalidate,
        call.elidable or call.loop_invariant,
    )
