"""Counterexamples and runs in JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from optimizer.ir.run.heap_comparison import visible_heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Outcome, Run, Stopped, Undefined
from optimizer.ir.run.objects import NULL, Datum
from optimizer.ir.text import format_trace
from optimizer.ir.text.heap_printer import format_object, natural_order
from optimizer.ir.trace import Trace
from validator.search.counterexample import Counterexample
from validator.tell.state_text import state_json


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
