"""The vocabulary in which the meaning of calls is written, and that meaning: a row for each role.

A `CallDomain` is what surrounds a trace, over values `V` and conditions `C`: the world that meets events, the functions
that are called, the exception that is pending. The interpreter, the encoder, the optimizer's pass over calls and the
generator of traces are such domains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from optimizer.ir.rows.row import Role

if TYPE_CHECKING:
    from optimizer.ir.rows.domain import Domain
    from optimizer.ir.trace import Operation
    from optimizer.ir.types.calls import CallSite

V = TypeVar("V")
C = TypeVar("C")

OTHERWISE = "the function gives something else"
"""The reason for which a recorded result of a call may be undefined."""


@dataclass(frozen=True, slots=True)
class Invocation(Generic[V, C]):
    """A call under way, of the operation of that number: its arguments, and the condition under which it is made."""

    site: CallSite
    operation: Operation
    number: int
    args: tuple[V, ...]
    happens: C


class CallDomain(ABC, Generic[V, C]):
    """A domain of calls: the state that they read and change. `domain` are its words, `true` and `false` its
    conditions.

    `upheavals` counts the events that may write everything; `invariants` are what loop-invariant calls have given and
    raised, by what tells their functions apart.
    """

    domain: Domain[Any, C]
    true: C
    false: C

    def __init__(self) -> None:
        self.upheavals = 0
        self.invariants: dict[Any, tuple[V, V]] = {}

    @abstractmethod
    def happens(self, operation: Operation, value: V) -> C:
        """The condition under which a conditional call is made, by its first argument."""

    @abstractmethod
    def select(self, condition: C, result: V, otherwise: V) -> V:
        """The result of a call that is made where the condition holds."""

    @abstractmethod
    def require(self, call: Invocation[V, C], condition: C, reason: str) -> None:
        """A condition under which the call is defined."""

    # Events: seen by the world, which writes, invalidates and raises what it may.
    @abstractmethod
    def happen(self, call: Invocation[V, C]) -> tuple[V, V]:
        """The event's result, and the exception that it raises: none where it is declared not to raise."""

    @abstractmethod
    def function_of(self, call: Invocation[V, C]) -> Any:
        """The identity of a loop-invariant call's function, with the type of its result."""

    # Functions.
    @abstractmethod
    def apply(self, call: Invocation[V, C], args: tuple[V, ...]) -> tuple[V, V]:
        """The result and the exception of a function, of the arguments and of the memory that it is declared to
        read."""

    @abstractmethod
    def promise(self, call: Invocation[V, C], value: V) -> None:
        """The trace says that the function gives that value, and raises nothing."""

    @abstractmethod
    def constant(self, number: int) -> V: ...

    @abstractmethod
    def equal(self, one: V, other: V) -> C: ...

    @abstractmethod
    def raise_(self, call: Invocation[V, C], raised: V) -> None:
        """The pending exception behind a call that may raise."""

    # What follows from the above.
    def compute(self, call: Invocation[V, C]) -> V:
        """The result of the operation that the call stands for."""
        row, args = call.site.meaning, call.args[1:]
        assert row is not None
        assert row.meaning is not None
        if row.defined is not None:
            self.require(call, row.defined(self.domain, *args), row.undefined_when)
        value: V = row.meaning(self.domain, *args)
        return value

    def asked(self, site: CallSite, args: tuple[V, ...]) -> tuple[V, ...]:
        """The arguments on which depends what a function gives: with one more, if it may give something else behind an
        upheaval."""
        return (*args, self.constant(self.upheavals)) if site.passing else args

    def perform(self, site: CallSite, operation: Operation, number: int, args: Sequence[V]) -> V | None:
        """The result of the operation, None for nothing: the call is made where it happens, else its first argument is
        the result."""
        happens = self.happens(operation, args[0]) if site.is_conditional else self.true
        if happens is self.false:
            return args[0]
        call = Invocation(site, operation, number, tuple(args[len(args) - len(site.args) :]), happens)
        if site.role is Role.RECORD:
            _record(self, call, args[0])
            return None
        result = _MEANINGS[site.role](self, call)
        return result if happens is self.true or operation.result is None else self.select(happens, result, args[0])


def _event(w: CallDomain[V, C], call: Invocation[V, C]) -> V:
    return _met(w, call)[0]


def _met(w: CallDomain[V, C], call: Invocation[V, C]) -> tuple[V, V]:
    """The event's result, and what it raises."""
    w.upheavals += call.site.effects.writes is None
    result, raised = w.happen(call)
    if call.site.effects.can_raise:
        w.raise_(call, raised)
    return result, raised


def _invariant(w: CallDomain[V, C], call: Invocation[V, C]) -> V:
    """The first one of a function is an event; another one gives and raises the same."""
    function, raises = w.function_of(call), call.site.effects.can_raise
    if function in w.invariants:
        result, raised = w.invariants[function]
        if raises:
            w.raise_(call, raised)
        return result
    given = _met(w, call)
    if call.happens is w.true:
        w.invariants[function] = given
    return given[0]


def _function(w: CallDomain[V, C], call: Invocation[V, C]) -> V:
    result, raised = w.apply(call, w.asked(call.site, call.args))
    if call.site.effects.can_raise:
        w.raise_(call, raised)
    return result


def _meaning(w: CallDomain[V, C], call: Invocation[V, C]) -> V:
    return w.compute(call)


def _record(w: CallDomain[V, C], call: Invocation[V, C], value: V) -> None:
    if call.site.meaning is None:
        w.promise(call, value)
    else:
        w.require(call, w.equal(w.compute(call), value), OTHERWISE)


_MEANINGS: dict[Role, Callable[[CallDomain[Any, Any], Invocation[Any, Any]], Any]] = {
    Role.EVENT: _event,
    Role.INVARIANT: _invariant,
    Role.FUNCTION: _function,
    Role.MEANING: _meaning,
}
