"""Chances: operations that an optimizer has left, each with a cheaper trace that is proved to do the same.

What runs of the trace have in common is a guess: a value that is always the same constant, or always that of an earlier
one, or of one operation on earlier ones; a guard that never fails. That a store is not needed is one in any case. The
validator is asked about each guess; only what it proves is a chance. A guess that it does not prove says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from random import Random

from fuzz.edits.edit import Remove
from fuzz.edits.walk import is_well_formed, numbered, results, with_values, without_origins
from fuzz.mutate.nearby import Nearby
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.rows.row import INT, REF
from optimizer.ir.run.interpreter import GuardFailed, Program
from optimizer.ir.run.objects import NULL, Datum
from optimizer.ir.trace import ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.trace_layout import layout_of
from optimizer.passes.dead_code import remove_dead_code
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.search.examples import find_example
from validator.search.states import sample_states
from validator.verdict import Options, Proved

OPTIONS = Options(effort=100_000, timeout_s=2.0)
_GOES = (Kind.PURE, Kind.LOAD)
"""The kinds of operations that are not needed where their result is known."""
_NEARBY = 40
_EARLIER = 3
"""So many earlier values that agree with a value on all runs are asked about."""
_COMPUTED = 4
"""So many operations on earlier values that agree with it are asked about."""
_COMMON = (0, 1, -1)


@dataclass(frozen=True, slots=True)
class Instead:
    """The place of an operation, by its line, and what may stand there: a value, a cheaper operation, or nothing, where
    it is a guard or a store."""

    line: int
    put: Value | Operation | None

    def on(self, trace: Trace) -> Trace:
        """The trace with that, and without what nobody needs then."""
        op = next((op for op in trace.ops if op.line == self.line), None)
        if op is None:
            return trace
        match self.put:
            case None:
                changed = Remove(frozenset({self.line})).on(trace)
            case Operation() as computed:
                changed = trace.of(replace(computed, line=op.line) if one is op else one for one in trace.ops)
            case value:
                assert op.result is not None
                names = {op.result: value}
                changed = trace.of(with_values(one, names) for one in trace.ops if one is not op)
        return live(changed)


@dataclass(frozen=True, slots=True)
class Chance:
    """A trace as an optimizer leaves it, and what may stand instead."""

    trace: Trace
    instead: Instead

    @property
    def better(self) -> Trace:
        return self.instead.on(self.trace)

    @property
    def operation(self) -> Operation:
        return next(op for op in self.trace.ops if op.line == self.instead.line)


def cost(trace: Trace) -> int:
    """The number of operations, without positions, which cost nothing; those of exit blocks count."""
    return sum(op.op.kind not in (Kind.POSITION, Kind.FACT) for op in all_operations(trace))


def live(trace: Trace) -> Trace:
    """The trace without what nobody needs."""
    return remove_dead_code(trace, layout_of(trace))


def is_proved(before: Trace, after: Trace) -> bool:
    """Does the second do the same, and can the first be run to its end?"""
    if not is_well_formed(before, after):
        return False
    try:
        verdict = validate(before, after, OPTIONS)
    except Unsupported:
        return False
    return isinstance(verdict, Proved) and not verdict.evidence.vacuous


def first_chance(
    left: Trace, example: State | None = None, is_late: Callable[[], bool] = lambda: False
) -> Chance | None:
    """The first chance that is found in a trace as an optimizer leaves it, its dead code apart, until it `is_late`;
    `example` is a state on which it is known to run. Raises Unsupported for what is not modelled."""
    trace = numbered(without_origins(live(left)))
    runs = _Runs(trace, example)
    for place, op in enumerate(trace.ops):
        for put in runs.guesses(place, op):
            if is_late():
                return None
            instead = Instead(op.line, put)
            better = instead.on(trace)
            if cost(better) < cost(trace) and is_proved(trace, better):
                return Chance(trace, instead)
    return None


class _Runs:
    """Runs of a trace, by the values that its variables have in them, None where a run does not get there, and the
    guards that fail in one of them."""

    def __init__(self, trace: Trace, example: State | None) -> None:
        self._trace = trace
        program = Program(trace)
        found = example or find_example(trace, program.layout)
        given = [found] if found is not None else []
        near = Nearby([trace], Random(0))
        drawn = (near.state(given) for _ in range(_NEARBY if given else 0))
        states = chain(sample_states(trace, trace, given, program.layout), drawn)
        self._failing: set[int] = set()
        runs = []
        for state in states:
            run = program.run(state.inputs, state.world, heap=state.heap)
            runs.append(run.values)
            if isinstance(run.outcome, GuardFailed):
                self._failing.add(run.outcome.guard)
        self._values: dict[Var, tuple[Datum | None, ...]] = {
            var: tuple(values.get(var.name) for values in runs) for var in chain(trace.inputs, results(trace.ops))
        }
        self._guards = {guard.line: number for number, guard in enumerate(trace.guards)}

    def guesses(self, place: int, op: Operation) -> Iterator[Value | Operation | None]:
        """The values and operations that may stand instead, as far as the runs tell; None where it may go."""
        never_fails = op.op.is_guard and op.result is None and self._guards[op.line] not in self._failing
        if never_fails or op.op.kind in (Kind.STORE, Kind.RAW_STORE):
            yield None
            return
        if op.result is None or op.op.kind not in _GOES or op.result.type not in (INT, REF):
            return
        values = self._values[op.result]
        there = [value for value in values if value is not None]
        if not there:
            return
        if len({*there}) == 1 and (constant := _constant(there[0])) is not None:
            yield constant
        earlier = [*self._trace.inputs, *results(self._trace.ops[:place])]
        alike = (var for var in earlier if var.type is op.result.type and _agree(values, self._values[var]))
        yield from islice(alike, _EARLIER)
        if op.op.kind is Kind.PURE and op.result.type is INT:
            yield from islice(self._computed(op, values, place), _COMPUTED)

    def _computed(self, op: Operation, values: Sequence[Datum | None], place: int) -> Iterator[Operation]:
        """Operations on what its arguments are computed from that agree with it."""
        made: Mapping[Value, Operation] = {one.result: one for one in self._trace.ops[:place] if one.result is not None}
        below = [one for arg in op.args if (one := made.get(arg)) is not None and one.op.kind is Kind.PURE]
        used = (arg for one in (op, *below) for arg in one.args)
        leaves = dict.fromkeys(arg for arg in used if isinstance(arg, Var | ConstInt) and arg.type is INT)
        operands = [*leaves, *(ConstInt(number) for number in _COMMON if ConstInt(number) not in leaves)]
        for row in _ROWS:
            assert row.args is not None
            for args in product(operands, repeat=len(row.args)):
                found = replace(op, op=row, args=args)
                if found != op and self._computes(row, args, values):
                    yield found

    def _computes(self, row: Op, args: tuple[Var | ConstInt, ...], values: Sequence[Datum | None]) -> bool:
        d = concrete(self._trace.word)
        assert row.meaning is not None
        for run, value in enumerate(values):
            if value is None:
                continue
            given = [arg.value if isinstance(arg, ConstInt) else self._values[arg][run] for arg in args]
            if row.defined is not None and not row.defined(d, *given):
                return False
            if row.meaning(d, *given) != value:
                return False
        return True


_ROWS = [
    row
    for row in OPS.values()
    if row.is_pure and row.overflows is None and row.args and {*row.args} == {INT} and row.min_word <= 4
]
"""The operations of which one may do what several do."""


def _agree(values: Sequence[Datum | None], others: Sequence[Datum | None]) -> bool:
    return all(value is None or value == other for value, other in zip(values, others, strict=True))


def _constant(value: Datum) -> Value | None:
    if isinstance(value, int):
        return ConstInt(value)
    return ConstRef("NULL") if value == NULL else None
