"""Checks of an index against a length, as programs make them, and what is tested or accessed near to either."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fuzz.draw.draft import Args, Draft
from fuzz.draw.rows import OF_TWO, is_sum
from optimizer.ir.rows.ops import Op
from optimizer.ir.trace import ConstInt, Value, Var

Access = Callable[[Var], None]


def check_bounds(draft: Draft) -> None:
    """An index and a number of items."""
    positive = [var for var in draft.numbers if draft.values[var.name] > 0]
    limit = draft.choices.pick(positive) if positive and draft.choices.chance(80) else draft.variable()
    check_index(draft, limit)


def check_index(draft: Draft, limit: Var, access: Access | None = None) -> None:
    """An index, checked against a limit, and others near to one of them, which that may decide: each checked in its
    turn, or not. Those below the limit `access` is given."""
    index = _index(draft, limit)
    _check(draft, index, limit)
    draft.checked += [limit, index]

    def once(index: Var) -> None:
        if access is not None and 0 <= draft.values[index.name] < draft.values[limit.name]:
            access(index)

    def go_on() -> None:
        near = _beside(draft, index, limit)
        others: list[Value] = [limit, limit, index, ConstInt(0), ConstInt(draft.near(near))]
        _test(draft, near, draft.choices.pick(others), (*draft.rows.signed, *draft.rows.unsigned), 60)
        once(near)

    once(index)
    draft.choices.repeat(1, 2, go_on)


def _index(draft: Draft, limit: Var) -> Var:
    """A variable that is one below the limit on the example, or is made one; any where there is none."""
    bound, choices = draft.values[limit.name], draft.choices
    below = [var for var in draft.numbers if 0 <= draft.values[var.name] < bound]
    if below and choices.chance(70):
        return choices.latest(below, 6)
    var = draft.variable()
    row = choices.pick(_makers(draft))
    args = (var, limit if choices.chance(50) else ConstInt(draft.constant_beside(limit)))
    return draft.compute(row, args) if draft.is_defined(row, args) else var


def _check(draft: Draft, index: Var, limit: Var) -> None:
    """A test without a sign; or two with one, that the index is not negative, and that it is below the limit; or
    something of the kind."""
    choices, signed, zero = draft.choices, draft.rows.signed, ConstInt(0)
    match choices.integer(0, 5):
        case 0 | 1:
            tests: list[tuple[Value, Value]] = [(index, limit)]
            rows: Sequence[Op] = draft.rows.unsigned
        case 2 | 3:
            tests = [(index, zero), (index, limit)]
            rows = [row for row in signed if _tells(draft, row)]
        case _:
            sign = choices.pick((index, limit)), choices.pick((zero, zero, ConstInt(-1), ConstInt(1)))
            tests = choices.pick(([(index, limit)], [(index, limit), sign], [sign, (index, limit)]))
            rows = signed
    for one, other in tests:
        _test(draft, one, other, rows, 95)


def _tells(draft: Draft, row: Op) -> bool:
    """Does the test tell a number from one less?"""
    assert row.meaning is not None
    return bool(row.meaning(draft.domain, -1, 0) != row.meaning(draft.domain, 0, 0))


def _test(draft: Draft, one: Value, other: Value, rows: Sequence[Op], guarded: int) -> None:
    """A test of the two, one of the rows, guarded in so many of 100 cases."""
    args = (other, one) if draft.choices.chance(10) else (one, other)
    result = draft.compute(draft.choices.pick(rows), args)
    if draft.choices.chance(guarded):
        draft.guard_on(result)


def _beside(draft: Draft, index: Var, limit: Var) -> Var:
    """A neighbour of the index or of the limit, what is between them, or anything else of them."""
    choices = draft.choices
    sums = [row for row in (*draft.rows.pure, *draft.rows.overflow) if is_sum(row)]
    var = choices.pick((index, index, index, limit))
    if sums and choices.chance(70):
        row = choices.pick(sums)
        other: Value = ConstInt(choices.pick((1, 1, 1, 2, draft.constant_beside(var))))
    else:
        row = choices.pick(_makers(draft))
        other = ConstInt(draft.constant_beside(var))
    args: Args = (var, other) if choices.chance(70) else (limit, index)
    return draft.compute(row, args) if draft.is_defined(row, args) else var


def _makers(draft: Draft) -> list[Op]:
    """The rows that may make an index of two words: tests do not."""
    return [row for row in draft.rows.pure if row in OF_TWO and row not in draft.rows.tests]
