"""Finds of one wrong fact are in one bucket, whatever shows it; those of another cause are in another."""

from __future__ import annotations

import pytest

from fuzz.campaign.examine import Find, Made, Optimizer, examine
from fuzz.campaign.triage import settle
from fuzz.draw.generator import GeneratedTrace
from fuzz.reduce.trials import Subject
from fuzz.reduce.wrong_fact import wrong_fact
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstInt, Operation, Trace, Value, Var
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Options, Verdict

OPTIONS = Options()
AT_LEAST = {"int_lt": 0, "int_ge": 1}
"""What a comparison of a number that is at least 0 with 0 is; others with constants that are not above 0 follow."""


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def with_facts(learned: str) -> Optimizer:
    """An optimizer that takes the results of these operations to be at least 0, or, with `guard_true`, the argument of
    each comparison with `int_le` that it has passed, with `guard_no_overflow`, what did not overflow."""

    def optimized(trace: Trace) -> Trace:
        values: dict[Value, Value] = {}
        positive: set[Value] = set()
        tested: dict[Value | None, Value] = {}
        ops: list[Operation] = []
        for op in trace.ops:
            op = _with_values(op, values)
            if op.result is not None and (known := _known(op, positive)) is not None:
                values[op.result] = known
                continue
            if op.op.name == learned and op.op.is_guard and (told := op.args[0] if op.args else None) in tested:
                positive.add(tested[told])
            if op.op.overflows is not None and op.result is not None:
                tested[None] = op.result
            if op.op.name == "int_le" and op.result is not None:
                tested[op.result] = op.args[0]
            if op.op.name == learned and op.result is not None:
                positive.add(op.result)
            ops.append(op)
        return replace(trace, ops=tuple(ops))

    return optimized


def _with_values(op: Operation, values: dict[Value, Value]) -> Operation:
    op = replace(op, args=tuple(values.get(arg, arg) for arg in op.args))
    if op.exit is None:
        return op
    failargs = tuple(None if arg is None else values.get(arg, arg) for arg in op.exit.failargs or ())
    return replace(op, exit=replace(op.exit, failargs=failargs))


def _known(op: Operation, positive: set[Value]) -> Value | None:
    """What the operation gives, if its first argument is positive."""
    if not op.args or not isinstance(op.args[0], Var) or op.args[0] not in positive:
        return None
    other = op.args[1] if len(op.args) > 1 else None
    if op.op.name == "int_force_ge_zero":
        return op.args[0]
    if op.op.name in ("int_lt", "int_ge") and other == ConstInt(0):
        return ConstInt(AT_LEAST[op.op.name])
    if op.op.name in ("int_eq", "int_le") and isinstance(other, ConstInt) and other.value < 0:
        return ConstInt(0)
    return None


SHOWN = [
    "i3 = int_lt(i2, 0)\nfinish(i3)",
    "i3 = int_force_ge_zero(i2)\nfinish(i3, i0)",
    "i3 = int_eq(i2, -1)\nguard_false(i3) [i0]\nfinish(i2)",
    "i3 = int_ge(i2, 0)\nguard_true(i3) [i2]\ni4 = int_add(i2, i0)\nfinish(i4)",
    "escape_n(i0)\ni3 = int_force_ge_zero(i2)\nescape_n(i3)\nfinish()",
]


def find_in(text: str, optimizer: Optimizer) -> Find:
    before = parse(text)
    state = State(tuple(0 for _ in before.inputs))
    found = examine(Made(0, GeneratedTrace(before, state, {})), optimizer, judge)
    assert isinstance(found, Find)
    return found


def bucket(text: str, optimizer: Optimizer) -> str:
    return settle(find_in(text, optimizer), Subject(optimizer, judge, OPTIONS), 30.0).bucket


@pytest.mark.parametrize(
    ("learned", "taught", "named"),
    [
        ("int_sub", "i2 = int_sub(i0, i1)", "fact-of-int_sub-"),
        ("guard_no_overflow", "i2 = int_add_ovf(i0, i1)\nguard_no_overflow() []", "fact-of-int_add_ovf-"),
        ("guard_true", "i5 = int_le(i2, 7)\nguard_true(i5) []", "fact-of-guard-signed-comparison-"),
    ],
)
def test_one_wrong_fact_gives_one_bucket_whatever_shows_it(learned: str, taught: str, named: str) -> None:
    inputs = "i0, i1" if "i2 =" in taught else "i0, i1, i2"
    names = {bucket(f"[{inputs}]\n{taught}\n{end}\n", with_facts(learned)) for end in SHOWN}
    assert [name.startswith(named) for name in names] == [True], names


def test_a_wrong_rule_on_right_facts_is_told_by_its_change() -> None:
    def masks(trace: Trace) -> Trace:
        """Takes `x & 2` for x."""
        found = {op.result: op.args[0] for op in trace.ops if op.op is OPS["int_and"] and op.args[1:] == (ConstInt(2),)}
        values: dict[Value, Value] = {result: arg for result, arg in found.items() if result is not None}
        return replace(trace, ops=tuple(_with_values(op, values) for op in trace.ops if op.result not in found))

    ends = ["finish(i1)", "i2 = int_lt(i1, 9)\nguard_true(i2) [i1]\nfinish()"]
    (name,) = {bucket(f"[i0]\ni1 = int_and(i0, 2)\n{end}\n", masks) for end in ends}
    assert name.startswith("int_and-to-nothing-")


def test_a_guard_tells_by_what_its_condition_computes() -> None:
    """What is wrong is known of an operand of what the guard's condition compares."""

    def backwards(trace: Trace) -> Trace:
        """Takes x to be at least 0 behind a passed `x + 5 <= C`."""
        ops = list(trace.ops)
        sums = {op.result: op.args[0] for op in ops if op.op is OPS["int_add"]}
        tests = {op.result: sums[op.args[0]] for op in ops if op.op is OPS["int_le"] and op.args[0] in sums}
        behind = [place for place, op in enumerate(ops) if op.op is OPS["guard_true"] and op.args[0] in tests]
        if not behind:
            return trace
        positive: set[Value] = {tests[ops[behind[0]].args[0]]}  # type: ignore[index]  # that is a variable
        values: dict[Value, Value] = {}
        kept = ops[: behind[0] + 1]
        for op in ops[behind[0] + 1 :]:
            op = _with_values(op, values)
            known = _known(op, positive)
            if known is None or op.result is None:
                kept.append(op)
            else:
                values[op.result] = known
        return replace(trace, ops=tuple(kept))

    text = "[i0]\ni1 = int_add(i0, 5)\ni2 = int_le(i1, 7)\nguard_true(i2) []\ni3 = int_lt(i0, 0)\nfinish(i3)\n"
    assert bucket(text, backwards).startswith("fact-of-int_add-")


def test_without_an_optimizer_there_is_nobody_to_ask() -> None:
    optimizer = with_facts("int_sub")
    found = find_in("[i0, i1]\ni2 = int_sub(i0, i1)\ni3 = int_lt(i2, 0)\nfinish(i3)\n", optimizer)
    assert wrong_fact(found, Subject(None, judge, OPTIONS)) is None
    assert wrong_fact(found, Subject(optimizer, judge, OPTIONS)) == "int_sub"


def test_an_optimizer_that_fails_when_asked_tells_nothing() -> None:
    def fails(trace: Trace) -> Trace:
        if any(isinstance(var, Var) and var.name.startswith("asked") for op in trace.ops for var in op.args):
            raise ValueError
        return with_facts("int_sub")(trace)  # type: ignore[return-value]  # it gives a trace

    found = find_in("[i0, i1]\ni2 = int_sub(i0, i1)\ni3 = int_lt(i2, 0)\nfinish(i3)\n", fails)
    assert wrong_fact(found, Subject(fails, judge, OPTIONS)) is None
