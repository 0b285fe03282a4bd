"""Dead code: what no guard, event or end needs is not computed.

    [i0, i1]
    i2 = int_mul(i0, i0)
    i3 = int_add(i0, i1)                    [i0, i1]
    guard_true(i1) [i4, None] {             i3 = int_add(i0, i1)
        i4 = int_neg(i3)            =>      guard_true(i1, origin=0) [i4, None] {
        i5 = int_neg(i2)                        i4 = int_neg(i3)
    }                                       }
    i6 = int_neg(i3)                        jump(i0)
    jump(i0)

Unlike the other passes this one walks backward, after them. Guards, events, positions and ends stay, and so
does what they read: arguments, failargs, exit blocks. A guard without a list of failargs has unknown live
values, so that everything that is computed before it stays as well, and all of its exit block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from optimizer.ir.ops import Op
from optimizer.ir.trace import Exit, Operation, Trace, Value, Var

NAME = "dead-code"


def remove_dead_code(trace: Trace) -> Trace:
    """The trace without the operations, in exit blocks too, whose results nobody needs."""
    live: set[Value] = set()
    everything = False
    kept: list[Operation] = []
    for operation in reversed(trace.ops):
        if not (everything or _stays(operation.op) or operation.result in live):
            continue
        if operation.exit is not None:
            exit_ = _shorten(operation.exit)
            operation = replace(operation, exit=exit_)
            live.update(_needs(exit_))
            everything = everything or exit_.failargs is None
        live.update(arg for arg in operation.args if isinstance(arg, Var))
        kept.append(operation)
    return replace(trace, ops=tuple(reversed(kept)))


def _stays(op: Op) -> bool:
    """An overflow operation stays with its guard."""
    return not op.is_pure or op.overflows is not None


def _shorten(exit_: Exit) -> Exit:
    if exit_.failargs is None:
        return exit_
    live = {arg for arg in exit_.failargs if isinstance(arg, Var)}
    kept: list[Operation] = []
    for operation in reversed(exit_.block):
        if not operation.op.is_pure or operation.result in live:
            live.update(_variables(operation.args))
            kept.append(operation)
    return replace(exit_, block=tuple(reversed(kept)))


def _needs(exit_: Exit) -> set[Var]:
    """What a guard's exit reads of the trace (and names of its own block, which nobody else has)."""
    needed = set(_variables(exit_.failargs or ()))
    for operation in exit_.block:
        needed.update(_variables(operation.args))
    return needed


def _variables(values: Iterable[Value | None]) -> Iterable[Var]:
    return (value for value in values if isinstance(value, Var))
