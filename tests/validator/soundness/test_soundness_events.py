"""Verdicts against brute force, on traces full of what makes assumptions dangerous: events that may not return, partial
operations ahead of and behind them, exit blocks, guards without lists, and guards that say the same thing again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from pairs import with_origins
from test_soundness import WORD, agree, all_states, results

from fuzz.selftest.random_edits import edit
from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Stopped, Undefined, World
from optimizer.ir.text import format_trace
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Value, Var, exit_of
from optimizer.ir.types.trace_layout import layout_of
from validator import Failargs, Guards, Options, State
from validator.search.replay import Replay

PARTIAL = [OPS[name] for name in ("int_lshift", "int_rshift", "int_floordiv", "int_py_mod")]
TESTS = [OPS[name] for name in ("uint_lt", "int_ne", "int_lt", "int_is_true")]
BOOLEAN_GUARDS = [OPS["guard_true"], OPS["guard_false"]]


class Writer:
    """Writes one random trace."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.inputs = tuple(Var(f"i{n}") for n in range(random.choice([1, 2, 2])))
        self.values: list[Value] = list(self.inputs)
        self.bools: list[Value] = []
        self.ops: list[Operation] = []
        self.names = 10

    def fresh(self) -> Var:
        self.names += 1
        return Var(f"i{self.names}")

    def value(self) -> Value:
        if self.random.random() < 0.15:
            return ConstInt(self.random.choice([0, 1, 2, 4]))
        return self.random.choice(self.values)

    def pure(self) -> Operation:
        if self.random.random() < 0.6:
            return Operation(self.random.choice(PARTIAL), (self.value(), self.value()), self.fresh())
        return Operation(OPS["int_add"], (self.value(), self.value()), self.fresh())

    def exit(self) -> Exit:
        chance = self.random.random()
        if chance < 0.15:
            return Exit()
        if chance < 0.4:
            block = self.pure()
            return Exit((block.result, self.value()), None, (block,))
        return Exit(tuple(self.random.choice([self.value(), None]) for _ in range(2)))

    def step(self) -> None:
        kind = self.random.randrange(8)
        if kind == 7:
            self.redundant_guards()
            return
        if kind <= 1:
            op = self.pure()
        elif kind == 2:
            row = self.random.choice(TESTS)
            values: tuple[Value, ...] = (self.random.choice(self.values), ConstInt(self.random.choice([0, 1, 4])))
            op = Operation(row, values[: len(row.args or ())], self.fresh())
            self.bools.append(op.result or ConstInt(0))
        elif kind == 3:
            op = Operation(OPS["escape_n"], (self.value(),))
        elif kind == 4 and self.unknowns() < 2:
            op = Operation(OPS["escape_i"], (self.value(),), self.fresh())
        elif self.bools:
            op = Operation(self.random.choice(BOOLEAN_GUARDS), (self.random.choice(self.bools),), None, self.exit())
        else:
            return
        self.ops.append(op)
        if op.result is not None:
            self.values.append(op.result)

    def redundant_guards(self) -> None:
        """A shift, and guards on what its definedness says already."""
        amount = self.random.choice(self.values)
        shift = Operation(OPS["int_lshift"], (self.value(), amount), self.fresh())
        test = Operation(OPS["uint_lt"], (amount, ConstInt(WORD)), self.fresh())
        self.ops += [shift, test]
        for op in (shift, test):
            self.values.append(op.result or ConstInt(0))
        self.bools.append(self.values[-1])
        for _ in range(self.random.choice([0, 1, 2])):
            self.ops.append(Operation(OPS["guard_true"], (self.values[-1],), None, self.exit()))

    def unknowns(self) -> int:
        return len(self.inputs) + sum(op.op.kind is Kind.EVENT and op.result is not None for op in self.ops)

    def trace(self) -> Trace:
        for _ in range(self.random.choice([4, 6, 9])):
            self.step()
        self.ops.append(Operation(OPS["finish"], (self.value(), self.value())))
        return Trace(self.inputs, tuple(self.ops), WORD)


def rearrange(trace: Trace, random: Random) -> Trace:
    """The trace with an operation elsewhere, another origin or another exit; itself where that is not well-formed."""
    ops = list(trace.ops)
    i = random.randrange(len(ops))
    guards = [n for n, op in enumerate(ops) if op.op.is_guard]
    events = [n for n, op in enumerate(ops) if op.op.kind is Kind.EVENT]
    kind = random.randrange(8)
    if kind <= 1:
        ops.insert(random.randrange(len(ops)), ops.pop(i))
    elif kind == 2:
        del ops[i]
    elif kind <= 4 and events:
        ops.insert(random.randrange(len(ops)), ops.pop(random.choice(events)))
    elif guards:
        g = random.choice(guards)
        exit_ = exit_of(ops[g])
        if kind <= 5:
            other = exit_of(ops[random.choice(guards)])
            ops[g] = replace(ops[g], exit=replace(other, origin=exit_.origin))
        else:
            origins = [exit_of(ops[n]).origin for n in guards]
            ops[g] = replace(ops[g], exit=replace(exit_, origin=random.choice(origins)))
    result = replace(trace, ops=tuple(ops))
    try:
        check(result)
    except IllFormed:
        return trace
    return result


def pair(random: Random) -> tuple[Trace, Trace]:
    """A trace and what a careless optimizer made of it, with few enough unknowns for brute force."""
    while True:
        before = Writer(random).trace()
        after = with_origins(before) if random.random() < 0.6 else before
        for _ in range(random.choice([1, 2, 3, 4])):
            after = random.choice([rearrange, rearrange, edit])(after, random)
        if after.ops != before.ops and len(before.inputs) + results(before) + results(after) <= 3:
            return before, after


@pytest.mark.parametrize("mode", list(Guards), ids=lambda mode: mode.value)
@pytest.mark.usefixtures("rungs")
def test_verdicts_agree_with_brute_force(mode: Guards) -> None:
    random = Random(f"{mode}")
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 30:
        before, after = pair(random)
        failargs = random.choice([Failargs.CHECK, Failargs.CHECK, Failargs.IGNORE])
        verdict = agree(before, after, Options(mode, failargs))
        seen[type(verdict).__name__] += 1
    assert seen["Proved"] > 4, seen
    assert seen["Refuted"] > 4, seen


def is_difference(before: Trace, after: Trace, state: State, origin: int | None, options: Options) -> bool:
    """Section 5 of the trace language, in other words than `validator.search.replay`, for a state on which `before` is
    defined."""
    recorded, optimized = (Program(trace).run(state.inputs, state.world) for trace in (before, after))
    match optimized.outcome:
        case Undefined():
            return True
        case Stopped() | Finished() | Jumped():
            return recorded != optimized
        case GuardFailed(_, got):
            pass
    if origin is None or (isinstance(recorded.outcome, GuardFailed) and recorded.outcome.guard < origin):
        return True
    there = Program(before).run(state.inputs, state.world, leave_at=origin)
    if isinstance(there.outcome, Stopped | Finished | Jumped) or there.events != optimized.events:
        return True
    if options.guards is Guards.SAME and there != recorded:
        return True
    if options.guards is Guards.EARLY:
        free = Program(before).run(state.inputs, World(state.world.results))
        if isinstance(free.outcome, Finished | Jumped):
            return True
    if options.failargs is Failargs.IGNORE or got is None or exit_of(before.guards[origin]).failargs is None:
        return False
    wanted = there.outcome.failargs if isinstance(there.outcome, GuardFailed) else None
    if wanted is None or len(wanted) != len(got):
        return True
    return any(x is not None and x != y for x, y in zip(wanted, got, strict=True))


@pytest.mark.parametrize("mode", list(Guards), ids=lambda mode: mode.value)
def test_replay_agrees_with_the_definition(mode: Guards) -> None:
    random = Random(f"replay {mode}")
    seen: Counter[bool] = Counter()
    for _ in range(40):
        before, after = pair(random)
        options = Options(mode, random.choice(list(Failargs)))
        try:
            Program(after)
        except Unsupported:  # an event became a call of a function that is not a constant
            continue
        replay = Replay(before, after, options, layout_of(before, after))
        for state in random.choices(list(all_states(before, after)), k=20):
            runs = replay.run(state)
            alone = Program(before).run(state.inputs, state.world)
            undefined = isinstance(alone.outcome, Undefined)
            if runs is None:
                assert undefined
                assert not alone.events
                continue
            stops_at = len(alone.events) - 1 if undefined else state.world.stops_at
            assert runs.state == State(state.inputs, World(state.world.results, stops_at))
            left = replay.left_at(runs)
            for origin in [None] if left is None else range(len(before.guards)):
                found = replay.difference(runs, origin)
                wanted = is_difference(before, after, runs.state, origin, options)
                assert (found is not None) == wanted, f"{format_trace(before)}\n{format_trace(after)}\n{runs} {origin}"
                seen[wanted] += 1
    assert seen[True] > 40, seen
    assert seen[False] > 40, seen
