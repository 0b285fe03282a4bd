"""Facts of the parents: what PyPy's optimizer hands over to a bridge, proved where the bridge starts.

The optimizer hands over, of the values that the guard does, and of constants: their classes, fields and items that it
has just had in hand and that are other such values or constants, and what loop-invariant calls gave. Candidates are
read off the way to the guard. They are proved there, all in one question: the way, against the way with loads of the
fields and assertions (`record_exact_class`, `record_exact_value_r`, ...) behind it, which must not be undefined. What
is not proved is left out. In front of the recorded bridge the same loads and assertions say what it starts with.

The way is an optimized trace, so what is proved rests on that trace being right: it does nothing undefined.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.prove.judge import validate
from validator.pypy.inferred.effects import Effect, leaves
from validator.pypy.inferred.executed import EQUATING, SAY_CONSTANT, equated
from validator.pypy.inferred.fields import Fields
from validator.pypy.inferred.sameness import Node, Preserved, Sameness
from validator.pypy.inferred.written import ALLOCATIONS
from validator.pypy.printed.kinds.tables import CLASS_TESTS
from validator.pypy.printed.lines import Line, Printed, is_variable, known_in, read_printed
from validator.pypy.printed.parents import Path, Place, guards_of, highest_number
from validator.pypy.printed.rows import renaming, rows_of
from validator.pypy.printed.straight import TOKEN, NotStraight, Sides, straight
from validator.pypy.resume_data import with_origins
from validator.pypy.translate import translate
from validator.solvers.portfolio import FIRST_EFFORT
from validator.verdict import Failargs, Guards, Options, Proved, Refuted, Status, Unknown, Verdict

_OPTIONS = Options(guards=Guards.SAME, failargs=Failargs.IGNORE, effort=FIRST_EFFORT, timeout_s=4.0)
"""The effort is what ends questions; where time does, nothing is said of the pair (`LateFacts`)."""

TRUSTED = "what bridges hand to the label of a loop is what its preamble has found, in fields that no trace writes, too"

_ALL = "all that may have been known where the bridge starts"
_QUESTIONS = 4
"""Questions in a row, each without what failed before; behind them nothing is taken to be proved."""


Changes = Callable[[Line, Place, str], bool]
"""The question whether another value may be in a place at the inner label of a loop than its preamble leaves there."""

_TAKE_EXCEPTION = ("save_exc_class", "save_exception", "restore_exception", "guard_exception")


class LateFacts(NotStraight):
    """A pair whose parents are too long for a question about them to be answered in time."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement on the values that a guard hands over, as operations that are undefined where it does not hold."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts in the names of the recorded bridge, as operations, and the assumptions by which they are proved."""

    lines: tuple[Line, ...] = ()
    assumes: tuple[str, ...] = ()

    def in_front(self, bridge: tuple[Line, ...]) -> tuple[Line, ...]:
        """The bridge with these facts where it starts, but behind what takes a pending exception: behind a call, as one
        of these may be, there is none."""
        at = next((at for at, line in enumerate(bridge) if line.name not in _TAKE_EXCEPTION), 0)
        return (*bridge[:at], *self.lines, *bridge[at:])


def asked_each_time(pair: LogPair, file: str, leaves: Preserved) -> frozenset[tuple[str, Place, str]]:
    """The constants that fields of objects are asked to be by a recorded loop in each iteration, in front of the
    position in the program where the guard of the body resumes that a bridge comes from: of objects with which the loop
    goes round as they are, and of which its body does not access these, by whatever name. The loop has come to where
    the guard resumes, so it has found them. With the number of the loop, and in the names of its label."""
    if not pair.parents:
        return frozenset()
    parent, *others = pair.parents
    try:
        sides = straight(read_printed(parent.recorded, file), read_printed(parent.optimized, file))
    except (NotStraight, InputError):
        return frozenset()
    before, lines = sides.before, sides.after.lines
    label = next((at for at, line in enumerate(lines) if line.name == "label"), len(lines))
    left = next((line.passed for line in lines[label:] if line.is_guard and parent.guard in guards_of(line)), None)
    if left is None or len(before.inputs) != len(before.lines[-1].args):
        return frozenset()
    left -= lines[label].passed or 0
    passed = _resumes_behind(others[0].recorded if others else pair.recorded, parent.recorded, left, file)
    inputs = {*sides.after.inputs, *(line.result for line in lines[label:] if line.name in ALLOCATIONS)}
    touched = {(access.memory, access.place[0]) for line in lines[label:] if (access := line.access)}
    elsewhere = {memory for memory, object_ in touched if object_ not in inputs}  # that may be the object once more
    asked, found = _first_asked(before.lines, leaves), _first_asked(lines[:label], leaves)
    constants = renaming({}, 0, known_in(parent.number))
    return frozenset(
        (str(parent.number), (memory, name), constants(constant))
        for own, name, next_ in zip(before.inputs, sides.after.inputs, before.lines[-1].args, strict=True)
        for (memory, object_), (constant, _) in found.items()
        if own == next_
        and object_ == name
        and memory not in elsewhere
        and (memory, name) not in touched
        and asked.get((memory, own), ("", passed))[1] < passed
    )


def _resumes_behind(bridge: Section, loop: Section, stands: int, file: str) -> int:
    """The number of positions of a recorded loop in front of that where a guard resumes which stands behind so many. It
    may resume further ahead, where nothing has been done since, and then the bridge takes the way of the loop again: it
    goes on with the next position. That has to be one of the loop, and one alone; else none are known to be passed."""
    first = next((line.args[-1] for line in _points(bridge, file)), "")
    there = [number for number, line in enumerate(_points(loop, file)) if line.args[-1] == first]
    return there[0] if len(there) == 1 and there[0] <= stands else 0


def _points(section: Section, file: str) -> Iterator[Line]:
    return (line for line in read_printed(section, file).lines if line.name == "debug_merge_point")


def _first_asked(lines: tuple[Line, ...], leaves: Preserved) -> dict[Place, tuple[str, int]]:
    """The constants that guards find fields to be which hold what they did where the trace starts, each with the
    position of the guard."""
    loaded: dict[str | None, Place] = {}
    found: dict[Place, tuple[str, int]] = {}
    changed, new, calls = set[str](), set[str | None](), set[str]()
    for line in lines:
        if line.name in ALLOCATIONS:
            new.add(line.result)
        elif line.may_write:
            calls.add(line.function)
        elif access := line.access:
            memory, *place = access.memory, *access.place
            if access.is_store and place[0] not in new:
                changed.add(memory)
            is_field = not access.is_store and len(place) == 1
            if is_field and memory not in changed and all(leaves(function, memory) for function in calls):
                loaded[line.result] = (memory, *place)
        elif line.is_guard and line.name in SAY_CONSTANT and line.args[0] in loaded and line.passed is not None:
            found.setdefault(loaded[line.args[0]], (SAY_CONSTANT[line.name] or line.args[1], line.passed))
    return found


@dataclass(frozen=True, slots=True)
class Labels:
    """The inner labels of loops: is one `entered` by a bridge, by the number of its loop; does memory `change` there;
    have all bridges `found` what a statement says of an argument there; and is what a bridge hands over `trusted` to be
    what the preamble has found there?"""

    is_entered: Callable[[int], bool]
    changes: Changes
    have_found: Callable[[Line, Line], bool]
    is_trusted: bool = True


def facts_of(
    path: Path, sides: Sides, effects: frozenset[Effect], fields: Fields, labels: Labels, *, generous: bool
) -> Facts:
    """The facts at the end of a path that matter to a recorded bridge, or to the loop that it goes on in. Behind a
    label to which bridges come, what it takes may be whatever has come there, of which the facts at the label are
    trusted: two values may be one object, and an old one. `generous`: whatever may hold there is taken to hold. Raises
    LateFacts."""
    recorded = sides.before
    used = (*recorded.lines, *(sides.target.before.lines if sides.target else ()))
    highest = max(path.highest, highest_number(line.result or "" for line in recorded.lines))
    path = replace(path, lines=tuple(_with_classes(path, recorded)))

    def at_end(path: Path, used: Iterable[Line], label: Line | None = None) -> Facts:
        def have_found(statement: Line) -> bool:
            return label is None or generous or labels.have_found(label, statement)

        return _facts_at(path, used, _Walk(effects, fields, labels.changes, generous), 1 + highest, have_found)

    trusted: tuple[str, ...] = ()
    while (at := _first_entered(path, labels)) is not None:
        label, rest = path.lines[at], path.lines[at + 1 :]
        known = Facts()
        if labels.is_trusted:
            known = at_end(replace(path, lines=path.lines[: at + 1], handed=label.args), (*rest, *used), label)
            trusted = (*trusted, *known.assumes, TRUSTED)
            highest = max(highest, highest_number(line.result or "" for line in known.lines))
        path = replace(path, inputs=label.args, lines=(*known.lines, *rest))
    facts = at_end(path, used)
    names = dict(zip(path.handed, recorded.inputs, strict=True))
    lines = tuple(line.renamed(lambda text: names.get(text, text)) for line in facts.lines)
    return Facts(lines, tuple(dict.fromkeys((*facts.assumes, *trusted))) if lines else facts.assumes)


def _first_entered(path: Path, labels: Labels) -> int | None:
    """The place of the first label on the way to which bridges come."""
    places = (at for at, line in enumerate(path.lines) if line.name == "label")
    return next((at for at in places if labels.is_entered(int(path.lines[at].descr))), None)


def _facts_at(path: Path, used: Iterable[Line], walk: _Walk, first: int, have_found: Callable[[Line], bool]) -> Facts:
    """The facts at the end of a path in its own names, of memory and functions that are `used` behind it, and what
    others that come there `have_found` of values, too; results are numbered from `first` on. Raises LateFacts."""
    accessed = set[str]()
    for line in used:
        accessed |= {line.access.memory} if line.access else {line.function} if line.is_loop_invariant else set()
    for line in path.lines:
        walk.pass_(line)
    path = replace(path, lines=tuple(line for line in path.lines if line.name != "label"))
    every = walk.facts(path.handed, accessed, first)
    facts = [fact for fact in every if len(fact.lines) > 1 or have_found(fact.lines[0])]
    kept, assumes = (facts, (_ALL,)) if walk.generous and facts else _proved(path, facts, walk.effects, walk.fields)
    return Facts(tuple(line for fact in kept for line in fact.lines), assumes)


def _with_classes(path: Path, recorded: Printed) -> Iterator[Line]:
    """The way with the classes of what it allocates, which the log prints only where the recorded bridge tests them:
    it has passed that test, on such an object."""
    names = dict(zip(recorded.inputs, path.handed, strict=True))
    tests = {
        names[line.args[0]]: line for line in recorded.lines if line.name == "guard_class" and line.args[0] in names
    }
    for line in path.lines:
        yield line
        if line.name in ALLOCATIONS and line.result in tests:
            yield replace(tests[line.result], args=(line.result, tests[line.result].args[1]))


@dataclass(slots=True)
class _Walk:
    """The knowledge of an optimizer that has come so far: classes of values, what is not null, constants that values
    are, and what memory holds."""

    effects: frozenset[Effect]
    fields: Fields
    changes: Changes
    generous: bool
    classes: dict[str, str] = field(default_factory=dict)
    not_null: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    tests: dict[str, Line] = field(default_factory=dict)
    memory: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    invariant: dict[tuple[str, tuple[str, ...]], Line] = field(default_factory=dict)

    def pass_(self, line: Line) -> None:
        if line.name in CLASS_TESTS:
            self.classes[line.args[0]] = line.args[1]
        elif line.name in ("guard_nonnull", "assert_not_none"):
            self.not_null.add(line.args[0])
        elif line.name in SAY_CONSTANT:
            self._is_constant(line.args[0], SAY_CONSTANT[line.name] or line.args[1])
            test = self.tests.get(line.args[0]) if line.name == "record_exact_value_i" and line.args[1] == "1" else None
            if test is not None and test.name in _EQUAL.values():  # as it is said at a label
                self.constants[test.args[0]] = self._value(test.args[1])
        elif line.name in EQUATING and line.result is not None:
            self.tests[line.result] = line
        elif line.name.startswith("same_as_") and line.result is not None and line.args != (TOKEN,):
            self.constants[line.result] = self._value(line.args[0])
        elif line.name.startswith("new") and line.result is not None:
            self.fresh.add(line.result)
            self.not_null.add(line.result)
        elif found := line.access:
            place = tuple(map(self._value, found.place))
            self.not_null.add(place[0])
            if found.is_store and not self.generous:
                self._written(found.memory, place[0])
            self.memory[found.memory, place] = found.value
        elif line.is_loop_invariant:
            self.invariant[line.function, line.args] = line
        elif line.name == "label" and not self.generous:
            self.memory = {
                key: value
                for key, value in self.memory.items()
                if not self.changes(line, (key[0], *key[1]), self._value(value))
            }
        elif line.may_write and not self.generous:
            self.memory = {key: value for key, value in self.memory.items() if not self._may_write(line, key[0])}

    def _is_constant(self, value: str, constant: str) -> None:
        self.constants[value] = constant
        test = self.tests.get(value)
        if test is not None and SAY_CONSTANT[EQUATING[test.name]] == constant:
            for one, other in equated(test):
                self._is_constant(one, other)

    def _value(self, text: str) -> str:
        return self.constants.get(text, text)

    def _written(self, memory: str, base: str) -> None:
        """Forgets what a store may have changed: it may go to any other object but for fresh ones."""
        self.memory = {
            key: value
            for key, value in self.memory.items()
            if key[0] != memory or (key[1][0] != base and {key[1][0], base} & self.fresh)
        }

    def _may_write(self, call: Line, memory: str) -> bool:
        return not self.fields.never_changes(memory) and not leaves(call.function, memory, self.effects, self.fields)

    def facts(self, handed: tuple[str, ...], accessed: set[str], first: int) -> Iterator[Fact]:
        """Facts on these values, and memory and functions that matter; results are numbered from `first` on."""
        for value in handed:
            if value in self.classes:
                yield Fact((Line(None, "record_exact_class", (value, self.classes[value])),))
            elif value in self.not_null:
                yield Fact((Line(None, "assert_not_none", (value,)),))
            if value[0] != "f" and not is_variable(self._value(value)):
                yield Fact(tuple(_equal(value, self._value(value), 0)))
        for number, (line, content) in zip(itertools.count(first, 2), self._known(accessed), strict=False):
            if all(text in handed or not is_variable(text) for text in (*line.args, content)):
                result = f"{_LETTERS[line.name[-1]]}{number}"
                yield Fact((replace(line, result=result), *_equal(result, content, number)))

    def _known(self, accessed: set[str]) -> Iterator[tuple[Line, str]]:
        """Loads, and loop-invariant calls, each with the value that it is known to give."""
        for (memory, place), content in self.memory.items():
            load = _LOADS.get(memory.partition(" ")[0])
            if load is not None and memory in accessed:
                yield Line(None, load, place, memory), self._value(content)
        for line in self.invariant.values():
            if line.result is not None and line.function in accessed and line.name[-1] in _LETTERS:
                yield line, self._value(line.result)


_EQUAL = {"p": "ptr_eq", "i": "int_eq"}


def _equal(value: str, content: str, number: int) -> Iterator[Line]:
    """The statement that a value is another one, or a constant."""
    if not is_variable(content):
        yield Line(None, f"record_exact_value_{'r' if value[0] == 'p' else 'i'}", (value, content))
        return
    equal = f"i{number + 1}"
    yield Line(equal, _EQUAL[value[0]], (value, content))
    yield Line(None, "record_exact_value_i", (equal, "1"))


_LOADS = {
    "<FieldP": "getfield_gc_r",
    "<FieldS": "getfield_gc_i",
    "<FieldU": "getfield_gc_i",
    "<ArrayP": "getarrayitem_gc_r",
    "<ArrayS": "getarrayitem_gc_i",
    "<ArrayU": "getarrayitem_gc_i",
}
"""The loads of memory, by the beginning of its descr; floats have none, since nothing says which float a value is."""

_LETTERS = {"r": "p", "i": "i"}


class _OneName(Sameness):
    """Constants of two traces of which one is a part of the other: each name stands for one thing."""

    def __init__(self) -> None:
        pass

    def of(self, trace: str, text: str) -> Node:
        return "", text


def _proved(
    path: Path, facts: list[Fact], effects: frozenset[Effect], fields: Fields
) -> tuple[list[Fact], tuple[str, ...]]:
    """The facts that do hold at the end of the path, and what is assumed for that. Raises LateFacts."""
    for _ in range(_QUESTIONS):
        if not facts:
            break
        end = Line(None, "finish", ())
        claims = tuple(line for fact in facts for line in fact.lines)
        sides = Sides(Printed(path.inputs, (*path.lines, end)), Printed(path.inputs, (*path.lines, *claims, end)))
        text = translate(sides, rows_of(sides), _OneName(), effects, fields)
        verdict = validate(text.before, with_origins(text.after, range(len(text.before.guards))), _OPTIONS)
        if isinstance(verdict, Proved) and not verdict.evidence.vacuous:
            return facts, text.assumes
        if isinstance(verdict, Unknown) and not verdict.evidence.is_repeatable:
            raise LateFacts("what is known where the bridge starts takes too long to prove")
        wrong = _wrong(verdict, facts, len(text.before.ops) - 1)
        if not wrong:
            break
        facts = [fact for fact in facts if fact not in wrong]
    return [], ()


def _wrong(verdict: Verdict, facts: list[Fact], first: int) -> set[Fact]:
    """The facts that are not proved, the operations of which begin at the place `first`."""
    if not isinstance(verdict, Refuted | Unknown):
        return set()
    owners = [fact for fact in facts for _ in fact.lines]
    places = {f"op {first + number}: defined": fact for number, fact in enumerate(owners)}
    unsettled = (settled.name for settled in verdict.evidence.obligations if settled.status is not Status.PROVED)
    return {places[name] for name in unsettled if name in places}
