"""Steps on integers, in shapes that optimizers have something to say of; events and positions."""

from __future__ import annotations

from itertools import islice

from fuzz.draw.draft import Args, Draft
from fuzz.draw.rows import OF_TWO, family
from fuzz.draw.steps.laws import INNER, OTHER, X, Y
from optimizer.ir.rows.ops import OPS, Op
from optimizer.ir.trace import ConstInt, Operation, RawText, Value, Var


def compute_any(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.pure)
    args = draft.operands(row)
    if args is None:
        return
    if row.defined is not None and isinstance(args[-1], Var) and draft.choices.chance(50):
        # Traces check divisors and shift amounts before they use them.
        _bound(draft, args[-1])
    draft.compute(row, args)


def compute_checked(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.overflow)
    args = draft.operands(row)
    if args is not None:
        draft.compute(row, args)


def chain(draft: Draft) -> None:
    """An operation with a constant on the result of one with a constant, the same one now and then."""
    links = list(islice(filter(_has_constant, reversed(draft.computed)), 4))
    if not links:
        return compute_any(draft)
    link = links[draft.choices.integer(0, len(links) - 1)]
    row = draft.choices.pick(_next_rows(draft, link.op))
    constants = [isinstance(arg, ConstInt) for arg in link.args]
    if row.args is None or len(row.args) != len(constants):
        row = link.op
    assert link.result is not None
    constant = ConstInt(draft.constant_beside(link.result))
    if not draft.shape.vocabulary.is_all and draft.choices.chance(25):
        # With that amount of shifts a word is used up, or just not.
        first = next(arg.value for arg in link.args if isinstance(arg, ConstInt))
        constant = ConstInt(draft.domain.const(draft.shape.word - first + draft.choices.integer(-1, 1)))
    args: Args = tuple(constant if fixed else link.result for fixed in constants)
    if draft.is_defined(row, args) and all(constants[index] for index in row.constant_args):
        draft.compute(row, args)
    return None


def _has_constant(operation: Operation) -> bool:
    return len(operation.args) > 1 and ConstInt in map(type, operation.args)


def _next_rows(draft: Draft, row: Op) -> tuple[Op, ...]:
    """The row itself, those that are defined where it is, others of single bits, tests, or any."""
    match draft.choices.integer(0, 9):
        case 0 | 1 | 2 | 3 | 4:
            return (row,)
        case 5 | 6 if row.defined is not None:
            return tuple(other for other in draft.rows.pure if other.defined is row.defined) or (row,)
        case 5 | 6 if row in draft.rows.bitwise:
            return draft.rows.bitwise
        case 7 | 8:
            return draft.rows.tests
        case _:
            return draft.rows.pure


def repeat(draft: Draft) -> None:
    if not draft.computed:
        return compute_any(draft)
    again = _recent(draft, draft.computed)
    args = again.args
    if again.op.commutative and draft.choices.chance(50):
        args = args[::-1]
    draft.compute(again.op, args)
    return None


def _recent(draft: Draft, operations: list[Operation]) -> Operation:
    return draft.choices.latest(operations, 10)


def take_relative(draft: Draft) -> None:
    """A relative of an operation on the same arguments, or the operation with a check of overflow, or without."""
    if not draft.computed:
        return compute_any(draft)
    again = _recent(draft, draft.computed)
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


def _bound(draft: Draft, var: Var) -> None:
    draft.choices.repeat(1, 2, lambda: range_check(draft, var))


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


def relate(draft: Draft) -> None:
    """An operation that undoes another one, absorbs it or compares it with an operand, on its result and that
    operand."""
    if not draft.computed:
        return compute_any(draft)
    link = _recent(draft, draft.computed)
    assert link.result is not None
    args: Args = (link.result, draft.choices.pick(link.args))
    if draft.choices.chance(30):
        args = args[::-1]
    if draft.choices.chance(30):
        row = draft.choices.pick(draft.rows.tests)
    else:
        row = draft.choices.pick([row for row in (*draft.rows.pure, *draft.rows.overflow) if row in OF_TWO])
    if draft.is_defined(row, args):
        draft.compute(row, args)
    return None


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


def order(draft: Draft) -> None:
    """A guard on a comparison of two words, and another comparison that it may decide."""
    args = (draft.variable(), draft.variable())
    tests = draft.rows.tests
    draft.guard_on(draft.compute(draft.choices.pick(tests), args))
    test = draft.compute(draft.choices.pick(tests), args[::-1] if draft.choices.chance(50) else args)
    if draft.choices.chance(30):
        draft.guard_on(test)


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
    rows = [row for row in (*draft.rows.pure, *draft.rows.overflow) if row.name in _COUNTING]
    row, step = draft.choices.pick(rows), ConstInt(draft.choices.pick((1, 1, -1, 2, draft.constant())))
    if draft.choices.chance(60):
        scaling = [row for row in draft.rows.pure if row.name in _SCALING]
        factor = ConstInt(draft.choices.integer(2, draft.shape.word - 1))
        range_check(draft, draft.compute(draft.choices.pick(scaling), (var, factor)))
    return draft.compute(row, (var, step))


_COUNTING = ("int_add", "int_add_ovf", "int_sub", "int_sub_ovf")
_SCALING = ("int_add", "int_mul", "int_lshift")


def event(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.events)
    draft.event(row, draft.some_handed(3))


def position(draft: Draft) -> None:
    row = draft.choices.pick(draft.rows.positions)
    draft.add(row, (RawText(f"0, 0, 'merge {len(draft.ops)}'"),))
