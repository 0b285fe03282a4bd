"""The constant objects of both traces of a pair that are the same.

A log gives each use of a constant object a number of its own. Which of them are one object follows from where they
stand: values of both traces are numbered, equal operations on equal values alike, and what stands at the same place of
guards, calls, stores and ends is taken to be equal. A guard that only the recorded trace has says nothing here but of
that trace: that it passed.

Two constants that one trace tells apart are never made one (`apart`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache, partial
from itertools import permutations, product
from operator import attrgetter
from types import MappingProxyType

from validator.pypy.inferred.constants.apart import told_by_loads, told_while_recorded
from validator.pypy.inferred.constants.joined import join_slices, join_taken
from validator.pypy.inferred.constants.made import Made
from validator.pypy.inferred.held import Node as Node
from validator.pypy.inferred.numbering import IDENTITY, PURE_FIELD, Answers, Asked, Pass
from validator.pypy.inferred.numbering import Preserved as Preserved
from validator.pypy.printed.calls.functions import touches_nothing
from validator.pypy.printed.lines import NULL, Line, Printed, is_pointer, is_variable
from validator.pypy.printed.parents import known_as
from validator.pypy.printed.patterns import CODE
from validator.pypy.printed.rows import Position, Rows, alone
from validator.pypy.printed.straight import AFTER, BEFORE, TOKEN, Sides

_NO_MEETING = ("same_as_r", "quasiimmut_field")
FIND_OUT = ("guard_value", "record_exact_value_r")
"""The operations that tell PyPy's optimizer which constant an object is; a comparison does not."""
FINDINGS = (*FIND_OUT, "record_exact_value_i", "guard_isnull")
"""The operations that say which constant a value is, but for comparisons."""
_FIND_WHICH = ("guard_value", "guard_class")
_FIND = ("guard_value", *IDENTITY)
"""The operations that find out which object something is."""


def NOTHING(function: str, memory: str) -> bool:
    return False


FOUND_LATER = "constants are one object where a guard says so that was recorded of another value"

_ROUNDS = 30
"""Classes grow in each round; behind so many they are taken as they are."""


_Waiting = tuple[str, Node | None, Position, int]
"""A constant of the recorded trace, what the operation gives that has it, where that stands, and its number."""


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
        for _ in range(_ROUNDS):
            self._grew = False
            for place, sides in enumerate(self._rows.pairs):
                later, asked, stored = self._behind(sides)
                changes, known = recorded.get(place, (-1, {}))
                if changes != self._changes:
                    changes, known = recorded[place] = self._changes, {}
                    again = len(self._rows.recorded(sides)[0])
                    Pass(self, BEFORE, known, preserved, later[0], asked, stored, again).number(sides.before.lines)
                Pass(self, AFTER, {**known}, preserved).number(sides.after.lines)
                self._meet(sides.before.lines, sides.after.lines, later)
            for before, preamble in self._rows.first_parts():
                self._meet_stores(before, preamble)
            for are_stored in (False, True):
                if not self._grew:
                    for sides in self._rows.pairs:
                        self._meet_constants(sides, are_stored=are_stored)
            if not self._grew:
                join_taken(self, self._rows)
                for sides in self._rows.pairs:
                    join_slices(self, sides)
            if not self._grew:
                break

    def _behind(self, sides: Sides) -> tuple[tuple[int, int], Asked, tuple[str, ...]]:
        """The ends of a bridge in front of a loop, the constants for which the optimized loop asks, and those that the
        recorded bridge stores."""
        own = self._rows.own if sides is self._rows.pairs[-1] else None
        own = own or (len(sides.before.lines), len(sides.after.lines))
        behind = zip(sides.after.lines[own[1] :], self._rows.positions(sides)[1][own[1] :], strict=True)
        asking = ((line, passed) for line, (_, passed) in behind if line.name in _FIND)
        asked = tuple((arg, passed or 0) for line, passed in asking for arg in line.args if is_pointer(arg))
        stores = (found for line in sides.before.lines[: own[0]] if (found := line.access) and found.is_store)
        return own, asked, tuple(store.value for store in stores if is_pointer(store.value))

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
        if node in parents:
            while node in parents:
                node = parents[node]
            nodes[text] = node
        return node

    def characters(self) -> dict[Node, int]:
        """The constants that are known to be strings of one character, with these."""
        return {self.of(BEFORE, text): character for text, character in self._characters.items()}

    def join(self, trace: str, one: str, other: str) -> None:
        self.unite(self.of(trace, one), self.of(trace, other))

    def join_again(self, passed: int | None, one: str, other: str) -> None:
        """Makes one of constants of the recorded trace which a guard at that position finds to be, that was recorded of
        another value."""
        nodes = self.of(BEFORE, one), self.of(BEFORE, other)
        if self._denied is None or passed in self._denied or nodes[0] == nodes[1] or self._stores_elsewhere(nodes[0]):
            return
        self.unite(*nodes)
        self.goes_by_later = True

    def _stores_elsewhere(self, constant: Node) -> bool:
        """Does a recorded bridge store such a constant at a place of the program where its loop stores none, pass one
        that the loop does not pass, or find another constant or class where the loop finds one? There another object
        may be made, which is filled at the same place."""
        if self._rows.own is None:
            return False
        behind = self._rows.pairs[-1]
        own, loop = self._rows.recorded(behind)
        stores = [line for line in own if line.name == "setfield_gc" and self.of(BEFORE, line.args[-1]) == constant]
        places = {(line.descr, line.point) for line in loop if line.name == "setfield_gc" and is_pointer(line.args[1])}
        if any((line.descr, line.point) not in places for line in stores if is_pointer(line.args[1])):
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
        self.constant |= {kept} if gone in self.constant else set()
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

    def _meet(self, before: tuple[Line, ...], after: tuple[Line, ...], own: tuple[int, int]) -> None:
        """Joins what stands at the same place of both traces, of which a bridge's `own` calls are none of its loop."""
        self._meet_in_order(*([line for line in lines if line.name == "guard_value"] for lines in (before, after)))
        recorded, optimized = own
        for parts in ((before[:recorded], after[:optimized]), (before[recorded:], after[optimized:])):
            self._meet_in_order(*([line for line in lines if line.is_call] for lines in parts))
        if before and after:
            self._meet_args(before[-1].args, after[-1].args)
        self._meet_stores(before, after)

    def _meet_stores(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> None:
        """Joins what both traces store to one place in turn: the last, unless they do so as often."""
        left = self._stores(AFTER, after)
        memories = {memory for memory, _ in left}
        stored = self._stores(BEFORE, (line for line in before if line.descr in memories))
        for key, values in left.items():
            others = stored.get(key, [])
            first = 0 if len(others) == len(values) else -1
            self._meet_args(others[first:], values[first:])

    def _meet_constants(self, sides: Sides, *, are_stored: bool) -> None:
        """Joins the constants that both traces store to the same place, or with which they do else the same to the
        same, at the same position, or else in order; but an operation that gives what the optimized trace has elsewhere
        is gone there. A store may be put off, but not over a guard."""
        before, after = sides.before.lines, sides.after.lines
        held = {self.of(BEFORE, line.result or "") for line in before if self._loads_constant(line)}
        alone = {BEFORE: self._constants(BEFORE, before) | held, AFTER: self._constants(AFTER, after)}
        uses = Counter(arg for line in after for arg in line.args)
        both = alone[BEFORE] & alone[AFTER]
        if both == alone[AFTER]:
            return
        ends, *_ = self._behind(sides)
        met = [self._constants(AFTER, part) & both for part in (after[: ends[1]], after[ends[1] :])]
        waiting: dict[object, list[_Waiting]] = {}
        recorded, optimized = self._results(BEFORE, before), self._results(AFTER, after)
        unmet = (alone[BEFORE] ^ alone[AFTER]) | (recorded ^ optimized)
        there = optimized | {self.of(AFTER, arg) for line in after for arg in line.args}
        ahead = self._next_guards(before, after) if are_stored else []
        for trace, lines, positions in zip((BEFORE, AFTER), (before, after), self._rows.positions(sides), strict=True):
            told = Made(lines, partial(self.of, trace), recorded & optimized).told
            roughly = Made(lines, partial(self._unless, unmet, trace), recorded & optimized).told
            for number, (line, position) in enumerate(zip(lines, positions, strict=True)):
                has_met = met[number >= ends[0]] if trace == BEFORE else both
                value = len(line.args) - 1 if line.access and line.access.is_store else None
                for place, arg in enumerate(line.args):
                    if are_stored != (place == value):
                        continue
                    node = self.of(trace, arg)
                    is_stored_to = line.name == "setfield_gc" and not place  # be it one of those that both have
                    may_meet = node not in has_met or is_stored_to or (trace == BEFORE and node in held)
                    if node not in alone[trace] or line.name in _NO_MEETING or not may_meet:
                        continue
                    telling = roughly if is_stored_to else told
                    rest = tuple("" if at == place else telling(other) for at, other in enumerate(line.args))
                    key = (line.name, line.descr, place, rest)
                    result = self.of(trace, line.result) if line.result else None
                    if trace == BEFORE:
                        waiting.setdefault(key, []).append((arg, result, position, number))
                        continue
                    same = waiting.get(key, [])
                    left = [at for at, (_, gives, _, _) in enumerate(same) if gives == result or gives not in there]
                    if uses[arg] > 1:  # the names of two uses of what a constant holds are two
                        left = [at for at in left if self.of(BEFORE, same[at][0]) not in held]
                    if node in both:
                        left = [at for at in left if self.of(BEFORE, same[at][0]) == node]
                    here = [at for at in left if _is_at(same[at][2], position, is_stored_to)]
                    last = [at for at in left if same[at][3] < ahead[number]][-1:] if are_stored else []
                    if left:
                        self._meet_args((same.pop((last or here or left)[0])[0],), (arg,))

    def _next_guards(self, before: tuple[Line, ...], after: tuple[Line, ...]) -> list[int]:
        """For each optimized line the number of the recorded guard that is the next one behind it, up to which the
        optimizer may have put off a store; 0 where that is not found."""
        recorded: dict[tuple[str, Node], int] = {}
        for number, line in enumerate(before):
            if line.is_guard and line.args and (node := self.of(BEFORE, line.args[0]))[0]:
                recorded.setdefault((line.name, node), number)
        found, coming = [0] * len(after), 0
        for number in reversed(range(len(after))):
            found[number], line = coming, after[number]
            if line.is_guard:
                names = [line.name, *(["guard_nonnull"] if line.name == "guard_nonnull_class" else [])]
                nodes = [self.of(AFTER, arg) for arg in line.args[:1]]
                coming = next((recorded[one] for one in product(names, nodes) if one in recorded), 0)
        return found

    def _unless(self, unmet: Set[Node], trace: str, text: str) -> Node | None:
        node = self.of(trace, text)
        return None if node in unmet else node

    def _loads_constant(self, line: Line) -> bool:
        """Does the recorded trace load from a constant there what does not change, which is one, too?"""
        return (
            line.name == "getfield_gc_r"
            and line.descr.endswith(PURE_FIELD)
            and self.of(BEFORE, line.args[0]) in self.constant
        )

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
            nodes = self.of(BEFORE, one), self.of(AFTER, other)
            if ("", NULL) not in nodes and (is_pointer(other) or is_variable(other)) and not self._are_of_both(*nodes):
                self.unite(*nodes)

    def _are_of_both(self, *nodes: Node) -> bool:
        """Are these constants of a recorded bridge and of its loop? That the optimized loop does something with its own
        one says nothing of that of the bridge, which starts at a guard that has failed."""
        if not self._of_parts or not self.constant.issuperset(nodes):
            return False
        own, loop = ({self.of(*text) for text in texts} for texts in self._of_parts)
        return any(one in own - loop and other in loop - own for one, other in permutations(nodes))

    def _stores(self, trace: str, lines: Iterable[Line]) -> Mapping[tuple[str, tuple[Node, ...]], list[str]]:
        """The values that are stored to each place, in order."""
        found = defaultdict[tuple[str, tuple[Node, ...]], list[str]](list)
        for store in (line.access for line in lines):
            if store and store.is_store:
                found[store.memory, tuple([self.of(trace, part) for part in store.place])].append(store.value)
        return found


def _is_at(recorded: Position, optimized: Position, is_stored_to: bool) -> bool:
    """Is it that position? A store may be put off, but into no other part."""
    return recorded[0] == optimized[0] if is_stored_to else recorded == optimized


@lru_cache(maxsize=8)  # a pair is translated up to three times, some with a loop
def sameness_in(recorded: Printed, preserved: Preserved = NOTHING) -> Sameness:
    """The classes of a recorded trace, as far as it alone tells. They are shared, and do not grow."""
    return Sameness(alone(recorded), preserved)


def sameness_unless_found(recorded: Printed, preserved: Preserved = NOTHING) -> Sameness:
    """The same, without what its guards find to be one value: it holds in front of them, too."""
    lines = (line for line in recorded.lines if line.name not in (*IDENTITY, *FINDINGS))
    return sameness_in(recorded.with_lines(tuple(lines)), preserved)
