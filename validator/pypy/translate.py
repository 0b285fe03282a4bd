"""A pair of a log in the trace language: two traces with their declarations, and what is assumed beside them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace
from validator.pypy.declared import declarations, possible
from validator.pypy.inferred.constants.contents import Content, known_constants
from validator.pypy.inferred.effects import Effect
from validator.pypy.inferred.fields import NEVER_CHANGES, Fields
from validator.pypy.inferred.sameness import Node, Sameness
from validator.pypy.inferred.strings import SAME_STRINGS, constant_strings, new_strings
from validator.pypy.inferred.written import ALLOCATIONS, check_places
from validator.pypy.origins import earliest_origins, handing_over_their_own, origins_alone, origins_in_loop, origins_of
from validator.pypy.printed.calls.copies import COPIED, Copies, copies_of
from validator.pypy.printed.calls.functions import FORCED, FOREIGN, RPYTHON, forces_reference, is_foreign, keeps_off
from validator.pypy.printed.kinds.tables import CLASS_TESTS, class_name
from validator.pypy.printed.lines import NULL, Line, Printed, is_float, is_pointer, is_variable
from validator.pypy.printed.rows import Rows
from validator.pypy.printed.straight import AFTER, BEFORE, TOKEN, VIRTUAL_REF, Sides
from validator.pypy.writing import Writing

_KINDS = {"<FieldS": "i", "<FieldU": "i", "<FieldP": "p", "<FieldF": "f"}


@dataclass(frozen=True, slots=True)
class Translated:
    """Both traces, and the assumptions, each by its name. `origins` are, of each guard, the number of the recorded one
    that it seems to come from, `earliest` the least that this can be, where that is known, `moved` that of guards in
    another order; the `unrecorded` hand over what no recorded one seems to have. The optimized traces that it
    `rests_on` are to be right. `is_loop`: it goes round, or to the inner label of a loop, whose traces are `loop`;
    `in_loop` are the origins of its guards, which a proof has found if it `is_placed`, `alone` those that they seem to
    have without the bridge.
    `is_bridge`: it is none, and goes to the start of one or finishes. `by_preamble`: the preamble stands in the place
    of the recorded loop. `resumed` are, of each guard, the memories to which resume data stores there, if a bridge
    shows it."""

    sides: Sides
    before: Trace
    after: Trace
    assumes: tuple[str, ...]
    origins: tuple[int | None, ...]
    earliest: tuple[int, ...]
    unrecorded: tuple[int, ...] = ()
    moved: tuple[int | None, ...] = ()
    rests_on: tuple[int, ...] = ()
    is_loop: bool = False
    is_bridge: bool = False
    loop: tuple[Trace, Trace] | None = None
    in_loop: tuple[int | None, ...] = ()
    alone: tuple[int | None, ...] = ()
    is_placed: bool = False
    by_preamble: bool = False
    resumed: tuple[frozenset[str] | None, ...] = ()

    def says(self, other: Translated) -> bool:
        """Is the same to be proved of both, whatever is assumed for that?"""
        return self == replace(other, sides=self.sides, assumes=self.assumes, rests_on=self.rests_on)


def translate(
    sides: Sides,
    rows: Rows,
    sameness: Sameness,
    effects: frozenset[Effect],
    fields: Fields,
    *,
    contents: frozenset[Content] = frozenset(),
    by_fields: bool = False,
    generous: bool = False,
) -> Translated:
    """The pair, where calls are taken not to have these effects, or, if that is to be `generous`, none at all; and if
    it is to go `by_fields`, new objects to be of classes of which others with these were found to be. Raises
    InputError."""
    check_places(sides.after, partial(sameness.of, AFTER))
    lines, copies = sides.lines, copies_of(sides)
    strings, known = constant_strings(rows, sameness), known_constants(rows, sameness, contents)
    texts = {**strings, **{node: one.text for node, one in known.items()}}
    names = _Names(rows, sameness, copies, texts, by_fields)
    extra = (TOKEN, *map(_float_name, sorted({arg for line in lines for arg in line.args if is_float(arg)})))
    written = _written(sides, extra, names, fields)
    used = frozenset(possible(lines, copies))
    used = used if generous else used & effects
    needed = {SAME_STRINGS: strings, INSTANCES: names.asks_for_objects, COPIED: copies.arrays}
    earliest = earliest_origins(sides, rows, sameness)
    origins, moved = origins_of(sides, rows, sameness, earliest)
    of_target = _written(sides.target, extra, names, fields, is_right=True) if sides.target else ()
    declared = copies.declared(lines, declarations(sides, used, fields, copies.memories))
    before, after, *loop = (one.trace(declared) for one in (*written, *of_target))
    return Translated(
        sides,
        before,
        after,
        (*_assumed(lines, used, fields), *filter(needed.get, needed), *names.goes_by, *map(str, known.values())),
        origins,
        earliest,
        handing_over_their_own(sides, rows, sameness),
        moved=moved,
        is_loop=sides.is_peeled or sides.target is not None,
        loop=(_entered(loop[0]), loop[1]) if loop else None,
        in_loop=origins_in_loop(sides, rows, sameness),
        alone=origins_alone(sides, rows, sameness),
    )


def _written(
    sides: Sides, extra: tuple[str, ...], names: _Names, fields: Fields, *, is_right: bool = False
) -> tuple[Writing, Writing]:
    """Both traces, of which the optimized one may be taken to be right. What goes round, or to a loop, hands on the
    inputs that a log does not have."""
    hands_on = extra if sides.is_peeled or sides.target else ()
    goes_on = sides.target.before.lines if sides.target else ()
    objects = [_objects(one.lines, goes_on) if names.asks_for_objects else {} for one in (sides.before, sides.after)]
    recorded = _write(BEFORE, sides.before, extra, hands_on, names, fields, objects[0])
    return recorded, _write(AFTER, sides.after, extra, hands_on, names, fields, objects[1] if is_right else {})


def _entered(loop: Trace) -> Trace:
    """The loop of a bridge, behind a guard that always passes: there guards resume that ask what its label asks."""
    token, *rest = loop.ops
    return loop.of([token, Operation(OPS["guard_true"], (ConstInt(1),), exit=Exit()), *rest])


SAME_CONSTANTS = "constant objects at corresponding places of both traces are the same"
INSTANCES = "what has a field whose name begins with inst_ is an instance"
BY_NAME = "new objects all of whose fields belong to a class by their names are of that class"
BY_FIELDS = "new objects are of the class that others with such fields were found to be of"
HASHES = "strings have their hashes where strhash reads them"


def _assumed(lines: tuple[Line, ...], effects: frozenset[Effect], fields: Fields) -> Iterator[str]:
    yield from map(str, sorted(effects))
    memories = {found.memory for line in lines if (found := line.access)}
    yield from (f"{memory}{NEVER_CHANGES}" for memory in sorted(memories) if fields.never_changes(memory))
    if any(line.may_write for line in lines):
        yield from (f"calls leave {memory} {left}" for memory in sorted(memories) if (left := fields.left(memory)))
    if any(is_pointer(arg) for line in lines for arg in line.args):
        yield SAME_CONSTANTS
    called = {line.function for line in lines if line.is_call}
    if any(keeps_off(function) and not is_foreign(function) for function in called):
        yield RPYTHON
    if any(map(is_foreign, called)):
        yield FOREIGN
    if any(map(forces_reference, called)):
        yield FORCED
    if any(line.name in ("strhash", "unicodehash") for line in lines):
        yield HASHES


def _write(
    trace: str,
    printed: Printed,
    extra: tuple[str, ...],
    hands_on: tuple[str, ...],
    names: _Names,
    fields: Fields,
    objects: Mapping[int, str],
) -> Writing:
    writing = Writing((*printed.inputs, *extra))
    writing.add("assert_not_none", (TOKEN,))
    settled = {} if trace == AFTER else _settled(printed.lines, fields)
    constant = {} if trace == AFTER else names.constant(printed.lines)
    known: set[str | None] = {*printed.inputs}
    for at, line in enumerate(printed.lines):
        if line.result in constant:
            writing.add("same_as_r", (constant[line.result],), line.result)
            continue
        if line.args and line.args[0] in constant and line.name in ("strsetitem", "unicodesetitem"):
            continue
        args = [names.argument(trace, line, place) for place in range(len(line.args))]
        if line.name in ("label", "jump"):
            writing.add(line.name, (*args, *hands_on), descr=line.descr if hands_on and trace == AFTER else "")
            known = {*line.args}
        else:
            handed = None if trace == BEFORE else [value for value in line.handed if value in known]
            if line.name == "guard_value" and is_float(line.args[1]) and trace == AFTER:
                line, args = _with_asked(writing, line, args, at)
            writing.add(line.name, args, line.result, names.descr(trace, line), handed)
        known.add(line.result)
        if at in settled:
            load = settled[at]
            writing.add(load.name, load.args, load.result, load.descr)
        if at in objects:
            writing.add("assert_is_object", (objects[at],))
    return writing


def _with_asked(writing: Writing, guard: Line, args: Sequence[str], at: int) -> tuple[Line, list[str]]:
    """The guard that a float has a value, as machine code asks it, by one comparison of floats (`UCOMISD`): it passes
    where neither is less than the other, for 0.0 in the place of -0.0, and for NaN in that of any. The interpreter that
    is recorded asks for the value, bit by bit."""
    less, more, either = (f"i_{name}{at}" for name in ("less", "more", "either"))
    writing.add("float_lt", args, less)
    writing.add("float_lt", args[::-1], more)
    writing.add("int_or", (less, more), either)
    return replace(guard, name="guard_false"), [either]


def _objects(lines: tuple[Line, ...], behind: tuple[Line, ...]) -> dict[int, str]:
    """The values that are instances, since a field of these is accessed, by the places where that is first seen, up to
    a label; and results of loop-invariant calls of which fields are accessed in the loop behind the lines."""
    first: dict[str, int] = {}
    accessed = {line.instance for line in behind}
    later = {(line.function, line.args) for line in behind if line.is_loop_invariant and line.result in accessed}
    for at, line in enumerate(itertools.takewhile(lambda line: line.name != "label", lines)):
        is_instance = line.is_loop_invariant and (line.function, line.args) in later
        value = line.result if is_instance else line.instance
        if value is not None and is_variable(value):
            first.setdefault(value, at)
    return {at: value for value, at in first.items()}


def _settled(lines: tuple[Line, ...], fields: Fields) -> dict[int, Line]:
    """Loads behind the last stores to immutable fields of new objects, by the places of these: what has been read of an
    immutable field does not change, also where the object is given away."""
    fresh = {line.result for line in lines if line.name in ALLOCATIONS}
    last: dict[tuple[str, tuple[str, ...]], int] = {}
    for at, line in enumerate(lines):
        found = line.access
        if found and found.is_store and fields.never_changes(found.memory):
            if found.place[0] in fresh:
                last[found.memory, found.place] = at
            else:  # it may be one of them
                last = {key: place for key, place in last.items() if key[0] != found.memory}
    return {
        at: Line(f"{kind}_settled{at}", f"getfield_gc_{kind if kind != 'p' else 'r'}", place, memory)
        for (memory, place), at in last.items()
        if any(line.may_write for line in lines[at:])
        for kind in [_KINDS[memory.partition(" ")[0]]]
    }


@dataclass(slots=True)
class _Names:
    """Names of constants and classes: alike where they are the same."""

    rows: Rows
    sameness: Sameness
    copies: Copies
    strings: Mapping[Node, str]
    by_fields: bool
    objects: dict[Node, str] = field(default_factory=dict)
    classes: dict[Node, str] = field(default_factory=dict)
    same_code: dict[Node, Node] = field(default_factory=dict)
    sizes: dict[Node, tuple[str, str]] = field(default_factory=dict)
    other_sizes: dict[tuple[Node, str, str], str] = field(default_factory=dict)
    callees: dict[str, list[str]] = field(default_factory=dict)
    goes_by: set[str] = field(default_factory=set)

    @property
    def asks_for_objects(self) -> bool:
        """Does a trace ask what is defined of instances alone? In a loop an optimized one may do so earlier."""
        asks = ("guard_subclass", "guard_class") if self.rows.copies else ("guard_subclass",)
        return any(line.name in asks for sides in self.rows.pairs for line in sides.lines)

    def __post_init__(self) -> None:
        for trace, value, again in self.rows.copies:
            one, other = (self._made(trace, text) for text in (value, again))
            if one != other:
                self.same_code[other] = one
        for sides in self.rows.pairs:
            self._made_alike(sides)
        found = self._classes_found(executed for executed, _ in map(self.rows.recorded, self.rows.pairs))
        self.classes.update(found)
        of_owners = self._classes_of_owners()
        for node, class_ in self._classes_found(later for _, later in map(self.rows.recorded, self.rows.pairs)).items():
            fields = {*self._stored_to(node)} if node not in found else set()
            others = {owner for owner in map(_owner, fields) if owner.rpartition(".")[2] != class_}
            if fields and (not others or (self.by_fields and all(of_owners[owner] == {class_} for owner in others))):
                self.classes[node] = class_
                self.goes_by.add(BY_FIELDS if others else BY_NAME)

    def _classes_found(self, traces: Iterable[tuple[Line, ...]]) -> dict[Node, str]:
        """The classes that guards of these find, of values and of all that the same code makes."""
        found: dict[Node, str] = {}
        for line in (line for lines in traces for line in lines if line.name == "guard_class"):
            found.setdefault(self._made(BEFORE, line.args[0]), class_name(line.args[1]))
        return found

    def _classes_of_owners(self) -> Mapping[str, Set[str]]:
        """The classes that have been found of objects with fields that belong to a class."""
        of_owners = defaultdict[str, set[str]](set)
        for lines, _ in map(self.rows.recorded, self.rows.pairs):
            tested = {line.args[0]: class_name(line.args[1]) for line in lines if line.name == "guard_class"}
            for found in (line.access for line in lines):
                if found and found.place[0] in tested:
                    of_owners[_owner(found.memory)].add(tested[found.place[0]])
        return of_owners

    def _stored_to(self, node: Node) -> Iterator[str]:
        """The fields that the recorded trace stores to new objects of that code."""
        for sides in self.rows.pairs:
            made = {line.result for line in sides.before.lines if line.name in ALLOCATIONS}
            for found in (line.access for line in sides.before.lines):
                is_made = found is not None and found.is_store and found.place[0] in made
                if found and is_made and self._made(BEFORE, found.place[0]) == node:
                    yield found.memory

    def _made_alike(self, sides: Sides) -> None:
        """Takes objects of both traces for such of one class that have the same size and contents, or hold objects
        that are taken so."""
        more = True
        while more:
            more = False
            recorded = {made: node for node, made in self._contents(BEFORE, sides.before)}
            nodes = {*recorded.values()}
            for node, made in self._contents(AFTER, sides.after):
                same = None if node in nodes else recorded.get(made)
                if same is not None and self._top(node) != self._top(same):
                    self.same_code[self._top(node)] = self._top(same)
                    more = True

    def _contents(self, trace: str, printed: Printed) -> Iterator[tuple[Node, object]]:
        """The objects that a trace allocates, with what it stores into each."""
        made: dict[str, tuple[str, dict[str, Node]]] = {}
        for line in printed.lines:
            if line.name in ALLOCATIONS and line.result:
                made[line.result] = line.descr, {}
            elif (found := line.access) and found.is_store and found.place[0] in made:
                made[found.place[0]][1].setdefault(found.memory, self._made(trace, found.value))
        for value, (size, stored) in made.items():
            if stored:
                yield self.sameness.of(trace, value), (size, tuple(sorted(stored.items())))

    def _made(self, trace: str, value: str) -> Node:
        """The class of a value and all that the same code makes of the same class."""
        return self._top(self.sameness.of(trace, value))

    def _top(self, node: Node) -> Node:
        while node in self.same_code:
            node = self.same_code[node]
        return node

    def argument(self, trace: str, line: Line, place: int) -> str:
        text = line.args[place]
        if text == NULL:
            return "NULL"
        if is_pointer(text):
            node = self.sameness.of(trace, text)
            return self.strings.get(node) or f"ConstPtr({self.objects.setdefault(node, f'k{len(self.objects)}')})"
        if is_float(text):
            return _float_name(text)
        if line.name in CLASS_TESTS and place == 1:
            return f"ConstClass({class_name(text)})"
        if text.startswith("ConstClass(") and line.is_call and line.descr.startswith("<Call"):
            descrs = self.callees.setdefault(text, [])
            descrs += [] if line.descr in descrs else [line.descr]
            number = descrs.index(line.descr)
            return f"{text[:-1]}$other{number})" if number else text
        return text

    def constant(self, lines: tuple[Line, ...]) -> dict[str | None, str]:
        """The new strings of the recorded trace that are constants, by the names of the results."""
        new = new_strings(lines)
        return {value: new[value] for value in new if self.sameness.of(BEFORE, value) in self.strings}

    def descr(self, trace: str, line: Line) -> str:
        if line.is_call:
            return self.copies.function(line)
        if line.is_guard or line.name in ("jump", "finish"):
            return ""
        if line.name in ALLOCATIONS and line.result and line.descr != VIRTUAL_REF:
            node = self._made(trace, line.result)
            size = line.name, line.descr
            if self.sizes.setdefault(node, size) == size:
                return self.classes.setdefault(node, f"{line.descr.rstrip('>')} ${len(self.classes)}>")
            return self.other_sizes.setdefault(
                (node, *size), f"{line.descr.rstrip('>')} $other {len(self.other_sizes)}>"
            )
        return line.descr


def _owner(memory: str) -> str:
    """The class that a field belongs to, by its name."""
    return memory.partition(" ")[2].rpartition(".")[0]


def _float_name(text: str) -> str:
    return "f_" + "".join({"-": "m", "+": "p", ".": "d"}.get(char, char) for char in text)
