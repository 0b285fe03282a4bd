import pytest
from cases import assert_becomes, assert_stays

CASES = {
    "a chain of constants": (
        """
        [i0]
        i1 = int_mul(6, 7)
        i2 = int_add(i1, 1)
        i3 = int_add(i0, i2)
        jump(i3)
        """,
        """
        [i0]
        i3 = int_add(i0, 43)
        jump(i3)
        """,
    ),
    "an overflow operation goes with its guard": (
        """
        [i0]
        i1 = int_add_ovf(3, 4)
        guard_no_overflow() [i0]
        i2 = int_mul_ovf(0x4000000000000000, 2)
        guard_overflow() [i1]
        jump(i1, i2)
        """,
        """
        [i0]
        jump(7, -9223372036854775808)
        """,
    ),
    "guards on constants": (
        """
        [i0]
        guard_true(1) [i0]
        guard_false(0) [i0]
        guard_value(3, 3) [i0]
        i1 = int_lt(2, 3)
        guard_true(i1) []
        jump(i1)
        """,
        """
        [i0]
        jump(1)
        """,
    ),
    "into failargs and exit blocks, which stay as they are": (
        """
        [i0]
        i1 = int_add(1, 2)
        guard_true(i0) [i1, None, i9] {
            i9 = int_add(i1, 1)
        }
        finish(i1)
        """,
        """
        [i0]
        guard_true(i0, origin=0) [3, None, i9] {
            i9 = int_add(3, 1)
        }
        finish(3)
        """,
    ),
    "at the trace's own width": (
        """
        +++
        word = 8
        +++
        [i0]
        i1 = int_add(100, 100)
        i2 = int_lshift(1, 7)
        jump(i1, i2)
        """,
        """
        +++
        word = 8
        +++
        [i0]
        jump(-56, -128)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_fold(before: str, after: str) -> None:
    assert_becomes(before, after, "fold")


@pytest.mark.parametrize(
    "operation",
    [
        "int_lshift(1, 64)",
        "int_rshift(1, -1)",
        "int_py_div(1, 0)",
        "int_mod(1, 0)",
        "int_floordiv(-9223372036854775808, -1)",
        "int_signext(1, 9)",
        "int_add(i0, 1)",
        "escape_i(1, 2)",
    ],
)
def test_what_has_no_value_stays(operation: str) -> None:
    assert_stays(f"[i0]\ni1 = {operation}\njump(i1)\n", "fold")


@pytest.mark.parametrize("guard", ["guard_true(5)", "guard_false(-1)"])
def test_a_guard_on_a_constant_that_is_undefined_stays(guard: str) -> None:
    done = assert_becomes(f"[i0]\n{guard} [i0]\njump(i0)\n", f"[i0]\n{guard[:-1]}, origin=0) [i0]\njump(i0)\n", "fold")
    assert done.always_fails is None
