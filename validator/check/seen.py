"""What is seen of a trace on the way through it: its guards, events and calls, and what holds there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import z3

from optimizer.ir.rows.row import Type
from optimizer.ir.trace import Var
from optimizer.ir.types.layout import Field
from validator.check.memory import Memory
from validator.check.reach import Places


@dataclass(frozen=True, slots=True)
class ExitSeen:
    """What a guard that fails leaves: the exit block is defined where all of `block` hold."""

    failargs: tuple[Any, ...] | None
    block: tuple[tuple[int, str, Any], ...]
    memory: Memory


@dataclass(frozen=True, slots=True)
class GuardSeen:
    passes: Any
    exit: ExitSeen
    events: int


@dataclass(frozen=True, slots=True)
class EventSeen:
    """An event, with what it may find and see; so many guards stand before it. It is made where `happens` holds."""

    kind: tuple[str, str | None, int]
    args: tuple[Any, ...]
    happens: Any
    guards: int
    memory: Memory
    found: Places
    may_see: tuple[Field, ...]
    may_write: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """The call of a function, its address being the first argument, where `happens` holds. It looks at `may_see` of
    what it has `found`, or at no memory; `looks` also where the traces name none of what it reads."""

    op: int
    type: Type
    args: tuple[Any, ...]
    happens: Any
    guards: int
    events: int
    memory: Memory
    found: Places
    may_see: tuple[Field, ...]
    looks: bool


class Follower(Protocol):
    """Who is told what is found on the way through a trace: that of the recorded trace keeps it, that of the optimized
    one proves it."""

    def must(self, op: int, what: str, condition: Any) -> None:
        """The operation of that number asks for that condition."""

    def guard(self, guard: GuardSeen) -> None: ...

    def passed(self, guard: GuardSeen) -> None: ...

    def applied(self, applied: Applied) -> None: ...

    def event(self, event: EventSeen) -> Places:
        """The trace comes to an event; what this finds."""

    def given(self, var: Var, value: Any) -> Any:
        """The value of a variable, as it is to be written from now on."""

    def decide(self, condition: Any) -> bool | None:
        """Is the condition known to hold, or not to hold, in every run that gets here?"""
        return True if self.holds(condition) else False if self.holds(z3.Not(condition)) else None

    def holds(self, claim: Any) -> bool: ...
