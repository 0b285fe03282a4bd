"""The rows of operations on floats, over the floats of a domain (see `optimizer.ir.rows.domain`)."""

from __future__ import annotations

from typing import Any

from optimizer.ir.rows.domain import Domain, limits_of_int
from optimizer.ir.rows.row import FLOAT, INT, Kind, Meaning, Op, Type


def _fits(d: Domain[Any, Any], a: Any) -> Any:
    low, high = (d.floats.const(limit) for limit in limits_of_int(d.width))
    return d.both(d.floats.lt(low, a), d.floats.lt(a, high))


def _pure(name: str, args: tuple[Type, ...], result: Type, meaning: Meaning, **more: Any) -> Op:
    return Op(name, args, result, Kind.PURE, meaning, **{"min_word": 16, **more})


def _compare(name: str, meaning: Meaning, **more: Any) -> Op:
    return _pure(name, (FLOAT, FLOAT), INT, lambda d, a, b: d.bit(meaning(d, a, b)), **more)


FLOAT_ROWS = [
    _pure("same_as_f", (FLOAT,), FLOAT, lambda d, a: a),
    _pure("float_neg", (FLOAT,), FLOAT, lambda d, a: d.floats.neg(a)),
    _pure("float_abs", (FLOAT,), FLOAT, lambda d, a: d.floats.abs(a)),
    _pure("float_add", (FLOAT, FLOAT), FLOAT, lambda d, a, b: d.floats.add(a, b), commutative=True),
    _pure("float_sub", (FLOAT, FLOAT), FLOAT, lambda d, a, b: d.floats.sub(a, b)),
    _pure("float_mul", (FLOAT, FLOAT), FLOAT, lambda d, a, b: d.floats.mul(a, b), commutative=True),
    _pure("float_truediv", (FLOAT, FLOAT), FLOAT, lambda d, a, b: d.floats.div(a, b)),
    _compare("float_lt", lambda d, a, b: d.floats.lt(a, b)),
    _compare("float_le", lambda d, a, b: d.floats.le(a, b)),
    _compare("float_eq", lambda d, a, b: d.floats.eq(a, b), commutative=True),
    _compare("float_ne", lambda d, a, b: d.not_(d.floats.eq(a, b)), commutative=True),
    _compare("float_gt", lambda d, a, b: d.floats.lt(b, a)),
    _compare("float_ge", lambda d, a, b: d.floats.le(b, a)),
    _pure("cast_int_to_float", (INT,), FLOAT, lambda d, n: d.floats.of_int(n)),
    _pure(
        "cast_float_to_int",
        (FLOAT,),
        INT,
        lambda d, a: d.floats.to_int(a),
        defined=_fits,
        undefined_when="the float is NaN or outside the range of a machine int",
    ),
    _pure("convert_longlong_bytes_to_float", (INT,), FLOAT, lambda d, n: d.floats.of_bytes(n), min_word=64),
    _pure("convert_float_bytes_to_longlong", (FLOAT,), INT, lambda d, a: d.floats.to_bytes(a), min_word=64),
    _pure("cast_singlefloat_to_float", (INT,), FLOAT, lambda d, n: d.floats.of_single(n), min_word=32),
    _pure("cast_float_to_singlefloat", (FLOAT,), INT, lambda d, a: d.floats.to_single(a), min_word=32),
]

SQRT = _pure("math_sqrt", (FLOAT,), FLOAT, lambda d, a: d.floats.sqrt(a))
"""The square root, which traces have as a call with that oopspec."""


def same_float(d: Domain[Any, Any], a: Any, b: Any) -> Any:
    """A `guard_value` of floats passes where they are the same, bit for bit."""
    return d.floats.same(a, b)
