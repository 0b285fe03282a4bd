"""Effects of calls that PyPy knows and a log does not say, inferred from the work of its optimizer.

Where the recorded trace accesses a field in front of a call and loads it behind it, and the optimized one has no load
there, the optimizer relied on the call not writing the field; where a store in front of the call is done behind it, on
the call neither reading nor writing it, if two traces say so, a preamble and its body being two; where the check behind
the call that the code is valid is gone, on the call not invalidating code. Each is an assumption with a name. It must
be consistent over all logs that are studied together: where the optimizer loads a field that it has just had in hand
again, or checks again, only because of a call between, or does a store that it has put off right in front of a call,
that function has the effect.

Nothing is inferred of functions of which PyPy knows nothing either, of fields that it takes to be immutable, nor of
objects that the optimized trace has not allocated yet; nor of items, and of fields of RPython's own lists, tuples and
dicts: those of different types are printed alike, and what a function does to items of lists nobody can tell from what
it does to those of frames. But lists of integers are of one type, and so are those of floats; and what a function is
given is of one type, as RPython's functions are: so it is inferred that it does not write such a field of that object.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import astuple, dataclass, field
from itertools import product

from optimizer.ir.immutable import replace
from validator.pypy.inferred.fields import Fields, is_pure
from validator.pypy.inferred.sameness import Node, Preserved, Sameness
from validator.pypy.inferred.witnesses import Row, Witness, are_two, from_kept, kept, told
from validator.pypy.printed.copies import copies_items
from validator.pypy.printed.lines import (
    ANY_EFFECT,
    Line,
    Printed,
    does_to_own,
    is_named,
    is_object,
    is_variable,
    keeps_off,
    only_reads,
    touches_no_object,
)
from validator.pypy.printed.lists import array_of, of_any_kind, types_of_lists
from validator.pypy.printed.straight import AFTER, BEFORE, Sides
from validator.pypy.printed.tables import type_of, types_of_tables

CODE = "code"
"""The memory of machine code, which a call may invalidate."""

_VERBS = {"reads": "read", "writes": "write", "invalidates": "invalidate"}
_FORGETS = ("label", "gc_store")
"""Operations behind which PyPy's optimizer may know less of all memory."""

_SHARED = re.compile(r"<Array|<Interior|<Field. [a-z]\w*\.\w+ ")
"""Names of items, and of fields of RPython's own structs, which are not in a module."""

_OF_ONE_TYPE = ("<ArrayS 8>", "<ArrayF 8>")
"""Arrays of which RPython has one type of lists: references, characters and truths are of many."""

OF_GIVEN = " of what it is given"
"""The words behind the field of an object of which an effect is that is one of the arguments."""

_ROUNDS = 4
"""Effects that are inferred say more of which values are the same, and so more effects are seen."""

Place = tuple[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True, order=True)
class Effect:
    """The function (as `Line.function`) does not do this (`reads`, `writes`, `invalidates`) to this memory."""

    function: str
    verb: str
    memory: str

    def __str__(self) -> str:
        return f"call {self.function} does not {_VERBS[self.verb]} {self.memory}"

    @property
    def is_named(self) -> bool:
        """Does it mean the same in all processes?"""
        return is_named(self.function) and is_named(self.memory) and not type_of(self.memory)


@dataclass(slots=True)
class Evidence:
    """Statements of pairs on effects, each with the pairs that say so. `stored_behind` are reads and writes that
    contradict a store which is put off, with the iteration in which it stands: one trace would only say of its own
    store that it is right there. A preamble and its body are two, optimized one after the other. `given` are the types
    of tables and lists that functions are given, "" of what else they are."""

    relied_on: dict[Effect, set[Witness]] = field(default_factory=dict)
    stored_behind: dict[Effect, set[Witness]] = field(default_factory=dict)
    denied: set[Effect] = field(default_factory=set)
    given: set[tuple[str, str]] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, once: int, sameness: Sameness) -> None:
        """Takes in a pair: its last row, the number of operations in an iteration, and the classes, which grow."""
        types = types_of_tables(sides.before.lines) | types_of_lists(sides.before)
        calls = (line for line in sides.before.lines if line.is_call)
        self.given |= {(line.function, types.get(arg, "")) for line in calls for arg in filter(is_object, line.args)}
        relied: set[Effect] = set()
        behind: set[tuple[Effect, int]] = set()
        for _ in range(_ROUNDS):
            sameness.grow(_as_pypy_sees_it(relied | {effect for effect, _ in behind}))
            before = _Trace(BEFORE, sides.before, sameness)
            after = _Trace(AFTER, sides.after, sameness)
            self.denied |= {*after.loaded_again(), *after.checked_again()}
            both = list(_aligned(before.calls, after.calls))
            self.denied |= {*_done_for_a_call(before, after, both)}
            more = {*_relied_on(before, after, both)} - relied
            further = {*_stored_behind(before, after, both, once)} - behind
            if not more | further:
                break
            relied |= more
            behind |= further
        for effect in relied:
            self.relied_on.setdefault(effect, set()).add(pair)
        for effect, iteration in behind:
            self.stored_behind.setdefault(effect, set()).add(replace(pair, iteration=iteration))

    def assumed(self, log: int, *, is_own: bool = False) -> frozenset[Effect]:
        """The effects that the optimizer relied on, in the log of that number, without those that it denied elsewhere,
        those on memory whose name several types share, and those of RPython's own functions on what they
        read and write. `is_own`: without what is kept in files."""
        relied_on = told(self.relied_on, log, _is_named, _are_enough, is_own=is_own)
        behind = told(self.stored_behind, log, _is_named, is_own=is_own)
        assumed = (
            one
            for one in relied_on | behind
            if self.denied.isdisjoint((one, replace(one, memory=of_any_kind(one.memory))))
            if one.memory.endswith(OF_GIVEN) or _type_of(one.memory) or not _SHARED.match(one.memory)
        )
        return frozenset(one for one in assumed if self._is_about_others(one))

    def _is_about_others(self, effect: Effect) -> bool:
        """Is it none that one of RPython's own functions has on what it reads and writes? One that is given those of
        another type, and none of this one, does nothing to these; nor to lists, which some share, if all is known."""
        type_, given = _type_of(effect.memory), {type_ for one, type_ in self.given if one == effect.function}
        is_of_others = type_ and given - {""} and not given & {type_, *([""] if array_of(effect.memory) else [])}
        return bool(is_of_others) or not does_to_own(effect.function, effect.verb, effect.memory)

    def kept(self) -> Iterator[Row]:
        """The statements that mean the same in all processes, as rows."""
        yield from (("relied on", *astuple(effect), *place) for effect, place in kept(self.relied_on, _is_named))
        yield from (("put off", *astuple(effect), *place) for effect, place in kept(self.stored_behind, _is_named))
        yield from (("denied", *astuple(effect)) for effect in self.denied if effect.is_named)

    def take(self, row: Row, log: int) -> None:
        """Takes in a row that is kept of other logs. Raises ValueError."""
        match row:
            case "relied on" | "put off", function, verb, memory, *place:
                said = self.relied_on if row[0] == "relied on" else self.stored_behind
                said.setdefault(_effect(function, verb, memory), set()).update(from_kept(log, place))
            case "denied", *effect:
                self.denied.add(_effect(*effect))
            case _:
                raise ValueError


def _type_of(memory: str) -> str:
    """The type of the tables or lists whose memory that is, if it is one; "" of others."""
    array = array_of(memory)
    return array if array in _OF_ONE_TYPE else type_of(memory)


def _are_enough(witnesses: Collection[Witness]) -> bool:
    """Are these enough for an effect that was relied on? One is, but of those that are kept it takes two: what one pair
    was misread for would else be assumed of all programs."""
    return any(one.log >= 0 for one in witnesses) or are_two(witnesses)


def _effect(*texts: str) -> Effect:
    function, verb, memory = texts
    if verb not in _VERBS:
        raise ValueError
    return Effect(function, verb, memory)


def _is_named(effect: Effect) -> bool:
    return effect.is_named


def leaves(function: str, memory: str, effects: frozenset[Effect], fields: Fields) -> bool:
    """Do these effects or fields say that the function leaves this memory as it is? One that writes a quasi-immutable
    field invalidates code, and one that copies items writes no field."""
    if fields.left(memory) or _cannot_write(function, memory):
        return True
    if memory in fields.may_change and Effect(function, "invalidates", CODE) in effects:
        return True
    return Effect(function, "writes", memory) in effects


def _as_pypy_sees_it(effects: Set[Effect]) -> Preserved:
    return lambda function, memory: (
        is_pure(memory) or _cannot_write(function, memory) or Effect(function, "writes", memory) in effects
    )


def _cannot_write(function: str, memory: str) -> bool:
    return (
        touches_no_object(function)
        or keeps_off(function, memory)
        or only_reads(function, memory)
        or (copies_items(function) and memory.startswith("<Field"))
    )


@dataclass(frozen=True, slots=True)
class _Done:
    """An access. `cached`: PyPy's optimizer knows afterwards what stands there."""

    at: int
    is_store: bool
    place: Place
    value: Node
    cached: bool


class _Trace:
    """The accesses, the calls that may have effects, and the checks for valid code of one trace, by their places; of
    each value, where it is seen first."""

    def __init__(self, trace: str, printed: Printed, sameness: Sameness) -> None:
        lines = printed.lines
        self.calls = [
            (at, line) for at, line in enumerate(lines) if line.may_write and not touches_no_object(line.function)
        ]
        self.given = {at: {*(sameness.of(trace, text) for text in line.called_with)} for at, line in self.calls}
        self.checks = [at for at, line in enumerate(lines) if line.name == "guard_not_invalidated"]
        self.forgets = [at for at, line in enumerate(lines) if line.name.startswith(_FORGETS)]
        self.accesses = [
            _Done(at, found.is_store, (found.memory, places), sameness.of(trace, found.value), _is_cached(line))
            for at, line in enumerate(lines)
            if (found := line.access)
            for places in [tuple(sameness.of(trace, part) for part in found.place)]
        ]
        self.storing = {done.at for done in self.accesses if done.is_store}
        self.stores: dict[Place, list[_Done]] = {}
        self.loads: dict[Place, list[int]] = {}
        for done in self.accesses:
            if done.is_store:
                self.stores.setdefault(done.place, []).append(done)
            else:
                self.loads.setdefault(done.place, []).append(done.at)
        self.seen: dict[Node, int] = {sameness.of(trace, text): -1 for text in printed.inputs}
        for at, line in enumerate(lines):
            for text in (*line.args, *((line.result,) if line.result else ())):
                self.seen.setdefault(sameness.of(trace, text), at)

    def has(self, place: Place, at: int) -> bool:
        """Is the object of that place an object in this trace in front of `at`, or an input?"""
        return self.seen.get(place[1][0], -1) < at

    def again(self) -> Iterator[tuple[_Done, _Done]]:
        """Each load of a place that the trace has accessed already, with that access; stores to other places of the
        same memory may have changed it, and end that."""
        last: dict[str, dict[Place, _Done]] = {}
        for done in self.accesses:
            places = last.setdefault(done.place[0], {})
            if not done.is_store and done.place in places:
                yield places[done.place], done
            if done.is_store:
                places.clear()
            places[done.place] = done

    def loaded_again(self) -> Iterator[Effect]:
        """Functions that write a memory, since it is loaded again behind one call of them and nothing else."""
        for first, second in self.again():
            between = [call for at, call in self.calls if first.at < at < second.at]
            if len(between) == 1 and first.cached and second.cached and not self._forgets(first.at, second.at):
                at = next(at for at, call in self.calls if call is between[0])
                yield from self.writes(at, between[0], second.place)

    def writes(self, at: int, call: Line, place: Place) -> Iterator[Effect]:
        """The writes of a call there to a place, as far as each is one effect."""
        memory, (base, *index) = place
        yield Effect(call.function, "writes", memory)
        if base in self.given[at] and not index and _SHARED.match(memory):
            yield Effect(call.function, "writes", memory + OF_GIVEN)

    def checked_again(self) -> Iterator[Effect]:
        """Functions that invalidate code, since it is checked again behind one call of them and nothing else."""
        for first, second in zip(self.checks, self.checks[1:], strict=False):
            between = [call for at, call in self.calls if first < at < second]
            if len(between) == 1 and not self._forgets(first, second):
                yield Effect(between[0].function, "invalidates", CODE)

    def _forgets(self, first: int, second: int) -> bool:
        """May the optimizer forget something between these, for another reason than a call?"""
        return any(first < at < second for at in self.forgets)


def _is_cached(line: Line) -> bool:
    """PyPy's optimizer does not know items at indices that vary, nor fields of items."""
    if line.name.startswith(("getfield_gc", "setfield_gc")):
        return True
    return line.name.startswith(("getarrayitem_gc", "setarrayitem_gc")) and not is_variable(line.args[1])


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that both traces make: its places in the recorded and in the optimized one."""

    here: int
    there: int
    line: Line

    @property
    def is_known(self) -> bool:
        """Does PyPy know what the function reads and writes?"""
        return self.line.effect < ANY_EFFECT


def _relied_on(before: _Trace, after: _Trace, calls: list[_Call]) -> Iterator[Effect]:
    for first, second in before.again():
        between = [call for call in calls if first.at < call.here < second.at]
        if not between or is_pure(second.place[0]) or not after.has(second.place, between[0].there):
            continue
        end = min((call.there for call in calls if call.here > second.at), default=None)
        loads = after.loads.get(second.place, ())
        if not any(between[0].there < at and (end is None or at < end) for at in loads):
            yield from _relied(before, between, second.place)
    yield from _effects(_unchecked(before, after, calls), "invalidates", CODE)


def _relied(before: _Trace, calls: list[_Call], place: Place) -> Iterator[Effect]:
    """The writes that these calls do not do; none where one of the functions is not known: then the optimizer relied on
    something else."""
    if all(call.is_known for call in calls):
        for call in calls:
            yield from before.writes(call.here, call.line, place)


def _stored_behind(before: _Trace, after: _Trace, calls: list[_Call], once: int) -> Iterator[tuple[Effect, int]]:
    """The effects with the iterations in which stores were put off, each so many operations long."""
    for store in before.accesses:
        if store.is_store:
            put_off = list(_put_off(store, before, after, calls))
            effects = [*_effects((call for call, _ in put_off), "reads", store.place[0])]
            if not is_pure(store.place[0]):
                effects += _effects((call for call, is_done in put_off if is_done), "writes", store.place[0])
            yield from ((effect, store.at // once) for effect in effects)


def _done_for_a_call(before: _Trace, after: _Trace, calls: list[_Call]) -> Iterator[Effect]:
    """The reads of calls right in front of which a store is done that was put off until then: that is why."""
    called = {call.there: call for call in calls if call.is_known}
    for place, stores in before.stores.items():
        for store, done in product(stores, after.stores.get(place, ())):
            end = done.at + 1
            while end in after.storing:
                end += 1
            call = called.get(end)
            if call is None or done.value != store.value or not store.at < call.here:
                continue
            if any(store.at < before.seen.get(node, -1) < call.here for node, at in after.seen.items() if at < done.at):
                yield Effect(call.line.function, "reads", place[0])


def _effects(calls: Iterable[_Call], verb: str, memory: str) -> Iterator[Effect]:
    """The effects; none where one of the functions is not known: then the optimizer relied on something else."""
    calls = list(calls)
    if all(call.is_known for call in calls):
        yield from (Effect(call.line.function, verb, memory) for call in calls)


def _put_off(store: _Done, before: _Trace, after: _Trace, calls: list[_Call]) -> Iterator[tuple[_Call, bool]]:
    """The calls that the optimized trace does before it does this store, each with whether it does it at all."""
    end = next((done.at for done in before.stores[store.place] if done.at > store.at), None)
    done_at = [done.at for done in after.stores.get(store.place, ()) if done.value == store.value]
    for call in calls:
        is_between = call.here > store.at and (end is None or call.here < end)
        if is_between and after.has(store.place, call.there) and not any(at < call.there for at in done_at):
            yield call, any(at > call.there for at in done_at)


def _unchecked(before: _Trace, after: _Trace, calls: list[_Call]) -> Iterator[_Call]:
    """The calls behind which the recorded trace checks that the code is valid, and the optimized one does not."""
    for check in before.checks:
        passed = [call for call in calls if call.here < check]
        if not passed:
            continue
        end = min((call.there for call in calls if call.here > check), default=None)
        checks = [at for at in after.checks if end is None or at < end]
        start = max(checks, default=None)
        if start is not None:
            yield from (call for call in passed if call.there > start)


def _aligned(before: list[tuple[int, Line]], after: list[tuple[int, Line]]) -> Iterator[_Call]:
    """The calls of both traces that correspond, in order."""
    start = 0
    for here, line in before:
        for number in range(start, len(after)):
            if after[number][1].function == line.function:
                yield _Call(here, after[number][0], line)
                start = number + 1
                break
