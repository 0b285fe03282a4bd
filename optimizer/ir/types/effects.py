"""The effects of an event: what it may read, change, raise and invalidate, as its descr declares."""

from __future__ import annotations

from collections.abc import Collection

from optimizer.ir.immutable import immutable
from optimizer.ir.types.declared import Call
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_types import MemoryKind, kind_of


@immutable
class Effects:
    """The keys of the memory that an event may read and write; None is everything.

    `named` is the memory that is written beside everything: no other event changes strings or what is immutable.
    """

    reads: frozenset[str] | None = None
    writes: frozenset[str] | None = None
    can_invalidate: bool = True
    can_raise: bool = True
    named: frozenset[str] = frozenset()

    def may_write(self, slot: Field) -> bool:
        """May it change that memory? Strings and what is immutable, only if they are named."""
        if self.writes is None:
            return not slot.is_steady or slot.key in self.named
        return _names(slot.key, self.writes)

    def may_see(self, slot: Field) -> bool:
        """May it read or write that memory? At such an event it must be as it was recorded."""
        return self.may_see_key(slot.key)

    def may_see_key(self, key: str) -> bool:
        return self.sees_everything or _names(key, self.reads or ()) or _names(key, self.writes or ())

    @property
    def sees_everything(self) -> bool:
        return self.reads is None or self.writes is None

    @property
    def sees_nothing(self) -> bool:
        """Does no memory matter to it?"""
        return not (self.sees_everything or self.reads or self.writes)


def _names(key: str, keys: Collection[str]) -> bool:
    """Is the memory among those? With any memory of objects, their bytes are."""
    return key in keys or (kind_of(key) is MemoryKind.VIEW and any(kind_of(one) is not MemoryKind.RAW for one in keys))


EVERYTHING = Effects()
"""The effects of an operation without a declared descr, and of every `escape`."""

NOTHING = Effects(frozenset(), frozenset(), can_invalidate=False, can_raise=False)
"""The effects of an event that has none."""


def effects_of(call: Call | None, layout: Layout) -> Effects:
    """The effects of what is declared so, or of an event that nobody declares."""
    if call is None:
        return EVERYTHING
    writes = layout.memory_keys(call.writes)
    named = layout.memory_keys(name for name in call.writes if name != "*") if writes is None else None
    return Effects(layout.memory_keys(call.reads), writes, call.can_invalidate, call.can_raise, named or frozenset())
