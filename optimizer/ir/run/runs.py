"""Runs of a trace: what the world gives them, and how they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from optimizer.ir.floats import Float
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL, Datum, Object, Ref
from optimizer.ir.types.calls import EVERYTHING, Effects


@immutable
class Seen:
    """The object with that number among those that the trace allocated and an event has seen, in the order of their
    discovery: how the world names them, whatever the run calls them."""

    number: int


@immutable
class Argument(Seen):
    """The argument with that number of a function's call, its address being 0: how the world names what the trace has
    allocated, and no event has seen, where the function gives it back."""


Scripted = int | Float | Ref | Seen
"""A value that the world gives: a machine int, a float, an object that existed before the trace (or NULL), or one it
has seen, or is given.

An object that an event brings into the world is one that existed before the trace, and that nothing refers to.
"""


def datum_of(value: Scripted, heap: Heap, args: Sequence[Datum] = ()) -> Datum | None:
    """The value in a run that has come to this heap, of a function with these arguments; None for an object that is not
    there."""
    if isinstance(value, Argument):
        return args[value.number] if value.number < len(args) else None
    if not isinstance(value, Seen):
        return value
    seen = list(heap.seen)
    return seen[value.number] if value.number < len(seen) else None


@immutable
class Write:
    """An event puts `value` into a field (by its descr), or into an item if there is an `index`."""

    target: Ref | Seen
    descr: str
    value: Scripted
    index: int | None = None


@immutable
class Given:
    """The result of a function's call, and the exception that it raises, NULL if it raises none."""

    result: Scripted = 0
    raises: Scripted = NULL


@immutable
class Look:
    """The state that one call of a function finds, after `events` events: its arguments, and all objects that are
    visible to it, of their cells only those that its `effects` may read. `seen` are the allocations that events see in
    all of the run, in the order of their discovery."""

    events: int
    args: tuple[Datum, ...]
    objects: Mapping[Ref, Object]
    effects: Effects
    seen: tuple[Ref, ...] = ()


@immutable
class Applied:
    """The call of a function by the operation of that number, behind so many events. Where it is not `made`, the trace
    only says what it gives. `looks` is what each of the same calls has found, where they are declared to read memory.
    """

    op: int
    type: Type
    args: tuple[Scripted, ...]
    result: Scripted
    raises: Scripted
    events: int
    made: bool = True
    looks: tuple[Look, ...] = field(default=(), compare=False, repr=False)


@immutable
class World:
    """A script for events: the results (0 or NULL where it is too short, or has one of another type), the event that
    does not return, and what the n-th event writes. A write that the event may not do is not done (see
    `optimizer.ir.run.environment`).
    `raises` are the exceptions that events raise, NULL where there is none, of those that can raise; `functions` is
    what elidable calls give and raise, in the order of the recorded trace, those that are the same once.
    `pending` is the exception that is pending at the start.

    `invalid`: behind so many events that can invalidate (0: from the start) the code is invalid, and stays so.
    `gc_types` are the numbers that `guard_gc_type` sees, by the names of structs and arrays (0 where none is given).
    `forced`: behind so many events, the last one has forced the frame. `false_conditions`: behind so many events, the
    condition of `guard_future_condition` does not hold.
    `checked`: the world is that of a run (`Run.world`). What that run has read is asked for no more by another one,
    and functions are what is `known` of them from it.
    """

    results: tuple[Scripted, ...] = ()
    stops_at: int | None = None
    writes: tuple[tuple[Write, ...], ...] = ()
    invalid: frozenset[int] = frozenset()
    gc_types: tuple[tuple[str, int], ...] = ()
    raises: tuple[Scripted, ...] = ()
    functions: tuple[Given, ...] = ()
    pending: Ref = NULL
    forced: frozenset[int] = frozenset()
    false_conditions: frozenset[int] = frozenset()
    checked: bool = field(default=False, compare=False, repr=False)
    known: tuple[Applied, ...] = field(default=(), compare=False, repr=False)


@immutable
class EventSeen:
    """An event, with all visible objects as they were: of their cells only those that its `effects` may see.
    `op` is the number of the operation."""

    name: str
    args: tuple[Datum, ...]
    objects: Mapping[Ref, Object] = field(default_factory=dict, compare=False, repr=False)
    descr: str | None = None
    effects: Effects = field(default=EVERYTHING, compare=False, repr=False)
    op: int = field(default=-1, compare=False, repr=False)


@immutable
class Finished:
    args: tuple[Datum, ...]


@immutable
class Jumped:
    """The run jumped, to `target` if the trace names one."""

    args: tuple[Datum, ...]
    target: str | None = None


@immutable
class GuardFailed:
    """The run left at the guard of that number. `failargs` are None where the trace does not list them."""

    guard: int
    failargs: tuple[Datum | None, ...] | None


@immutable
class Stopped:
    """The event of that number did not return."""

    event: int


TOO_LONG = "more items are copied than a run follows"
"""The reason of a run that has not come to its end, though its trace may be defined."""


@immutable
class Undefined:
    """The operation of that number (in the order of the text, those of exit blocks counted) had no meaning."""

    op: int
    reason: str


Outcome = Finished | Jumped | GuardFailed | Stopped | Undefined


class Ended(Exception):
    """The run ends here, ahead of the end of the trace."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


@immutable
class Run:
    """A run: how it ended, the events that it did, the value of each variable that it computed, and the heap at its
    end.

    `applied` are the calls of functions. `unclear`: what one of them gives could not be told. `iterations` are
    those of a loop that it began: `events` are those of all, and a value is the last one of its variable.

    `world` is what it was run with, without the writes that were not done because the run had read or watched what
    they change: another trace that is to behave the same is run with this one.
    """

    outcome: Outcome
    events: tuple[EventSeen, ...]
    values: dict[str, Datum] = field(compare=False)
    heap: Heap | None = field(default=None, compare=False, repr=False)
    world: World = field(default=World(), compare=False, repr=False)
    applied: tuple[Applied, ...] = field(default=(), compare=False, repr=False)
    unclear: bool = field(default=False, compare=False, repr=False)
    iterations: int = field(default=1, compare=False, repr=False)

    @property
    def pending(self) -> Ref:
        """The exception that is pending at the end."""
        return NULL if self.heap is None else self.heap.pending()

    @property
    def handed_over(self) -> tuple[Datum | None, ...]:
        """The values that the end hands over: none where the run did not get to one, or where they are not listed."""
        match self.outcome:
            case Finished(args) | Jumped(args, _):
                return args
            case GuardFailed(_, failargs):
                return failargs or ()
            case _:
                return ()
