"""Peeling: a loop becomes a preamble, which is its first iteration, and a body, which has what is invariant behind it.

    [p0, i0]                                    [p0, i0]
    i1 = getfield_gc_i(p0, descr=step)          i1 = getfield_gc_i(p0, descr=step)
    i2 = int_add(i0, i1)                        i2 = int_add(i0, i1)
    i3 = int_lt(i2, 1000)                       i3 = int_lt(i2, 1000)
    guard_true(i3) [i2]                         guard_true(i3, origin=0) [i2]
    jump(p0, i2)                        =>      label(i2, i1, descr=Body)
                                                i4 = int_add(i2, i1)
                                                i5 = int_lt(i4, 1000)
                                                guard_true(i5, origin=0) [i4]
                                                jump(i4, i1, descr=Body)

Two iterations behind each other are optimized as one straight trace, and cut in the middle. What the second half needs
of the first one are the arguments of the label; what they are an iteration later, the jump must have. That may need
more of the first half: so it is done again with that, until nothing is added. Stores are done by the middle; what is
not allocated there needs not be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.check import has_front_label
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.loops import goes_back, in_a_row, part_of
from optimizer.ir.rows.ops import OPS
from optimizer.ir.trace import Operation, Trace, Value, Var, exit_of
from optimizer.pipeline import DEFAULT_PASSES, Optimization, run_passes

_ROUNDS = 20


def peel(trace: Trace, passes: Sequence[str] = DEFAULT_PASSES) -> Optimization:
    """The loop, peeled and optimized; only optimized where nothing goes round, or the optimizer cannot say what does.

    Raises Unsupported where the trace does not go back to its start.
    """
    if not goes_back(trace):
        raise Unsupported(f"peeling of what does not go back to its start: {trace.end.op.name}", trace.end.line)
    part = part_of(trace)
    both = in_a_row([part, part]).ops
    first, second = both[: len(part.ops)], both[len(part.ops) :]
    later: dict[Value, Value] = dict(zip(part.inputs, part.handed_on, strict=True))
    later |= {mine.result: its.result for mine, its in zip(first, second, strict=True) if mine.result and its.result}
    target = "Body" if trace.end.descr != "Body" else "Peeled"
    taken: list[Var] = []
    for _ in range(_ROUNDS):
        label = Operation(OPS["label"], (), descr=target)
        end = Operation(OPS["jump"], tuple([later[var] for var in taken]), descr=target)
        front = trace.ops[:1] if has_front_label(trace) else ()
        done = run_passes(trace.of((*front, *first, label, *second, end)), passes, iterations=True)
        place = next((at for at, one in enumerate(done.trace.ops) if one.op.is_entry and one.descr == target), None)
        if done.always_fails is not None or place is None:
            break
        needed = _needed(done.trace.ops[place:])
        if not later.keys() >= set(needed):
            break
        if set(needed) <= set(taken):
            numbered = all(exit_of(guard).origin is None for guard in part.guards)
            return replace(done, trace=_cut(done.trace, place, taken, len(part.guards) if numbered else 0))
        taken += [var for var in needed if var not in taken]
    return run_passes(trace, passes)


def _needed(operations: Sequence[Operation]) -> list[Var]:
    """The variables that these operations use and do not define, in the order of their uses."""
    defined: set[Value] = set()
    needed: dict[Var, None] = {}
    for operation in operations:
        for value in _uses(operation):
            if isinstance(value, Var) and value not in defined:
                needed[value] = None
        defined |= {one.result for one in (operation, *_block(operation)) if one.result is not None}
    return list(needed)


def _block(operation: Operation) -> tuple[Operation, ...]:
    return operation.exit.block if operation.exit is not None else ()


def _uses(operation: Operation) -> Iterator[Value | None]:
    yield from operation.args
    inside = _block(operation)
    defined = {one.result for one in inside}
    failargs = operation.exit.failargs or () if operation.exit is not None else ()
    yield from [value for one in inside for value in one.args if value not in defined]
    yield from [value for value in failargs if value not in defined]


def _cut(straight: Trace, place: int, taken: Sequence[Var], guards: int) -> Trace:
    """The trace with the arguments of its label; guards of the body name those of their own iteration."""
    operations = list(straight.ops)
    operations[place] = operations[place].on(tuple(taken))
    for at in range(place, len(operations)):
        if operations[at].exit is not None:
            exit_ = exit_of(operations[at])
            own = None if exit_.origin is None or exit_.origin < guards else exit_.origin - guards
            operations[at] = operations[at].on(operations[at].args, replace(exit_, origin=own))
    return straight.of(operations)
