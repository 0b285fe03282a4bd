"""Loops that never go round twice, whatever they find in memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from optimizer.ir.loops import in_a_row, part_of
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import FACT
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Trace, Value
from optimizer.ir.types.declared import Declarations
from validator.verdict import Options, Proved, Verdict


def never_goes_round(
    first: Trace, loop: Trace, judge: Callable[[Trace, Trace, Options], Verdict], options: Options
) -> bool:
    """Does the recorded loop, behind `first`, which is its first iteration or a bridge to it, never come to its end, as
    `judge` proves? Nothing is taken for granted but what operations and functions of their arguments mean: any constant
    object may be any other one, and calls may do anything."""
    names = map(str, count())
    parts = [
        part_of(_with_nothing_granted(one, lambda: ConstRef(f"ConstPtr(any{next(names)})"))) for one in (first, loop)
    ]
    ops = in_a_row(parts).ops
    functions = tuple(call for call in first.declarations.calls if call.elidable)
    declared = Declarations(calls=functions, cleared=False)
    ends = (Operation(OPS["finish"], (ConstInt(number),)) for number in (0, 1))
    one, other = (Trace(first.inputs, (*ops, end), first.word, declared) for end in ends)
    return isinstance(judge(one, other, options), Proved)


def _with_nothing_granted(trace: Trace, another: Callable[[], ConstRef]) -> Trace:
    """The trace without facts, and with `another` constant at each use of one."""

    def of(value: Value) -> Value:
        return another() if isinstance(value, ConstRef) and value.name is not None else value

    kept = [one for one in trace.ops if one.op.kind is not FACT]
    return trace.of([one.on(tuple(map(of, one.args))) for one in kept])
