"""The parts of a trace as seen on the way through it: its guards, events and calls, and what holds there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import z3

from optimizer.ir.trace import Var
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


class Follower(Protocol):
    """A listener to what is found on the way through a trace: that of the recorded trace keeps it, that of the
    optimized one proves it."""

    def must(self, op: int, what: str, condition: Any) -> None:
        """The operation of that number asks for that condition."""

    def guard(self, guard: GuardSeen) -> None:
        """The trace comes to a guard."""
        return

    def passed(self, guard: GuardSeen) -> None:
        """The guard has passed."""
        return

    def applied(self, call: CallSeen) -> None: ...

    def event(self, event: CallSeen) -> Places:
        """The trace comes to an event; what this finds."""

    def given(self, var: Var, value: Any) -> Any:
        """The value of a variable, as it is to be written from now on."""

    def decide(self, condition: Any) -> bool | None:
        """Is the condition known to hold, or not to hold, in every run that gets here?"""
        return True if self.holds(condition) else False if self.holds(z3.Not(condition)) else None

    def holds(self, claim: Any) -> bool: ...
