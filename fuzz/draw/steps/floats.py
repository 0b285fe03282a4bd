"""Steps on floats: a few operations each, in shapes that optimizers have something to say of."""

from __future__ import annotations

from functools import cache

from fuzz.draw.draft import Args, Draft
from optimizer.ir.domains.concrete_floats import UnspecifiedBytes
from optimizer.ir.floats import Float
from optimizer.ir.rows.float_rows import FLOAT_ROWS
from optimizer.ir.rows.ops import FLOAT, INT, OPS, Op, Type
from optimizer.ir.trace import ConstFloat, ConstInt, Operation, Value, Var

_SIGN = 1 << 63

_TELLING = tuple(map(Float.of, (0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, float("nan"), float("inf"))))
"""Constants of which there are laws, or seem to be: of zeros most."""


@cache
def float_rows(word: int) -> tuple[Op, ...]:
    """The float rows for words of that width."""
    return tuple(row for row in FLOAT_ROWS if row.min_word <= word)


def _of(draft: Draft, args: tuple[Type, ...], result: Type) -> tuple[Op, ...]:
    return _typed(draft.shape.word, args, result)


@cache
def _typed(word: int, args: tuple[Type, ...], result: Type) -> tuple[Op, ...]:
    return tuple(row for row in float_rows(word) if (row.args, row.result) == (args, result))


def compute_float(draft: Draft, row: Op, args: Args) -> Var | None:
    """Adds an operation on floats, if it is defined on the example, and what it gives is specified."""
    draft.need(row)
    values = [draft.datum(arg) for arg in args]
    if row.defined is not None and not row.defined(draft.domain, *values):
        return None
    assert row.meaning is not None
    try:
        value = row.meaning(draft.domain, *values)
    except UnspecifiedBytes:
        return None
    draft.use(args)
    if isinstance(value, Float):
        result = draft.define_float(value)
    else:
        result = draft.define(value)
        (draft.truths if len(args) == 2 else draft.numbers).append(result)
    operation = Operation(row, args, result)
    draft.ops.append(operation)
    draft.on_floats.append(operation)
    return result


def _operands(draft: Draft, row: Op) -> Args:
    return tuple(draft.float_operand() if type_ is FLOAT else _int_operand(draft) for type_ in row.args or ())


def _int_operand(draft: Draft) -> Value:
    """An integer, now and then the result of a test, which any float holds."""
    return draft.truths[-1] if draft.truths and draft.choices.chance(35) else draft.operand()


def any_float(draft: Draft) -> None:
    row = draft.choices.pick(float_rows(draft.shape.word))
    compute_float(draft, row, _operands(draft, row))


def float_law(draft: Draft) -> None:
    """An operation with a constant of which there seems to be a law, or with itself."""
    x = draft.float_variable()
    constant: Value = ConstFloat(draft.choices.pick(_TELLING))
    other: Value = x if draft.choices.chance(25) else constant
    args = (x, other) if draft.choices.chance(70) else (other, x)
    result = FLOAT if draft.choices.chance(70) else INT
    compute_float(draft, draft.choices.pick(_of(draft, (FLOAT, FLOAT), result)), args)


def float_signs(draft: Draft) -> None:
    """Signs of signs, and arithmetic with a negative."""
    unary = _of(draft, (FLOAT,), FLOAT)
    inner = compute_float(draft, draft.choices.pick(unary), (draft.float_variable(),))
    if inner is None or draft.choices.chance(50):
        if inner is not None:
            compute_float(draft, draft.choices.pick(unary), (inner,))
        return
    other = draft.float_operand()
    args = (inner, other) if draft.choices.chance(40) else (other, inner)
    compute_float(draft, draft.choices.pick(_of(draft, (FLOAT, FLOAT), FLOAT)), args)


def float_again(draft: Draft) -> None:
    """An operation that was there already, another one of its arguments, or that of constants of another sign."""
    if not draft.on_floats:
        return any_float(draft)
    again = draft.choices.latest(draft.on_floats, 6)
    row = again.op
    if draft.choices.chance(30):
        row = draft.choices.pick([one for one in float_rows(draft.shape.word) if one.args == row.args])
    args = again.args[::-1] if draft.choices.chance(40) else again.args
    if draft.choices.chance(30):
        args = tuple(ConstFloat(Float(arg.value.bits ^ _SIGN)) if isinstance(arg, ConstFloat) else arg for arg in args)
    if tuple(arg.type for arg in args) == row.args:
        compute_float(draft, row, args)
    return None


def cast_float(draft: Draft) -> None:
    """A cast, and perhaps back."""
    there = draft.choices.pick([*_of(draft, (INT,), FLOAT), *_of(draft, (FLOAT,), INT)])
    given = [var for var in draft.inputs if (var.type,) == there.args]  # of which nothing may be known
    args = (draft.choices.pick(given),) if given and draft.choices.chance(40) else _operands(draft, there)
    result = compute_float(draft, there, args)
    if result is None or draft.choices.chance(30):
        return
    assert there.args is not None
    back = [row for row in float_rows(draft.shape.word) if (row.args, row.result) == ((there.result,), there.args[0])]
    compute_float(draft, draft.choices.pick(back), (result,))


def floats_of_ints(draft: Draft) -> None:
    """An operation on the floats of ints, and perhaps the int of that: the same on the ints gives another number where
    these are too large for a float."""
    inputs = [var for var in draft.inputs if var.type is INT]  # of which nothing may be known
    ints = [draft.choices.pick(inputs) if inputs and draft.choices.chance(60) else draft.operand() for _ in range(2)]
    args = [compute_float(draft, OPS["cast_int_to_float"], (one,)) or draft.float_operand() for one in ints]
    row = draft.choices.pick(_of(draft, (FLOAT, FLOAT), FLOAT if draft.choices.chance(50) else INT))
    result = compute_float(draft, row, tuple(args))
    if result is not None and result.type is FLOAT:
        compute_float(draft, OPS["cast_float_to_int"], (result,))


def compare_floats(draft: Draft) -> None:
    """A comparison, its negation, or another one of the same two; and a guard."""
    args: Args = (draft.float_variable(), draft.float_operand())
    tests = _of(draft, (FLOAT, FLOAT), INT)
    result = compute_float(draft, draft.choices.pick(tests), args)
    if result is None:
        return
    match draft.choices.integer(0, 3):
        case 0:
            result = draft.test(result, ConstInt(0))
        case 1:
            draft.guard_on(result)
            swapped = args[::-1] if draft.choices.chance(50) else args
            result = compute_float(draft, draft.choices.pick(tests), swapped) or result
    if draft.choices.chance(60):
        draft.guard_on(result)


def test_border(draft: Draft) -> None:
    """A guard on how a float compares with zero, or another telling constant, and an operation on that float behind it:
    what passing says of the sign holds of one zero alone."""
    args: Args = (draft.float_variable(), ConstFloat(draft.choices.pick(_TELLING)))
    tests = _of(draft, (FLOAT, FLOAT), INT)
    result = compute_float(draft, draft.choices.pick(tests), args if draft.choices.chance(50) else args[::-1])
    if result is not None:
        draft.guard_on(result)
        row = draft.choices.pick([row for row in float_rows(draft.shape.word) if row.args and row.args[0] is FLOAT])
        compute_float(draft, row, (args[0], *_operands(draft, row)[1:]))


def guard_float(draft: Draft) -> None:
    """A guard that says which float it is."""
    var = draft.float_variable()
    row = next((row for row in draft.rows.guards if row.passes_floats is not None), None)
    if row is not None:
        draft.guard(row, (var, ConstFloat(draft.floats[var.name])))
