"""Random loops, peeled by the optimizer: what is proved of them, beside runs of many iterations.

The interpreter runs loops by itself; it knows nothing of parts and proofs.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice, product
from random import Random

import pytest

from fuzz.draw.generator import generate_for
from fuzz.draw.vocabulary import Vocabulary
from optimizer.ir.check import IllFormed, check, inner_label
from optimizer.ir.faults import Unspecified, Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.heap_comparison import Renaming, sight_of_end, sight_of_event
from optimizer.ir.run.interpreter import GuardFailed, Jumped, Program, Run, Undefined
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from optimizer.peel import peel
from validator import Evidence, Guards, Options, Proved, Refuted, State, validate
from validator.search.states import sample_states

LOOPS = Vocabulary(loops=True)
ITERATIONS = 30
OPTIONS = Options(timeout_s=4)


def runs(programs: tuple[Program, Program], layout: Layout, state: State) -> tuple[Run, Run] | None:
    """Runs of both loops, None where the recorded one is undefined on the state, or nobody says what it does."""
    heap = None if state.heap is None else state.heap.copy()
    if heap is not None:
        heap.layout = layout
        for program in programs:
            program.prepare(heap)
        if not heap.is_as_declared(valid=0 not in state.world.invalid):
            return None
    try:
        one = programs[0].run(state.inputs, state.world, heap=heap, iterations=ITERATIONS)
        if isinstance(one.outcome, Undefined) or one.unclear:
            return None
        other = programs[1].run(state.inputs, one.world, heap=heap, iterations=ITERATIONS)
    except Unspecified:
        return None
    return None if other.unclear else (one, other)


def differ(one: Run, other: Run, evidence: Evidence) -> str | None:
    """What is wrong with the runs of a pair that was proved, as far as this comparison knows."""
    renaming = Renaming()
    for wanted, got in zip(one.events, other.events, strict=False):
        if (wanted.name, wanted.descr) != (got.name, got.descr):
            return "another event"
        if renaming.difference(sight_of_event(wanted), sight_of_event(got)) is not None:
            return "an event sees something else"
    if isinstance(other.outcome, Undefined):
        return "undefined"
    if isinstance(one.outcome, GuardFailed) and isinstance(other.outcome, Jumped) and one.iterations < ITERATIONS - 1:
        return "goes on"
    if isinstance(other.outcome, GuardFailed) and isinstance(one.outcome, Jumped) and other.iterations < ITERATIONS - 1:
        return "leaves"
    if not (isinstance(one.outcome, GuardFailed) and isinstance(other.outcome, GuardFailed)):
        return None
    origin = evidence.origins[other.outcome.guard]
    if (origin, other.iterations) != (one.outcome.guard, one.iterations):
        return None if other.iterations <= one.iterations else "leaves later"
    if one.outcome.failargs is None or other.outcome.failargs is None:
        return None
    found = renaming.difference(sight_of_end(one), sight_of_end(other))
    return None if found is None else f"hands over something else: {found}"


def contradicted(before: Trace, after: Trace, evidence: Evidence, example: State) -> str | None:
    """What runs on samples say against a proof."""
    layout = layout_of(before, after)
    programs = Program(before, layout), Program(after, layout)
    for state in islice(sample_states(before, after, [example], layout), 12):
        done = runs(programs, layout, state)
        found = None if done is None else differ(*done, evidence)
        if found is not None:
            return f"{found} on {state}"
    return None


@pytest.mark.parametrize("seeds", [range(start, start + 12) for start in range(0, 24, 12)], ids=str)
def test_peeled_loops_are_right(seeds: range) -> None:
    verdicts: Counter[str] = Counter()
    for seed in seeds:
        loop = generate_for(seed, LOOPS)
        try:
            after = peel(loop.trace).trace
        except Unsupported:
            continue
        check(after)
        if inner_label(after) is None:
            continue
        verdict = validate(loop.trace, after, OPTIONS, examples=[loop.state])
        assert not isinstance(verdict, Refuted), f"{seed}: {verdict}"
        verdicts[type(verdict).__name__] += 1
        if isinstance(verdict, Proved):
            assert contradicted(loop.trace, after, verdict.evidence, loop.state) is None, seed
    assert verdicts["Proved"] >= 0.75 * verdicts.total(), verdicts


def faulty(after: Trace, random: Random) -> Trace | None:
    """The trace with a random fault behind its label, or in it."""
    label = inner_label(after)
    assert label is not None
    place = random.randrange(label, len(after.ops))
    operation = after.ops[place]
    ops = list(after.ops)
    match random.randrange(4):
        case 0 if operation.op.kind is not Kind.END and place > label:
            del ops[place]
        case 1 if len(operation.args) > 1:
            args = list(operation.args)
            one, other = random.sample(range(len(args)), 2)
            args[one], args[other] = args[other], args[one]
            ops[place] = operation.on(tuple(args))
        case 2 if operation.args:
            ops[place] = _other_argument(operation, [after.ops[label], *ops[label:place]], random)
        case 3 if operation.exit is not None and operation.exit.failargs:
            failargs = list(operation.exit.failargs)
            failargs[random.randrange(len(failargs))] = ConstInt(random.randrange(3))
            ops[place] = operation.on(operation.args, replace(operation.exit, failargs=tuple(failargs)))
        case _:
            return None
    made = after.of(ops)
    try:
        check(made)
    except IllFormed:
        return None
    return None if made == after else made


def _other_argument(operation: Operation, ahead: list[Operation], random: Random) -> Operation:
    index = random.randrange(len(operation.args))
    arg = operation.args[index]
    values: list[Value] = [one for one in ahead[0].args if isinstance(one, Var)]
    values += [one.result for one in ahead if one.result is not None]
    if isinstance(arg, ConstInt):
        values = [ConstInt(arg.value + 1)]
    fitting = [one for one in values if one.type is arg.type] or [arg]
    args = (*operation.args[:index], random.choice(fitting), *operation.args[index + 1 :])
    return operation.on(args)


@pytest.mark.parametrize("seeds", [range(10, 16)], ids=str)
def test_planted_faults_are_not_proved(seeds: range) -> None:
    """What is proved all the same is right, as far as runs say; most of what is judged is refuted."""
    verdicts: Counter[str] = Counter()
    for seed in seeds:
        loop, random = generate_for(seed, LOOPS), Random(seed)
        try:
            after = peel(loop.trace).trace
        except Unsupported:
            continue
        if inner_label(after) is None:
            continue
        for _ in range(4):
            made = faulty(after, random)
            if made is None:
                continue
            verdict = validate(
                loop.trace, made, replace(OPTIONS, effort=200_000, timeout_s=60.0), examples=[loop.state]
            )
            verdicts[type(verdict).__name__] += 1
            if isinstance(verdict, Proved):
                found = contradicted(loop.trace, made, verdict.evidence, loop.state)
                assert found is None, f"{seed}: {found}\n{made}"
    judged = verdicts.total() - verdicts["Unsupported"]
    assert verdicts["Refuted"] >= 0.4 * judged, verdicts


WORD = 4
PURE = ("int_add", "int_sub", "int_mul", "int_and", "int_or", "int_xor", "int_lt", "int_le", "int_eq", "uint_lt")


def small_loop(random: Random) -> Trace:
    """A loop of two words of four bits."""
    names, tests, lines = ["i0", "i1"], [], []
    for number in range(2, random.randrange(4, 9)):
        op = random.choice(PURE)
        args = [random.choice([*names, str(random.randrange(-3, 4))]) for _ in range(2)]
        lines.append(f"i{number} = {op}({args[0]}, {args[1]})")
        names.append(f"i{number}")
        if op in PURE[6:]:
            tests.append(f"i{number}")
        if random.random() < 0.5:
            handed = ", ".join(random.sample(names, 2))
            true = random.choice(["guard_true", "guard_false"])
            lines.append(
                f"{true}({random.choice(tests)}) [{handed}]"
                if tests and random.random() < 0.7
                else f"guard_value({random.choice(names)}, {random.randrange(3)}) [{handed}]"
            )
    handed = ", ".join(random.choice(names) for _ in range(2))
    return parse("\n".join(["[i0, i1]", *lines, f"jump({handed})"]), word=WORD)


@lru_cache(maxsize=2)  # one recorded loop is judged beside several others
def on_all_inputs(loop: Trace) -> list[Run]:
    program = Program(loop)
    return [program.run(inputs, iterations=64) for inputs in product(range(-8, 8), repeat=2)]


def is_right(before: Trace, after: Trace) -> bool:
    """Do both leave alike on all inputs, at a guard and at its origin in the same iteration, as far as they run?"""
    for wanted, got in zip(on_all_inputs(before), on_all_inputs(after), strict=True):
        if isinstance(wanted.outcome, Undefined):
            continue
        if type(wanted.outcome) is not type(got.outcome):
            return False
        if isinstance(wanted.outcome, GuardFailed) and isinstance(got.outcome, GuardFailed):
            exit_ = after.guards[got.outcome.guard].exit
            left = (exit_ and exit_.origin, got.outcome.failargs, got.iterations)
            if left != (wanted.outcome.guard, wanted.outcome.failargs, wanted.iterations):
                return False
    return True


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 50, 25)], ids=str)
def test_small_loops_on_all_inputs(seeds: range) -> None:
    """With words of four bits all inputs are tried: what is proved is right, and what is refuted is not."""
    options = replace(OPTIONS, guards=Guards.SAME)
    verdicts: Counter[tuple[str, bool]] = Counter()
    for seed in seeds:
        random = Random(seed)
        before = small_loop(random)
        right = peel(before).trace
        if inner_label(right) is None:
            continue
        for after in (right, faulty(right, random), faulty(right, random)):
            if after is None or any(guard.exit and guard.exit.origin is None for guard in after.guards):
                continue
            verdict, truth = validate(before, after, options), is_right(before, after)
            verdicts[type(verdict).__name__, truth] += 1
            assert not (isinstance(verdict, Proved) and not truth), f"{seed}: proved, and wrong\n{before}\n{after}"
            assert not (isinstance(verdict, Refuted) and truth), f"{seed}: {verdict}\n{before}\n{after}"
    assert verdicts["Proved", True] > 6, verdicts
    assert verdicts["Refuted", False] > 1, verdicts
