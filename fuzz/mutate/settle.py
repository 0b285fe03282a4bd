"""A changed trace gets an example again on which every operation is defined and every guard passes.

The interpreter runs it on the example as it is. Where the run cannot go on another operation, or other arguments, are
put, with which it can; where there are none the operation goes. So it is done for exit blocks, as if their guards
failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from fuzz.draw.generator import GeneratedTrace
from fuzz.mutate.scene import Scene
from fuzz.mutate.sketch import Sketch, substituted, with_exit_operation
from fuzz.mutate.told_heap import told
from optimizer.ir.check import IllFormed, check
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Run, Undefined
from optimizer.ir.trace import Operation, Trace, Value, Var, exit_of
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State

_MOST_REPAIRS = 25


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A run of a sketch. `line` is where it could not go on, `inner` the place in its exit block; None at the end."""

    sketch: Sketch
    trace: Trace
    layout: Layout
    state: State
    run: Run
    line: int | None = None
    inner: int | None = None


def settle(sketch: Sketch, random: Random) -> GeneratedTrace | None:
    """The trace with an example that fits it, repaired where it must be; None where that is not found."""
    for _ in range(_MOST_REPAIRS):
        try:
            attempt = _attempt(sketch)
        except (IllFormed, InputError, Unsupported):
            return None
        if attempt.line is None:
            return _finished(attempt)
        sketch = _repaired(attempt, attempt.line, random)
    return None


def _finished(attempt: _Attempt) -> GeneratedTrace:
    writes = attempt.run.world.writes
    world = replace(attempt.state.world, writes=writes if any(writes) else ())
    return GeneratedTrace(attempt.trace, replace(attempt.state, world=world), attempt.run.values)


# Running.


def _attempt(sketch: Sketch) -> _Attempt:
    """Raises IllFormed, InputError and Unsupported for what is no trace, or none that can be run."""
    trace = sketch.trace
    check(trace)
    layout = layout_of(trace)
    state = sketch.state
    if state.heap is not None:
        state = told(state, trace, layout)
    program = Program(trace, layout)
    run = program.run(state.inputs, state.world, heap=state.heap)
    line, inner = _stopped_at(trace, run)
    if line is None:
        blocks = [number for number, guard in enumerate(trace.guards) if exit_of(guard).block]
        for number in blocks:
            left = program.run(state.inputs, state.world, heap=state.heap, leave_at=number)
            if isinstance(left.outcome, Undefined):
                return _Attempt(sketch, trace, layout, state, left, *_stopped_at(trace, left))
    return _Attempt(sketch, trace, layout, state, run, line, inner)


def _stopped_at(trace: Trace, run: Run) -> tuple[int | None, int | None]:
    match run.outcome:
        case Finished() | Jumped():
            return None, None
        case GuardFailed(guard):
            return [index for index, operation in enumerate(trace.ops) if operation.op.is_guard][guard], None
        case Undefined(number):
            places = [
                (index, inner)
                for index, operation in enumerate(trace.ops)
                for inner in (None, *range(0 if operation.exit is None else len(operation.exit.block)))
            ]
            return places[number]
    raise AssertionError("every event of a sketch returns")


# Repairing.


def _repaired(attempt: _Attempt, index: int, random: Random) -> Sketch:
    sketch, inner = attempt.sketch, attempt.inner
    outer = sketch.lines[index].operation
    scene = Scene(attempt.layout, attempt.run, sketch.visible(index), _flag(attempt, index))
    if inner is not None:
        block = exit_of(outer).block
        scene.visible.extend(one.result for one in block[:inner] if one.result is not None)
        other = next(filter(scene.goes_on, scene.others(block[inner], random)), None)
        result = block[inner].result
        changed = with_exit_operation(outer, inner, other)
        if other is None and result is not None:
            changed = substituted(changed, {result: scene.stand_in(result, random)})
        return sketch.with_operation(index, changed)
    if sketch.invalid and not outer.args and random.random() < 0.5:
        return replace(sketch, invalid=frozenset())
    for other in scene.others(outer, random):
        if scene.goes_on(other):
            return sketch.with_operation(index, other)
    return dropped(sketch, index, scene, random)


def _flag(attempt: _Attempt, index: int) -> bool:
    """The flag that the guard on that line reads."""
    if not attempt.trace.ops[index].op.reads_flag:
        return False
    operation = next(one for one in reversed(attempt.trace.ops[:index]) if one.op.overflows is not None)
    assert operation.op.overflows is not None
    scene = Scene(attempt.layout, attempt.run, [])
    return bool(operation.op.overflows(concrete(attempt.trace.word), *map(scene.datum, operation.args)))


def dropped(sketch: Sketch, index: int, scene: Scene, random: Random) -> Sketch:
    """The sketch without that line; something else stands for what it defines.

    An overflow operation goes with its guard, and the guard leaves an operation behind that has no flag.
    """
    lines = list(sketch.lines)
    operation = lines[index].operation
    if operation.op.reads_flag:
        of = next(place for place in reversed(range(index)) if lines[place].operation.op.overflows is not None)
        lines[of] = replace(lines[of], operation=without_flag(lines[of].operation))
    elif operation.op.overflows is not None:
        guard = next(place for place in range(index, len(lines)) if lines[place].operation.op.reads_flag)
        del lines[guard]
    del lines[index]
    names: Mapping[Var, Value] = {}
    if operation.result is not None:
        names = {operation.result: scene.stand_in(operation.result, random)}
    behind = [replace(line, operation=substituted(line.operation, names)) for line in lines[index:]]
    return sketch.with_lines((*lines[:index], *behind))


def without_flag(operation: Operation) -> Operation:
    """The operation that computes the same and does not tell of overflow."""
    assert operation.op.wrapping is not None
    return replace(operation, op=OPS[operation.op.wrapping])
