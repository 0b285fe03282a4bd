import pytest
from cases import assert_becomes, assert_stays

CASES = {
    "by a fact on a comparison": (
        """
        [i0]
        i1 = int_gt(i0, 0)
        record_exact_value_i(i1, 1)
        i2 = int_gt(i0, -3)
        guard_true(i2) []
        jump(i0)
        """,
        """
        [i0]
        i1 = int_gt(i0, 0)
        record_exact_value_i(i1, 1)
        jump(i0)
        """,
    ),
    "by the bounds of values": (
        """
        [i0]
        i1 = int_and(i0, 15)
        i2 = int_add_ovf(i1, 1)
        guard_no_overflow() [i0]
        i3 = int_lt(i2, 17)
        guard_true(i3) [i0]
        jump(i2)
        """,
        """
        [i0]
        i1 = int_and(i0, 15)
        i2 = int_add(i1, 1)
        jump(i2)
        """,
    ),
    "an overflow that is sure": (
        """
        +++
        word = 8
        +++
        [i0]
        i1 = int_or(i0, 64)
        i2 = int_lt(i1, 0)
        guard_false(i2) []
        i3 = int_add_ovf(i1, 64)
        guard_overflow() [i1]
        jump(i3)
        """,
        """
        +++
        word = 8
        +++
        [i0]
        i1 = int_or(i0, 64)
        i2 = int_lt(i1, 0)
        guard_false(i2, origin=0) []
        i3 = int_add(i1, 64)
        jump(i3)
        """,
    ),
    "the article's overflow check tells of the argument": (
        """
        [i0]
        i1 = int_add_ovf(i0, 10)
        guard_no_overflow() []
        i2 = int_lt(i1, 15)
        guard_true(i2) []
        i3 = int_lt(i0, 6)
        guard_true(i3) [i0]
        jump(i0)
        """,
        """
        [i0]
        i1 = int_add_ovf(i0, 10)
        guard_no_overflow(origin=0) []
        i2 = int_lt(i1, 15)
        guard_true(i2, origin=1) []
        jump(i0)
        """,
    ),
    "guard_value makes a constant, but not of its own failargs": (
        """
        [i0, i1]
        i2 = int_neg(i0)
        guard_value(i0, 5) [i0, i2]
        guard_value(i0, 5) [i1]
        guard_true(i1) [i0, i2, i3] {
            i3 = int_add(i0, i1)
        }
        i4 = int_sub(i1, i0)
        jump(i0, i4)
        """,
        """
        [i0, i1]
        i2 = int_neg(i0)
        guard_value(i0, 5, origin=0) [i0, i2]
        guard_true(i1, origin=2) [5, -5, i3] {
            i3 = int_add(5, i1)
        }
        jump(5, -4)
        """,
    ),
    "equal variables become the one defined first": (
        """
        [i0, i1]
        i2 = int_neg(i0)
        i3 = int_neg(i1)
        guard_value(i3, i2) [i2, i3]
        i4 = int_sub(i3, i0)
        i5 = int_eq(i0, i1)
        guard_true(i5) [i2, i3]
        jump(i0, i1, i3, i4)
        """,
        """
        [i0, i1]
        i2 = int_neg(i0)
        i3 = int_neg(i1)
        guard_value(i3, i2, origin=0) [i2, i3]
        i4 = int_sub(i2, i0)
        i5 = int_eq(i0, i1)
        guard_true(i5, origin=1) [i2, i2]
        jump(i0, i0, i2, i4)
        """,
    ),
    "two bounds that meet are one value": (
        """
        [i0]
        i1 = int_le(i0, 7)
        guard_true(i1) [i0]
        i2 = int_ge(i0, 7)
        guard_true(i2) [i0]
        i3 = int_add(i0, 1)
        jump(i0, i3)
        """,
        """
        [i0]
        i1 = int_le(i0, 7)
        guard_true(i1, origin=0) [i0]
        i2 = int_ge(i0, 7)
        guard_true(i2, origin=1) [i0]
        jump(7, 8)
        """,
    ),
    "a test that was made before more was known": (
        """
        [i0]
        i1 = int_lt(i0, 10)
        i2 = int_lt(i0, 5)
        guard_true(i2) [i0]
        guard_true(i1) [i0]
        jump(i0, i1)
        """,
        """
        [i0]
        i1 = int_lt(i0, 10)
        i2 = int_lt(i0, 5)
        guard_true(i2, origin=0) [i0]
        jump(i0, 1)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_guards(before: str, after: str) -> None:
    assert_becomes(before, after, "guards")


def test_wrapping_sums_tell_nothing_of_their_arguments() -> None:
    assert_stays(
        """
        [i0]
        i1 = int_add(i0, 10)
        i2 = int_lt(i1, 15)
        guard_true(i2, origin=0) []
        i3 = int_lt(i0, 6)
        guard_true(i3, origin=1) [i0]
        jump(i0)
        """,
        "guards",
    )


def test_an_equality_says_nothing_before_its_guard() -> None:
    assert_stays(
        """
        [i0, i1]
        i2 = int_eq(i0, i1)
        escape_n(i0, i1)
        guard_true(i2, origin=0) [i0, i1]
        jump(i0)
        """,
        "guards",
    )


FAILING = {
    "by its bounds": (
        """
        [i0]
        i1 = int_and(i0, 15)
        i2 = int_gt(i1, 15)
        guard_value(i0, 3) [i1]
        guard_true(i2) [i0, i2]
        i3 = int_and(i1, 15)
        guard_true(i3) [i1]
        jump(i1)
        """,
        """
        [i0]
        i1 = int_and(i0, 15)
        guard_value(i0, 3, origin=0) [i1]
        guard_always_fails(origin=1) [3, 0]
        i3 = int_and(3, 15)
        guard_true(i3, origin=2) [3]
        jump(3)
        """,
        1,
    ),
    "guard_value out of range": (
        """
        [i0]
        i1 = int_and(i0, 15)
        guard_value(i1, 16) [i1]
        jump(i1)
        """,
        """
        [i0]
        i1 = int_and(i0, 15)
        guard_always_fails(origin=0) [i1]
        jump(i1)
        """,
        0,
    ),
    "an overflow check, whose operation stays in front": (
        """
        [i0, i1]
        i2 = int_and(i0, 15)
        i3 = int_add_ovf(i2, 1)
        guard_overflow() [i3]
        jump(i1)
        """,
        """
        [i0, i1]
        i2 = int_and(i0, 15)
        i3 = int_add(i2, 1)
        guard_always_fails(origin=0) [i3]
        jump(i1)
        """,
        0,
    ),
    "only the definition of what it tests tells": (
        """
        [i0]
        i1 = int_lt(i0, 10)
        i2 = int_gt(i0, 10)
        guard_true(i2) [i0]
        guard_true(i1) [i0]
        jump(i0)
        """,
        """
        [i0]
        i1 = int_lt(i0, 10)
        i2 = int_gt(i0, 10)
        guard_true(i2, origin=0) [i0]
        guard_always_fails(origin=1) [i0]
        jump(i0)
        """,
        1,
    ),
    "two definitions deep": (
        """
        [i0]
        i1 = int_add_ovf(i0, 1)
        guard_no_overflow() []
        i2 = int_lt(i1, 10)
        i3 = int_gt(i0, 10)
        guard_true(i3) [i0]
        guard_true(i2) [i0]
        jump(i0)
        """,
        """
        [i0]
        i1 = int_add_ovf(i0, 1)
        guard_no_overflow(origin=0) []
        i2 = int_lt(i1, 10)
        i3 = int_gt(i0, 10)
        guard_true(i3, origin=1) [i0]
        guard_always_fails(origin=2) [i0]
        jump(i0)
        """,
        2,
    ),
}


@pytest.mark.parametrize(("before", "after", "number"), FAILING.values(), ids=FAILING)
def test_a_guard_that_always_fails(before: str, after: str, number: int) -> None:
    assert assert_becomes(before, after, "guards").always_fails == number


@pytest.mark.parametrize("guard", ["guard_true", "guard_false"])
def test_a_guard_that_is_never_defined_is_left_alone(guard: str) -> None:
    text = f"[i0]\ni1 = int_or(i0, 2)\n{guard}(i1, origin=0) [i0]\nguard_value(i0, 7, origin=1) []\njump()\n"
    done = assert_becomes(text, text, "guards", "fold")
    assert done.always_fails is None


def test_behind_what_is_never_defined_the_optimizer_goes_on() -> None:
    done = assert_becomes(
        "[i0]\ni1 = int_lshift(1, 64)\ni2 = int_add(i1, i0)\ni3 = int_neg(i2)\njump(i3)\n",
        "[i0]\ni1 = int_lshift(1, 64)\ni2 = int_add(i1, i0)\ni3 = int_neg(i2)\njump(i3)\n",
        "guards",
        "fold",
        "cse",
        "dead-code",
    )
    assert done.always_fails is None


def test_what_is_learned_of_an_index_bounds_the_next_one() -> None:
    assert_becomes(
        """
        [i0, i1]
        i2 = int_lt(i1, i0)
        guard_true(i2) []
        i3 = int_add(i1, 1)
        i4 = int_gt(i1, 0)
        guard_true(i4) []
        i5 = int_gt(i3, -1)
        guard_true(i5) []
        finish(i3)
        """,
        """
        [i0, i1]
        i2 = int_lt(i1, i0)
        guard_true(i2, origin=0) []
        i3 = int_add(i1, 1)
        i4 = int_gt(i1, 0)
        guard_true(i4, origin=1) []
        finish(i3)
        """,
        "guards",
        "dead-code",
    )
