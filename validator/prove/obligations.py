"""The conditions for the optimized trace to be right, obligation by obligation.

What an obligation may assume is a *prefix* of each trace: the first guards of `before` have passed, the first guards
of `after` have passed, so many events are done. That is what keeps the argument from going in circles:

- Guard k of `before` counts as passed only behind the last guard of `after` whose origin is at most k, because that it
  has passed there is what `guard k: left` says; and only at places with at least as many events done as stand before
  guard k, because behind an event that did not return `before` never gets to it.
- An operation of `before` counts as defined where all guards ahead of it pass, at places with at least as many events
  done as stand before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable
from optimizer.ir.types.layout import Field
from validator.prove.encode import leave
from validator.prove.encoding import Application, Definedness, Encoding, EventEncoding, ExitEncoding
from validator.prove.jump_targets import jump_apart
from validator.prove.known_places import KnownPlaces
from validator.prove.matching import match_exit
from validator.prove.memory.heap_state import PairMemory
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import agrees, are_plainly_the_same, finds_the_same
from validator.prove.terms.object_terms import ObjectTerms
from validator.verdict import Failargs, Guards, Options


@immutable
class Place:
    """The place of an obligation: guards of `before` and of `after` passed, and events done (None: every event
    returns)."""

    before: int
    after: int
    events: int | None

    def is_ahead_of(self, other: Place) -> bool:
        """Or the same: has everything that has happened here happened there too?"""
        events_fit = other.events is None or (self.events is not None and self.events <= other.events)
        return self.before <= other.before and self.after <= other.after and events_fit


@immutable
class Obligation:
    """The obligation that at `place`, wherever all of `given` hold, `claim` holds.

    A `stronger` one, from which it follows, assumes less and may be simpler to settle.
    """

    name: str
    place: Place
    claim: Term
    given: tuple[Term, ...] = ()
    stronger: Obligation | None = None


Values = Sequence[Term | None]
"""The values handed over; None for what is not listed."""


class Pair:
    """Two encodings over one `PairMemory`, and the obligations between them."""

    def __init__(self, memory: PairMemory, before: Encoding, after: Encoding, options: Options) -> None:
        self.memory = memory
        self.terms: ObjectTerms = after.heap.terms  # which know all that there is to know of pointers
        self._slots = tuple(memory.slots.values())
        self._exits: dict[tuple[int, int], ExitEncoding] = {}
        self._known = KnownPlaces(before, after, self.terms)
        self.before = before
        self.after = after
        self.options = options
        self._defined_behind: dict[int, list[Definedness]] = {}
        self._events_behind: dict[int, list[int]] = {}
        self._applied_behind: dict[int, list[Application]] = {}
        for application in after.applications:
            self._applied_behind.setdefault(application.guards, []).append(application)
        for known in after.defined:
            self._defined_behind.setdefault(known.guards, []).append(known)
        for number, event in enumerate(after.events):
            self._events_behind.setdefault(event.guards, []).append(number)

    @property
    def is_abstract(self) -> bool:
        """May a model of a query mean less than the language does? Which objects the world can find is overestimated,
        and so are the classes that there may be."""
        return self.terms.is_abstract

    # What may be assumed.

    def passed(self, place: Place) -> list[Term]:
        """The conditions of the guards that have passed."""
        mine = [guard.passes for guard in self.before.guards[: place.before]]
        return mine + [guard.passes for guard in self.after.guards[: place.after]]

    def assumptions(self, place: Place) -> list[Term]:
        """Everything that may be assumed at `place`."""
        return [*self.passed(place), *self._definedness(place)]

    def _definedness(self, place: Place) -> Iterator[Term]:
        ahead = self.terms.true
        guards = place.before
        for known in self.before.defined:
            if place.events is not None and known.events > place.events:
                break
            while guards < known.guards:
                ahead = self.terms.both(ahead, self.before.guards[guards].passes)
                guards += 1
            yield self.terms.implies(ahead, known.condition)
        yield from self._exit_blocks(place)

    def _exit_blocks(self, place: Place) -> Iterator[Term]:
        """The definedness of exit blocks: where `before` does leave at a guard, that guard's block is defined."""
        ahead = self.terms.true
        for guard in self.before.guards[place.before :]:
            if place.events is not None and guard.events > place.events:
                return
            for known in guard.exit.block:
                leaves = self.terms.both(ahead, self.terms.not_(guard.passes))
                yield self.terms.implies(leaves, known.condition)
            ahead = self.terms.both(ahead, guard.passes)

    # The obligations.

    def obligations(self, origins: Sequence[int | None]) -> Iterator[tuple[Obligation, int | None]]:
        """The obligations of an assignment of origins, in the order of the traces, each with the guard of `after` whose
        origin it hangs on, if it does."""
        passed, total = 0, len(self.before.guards)
        for j, origin in enumerate(origins):
            row = total if origin is None else origin
            for k in range(passed, row):
                yield self.left(k, j), None
            passed = row
            for obligation in self.stretch(j, row):
                yield obligation, j
            yield self.condition(j, origin, self.options.guards), j
            if origin is not None:
                for obligation in self.handed_over(j, origin):
                    yield obligation, j
        for k in range(passed, total):
            yield self.left(k, len(origins)), None
        for obligation in self.stretch(len(origins), total):
            yield obligation, None
        for obligation in self.end():
            yield obligation, None

    def left(self, k: int, after: int) -> Obligation:
        """The obligation that where `before` leaves at guard k, one of the first `after` guards of `after` has
        failed."""
        guard = self.before.guards[k]
        return Obligation(f"guard {k}: left", Place(k, after, guard.events), guard.passes)

    def condition(self, j: int, origin: int | None, mode: Guards) -> Obligation:
        """Guard j of `after` fails only where the mode allows it to."""
        guard = self.after.guards[j]
        name = f"guard {j}: condition"
        if origin is None:
            return Obligation(name, Place(len(self.before.guards), j, guard.events), guard.passes)
        match mode:
            case Guards.SAME:
                holds = self.before.guards[origin].passes
                return Obligation(name, self._place(j, origin, guard.events), guard.passes, (holds,))
            case Guards.EARLY:
                is_kept = guard.passes is self.before.guards[origin].passes  # and passes with all guards of `before`
                same = None if is_kept else self.condition(j, origin, Guards.SAME)
                return Obligation(name, Place(len(self.before.guards), j, None), guard.passes, (), same)
            case Guards.SAFE:
                return Obligation(name, self._place(j, origin, guard.events), self.terms.true)

    def handed_over(self, j: int, origin: int) -> Iterator[Obligation]:
        """The obligations that guard j of `after`, where it fails, does so in the right place and hands over what
        `before` would."""
        mine, theirs = self.after.guards[j], self.before.guards[origin]
        place, fails = self._place(j, origin, mine.events), (self.terms.not_(mine.passes),)
        if mine.events != theirs.events:
            yield Obligation(f"guard {j}: events", place, self.terms.false, fails)
            return
        wanted, got = theirs.exit, self.exit(j, origin)
        if got.block:
            yield from self._defined(got.block, place, fails)
        if self.options.failargs is Failargs.IGNORE:
            return
        for known in wanted.block:
            yield Obligation(f"guard {j}: origin's exit block", place, known.condition, fails)
        yield from self._failargs(j, wanted, got, place, fails)
        yield from self._exception(f"guard {j}", theirs.heap, mine.heap, place, fails)
        for slot, same in self._heaps(wanted, got):
            yield Obligation(f"guard {j}: heap {slot.key}", place, same, fails)

    def _exception(
        self, where: str, before: SymbolicHeap, after: SymbolicHeap, place: Place, given: tuple[Term, ...] = ()
    ) -> Iterator[Obligation]:
        if before.pending() is not after.pending():
            same = self.terms.same(before.pending(), after.pending())
            yield Obligation(f"{where}: exception", place, same, given)

    def _failargs(
        self, j: int, before: ExitEncoding, after: ExitEncoding, place: Place, fails: tuple[Term, ...]
    ) -> Iterator[Obligation]:
        if before.failargs is None or after.failargs is None:
            return
        if len(before.failargs) != len(after.failargs):
            yield Obligation(f"guard {j}: failargs", place, self.terms.false, fails)
            return
        yield from self._equal(f"guard {j}: failarg", before.failargs, after.failargs, place, fails)

    def _equal(
        self, name: str, before: Values, after: Values, place: Place, given: tuple[Term, ...] = ()
    ) -> Iterator[Obligation]:
        """The obligations that both hand over the same values, as far as `before` does hand over any."""
        for i, (wanted, got) in enumerate(zip(before, after, strict=True)):
            if wanted is not None:
                same = self.terms.false if got is None else self.terms.equal(wanted, got)
                yield Obligation(f"{name} {i}", place, same, given)

    def exit(self, j: int, origin: int) -> ExitEncoding:
        """The state that guard j of `after` leaves, allocations of its exit block named by those of `before` at the
        origin."""
        own = self.after.guards[j].exit
        if not own.made or self.options.failargs is Failargs.IGNORE:
            return own
        if (j, origin) not in self._exits:
            guard = self.after.guards[j]
            known = self._known.at(self._place(j, origin, guard.events), (self.terms.not_(guard.passes),))
            named = match_exit(self.before.guards[origin].exit, own, guard, known.rebuild)
            self._exits[j, origin] = leave(self.after, guard, j, named)
        return self._exits[j, origin]

    def _heaps(self, before: ExitEncoding | Encoding, after: ExitEncoding | Encoding) -> Iterator[tuple[Field, Term]]:
        """The memory that is not plainly the same in both, and the condition under which all that can be seen of it
        is."""
        one, two = before.heap, after.heap
        slots = self._changed(one, two, self._slots)
        if slots:
            both = frozenset(one.allocations).intersection(two.allocations)  # all that can be seen are among them
            slots = [slot for slot, _ in self._differing(one, two, slots, both)]
        if slots:
            yield from self._differing(one, two, slots, before.sight().objects & after.sight().objects)

    def _changed(self, before: SymbolicHeap, after: SymbolicHeap, slots: Sequence[Field]) -> list[Field]:
        """The memory that was not plainly changed in the same way."""
        return [slot for slot in slots if before.chain(slot) is not after.chain(slot)]

    def _differing(
        self, before: SymbolicHeap, after: SymbolicHeap, slots: Sequence[Field], seen: frozenset[Term]
    ) -> Iterator[tuple[Field, Term]]:
        for slot in slots:
            same = agrees(self.terms, before, after, slot, seen)
            if same is not self.terms.true:
                yield slot, same

    def stretch(self, j: int, passed: int) -> Iterator[Obligation]:
        """The operations and events of `after` between its guards j - 1 and j (or its end), where `passed` guards of
        `before` have their counterparts ahead."""
        for known in self._defined_behind.get(j, ()):
            yield from self._defined((known,), self._place(j, passed, known.events))
        for one in self._applied_behind.get(j, ()):
            yield self._made_before(one, self._place(j, passed, one.events))
        for number in self._events_behind.get(j, ()):
            yield from self._event(number, self._place(j, passed, number))

    def _place(self, after: int, passed: int, events: int) -> Place:
        """The place there, without the guards of `before` that stand behind more events."""
        while passed and self.before.guards[passed - 1].events > events:
            passed -= 1
        return Place(passed, after, events)

    def _defined(
        self, known: tuple[Definedness, ...], place: Place, given: tuple[Term, ...] = ()
    ) -> Iterator[Obligation]:
        for one in known:
            yield Obligation(f"op {one.op}: {one.what}", place, one.condition, given)

    def _event(self, number: int, place: Place) -> Iterator[Obligation]:
        """The event is that of `before`. That `before` gets to it follows from what its guards have to prove: where it
        leaves ahead of the event, so does `after`, at a guard with as many events ahead of it."""
        mine = self.after.events[number]
        if number >= len(self.before.events):
            yield Obligation(f"event {number}: reached", place, self.terms.false)
            return
        theirs = self.before.events[number]
        given = tuple(guard.passes for guard in self.before.guards[place.before : theirs.guards])
        if mine.kind != theirs.kind:
            yield Obligation(f"event {number}: kind", place, self.terms.false, given)
            return
        if mine.happens is not theirs.happens:
            same = self.terms.both(
                self.terms.implies(mine.happens, theirs.happens), self.terms.implies(theirs.happens, mine.happens)
            )
            yield Obligation(f"event {number}: condition", place, same, given)
        made = given if mine.happens is self.terms.true else (*given, mine.happens)
        yield from self._equal(f"event {number}: argument", theirs.args, mine.args, place, made)
        yield from self._seen_by_event(number, theirs, mine, place, given)

    def _made_before(self, application: Application, place: Place) -> Obligation:
        """The function is called as `before` has called it by then, and finds the same memory."""
        terms, claim = self.terms, self.terms.false
        found = [other for other in self.before.applications if _may_stand_for(other, application)]
        found.sort(key=lambda other: not are_plainly_the_same(other, application))
        for number, other in enumerate(found):
            ahead = [guard.passes for guard in self.before.guards[place.before : other.guards]]
            made = terms.all_of((other.happens, *ahead, *map(terms.equal, other.args, application.args)))
            if made is not terms.false:
                finds = finds_the_same(terms, self.before.events, other, application, number)
                claim = terms.either(claim, terms.both(made, finds))
            if claim is terms.true:
                break
        given = () if application.happens is terms.true else (application.happens,)
        return Obligation(f"op {application.op}: made before", place, claim, given)

    def _seen_by_event(
        self, number: int, before: EventEncoding, after: EventEncoding, place: Place, given: tuple[Term, ...]
    ) -> Iterator[Obligation]:
        """The obligations on what an event may see: both sides take what it may have changed for the same unknown
        behind it. So what `before` may have shown it must be equal even where it is not shown; and `after` must not
        show it anything else."""
        if after.sight.objects - before.sight.objects:
            yield Obligation(f"event {number}: objects", place, self.terms.false, given)
        one, two = before.sight.heap, after.sight.heap
        slots = self._changed(one, two, before.may_see)
        seen = before.sight.objects.intersection(two.allocations)
        for slot, same in self._differing(one, two, slots, seen):
            yield Obligation(f"event {number}: heap {slot.key}", place, same, given)

    def end(self) -> Iterator[Obligation]:
        """The obligations that where `after` goes to its end, `before` does too, with the same events and arguments."""
        before, after = self.before, self.after
        place = self._place(len(after.guards), len(before.guards), len(after.events))
        if len(before.events) > len(after.events):
            yield Obligation("end: events", place, self.terms.false)
        elif before.trace.end.op is not after.trace.end.op:
            yield Obligation("end: kind", place, self.terms.false)
        elif after.trace.end.op.jumps and jump_apart(before.trace, after.trace):
            yield Obligation("end: target", place, self.terms.false)
        elif len(before.end) != len(after.end):
            yield Obligation("end: arguments", place, self.terms.false)
        else:
            yield from self._equal("end: argument", before.end, after.end, place)
            yield from self._exception("end", before.heap, after.heap, place)
            for slot, same in self._heaps(before, after):
                yield Obligation(f"end: heap {slot.key}", place, same)


def _may_stand_for(wanted: Application, got: Application) -> bool:
    """May the call of the optimized trace be that of the recorded one, as far as their shape says?"""
    return wanted.events <= got.events and wanted.result is got.result and len(wanted.args) == len(got.args)
