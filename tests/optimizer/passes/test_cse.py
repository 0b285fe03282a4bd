import pytest
from cases import assert_becomes

CASES = {
    "the example of the article": (
        """
        [i0, i1]
        i2 = int_add(i1, 17)
        i3 = int_mul(i0, i2)
        i4 = int_add(i1, 17)
        i5 = int_add(i3, i4)
        jump(i5)
        """,
        """
        [i0, i1]
        i2 = int_add(i1, 17)
        i3 = int_mul(i0, i2)
        i5 = int_add(i3, i2)
        jump(i5)
        """,
    ),
    "commuted, and through each other": (
        """
        [i0, i1]
        i2 = int_add(i0, i1)
        i3 = int_add(i1, i0)
        i4 = int_mul(i2, i0)
        i5 = int_mul(i0, i3)
        i6 = int_sub(i0, i1)
        i7 = int_sub(i1, i0)
        jump(i4, i5, i6, i7)
        """,
        """
        [i0, i1]
        i2 = int_add(i0, i1)
        i4 = int_mul(i2, i0)
        i6 = int_sub(i0, i1)
        i7 = int_sub(i1, i0)
        jump(i4, i4, i6, i7)
        """,
    ),
    "behind a guard the flag is known": (
        """
        [i0, i1]
        i2 = int_add_ovf(i0, i1)
        guard_no_overflow() [i0]
        i3 = int_add(i1, i0)
        i4 = int_add_ovf(i1, i0)
        guard_no_overflow() [i1]
        jump(i2, i3, i4)
        """,
        """
        [i0, i1]
        i2 = int_add_ovf(i0, i1)
        guard_no_overflow(origin=0) [i0]
        jump(i2, i2, i2)
        """,
    ),
    "what has overflowed overflows again": (
        """
        [i0, i1]
        i2 = int_mul_ovf(i0, i1)
        guard_overflow() [i0]
        i4 = int_mul_ovf(i1, i0)
        guard_overflow() [i1]
        jump(i2, i4)
        """,
        """
        [i0, i1]
        i2 = int_mul_ovf(i0, i1)
        guard_overflow(origin=0) [i0]
        jump(i2, i2)
        """,
    ),
    "nobody has looked at the flag of a wrapping operation": (
        """
        [i0, i1]
        i2 = int_add(i0, i1)
        i4 = int_add_ovf(i0, i1)
        guard_no_overflow() [i2]
        jump(i2, i4)
        """,
        """
        [i0, i1]
        i2 = int_add(i0, i1)
        i4 = int_add_ovf(i0, i1)
        guard_no_overflow(origin=0) [i2]
        jump(i2, i4)
        """,
    ),
    "events are never the same": (
        """
        [i0]
        i1 = escape_i(i0)
        i2 = escape_i(i0)
        i3 = int_neg(i1)
        i4 = int_neg(i2)
        jump(i3, i4)
        """,
        """
        [i0]
        i1 = escape_i(i0)
        i2 = escape_i(i0)
        i3 = int_neg(i1)
        i4 = int_neg(i2)
        jump(i3, i4)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_cse(before: str, after: str) -> None:
    assert_becomes(before, after, "cse")


def test_the_opposite_flag_always_fails() -> None:
    done = assert_becomes(
        """
        [i0, i1]
        i2 = int_add_ovf(i0, i1)
        guard_no_overflow() [i0]
        i3 = int_add_ovf(i0, i1)
        guard_overflow() [i1, i3]
        i4 = int_add(i0, i1)
        jump(i4)
        """,
        """
        [i0, i1]
        i2 = int_add_ovf(i0, i1)
        guard_no_overflow(origin=0) [i0]
        guard_always_fails(origin=1) [i1, i2]
        i4 = int_add(i0, i1)
        jump(i4)
        """,
        "cse",
    )
    assert done.always_fails == 1
