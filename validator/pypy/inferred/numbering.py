"""Numbers of the values of one trace, for the classes of both traces of a pair: equal operations on equal values are
numbered alike."""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from validator.pypy.inferred.held import Key, Memory, Node, number_of
from validator.pypy.inferred.quotients import Quotients, divided
from validator.pypy.printed.calls.compared import SLICES, WITH_CHARACTERS, WITH_STRINGS
from validator.pypy.printed.calls.copies import is_copy
from validator.pypy.printed.calls.functions import touches_nothing
from validator.pypy.printed.lines import NULL, Access, Line, is_pointer, is_variable
from validator.pypy.printed.straight import AFTER

if TYPE_CHECKING:
    from validator.pypy.inferred.sameness import Sameness

Preserved = Callable[[str, str], bool]
"""Does the function with that name (`Line.function`) leave this memory as it is?"""

Asked = tuple[tuple[str, int], ...]
"""Constants for which an optimized loop asks, each with the number of positions that were passed in front of that."""

IDENTITY = ("ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne")
"""The operations that compare objects by identity."""

_PURE = re.compile(r"(int|uint|ptr|instance_ptr|float|cast|convert|arraylen)_|(str|unicode)(len|getitem|hash)\Z")
_SMALL = re.compile(r"-?[0-9]{1,9}")
_FOLDED = {"int_add": operator.add, "int_sub": operator.sub}
_RAW_LOADS = ("getfield_raw", "getarrayitem_raw", "raw_load", "gc_load")
_CAUGHT = ("guard_exception", "save_exception")
"""The operations that give a pending exception, which both traces have in one order."""

PURE_FIELD = " pure>"
_COMMUTE = re.compile(r"int_(add|mul|and|or|xor|eq|ne)\Z|(instance_)?ptr_(eq|ne)\Z")
_KEEPS = ("guard_", "record_", "assert_", "new", "str", "unicode", "copystr", "copyunicode", "quasiimmut_", "label")
"""Beginnings of operations that let nobody reach an object."""
_SAY_TRUTH = ("guard_true", "guard_false", "record_exact_value_i")


class Answers(dict[tuple[str, str], bool]):
    """The answers on functions and memories, of which each is asked once."""

    def __init__(self, preserved: Preserved) -> None:
        super().__init__()
        self._preserved = preserved

    def __missing__(self, asked: tuple[str, str]) -> bool:
        answer = self[asked] = self._preserved(*asked)
        return answer

    def __call__(self, function: str, memory: str) -> bool:
        return self[function, memory]


@dataclass(slots=True)
class Pass:
    """Numbers the values of one trace. `known` has the classes of operations by their arguments' classes, of both
    traces; guards from `later` on have passed at another time, of which optimized ones ask for the `asked` constants,
    behind a bridge that has `stored` some; and those from `again` on were recorded at another time;
    `memory` tells what a load gives here, `writers` are the functions called so far that may write memory, but for
    copies into arrays that nothing else reaches yet, which an optimizer may do item by item, `epochs` how many of them
    may have written a memory, of so many; `loads` counts the loads
    from one place of which this trace does not know what they give, and pending exceptions; `made` has the allocations,
    `kept` those that nothing else can reach, `held` the references that were stored into each object, `born` the place
    in the trace of each result, `sums` tells of sums to what which number was added, `slices` of ranges of strings the
    string, the start and the end, and `quotients` what operations on numbers divide."""

    sameness: Sameness
    trace: str
    known: dict[object, Node]
    preserved: Preserved
    later: float = inf
    asked: Asked = ()
    stored: tuple[str, ...] = ()
    again: float = inf
    at: int = 0
    passed: int | None = None
    loaded: set[str] = field(default_factory=set)
    memory: defaultdict[str, Memory] = field(default_factory=lambda: defaultdict(Memory))
    writers: list[str] = field(default_factory=list)
    epochs: dict[str, tuple[int, int]] = field(default_factory=dict)
    loads: Counter[object] = field(default_factory=Counter)
    made: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    held: dict[str, list[str]] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    sums: dict[Node, tuple[str, int]] = field(default_factory=dict)
    slices: dict[Node, tuple[str, ...]] = field(default_factory=dict)
    quotients: Quotients = field(default_factory=Quotients)
    of: Callable[[str], Node] = field(init=False)

    def __post_init__(self) -> None:
        self.of = partial(self.sameness.of, self.trace)

    def number(self, lines: tuple[Line, ...]) -> None:
        truths: dict[str, Line] = {}
        for at, line in enumerate(lines):
            if line.result:
                self.born[line.result] = at
                if line.name.startswith("new"):
                    self.made.add(line.result)
                    self.kept.add(line.result)
                    if line.name.startswith("new_array"):
                        self._same(line.args[0], ("arraylen_gc", self.of(line.result)))
                elif line.name in IDENTITY:
                    truths[line.result] = line
            self.at, self.passed = at, line.passed
            self._line(line, truths)

    def _line(self, line: Line, truths: Mapping[str, Line]) -> None:
        if found := line.access:
            self._access(found)
        elif line.is_call:
            self._call(line)
        elif line.name.startswith("same_as_") and line.result:
            self._name(line.result, self.of(line.args[0]))
        elif line.name in _SAY_TRUTH and (compared := truths.get(line.args[0])):
            self._compared(compared, holds=line.name == "guard_true" or line.args[1:] == ("1",))
        elif line.name == "guard_value" or line.name.startswith("record_exact_value_"):
            self._found(line.args)
        elif line.name == "guard_isnull":
            self.sameness.join(self.trace, line.args[0], NULL)
        elif line.result and line.name in _CAUGHT:
            self._same(line.result, (line.name, self.loads[line.name]))
            self.loads[line.name] += 1
        elif line.result and line.name.startswith(_RAW_LOADS):
            self._give_away(line.args)
            key = (line.name, line.descr, self._nodes(line.args), len(self.writers))
            self._same(line.result, ("raw", *key, self.loads[key]))
            self.loads[key] += 1
        elif line.result and is_pure(line.name):
            name, texts = self._of_whole(line.name.removesuffix("_ovf"), line.args)
            args = self._nodes(texts)
            if name in _FOLDED and (number := self._folded(name, args)) is not None:
                self._name(line.result, self.of(number))
            elif name in _FOLDED and (total := self._sum(name, texts, args)) is not None:
                base, added = self.sums[self.of(line.result)] = total
                if not added:
                    self._name(line.result, self.of(base))
                name, args = "int_add", (self.of(base), ("", str(added)))
            self._compute(line.result, *self.quotients.meant(name, args))
        elif not line.name.startswith(_KEEPS):
            self._give_away(line.args)

    def _compute(self, result: str, name: str, args: Key) -> None:
        self._same(result, (name, *(sorted(args) if _COMMUTE.match(name) else args)))
        self.quotients.put(self.of(result), (name, args))

    def _of_whole(self, name: str, args: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The operation and its arguments; of a range of a string, of the length and the first character, on what the
        range is of."""
        match name, self.slices.get(self.of(args[0])), args[1:]:
            case "strlen" | "unicodelen", (_, start, end), _:
                return "int_sub", (end, start)
            case "strgetitem" | "unicodegetitem", (whole, start, _), ("0",):
                return name, (whole, start)
        return name, args

    def _folded(self, name: str, args: tuple[Node, ...]) -> str | None:
        """The result of an operation on numbers, where these are known and small, or of taking away again what a small
        number was added to; None elsewhere."""
        if all(map(_is_small, args)):
            return str(_FOLDED[name](*(int(text) for _, text in args)))
        base, added = self.sums.get(args[0], ("", 0))
        return str(added) if name == "int_sub" and base and self.of(base) == args[1] else None

    def _sum(self, name: str, args: tuple[str, ...], nodes: tuple[Node, ...]) -> tuple[str, int] | None:
        """The value to which numbers were added, and their sum, of an addition or subtraction of a small number."""
        if name == "int_add" and _is_small(nodes[0]):
            args, nodes = args[::-1], nodes[::-1]
        if not _is_small(nodes[1]):
            return None
        base, number = self.sums.get(nodes[0], (args[0], 0))
        return base, _FOLDED[name](number, int(nodes[1][1]))

    def _compared(self, line: Line, *, holds: bool) -> None:
        """Notes what the comparison says, but for that two constants are one that were recorded at another time."""
        if holds == line.name.endswith("_eq"):
            if self.at < self.again or not self.sameness.constant.issuperset(self._nodes(line.args)):
                self._found(line.args)
        else:
            self.sameness.tell_apart(*map(self.of, line.args))

    def _found(self, args: tuple[str, ...]) -> None:
        """Notes that these are found to be one. That the guard of a loop has passed does not say so of constants of a
        bridge to it, where the optimized loop asks, too, be it earlier, or anywhere if the bridge has stored that
        constant: it need not pass behind the bridge."""
        nodes = {*self._nodes(args)}
        are_constant = nodes <= self.sameness.constant
        if self.at >= self.later and are_constant:
            is_any = self.passed is None or not nodes.isdisjoint(map(self.of, self.stored))
            asked = [text for text, passed in self.asked if is_any or passed <= (self.passed or 0)]
            if not nodes.isdisjoint(self.sameness.of(AFTER, text) for text in asked):
                return
        if self.at >= self.again and are_constant and args[0] in self.loaded:
            self.sameness.join_again(self.passed, *args)
        else:
            self.sameness.join(self.trace, *args)

    def _access(self, access: Access) -> None:
        name, place = access.memory, self._nodes(access.place)
        memory = self.memory[name]
        if not access.is_store:
            self.loaded.add(access.value)
        known = memory.accesses.get(place)
        if access.is_store:
            self._stored(access, memory, place[0])
            if known is not None:
                self._overwritten(known.value, access.value)
            if not name.endswith(PURE_FIELD):
                self._forget(memory, access, place)
            memory.put(place, access)
        elif known is not None:
            self._name(access.value, self.of(known.value))
        else:
            memory.put(place, access)
            self._give_away(value for p, values in memory.stored.items() if self.of(p) == place[0] for value in values)
            key = (name, place, self._epoch(name))
            self._same(access.value, ("load", *key, self.loads[key]))
            self.loads[key] += 1

    def _epoch(self, memory: str) -> int:
        """The number of functions called so far that may have written that memory."""
        asked, found = self.epochs.get(memory, (0, 0))
        found += sum(not self.preserved(function, memory) for function in self.writers[asked:])
        self.epochs[memory] = len(self.writers), found
        return found

    def _stored(self, store: Access, memory: Memory, into: Node) -> None:
        """Notes that the object holds the value from here on."""
        p, value = store.place[0], store.value
        if is_pointer(value) or _is_object(value):
            memory.stored.setdefault(p, []).append(value)
            self.held.setdefault(p, []).append(value)
        if p not in self.kept and _is_object(value) and not self._is_kept({into}):
            self._give_away((value,))

    def _forget(self, memory: Memory, store: Access, place: tuple[Node, ...], *, is_whole: bool = False) -> None:
        """Forgets what the store may have changed, be it the whole object: nothing of an object that was made behind
        where the other one comes from, or that nothing else reaches, and no item of another number. What is at the
        very place is put anew."""
        q, made, kept, born = store.place[0], self.made, self.kept, self.born
        into, is_made, is_kept, at = place[0], q in made, q in kept, born.get(q, -1)
        number, is_field = number_of(place), len(place) == 1
        if is_kept and is_field and not is_whole:
            return

        def gone(item: Key, names: Iterable[str]) -> Iterable[str]:
            is_there = not is_whole and item == number and (is_field or item != ())
            if is_there and is_kept:
                return ()
            others = (p for p in names if not ((p in made and at < born[p]) or (is_made and born.get(p, -1) < at)))
            if is_there:
                return (p for p in others if p not in kept)
            return (p for p in others if not (is_kept or p in kept) or self.of(p) == into)

        memory.forget(number, gone)

    def _overwritten(self, old: str, new: str) -> None:
        """Tells apart constants that are stored one after the other into the same place: else nobody would see the
        second store, and that it is missing would show nowhere."""
        if not is_pointer(old) or not is_pointer(new):
            return
        one, other = self.of(old), self.of(new)
        if one != other:
            self.sameness.tell_apart(one, other)

    def _call(self, line: Line) -> None:
        if touches_nothing(line.function):
            return
        into = line.args[1 + (line.oopspec == 1)] if is_copy(line) else None
        is_into_new = into in self.kept
        if is_into_new:  # nobody gets these arrays, but what is in one is loaded from the other, too
            source = self.of(line.args[1])
            self._give_away([value for p, values in self.held.items() if self.of(p) == source for value in values])
        else:
            self._give_away(line.args)
        if line.result:
            args, writers = self._nodes(line.args), len(self.writers) if line.may_write else 0
            if quotient := divided(line.oopspec, args):
                self._compute(line.result, *quotient)
            elif compared := self._compared_strings(line.oopspec, args):
                self._same(line.result, compared)
            else:
                self._same(line.result, ("call", line.name[-1], line.function, args, writers))
            if line.oopspec in SLICES:
                self.slices[self.of(line.result)] = line.args[1:]
        if line.may_write:
            if not is_into_new:
                self.writers.append(line.function)
            kept = {*map(self.of, self.kept)}
            for name, memory in self.memory.items():
                if self.preserved(line.function, name):
                    continue
                if into is not None:
                    self._forget(memory, Access(True, name, (into,), ""), (self.of(into),), is_whole=True)
                    continue
                memory.forget((), lambda _, names: (p for p in names if self.of(p) not in kept))

    def _compared_strings(self, function: int | None, args: Key) -> object:
        """The question of a call that compares two strings, or one with a constant character, which is a string of it;
        None of others."""
        if function in WITH_CHARACTERS and not args[2][0]:
            return "equal", *sorted((args[1], _string_of(args[2][1])))
        if function in WITH_STRINGS:
            known = self.sameness.characters()
            return "equal", *sorted(_string_of(known[node]) if node in known else node for node in args[1:3])
        return None

    def _nodes(self, texts: tuple[str, ...]) -> tuple[Node, ...]:
        return tuple(map(self.of, texts))

    def _give_away(self, texts: Iterable[str]) -> None:
        """Notes that others may reach these values, and whatever they hold."""
        given = {*map(self.of, filter(_is_object, texts))}
        if not given or not self._is_kept(given):
            return
        inside = defaultdict[Node, list[str]](list)
        for p, values in self.held.items():
            inside[self.of(p)] += values
        waiting = [*given]
        while waiting:
            found = {*map(self.of, inside[waiting.pop()])} - given
            given |= found
            waiting += found
        self.kept = {text for text in self.kept if self.of(text) not in given}

    def _is_kept(self, nodes: set[Node]) -> bool:
        """Is one of these reached by nothing else?"""
        return not nodes.isdisjoint(map(self.of, self.kept))

    def _name(self, result: str, node: Node) -> None:
        self.sameness.name(self.trace, result, node)

    def _same(self, result: str, key: object) -> None:
        if key in self.known:
            self._name(result, self.sameness.of(*self.known[key]))
        else:
            self.known[key] = (self.trace, result)


def is_pure(name: str) -> bool:
    """Does the operation of that name give the same for the same, whatever memory holds?"""
    return _PURE.match(name) is not None


def _string_of(character: object) -> Node:
    """The class of a string of one character, whatever its names are."""
    return "", f"[{character}]"


def _is_object(text: str) -> bool:
    return text[0] == "p" and is_variable(text)


def _is_small(node: Node) -> bool:
    """Is it a number, and a small one?"""
    return not node[0] and _SMALL.fullmatch(node[1]) is not None
