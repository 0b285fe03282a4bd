"""Loops that go round on their example: the second iteration comes to the jump, too, so that there is a body."""

from __future__ import annotations

from optimizer.ir.faults import Unspecified
from optimizer.ir.immutable import replace
from optimizer.ir.loops import iterated
from optimizer.ir.run.interpreter import run
from optimizer.ir.run.runs import GuardFailed, Undefined
from optimizer.ir.trace import Trace
from validator.search.counterexample import State


def going_round(trace: Trace, state: State) -> Trace:
    """The loop, which hands on inputs as they are, as many from the first on as it takes to go round; the loop as it is
    where that does not help."""
    for number in range(len(trace.inputs) + 1):
        args = (*trace.inputs[:number], *trace.end.args[number:])
        changed = replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=args)))
        if goes_round(changed, state):
            return changed
    return trace


def goes_round(trace: Trace, state: State) -> bool:
    """Does an iteration behind the first one come to its end, where events give the same again?"""
    world = replace(state.world, results=2 * state.world.results, raises=2 * state.world.raises)
    try:
        outcome = run(iterated(trace, 2), state.inputs, world, heap=state.heap).outcome
    except Unspecified:
        return False
    return not isinstance(outcome, GuardFailed | Undefined)
