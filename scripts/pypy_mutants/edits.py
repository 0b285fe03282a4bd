"""Random edits of an optimized trace as a log prints it, as a wrong optimizer would have left it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from optimizer.ir.text.syntax import OPERATION
from validator.pypy.printed.parents import OPPOSITES

_LINE = re.compile(
    r"(?P<offset>\s*(?:\+[0-9]+: )?)(?:(?P<result>\w+) = )?(?P<name>\w+)\((?P<args>.*)\)(?P<live>(?: \[[^\]]*\])?)\Z"
)
_UNSEEN = ("debug_merge_point", "label", "jit_debug", "enter_portal_frame", "leave_portal_frame")
_LONGEST_WAY = 12
"""The number of operations over which a guard or a load is moved, at most."""


@dataclass(frozen=True)
class Op:
    """A line of a section with an operation, taken apart."""

    offset: str
    result: str | None
    name: str
    args: tuple[str, ...]
    descr: str
    live: str

    @property
    def is_guard(self) -> bool:
        return self.name.startswith("guard_")

    @property
    def is_load(self) -> bool:
        return self.name.startswith(("getfield_gc", "getarrayitem_gc", "getinteriorfield_gc"))

    @property
    def is_store(self) -> bool:
        return self.name.startswith(("setfield_gc", "setarrayitem_gc", "setinteriorfield_gc"))

    @property
    def is_allocation(self) -> bool:
        return self.name in ("new", "new_with_vtable")

    @property
    def has_effect(self) -> bool:
        return self.name.startswith(("call_", "cond_call")) and not re.search(r"EF=[0134]\b", self.descr)

    def __str__(self) -> str:
        args = ", ".join((*self.args, *((f"descr={self.descr}",) if self.descr else ())))
        return f"{self.offset}{f'{self.result} = ' if self.result else ''}{self.name}({args}){self.live}"


Line = str | Op
Place = tuple[int, Op]


def taken_apart(lines: Sequence[str]) -> list[Line]:
    """The lines; those with operations that an edit may change as such. What stands in front of the last label, as
    loads of inputs do, is left as it is."""
    labels = [at for at, line in enumerate(lines) if (found := OPERATION.match(line)) and found[2] == "label"]
    first = labels[-1] + 1 if labels else 0
    return [_op(line) or line if at >= first else line for at, line in enumerate(lines)]


def _op(line: str) -> Op | None:
    found = _LINE.match(line)
    if found is None or found["name"] in _UNSEEN:
        return None
    args, _, descr = found["args"].partition("descr=")
    parts = tuple(part for part in args.rstrip(", ").split(", ") if part)
    return Op(found["offset"], found["result"], found["name"], parts, descr, found["live"])


@dataclass(frozen=True)
class Fault:
    """A kind of edit: its name, and the function that lists its results."""

    name: str
    makes: Callable[[list[Line], Random], Iterator[list[Line]]]


def _ops(lines: list[Line]) -> list[Place]:
    return [(at, line) for at, line in enumerate(lines) if isinstance(line, Op)]


def _with(lines: list[Line], at: int, *ops: Line) -> list[Line]:
    return [*lines[:at], *ops, *lines[at + 1 :]]


def _moved(lines: list[Line], at: int, to: int) -> list[Line]:
    """The line in front of the one that stood at `to`."""
    rest = [*lines[:at], *lines[at + 1 :]]
    place = to - (to > at)
    return [*rest[:place], lines[at], *rest[place:]]


def _uses(line: Line, name: str | None) -> bool:
    return isinstance(line, Op) and name is not None and (name in line.args or name in re.findall(r"\w+", line.live))


def _is_defined(lines: list[Line], names: tuple[str, ...], ahead_of: int, at: int) -> bool:
    """Is none of these made between the two places?"""
    return not any(isinstance(line, Op) and line.result in names for line in lines[ahead_of:at])


def _constants(lines: list[Line], draw: Random) -> Iterator[list[Line]]:
    for at, op in _ops(lines):
        for place, arg in enumerate(op.args):
            if re.fullmatch(r"-?[0-9]{1,15}", arg) and not op.name.startswith("guard_class"):
                changed = str(int(arg) + draw.choice((-1, 1)))
                yield _with(lines, at, replace(op, args=(*op.args[:place], changed, *op.args[place + 1 :])))


_COMMUTE = re.compile(r"int_(add|mul|and|or|xor|eq|ne)(_ovf)?\Z|(instance_)?ptr_(eq|ne)\Z|float_(add|mul|eq|ne)\Z")


def _swapped(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    for at, op in _ops(lines):
        if op.is_load or op.is_store or op.is_guard or _COMMUTE.match(op.name):
            continue
        for i, one in enumerate(op.args):
            for j, other in enumerate(op.args[i + 1 :], start=i + 1):
                if one != other and one[0] == other[0] and one[0] in "ipf":
                    args = list(op.args)
                    args[i], args[j] = other, one
                    yield _with(lines, at, replace(op, args=tuple(args)))


def _dropped_guards(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    for at, op in _ops(lines):
        if not op.is_guard or (op.result is not None and any(_uses(line, op.result) for line in lines)):
            continue
        checked = lines[at - 1]
        if isinstance(checked, Op) and checked.name.endswith("_ovf"):
            wraps = replace(checked, name=checked.name.removesuffix("_ovf"))
            yield [*lines[: at - 1], wraps, *lines[at + 1 :]]
        else:
            yield _with(lines, at)


def _inverted_guards(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    for at, op in _ops(lines):
        if op.name in OPPOSITES:
            yield _with(lines, at, replace(op, name=OPPOSITES[op.name]))


_TIED = ("guard_no_overflow", "guard_overflow", "guard_no_exception", "guard_exception", "guard_not_forced")
"""Guards on what the operation in front of them has done."""


def _moved_guards(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    """Guards behind a store or a call that stood behind them, or in front of one that stood in front of them; stores
    into objects that nobody has seen do not count. No operation is parted from the guard on what it has done."""
    fresh = {op.result for _, op in _ops(lines) if op.is_allocation}
    for at, op in _ops(lines):
        if not op.is_guard or _is_tied(op) or op.result is not None:
            continue
        for to in (to for to in _near(lines, at) if not _is_tied(lines[to])):
            low, high = min(at, to), max(at, to)
            crossed = [line for line in lines[low:high] if isinstance(line, Op) and line is not op]
            if any((line.is_store and line.args[0] not in fresh) or line.has_effect for line in crossed) and (
                to > at or _is_defined(lines, op.args, to, at)
            ):
                yield _moved(lines, at, to)


def _is_tied(line: Line) -> bool:
    return isinstance(line, Op) and line.name in _TIED


def _near(lines: list[Line], at: int) -> range:
    first = next(number for number, line in enumerate(lines) if isinstance(line, Op))  # behind the inputs
    return range(max(first, at - _LONGEST_WAY), min(len(lines) - 1, at + _LONGEST_WAY + 1))


def _dropped_stores(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    for at, op in _ops(lines):
        if op.is_store:
            yield _with(lines, at)


def _stores_over_calls(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    ops = _ops(lines)
    for at, op in ops:
        if not op.is_store:
            continue
        calls = [place for place, other in ops if other.has_effect]
        behind = next((place for place in calls if place > at), None)
        if behind is not None:
            yield _moved(lines, at, behind + 1)
        ahead = next((place for place in reversed(calls) if place < at), None)
        if ahead is not None and _is_defined(lines, op.args, ahead, at):
            yield _moved(lines, at, ahead)


def _early_loads(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    """Loads in front of a store to the same field, of whatever object."""
    ops = _ops(lines)
    for at, op in ops:
        if op.is_load:
            for to, store in ops:
                if to < at and store.is_store and store.descr == op.descr and _is_defined(lines, op.args, to, at):
                    yield _moved(lines, at, to)


def _wrong_fields(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    ops = _ops(lines)
    fields = sorted({op.descr for _, op in ops if op.name.startswith(("getfield_gc", "setfield_gc"))})
    for at, op in ops:
        if not op.name.startswith(("getfield_gc", "setfield_gc")):
            continue
        for other in fields:
            if other != op.descr and other[:7] == op.descr[:7]:
                yield _with(lines, at, replace(op, descr=other))


def _wrong_fields_of_virtuals(lines: list[Line], _: Random) -> Iterator[list[Line]]:
    """Stores into fresh objects: with the value of another one, or another value that is there."""
    ops = _ops(lines)
    fresh = {op.result for _, op in ops if op.is_allocation}
    there: list[str] = []
    for at, op in ops:
        if op.is_store and op.args[0] in fresh:
            for other in there:
                if other != op.args[-1] and other[0] == op.args[-1][0]:
                    yield _with(lines, at, replace(op, args=(*op.args[:-1], other)))
        there += [arg for arg in (*op.args, op.result or "") if re.fullmatch(r"[ipf][0-9]+", arg) and arg not in there]


FAULTS = (
    Fault("constant ±1", _constants),
    Fault("operands swapped", _swapped),
    Fault("guard dropped", _dropped_guards),
    Fault("guard inverted", _inverted_guards),
    Fault("guard moved over a store or call", _moved_guards),
    Fault("store dropped", _dropped_stores),
    Fault("store moved over a call", _stores_over_calls),
    Fault("load from before a store", _early_loads),
    Fault("wrong field", _wrong_fields),
    Fault("wrong field of a virtual", _wrong_fields_of_virtuals),
)


def mutants(lines: Sequence[str], fault: Fault, draw: Random) -> list[tuple[str, ...]]:
    """All results of that kind of edit on a section, as its lines."""
    apart = taken_apart(lines)
    return [tuple(map(str, changed)) for changed in fault.makes(apart, draw)]
