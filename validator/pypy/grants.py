"""Knowledge that PyPy's optimizer may have had, and that a log does not hold.

It had reasons to leave guards out that show in no log: the class of a constant object, what the parent of a bridge had
found out. So guards that are gone are granted: they hold. Values that are gone cannot be: then a difference may be due
to them, and is no refutation.
"""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.dialects.pypy_pairs import Kind
from optimizer.ir.immutable import replace
from validator.pypy.lines import NULL, Line, is_pointer
from validator.pypy.sameness import Sameness
from validator.pypy.straight import AFTER, BEFORE, Sides


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


def unsaid(sides: Sides, sameness: Sameness, kind: Kind) -> tuple[str, ...]:
    """Statements that a log does not hold, and on which values of the optimized trace may depend."""
    return tuple(dict.fromkeys([*_constants(sides, sameness), *_values(sides, sameness, kind)]))


def _constants(sides: Sides, sameness: Sameness) -> Iterator[str]:
    """Of objects that only the optimized trace names: constants that it has folded, also where the recorded trace makes
    an object instead, such as a string."""
    recorded = {sameness.of(BEFORE, arg) for line in sides.before.lines for arg in line.args if is_pointer(arg)}
    for line in sides.after.lines:
        for arg in line.args:
            if is_pointer(arg) and sameness.of(AFTER, arg) not in recorded:
                yield f"the optimized trace has an object that the recorded one does not name, {arg}"


def _values(sides: Sides, sameness: Sameness, kind: Kind) -> Iterator[str]:
    """Of loads that are gone: those from constants, and in a bridge all that its parent may have done."""
    there = {sameness.of(AFTER, text) for line in sides.after.lines for text in (*line.args, line.result) if text}
    for line in sides.before.lines:
        found = line.access
        if found is None or found.is_store or sameness.of(BEFORE, found.value) in there:
            continue
        if is_pointer(found.place[0]):
            yield f"the value of {found.memory} of a constant object"
        elif kind is Kind.BRIDGE and sameness.of(BEFORE, found.place[0]) in there:
            yield f"the value of {found.memory} that the parent of the bridge had in hand"
