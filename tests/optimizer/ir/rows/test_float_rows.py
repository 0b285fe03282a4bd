"""Operations on floats against a second statement of what they are, bit for bit."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from reference_floats import REFERENCE

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.domains.concrete_floats import ConcreteFloats, UnspecifiedBytes
from optimizer.ir.floats import NAN, Float
from optimizer.ir.rows.domain import FloatDomain, limits_of_int
from optimizer.ir.rows.float_rows import FLOAT_ROWS, SQRT
from optimizer.ir.rows.ops import Op, Type

SPECIAL = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 0.1, 1 / 3, 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308),
    *(1.7976931348623157e308, -1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 1e-45, 3.4028236e38),
    *(2.0**31, 2.0**31 - 1, -(2.0**31), -(2.0**31) - 0.5, -(2.0**31) - 1, 2.0**53 + 2, 2.0**63, -(2.0**63), 1e300),
]
INTS = [0, 1, -1, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 0x7FF0000000000001, 0x7FC00000, 0x7F800001, 1]


def values(type_: Type, width: int, random: Random) -> list[int | Float]:
    if type_ is Type.INT:
        d = concrete(width)
        return [d.const(n) for n in (*INTS, *(random.getrandbits(width) for _ in range(20)))]
    near = [Float.of(random.choice(SPECIAL) * random.uniform(0.9, 1.1)) for _ in range(6)]
    return [*map(Float.of, SPECIAL), *near, *(Float(random.getrandbits(64)) for _ in range(10))]


def computed(row: Op, width: int, args: tuple[int | Float, ...]) -> int | None:
    d = concrete(width)
    if row.defined is not None and not row.defined(d, *args):
        return None
    assert row.meaning is not None
    try:
        result = row.meaning(d, *args)
    except UnspecifiedBytes:
        return None
    return result.bits if isinstance(result, Float) else result


@pytest.mark.parametrize("row", [*FLOAT_ROWS, SQRT], ids=lambda row: row.name)
@pytest.mark.parametrize("width", [16, 32, 33, 64])
def test_rows_compute_what_the_reference_says(row: Op, width: int) -> None:
    if width < row.min_word or (width != 64 and Type.INT not in (row.result, *(row.args or ()))):
        return
    random = Random(row.name)
    assert row.args is not None
    for args in product(*(values(type_, width, random) for type_ in row.args)):
        plain = [arg.bits if isinstance(arg, Float) else arg for arg in args]
        wanted = REFERENCE[row.name](width, *plain)
        if row.result is Type.INT and wanted is not None:
            wanted = concrete(width).const(wanted)
        assert computed(row, width, args) == wanted, args


def test_every_row_has_a_reference() -> None:
    assert {row.name for row in (*FLOAT_ROWS, SQRT)} == set(REFERENCE)


@pytest.mark.parametrize("width", [16, 31, 32, 53, 54, 63, 64])
def test_the_limits_of_a_cast_are_sharp(width: int) -> None:
    low, high = (limit.value for limit in limits_of_int(width))
    half = 1 << (width - 1)
    assert int(low) < -half <= int(Float(Float.of(low).bits - 1).value)
    assert int(high) >= half > int(Float(Float.of(high).bits - 1).value)


def test_the_vocabulary_is_all_there_is() -> None:
    assert {"add", "lt", "to_single", "const"} < set(FloatDomain.__abstractmethods__)
    assert not ConcreteFloats.__abstractmethods__


@pytest.mark.parametrize("bits", [0x7FF0000000000001, 0xFFF8000000000000, 0x7FFFFFFFFFFFFFFF])
def test_all_nans_are_one(bits: int) -> None:
    assert Float(bits) == NAN == Float.of(float("nan"))
    assert str(Float(bits)) == "nan"


def test_zeros_are_two() -> None:
    assert Float.of(0.0) != Float.of(-0.0)
    assert [str(Float.of(0.0)), str(Float.of(-0.0))] == ["0.0", "-0.0"]
