"""Effects of calls that PyPy knows and a log does not say, inferred from the work of its optimizer.

Where the recorded trace accesses a field in front of a call and loads it behind it, and the optimized one has no load
there, the optimizer relied on the call not writing the field; where a store in front of the call is done behind it, on
the call neither reading nor writing it, if two pairs say so; where the check behind the call that the code is valid is
gone, on the call not invalidating code. Each is an assumption with a name. It must be consistent over all logs that are
studied together: where the optimizer loads a field that it has just had in hand again, or checks again, only because of
a call between, or does a store that it has put off right in front of a call, that function has the effect.

Nothing is inferred of functions of which PyPy knows nothing either, of fields that it takes to be immutable, nor of
objects that the optimized trace has not allocated yet; nor of items, and of fields of RPython's own lists, tuples and
dicts: those of different types are printed alike, and what a function does to items of lists nobody can tell from what
it does to those of frames. But lists of integers are of one type, and so are those of floats; and what a function is
given is of one type, as RPython's functions are: so it is inferred that it does not write such a field of that object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import astuple, dataclass, field
from itertools import chain

from optimizer.ir.immutable import replace
from validator.pypy.inferred.accesses import Accesses, Call, Done, Place, aligned
from validator.pypy.inferred.contradictions import OneOf, checked_again, done_for_a_call, found_again, loaded_again
from validator.pypy.inferred.effects import CODE, OF_GIVEN, SHARED, Effect, as_pypy_sees_it, effect_of
from validator.pypy.inferred.fields import is_pure
from validator.pypy.inferred.found import Found
from validator.pypy.inferred.sameness import Sameness, sameness_in
from validator.pypy.inferred.witnesses import Row, Witness, are_two, from_kept, kept, told
from validator.pypy.printed.calls.functions import does_to_own
from validator.pypy.printed.kinds.lists import OF_ONE_TYPE, array_of, of_any_kind, types_of_lists
from validator.pypy.printed.kinds.tables import type_of, types_of_tables
from validator.pypy.printed.lines import is_object
from validator.pypy.printed.straight import AFTER, BEFORE, Sides

_ROUNDS = 4
"""Effects that are inferred say more of which values are the same, and so more effects are seen."""


@dataclass(slots=True)
class Evidence:
    """Statements of pairs on effects, each with the pairs that say so. `stored_behind` are reads and writes that
    contradict a store which is put off: one trace would only say of its own store that it is right there, be it in
    the preamble and in the body. `given` are the types of tables and lists that functions are given, "" of what else
    they are."""

    relied_on: dict[Effect, set[Witness]] = field(default_factory=dict)
    stored_behind: dict[Effect, set[Witness]] = field(default_factory=dict)
    denied: set[Effect] = field(default_factory=set)
    one_of: set[OneOf] = field(default_factory=set)
    given: set[tuple[str, str]] = field(default_factory=set)

    def add(self, pair: Witness, sides: Sides, sameness: Sameness) -> None:
        """Takes in a pair: its last row, and the classes, which grow."""
        types = types_of_tables(sides.before.lines) | types_of_lists(sides.before)
        calls = (line for line in sides.before.lines if line.is_call)
        self.given |= {(line.function, types.get(arg, "")) for line in calls for arg in filter(is_object, line.args)}
        found = Found(sides.before.lines)
        relied: set[Effect] = set()
        behind: set[Effect] = set()
        for _ in range(_ROUNDS):
            sameness.grow(as_pypy_sees_it(relied | behind))
            before = Accesses(BEFORE, sides.before, sameness)
            after = Accesses(AFTER, sides.after, sameness, before.made.keys())
            both = list(aligned(before.calls, after.calls))
            self._deny(chain(loaded_again(after), checked_again(after), found_again(before, found)))
            self._deny(done_for_a_call(before, after, both))
            more = {*_relied_on(before, after, both)} - relied
            further = {*_stored_behind(before, after, both)} - behind
            if not more | further:
                break
            relied |= more
            behind |= further
        for effect in relied:
            self.relied_on.setdefault(effect, set()).add(pair)
        for effect in behind:
            self.stored_behind.setdefault(effect, set()).add(pair)

    def contradict(self, sides: Sides) -> None:
        """Takes in what each trace contradicts by itself."""
        before, after = (Accesses(BEFORE, one, sameness_in(one)) for one in (sides.before, sides.after))
        found = Found(sides.before.lines)
        self._deny(chain(loaded_again(after), checked_again(after), found_again(before, found)))

    def _deny(self, contradictions: Iterable[OneOf]) -> None:
        for effects in contradictions:
            if len(effects) == 1:
                self.denied |= effects
            elif effects:
                self.one_of.add(effects)

    def without_contradicted(self, effects: Set[Effect]) -> frozenset[Effect]:
        """These effects without those that are denied, and those of which functions have one at least: nobody says
        which."""
        left = {one: {one, replace(one, memory=of_any_kind(one.memory))} for one in effects}
        left = {one: both for one, both in left.items() if self.denied.isdisjoint(both)}
        every = frozenset[Effect]().union(*left.values())
        wrong = frozenset[Effect]().union(*(one_of for one_of in self.one_of if one_of <= every))
        return frozenset(one for one, both in left.items() if wrong.isdisjoint(both))

    def assumed(self, log: int, *, is_own: bool = False) -> frozenset[Effect]:
        """The effects that the optimizer relied on, in the log of that number, without those that it denied elsewhere,
        those on memory whose name several types share, and those of RPython's own functions on what they
        read and write. `is_own`: without what is kept in files."""
        relied_on = told(self.relied_on, log, _is_named, _are_enough, is_own=is_own)
        behind = told(self.stored_behind, log, _is_named, is_own=is_own)
        assumed = (
            one
            for one in relied_on | behind
            if one.memory.endswith(OF_GIVEN) or _type_of(one.memory) or not SHARED.match(one.memory)
        )
        return self.without_contradicted({one for one in assumed if self._is_about_others(one)})

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
                said.setdefault(effect_of(function, verb, memory), set()).update(from_kept(log, place))
            case "denied", *effect:
                self.denied.add(effect_of(*effect))
            case _:
                raise ValueError


def _type_of(memory: str) -> str:
    """The type of the tables or lists whose memory that is, if it is one; "" of others."""
    array = array_of(memory)
    return array if array in OF_ONE_TYPE else type_of(memory)


def _are_enough(witnesses: Collection[Witness]) -> bool:
    """Are these enough for an effect that was relied on? One is, but of those that are kept it takes two: what one pair
    was misread for would else be assumed of all programs."""
    return any(one.log >= 0 for one in witnesses) or are_two(witnesses)


def _is_named(effect: Effect) -> bool:
    return effect.is_named


def _relied_on(before: Accesses, after: Accesses, calls: list[Call]) -> Iterator[Effect]:
    for first, second in before.again():
        between = [call for call in calls if first.at < call.here < second.at]
        if not between or is_pure(second.place[0]) or before.became_constant(second.at, second.place):
            continue
        if not after.has(second.place, between[0].there):
            continue
        end = min((call.there for call in calls if call.here > second.at), default=None)
        loads = after.loads.get(second.place, ())
        if not any(between[0].there < at and (end is None or at < end) for at in loads):
            yield from _relied(before, between, second.place)
    yield from _effects(_unchecked(before, after, calls), "invalidates", CODE)


def _relied(before: Accesses, calls: list[Call], place: Place) -> Iterator[Effect]:
    """The writes that these calls do not do; none where one of the functions is not known: then the optimizer relied on
    something else."""
    if all(call.is_known for call in calls):
        for call in calls:
            yield Effect(call.line.function, "writes", place[0])
            if before.is_given(call.here, place) and SHARED.match(place[0]):
                yield Effect(call.line.function, "writes", place[0] + OF_GIVEN)


def _stored_behind(before: Accesses, after: Accesses, calls: list[Call]) -> Iterator[Effect]:
    """The effects that contradict stores which were put off."""
    for store in before.accesses:
        if store.is_store:
            put_off = list(_put_off(store, before, after, calls))
            yield from _effects((call for call, _ in put_off), "reads", store.place[0])
            if not is_pure(store.place[0]):
                yield from _effects((call for call, is_done in put_off if is_done), "writes", store.place[0])


def _effects(calls: Iterable[Call], verb: str, memory: str) -> Iterator[Effect]:
    """The effects; none where one of the functions is not known: then the optimizer relied on something else."""
    calls = list(calls)
    if all(call.is_known for call in calls):
        yield from (Effect(call.line.function, verb, memory) for call in calls)


def _put_off(store: Done, before: Accesses, after: Accesses, calls: list[Call]) -> Iterator[tuple[Call, bool]]:
    """The calls that the optimized trace does before it does this store, each with whether it does it at all."""
    end = next((done.at for done in before.stores[store.place] if done.at > store.at), None)
    done_at = [done.at for done in after.stores.get(store.place, ()) if done.value == store.value]
    for call in calls:
        is_between = call.here > store.at and (end is None or call.here < end)
        if is_between and after.has(store.place, call.there) and not any(at < call.there for at in done_at):
            yield call, any(at > call.there for at in done_at)


def _unchecked(before: Accesses, after: Accesses, calls: list[Call]) -> Iterator[Call]:
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
