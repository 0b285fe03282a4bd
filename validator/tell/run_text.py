"""A run in words: the values of the operations, the events, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import visible_heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Outcome, Run, Stopped, Undefined
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.text.heap_printer import format_heap, format_object
from optimizer.ir.trace import Trace
from validator.tell.state_text import scripted


def value_lines(trace: Trace, done: Run, heap: Heap) -> Iterator[str]:
    """The inputs at the start, the results of the operations, and the events."""
    inputs = {var.name for var in trace.inputs}
    for name, value in done.values.items():
        described = heap.objects.get(value) if name in inputs and isinstance(value, Ref) else None
        is_here = isinstance(value, Ref) and value.name == name
        yield f"{name} = {format_object(described, heap.layout) if described is not None and is_here else value}"
    for number, event in enumerate(done.events):
        yield f"event {number}: {event.name}{listed(event.args)}{_raised(done, number)}"


def _raised(done: Run, number: int) -> str:
    raises = done.world.raises[number : number + 1] if done.events[number].effects.can_raise else ()
    return "".join(f" raises {scripted(one, done)}" for one in raises if one != NULL)


def end_lines(done: Run, iteration: str = "") -> Iterator[str]:
    """The end of the run, in the `iteration` that is named, with what it leaves pending and on the heap."""
    yield _ending(done.outcome) + iteration
    if done.pending != NULL:
        yield f"the exception {done.pending} is pending"
    yield from format_heap(visible_heap(done)).splitlines()


def _ending(outcome: Outcome) -> str:
    match outcome:
        case Finished(args):
            return f"finish{listed(args)}"
        case Jumped(args, _):
            return f"jump{listed(args)}"
        case GuardFailed(guard, None):
            return f"guard {guard} fails"
        case GuardFailed(guard, failargs):
            return f"guard {guard} fails and hands over {listed(failargs or ())}"
        case Stopped(event):
            return f"event {event} does not return"
        case Undefined(op, reason):
            return f"operation {op} is undefined: {reason}"


def listed(values: Sequence[Datum | None], missing: str = "None") -> str:
    """The values in parentheses, with that word for a dead slot."""
    return f"({', '.join(missing if value is None else str(value) for value in values)})"
