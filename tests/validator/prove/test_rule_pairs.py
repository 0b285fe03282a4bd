"""Pairs of words of 64 bits that rules on terms prove, and near misses that they do not."""

from __future__ import annotations

import pytest

from optimizer.ir.text import parse
from validator.prove.judge import validate
from validator.verdict import Options, Proved, Refuted

WITHOUT_SOLVER = Options(effort=1)

DIVISORS = [3, 5, 7, 10, 100, 641, 1_000_000_007, (1 << 31) - 1, (1 << 33) + 1, (1 << 62) - 1, (1 << 63) - 1]


def word(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def pypy_magic(d: int) -> tuple[int, int]:
    """Multiplier and shift for 63 bits: PyPy's `intdiv`."""
    shift = d.bit_length() - 1
    return (1 << (64 + shift)) // d + 1, shift


def compiled_magic(d: int) -> tuple[int, int]:
    """Multiplier and shift for signed words, as compilers choose them."""
    for shift in range(64):
        multiplier = (1 << (64 + shift)) // d + 1
        if multiplier * d - (1 << (64 + shift)) <= 1 << (shift + 1):
            return multiplier, shift
    raise AssertionError("there is one for each divisor")


def lines(*operations: str) -> str:
    return "\n".join(["[i0]", *operations])


def quotient_rounded_down(multiplier: int, shift: int) -> list[str]:
    return [
        "i1 = int_rshift(i0, 63)",
        "i2 = int_xor(i0, i1)",
        f"i3 = uint_mul_high(i2, {word(multiplier)})",
        f"i4 = uint_rshift(i3, {shift})",
        "i5 = int_xor(i4, i1)",
    ]


def quotient_rounded_to_zero(multiplier: int, shift: int) -> list[str]:
    return [
        "i1 = int_rshift(i0, 63)",
        f"i2 = uint_mul_high(i0, {word(multiplier)})",
        f"i3 = int_and(i1, {word(multiplier)})",
        "i4 = int_sub(i2, i3)",
        f"i5 = int_rshift(i4, {shift})",
        "i6 = int_sub(i5, i1)",
    ]


def proofs(before: str, after: str) -> set[str]:
    """The rungs that prove the pair."""
    verdict = validate(parse(before), parse(after), WITHOUT_SOLVER)
    assert isinstance(verdict, Proved), verdict
    return {settled.by for settled in verdict.evidence.obligations}


@pytest.mark.parametrize("d", DIVISORS)
def test_division_by_a_constant(d: int) -> None:
    down, to_zero = quotient_rounded_down(*pypy_magic(d)), quotient_rounded_to_zero(*compiled_magic(d))
    rest = [f"i6 = int_mul(i5, {d})", "i7 = int_sub(i0, i6)"]
    pairs = [
        ([f"i1 = int_py_div(i0, {d})", "finish(i1)"], [*down, "finish(i5)"]),
        ([f"i1 = int_py_mod(i0, {d})", "finish(i1)"], [*down, *rest, "finish(i7)"]),
        ([f"i1 = int_floordiv(i0, {d})", "finish(i1)"], [*to_zero, "finish(i6)"]),
    ]
    for before, after in pairs:
        assert proofs(lines(*before), lines(*after)) == {"intervals"}


@pytest.mark.parametrize("d", DIVISORS)
def test_a_guard_on_a_remainder(d: int) -> None:
    rest = [*quotient_rounded_down(*pypy_magic(d)), f"i6 = int_mul(i5, {d})", "i7 = int_sub(i0, i6)"]
    before = lines(f"i1 = int_py_mod(i0, {d})", "i2 = int_is_zero(i1)", "guard_true(i2) [i1]", "finish(i0)")
    after = lines(*rest, "i8 = int_is_zero(i7)", "guard_true(i8) [i7]", "finish(i0)")
    assert "solving" not in proofs(before, after)


@pytest.mark.parametrize("d", DIVISORS)
@pytest.mark.parametrize("use", ["i9 = int_neg({})", "i8 = int_neg({})\ni9 = int_or(i8, {})", "i9 = int_sub({}, i0)"])
def test_what_is_computed_with_a_remainder(use: str, d: int) -> None:
    rest = [*quotient_rounded_down(*pypy_magic(d)), f"i6 = int_mul(i5, {d})", "i7 = int_sub(i0, i6)"]
    before = lines(f"i1 = int_py_mod(i0, {d})", use.format("i1", "i1"), "finish(i9)")
    after = lines(*rest, use.format("i7", "i7"), "finish(i9)")
    assert "solving" not in proofs(before, after)
    wrong = after.replace(f"int_mul(i5, {d})", f"int_mul(i5, {d - 1})")
    assert not isinstance(validate(parse(before), parse(wrong), WITHOUT_SOLVER), Proved)


@pytest.mark.parametrize("d", DIVISORS)
@pytest.mark.parametrize("order", ["uint_le({}, i0)", "uint_lt(i0, {})", "uint_ge({}, i0)", "uint_gt(i0, {})"])
@pytest.mark.parametrize("guard", ["guard_true", "guard_false"])
def test_a_guard_on_a_remainder_and_what_it_is_of(guard: str, order: str, d: int) -> None:
    """In some of these cases the guard always fails, which is seen by what it says itself."""
    rest = [*quotient_rounded_down(*pypy_magic(d)), f"i6 = int_mul(i5, {d})", "i7 = int_sub(i0, i6)"]
    before = lines(f"i1 = int_py_mod(i0, {d})", f"i8 = {order.format('i1')}", f"{guard}(i8) []", "finish(i1)")
    after = lines(*rest, f"i8 = {order.format('i7')}", f"{guard}(i8) []", "finish(i7)")
    assert "solving" not in proofs(before, after)


@pytest.mark.parametrize("d", DIVISORS[:7])
@pytest.mark.parametrize("delta", [-1, 1 << 20])
def test_another_multiplier_is_not_proved(d: int, delta: int) -> None:
    multiplier, shift = pypy_magic(d)
    after = lines(*quotient_rounded_down(multiplier + delta, shift), "finish(i5)")
    verdict = validate(parse(lines(f"i1 = int_py_div(i0, {d})", "finish(i1)")), parse(after), WITHOUT_SOLVER)
    assert not isinstance(verdict, Proved)


@pytest.mark.parametrize("dividend", ["int_signext(i9, 4)", "int_rshift(i9, 3)", "int_and(i9, 0xffffffff)"])
@pytest.mark.parametrize(("operation", "result"), [("int_py_div", "i5"), ("int_py_mod", "i7")])
def test_dividends_of_which_something_is_known(dividend: str, operation: str, result: str) -> None:
    quotient = [*quotient_rounded_down(*pypy_magic(1001)), "i6 = int_mul(i5, 1001)", "i7 = int_sub(i0, i6)"]
    for check in ("finish({})", "i8 = int_is_zero({})\nguard_true(i8) []\nfinish(i9)"):
        start, end = f"[i9]\ni0 = {dividend}\n", check.format(result)
        before = f"{start}i1 = {operation}(i0, 1001)\n{check.format('i1')}"
        after = start + "\n".join([*quotient, end])
        assert "solving" not in proofs(before, after)
        wrong = after.replace("uint_rshift(i3, 9)", "uint_rshift(i3, 8)")
        assert not isinstance(validate(parse(before), parse(wrong), WITHOUT_SOLVER), Proved)


EXACT = "[i0, i1]\ni2 = int_mul_ovf(i0, i1)\nguard_no_overflow() []\n"
WRAPPING = "[i0, i1]\ni2 = int_mul(i0, i1)\n"


@pytest.mark.parametrize(
    ("division", "result"), [("int_py_div", "i0"), ("int_floordiv", "i0"), ("int_py_mod", "0"), ("int_mod", "0")]
)
def test_division_of_a_product(division: str, result: str) -> None:
    division = f"i3 = {division}(i2, i1)\nfinish(i3)"
    assert "intervals" in proofs(EXACT + division, EXACT + f"finish({result})")
    verdict = validate(parse(WRAPPING + division), parse(WRAPPING + f"finish({result})"), Options())
    assert isinstance(verdict, Refuted)


def test_division_by_a_shifted_one() -> None:
    shifted = (
        "[i0, i1]\ni2 = uint_lt(i1, {})\nguard_true(i2) []\ni3 = int_lshift(1, i1)\ni4 = int_py_div(i0, i3)\nfinish(i4)"
    )
    after = "[i0, i1]\ni2 = uint_lt(i1, {})\nguard_true(i2) []\ni3 = int_rshift(i0, i1)\nfinish(i3)"
    assert "intervals" in proofs(shifted.format(63), after.format(63))
    verdict = validate(parse(shifted.format(64)), parse(after.format(64)), Options())
    assert isinstance(verdict, Refuted)


def test_squares_and_products_of_positive_numbers() -> None:
    square = "[i0]\ni1 = int_mul_ovf(i0, i0)\nguard_no_overflow() []\n"
    check = "i2 = int_ge(i1, 0)\nguard_true(i2) []\n"
    assert "intervals" in proofs(square + check + "finish(i1)", square + "finish(i1)")
    positive = """[i0, i1]
i2 = int_gt(i0, 0)
guard_true(i2) []
i3 = int_gt(i1, 0)
guard_true(i3) []
i4 = int_mul_ovf(i0, i1)
guard_no_overflow() []
"""
    check = "i5 = int_ge(i4, i0)\nguard_true(i5) []\n"
    assert "intervals" in proofs(positive + check + "finish(i4)", positive + "finish(i4)")


def test_a_product_that_is_divided_again_and_again() -> None:
    """That it does not wrap is learned behind a condition that its quotient is a part of."""
    before = EXACT + "i3 = int_floordiv(i2, i1)\ni4 = int_floordiv(i3, i1)\nfinish(i4)"
    assert "intervals" in proofs(before, EXACT + "i4 = int_floordiv(i0, i1)\nfinish(i4)")


@pytest.mark.parametrize("order", ["lt", "gt"])
def test_a_high_word_and_its_factor(order: str) -> None:
    high = "[i0, i1]\ni2 = uint_mul_high(i0, 1000)\ni3 = uint_mul_high(i2, i1)\n"
    before, after = (f"{high}i4 = {kind}_{order}(i2, i3)\nfinish(i4)" for kind in ("uint", "int"))
    assert proofs(before, after) == {"intervals"}
    of_any = [parse(text.replace("(i0, 1000)", "(i0, -1)")) for text in (before, after)]
    assert isinstance(validate(*of_any, Options()), Refuted)


def test_a_difference_less_what_it_is_taken_from() -> None:
    before = "[i0, i1]\ni2 = int_sub(i0, i1)\ni3 = int_sub(i2, i0)\ni4 = uint_floordiv(i0, i3)\nfinish(i4)"
    after = "[i0, i1]\ni3 = int_neg(i1)\ni4 = uint_floordiv(i0, i3)\nfinish(i4)"
    assert "solving" not in proofs(before, after)


def test_a_sum_of_what_is_not_negative_may_be_negative() -> None:
    ahead = """[i0, i1, i2]
i3 = int_ge(i0, 0)
guard_true(i3) []
i4 = int_ge(i1, 0)
guard_true(i4) []
i5 = int_add(i0, i1)
i6 = int_lt(i5, i2)
guard_true(i6) []
i7 = int_ge(i2, 0)
guard_true(i7) []
"""
    before, after = parse(f"{ahead}i8 = uint_lt(i5, i2)\nfinish(i8)"), parse(f"{ahead}finish(1)")
    assert isinstance(validate(before, after, Options()), Refuted)
