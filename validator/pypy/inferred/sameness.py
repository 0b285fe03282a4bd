"""The constant objects of both traces of a pair that are the same.

A log gives each use of a constant object a number of its own. Which of them are one object follows from where they
stand: values of both traces are numbered, equal operations on equal values alike, and what stands at the same place of
guards, calls, stores and ends is taken to be equal. A guard that only the recorded trace has says nothing here but of
that trace: that it passed.

Two constants that one trace tells apart are never made one.
"""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache, partial
from math import inf

from validator.pypy.inferred.held import Memory, are_numbers
from validator.pypy.inferred.held import Node as Node
from validator.pypy.inferred.made import Made
from validator.pypy.printed.lines import NULL, Access, Line, is_pointer, is_variable, touches_nothing
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE, TOKEN, Sides

_PURE = re.compile(r"(int|uint|ptr|instance_ptr|float|cast|convert|arraylen)_|(str|unicode)(len|getitem|hash)\Z")
_SMALL = re.compile(r"-?[0-9]{1,9}")
_FOLDED = {"int_add": operator.add, "int_sub": operator.sub}
_RAW_LOADS = ("getfield_raw", "getarrayitem_raw", "raw_load", "gc_load")
_NO_MEETING = ("same_as_r", "quasiimmut_field")
_PURE_FIELD = " pure>"
_COMMUTE = re.compile(r"int_(add|mul|and|or|xor|eq|ne)\Z|(instance_)?ptr_(eq|ne)\Z")
_KEEPS = ("guard_", "record_", "assert_", "new", "str", "unicode", "copystr", "copyunicode", "quasiimmut_", "label")
"""Beginnings of operations that let nobody reach an object."""
_FIND = ("guard_value", "ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne")
"""The operations that find out which object something is."""
_SAY_TRUTH = ("guard_true", "guard_false", "record_exact_value_i")
Preserved = Callable[[str, str], bool]
"""Does the function with that name (`Line.function`) leave this memory as it is?"""


def NOTHING(function: str, memory: str) -> bool:
    return False


_ROUNDS = 30
"""Classes grow in each round; behind so many they are taken as they are."""


class Sameness:
    """Classes of values and constants of both traces. `lone` are fields that one constant object alone has."""

    def __init__(self, rows: Rows, preserved: Preserved = NOTHING, lone: Set[str] = frozenset()) -> None:
        self._parents: dict[Node, Node] = {}
        self._nodes = defaultdict[str, dict[str, Node]](dict)
        self._apart: dict[Node, set[Node]] = {}
        self.constant: set[Node] = set()
        self._rows = rows
        self._grew = False
        for sides in rows.pairs:
            for one, other in zip(sides.before.inputs, sides.after.inputs, strict=True):
                self._join((BEFORE, one), (AFTER, other))
        self._join((BEFORE, TOKEN), (AFTER, TOKEN))
        self._join_holders(lone)
        self.grow(preserved)

    def grow(self, preserved: Preserved) -> None:
        """Takes in that functions leave more memories as they are."""
        preserved = cache(preserved)
        for _ in range(_ROUNDS):
            self._grew = False
            for sides in self._rows.pairs:
                known: dict[object, Node] = {}
                later, asked = self._behind(sides)
                _Pass(self, BEFORE, known, preserved, later, asked).number(sides.before.lines)
                _Pass(self, AFTER, known, preserved).number(sides.after.lines)
                self._meet(sides.before.lines, sides.after.lines)
            if not self._grew:
                for sides in self._rows.pairs:
                    self._meet_constants(sides.before.lines, sides.after.lines)
            if not self._grew:
                break

    def _behind(self, sides: Sides) -> tuple[int, tuple[str, ...]]:
        """The end of a recorded bridge in front of a loop, and the constants for which the optimized loop asks."""
        own = self._rows.own if sides is self._rows.pairs[-1] else None
        recorded, optimized = own or (len(sides.before.lines), len(sides.after.lines))
        asking = (line for line in sides.after.lines[optimized:] if line.name in _FIND)
        return recorded, tuple(arg for line in asking for arg in line.args if is_pointer(arg))

    def _join_holders(self, lone: Set[str]) -> None:
        """Makes one of the constants that have such a field, which one object alone has."""
        holders: dict[str, Node] = {}
        for trace, found in self._rows.accesses():
            if found.memory in lone and is_pointer(found.place[0]):
                node = self.of(trace, found.place[0])
                self._join(holders.setdefault(found.memory, node), node)

    def of(self, trace: str, text: str) -> Node:
        """The class of what this text stands for in that trace."""
        nodes, parents = self._nodes[trace], self._parents
        node = nodes.get(text)
        if node is None:
            node = nodes[text] = (trace if is_variable(text) or is_pointer(text) or text == TOKEN else "", text)
            if is_pointer(text):
                self.constant.add(node)
        if node in parents:
            while node in parents:
                node = parents[node]
            nodes[text] = node
        return node

    def join(self, trace: str, one: str, other: str) -> None:
        self._join(self.of(trace, one), self.of(trace, other))

    def _join(self, one: Node, other: Node) -> None:
        """Makes one class of two, but for what is told apart: constants that print differently, or are compared. It
        keeps the name of the first, by which other values have been numbered already, or the number that is one."""
        if one == other or (not one[0] and not other[0]) or other in self._apart.get(one, ()):
            return
        kept, gone = (other, one) if not other[0] else (one, other)
        self._parents[gone] = kept
        self.constant |= {kept} if gone in self.constant else set()
        for enemy in self._apart.pop(gone, ()):
            self.tell_apart(kept, enemy)
            self._apart[enemy].discard(gone)
        self._grew = True

    def tell_apart(self, one: Node, other: Node) -> None:
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def _meet(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> None:
        """Joins what stands at the same place of both traces. Of what they store to one place in turn it is the last,
        unless they do so as often."""
        self._meet_in_order(*([line for line in lines if line.name == "guard_value"] for lines in (before, after)))
        self._meet_in_order(*([line for line in lines if line.is_call] for lines in (before, after)))
        if before and after:
            self._meet_args(before[-1].args, after[-1].args)
        left = self._stores(AFTER, after)
        memories = {memory for memory, _ in left}
        stored = self._stores(BEFORE, (line for line in before if line.descr in memories))
        for key, values in left.items():
            others = stored.get(key, [])
            first = 0 if len(others) == len(values) else -1
            self._meet_args(others[first:], values[first:])

    def _meet_constants(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> None:
        """Joins the constants with which both traces do the same to the same, in order."""
        alone = {BEFORE: self._constants(BEFORE, before), AFTER: self._constants(AFTER, after)}
        both = alone[BEFORE] & alone[AFTER]
        if both in alone.values():
            return
        waiting: dict[object, list[str]] = {}
        shared = self._results(BEFORE, before) & self._results(AFTER, after)
        for trace, lines in ((BEFORE, before), (AFTER, after)):
            told = Made(lines, partial(self.of, trace), shared).told
            for line in lines:
                for place, arg in enumerate(line.args):
                    node = self.of(trace, arg)
                    if node not in alone[trace] or node in both or line.name in _NO_MEETING:
                        continue
                    rest = tuple("" if at == place else told(other) for at, other in enumerate(line.args))
                    key = (line.name, line.descr, place, rest)
                    if trace == BEFORE:
                        waiting.setdefault(key, []).append(arg)
                    elif same := waiting.get(key):
                        self._meet_args((same.pop(0),), (arg,))

    def _constants(self, trace: str, lines: tuple[Line, ...]) -> set[Node]:
        return {self.of(trace, arg) for line in lines for arg in line.args if is_pointer(arg)}

    def _results(self, trace: str, lines: tuple[Line, ...]) -> set[Node]:
        return {self.of(trace, line.result) for line in lines if line.result}

    def _meet_in_order(self, before: list[Line], after: list[Line]) -> None:
        start = 0
        for line in after:
            for number in range(start, len(before)):
                if self._correspond(before[number], line):
                    self._meet_args(before[number].called_with, line.called_with)
                    if (one := before[number].result) and (other := line.result):
                        self._meet_args((one,), (other,))
                    start = number + 1
                    break

    def _correspond(self, before: Line, after: Line) -> bool:
        if before.is_call:  # one that does nothing may be gone, and the next of its kind stand for another
            is_same = len(before.called_with) == len(after.called_with) and before.function == after.function
            return is_same and not touches_nothing(before.function)
        return self.of(BEFORE, before.args[0]) == self.of(AFTER, after.args[0])

    def _meet_args(self, before: Iterable[str], after: Iterable[str]) -> None:
        for one, other in zip(before, after, strict=False):
            if NULL not in (one, other) and (is_pointer(other) or is_variable(other)):
                self._join(self.of(BEFORE, one), self.of(AFTER, other))

    def _stores(self, trace: str, lines: Iterable[Line]) -> Mapping[tuple[str, tuple[Node, ...]], list[str]]:
        """The values that are stored to each place, in order."""
        found = defaultdict[tuple[str, tuple[Node, ...]], list[str]](list)
        for store in (line.access for line in lines):
            if store and store.is_store:
                found[store.memory, tuple([self.of(trace, part) for part in store.place])].append(store.value)
        return found


@dataclass(slots=True)
class _Pass:
    """Numbers the values of one trace. `known` has the classes of operations by their arguments' classes, of both
    traces; guards from `later` on have passed at another time, of which optimized ones ask for the `asked` constants;
    `memory` tells what a load gives here, `writers` are the functions called so far that may write memory,
    `loads` counts the loads from one place of which this trace does not know what they give; `made` has the
    allocations, `kept` those that nothing else can reach, `held` the references that were stored into each object,
    `born` the place in the trace of each result, and `sums` tells of sums to what which number was added."""

    sameness: Sameness
    trace: str
    known: dict[object, Node]
    preserved: Preserved
    later: float = inf
    asked: tuple[str, ...] = ()
    at: int = 0
    memory: defaultdict[str, Memory] = field(default_factory=lambda: defaultdict(Memory))
    writers: list[str] = field(default_factory=list)
    loads: Counter[object] = field(default_factory=Counter)
    made: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    held: dict[str, list[str]] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    sums: dict[Node, tuple[str, int]] = field(default_factory=dict)
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
                elif line.name in ("ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne"):
                    truths[line.result] = line
            self.at = at
            self._line(line, truths)

    def _line(self, line: Line, truths: Mapping[str, Line]) -> None:
        if found := line.access:
            self._access(found)
        elif line.is_call:
            self._call(line)
        elif line.name.startswith("same_as_") and line.result:
            self.sameness.join(self.trace, line.args[0], line.result)
        elif line.name in _SAY_TRUTH and (compared := truths.get(line.args[0])):
            self._compared(compared, holds=line.name == "guard_true" or line.args[1:] == ("1",))
        elif line.name == "guard_value" or line.name.startswith("record_exact_value_"):
            self._found(line.args)
        elif line.name == "guard_isnull":
            self.sameness.join(self.trace, line.args[0], NULL)
        elif line.result and line.name.startswith(_RAW_LOADS):
            self._give_away(line.args)
            key = (line.name, line.descr, self._nodes(line.args), len(self.writers))
            self._same(line.result, ("raw", *key, self.loads[key]))
            self.loads[key] += 1
        elif line.result and _PURE.match(line.name):
            name, args = line.name.removesuffix("_ovf"), self._nodes(line.args)
            if name in _FOLDED and (number := _folded(name, args)) is not None:
                self.sameness.join(self.trace, line.result, number)
            elif name in _FOLDED and (total := self._sum(name, line.args, args)) is not None:
                base, added = self.sums[self.of(line.result)] = total
                if not added:
                    self.sameness.join(self.trace, line.result, base)
                name, args = "int_add", (self.of(base), ("", str(added)))
            self._same(line.result, (name, *(sorted(args) if _COMMUTE.match(name) else args)))
        elif not line.name.startswith(_KEEPS):
            self._give_away(line.args)

    def _sum(self, name: str, args: tuple[str, ...], nodes: tuple[Node, ...]) -> tuple[str, int] | None:
        """The value to which numbers were added, and their sum, of an addition or subtraction of a small number."""
        if name == "int_add" and _is_small(nodes[0]):
            args, nodes = args[::-1], nodes[::-1]
        if not _is_small(nodes[1]):
            return None
        base, number = self.sums.get(nodes[0], (args[0], 0))
        return base, _FOLDED[name](number, int(nodes[1][1]))

    def _compared(self, line: Line, *, holds: bool) -> None:
        if holds == line.name.endswith("_eq"):
            self._found(line.args)
        else:
            self.sameness.tell_apart(*map(self.of, line.args))

    def _found(self, args: tuple[str, ...]) -> None:
        """Notes that these are found to be one. That the guard of a loop has passed does not say so of constants of a
        bridge to it, where the optimized loop asks, too: it need not pass behind the bridge."""
        nodes = {*self._nodes(args)}
        is_later = self.at >= self.later and nodes <= self.sameness.constant
        if not is_later or nodes.isdisjoint(self.sameness.of(AFTER, text) for text in self.asked):
            self.sameness.join(self.trace, *args)

    def _access(self, access: Access) -> None:
        name, place = access.memory, self._nodes(access.place)
        memory = self.memory[name]
        known = memory.accesses.get(place)
        if access.is_store:
            self._stored(access, memory, place[0])
            if known is not None:
                self._overwritten(known.value, access.value)
            if not name.endswith(_PURE_FIELD):
                self._forget(memory, access, place)
            memory.put(place, access)
        elif known is not None:
            self.sameness.join(self.trace, known.value, access.value)
        else:
            memory.put(place, access)
            self._give_away(value for p, values in memory.stored.items() if self.of(p) == place[0] for value in values)
            epoch = sum(not self.preserved(function, name) for function in self.writers)
            key = (name, place, epoch)
            self._same(access.value, ("load", *key, self.loads[key]))
            self.loads[key] += 1

    def _stored(self, store: Access, memory: Memory, into: Node) -> None:
        """Notes that the object holds the value from here on."""
        p, value = store.place[0], store.value
        if is_pointer(value) or _is_object(value):
            memory.stored.setdefault(p, []).append(value)
            self.held.setdefault(p, []).append(value)
        if p not in self.kept and _is_object(value) and not self._is_kept({into}):
            self._give_away((value,))

    def _forget(self, memory: Memory, store: Access, place: tuple[Node, ...]) -> None:
        """Forgets what the store may have changed: nothing of an object that was made behind where the other one comes
        from, or that nothing else reaches, and no item of another number."""
        q, made, kept, born = store.place[0], self.made, self.kept, self.born
        into, index = place[0], place[1:] if are_numbers(place[1:]) else ()
        is_made, is_kept, at = q in made, q in kept, born.get(q, -1)
        for p in [*memory.keys]:
            if (p in made and at < born[p]) or (is_made and born.get(p, -1) < at):
                continue
            if (is_kept or p in kept) and self.of(p) != into:
                continue
            memory.forget(p, index)

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
        self._give_away(line.args)
        if line.result:
            args, writers = self._nodes(line.args), len(self.writers) if line.may_write else 0
            self._same(line.result, ("call", line.name[-1], line.function, args, writers))
        if line.may_write:
            self.writers.append(line.function)
            kept = {*map(self.of, self.kept)}
            for name, memory in self.memory.items():
                if not self.preserved(line.function, name):
                    for p in [p for p in memory.keys if self.of(p) not in kept]:
                        memory.forget(p)

    def _nodes(self, texts: tuple[str, ...]) -> tuple[Node, ...]:
        return tuple(map(self.of, texts))

    def _give_away(self, texts: Iterable[str]) -> None:
        """Notes that others may reach these values, and whatever they hold."""
        given = {*map(self.of, filter(_is_object, texts))}
        if not given or not self._is_kept(given):
            return
        inside: dict[Node, set[Node]] = {}
        for p, values in self.held.items():
            inside.setdefault(self.of(p), set()).update(map(self.of, values))
        waiting = [*given]
        while waiting:
            found = inside.get(waiting.pop(), set()) - given
            given |= found
            waiting += found
        self.kept = {text for text in self.kept if self.of(text) not in given}

    def _is_kept(self, nodes: set[Node]) -> bool:
        """Is one of these reached by nothing else?"""
        return not nodes.isdisjoint(map(self.of, self.kept))

    def _same(self, result: str, key: object) -> None:
        if key in self.known:
            self.sameness._join(self.sameness.of(*self.known[key]), self.of(result))
        else:
            self.known[key] = (self.trace, result)


def _is_object(text: str) -> bool:
    return text[0] == "p" and is_variable(text)


def _is_small(node: Node) -> bool:
    """Is it a number, and a small one?"""
    return not node[0] and _SMALL.fullmatch(node[1]) is not None


def _folded(name: str, args: tuple[Node, ...]) -> str | None:
    """The result of an operation on numbers, where these are known and small; None elsewhere."""
    if not all(map(_is_small, args)):
        return None
    return str(_FOLDED[name](*(int(text) for _, text in args)))
