import pytest
from cases import assert_becomes, assert_stays

CASES = {
    "chains of what nobody needs": (
        """
        [i0, i1]
        i2 = int_mul(i0, i0)
        i3 = int_add(i2, i1)
        i4 = int_add(i0, i1)
        jump(i4)
        """,
        """
        [i0, i1]
        i4 = int_add(i0, i1)
        jump(i4)
        """,
    ),
    "in exit blocks, and for them": (
        """
        [i0, i1]
        i2 = int_mul(i0, i0)
        i3 = int_add(i0, i1)
        guard_true(i1) [i4, None] {
            i4 = int_neg(i3)
            i5 = int_neg(i2)
        }
        i6 = int_neg(i3)
        jump(i0)
        """,
        """
        [i0, i1]
        i3 = int_add(i0, i1)
        guard_true(i1, origin=0) [i4, None] {
            i4 = int_neg(i3)
        }
        jump(i0)
        """,
    ),
    "a fact goes with what is computed for it alone": (
        """
        [i0, i1]
        i2 = int_is_true(i0)
        record_exact_value_i(i2, 1)
        record_exact_value_i(i1, 1)
        jump(i0)
        """,
        """
        [i0, i1]
        record_exact_value_i(i1, 1)
        jump(i0)
        """,
    ),
    "a guard without a list keeps what is before it, not what is behind": (
        """
        [i0, i1]
        i2 = int_mul(i0, i0)
        guard_true(i1)
        i3 = int_add(i0, i1)
        jump(i0)
        """,
        """
        [i0, i1]
        i2 = int_mul(i0, i0)
        guard_true(i1, origin=0)
        jump(i0)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_dead_code(before: str, after: str) -> None:
    assert_becomes(before, after, "dead-code")


def test_guards_events_and_positions_stay() -> None:
    assert_stays(
        """
        [i0, i1]
        i2 = int_add_ovf(i0, i1)
        guard_no_overflow(origin=0) []
        i3 = escape_i(i0)
        debug_merge_point(0, 0, 'here')
        i4 = int_neg(i0)
        escape_n(i4)
        i5 = int_lt(i0, i1)
        guard_true(i5, origin=1) []
        finish()
        """,
        "dead-code",
    )


def test_what_was_dead_is_counted() -> None:
    done = assert_becomes("[i0]\ni1 = int_neg(i0)\njump(i0)\n", "[i0]\njump(i0)\n", "dead-code")
    assert done.operations["dead-code"] == 1
