"""Knowledge that PyPy's optimizer may have had, and that a log does not hold.

It had reasons to leave guards out that show in no log: the class of a constant object, what the parent of a bridge had
found out. So guards that are gone are granted: they hold. Values that are gone cannot be (`Open`). Nor are guards on
how floats compare in a loop: all that the optimizer may know of a float there is its value, which is open then.

Nor does a log say how wide fields are, and the results of calls that are narrower than a word. The optimizer knows
their bounds. So numbers are granted that are within those of all widths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from optimizer.ir.dialects.pypy_pairs import Kind
from optimizer.ir.immutable import replace
from validator.pypy.printed.lines import NULL, Line
from validator.pypy.printed.straight import Sides

_NARROW = re.compile(r"(<InteriorFieldDescr )?<Field[SU] .*|<Calli [124] .*")
_WIDE = re.compile(r"<FieldS .*\bW_IntObject\.inst_intval [0-9]+ pure>")
_TRUTH = re.compile(r".*<FieldU .*|<Calli 1 .*")
_TRUTHS, _BYTES = "2", "128"
"""The ends of the numbers, from 0 on, that fit into a truth value, and into a byte, whether it has a sign or not."""


def with_guards_that_hold(sides: Sides, origins: tuple[int | None, ...], kind: Kind) -> Sides:
    """The pair, where the recorded guards that are the origin of none say that they hold, as far as that is granted."""
    is_straight_loop = kind is Kind.LOOP and not sides.is_peeled
    of_floats = (line for line in sides.before.lines if is_straight_loop and line.name.startswith("float_"))
    kept, compared = {*origins}, {line.result for line in of_floats}
    numbers = iter(range(len(sides.before.lines)))
    lines = tuple(
        held
        for line in sides.before.lines
        for held in (
            (line,) if not line.is_guard or next(numbers) in kept or not compared.isdisjoint(line.args) else _held(line)
        )
    )
    return replace(sides, before=sides.before.with_lines(lines))


def with_narrow_numbers(sides: Sides) -> Sides:
    """The pair, where the recorded trace says that it loads, and is given by calls, what fits into any field."""
    names = sides.new_numbers()
    lines = tuple(
        stated
        for line in sides.before.lines
        for stated in ((line, *_fits(line, names)) if _is_narrow(line) else (line,))
    )
    return replace(sides, before=sides.before.with_lines(lines))


def _is_narrow(line: Line) -> bool:
    """May it give a number that is narrower than a word, and of which the log does not say how wide it is?"""
    is_number = line.result is not None and line.result[0] == "i"
    return is_number and _NARROW.fullmatch(line.descr) is not None and _WIDE.fullmatch(line.descr) is None


def _fits(line: Line, names: Iterator[int]) -> Iterator[Line]:
    assert line.result is not None
    is_less = f"i{next(names)}"
    yield Line(is_less, "uint_lt", (line.result, _TRUTHS if _TRUTH.match(line.descr) else _BYTES))
    yield Line(None, "record_exact_value_i", (is_less, "1"))


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
