"""Knowledge that PyPy's optimizer may have had, and that a log does not hold.

It had reasons to leave guards out that show in no log: the class of a constant object, what the parent of a bridge had
found out. So guards that are gone are granted: they hold. Values that are gone cannot be (`Open`).
"""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.immutable import replace
from validator.pypy.lines import NULL, Line
from validator.pypy.straight import Sides


def with_guards_that_hold(sides: Sides, origins: tuple[int | None, ...]) -> Sides:
    """The pair, where the recorded guards that are the origin of none say that they hold."""
    kept = {*origins}
    numbers = iter(range(len(sides.before.lines)))
    lines = tuple(
        held
        for line in sides.before.lines
        for held in ((line,) if not line.is_guard or next(numbers) in kept else _held(line))
    )
    return replace(sides, before=sides.before.with_lines(lines))


def _held(guard: Line) -> Iterator[Line]:
    """Statements that this guard passes; itself where there are none."""
    value, *rest = guard.args or ("",)
    match guard.name:
        case "guard_true":
            yield Line(None, "record_exact_value_i", (value, "1"))
        case "guard_false":
            yield Line(None, "record_exact_value_i", (value, "0"))
        case "guard_value" if value[0] in "ip":
            yield Line(None, f"record_exact_value_{'r' if value[0] == 'p' else 'i'}", (value, *rest))
        case "guard_isnull":
            yield Line(None, "record_exact_value_r", (value, NULL))
        case "guard_nonnull":
            yield Line(None, "assert_not_none", (value,))
        case "guard_class" | "guard_nonnull_class":
            yield Line(None, "record_exact_class", (value, *rest))
        case _:
            yield guard
