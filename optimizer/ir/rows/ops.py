"""The operation table: one row an operation, with its one meaning.

A row says what an operation takes and gives, when it is defined and what it computes, as terms over an abstract domain
(see `optimizer.ir.rows.domain`). Everything else in the project reads this table: the parser, the checker, the
interpreter, the encoder, the folder, the bounds analysis, the generator and the printed documentation. To add an
operation, add a row here and a line of reference in `tests/reference.py`.

A row that touches objects has its meaning in its `memory`, over a domain and a heap (see
`optimizer.ir.rows.heap_domain`).

What does not know heaps says `unsupported` of operations whose `modelled` is false, and names them; so does everything
about those that have no `memory` either.
"""

from __future__ import annotations

import copyreg
from typing import Any

from optimizer.ir.rows.call_rows import CALL_ROWS
from optimizer.ir.rows.domain import Domain
from optimizer.ir.rows.float_rows import FLOAT_ROWS, same_float
from optimizer.ir.rows.heap_rows import HEAP_ROWS, SAME_OBJECT
from optimizer.ir.rows.raw_rows import RAW_ROWS
from optimizer.ir.rows.row import FLOAT, INT, REF, VOID, DescrKind, Kind, Meaning, Memory, Op, Role, Type
from optimizer.ir.rows.string_rows import STRING_ROWS

__all__ = ("FLOAT", "INT", "OPS", "REF", "VOID", "DescrKind", "Kind", "Meaning", "Memory", "Op", "Role", "Type")


def _amount_in_word(d: Domain[Any, Any], _x: Any, amount: Any) -> Any:
    return d.ult(amount, d.const(d.width))


def _divides(d: Domain[Any, Any], x: Any, y: Any) -> Any:
    min_by_minus_one = d.both(d.eq(x, d.const(1 << (d.width - 1))), d.eq(y, d.const(-1)))
    return d.both(d.ne(y, d.const(0)), d.not_(min_by_minus_one))


def _spare_bits(d: Domain[Any, Any], size: Any) -> Any:
    return d.sub(d.const(d.width), d.shl(size, d.const(3)))


def _size_fits(d: Domain[Any, Any], _x: Any, size: Any) -> Any:
    return d.both(d.sle(d.const(1), size), d.sle(size, d.const(d.width // 8)))


def _pure(name: str, arity: int, meaning: Meaning, **more: Any) -> Op:
    return Op(name, (INT,) * arity, INT, Kind.PURE, meaning, **more)


def _compare(name: str, meaning: Meaning, **more: Any) -> Op:
    return _pure(name, 2, lambda d, a, b: d.bit(meaning(d, a, b)), **more)


def _shift(name: str, meaning: Meaning) -> Op:
    return _pure(name, 2, meaning, defined=_amount_in_word, undefined_when="the amount is outside [0, WORD)")


def _divide(name: str, meaning: Meaning) -> Op:
    return _pure(name, 2, meaning, defined=_divides, undefined_when="the divisor is 0, or MININT is divided by -1")


def _overflow(wrapping: str, meaning: Meaning, overflows: Meaning, **more: Any) -> Op:
    return _pure(f"{wrapping}_ovf", 2, meaning, overflows=overflows, wrapping=wrapping, **more)


def _guard(name: str, args: tuple[Type, ...], passes: Meaning, **more: Any) -> Op:
    return Op(name, args, VOID, Kind.GUARD, passes=passes, **more)


_ARITHMETIC = [
    _pure("int_add", 2, lambda d, a, b: d.add(a, b), commutative=True),
    _pure("int_sub", 2, lambda d, a, b: d.sub(a, b)),
    _pure("int_mul", 2, lambda d, a, b: d.mul(a, b), commutative=True),
    _pure("uint_mul_high", 2, lambda d, a, b: d.umulh(a, b), commutative=True),
    _pure("int_and", 2, lambda d, a, b: d.bit_and(a, b), commutative=True),
    _pure("int_or", 2, lambda d, a, b: d.bit_or(a, b), commutative=True),
    _pure("int_xor", 2, lambda d, a, b: d.bit_xor(a, b), commutative=True),
    _pure("int_invert", 1, lambda d, a: d.bit_not(a)),
    _pure("int_neg", 1, lambda d, a: d.neg(a)),
    _shift("int_lshift", lambda d, a, b: d.shl(a, b)),
    _shift("int_rshift", lambda d, a, b: d.ashr(a, b)),
    _shift("uint_rshift", lambda d, a, b: d.lshr(a, b)),
    _divide("int_py_div", lambda d, a, b: d.fdiv(a, b)),
    _divide("int_py_mod", lambda d, a, b: d.fmod(a, b)),
    _divide("int_floordiv", lambda d, a, b: d.sdiv(a, b)),
    _divide("int_mod", lambda d, a, b: d.srem(a, b)),
    _pure(
        "uint_floordiv",
        2,
        lambda d, a, b: d.udiv(a, b),
        defined=lambda d, _a, b: d.ne(b, d.const(0)),
        undefined_when="the divisor is 0",
    ),
    _pure("int_force_ge_zero", 1, lambda d, a: d.ite(d.slt(a, d.const(0)), d.const(0), a)),
    _pure(
        "int_signext",
        2,
        lambda d, a, n: d.ashr(d.shl(a, _spare_bits(d, n)), _spare_bits(d, n)),
        defined=_size_fits,
        constant_args=(1,),
        min_word=16,
        undefined_when="the size is outside [1, WORD/8] bytes",
    ),
    _pure("same_as_i", 1, lambda d, a: a),
]

_COMPARISONS = [
    _compare("int_lt", lambda d, a, b: d.slt(a, b)),
    _compare("int_le", lambda d, a, b: d.sle(a, b)),
    _compare("int_eq", lambda d, a, b: d.eq(a, b), commutative=True),
    _compare("int_ne", lambda d, a, b: d.ne(a, b), commutative=True),
    _compare("int_gt", lambda d, a, b: d.slt(b, a)),
    _compare("int_ge", lambda d, a, b: d.sle(b, a)),
    _compare("uint_lt", lambda d, a, b: d.ult(a, b)),
    _compare("uint_le", lambda d, a, b: d.ule(a, b)),
    _compare("uint_gt", lambda d, a, b: d.ult(b, a)),
    _compare("uint_ge", lambda d, a, b: d.ule(b, a)),
    _pure("int_is_zero", 1, lambda d, a: d.bit(d.eq(a, d.const(0)))),
    _pure("int_is_true", 1, lambda d, a: d.bit(d.ne(a, d.const(0)))),
]

_OVERFLOWS = [
    _overflow("int_add", lambda d, a, b: d.add(a, b), lambda d, a, b: d.add_overflows(a, b), commutative=True),
    _overflow("int_sub", lambda d, a, b: d.sub(a, b), lambda d, a, b: d.sub_overflows(a, b)),
    _overflow("int_mul", lambda d, a, b: d.mul(a, b), lambda d, a, b: d.mul_overflows(a, b), commutative=True),
]

_IS_BIT = {"defined": lambda d, c: d.is_bit(c), "undefined_when": "the argument is neither 0 nor 1"}
_SAME = {"same_type": True, "memory": SAME_OBJECT, "passes_floats": same_float}

_GUARDS = [
    _guard("guard_true", (INT,), lambda d, c: d.eq(c, d.const(1)), **_IS_BIT),
    _guard("guard_false", (INT,), lambda d, c: d.eq(c, d.const(0)), **_IS_BIT),
    _guard("guard_value", (INT, INT), lambda d, a, b: d.eq(a, b), **_SAME),
    _guard("guard_no_overflow", (), lambda d, flag: d.not_(flag), reads_flag=True),
    _guard("guard_overflow", (), lambda d, flag: flag, reads_flag=True),
    _guard("guard_always_fails", (), lambda d: d.truth(False), gives_up=True),
]

_EVENTS = [
    Op("escape_i", None, INT, Kind.EVENT),
    Op("escape_n", None, VOID, Kind.EVENT),
    Op("escape_r", None, REF, Kind.EVENT, memory=Memory()),
    Op("escape_f", None, FLOAT, Kind.EVENT, memory=Memory()),
]

_POSITIONS = [
    *(Op(name, None, VOID, Kind.POSITION, raw=True) for name in ("debug_merge_point", "jit_debug")),
    Op("label", None, VOID, Kind.POSITION, is_entry=True),
]

_ENDS = [Op("jump", None, VOID, Kind.END, jumps=True), Op("finish", None, VOID, Kind.END)]


def _unmodelled(result: Type, names: str) -> list[Op]:
    return [Op(name, None, result, Kind.OTHER) for name in names.split()]


_UNMODELLED = [
    *_unmodelled(VOID, "setinteriorfield_raw zero_array"),
    Op("load_from_gc_table", (INT,), REF, Kind.OTHER, constant_args=(0,), of_table=True),
    *_unmodelled(VOID, "increment_debug_counter force_spill cond_call_gc_wb cond_call_gc_wb_array"),
    *_unmodelled(REF, "call_malloc_nursery call_malloc_nursery_varsize call_malloc_nursery_varsize_frame"),
    *_unmodelled(REF, "nursery_ptr_increment"),
]

_ON_WORDS = (*_ARITHMETIC, *_COMPARISONS, *_OVERFLOWS, *_GUARDS, *_EVENTS, *_POSITIONS, *_ENDS)
_ON_MEMORY = (*HEAP_ROWS, *CALL_ROWS, *FLOAT_ROWS, *STRING_ROWS, *RAW_ROWS)

OPS: dict[str, Op] = {row.name: row for row in (*_ON_WORDS, *_ON_MEMORY, *_UNMODELLED)}
"""The table, by name."""


def _named(name: str) -> Op:
    return OPS[name]


# A row is one object in a process, and its functions cannot be pickled; its name can.
copyreg.pickle(Op, lambda row: (_named, (row.name,)))
