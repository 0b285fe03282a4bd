"""Both traces of a pair from the same inputs: straight lines, or a loop with the one that PyPy has peeled of it.

PyPy's optimized loops load the fields of the virtualizable, which are inputs of the recorded one, in a fixed order, in
front of their label, or where nothing jumps to them, in front of everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from optimizer.ir.dialects.pypy_pairs import Kind, LogPair
from validator.pypy.printed.calls.buffers import with_buffers
from validator.pypy.printed.calls.forcing import without_forcing
from validator.pypy.printed.calls.functions import allocates_raw
from validator.pypy.printed.calls.item_by_item import COPIES, item_by_item
from validator.pypy.printed.lines import NULL, Line, Printed, is_variable, read_printed

BEFORE, AFTER = "before", "after"
"""The names of both traces."""

UNUSED = "what the optimized trace loads, and nobody uses, is not loaded"

TOKEN = "p_token"
"""The input that `force_token` gives on both sides: the frame of the running loop."""

LOST = "that hands over what the label in front of it does not take"
"""The words of a guard that hands over a value of an earlier iteration, or of nobody."""

_UNSEEN = ("enter_portal_frame", "leave_portal_frame", "guard_future_condition", "debug_merge_point", "jit_debug")
_HELPERS = re.compile(r"@(_?ll_\w+|sqrt_nonneg)$")
"""The names of the functions that have an oopspec, in whose place PyPy's optimizer calls others."""

_FORCED_LATER = "guard_not_forced_2"
_ASKS = ("guard_not_forced", "guard_no_exception", "guard_exception")
"""The guards that ask what the call in front did."""

_ITEMS = "<ArrayP 8>"
"""The items of the array of a frame, which are references."""

_FRAME_TOKEN = re.compile(r"<FieldP .*\.vable_token [0-9]+>")
"""The field of a frame that says whether it is to be forced."""

_VIRTUAL_TOKEN = "<FieldP JitVirtualRef.virtual_token 8>"
_FORCED = "<FieldP JitVirtualRef.forced 16>"
VIRTUAL_REF, _PRINTED_REF = "<SizeDescr JitVirtualRef>", "<SizeDescr 24>"
"""The class of what `virtual_ref` makes, and how an optimized trace prints it."""


class NotStraight(Exception):
    """A pair that is no pair of straight lines; its text says why."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A pair, whose inputs correspond by position. `target`: the peeled loop to whose inner label it jumps, if it is a
    bridge that does. `prologue`: where in the inputs the object is whose fields are loaded in front of it to give
    inputs, and these, in order."""

    before: Printed
    after: Printed
    target: Sides | None = None
    prologue: tuple[str, ...] = ()

    @property
    def is_peeled(self) -> bool:
        """Has the optimized loop an inner label?"""
        return any(line.name == "label" for line in self.after.lines)

    @property
    def printed(self) -> tuple[Printed, ...]:
        """All traces, those of the target, too."""
        return (self.before, self.after, *(self.target.printed if self.target else ()))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all traces."""
        return tuple(line for printed in self.printed for line in printed.lines)

    def new_numbers(self) -> Iterator[int]:
        """The numbers that no variable of these traces has."""
        return count(1 + max(printed.highest() for printed in self.printed))

    def renamed(self, rename: Callable[[str], str]) -> Sides:
        """The pair, and its target, with other names."""
        before, after = self.before.renamed(rename), self.after.renamed(rename)
        return replace(self, before=before, after=after, target=self.target and self.target.renamed(rename))

    def without_unused(self) -> Sides:
        """The pair, and its target, where nothing is computed in optimized traces that is not used."""
        target = self.target and self.target.without_unused()
        return replace(self, after=self.after.without_unused(), target=target)


def sides_of(pair: LogPair, file: str) -> Sides:
    """The sides of a pair as the log prints them. Raises NotStraight and InputError."""
    is_entered = pair.kind is not Kind.BRIDGE
    return straight(read_printed(pair.recorded, file), read_printed(pair.optimized, file), is_entered=is_entered)


def _with_ends(recorded: Printed, optimized: Printed) -> Iterator[Printed]:
    """Both traces; if they finish in different ways, with the number of the way behind what they hand over: one returns
    it, say, and the other raises it."""
    sides = recorded, optimized
    ends = [side.lines[-1] for side in sides]
    ways = [end.descr.partition(" object at ")[0] for end in ends]
    if all(end.name == "finish" for end in ends) and ways[0] and not ways[1]:
        raise NotStraight("an end that does not say how the trace finishes")
    is_other = all(end.name == "finish" and end.descr for end in ends) and ways[0] != ways[1]
    for number, (side, end) in enumerate(zip(sides, ends, strict=True)):
        told = replace(end, args=(*end.args, str(number))) if is_other else end
        yield side.with_lines((*side.lines[:-1], told))


def straight(recorded: Printed, optimized: Printed, *, is_entered: bool = True) -> Sides:
    """The pair from the inputs of the recorded trace on, which are loaded in front of what the interpreter has entered.
    Raises NotStraight."""
    check_guards(optimized)
    if optimized.lines[-1].name == "jump" and not optimized.lines[-1].descr:
        raise NotStraight("a jump that does not say where it goes")
    functions = {line.function for line in recorded.lines}
    called = [
        line.function for line in optimized.lines if line.is_call and line.oopspec and line.function not in functions
    ]
    if not all(map(_HELPERS.search, called)):
        raise NotStraight("a call of a function of RPython's by another name")
    after = _from_label(optimized)
    if len(after.inputs) != len(recorded.inputs) and is_entered:
        after = _from_entry(after, len(recorded.inputs))
    if len(after.inputs) != len(recorded.inputs):
        raise NotStraight(
            f"the recorded bridge has {len(recorded.inputs)} inputs, the optimized one {len(after.inputs)}"
        )
    results = {line.result for line in after.lines}
    in_front = [line for line in optimized.lines if line.name.startswith("getfield_gc") and line.result not in results]
    prologue = tuple(line.descr for line in in_front)
    if in_front:
        prologue = (str(optimized.inputs.index(in_front[0].args[0])), *prologue)
    points = frozenset(line.point for line in recorded.lines if line.point)
    recorded = Printed(recorded.inputs, without_forcing(recorded.lines, after.lines), points)
    before, after = (side.with_lines(with_buffers(tuple(plain(side.lines)))) for side in _with_ends(recorded, after))
    sides = Sides(before.with_lines(tuple(item_by_item(before, after))), after, prologue=prologue)
    if sides.is_peeled and sides.before.lines[-1].name != "jump":
        raise NotStraight("a peeled loop, of which the recorded trace does not go back to its start")
    return sides


def check_guards(optimized: Printed) -> None:
    """Raises NotStraight where a guard hands over a value that is not computed yet, or that the label in front does not
    take: who jumps there does not have it. Or stands between a call and the guard that asks what it did: no other one
    tells the interpreter of an exception; that for a frame that is forced stands right behind the call, which has its
    descr while it runs (`_consider_call_may_force` in regalloc.py). Or if the guard for a frame that is forced later
    does not stand in front of the end: behind it nobody keeps what it hands over (`consider_guard_not_forced_2`)."""
    known, other, passed = {*optimized.inputs}, "", set[str]()
    ahead = (None, *optimized.lines[:-1])
    if any(
        line.name == _ASKS[0] and not (one and one.is_call) for line, one in zip(optimized.lines, ahead, strict=True)
    ):
        raise NotStraight(f"a {_ASKS[0]} that does not stand behind a call")
    for line, behind in zip(optimized.lines, (*optimized.lines[1:], None), strict=True):
        if line.name == _FORCED_LATER and behind and behind.name != "finish":
            raise NotStraight(f"a {_FORCED_LATER} that does not stand in front of the end")
        unknown = {text for text in line.handed if is_variable(text) and text not in known}
        if unknown & passed:
            raise NotStraight(f"a {line.name} {LOST}")
        if unknown:
            raise NotStraight(f"a {line.name} that hands over what is computed behind it")
        if line.name == "label":
            passed |= known
            known = {*line.args}
        if line.name in _ASKS and other:
            raise NotStraight(f"a {other} between a call and its {line.name}")
        if line.is_guard or line.is_call:
            other = line.name if line.is_guard and line.name not in _ASKS else ""
        known.add(line.result or "")


def _from_label(optimized: Printed) -> Printed:
    labels = [number for number, line in enumerate(optimized.lines) if line.name == "label"]
    if not labels:
        return optimized
    label, *inner = labels
    end = optimized.lines[-1]
    goes_back_to = [optimized.lines[place].descr for place in inner or labels]
    if goes_back_to != [end.descr] if end.name == "jump" else inner:
        raise NotStraight("a loop with other labels than those of a preamble and of a body that goes back to itself")
    inputs, _ = _inputs_of_prologue(optimized.inputs, optimized.lines[:label])
    if optimized.lines[label].args != inputs:
        raise NotStraight("a label that does not take what stands in front of it, in this order")
    return Printed(inputs, optimized.lines[label + 1 :])


def _from_entry(optimized: Printed, number: int) -> Printed:
    """The trace behind the loads that give so many inputs."""
    for end in range(len(optimized.lines) + 1):
        inputs, arrays = _inputs_of_prologue(optimized.inputs, optimized.lines[:end])
        if len(inputs) == number and not any(_is_item(line, inputs) for line in optimized.lines[end : end + 1]):
            break
    else:
        raise NotStraight(f"the recorded trace has {number} inputs, the optimized one {len(optimized.inputs)}")
    rest = optimized.lines[end:]
    used = {arg for line in rest for arg in line.args}
    kept = [line for line in optimized.lines[:end] if line.result in arrays and line.result in used]
    return Printed(inputs, (*kept, *rest))


def _inputs_of_prologue(given: tuple[str, ...], prologue: tuple[Line, ...]) -> tuple[tuple[str, ...], set[str]]:
    """The inputs that a prologue loads, behind the given ones, and the arrays that it loads them from. Raises
    NotStraight for whatever is no such load."""
    _check_places(prologue)
    loaded, arrays = list(given), set()
    for line in prologue:
        if line.result is None or not _loads(line, {*loaded}):
            raise NotStraight(f"{line.name} stands in front of the loop")
        if line.name.startswith("getarrayitem_gc"):
            arrays.add(line.args[0])
        loaded.append(line.result)
    return tuple(value for value in loaded if value not in arrays), arrays


def _check_places(prologue: tuple[Line, ...]) -> None:
    """Raises NotStraight unless the loads are of fields of one object and one struct, each once, and of items from the
    first on, where the array is in such a field: others are not the inputs, whatever their number."""
    loaded = {line.result for line in prologue if line.name.startswith("getfield_gc")}
    fields: dict[str, list[str]] = {}
    items: dict[str, list[str]] = {}
    is_other = False
    for line in prologue:
        if line.name.startswith("getfield_gc"):
            fields.setdefault(line.args[0], []).append(line.descr)
        elif line.name.startswith("getarrayitem_gc"):
            items.setdefault(line.args[0], []).append(line.args[1])
            is_other |= line.descr != _ITEMS
    for descrs in fields.values():
        structs = {descr.split(" ")[1].rpartition(".")[0] for descr in descrs}
        is_token = any(map(_FRAME_TOKEN.fullmatch, descrs))
        if len(fields) > 1 or len(structs) > 1 or len(set(descrs)) < len(descrs) or is_token:
            raise NotStraight("what is loaded in front is not the fields of a virtualizable")
    in_order = all(indices == [str(number) for number in range(len(indices))] for indices in items.values())
    if not in_order or is_other or items.keys() - loaded:
        raise NotStraight("what is loaded in front is not the items of a virtualizable from the first on")


def _is_item(line: Line, loaded: tuple[str, ...]) -> bool:
    return line.name.startswith("getarrayitem_gc") and line.args[0] in loaded


def _loads(line: Line, objects: set[str]) -> bool:
    return line.name.startswith(("getfield_gc", "getarrayitem_gc")) and line.args[0] in objects


def plain(lines: tuple[Line, ...]) -> Iterator[Line]:
    """The lines without what nobody sees, as copies of no items, and with virtual references as the objects that they
    are. PyPy's optimizer makes them as any other object; their fields tell. There is memory for what is allocated."""
    references = {line.args[0] for line in lines if line.name == "setfield_gc" and line.descr == _VIRTUAL_TOKEN}
    allocated = {line.result for line in lines if allocates_raw(line.function)}
    for line in lines:
        match line.name:
            case "check_memory_error" if line.args[0] in allocated:
                pass
            case "new_with_vtable" if line.result in references and line.descr == _PRINTED_REF:
                yield replace(line, descr=VIRTUAL_REF)
            case "increment_debug_counter":  # the backend adds them behind the log, at addresses of its own
                raise NotStraight("a counter of PyPy's debugging, which writes memory")
            case name if name in _UNSEEN or (COPIES.fullmatch(line.function) and line.args[-1] == "0"):
                pass
            case "force_token":
                yield replace(line, name="same_as_r", args=(TOKEN,))
            case "virtual_ref":
                assert line.result is not None
                yield replace(line, name="new_with_vtable", args=(), descr=VIRTUAL_REF)
                yield _set(line, (line.result, TOKEN), _VIRTUAL_TOKEN)
                yield _set(line, (line.result, NULL), _FORCED)
            case "virtual_ref_finish":
                reference, forced = line.args
                if forced != NULL:
                    yield _set(line, (reference, forced), _FORCED)
                yield _set(line, (reference, NULL), _VIRTUAL_TOKEN)
            case _:
                yield line


def _set(line: Line, args: tuple[str, ...], descr: str) -> Line:
    """A store in the place of that line."""
    return replace(line, result=None, name="setfield_gc", args=args, descr=descr)
