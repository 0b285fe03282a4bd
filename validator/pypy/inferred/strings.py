"""Constant strings that PyPy's optimizer makes of new strings of constants.

What is in such a constant is not in the log. Where only the optimized trace has a constant object, and it stands where
the recorded trace has a new string of constants, both are taken for the constant that holds the same. One that stands
in the place of two different strings is not taken for any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from optimizer.ir.text.string_text import write_text
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.printed.lines import NULL, Line, is_pointer
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE

SAME_STRINGS = (
    "nobody asks which objects strings are: new ones of constants are the constants in whose place they stand"
)

_KINDS = {"newstr": "str", "newunicode": "unicode"}
_LONGEST = 1000
_ASKS_WHICH = (
    *("ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne", "cast_ptr_to_int"),
    *("guard_value", "record_exact_value_r"),
)
_ASKS = (*_ASKS_WHICH, "strsetitem", "unicodesetitem")

HELD = "ConstPtr(in_{})"
"""The name of a constant that a load finds, in which nobody asks which object that is."""


def constant_strings(rows: Rows, sameness: Sameness) -> dict[Node, str]:
    """The constants of optimized traces that are taken for strings, each with its text in quotes."""
    recorded = {node for sides in rows.pairs for node in _constants(BEFORE, sides.before.lines, sameness)}
    optimized = {node for sides in rows.pairs for node in _constants(AFTER, sides.after.lines, sameness)}
    texts: dict[Node, set[str]] = {}
    which = {node for sides in rows.pairs for node in asked(sides.before.lines, sameness)}
    for sides in rows.pairs:
        for value, text in new_strings(sides.before.lines).items():
            texts.setdefault(sameness.of(BEFORE, value), set()).add(text)
    free = optimized - recorded - which
    return {node: min(found) for node, found in texts.items() if node in free and len(found) == 1}


def asked(lines: tuple[Line, ...], sameness: Sameness) -> Iterator[Node]:
    """The objects of which the recorded trace asks which ones they are, under whatever names."""
    asking = (line for line in lines if line.name in _ASKS_WHICH and NULL not in line.args)
    questions = (line for line in asking if line.args[-1] != HELD.format(line.args[0]))
    return (sameness.of(BEFORE, arg) for line in questions for arg in line.args)


def _constants(trace: str, lines: tuple[Line, ...], sameness: Sameness) -> Iterator[Node]:
    return (sameness.of(trace, arg) for line in lines for arg in line.args if is_pointer(arg))


@dataclass(slots=True)
class _New:
    """A new string of so many items, and those that it has so far, by their indices."""

    kind: str
    length: int
    items: dict[int, int] = field(default_factory=dict)

    @property
    def is_filled(self) -> bool:
        return len(self.items) == self.length


def new_strings(lines: tuple[Line, ...]) -> dict[str, str]:
    """The strings that a trace makes and fills with constants before it does anything else with them, and of which it
    asks itself not which objects they are, as texts in quotes, by the names of the results."""
    new: dict[str, _New] = {}
    numbers: dict[str, int] = {}
    for line in lines:
        values = [int(arg) if arg.lstrip("-").isdigit() else numbers.get(arg) for arg in line.args]
        made = new.get(line.args[0]) if line.args else None
        if made and not made.is_filled and line.name in ("strsetitem", "unicodesetitem"):
            _, index, item = values
            if index is not None and 0 <= index < made.length and index not in made.items and item is not None:
                made.items[index] = item
                continue
        for arg in line.args:
            if arg in new and (line.name in _ASKS or not new[arg].is_filled or _is_filled_by(line, arg)):
                del new[arg]
        if line.result and line.name in _KINDS and values[0] is not None and 0 <= values[0] <= _LONGEST:
            new[line.result] = _New(_KINDS[line.name], values[0])
        elif line.result and made and line.name in ("strgetitem", "unicodegetitem") and values[1] in made.items:
            numbers[line.result] = made.items[values[1]]
    return {
        value: write_text(made.kind, [made.items[at] for at in range(made.length)])
        for value, made in new.items()
        if made.is_filled
    }


def _is_filled_by(line: Line, value: str) -> bool:
    return line.name in ("copystrcontent", "copyunicodecontent") and line.args[1] == value
