"""Changes to what a trace consists of: its tail, its operations, what it hands over, its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fuzz.edits.edit import Bare, Cut, Edit, PutRow, Substitute
from fuzz.edits.rows import simpler_rows
from fuzz.edits.walk import Handed, operands, results, used_by
from fuzz.reduce.candidate import Candidate
from fuzz.reduce.change import without_unused
from fuzz.reduce.drop import without
from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.loops import goes_back
from optimizer.ir.operands import constant_of
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.trace import ConstRef, Operation, Trace, Value, Var, all_operations

Change = Edit | Callable[[Candidate], Candidate | None]
"""A change that may make a candidate simpler: an edit of all its traces, or a function that gives None where it does
not apply. It holds for what has become of the candidate that it was listed for."""

Changes = Callable[[Candidate], Iterator[Change]]
"""Changes that are worth trying on a candidate, and on what becomes of it, in order."""


def made(change: Change, candidate: Candidate) -> Candidate | None:
    """The candidate with the change; None where it changes nothing."""
    return candidate.edited(change) if isinstance(change, Edit) else change(candidate)


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
    """The candidate without the last operations; the end hands over what they used."""
    ops = candidate.before.ops
    if len(ops) - 1 < size:
        return None
    tail, kept = ops[-1 - size : -1], {op.line for op in ops[: -1 - size]}
    gone = {op.line for op in tail}.union(*(_behind(trace, kept) for trace in candidate.traces))
    there = [{*t.inputs, *results(op for op in t.ops if op.line not in gone)} for t in candidate.traces]

    def stay(each: Handed, constants: bool) -> bool:
        return all(arg in seen if isinstance(arg, Var) else constants for arg, seen in zip(each, there, strict=True))

    args = [each for each in zip(*(trace.end.args for trace in candidate.traces), strict=False) if stay(each, True)]
    args += [each for op in tail for each in zip(*_uses(candidate, op), strict=False) if stay(each, False)]
    args = list(dict.fromkeys(args))
    traces = [
        trace.of((*trace.ops[:-1], replace(trace.end, args=tuple(each[number] for each in args))))
        for number, trace in enumerate(candidate.traces)
    ]
    return without(candidate.with_traces(traces), gone)


def _uses(candidate: Candidate, op: Operation) -> list[Handed]:
    """The operands of the operation, in each of the traces that have it."""
    if candidate.change is None:
        return [operands(op)]
    return [operands(one) for one in next((pair for pair in candidate.change.shared if pair[0].line == op.line), ())]


def _behind(trace: Trace, kept: set[int]) -> set[int]:
    """The operations behind the last one that stays."""
    last = max((number for number, op in enumerate(trace.ops) if op.line in kept), default=-1)
    return {op.line for op in trace.ops[last + 1 : -1]}


# Operations.


def drop_operations(candidate: Candidate) -> Iterator[Change]:
    lines = [op.line for op in all_operations(candidate.before) if op.line in candidate.shared_lines]
    for first, last in halves(len(lines)):
        yield partial(without, lines=frozenset(lines[first:last]))


_ROWS = 8
"""The number of simpler rows that are tried for an operation."""


def simplify_rows(candidate: Candidate) -> Iterator[Change]:
    for op in candidate.before.ops:
        if op.line in candidate.shared_lines:
            yield from (PutRow(op.line, op.op, row) for row in simpler_rows(op.op)[:_ROWS])


# What is handed over.


def drop_handed_over(candidate: Candidate) -> Iterator[Change]:
    yield Bare(None, True)
    yield Bare(None, False)
    for op in reversed(candidate.before.ops):
        if op.exit is not None:
            yield Bare(op.line, True)
            yield Bare(op.line, False)
        if op.exit is not None or (op.op.args is None and not op.op.raw):
            count = len(op.args if op.exit is None else op.exit.failargs or ())
            yield from (Cut(op.line, first, last) for first, last in halves(count))


# Inputs.


def drop_inputs(candidate: Candidate) -> Iterator[Change]:
    yield _without_unused
    yield _without_unneeded
    inputs = candidate.before.inputs
    for var in reversed(inputs):
        value = candidate.value(var)
        alike = [other for other in inputs if other.type is var.type and other != var]
        stand_ins: list[Value] = [other for other in alike if candidate.value(other) == value]
        if candidate.takes_constants and not isinstance(value, Ref):
            stand_ins.append(constant_of(value))
        elif candidate.takes_constants and value == NULL:
            stand_ins.append(ConstRef(NULL.name))
        stand_ins += [other for other in alike if inputs.index(other) < inputs.index(var)]
        yield from (partial(_without_input, var=var, value=other) for other in stand_ins)


def _without_unused(candidate: Candidate) -> Candidate | None:
    used = {arg for trace in candidate.traces for op in trace.ops for arg in used_by(op)}
    gone = [var for var in candidate.before.inputs if var not in used]
    return _without_inputs(candidate, gone) if gone else None


def _without_unneeded(candidate: Candidate) -> Candidate | None:
    """The candidate without what loops hand on and no iteration needs."""
    before, *others = candidate.traces
    if not goes_back(before) or any(inner_label(after) is None for after in others):
        return None
    peeled = [_without_unneeded_labels(after) for after in others]
    used = _needed(before.inputs, before.ops).union(*(used_by(op) for after in peeled for op in after.ops))
    gone = [var for var in before.inputs if var not in used]
    kept = [arg for var, arg in zip(before.inputs, before.end.args, strict=True) if var in used]
    if not gone and peeled == others:
        return None
    recorded = before.of((*before.ops[:-1], replace(before.end, args=tuple(kept))))
    return _without_inputs(candidate.with_traces([recorded, *peeled]), gone)


def _without_unneeded_labels(after: Trace) -> Trace:
    """The peeled loop without arguments of its label that no iteration needs, and what is computed for them."""
    at = inner_label(after)
    assert at is not None
    label, end = after.ops[at], after.end
    used = _needed(label.args, after.ops[at + 1 :])
    kept = [pair for pair in zip(label.args, end.args, strict=False) if pair[0] in used]
    taken, handed = (tuple(pair[side] for pair in kept) for side in (0, 1))
    ops = (*after.ops[:at], replace(label, args=taken), *after.ops[at + 1 : -1], replace(end, args=handed))
    return after.of(without_unused(ops, {op.line for op in ops}))


def _needed(taken: Sequence[Value], ops: Sequence[Operation]) -> set[Value]:
    """The values that operations of a loop which takes these need, in this iteration or a later one."""
    used: set[Value] = {var for op in ops[:-1] for var in used_by(op)}
    while more := {arg for var, arg in zip(taken, ops[-1].args, strict=False) if var in used} - used:
        used |= more
    return used


def _without_inputs(candidate: Candidate, gone: list[Var]) -> Candidate:
    places = [k for k, var in enumerate(candidate.before.inputs) if var not in gone]
    traces = [replace(trace, inputs=tuple(trace.inputs[k] for k in places)) for trace in candidate.traces]
    state = replace(candidate.state, inputs=tuple(candidate.state.inputs[k] for k in places))
    return replace(candidate.with_traces(traces), state=state)


def _without_input(candidate: Candidate, var: Var, value: Value) -> Candidate | None:
    inputs = candidate.before.inputs
    if var not in inputs or (isinstance(value, Var) and value not in inputs):
        return None
    replaced = candidate.with_traces([Substitute({var: value}).on(trace) for trace in candidate.traces])
    return _without_inputs(replaced, [var])
