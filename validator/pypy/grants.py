"""Knowledge that PyPy's optimizer may have had, and that a log does not hold.

It had reasons to leave guards out that show in no log: the class of a constant object, what the parent of a bridge had
found out. So guards that are gone are granted: they hold. Values that are gone cannot be: then a difference may be due
to them, and is no refutation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from optimizer.ir.dialects.pypy_pairs import Kind
from optimizer.ir.immutable import replace
from validator.pypy.lines import NULL, Line, is_float, is_pointer, is_variable
from validator.pypy.sameness import Node, Sameness
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
    gone = (_constants(sides, sameness), _values(sides, sameness, kind), _folded(sides, sameness, kind))
    return tuple(dict.fromkeys(itertools.chain(*gone)))


def _constants(sides: Sides, sameness: Sameness) -> Iterator[str]:
    recorded = {sameness.of(BEFORE, arg) for line in sides.before.lines for arg in line.args}
    for line in sides.after.lines:
        for arg in line.args:
            if sameness.of(AFTER, arg) in recorded:
                continue
            if is_pointer(arg):
                yield f"the optimized trace has an object that the recorded one does not name, {arg}"
            elif is_float(arg):
                yield f"the float that is printed as {arg}"


def _values(sides: Sides, sameness: Sameness, kind: Kind) -> Iterator[str]:
    """Of loads that are gone: those from constants, and in a bridge all that its parent may have done. A load that
    stands where the optimized trace has a constant object is gone, too."""
    there = {sameness.of(AFTER, text) for line in sides.after.lines for text in (*line.args, line.result) if text}
    objects = {sameness.of(AFTER, arg) for line in sides.after.lines for arg in line.args if is_pointer(arg)}
    kept = {*_done(AFTER, sides.after.lines, sameness)}
    for line in sides.before.lines:
        found = line.access
        if found is None or found.is_store or _key(BEFORE, line, sameness) in kept:
            continue
        if (value := sameness.of(BEFORE, found.value)) in there and value not in objects:
            continue
        if is_pointer(found.place[0]):
            yield f"the value of {found.memory} of a constant object"
        elif kind is Kind.BRIDGE and sameness.of(BEFORE, found.place[0]) in there:
            yield f"the value of {found.memory} that the parent of the bridge had in hand"


_ELIDABLE, _INVARIANT = (0, 3, 4), 1
"""The classes of the effects of elidable calls, and of loop-invariant ones."""


def _folded(sides: Sides, sameness: Sameness, kind: Kind) -> Iterator[str]:
    """Of operations that are gone: those of constants that a log does not tell, which PyPy knows. Calls are folded
    where all arguments are constants; others may have been simplified."""
    kept = {*_done(AFTER, sides.after.lines, sameness)}
    for line in sides.before.lines:
        if line.result is None or line.access or line.is_guard or _key(BEFORE, line, sameness) in kept:
            continue
        nodes = [sameness.of(BEFORE, arg) for arg in line.args]
        if line.is_call:
            is_folded = line.effect in _ELIDABLE and not any(is_variable(text) for _, text in nodes)
            if is_folded or (line.effect == _INVARIANT and kind is Kind.BRIDGE):
                yield f"the result of {line.function}"
        elif any(not is_variable(text) and not _is_number(text) for _, text in nodes):
            yield f"the result of {line.name} of a constant"


def _done(trace: str, lines: Iterable[Line], sameness: Sameness) -> Iterator[object]:
    return (_key(trace, line, sameness) for line in lines)


def _key(trace: str, line: Line, sameness: Sameness) -> tuple[str, str, tuple[Node, ...]]:
    return line.name, line.descr, tuple(sameness.of(trace, arg) for arg in line.args)


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit() or text == NULL
