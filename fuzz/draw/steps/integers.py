"""Steps on integers, in shapes that optimizers have something to say of; events and positions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fuzz.draw.choices import NotDrawable, relatives
from fuzz.draw.draft import Args, Draft
from fuzz.draw.rows import family, is_scaling, is_sum
from fuzz.draw.steps.laws import INNER, OTHER, X, Y, near_laws_of
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.trace import ConstInt, Operation, RawText, Value, Var


def compute_any(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.pure)
    args = draft.operands(row)
    if args is None:
        return
    if row.defined is not None and isinstance(args[-1], Var) and draft.choices.chance(50):
        # Traces check divisors and shift amounts before they use them.
        draft.choices.repeat(1, 2, partial(range_check, draft, args[-1]))
    draft.compute(row, args)


def compute_checked(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.overflow)
    args = draft.operands(row)
    if args is not None:
        draft.compute(row, args)


def repeat(draft: Draft) -> None:
    if not draft.computed:
        return compute_any(draft)
    again = _recent(draft)
    args = again.args
    if again.op.commutative and draft.choices.chance(50):
        args = args[::-1]
    draft.compute(again.op, args)
    return None


def _recent(draft: Draft) -> Operation:
    return draft.choices.latest(draft.computed, 10)


def take_relative(draft: Draft) -> None:
    """A relative of an operation on the same arguments, or the operation with a check of overflow, or without."""
    if not draft.computed:
        return compute_any(draft)
    again = _recent(draft)
    row, args = again.op, again.args
    checked = next((one for one in draft.rows.overflow if one.wrapping == row.name), None)
    is_turned = draft.choices.chance(30)
    if is_turned and draft.choices.chance(60):
        pass  # the same, turned around
    elif row.wrapping is not None:
        row = OPS[row.wrapping]
    elif checked is not None and draft.choices.chance(60):
        row = checked
    else:
        row = draft.choices.pick(family(row, draft.shape.word))
    args = args[::-1] if is_turned else args
    if draft.is_defined(row, args) and all(isinstance(args[index], ConstInt) for index in row.constant_args):
        draft.compute(row, args)
    return None


def test_border(draft: Draft) -> None:
    """A variable in a range, an operation on it, and a test of the result where the operation takes the ends of the
    range. Ranges end near the example, near the ends of the word, or where the operation begins to overflow."""
    var, row = draft.variable(), draft.choices.pick((*draft.rows.pure, *draft.rows.overflow))
    arity = len(row.args or ())
    beside: Value = ConstInt(draft.constant_beside(var)) if draft.choices.chance(70) else draft.variable()
    if row.constant_args or arity < 2:
        beside = ConstInt(draft.choices.integer(1, 2))
    limits = [_limit(draft, var, draft.value(beside)) for _ in range(draft.choices.integer(1, 2))]
    for limit in limits:
        draft.guard_on(draft.test(var, ConstInt(limit)))
        draft.checked.append(var)
    if arity == 2 and not row.constant_args and draft.choices.chance(25):
        beside = ConstInt(draft.choices.pick(limits))
    args = (var, beside)[:arity] if row.constant_args or draft.choices.chance(75) else (beside, var)[-arity:]
    if not draft.is_defined(row, args):
        return
    result = draft.compute(row, args)
    ends = [tuple(ConstInt(draft.choices.pick(limits)) if arg == var else arg for arg in args)]
    if row.meaning is None or not all(draft.is_defined(row, one) for one in ends):
        return
    border = row.meaning(draft.domain, *map(draft.value, ends[0])) + draft.choices.integer(-1, 1)
    test = draft.test(result, ConstInt(draft.domain.const(border)))
    if draft.choices.chance(50):
        draft.guard_on(test)


def keep_within(draft: Draft) -> None:
    """A variable between two ends, near which an operation on it, with a constant, begins to do something."""
    var, rows = draft.variable(), draft.rows
    row = draft.choices.pick([row for row in rows.pure if row.constant_args or row.defined or row in rows.masks])
    args = _beside(draft, row, var)
    if not draft.is_defined(row, args):
        return
    value, half = draft.values[var.name], 1 << (draft.shape.word - 1)
    edges = {0, -1, half - 1, -half, *(edge for arg in args[1:] for edge in _edges(draft, arg))}
    ends = [edge for edge in edges if edge <= value], [edge for edge in edges if edge >= value]
    for limits in ends:
        limit = ConstInt(draft.choices.pick(sorted(limits)))
        draft.guard_on(draft.compute(draft.choices.pick(rows.signed), (var, limit)))
    draft.checked.append(var)
    draft.compute(row, args)


def _edges(draft: Draft, beside: Value) -> Iterator[int]:
    """The numbers near which an operation with that constant may begin to do something."""
    number = draft.value(beside)
    for edge in (number, *relatives(number, draft.shape.word)):
        yield from (draft.domain.const(sign * edge + near) for sign in (1, -1) for near in (-1, 0, 1))


def _beside(draft: Draft, row: Op, var: Var) -> Args:
    """The variable, and a constant if the row takes two."""
    beside = draft.choices.integer(1, 2) if row.constant_args else draft.constant()
    return (var, ConstInt(beside))[: len(row.args or ())]


def _limit(draft: Draft, var: Var, beside: int) -> int:
    half, near = 1 << (draft.shape.word - 1), draft.choices.integer(-1, 1)
    match draft.choices.integer(0, 5):
        case 0 | 1 | 2:
            return draft.domain.const(draft.values[var.name] + draft.choices.integer(-2, 2))
        case 3:
            return draft.domain.const(draft.choices.pick((0, half, beside, -beside)) + near)
        case 4:
            return draft.domain.const(half - beside + near)
        case _:
            return draft.near(var)


def check_range(draft: Draft) -> None:
    range_check(draft, draft.variable())


def range_check(draft: Draft, var: Var) -> None:
    """A comparison with a constant, and a guard that it is as on the example."""
    limit = ConstInt(draft.near(var))
    args: Args = (limit, var) if draft.choices.chance(20) else (var, limit)
    result = draft.test(*args)
    draft.guard_on(result)
    draft.checked.append(var)


def bits_check(draft: Draft) -> None:
    """A mask, and a guard on what it leaves: the value itself, or a comparison with it."""
    var = draft.variable()
    masked = draft.compute(draft.choices.pick(draft.rows.masks), (var, ConstInt(draft.constant_beside(var))))
    left = ConstInt(draft.values[masked.name])
    if draft.choices.chance(50):
        draft.guard_on(masked)
    else:
        draft.guard_on(draft.test(masked, left))
    draft.checked.append(var)


def follow_law(draft: Draft) -> None:
    """The two operations of a law, with something between them now and then."""
    law = draft.choices.pick(draft.laws)
    values: dict[str, Value] = {X: draft.variable()}
    values[Y] = ConstInt(draft.constant_beside(values[X])) if draft.choices.chance(30) else draft.variable()
    for name, arg in ((INNER, X), (OTHER, Y)):
        if name in law.places:
            args = (values[arg], values[Y])[: len(law.inner.args or ())]
            if not draft.is_defined(law.inner, args):
                return
            values[name] = draft.compute(law.inner, args)
    if draft.choices.chance(10):
        compute_any(draft)
    args = tuple(values[place] for place in law.places)
    if draft.is_defined(law.outer, args):
        draft.compute(law.outer, args)


def follow_near_law(draft: Draft) -> None:
    """The two operations of a near law: with a constant most often, by which the first one is defined."""
    law = draft.choices.pick(near_laws_of(draft.shape))
    inner = draft.made[_first(draft, law.inner).name]
    if len(inner.args) > 1 and inner.result is not None:
        values = {INNER: inner.result, Y: inner.args[1]}
        args = tuple(values[place] for place in law.places)
        if draft.is_defined(law.outer, args):
            draft.compute(law.outer, args)


def pair(draft: Draft) -> None:
    """Two operations, one on the result of the other, which is there already or is made: any two of the table as often
    as any other two, but the same one again and tests more often. What stands beside the result is a constant, an
    operand of the first one, what that makes of another variable, or any; what comes out is tested now and then."""
    choices, rows = draft.choices, (*draft.rows.pure, *draft.rows.overflow)
    if draft.computed and choices.chance(50):
        inner = _recent(draft)
    else:
        inner = draft.made[_first(draft, choices.pick(rows)).name]
    assert inner.result is not None
    outer = inner.op if choices.chance(20) else choices.pick(draft.rows.tests if choices.chance(30) else rows)
    match choices.integer(0, 7):
        case 0 if outer in draft.rows.tests:
            other: Value = ConstInt(0)
        case 0 | 1 | 2 | 3:
            other = ConstInt(draft.constant_beside(inner.result))
        case 4 | 5:
            other = choices.pick(inner.args)
        case 6:
            other = _on(draft, inner.op, draft.variable(), inner.args[-1])
        case _:
            other = draft.variable()
    last = _on(draft, outer, inner.result, other)
    if choices.chance(20):
        range_check(draft, last)


def _first(draft: Draft, row: Op) -> Var:
    """The operation on a variable of which something may be known, and a constant most often."""
    var = draft.variable()
    if draft.choices.chance(30):
        range_check(draft, var)
    is_constant = draft.choices.chance(70)
    return _on(draft, row, var, ConstInt(draft.constant_beside(var)) if is_constant else draft.variable())


def _on(draft: Draft, row: Op, one: Value, other: Value) -> Var:
    """The operation on the two, or turned around now and then, or on the first if it takes one; with another second one
    where it is not defined. Raises NotDrawable where there is none."""
    args: Args = (one, other)[: len(row.args or ())]
    if len(args) == 2 and not row.constant_args and draft.choices.chance(25):
        args = args[::-1]
    if draft.is_defined(row, args) and all(isinstance(args[index], ConstInt) for index in row.constant_args):
        return draft.compute(row, args)
    repaired = draft.repaired(row, args)
    if repaired is None:
        raise NotDrawable
    return draft.compute(row, repaired)


def infer(draft: Draft) -> None:
    """A check of what an operation makes of a variable, then a test of the variable: what does one say of the other?"""
    var = draft.variable()
    row = draft.choices.pick((*draft.rows.pure, *draft.rows.overflow))
    arity = len(row.args or ())
    place = draft.choices.integer(0, arity - 1) if not row.constant_args and draft.choices.chance(30) else 0
    args: Args = tuple(var if index == place else ConstInt(draft.constant_beside(var)) for index in range(arity))
    if not draft.is_defined(row, args):
        return
    range_check(draft, draft.compute(row, args))
    limit = ConstInt(draft.near(var))
    test = draft.test(var, limit)
    if draft.choices.chance(50):
        draft.guard_on(test)


def guard(draft: Draft) -> None:
    """A guard on a test that is there, or on a new one of two variables; now and then on any variable."""
    tests = draft.truths
    if tests and draft.choices.chance(40):
        draft.guard_on(draft.choices.latest(tests, 4))
    elif draft.choices.chance(20):
        draft.guard_on(draft.variable())
    else:
        compare(draft)


def compare(draft: Draft) -> None:
    """A guard on a test of two variables."""
    args = (draft.variable(), draft.variable())
    draft.guard_on(draft.test(*args))


def count(draft: Draft, var: Var) -> Var:
    """A constant more or less than the variable; now and then something else is computed from it, too, and checked.
    Raises NotDrawable."""
    rows = [row for row in (*draft.rows.pure, *draft.rows.overflow) if is_sum(row)]
    row, step = draft.choices.pick(rows), ConstInt(draft.choices.pick((1, 1, -1, 2, draft.constant())))
    if draft.choices.chance(60):
        scaling = [row for row in draft.rows.pure if is_scaling(row)]
        factor = ConstInt(draft.choices.integer(2, draft.shape.word - 1))
        range_check(draft, draft.compute(draft.choices.pick(scaling), (var, factor)))
    return draft.compute(row, (var, step))


def event(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.events)
    draft.event(row, draft.some_handed(3))


def position(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.positions)
    draft.add(row, (RawText(f"0, 0, 'merge {len(draft.ops)}'"),))
