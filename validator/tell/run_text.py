"""A run in words, and in JSON: the values of the operations, the events, and how it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import visible_heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Outcome, Run, Stopped, Undefined
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.text import format_trace
from optimizer.ir.text.heap_printer import format_heap, format_object, natural_order
from optimizer.ir.trace import Trace
from validator.search.counterexample import Counterexample
from validator.tell.state_text import scripted, state_json


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


# JSON.


def counterexample_json(counterexample: Counterexample, before: Trace) -> dict[str, Any]:
    """`before` gives the names of the inputs. Of a loop the runs are those of the straight traces that are told, with
    the `proof` that failed."""
    one, other = counterexample.traces
    loop = {
        "proof": counterexample.proof,
        "iterations": counterexample.iterations,
        "unrolled": {"before": format_trace(one), "after": format_trace(other)},
    }
    return {
        **state_json(counterexample, before),
        "obligation": counterexample.obligation,
        "origins": list(counterexample.origins),
        "before": run_json(counterexample.before),
        "after": run_json(counterexample.after),
        **(loop if counterexample.proof else {}),
    }


def run_json(run: Run) -> dict[str, Any]:
    """The outcome of a run, with its values, and the exception that is `pending` then, if one is. References are the
    names of objects, which `heap` describes if there are any."""
    told = {
        **_outcome_json(run.outcome),
        "events": [{"name": event.name, "args": _plain(event.args)} for event in run.events],
        "values": dict(zip(run.values, _plain(run.values.values()), strict=True)),
    }
    if run.pending != NULL:
        told["pending"] = run.pending.name
    heap = {} if run.heap is None else visible_heap(run).objects
    if run.heap is not None and heap:
        texts = {ref.name: format_object(described, run.heap.layout) for ref, described in heap.items()}
        told["heap"] = {name: texts[name] for name in sorted(texts, key=natural_order)}
    return told


def _plain(values: Iterable[Datum | None]) -> list[int | str | None]:
    return [value if value is None or isinstance(value, int) else str(value) for value in values]


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Finished(args):
            return {"ended": "finish", "args": _plain(args)}
        case Jumped(args, _):
            return {"ended": "jump", "args": _plain(args)}
        case GuardFailed(guard, failargs):
            listed = None if failargs is None else _plain(failargs)
            return {"ended": "guard", "guard": guard, "failargs": listed}
        case Stopped(event):
            return {"ended": "event", "event": event}
        case Undefined(op, reason):
            return {"ended": "undefined", "op": op, "reason": reason}
