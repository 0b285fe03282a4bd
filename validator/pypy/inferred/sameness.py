"""The constant objects of both traces of a pair that are the same.

A log gives each use of a constant object a number of its own. Which of them are one object follows from where they
stand: values of both traces are numbered, equal operations on equal values alike, and what stands at the same place of
guards, calls, stores and ends is taken to be equal. A guard that only the recorded trace has says nothing here but of
that trace: that it passed.

Two constants that one trace tells apart are never made one (`apart`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from itertools import permutations
from operator import attrgetter
from types import MappingProxyType

from validator.pypy.inferred.constants.apart import told_by_loads, told_while_recorded
from validator.pypy.inferred.constants.joined import join_compared, join_slices, join_taken
from validator.pypy.inferred.constants.meeting import Meeting
from validator.pypy.inferred.held import Node as Node
from validator.pypy.inferred.numbering import IDENTITY, Answers, Asked, Pass
from validator.pypy.inferred.numbering import Preserved as Preserved
from validator.pypy.printed.lines import Line, Printed, is_pointer, is_variable, known_as
from validator.pypy.printed.patterns import CODE
from validator.pypy.printed.rows import Rows, alone
from validator.pypy.printed.straight import AFTER, BEFORE, TOKEN, Sides

FIND_OUT = ("guard_value", "record_exact_value_r")
"""The operations that tell PyPy's optimizer which constant an object is; a comparison does not."""
FINDINGS = (*FIND_OUT, "record_exact_value_i", "guard_isnull")
"""The operations that say which constant a value is, but for comparisons."""
_FIND_WHICH = ("guard_value", "guard_class")
_OVERFLOWS = ("guard_no_overflow", "guard_overflow")
_FIND = ("guard_value", *IDENTITY)
"""The operations that find out which object something is."""


def NOTHING(function: str, memory: str) -> bool:
    return False


FOUND_LATER = "constants are one object where a guard says so that was recorded of another value"

_ROUNDS = 30
"""Classes grow in each round; behind so many they are taken as they are."""


class Sameness:
    """Classes of values and constants of both traces. `lone` are fields that one constant object alone has, `made_one`
    are pairs of constants of the recorded trace that are one, `characters` those that some of its constants are.
    Constants are one, too, as guards find that were recorded of other values, but for those at the `denied` positions,
    and `goes_by_later` if so; not where these are None."""

    def __init__(
        self,
        rows: Rows,
        preserved: Preserved = NOTHING,
        lone: Set[str] = frozenset(),
        made_one: Iterable[tuple[str, str]] = (),
        characters: Mapping[str, int] = MappingProxyType({}),
        *,
        denied: Set[int | None] | None = None,
    ) -> None:
        self._parents: dict[Node, Node] = {}
        self._nodes = defaultdict[str, dict[str, Node]](dict)
        self._apart: dict[Node, set[Node]] = {}
        self.constant: set[Node] = set()
        self._recorded: set[Node] = set()
        self._rows = rows
        self._characters = characters
        self._denied = denied
        self.goes_by_later = False
        self._grew = False
        self._changes = 0
        self._answers: Answers | None = None
        self._of_parts = rows.constants_of_parts()
        for sides in rows.pairs:
            for one, other in zip(sides.before.inputs, sides.after.inputs, strict=True):
                self.unite((BEFORE, one), (AFTER, other))
        self._join_parents()
        self.unite((BEFORE, TOKEN), (AFTER, TOKEN))
        self.unite(self.of(BEFORE, CODE), self.of(AFTER, CODE))
        self._join_holders(lone)
        for sides in rows.pairs:
            recorded, optimized = rows.positions(sides)
            self._tell_apart(BEFORE, told_while_recorded(sides.before.lines, recorded))
            self._tell_apart(AFTER, told_by_loads(sides.after.lines, optimized))
        for source, target in made_one:
            self.join(BEFORE, source, target)
        self.grow(preserved)

    def grow(self, preserved: Preserved) -> None:
        """Takes in that functions leave more memories as they are; nothing new if nobody has asked of one of these."""
        if self._answers is not None and all(preserved(*asked) is answer for asked, answer in self._answers.items()):
            return
        preserved = self._answers = Answers(preserved)
        recorded: dict[int, tuple[int, dict[object, Node]]] = {}
        meeting = Meeting(self, self._rows)
        for _ in range(_ROUNDS):
            self._grew = False
            for place, sides in enumerate(self._rows.pairs):
                asked, stored = self._behind(sides)
                changes, known = recorded.get(place, (-1, {}))
                if changes != self._changes:
                    changes, known = recorded[place] = self._changes, {}
                    again, (later, _) = len(self._rows.recorded(sides)[0]), self._rows.ends(sides)
                    Pass(self, BEFORE, known, preserved, later, asked, stored, again).number(sides.before.lines)
                Pass(self, AFTER, {**known}, preserved).number(sides.after.lines)
                meeting.meet(sides)
            for before, preamble in self._rows.first_parts():
                meeting.meet_stores(before, preamble)
            for are_stored in (False, True):
                if not self._grew:
                    for sides in self._rows.pairs:
                        meeting.meet_constants(sides, are_stored=are_stored)
            if not self._grew:
                join_taken(self, self._rows)
                for sides in self._rows.pairs:
                    join_slices(self, sides)
                    join_compared(self, self._rows, sides)
            if not self._grew:
                break

    def _behind(self, sides: Sides) -> tuple[Asked, tuple[str, ...]]:
        """The constants for which the optimized loop asks behind a bridge, and those that the bridge has stored."""
        recorded, optimized = self._rows.ends(sides)
        behind = zip(sides.after.lines[optimized:], self._rows.positions(sides)[1][optimized:], strict=True)
        asking = ((line, passed) for line, (_, passed) in behind if line.name in _FIND)
        asked = tuple((arg, passed or 0) for line, passed in asking for arg in line.args if is_pointer(arg))
        stores = (found for line in sides.before.lines[:recorded] if (found := line.access) and found.is_store)
        return asked, tuple(store.value for store in stores if is_pointer(store.value))

    def _join_parents(self) -> None:
        """Makes one of the constants of a parent, and of the loop in which a bridge goes on, if that is its parent."""
        before, after = (
            {arg for sides in self._rows.pairs for line in printed(sides).lines for arg in line.args if is_pointer(arg)}
            for printed in (attrgetter("before"), attrgetter("after"))
        )
        for constant in before:
            if (name := known_as(constant)) in after and name is not None:
                self.unite(self.of(BEFORE, constant), self.of(AFTER, name))

    def _join_holders(self, lone: Set[str]) -> None:
        """Makes one of the constants that have such a field, which one object alone has."""
        holders: dict[str, Node] = {}
        for trace, found in self._rows.accesses():
            if found.memory in lone and is_pointer(found.place[0]):
                node = self.of(trace, found.place[0])
                self.unite(holders.setdefault(found.memory, node), node)

    def of(self, trace: str, text: str) -> Node:
        """The class of what this text stands for in that trace."""
        nodes, parents = self._nodes[trace], self._parents
        node = nodes.get(text)
        if node is None:
            node = nodes[text] = (trace if is_variable(text) or is_pointer(text) or text == TOKEN else "", text)
            if is_pointer(text):
                self.constant.add(node)
            if trace == BEFORE == node[0] and known_as(text) is None:
                self._recorded.add(node)
        if node in parents:
            while node in parents:
                node = parents[node]
            nodes[text] = node
        return node

    def characters(self) -> dict[Node, int]:
        """The constants that are known to be strings of one character, with these."""
        return {self.of(BEFORE, text): character for text, character in self._characters.items()}

    def join(self, trace: str, one: str, other: str) -> None:
        """Makes one of what guards of that trace find to be one, but for what only the optimized one says."""
        nodes = self.of(trace, one), self.of(trace, other)
        if trace == BEFORE or not self._stay_two(*nodes, {BEFORE, AFTER}):
            self.unite(*nodes)

    def name(self, trace: str, result: str, node: Node) -> None:
        """Notes that the result of an operation is of that class. If nothing has been told of it before, nothing else
        has to be told anew."""
        if result in self._nodes[trace]:
            own = self.of(trace, result)
            if trace == BEFORE or not self._stay_two(node, own, {BEFORE}):
                self.unite(node, own)
        else:
            self._nodes[trace][result] = node

    def meet(self, recorded: str, optimized: str) -> None:
        """Makes one of what stands at the same place of both traces."""
        nodes = self.of(BEFORE, recorded), self.of(AFTER, optimized)
        if not self._stay_two(*nodes, {BEFORE}):
            self.unite(*nodes)

    def are_recorded(self, *nodes: Node) -> bool:
        """Are there recorded values or constants in all of these classes?"""
        return self._recorded.issuperset(nodes)

    def _stay_two(self, one: Node, other: Node, traces: Set[str]) -> bool:
        """Are these constants that the optimized trace, which is to be proved, does not make one: two that were
        recorded, or one of a bridge, in one of these traces, and one of its loop? The bridge starts at a guard that has
        failed."""
        if not self.constant.issuperset((one, other)):
            return False
        if self.are_recorded(one, other):
            return True
        if not self._of_parts:
            return False
        own, loop = ({self.of(*text) for text in texts} for texts in self._of_parts)
        left = {self.of(*text) for text in self._of_parts[0] if text[0] in traces}
        return any(here in left - loop and there in loop - own for here, there in permutations((one, other)))

    def join_again(self, passed: int | None, one: str, other: str) -> None:
        """Makes one of constants of the recorded trace which a guard at that position finds to be, that was recorded of
        another value."""
        nodes = self.of(BEFORE, one), self.of(BEFORE, other)
        if self._denied is None or passed in self._denied or nodes[0] == nodes[1] or self._stores_elsewhere(nodes[0]):
            return
        self.unite(*nodes)
        self.goes_by_later = True

    def _stores_elsewhere(self, constant: Node) -> bool:
        """Does a recorded bridge store such a constant at a place of the program where its loop stores none, or comes
        there on another way, pass a place that the loop does not pass, or find another constant or class where the loop
        finds one? There another object may be made, which is filled at the same place."""
        if self._rows.own is None:
            return False
        behind = self._rows.pairs[-1]
        own, loop = self._rows.recorded(behind)
        stores = [line for line in own if line.name == "setfield_gc" and self.of(BEFORE, line.args[-1]) == constant]
        places = {(line.descr, line.point) for line in loop if line.name == "setfield_gc" and is_pointer(line.args[1])}
        if any((line.descr, line.point) not in places for line in stores if is_pointer(line.args[1])):
            return True
        points = {line.point for line in stores}
        if not _ways(own, points) <= _ways(loop, points):
            return True
        found = self._found_at(loop)
        is_other = any(found.get(place, known) != known for place, known in self._found_at(own).items())
        return bool(stores) and (is_other or not behind.before.points <= self._rows.pairs[0].before.points)

    def _found_at(self, lines: Iterable[Line]) -> dict[tuple[str, str], set[Node]]:
        """The constants and classes that guards of a recorded trace find at its places."""
        found = defaultdict[tuple[str, str], set[Node]](set)
        for line in lines:
            if line.name in _FIND_WHICH and line.args[0][0] == "p" and line.point:
                found[line.name, line.point].add(self.of(BEFORE, line.args[1]))
        return found

    def unite(self, one: Node, other: Node) -> None:
        """Makes one class of two, but for what is told apart: constants that print differently, or are compared. It
        keeps the number that is one, or else the name of a recorded value, or of the first, by which others have been
        numbered already. Where no recorded value gets another name, numbering them again would find nothing."""
        if one == other or (not one[0] and not other[0]) or other in self._apart.get(one, ()):
            return
        kept, gone = (other, one) if not other[0] or (one[0], other[0]) == (AFTER, BEFORE) else (one, other)
        self._parents[gone] = kept
        self._changes += gone[0] == BEFORE
        for constants in (self.constant, self._recorded):
            constants |= {kept} if gone in constants else set()
        for enemy in self._apart.pop(gone, ()):
            self.tell_apart(kept, enemy)
            self._apart[enemy].discard(gone)
        self._grew = True

    def tell_apart(self, one: Node, other: Node) -> None:
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def _tell_apart(self, trace: str, constants: Iterable[tuple[str, str]]) -> None:
        for nodes in (tuple(self.of(trace, text) for text in two) for two in constants):
            if nodes[0] != nodes[1]:
                self.tell_apart(*nodes)

    def are_apart(self, trace: str, one: str, other: str) -> bool:
        return self.of(trace, other) in self._apart.get(self.of(trace, one), ())


def _ways(lines: Iterable[Line], points: Set[str]) -> set[tuple[str, tuple[str, ...]]]:
    """The ways on which a recorded trace passes these places of the program: the guards on numbers there, and on
    overflow, none of which is left out since it is known to pass."""
    ways: dict[tuple[str, int | None], list[str]] = {}
    for line in lines:
        if line.point in points:
            way = ways.setdefault((line.point, line.passed), [])
            if line.name in _OVERFLOWS or (line.is_guard and line.args and line.args[0][0] == "i"):
                way.append(line.name)
    return {(point, tuple(way)) for (point, _), way in ways.items()}


@lru_cache(maxsize=8)  # a pair is translated up to three times, some with a loop
def sameness_in(recorded: Printed, preserved: Preserved = NOTHING) -> Sameness:
    """The classes of a recorded trace, as far as it alone tells. They are shared, and do not grow."""
    return Sameness(alone(recorded), preserved)


def sameness_unless_found(recorded: Printed, preserved: Preserved = NOTHING) -> Sameness:
    """The same, without what its guards find to be one value: it holds in front of them, too."""
    lines = (line for line in recorded.lines if line.name not in (*IDENTITY, *FINDINGS))
    return sameness_in(recorded.with_lines(tuple(lines)), preserved)
