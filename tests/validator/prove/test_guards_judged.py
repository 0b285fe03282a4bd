"""Where guards fail, and what they hand over."""

from __future__ import annotations

import pytest
from pairs import judge, not_proved, proved, refuted

from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator import Failed, Unknown, Unsupported
from validator.prove.encode import encode, memory_for
from validator.prove.known_places import KnownPlaces
from validator.prove.obligations import Place

pytestmark = pytest.mark.usefixtures("rungs")


# What guards hand over.


def test_swapped_failargs() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    refuted(text.format("i0, i1"), text.format("i1, i0"), "guard 0: failarg 0")


def test_dead_slots() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    refuted(text.format("i0"), text.format("None"), "guard 0: failarg 0")
    proved(text.format("None"), text.format("i0"))
    proved(text.format("None, i1"), text.format("None, i1"))
    refuted(text.format("i0, i1"), text.format("i0"), "guard 0: failargs")


def test_failargs_are_compared_where_the_guard_fails() -> None:
    text = "[i0, i1]\ni2 = int_eq(i0, 5)\nguard_false(i2) [{}]\nfinish()"
    proved(text.format("i0"), text.format("5"))
    refuted(text.format("i0"), text.format("4"), "guard 0: failarg 0")


def test_what_one_failing_guard_says_is_not_known_at_the_next() -> None:
    text = """[i0]
i1 = int_eq(i0, 5)
guard_false(i1) [{}]
i2 = int_eq(i0, 6)
guard_false(i2) [{}]
finish()"""
    proved(text.format("i0", "i0"), text.format(5, 6))
    refuted(text.format("i0", "i0"), text.format(5, 5), "guard 1: failarg 0")


def test_the_facts_of_a_place_are_those_that_are_given() -> None:
    trace = parse("[i0]\nfinish(i0)")
    memory = memory_for(layout_of(trace), trace)
    encoding, terms = encode(trace, memory), memory.fresh_terms
    places, place, x = KnownPlaces(encoding, encoding, terms), Place(0, 0, 0), encoding.end[0]
    for value in (1, 2):
        assert places.at(place, (terms.eq(x, terms.const(value)),)).rebuild(x) is terms.const(value)
    assert places.at(place, ()).rebuild(x) is x


def test_failargs_that_are_not_listed() -> None:
    bare = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2)\nfinish()"
    listed = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nfinish()"
    empty = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) []\nfinish()"
    assert "failargs of guard 0" in proved(bare, bare).evidence.assumes[0]
    assert proved(bare, listed).evidence.assumes
    assert not proved(listed, listed).evidence.assumes
    assert isinstance(judge(listed, bare), Unknown)
    assert isinstance(judge(empty, bare), Unknown)


def test_ignored_failargs() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [{}]\nfinish()"
    verdict = proved(text.format("i0, i1"), text.format("i1"), failargs="ignore")
    assert verdict.evidence.assumes == ("resume data",)
    moved = "[i0]\nescape_n(i0)\ni1 = int_lt(i0, 5)\nguard_true(i1) []\nfinish()"
    refuted("[i0]\ni1 = int_lt(i0, 5)\nguard_true(i1) []\nescape_n(i0)\nfinish()", moved, failargs="ignore")


def test_exit_blocks() -> None:
    before = "[i0]\ni1 = int_add(i0, 1)\ni2 = int_lt(i0, 5)\nguard_true(i2) [i1]\nfinish()"
    after = "[i0]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i1] {{\n    i1 = int_add(i0, {})\n}}\nfinish()"
    proved(before, after.format(1))
    refuted(before, after.format(2), "guard 0: failarg 0")


def test_an_undefined_operation_in_an_exit_block() -> None:
    before = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i0]\nfinish()"
    after = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i0] {\n    i3 = int_lshift(i0, i1)\n}\nfinish()"
    refuted(before, after, "op 2: defined")


def test_an_exit_block_may_use_what_the_recorded_one_guarantees() -> None:
    text = "[i0, i1]\ni2 = int_lt(i0, 5)\nguard_true(i2) [i3] {\n    i3 = int_lshift(i0, i1)\n}\nfinish()"
    proved(text, text)


def test_an_exit_block_behind_an_event_says_nothing_ahead_of_it() -> None:
    before = """[i0, i1]
escape_n(i0)
guard_always_fails() [i2] {
    i2 = int_lshift(i0, i1)
}
finish()"""
    moved = "[i0, i1]\ni2 = int_lshift(i0, i1)\nescape_n(i0)\nguard_always_fails() [i2]\nfinish()"
    refuted(before, moved, "op 0: defined")
    proved(before, "[i0, i1]\nescape_n(i0)\ni2 = int_lshift(i0, i1)\nguard_always_fails() [i2]\nfinish()")


def test_an_exit_block_says_nothing_where_an_earlier_guard_fails() -> None:
    before = """[i0, i1]
i2 = uint_lt(i1, 64)
guard_true(i2) [i0]
guard_always_fails() [i3] {
    i3 = int_lshift(i0, i1)
}
finish()"""
    after = "[i0, i1]\n{}i2 = uint_lt(i1, 64)\nguard_true(i2) [i0]\n{}guard_always_fails() [i3]\nfinish()"
    shift = "i3 = int_lshift(i0, i1)\n"
    refuted(before, after.format(shift, ""), "op 0: defined")
    proved(before, after.format("", shift))


def test_an_early_guard_needs_the_exit_block_of_its_origin() -> None:
    """Where i0 is 5 to 9, guard 0 of `before` holds, and nothing says that its exit block would be defined."""
    before = """[i0, i1]
i2 = int_lt(i0, 10)
guard_true(i2) [i3] {
    i3 = int_lshift(0, i1)
}
i4 = int_lt(i0, 5)
guard_true(i4) []
finish()"""
    after = "[i0, i1]\ni4 = int_lt(i0, 5)\nguard_true(i4, origin=0) [0]\nfinish()"
    refuted(before, after, "guard 0: origin's exit block")
    proved(before, after, failargs="ignore")


# Where guards fail.


def two_guards(first: int, second: int) -> str:
    return f"""[i0]
i1 = int_lt(i0, {first})
guard_true(i1) [i0]
i2 = int_lt(i0, {second})
guard_true(i2) [i0]
finish(i0)"""


def one_guard(bound: int, origin: str = "") -> str:
    return f"[i0]\ni1 = int_lt(i0, {bound})\nguard_true(i1{origin}) [i0]\nfinish(i0)"


def test_merged_guards_are_early() -> None:
    assert proved(two_guards(10, 5), one_guard(5, ", origin=0")).evidence.early == (0,)
    refuted(two_guards(10, 5), one_guard(5, ", origin=0"), "guard 0: condition", guards="same")
    refuted(two_guards(10, 5), one_guard(5, ", origin=1"), "guard 0: left")


def test_guards_merge_over_an_event() -> None:
    """Where i0 is 5 to 9, the recorded trace leaves behind the event, if that returns."""
    before = two_guards(10, 5).replace("i2 = ", "escape_n(i0)\ni2 = ")
    after = one_guard(5, ", origin=0").replace("finish", "escape_n(i0)\nfinish")
    assert proved(before, after).evidence.early == (0,)
    refuted(before, after, "guard 0: condition", guards="same")


def test_a_redundant_guard_goes() -> None:
    evidence = proved(two_guards(5, 10), one_guard(5)).evidence
    assert evidence.origins == (0,)
    assert evidence.inferred
    assert not evidence.early
    proved(two_guards(5, 10), one_guard(5), guards="same")


def test_a_stricter_guard() -> None:
    refuted(one_guard(10), one_guard(5), "guard 0: condition")
    refuted(one_guard(10), one_guard(5), "guard 0: condition", guards="same")
    assert proved(one_guard(10), one_guard(5), guards="safe").evidence.stricter == (0,)


def test_a_weaker_guard() -> None:
    for mode in ("same", "early", "safe"):
        refuted(one_guard(5), one_guard(10), "guard 0: left", guards=mode)


def test_an_added_guard() -> None:
    before, after = "[i0]\nfinish()", "[i0]\ni1 = int_is_true(i0)\nguard_true(i1) []\nfinish()"
    refuted(before, after, "guard 0: condition")
    refuted(before, after, "guard 0: condition", guards="safe")


def test_guards_swapped_with_their_origins_are_not_proved() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, 5)
guard_true(i2) [i0]
i3 = int_lt(i1, 5)
guard_true(i3) [i1]
finish()"""
    after = """[i0, i1]
i3 = int_lt(i1, 5)
guard_true(i3, origin=1) [i1]
i2 = int_lt(i0, 5)
guard_true(i2, origin=0) [i0]
finish()"""
    verdict = not_proved(before, after)
    assert isinstance(verdict, Unsupported)
    assert "reordered" in verdict.reason
    assert "line 5" in verdict.reason
    not_proved(before, after.replace(", origin=1", "").replace(", origin=0", ""))


def test_guards_are_reordered_where_calls_say_so() -> None:
    asks = "i{0} = int_lt(i{1}, 5)\nguard_true(i{0}{2}) [i{1}]\n"
    call = "call_n(1, i0, descr=f)\n"
    before = "[i0, i1]\n" + asks.format(2, 0, "") + call + asks.format(3, 1, "") + "finish()"
    after = "[i0, i1]\n" + asks.format(3, 1, ", origin=1") + asks.format(2, 0, "") + call + "finish()"
    verdict = not_proved(before, after)
    assert isinstance(verdict, Unsupported)
    assert verdict.reason == "line 5: guards reordered"


def test_several_guards_of_one_origin() -> None:
    before = "[i0]\ni1 = uint_lt(i0, 10)\nguard_true(i1) [i0]\nfinish(i0)"
    after = """[i0]
i1 = int_lt(i0, 10)
guard_true(i1, origin=0) [i0]
i2 = int_ge(i0, 0)
guard_true(i2, origin=0) [i0]
finish(i0)"""
    proved(before, after)
    proved(before, after, guards="same")
    proved(before, after.replace(", origin=0", ""))


def test_an_origin_that_is_not_there() -> None:
    verdict = judge(one_guard(5), one_guard(5, ", origin=7"))
    assert isinstance(verdict, Failed)
    assert verdict.fault.value == "input"
    assert "origin 7" in verdict.reason
