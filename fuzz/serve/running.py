"""Runs of one trace or two on inputs from the page."""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.cases.run_state import event_results, run_state
from fuzz.report.pages import render
from fuzz.serve.question import Answer, Asked
from optimizer.ir.faults import InputError
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program, World
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.tell.run_text import end_lines
from validator.tell.side_by_side import annotated


def run(asked: Asked) -> Answer:
    """Both traces, or the recorded one alone, on the inputs and results that were given."""
    traces = asked.traces() if asked.is_pair else (asked.recorded(),)
    layout = layout_of(*traces)
    try:
        values, heap = run_state(traces[0], [asked.inputs] if asked.inputs.strip() else [], [], layout)
        results = event_results(traces[0], asked.results, heap)
    except InputError as mistake:
        raise InputError(mistake.message.removeprefix("--input: "), file="inputs") from None
    runs = [
        (name, [*_run_lines(trace, State(tuple(values), World(results), heap.copy()))])
        for name, trace in zip(("before", "after"), traces, strict=False)
    ]
    return {"html": render("runs.html", runs=runs)}


def _run_lines(trace: Trace, state: State) -> Iterator[str]:
    program = Program(trace)
    done = program.run(state.inputs, state.world, heap=state.heap or Heap(program.layout))
    yield from map(str, annotated(trace, done))
    yield from end_lines(done)
