"""A trace in terms, as `validator.prove.encode` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.ops import Type
from optimizer.ir.trace import Operation, Trace
from optimizer.ir.types.layout import Field
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import Sight, anything, visible

if TYPE_CHECKING:
    from optimizer.ir.types.calls import Effects


@immutable
class Definedness:
    """The operation of that number is defined where `condition` holds; so many guards and events stand before it.

    `what` says what else it is that holds there: the length of an array that is taken for another one's, or what an
    event was promised not to change.
    """

    op: int
    operation: Operation
    condition: Term
    guards: int
    events: int
    what: str = "defined"


@immutable
class ExitEncoding:
    """The state that a guard hands over where it fails: `failargs` (None: not listed), and the heap behind its exit
    block, which is defined where `block` says. `made` are the allocations of the block, by number."""

    failargs: tuple[Term | None, ...] | None
    block: tuple[Definedness, ...]
    heap: SymbolicHeap
    made: Mapping[int, Term]

    def sight(self) -> Sight:
        """The state visible where the guard has failed."""
        roots = [arg for arg in self.failargs or () if arg is not None]
        return Sight(self.heap, visible(self.heap, [*roots, self.heap.pending()], anything))


@immutable
class GuardEncoding:
    """A guard as a way out: it goes on where `passes` holds. `events` and `positions` count what stands before it,
    `heap` is what it finds, and `exit` what it leaves if its allocations are its own. `number` is its own."""

    operation: Operation
    passes: Term
    exit: ExitEncoding
    events: int
    positions: int
    heap: SymbolicHeap
    number: int

    @property
    def failargs(self) -> tuple[Term | None, ...] | None:
        return self.exit.failargs


@immutable
class EventEncoding:
    """An event, with all that it sees; `guards` stand before it. It is made where `happens` holds. Two events can be
    the same if they are of one `kind`."""

    operation: Operation
    kind: tuple[str, str | None, int]
    args: tuple[Term, ...]
    happens: Term
    guards: int
    sight: Sight
    may_see: tuple[Field, ...]


@immutable
class Application:
    """The call of a function by the operation of that number, its address being the first argument. It is made where
    `happens` holds; so many guards and events stand before it. It `gives` and `raises` that. What it may read is among
    `effects`, and `may_see` is what of this the traces name, if any; then there is what it sees."""

    op: int
    result: Type
    args: tuple[Term, ...]
    gives: Term
    raises: Term
    happens: Term
    guards: int
    events: int
    effects: Effects
    may_see: tuple[Field, ...]
    sight: Sight | None


@immutable
class Encoding:
    """A trace in terms: its definedness conditions in order, its guards, its events, the functions that it calls, and
    what its end hands over.

    `heap` is that at the end; `made` are the allocations outside of exit blocks, by number,
    and `values` what variables are, by name.
    """

    trace: Trace
    defined: tuple[Definedness, ...]
    guards: tuple[GuardEncoding, ...]
    events: tuple[EventEncoding, ...]
    applications: tuple[Application, ...]
    end: tuple[Term, ...]
    heap: SymbolicHeap
    made: Mapping[int, Term]
    values: dict[str, Term]

    def sight(self) -> Sight:
        """The state visible at the end."""
        return Sight(self.heap, visible(self.heap, [*self.end, self.heap.pending()], anything))


def input_name(position: int) -> str:
    return f"input{position}"


def event_name(number: int) -> str:
    return f"event{number}"


def raise_name(number: int) -> str:
    return f"raised{number}"
