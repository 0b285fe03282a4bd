"""The wrong fact that an optimizer holds for known, and the operations that it has that from.

A wrong range shows in whatever uses it: a comparison becomes a constant, a mask is left out, a guard is. So each value
of a reduced trace is compared with what it is on the counterexample, by tests that hold of equal numbers, behind one
operation more each time. Where such a test becomes another constant, the operation in front of it has taught what is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fuzz.campaign.examine import Find, FindKind, Made, Optimizer, examine, run_of
from fuzz.draw.generator import GeneratedTrace
from fuzz.draw.rows import is_test, rows
from fuzz.edits.walk import results
from fuzz.reduce.nature import COMPARISON, effects_of, family_of
from fuzz.reduce.trials import Subject, by_running
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Kind, Op, Type
from optimizer.ir.run.interpreter import Finished
from optimizer.ir.trace import ConstInt, Operation, Trace, Var
from validator.search.counterexample import State

_FINISH = next(row for row in OPS.values() if row.kind is Kind.END and not row.jumps)


def wrong_fact(find: Find, subject: Subject) -> str | None:
    """The names of the operations that teach the optimizer something wrong of a number in the trace of a find, and of
    those in front that may have changed what one of them loads; None where nothing of the kind shows. Comparisons and
    guards count where there are no others."""
    trace, state = find.generated.trace, find.state
    if subject.optimizer is None:
        return None
    values = _values(trace, state)
    for count in range(1, len(trace.ops)):
        ops = trace.ops[:count]
        known = {var: values[var] for var in (*trace.inputs, *results(ops)) if var in values}
        found = _mistaken(replace(trace, ops=ops), state, known, subject, subject.optimizer)
        if found:
            last = ops[-1].result
            names = _teaching(ops, last if last in found else found[0])
            told = {name for name, is_told in names if is_told} or {name for name, _ in names}
            beside = effects_of(ops)
            return " ".join(sorted(told | beside if told & beside else told))
    return None


def _values(trace: Trace, state: State) -> dict[Var, int]:
    """The numbers that the trace computes on the state."""
    run = run_of(trace, state)
    if run is None:
        return {}
    numbers = ((var, run.values.get(var.name)) for var in (*trace.inputs, *results(trace.ops)) if var.type is Type.INT)
    return {var: number for var, number in numbers if isinstance(number, int)}


def _mistaken(start: Trace, state: State, values: dict[Var, int], subject: Subject, optimizer: Optimizer) -> list[Var]:
    """The values that are taken for other numbers than they are behind the operations of `start`."""
    asked = [(var, row) for var in values for row in _reflexive(start.word)]
    names = [Var(f"asked{number}") for number in range(len(asked))]
    tests = [Operation(row, (var, ConstInt(values[var])), name) for (var, row), name in zip(asked, names, strict=True)]
    trace = replace(start, ops=(*start.ops, *tests, Operation(_FINISH, tuple(names))))
    made = Made(0, GeneratedTrace(trace, state, {}))
    found = examine(made, optimizer, by_running(subject.options))
    if not isinstance(found, Find) or found.kind is not FindKind.REFUTED or not isinstance(found.after, Trace):
        return []
    run = run_of(trace, state)
    if run is None or not isinstance(run.outcome, Finished) or len(found.after.end.args) != len(asked):
        return []
    told = zip(asked, found.after.end.args, strict=True)
    return [var for (var, _), arg in told if isinstance(arg, ConstInt) and not arg.value]


@cache
def _reflexive(word: int) -> tuple[Op, ...]:
    """The tests that hold of equal numbers."""
    d = concrete(word)

    def holds(row: Op) -> bool:
        assert row.meaning is not None
        return row.defined is None and all(row.meaning(d, number, number) == 1 for number in (-2, -1, 0, 1, 2))

    return tuple(dict.fromkeys(row for row in rows(word).tests if holds(row)))


def _teaching(ops: Sequence[Operation], var: Var) -> list[tuple[str, bool]]:
    """The operations by which the last one tells of the value, each with whether it is more than a test or a guard. One
    of overflow tells what the operation does that overflows."""
    last = ops[-1]
    flagging = next((op for op in reversed(ops) if op.op.overflows is not None), None) if last.op.reads_flag else None
    needed, found = set(last.args), [last]
    for op in reversed(ops[:-1]):
        if op is flagging or (op.result in needed and op.result != var):
            needed.update(op.args)
            found.append(op)
    reached = {var}
    for op in reversed(found[1:]):
        if op.result is not None and not reached.isdisjoint(op.args):
            reached.add(op.result)
    told = [last, *(op for op in found[1:] if op is flagging or op.result in reached)]
    return [(_name(op), not is_test(op.op) and op.exit is None) for op in told]


def _name(op: Operation) -> str:
    """Signed and unsigned comparisons teach different things."""
    name = family_of(op)
    if name != COMPARISON or op.op.commutative or op.op.meaning is None:
        return name
    d = concrete(4)
    is_signed = op.op.meaning(d, -1, 0) != op.op.meaning(d, 1, 0)
    return f"{'signed' if is_signed else 'unsigned'} {name}"
