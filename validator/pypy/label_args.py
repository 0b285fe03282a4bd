"""Values that a bridge hands to the label of a loop, and lists of its guards alone tell.

The body computes some of what its label takes anew before it goes round, and hands it over at its guards until then. It
may also leave at once where such a bridge comes from, so that nothing compares what it computes. So what a bridge hands
to the label is held against what the recorded bridge hands on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from optimizer.ir.immutable import immutable
from validator.pypy.inferred.made import Made
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.printed.lines import Line
from validator.pypy.printed.rows import body_of
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_Place = tuple[int, tuple[str, ...]]
"""The number of an argument, and the memory and the index in the object that it is, if it is about what that holds."""


@immutable
class Doubt:
    """An argument of a bridge's jump to a label, by its number, that may be something else than it has to be: one of
    these arguments of the recorded jump. `is_computed_with`: the body computes with it, and lists it nowhere;
    `is_listed`: it lists what the recorded loop computes anew."""

    number: int
    wanted: tuple[int, ...]
    is_computed_with: bool
    is_listed: bool = False


def doubts(sides: Sides, sameness: Sameness) -> Iterator[Doubt]:
    """The doubtful arguments of a bridge's jump to a label. In the place of some the preamble hands on what the
    recorded loop hands on, or what is in an object that this makes for that: so does the bridge."""
    if sides.target is None:
        return
    loop = sides.target
    (label,) = (line for line in loop.after.lines if line.name == "label")
    body = body_of(loop.after).lines[:-1]
    listed = {text for line in body for text in line.handed}
    used = {text for line in body for text in line.args} - listed
    of_inputs = list(_found_in(sides, sameness))
    of_loop, of_bridge = list(_handed_on(loop.before.lines)), list(_handed_on(sides.before.lines))
    (in_loop, in_preamble), (recorded, optimized) = _told(loop, sameness), _told(sides, sameness)
    for number, (text, handed) in enumerate(zip(label.args, sides.after.lines[-1].args, strict=True)):
        places = {place for place, value in of_loop if in_loop(value) == in_preamble(text)}
        wanted = {recorded(value) for place, value in of_bridge if place in places}
        wanted |= {node for place, node in of_inputs if place in places}
        if places and optimized(handed) not in wanted:
            yield Doubt(number, tuple(sorted(k for k, inside in places if not inside)), text in used)
        elif not places and text in listed:
            yield Doubt(number, (), is_computed_with=False, is_listed=True)


def _told(sides: Sides, sameness: Sameness) -> list[Callable[[str], object]]:
    """The values of the recorded and of the optimized trace, those of objects that are made there by what they hold."""
    traces = ((BEFORE, sides.before), (AFTER, sides.after))
    return [Made(printed.lines, partial(sameness.of, trace), set()).told for trace, printed in traces]


def _handed_on(lines: tuple[Line, ...]) -> Iterator[tuple[_Place, str]]:
    """The values that the end hands on, and those in objects among them that are made there."""
    made = {line.result for line in lines if line.name.startswith("new")}
    held: dict[str, dict[tuple[str, ...], str]] = {}
    for found in (line.access for line in lines):
        if found and found.is_store and found.place[0] in made:
            held.setdefault(found.place[0], {})[found.memory, *found.place[1:]] = found.value
    for number, text in enumerate(lines[-1].args):
        yield (number, ()), text
        yield from (((number, inside), value) for inside, value in held.get(text, {}).items())


def _found_in(sides: Sides, sameness: Sameness) -> Iterator[tuple[_Place, Node]]:
    """The values that a bridge loads from objects which its end hands on."""
    ends = [sameness.of(BEFORE, text) for text in sides.before.lines[-1].args]
    for trace, printed in ((BEFORE, sides.before), (AFTER, sides.after)):
        for found in (line.access for line in printed.lines):
            if found and not found.is_store:
                holder, *index = found.place
                node, value = sameness.of(trace, holder), sameness.of(trace, found.value)
                inside = found.memory, *index
                yield from (((number, inside), value) for number, end in enumerate(ends) if end == node)
