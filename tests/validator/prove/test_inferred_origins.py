"""Which guard stands for which, where traces do not say so."""

from __future__ import annotations

import pytest
from pairs import judge, proved, refuted

from validator import Unknown

pytestmark = pytest.mark.usefixtures("rungs")


@pytest.mark.parametrize(
    ("recorded", "optimized"),
    [
        ("i9 = int_lt(i0, i1)\nguard_true(i9) [i0]", "i9 = int_ge(i0, i1)\nguard_false(i9) [i0]"),
        ("i9 = int_eq(i0, 7)\nguard_true(i9) [i1]", "guard_value(i0, 7) [i1]"),
        ("i9 = int_is_zero(i0)\nguard_true(i9) [i1]", "guard_value(i0, 0) [i1]"),
        ("i9 = int_ne(i0, i1)\nguard_false(i9) [i1]", "i9 = int_xor(i0, i1)\nguard_value(i9, 0) [i1]"),
        ("i9 = int_gt(i0, -1)\nguard_true(i9) [i1]", "i9 = int_rshift(i0, 63)\nguard_value(i9, 0) [i1]"),
    ],
)
def test_rewritten_guards_are_recognized(recorded: str, optimized: str) -> None:
    frame = "[i0, i1]\ni2 = int_lt(i1, 100)\nguard_true(i2) []\n{}\ni3 = int_gt(i1, -100)\nguard_true(i3) []\nfinish()"
    evidence = proved(frame.format(recorded), frame.format(optimized)).evidence
    assert evidence.origins == (0, 1, 2)
    assert evidence.inferred


def test_guards_that_are_the_same_but_for_their_position() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, i1)
guard_true(i2) [i0]
escape_n(i0)
i3 = int_lt(i0, i1)
guard_true(i3) [i1]
finish()"""
    after = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nescape_n(i0)\nfinish()"
    assert proved(before, after).evidence.origins == (0,)
    wrong = "[i0, i1]\nescape_n(i0)\ni2 = int_lt(i0, i1)\nguard_true(i2) [i1]\nfinish()"
    refuted(before, wrong)


def test_equal_guards_with_different_failargs() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, i1)
guard_true(i2) [i0]
guard_true(i2) [i1]
finish()"""
    first = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i0]\nfinish()"
    second = "[i0, i1]\ni2 = int_lt(i0, i1)\nguard_true(i2) [i1]\nfinish()"
    assert proved(before, first).evidence.origins == (0,)
    refuted(before, second)


def test_the_counterexample_is_one_of_the_likely_assignment() -> None:
    """Guards that are the same are matched, and the difference is where it is."""
    guards = "".join(f"i1{k} = int_lt(i1, {20 - k})\nguard_true(i1{k}) [i0]\n" for k in range(6))
    before = f"[i0, i1]\n{guards}finish()"
    found = refuted(before, before.replace("guard_true(i14) [i0]", "guard_true(i14) [i1]"), "guard 4: failarg 0")
    assert found.evidence.origins == (0, 1, 2, 3, 4, 5)
    assert len(found.others) == 0


def test_a_simpler_state_still_breaks_the_likely_assignment() -> None:
    """With i0 = 0 the first guards' live values would differ, that of the last guard would not."""
    guards = "".join(f"i1{k} = int_lt(i1, {20 + k})\nguard_true(i1{k}) [{k + 7}]\n" for k in range(5))
    before = f"[i0, i1]\n{guards}i2 = int_lt(i1, 15)\nguard_true(i2) [0]\nfinish()"
    found = refuted(before, before.replace("[0]", "[i0]"), "guard 5: failarg 0")
    assert found.counterexample.state.inputs[0] not in (0, 7, 8, 9, 10, 11)


def test_every_assignment_is_shown_to_be_wrong() -> None:
    before = """[i0, i1]
i2 = int_lt(i0, 0)
guard_false(i2) [i0]
i3 = int_lt(i1, 0)
guard_false(i3) [i1]
finish()"""
    after = """[i0, i1]
i4 = int_or(i0, i1)
i2 = int_lt(i4, 0)
guard_false(i2) [i1]
finish()"""
    refuted(before, after)


def test_equal_origins_of_two_optimized_traces() -> None:
    text = """[i0]
i1 = int_lt(i0, 10)
guard_true(i1, origin=2) [i0]
i2 = int_lt(i0, 5)
guard_true(i2, origin={}) [i0]
finish()"""
    proved(text.format(2), text.format(2))
    proved(text.format(5), text.format(5))


UNLISTED = """[i0, i1]
i2 = int_lt(i0, 5)
guard_true(i2)
i3 = int_lt(i1, 5)
guard_true(i3) [i0]
finish()"""


def test_a_guard_without_a_list_makes_no_wrong_list_right() -> None:
    """The second guard of the optimized trace fits only the first recorded one, where nothing can be compared."""
    assumed = ("failargs of guard 0 of before, which are not listed",)
    right = proved(UNLISTED, UNLISTED.replace("guard_true(i2)", "guard_true(i2) [i0]"))
    assert (right.evidence.origins, right.evidence.assumes) == ((0, 1), assumed)
    wrong = UNLISTED.replace("guard_true(i3) [i0]", "guard_true(i3) [i1]")
    verdict = judge(UNLISTED, wrong)
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith("guard 1: its origin was inferred to be guard 0, which lists no failargs, ")
    said = proved(UNLISTED, wrong.replace("guard_true(i3) [", "guard_true(i3, origin=0) ["))
    assert (said.evidence.early, said.evidence.assumes) == ((1,), assumed)


def test_logs_without_lists_leave_nothing_to_prefer() -> None:
    bare = UNLISTED.replace("[i0]\n", "\n")
    assert proved(bare, bare.replace("int_lt(i1, 5)", "int_lt(i1, 4)"), guards="safe").evidence.stricter == (1,)
