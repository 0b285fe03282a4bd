"""Changes to what a trace consists of: its tail, its operations, what it hands over, its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fuzz.reduce.alignment import operands
from fuzz.reduce.candidate import Candidate, simpler_rows
from fuzz.reduce.drop import without
from fuzz.reduce.lines import plain_value, with_values
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Op, Type
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.trace import Operation, Trace, Value, Var, all_operations, constant_of

Change = Callable[[Candidate], Candidate | None]
"""A candidate that may be simpler; None where the change does not apply. It holds for what has become of the candidate
that it was listed for."""

Changes = Callable[[Candidate], Iterator[Change]]
"""Changes that are worth trying on a candidate, and on what becomes of it, in order."""


def on_each(candidate: Candidate, change: Callable[[Operation], Operation]) -> Candidate:
    """The candidate with each operation changed; those of exit blocks stay."""
    return with_traces(candidate, [replace(trace, ops=tuple(map(change, trace.ops))) for trace in candidate.traces])


def halves(count: int) -> Iterator[tuple[int, int]]:
    """Ranges of `count` things, the whole first, then halves and so on, last ones first."""
    size = count
    while size:
        for first in range((count - 1) // size * size, -1, -size):
            yield first, min(first + size, count)
        size //= 2


# The tail.


def cut_tail(candidate: Candidate) -> Iterator[Change]:
    size = len(candidate.before.ops) - 1
    while size:
        yield partial(_cut, size=size)
        yield partial(_cut, size=size)
        size //= 2


def _cut(candidate: Candidate, size: int) -> Candidate | None:
    """Without the last operations; the end hands over what they used."""
    ops = candidate.before.ops
    if len(ops) - 1 < size:
        return None
    tail, kept = ops[-1 - size : -1], {op.line for op in ops[: -1 - size]}
    gone = {op.line for op in tail}.union(*(_behind(trace, kept) for trace in candidate.traces))
    ends = [trace.end.args for trace in candidate.traces]
    visible = [_visible(trace, gone) for trace in candidate.traces]
    args = [
        each
        for each in zip(*ends, strict=False)
        if all(not isinstance(arg, Var) or arg in seen for arg, seen in zip(each, visible, strict=True))
    ]
    used = [each for op in tail for each in zip(*_uses(candidate, op), strict=False)]
    args += [
        each
        for each in used
        if all(isinstance(arg, Var) and arg in seen for arg, seen in zip(each, visible, strict=True))
    ]
    args = list(dict.fromkeys(args))
    traces = [
        replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=tuple(each[number] for each in args))))
        for number, trace in enumerate(candidate.traces)
    ]
    return without(with_traces(candidate, traces), gone)


def _uses(candidate: Candidate, op: Operation) -> list[tuple[Value | None, ...]]:
    """What the operation uses, in each of the traces that have it."""
    if candidate.change is None:
        return [operands(op)]
    return [operands(one) for one in next((pair for pair in candidate.change.shared if pair[0].line == op.line), ())]


def with_traces(candidate: Candidate, traces: Sequence[Trace]) -> Candidate:
    return replace(candidate, before=traces[0], after=None if candidate.after is None else traces[1])


def _behind(trace: Trace, kept: set[int]) -> set[int]:
    """The operations behind the last one that stays."""
    last = max((number for number, op in enumerate(trace.ops) if op.line in kept), default=-1)
    return {op.line for op in trace.ops[last + 1 : -1]}


def _visible(trace: Trace, gone: set[int]) -> set[Value]:
    return {*trace.inputs, *(op.result for op in trace.ops if op.result is not None and op.line not in gone)}


# Operations.


def drop_operations(candidate: Candidate) -> Iterator[Change]:
    lines = [op.line for op in all_operations(candidate.before) if op.line in candidate.shared_lines]
    for first, last in halves(len(lines)):
        yield partial(without, lines=frozenset(lines[first:last]))


_ROWS = 8
"""So many simpler rows are tried for an operation."""


def simplify_rows(candidate: Candidate) -> Iterator[Change]:
    for op in candidate.before.ops:
        for row in () if op.line not in candidate.shared_lines else simpler_rows(op.op)[:_ROWS]:
            yield partial(_with_row, line=op.line, old=op.op, new=row)


def _with_row(candidate: Candidate, line: int, old: Op, new: Op) -> Candidate:
    def changed(op: Operation) -> Operation:
        if op.line != line or op.op is not old:
            return op
        has_descr = new.memory is not None and new.memory.descr is not None
        result = None if new.result is Type.VOID else op.result
        return replace(op, op=new, result=result, descr=op.descr if has_descr else None)

    return on_each(candidate, changed)


# What is handed over.


def drop_handed_over(candidate: Candidate) -> Iterator[Change]:
    yield partial(on_each, change=_hands_over_nothing)
    yield partial(on_each, change=_without_block)
    for op in reversed(candidate.before.ops):
        if op.exit is not None:
            yield partial(_on_line, line=op.line, change=_hands_over_nothing)
            yield partial(_on_line, line=op.line, change=_without_block)
            for first, last in halves(len(op.exit.failargs or ())):
                yield partial(_on_line, line=op.line, change=partial(_without_failargs, first=first, last=last))
        elif op.op.args is None and not op.op.raw:
            for first, last in halves(len(op.args)):
                yield partial(_on_line, line=op.line, change=partial(_without_args, first=first, last=last))


def _on_line(candidate: Candidate, line: int, change: Callable[[Operation], Operation]) -> Candidate:
    return on_each(candidate, lambda op: change(op) if op.line == line else op)


def _hands_over_nothing(op: Operation) -> Operation:
    return op if op.exit is None else replace(op, exit=replace(op.exit, failargs=(), block=()))


def _without_block(op: Operation) -> Operation:
    return op if op.exit is None else replace(op, exit=replace(op.exit, block=()))


def _without_failargs(op: Operation, first: int, last: int) -> Operation:
    assert op.exit is not None
    failargs = op.exit.failargs or ()
    return replace(op, exit=replace(op.exit, failargs=(*failargs[:first], *failargs[last:])))


def _without_args(op: Operation, first: int, last: int) -> Operation:
    return replace(op, args=(*op.args[:first], *op.args[last:]))


# Inputs.


def drop_inputs(candidate: Candidate) -> Iterator[Change]:
    yield _without_unused
    inputs = candidate.before.inputs
    for var in reversed(inputs):
        value = candidate.value(var)
        for other in inputs:
            if other.type is var.type and other != var and candidate.value(other) == value:
                yield partial(_without_input, var=var, value=other)
        if not candidate.takes_constants:
            pass
        elif not isinstance(value, Ref):
            yield partial(_without_input, var=var, value=constant_of(value))
        elif value == NULL:
            yield partial(_without_input, var=var, value=plain_value(var.type))
        for other in inputs[: inputs.index(var)]:
            if other.type is var.type:
                yield partial(_without_input, var=var, value=other)


def _without_unused(candidate: Candidate) -> Candidate | None:
    used = {arg for trace in candidate.traces for op in all_operations(trace) for arg in operands(op)}
    gone = [var for var in candidate.before.inputs if var not in used]
    return _without_inputs(candidate, gone) if gone else None


def _without_inputs(candidate: Candidate, gone: list[Var]) -> Candidate:
    places = [k for k, var in enumerate(candidate.before.inputs) if var not in gone]
    traces = [replace(trace, inputs=tuple(trace.inputs[k] for k in places)) for trace in candidate.traces]
    state = replace(candidate.state, inputs=tuple(candidate.state.inputs[k] for k in places))
    return replace(with_traces(candidate, traces), state=state)


def _without_input(candidate: Candidate, var: Var, value: Value) -> Candidate | None:
    inputs = candidate.before.inputs
    if var not in inputs or (isinstance(value, Var) and value not in inputs):
        return None
    replaced = on_each(candidate, lambda op: with_values(op, {var: value}))
    return _without_inputs(replaced, [var])
