"""The walk itself, with riders made for the purpose."""

import pytest

from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import ConstInt, Operation
from optimizer.ir.types.trace_layout import layout_of
from optimizer.passes.cse import CommonSubexpressions
from optimizer.passes.fold import Fold
from optimizer.riders import Answer, Becomes, Equal, Pass
from optimizer.walk import Walked, walk


class Doubling(Pass):
    """x + x is x << 1."""

    name = "doubling"

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op.name == "int_add" and operation.args[0] == operation.args[1]:
            return Becomes(OPS["int_lshift"], (operation.args[0], ConstInt(1)), "double")
        return None


class ZeroShift(Pass):
    name = "zero-shift"

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        if operation.op.name == "int_lshift" and operation.args[1] == ConstInt(0):
            return Equal(operation.args[0], "no shift")
        return None


class Listening(Pass):
    """Remembers what was emitted, and what the walk knew of the argument then."""

    name = "listening"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def learn(self, operation: Operation, facts: Facts) -> None:
        self.heard.append(operation.op.name)
        assert operation.result is None or facts.definition(operation.result) is operation


def ridden(text: str, *passes: Pass) -> Walked:
    trace = parse(text)
    return walk(trace, passes, layout_of(trace))


def walked(text: str, *passes: Pass) -> str:
    return format_trace(ridden(text, *passes).trace)


def canonical(text: str) -> str:
    return format_trace(parse(text))


def test_without_passes_a_trace_is_copied_and_origins_are_written_down() -> None:
    text = "[i0]\ni1 = int_neg(i0)\nguard_true(i0) [i1, None]\nguard_false(i0)\njump(i1)\n"
    expected = "[i0]\ni1 = int_neg(i0)\nguard_true(i0, origin=0) [i1, None]\nguard_false(i0, origin=1)\njump(i1)\n"
    assert walked(text) == canonical(expected)


def test_an_origin_that_is_there_is_kept() -> None:
    text = "[i0]\nguard_true(i0, origin=3) [i0]\nguard_false(i0) [i0]\njump(i0)\n"
    assert "guard_true(i0, origin=3)" in walked(text)
    assert "guard_false(i0, origin=1)" in walked(text)


def test_passes_in_one_walk_find_what_each_would_find_after_the_others() -> None:
    before = """
    [i0, i1]
    i2 = int_lshift(i0, 0)
    i3 = int_add(i2, i0)
    i4 = int_lshift(i0, 1)
    i5 = int_sub(1, 1)
    i6 = int_lshift(i4, i5)
    i7 = int_add(i6, i3)
    jump(i7)
    """
    after = """
    [i0, i1]
    i3 = int_lshift(i0, 1)
    i7 = int_lshift(i3, 1)
    jump(i7)
    """
    for passes in (
        [Fold, CommonSubexpressions, Doubling, ZeroShift],
        [ZeroShift, Doubling, CommonSubexpressions, Fold],
    ):
        assert walked(before, *[made() for made in passes]) == canonical(after)


def test_substitution_reaches_failargs_exit_blocks_events_and_ends() -> None:
    before = """
    [i0]
    i1 = int_lshift(i0, 0)
    guard_true(i0) [i1, None, i9, 7] {
        i9 = int_neg(i1)
    }
    escape_n(i1, i1)
    finish(i1)
    """
    after = """
    [i0]
    guard_true(i0, origin=0) [i0, None, i9, 7] {
        i9 = int_neg(i0)
    }
    escape_n(i0, i0)
    finish(i0)
    """
    assert walked(before, ZeroShift()) == canonical(after)


def test_passes_hear_of_what_was_emitted_only() -> None:
    listening = Listening()
    before = "[i0]\ni1 = int_lshift(i0, 0)\ni2 = int_add(i0, i1)\nguard_true(i0) []\njump(i2)\n"
    ridden(before, ZeroShift(), Doubling(), listening)
    assert listening.heard == ["int_lshift", "guard_true", "jump"]


def test_what_fired_and_what_went_is_counted() -> None:
    done = ridden(
        "[i0]\ni1 = int_add(1, 2)\ni2 = int_add(i0, i0)\nguard_true(1) []\njump(i1, i2)\n", Fold(), Doubling()
    )
    assert done.fired == {("fold", "fold"): 2, ("doubling", "double"): 1}
    assert done.operations == {"fold": 1}
    assert done.guards == {"fold": 1}


def test_behind_a_guard_that_always_fails_a_trace_is_only_copied() -> None:
    done = ridden(
        "[i0]\ni1 = int_add(1, 2)\nguard_true(0) [i1]\ni2 = int_add(i1, 2)\nguard_true(0) [i2]\njump(i2)\n", Fold()
    )
    assert done.always_fails == 0
    assert format_trace(done.trace) == canonical(
        "[i0]\nguard_always_fails(origin=0) [3]\ni2 = int_add(3, 2)\nguard_true(0, origin=1) [i2]\njump(i2)\n"
    )


class Careless(Pass):
    name = "careless"

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        return Equal(operation.args[0], "wrong") if operation.op.overflows else None


def test_an_answer_about_an_overflow_operation_must_tell_the_flag() -> None:
    with pytest.raises(AssertionError, match="careless does not say whether int_add_ovf overflows"):
        walked("[i0]\ni1 = int_add_ovf(i0, i0)\nguard_no_overflow() []\njump(i1)\n", Careless())


FLAGS = {
    "nobody knows the flag": ("int_add_ovf(i0, 1)", "guard_no_overflow()", ["i1 = int_add_ovf(i0, 1)"], "i1", None),
    "the guard goes": ("int_add_ovf(3, 1)", "guard_no_overflow()", [], "4", None),
    "the guard fails": ("int_add_ovf(3, 1)", "guard_overflow()", [], "4", "guard_always_fails(origin=0) [4]"),
}


@pytest.mark.parametrize(("operation", "guard", "operations", "result", "failing"), FLAGS.values(), ids=FLAGS)
def test_positions_may_stand_before_the_guard_on_a_flag(
    operation: str, guard: str, operations: list[str], result: str, failing: str | None
) -> None:
    before = f"[i0]\ni1 = {operation}\ndebug_merge_point(0, 'a')\njit_debug('b')\n{guard} [i1]\njump(i1)\n"
    guards = [f"{guard[:-1]}origin=0) [i1]"] if operations else [failing] if failing else []
    lines = ["[i0]", *operations, "debug_merge_point(0, 'a')", "jit_debug('b')", *guards, f"jump({result})"]
    done = ridden(before, Fold())
    assert format_trace(done.trace) == canonical("\n".join(lines) + "\n")
    assert done.always_fails == (0 if failing else None)


class Prying(Pass):
    """Remembers what it was asked about."""

    name = "prying"
    kinds = frozenset({Kind.GUARD})

    def __init__(self) -> None:
        self.asked: list[str] = []

    def rewrite(self, operation: Operation, facts: Facts) -> Answer | None:
        self.asked.append(operation.op.name)
        return None


def test_a_pass_is_asked_about_its_kinds_of_operations_alone() -> None:
    trace = parse("[i0]\ni1 = int_add(i0, 1)\nguard_true(i0) [i1]\nescape_n(i1)\nfinish(i1)")
    prying = Prying()
    walked = walk(trace, [prying, Listening()], layout_of(trace))
    assert prying.asked == ["guard_true"]
    assert walked.asked == 1 + 4
