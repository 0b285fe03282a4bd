"""A changed trace gets an example again on which every operation is defined and every guard passes.

The interpreter runs it on the example as it is. Where the run cannot go on another operation, or other arguments, are
put, with which it can; where there are none the operation goes. So it is done for exit blocks, as if their guards
failed.
"""

from __future__ import annotations

from random import Random

from fuzz.draw.generator import GeneratedTrace
from fuzz.edits.edit import Become, Remove, Substitute, flag_pairs
from fuzz.edits.reach import reached
from fuzz.edits.walk import each, visible
from fuzz.mutate.scene import Scene
from fuzz.mutate.sketch import Sketch
from optimizer.ir.check import IllFormed, check
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Run, Undefined
from optimizer.ir.trace import Operation, Trace, all_operations, exit_of
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State

_MOST_REPAIRS = 25


@immutable
class _Attempt:
    """A run of a sketch. `at` is the operation where it could not go on; None at the end."""

    sketch: Sketch
    layout: Layout
    state: State
    run: Run
    at: Operation | None = None


def settle(sketch: Sketch, random: Random) -> GeneratedTrace | None:
    """The trace with an example that fits it, repaired where it must be; None where that is not found."""
    for _ in range(_MOST_REPAIRS):
        try:
            attempt = _attempt(sketch)
        except (IllFormed, InputError, Unsupported):
            return None
        if attempt.at is None:
            return _finished(attempt)
        sketch = _repaired(attempt, attempt.at, random)
    return None


def _finished(attempt: _Attempt) -> GeneratedTrace:
    writes = attempt.run.world.writes
    world = replace(attempt.state.world, writes=writes if any(writes) else ())
    trace = each(attempt.sketch.trace, lambda op: replace(op, line=0))  # that of no text
    return GeneratedTrace(trace, replace(attempt.state, world=world), attempt.run.values)


# Running.


def _attempt(sketch: Sketch) -> _Attempt:
    """Raises IllFormed, InputError and Unsupported for what is no trace, or none that can be run."""
    trace = sketch.trace
    check(trace)
    layout = layout_of(trace)
    state = reached(sketch.state, [trace], layout)
    program = Program(trace, layout)
    run = program.run(state.inputs, state.world, heap=state.heap)
    at = _stopped_at(trace, run)
    if at is None:
        for number in [number for number, guard in enumerate(trace.guards) if exit_of(guard).block]:
            left = program.run(state.inputs, state.world, heap=state.heap, leave_at=number)
            if isinstance(left.outcome, Undefined):
                return _Attempt(sketch, layout, state, left, _stopped_at(trace, left))
    return _Attempt(sketch, layout, state, run, at)


def _stopped_at(trace: Trace, run: Run) -> Operation | None:
    match run.outcome:
        case Finished() | Jumped():
            return None
        case GuardFailed(guard):
            return trace.guards[guard]
        case Undefined(number):
            return all_operations(trace)[number]
    raise AssertionError("every event of a sketch returns")


# Repairing.


def _repaired(attempt: _Attempt, op: Operation, random: Random) -> Sketch:
    sketch = attempt.sketch
    scene = Scene(attempt.layout, attempt.run, visible(sketch.trace, op.line), _flag(attempt, op))
    is_inner = op not in sketch.trace.ops
    if not is_inner and sketch.world.invalid and not op.args and random.random() < 0.5:
        return replace(sketch, world=replace(sketch.world, invalid=frozenset()))
    other = next(filter(scene.goes_on, scene.others(op, random)), None)
    return dropped(sketch, op, scene, random) if other is None else sketch.on(Become(op.line, other))


def _flag(attempt: _Attempt, guard: Operation) -> bool:
    """The flag that the guard reads."""
    telling = next((one for one, reading in flag_pairs(attempt.sketch.trace) if reading.line == guard.line), None)
    if telling is None or telling.op.overflows is None:
        return False
    scene = Scene(attempt.layout, attempt.run, [])
    return bool(telling.op.overflows(concrete(attempt.layout.word), *map(scene.datum, telling.args)))


def dropped(sketch: Sketch, op: Operation, scene: Scene, random: Random) -> Sketch:
    """The sketch without that operation; something else stands for what it defines."""
    sketch = sketch.on(Remove(frozenset([op.line])))
    return sketch if op.result is None else sketch.on(Substitute({op.result: scene.stand_in(op.result, random)}))
