"""Values that are live where a guard resumes: the interpreter, which goes on there, has to have them.

A value that the end of a recorded trace hands on, and that was computed in front of a guard, is live at that guard. So
resume data has to make it: of what the optimized guard hands over, of constants, and of objects and strings that are
still virtual. A list of which it cannot be made belongs to an earlier guard.

A bridge hands some values to the label of a loop for the lists of its guards alone: the loop computes them anew before
it goes round. Nothing else tells that these are right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.printed.lines import Line, is_variable
from validator.pypy.printed.rows import body_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_NEW = ("new", "newstr", "newunicode")
"""The beginnings of operations whose results resume data can make."""

_HAS_RETURNED = "guard_not_forced_2"
"""The guard in front of `finish`, where the frame has returned already."""


class Live:
    """The values that are live at the guards of a recorded trace, and what those of the optimized one hand over.
    `mistake` is the reason to doubt what a bridge hands to a label for lists of guards alone; "" if there is none."""

    def __init__(self, sides: Sides, sameness: Sameness) -> None:
        self._of = sameness.of
        self._constants = frozenset(sameness.constant)
        self._seen = dict.fromkeys(sides.before.inputs, 0)
        self._made: dict[str, Line] = {}
        self._held = defaultdict[str, list[tuple[int, str]]](list)
        passed = 0
        for line in sides.before.lines:
            if line.result:
                self._seen[line.result], self._made[line.result] = passed, line
            if (found := line.access) and found.is_store:
                self._held[found.place[0]].append((passed, found.value))
            passed += line.is_guard
        self._ends = tuple(filter(is_variable, sides.before.lines[-1].args))
        self._guards = list(_with_sharing(sides.after.lines))
        self.mistake = _mistake(sides, sides.target, sameness) if sides.target else ""

    def lacking(self, origins: tuple[int | None, ...]) -> int | None:
        """The first guard of the optimized trace that lacks something which is live at its recorded guard, the number
        of which is among these, and may not share the resume data of one in front that does not; None if none does."""
        for number, ((guard, shares), origin) in enumerate(zip(self._guards, origins, strict=False)):
            if origin is None or shares or guard.name == _HAS_RETURNED:
                continue
            handed = frozenset(self._of(AFTER, text) for text in guard.handed if is_variable(text))
            live = (text for text in self._ends if self._seen[text] <= origin)
            asked = set[str]()
            if not all(self._can_be_made(text, origin, handed, asked) for text in live):
                return number
        return None

    def _can_be_made(self, text: str, origin: int, handed: frozenset[Node], asked: set[str]) -> bool:
        """Can resume data make the value, as it is when so many guards have passed, of what is handed over? Strings
        may be virtual, and what is loaded is taken to be stored where the interpreter finds it."""
        node = self._of(BEFORE, text)
        if text in asked or not is_variable(text) or node in handed or not node[0] or node in self._constants:
            return True
        asked.add(text)
        line = self._made.get(text)
        if line is None:
            return False
        if line.name.startswith("same_as"):
            return self._can_be_made(line.args[0], origin, handed, asked)
        if line.name.startswith(_NEW):
            held = (value for passed, value in self._held[text] if passed <= origin)
            return all(self._can_be_made(value, origin, handed, asked) for value in held)
        return line.access is not None or line.oopspec is not None


def _mistake(sides: Sides, loop: Sides, sameness: Sameness) -> str:
    """The argument of the jump that is for lists alone, and something else than it has to be. In its place the preamble
    hands on what the recorded loop hands on, or what is in an object that this makes for that: so does the bridge."""
    of = sameness.of
    (label,) = (line for line in loop.after.lines if line.name == "label")
    body = body_of(loop.after).lines
    used, listed = {text for line in body for text in line.args}, {text for line in body for text in line.handed}
    of_loop, of_bridge = list(_handed_on(loop.before.lines)), list(_handed_on(sides.before.lines))
    of_inputs = list(_found_in(sides, sameness))
    for number, (text, handed) in enumerate(zip(label.args, sides.after.lines[-1].args, strict=True)):
        places = {place for place, value in of_loop if of(BEFORE, value) == of(AFTER, text)}
        wanted = {of(BEFORE, value) for place, value in of_bridge if place in places}
        wanted |= {node for place, node in of_inputs if place in places}
        if text in listed - used and places and of(AFTER, handed) not in wanted:
            return f"argument {number} of the jump is not what the loop takes there, and only lists of its guards tell"
    return ""


_Place = tuple[object, ...]
"""The number of an argument, and the memory and the index in the object that it is, if it is about what that holds."""


def _handed_on(lines: tuple[Line, ...]) -> Iterator[tuple[_Place, str]]:
    """The values that the end hands on, and those in objects among them that are made there."""
    made = {line.result for line in lines if line.name.startswith(_NEW)}
    held: dict[str, dict[_Place, str]] = {}
    for found in (line.access for line in lines):
        if found and found.is_store and found.place[0] in made:
            held.setdefault(found.place[0], {})[found.memory, *found.place[1:]] = found.value
    for number, text in enumerate(lines[-1].args):
        yield (number,), text
        yield from (((number, *place), value) for place, value in held.get(text, {}).items())


def _found_in(sides: Sides, sameness: Sameness) -> Iterator[tuple[_Place, Node]]:
    """The values that a bridge loads from objects which its end hands on."""
    ends = [sameness.of(BEFORE, text) for text in sides.before.lines[-1].args]
    for trace, printed in ((BEFORE, sides.before), (AFTER, sides.after)):
        for found in (line.access for line in printed.lines):
            if found and not found.is_store:
                holder, *index = found.place
                node, value = sameness.of(trace, holder), sameness.of(trace, found.value)
                yield from (((number, found.memory, *index), value) for number, end in enumerate(ends) if end == node)


def _with_sharing(lines: tuple[Line, ...]) -> Iterator[tuple[Line, bool]]:
    """The guards, each with whether it may share the resume data of the one in front of it: it hands over the same,
    with neither store nor call between."""
    handed: tuple[str, ...] | None = None
    for line in lines:
        if line.is_guard:
            yield line, line.handed == handed
            handed = line.handed
        elif line.is_call or (line.access and line.access.is_store):
            handed = None
