"""One walk over a trace, from its header to its end, with any number of passes riding on it.

For each operation the walk puts in what it knows its arguments to be, and asks each pass in turn that may say
anything about operations of that kind whether it would rather have something else there. It asks again about what
came out, until no pass has anything to say; then the operation is emitted, and every pass may learn from it. What a
pass is asked about is therefore always in its final place and form but for its own answer, and several passes in one
walk find what each of them would find after the others.

A pass answers with a value that the result equals, with *one* other operation in this one's place, that nobody
needs it, or, about a guard, that it passes or fails, or that an earlier guard had better check it too. Guards,
events and positions stay in order. An overflow operation and its guard are one place: whoever knows the flag
says so with its answer, and the guard goes.

A pass may also *take* an operation, an allocation or a store: from there on everybody goes by its meaning, but
it is not emitted. Before another one is, each pass may emit what that one must not come before (`prepare`); and
what is still taken when a guard is emitted goes into the guard's exit block, as far as the guard needs it
(`complete`). The last pass is asked first there, so that each sees what those asked after it for a rewrite add.

    [i0, i1]
    i2 = int_add(i0, 0)                     [i0, i1]
    i3 = int_add(i1, i2)            =>      i3 = int_add(i1, i0)
    i4 = int_add(i0, i1)                    jump(i3)
    guard_true(1) [i3]
    jump(i4)

A guard that fails on every run that reaches it stays, as a guard that says so, and what stands behind it is
only copied.

The walk is linear in the length of the trace where its passes do constant work for an operation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from optimizer.facts.facts import Facts
from optimizer.ir.domains.concrete import concrete
from optimizer.ir.immutable import immutable
from optimizer.ir.operands import instead
from optimizer.ir.rows.ops import OPS, Kind, Op
from optimizer.ir.trace import Exit, Operation, Trace, exit_of
from optimizer.ir.types.layout import Layout
from optimizer.riders import (
    Answer,
    Becomes,
    Equal,
    Fails,
    First,
    Merged,
    Names,
    Needless,
    Pass,
    Passes,
    Taken,
    Through,
    Unrolled,
)

_ALWAYS_FAILS = OPS["guard_always_fails"]


@immutable
class Walked:
    """The outcome of a walk. `always_fails` is the origin of the guard that always fails.

    `fired` counts the passes' answers, by pass and by what they were called, `guards` and `operations` what each pass
    has removed. `results_bounded` and `arguments_bounded` count where the rows of operations have sharpened bounds (see
    `optimizer.facts.bounds_inference`). `asked` is the number of times that a pass was asked, the measure of the walk's
    work.
    """

    trace: Trace
    always_fails: int | None
    fired: defaultdict[tuple[str, str], int]
    operations: defaultdict[str, int]
    guards: defaultdict[str, int]
    results_bounded: defaultdict[str, int]
    arguments_bounded: defaultdict[str, int]
    asked: int


def walk(trace: Trace, passes: Sequence[Pass], layout: Layout) -> Walked:
    """Walk once over `trace`, whose layout is `layout`, with all `passes` fused."""
    return _Walk(trace, passes, layout).run()


class _Walk:
    def __init__(self, trace: Trace, passes: Sequence[Pass], layout: Layout) -> None:
        self._trace = trace
        self._passes = passes
        self._roles = _roles_of(tuple([type(one) for one in passes]))
        self._completing = [passes[at] for at in self._roles.completing]
        self._decides = self._roles.decides
        self._facts = Facts(layout, decide_values=self._decides)
        self._names = Names(trace)
        self._facts.fresh = self._names.fresh
        self._concrete = concrete(trace.word)
        self._output: list[Operation] = []
        self._places: dict[int, int] = {}  # of guards in the output, by their identity
        self._entry = 0  # the place of the last label
        self._guards_seen = 0
        self._always_fails: int | None = None
        self._fired: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._operations: defaultdict[str, int] = defaultdict(int)
        self._guards: defaultdict[str, int] = defaultdict(int)
        self._asked = 0

    def run(self) -> Walked:
        for rider in self._passes:
            rider.begin(self._trace)
        operations = iter(self._trace.ops)
        while self._always_fails is None and (operation := next(operations, None)) is not None:
            if operation.op.raw:  # it says nothing, to nobody
                self._output.append(operation)
            elif operation.op.overflows is None:
                self._settle(self._resolve(operation))
            else:
                self._settle_overflow(self._resolve(operation), _up_to_guard(operations))
        for operation in operations:
            self._put(self._resolve(operation))
        bounds = self._facts.bounds
        return Walked(
            self._trace.of(self._output),
            self._always_fails,
            self._fired,
            self._operations,
            self._guards,
            bounds.results_bounded,
            bounds.arguments_bounded,
            self._asked,
        )

    def _settle(self, operation: Operation) -> None:
        """Rewrite until nothing changes, then emit; of an operation without flag."""
        if operation.op is _ALWAYS_FAILS:
            self._stop_at(operation)
            return
        answered = self._ask(operation)
        if answered is None:
            self._emit(operation)
            return
        rider, answer = answered
        match answer:
            case Taken(why):  # most often
                self._fired[rider.name, why] += 1
                self._operations[rider.name] += 1
                self._learn(operation, delayed=True)
            case Becomes() | Equal():
                self._apply(operation, rider, answer)
                if operation.op.is_guard and self._always_fails is None:
                    self._learn(operation)
            case Passes(why):
                self._fired[rider.name, why] += 1
                self._guards[rider.name] += 1
            case Fails():
                self._stop_at(operation)
            case Needless(why):
                self._fired[rider.name, why] += 1
                self._operations[rider.name] += 1
            case First(taken):
                self._put_all(rider, taken)
                self._settle(operation)
            case Through(first, then):
                self._operations[rider.name] -= 1
                self._settle(first)
                self._apply(operation, rider, Becomes(then.op, self._facts.find_all(then.args), then.why))
            case Unrolled(operations, why):
                self._fired[rider.name, why] += 1
                self._operations[rider.name] += 1 - len(operations)
                for one in operations:
                    self._settle(one.on(self._facts.find_all(one.args)))
            case Merged() as merged if self._places[id(merged.earlier)] < self._entry:
                self._emit(operation)  # the other one is not run in each iteration
            case Merged() as merged:
                self._fired[rider.name, merged.why] += 1
                self._guards[rider.name] += 1
                place = self._places[id(merged.earlier)]
                stronger = instead(self._output[place], merged.op, merged.args)
                self._output[place] = stronger
                self._places[id(stronger)] = place
                self._learn(stronger)

    def _settle_overflow(self, operation: Operation, behind: Sequence[Operation]) -> None:
        """The same of an overflow operation with what is behind it: positions, and the guard on its flag."""
        *positions, guard = behind
        match self._ask(operation):
            case None:
                self._prepare(guard)
                self._emit(operation)
                for position in positions:
                    self._settle(self._resolve(position))
                self._emit(self._resolve(guard))
            case rider, Becomes(op, args, why, None):
                self._fired[rider.name, why] += 1
                self._settle_overflow(instead(operation, op, args), behind)
            case rider, Becomes(overflowed=bool(flag)) | Equal(overflowed=bool(flag)) as answer:
                assert guard.op.passes is not None
                assert operation.op.wrapping is not None
                passes = guard.op.passes(self._concrete, flag)
                if passes:
                    self._guards_seen += 1
                    self._guards[rider.name] += 1
                    self._apply(operation, rider, answer)
                else:
                    self._settle(instead(operation, OPS[operation.op.wrapping], operation.args))
                for position in positions:
                    self._settle(self._resolve(position))
                if not passes:
                    self._stop_at(self._resolve(guard))
            case rider, _:
                raise AssertionError(f"{rider.name} does not say whether {operation.op.name} overflows")

    def _ask(self, operation: Operation) -> tuple[Pass, Answer] | None:
        facts, passes = self._facts, self._passes
        places = self._roles.rewriting.get(operation.op)
        if places is None:
            places = self._roles.to_ask(operation.op)
        for place in places:
            answer = passes[place].rewrite(operation, facts)
            if answer is not None:
                self._asked += places.index(place) + 1
                return passes[place], answer
        self._asked += len(places)
        return None

    def _apply(self, operation: Operation, rider: Pass, answer: Becomes | Equal) -> None:
        self._fired[rider.name, answer.why] += 1
        if isinstance(answer, Becomes):
            self._settle(instead(operation, answer.op, answer.args))
        else:
            self._operations[rider.name] += 1
            assert operation.result is not None
            self._facts.equate(operation.result, answer.value)

    def _emit(self, operation: Operation) -> None:
        place = self._put(operation)
        if not self._learn(self._output[place]) and self._decides:
            self._fail_at(place)

    def _put(self, operation: Operation) -> int:
        """Put it out behind what must not come after it. Gives its place in the output."""
        self._prepare(operation)
        if operation.exit is not None:
            exit_ = operation.exit
            for rider in self._completing:
                exit_ = rider.complete(exit_, self._facts, self._names)
            if exit_ is not operation.exit:
                operation = operation.on(operation.args, exit_)
            self._places[id(operation)] = len(self._output)  # the output keeps it alive
        if operation.op.is_entry:
            self._entry = len(self._output)
        self._output.append(operation)
        return len(self._output) - 1

    def _prepare(self, operation: Operation) -> None:
        for place in self._roles.preparing[operation.op.kind]:
            taken = self._passes[place].prepare(operation, self._facts)
            if taken:
                self._put_all(self._passes[place], taken)

    def _put_all(self, rider: Pass, operations: Sequence[Operation]) -> None:
        """Put out what `rider` has taken."""
        for operation in operations:
            self._operations[rider.name] -= 1
            self._put(operation)
            self._learn(operation)

    def _learn(self, operation: Operation, *, delayed: bool = False) -> bool:
        """Learns the facts that hold behind an operation, or behind a guard that passes where the one emitted does."""
        passed = self._facts.learn(operation, delayed=delayed)
        for place in self._roles.learning[operation.op.kind]:
            self._passes[place].learn(operation, self._facts)
        return passed

    def _stop_at(self, guard: Operation) -> None:
        self._fail_at(self._put(instead(guard, _ALWAYS_FAILS, ())))

    def _fail_at(self, place: int) -> None:
        guard = self._output[place]
        self._output[place] = instead(guard, _ALWAYS_FAILS, ())
        self._always_fails = exit_of(guard).origin

    def _resolve(self, operation: Operation) -> Operation:
        """The operation with what is known of its arguments put in, and a guard's origin written down."""
        args = self._facts.find_all(operation.args)
        if operation.exit is None:
            return operation if args is operation.args else operation.on(args)
        number, self._guards_seen = self._guards_seen, self._guards_seen + 1
        return operation.on(args, self._resolve_exit(operation.exit, number))

    def _resolve_exit(self, exit_: Exit, number: int) -> Exit:
        find_all = self._facts.find_all
        block = tuple([op.on(find_all(op.args)) for op in exit_.block]) if exit_.block else ()
        failargs = exit_.failargs and find_all(exit_.failargs)
        return Exit(failargs, number if exit_.origin is None else exit_.origin, block)


class _Roles:
    """The passes, by their places, that have anything to do at a place: all walks with them find it out together.

    Those that are asked about operations of a row, as far as that was needed; that learn from those of a kind; and,
    the last one first, that have something to do before an operation of a kind and at an exit.
    """

    def __init__(self, passes: tuple[type[Pass], ...]) -> None:
        self._passes = passes
        places = range(len(passes))
        learners = [at for at in places if passes[at].learn is not Pass.learn]
        preparing = [at for at in reversed(places) if passes[at].prepare is not Pass.prepare]
        self.decides = any(one.decides for one in passes)
        self.rewriting: dict[Op, list[int]] = {}
        self.learning = {kind: [at for at in learners if kind in passes[at].learned] for kind in Kind}
        self.preparing = {kind: [at for at in preparing if kind in passes[at].prepared] for kind in Kind}
        self.completing = [at for at in reversed(places) if passes[at].complete is not Pass.complete]

    def to_ask(self, row: Op) -> list[int]:
        """The passes that may have something to say about operations of that row."""
        asked = [at for at, one in enumerate(self._passes) if row.kind in one.kinds and one.knows(row)]
        self.rewriting[row] = asked
        return asked


_roles_of = cache(_Roles)


def _up_to_guard(operations: Iterator[Operation]) -> list[Operation]:
    """The operations behind an overflow operation, up to the guard on its flag."""
    behind: list[Operation] = []
    for operation in operations:
        behind.append(operation)
        if operation.op.reads_flag:
            break
    return behind
