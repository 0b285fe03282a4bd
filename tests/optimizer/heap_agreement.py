"""Runs a trace on heaps and what an optimizer made of it side by side, and says how they differ, if they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimizer.ir.heap import Datum, Heap
from optimizer.ir.heap_comparison import Renaming, compare_events, compare_runs
from optimizer.ir.interpreter import GuardFailed, Program, Run, Stopped, Undefined, World
from optimizer.ir.layout import layout_of
from optimizer.ir.trace import Trace, exit_of


class SideBySide:
    """A pair of traces, made ready for many states."""

    def __init__(self, before: Trace, after: Trace) -> None:
        layout = layout_of(before, after)
        self.layout = layout
        self._before, self._after = Program(before, layout), Program(after, layout)
        self._origins = [exit_of(guard).origin for guard in after.guards]

    def difference(self, inputs: Sequence[Datum], heap: Heap, world: World) -> str | None:
        """What is wrong on the state; "undefined" where nothing is asked for, None where all is well."""
        heap = heap.copy()
        heap.layout = self.layout
        for program in (self._before, self._after):
            program.prepare(heap)
        wanted = self._before.run(inputs, world, heap=heap)
        if isinstance(wanted.outcome, Undefined):
            if not wanted.events:
                return "undefined"
            world = replace(world, stops_at=len(wanted.events) - 1)
            wanted = self._before.run(inputs, world, heap=heap)
        got = self._after.run(inputs, wanted.world, heap=heap)
        if isinstance(got.outcome, Undefined):
            return f"undefined: {got.outcome}"
        if isinstance(got.outcome, GuardFailed):
            return self._at_guard(inputs, heap, wanted, got, got.outcome.guard)
        return _told(compare_runs(wanted, got))

    def _at_guard(self, inputs: Sequence[Datum], heap: Heap, wanted: Run, got: Run, guard: int) -> str | None:
        origin = self._origins[guard]
        assert origin is not None
        expected = self._before.run(inputs, wanted.world, heap=heap, leave_at=origin)
        if not isinstance(expected.outcome, GuardFailed) or expected.outcome.guard != origin:
            return f"leaves at guard {guard} with origin {origin}, the recorded one is at {expected.outcome}"
        on = wanted
        if isinstance(wanted.outcome, Stopped):
            on = self._before.run(inputs, replace(wanted.world, stops_at=None), heap=heap)
        if not isinstance(on.outcome, GuardFailed | Undefined):
            return f"leaves at guard {guard} with origin {origin}, the recorded one goes on to {on.outcome}"
        return _told(compare_runs(expected, got))


def _told(mismatch: object) -> str | None:
    return None if mismatch is None else str(mismatch)


def events_differ(before: Run, after: Run) -> str | None:
    return _told(compare_events(before, after, Renaming()))
