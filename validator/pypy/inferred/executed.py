"""Constants as the recorded trace has found them: their classes, which of them differ, and what is in them.

The trace was executed, so its guards have passed. A value that it found to be of a class and to be a constant tells the
class of that constant, for no object changes it. In the same way a guard on what was loaded from fields of constants
that never change, and computed from that, tells what the constants hold, as does one on the comparison of their
strings. And a function that gives the same each time, and has not raised, does not raise when it is given the same
again. All this is certain, wherever the trace leaves in another run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, pairwise

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import INT, LOAD, PURE, Op
from validator.pypy.inferred.numbering import Preserved
from validator.pypy.inferred.sameness import Node, sameness_in
from validator.pypy.inferred.strings import new_strings
from validator.pypy.printed.kinds.tables import CLASS_TESTS
from validator.pypy.printed.lines import NULL, Line, Printed, is_float, is_pointer, is_variable
from validator.pypy.printed.straight import BEFORE, Sides

PASSES = {"guard_true": True, "guard_false": False}
"""The guards of a comparison, with the truth for which they pass."""


def _is_lasting(row: Op) -> bool:
    """Does it give the same number of the same constants, whenever it is asked? Addresses are none."""
    if row.kind is LOAD:
        return row.memory is not None and row.memory.on is not None  # items of strings
    shows = row.memory is not None and row.memory.shows
    return row.kind is PURE and row.result is INT and row.overflows is None and not (row.has_floats or shows)


LASTING = frozenset(name for name, row in OPS.items() if _is_lasting(row))
"""The operations that give the same number of the same constants."""


SAY_CONSTANT = {
    **dict.fromkeys(("guard_value", "record_exact_value_i", "record_exact_value_r"), ""),
    "guard_isnull": NULL,
    "guard_true": "1",
    "guard_false": "0",
}
"""The operations that say which constant a value is; "" where it is the second argument."""

EQUATING = {
    **dict.fromkeys(("int_eq", "int_is_zero", "ptr_eq", "instance_ptr_eq"), "guard_true"),
    **dict.fromkeys(("int_ne", "int_is_true", "ptr_ne", "instance_ptr_ne"), "guard_false"),
}
"""The comparisons of two values, the second being 0 where there is none, with the guard that passes where both are
one."""

_EFFECT = re.compile(r"\bEF=[0-9]+")
_CANNOT_RAISE = "EF=0"
"""The effects of a function that gives the same each time, and does not raise."""

_NOTHING = Line(None, "", ())


def never_raising(descr: str) -> str:
    """The descr of a function that gives the same each time, of one that does not raise either."""
    return _EFFECT.sub(_CANNOT_RAISE, descr)


def with_calls_of_constants(sides: Sides) -> Sides:
    """The pair whose recorded trace says, of functions and sums of constants that have neither raised nor overflowed,
    that they do not, if the optimized one leaves them out."""
    optimized = (sides.after, sides.target.after) if sides.target else (sides.after,)
    called = {line.function for one in optimized for line in one.lines if line.is_call}
    names = sides.new_numbers()
    lines, found, compared, computed = list[Line](), dict[str, str](), dict[str, Line](), set[str | None]()
    for line, after in pairwise((*sides.before.lines, _NOTHING)):
        is_of_constants = all(arg in computed or not is_variable(found.get(arg, arg)) for arg in line.args)
        if line.name in EQUATING and line.result:
            compared[line.result] = line
        elif line.name == "guard_value":
            found[line.args[0]] = line.args[1]
        elif line.name in PASSES and (asked := compared.get(line.args[0])) and EQUATING[asked.name] == line.name:
            found.update(equated(asked))
        if not is_of_constants:
            lines.append(line)
        elif line.name.startswith("call_pure") and line.function not in called and after.name == "guard_no_exception":
            lines.append(replace(line, descr=never_raising(line.descr)))
            computed.add(line.result)
        elif line.name == "int_add_ovf" and after.name == "guard_no_overflow":
            lines += (*_no_overflow(names, *line.args), line)
            computed.add(line.result)
        else:
            lines.append(line)
            computed |= {line.result} if line.name in LASTING else set()
    return replace(sides, before=sides.before.with_lines(tuple(lines)))


def _no_overflow(names: Iterator[int], one: str, other: str) -> Iterator[Line]:
    """Statements that the sum of two numbers does not overflow: it has the sign of one of them."""
    total, *differs, both, is_wrong = (f"i{next(names)}" for _ in range(5))
    yield Line(total, "int_add", (one, other))
    yield from (Line(text, "int_xor", (value, total)) for text, value in zip(differs, (one, other), strict=True))
    yield Line(both, "int_and", tuple(differs))
    yield Line(is_wrong, "int_lt", (both, "0"))
    yield Line(None, "record_exact_value_i", (is_wrong, "0"))


def equated(comparison: Line) -> Iterator[tuple[str, str]]:
    """The value that is a constant if these are equal, and the constant."""
    one, other = (*comparison.args, "0")[:2]
    if is_variable(one) is not is_variable(other):
        yield (one, other) if is_variable(one) else (other, one)


def with_constants(sides: Sides, leaves: Preserved, is_fixed: Callable[[str], bool]) -> Sides:
    """The pair whose recorded trace, and that of the loop that it jumps to, say what they have found of their
    constants, where calls leave memory as `leaves` says and fields never change that are `fixed`. The former says what
    the latter has found, too."""
    names = sides.new_numbers()
    found = [_found(one.before, leaves, is_fixed) for one in ([sides, sides.target] if sides.target else [sides])]
    stated = chain.from_iterable(_named(lines, names) for lines in found)
    before = sides.before.with_lines((*stated, *sides.before.lines))
    if sides.target is None:
        return replace(sides, before=before)
    loop = sides.target.before
    return replace(
        sides,
        before=before,
        target=replace(sides.target, before=loop.with_lines((*_named(found[-1], names), *loop.lines))),
    )


def _named(lines: tuple[Line, ...], names: Iterator[int]) -> Iterator[Line]:
    """The lines, with names for their results that the traces do not have."""
    own = {line.result: f"{line.result[0]}{next(names)}" for line in lines if line.result}
    yield from (line.renamed(lambda text: own.get(text, text)) for line in lines)


@lru_cache(maxsize=2)  # a pair is translated up to three times, some with a loop
def _found(recorded: Printed, leaves: Preserved, is_fixed: Callable[[str], bool]) -> tuple[Line, ...]:
    """Statements on the constants of a recorded trace, as far as it alone tells."""
    sameness = sameness_in(recorded, leaves)
    of = partial(sameness.of, BEFORE)
    constants = {of(arg): arg for line in recorded.lines for arg in line.args if is_pointer(arg)}
    classes = {of(line.args[0]): line.args[1] for line in recorded.lines if line.name in CLASS_TESTS}
    stated = [
        Line(None, "record_exact_class", (constants[value], class_))
        for value, class_ in classes.items()
        if value in constants
    ]
    strings = {of(value): text for value, text in new_strings(recorded.lines).items()}
    return (*stated, *_Held(of, {**strings, **constants}, is_fixed).told(recorded.lines))


@dataclass(slots=True)
class _Held:
    """Values computed from the `constants` of a recorded trace, and from what new strings hold, by the texts of the
    results, and by their classes."""

    of: Callable[[str], Node]
    constants: dict[Node, str]
    is_fixed: Callable[[str], bool]
    made: dict[str, Line] = field(default_factory=dict)
    by_node: dict[Node, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def told(self, lines: tuple[Line, ...]) -> Iterator[Line]:
        """Statements on what guards ask about, each behind what computes that."""
        for line in lines:
            if line.is_guard and line.args and (value := self._source(line.args[0])) in self.made:
                for stated in statement(line, value):
                    yield from self._computing(stated)
                    yield stated
            elif line.result and self._is_computed(line) and all(map(self._source, line.args)):
                self.made[line.result] = replace(line, args=tuple(map(self._source, line.args)), point="", passed=None)
                self.by_node.setdefault(self.of(line.result), line.result)

    def _is_computed(self, line: Line) -> bool:
        if line.name.startswith("getfield_gc"):
            return self.is_fixed(line.descr)
        return line.name in LASTING or (line.name == "call_pure_i" and _CANNOT_RAISE in line.descr.split())

    def _source(self, text: str) -> str:
        """The text that stands for a value: itself, a constant that it is, or a result; "" of others."""
        node = self.of(text)
        if text in self.made:
            return text
        return self.constants.get(node) or self.by_node.get(node) or ("" if node[0] or is_float(node[1]) else node[1])

    def _computing(self, stated: Line) -> Iterator[Line]:
        """The operations that compute the arguments of a statement and were not yielded yet, in order."""
        for text in stated.args:
            if text in self.made and text not in self.said:
                self.said.add(text)
                yield from self._computing(self.made[text])
                yield self.made[text]


def statement(guard: Line, value: str) -> Iterator[Line]:
    """The finding of the guard, of that value."""
    match guard.name, guard.args[1:]:
        case "guard_true" | "guard_false", _:
            yield Line(None, "record_exact_value_i", (value, str(int(PASSES[guard.name]))))
        case "guard_value", rest if not is_variable(rest[0]):
            yield Line(None, f"record_exact_value_{'r' if value[0] == 'p' else 'i'}", (value, *rest))
        case "guard_isnull", _:
            yield Line(None, "record_exact_value_r", (value, NULL))
        case "guard_nonnull", _:
            yield Line(None, "assert_not_none", (value,))
        case "guard_class", rest:
            yield Line(None, "record_exact_class", (value, *rest))
