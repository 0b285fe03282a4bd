"""The parts of a trace as seen on the way through it: its guards, events and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import Field
from validator.check.memory import Memory
from validator.check.reach import Places


@dataclass(frozen=True, slots=True)
class GuardSeen:
    """A guard, with so many events ahead, and what it leaves where it fails: its exit block is defined where all of
    `block` hold."""

    passes: Any
    events: int
    failargs: tuple[Any, ...] | None
    block: tuple[tuple[int, str, Any], ...]
    memory: Memory


@dataclass(frozen=True, slots=True)
class CallSeen:
    """The call of a function, its address being the first argument, or an event, with so many guards and events ahead.
    It is made where `happens` holds, and looks at `may_see` of what it has `found`."""

    op: int
    kind: tuple[Any, ...]
    args: tuple[Any, ...]
    happens: Any
    guards: int
    events: int
    memory: Memory
    found: Places
    may_see: tuple[Field, ...]
    effects: Effects
