"""The obligations that a pair of traces has to meet, one by one, as section 5 of the trace language says it.

Why it is enough. Let both traces run on one state in one world. The terms of a trace have the values of its run, an
allocation of the optimized one being called by the number of its partner: what the world gives is the same constant,
or the same function of the same arguments, on both sides. By induction along the optimized trace, all obligations so
far hold of the two runs; so what is assumed at the next one does, too:

- Guard k of the recorded trace counts as passed only behind the last guard of the optimized one whose origin is at most
  k, because `guard k: left` says so there; and only at places with at least as many events done as stand ahead of it,
  because the recorded run need not return from the others.
- What an operation of the recorded trace asks for holds if the guards ahead of it pass, at such places, because only
  runs count in which that trace is defined.
- An equality of the certificate is proved where its variable is defined, and used in what comes behind: there at least
  as much may be assumed.

Memory is equal at an event for all old objects, and all allocations that it may find in the *recorded* trace and that
the optimized one has made. Equal arguments and equal memory lead to equal objects: so it finds no others in the
optimized trace, and those that this has not made it does not find. Behind the event what it may have written to these
is unknown, and the same in both: what it has not really found or written is what it was, which is equal.

What an allocation is called is a hint: another number makes equalities fail, and two allocations of one run never have
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from optimizer.ir.rows.row import REF
from optimizer.ir.trace import Trace, Var, all_operations
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_types import MemoryKind
from validator.check.asking import Asking
from validator.check.calls import same
from validator.check.certificate import AFTER, BEFORE, Certificate, Failargs, Guards
from validator.check.facts import Place
from validator.check.memory import Memory
from validator.check.reach import Places
from validator.check.seen import CallSeen, Follower, GuardSeen
from validator.check.side import Side
from validator.check.universe import NULL, Universe, allocation_number, has_limits, is_old

_FALSE = z3.BoolVal(False)


class _Cutting(Follower):
    """Follows a trace, and uses the equalities of a certificate that are proved; `others` are the recorded values."""

    side: Side

    def __init__(self, certificate: Certificate, trace: str, universe: Universe) -> None:
        self._universe, self._others = universe, dict[str, Any]()
        self._equal = {var: other for of, var, other in certificate.equal if of == trace}

    def given(self, var: Var, value: Any) -> Any:
        said = self._equal.get(var.name)
        other = self._universe.words.const(said) if isinstance(said, int) else self._others.get(said or "")
        if other is None or other.sort() != value.sort() or not (other.eq(value) or self.holds(value == other)):
            return value
        if var.type is REF:
            self.side.memory.reach.identify(other, value)
        return other


class Recorded(_Cutting):
    """Follows the recorded trace, and keeps what is found."""

    def __init__(self, trace: Trace, universe: Universe, certificate: Certificate, asking: Asking) -> None:
        super().__init__(certificate, BEFORE, universe)
        self._asking = asking
        numbers = {number: number + 1 for number in range(len(all_operations(trace)))}
        self.applied_functions: list[CallSeen] = []
        self.side = Side(trace, universe, asking.facts, numbers, trace, self)
        self._others = self.side.values

    def must(self, op: int, what: str, condition: Any) -> None:
        self.side.fact(condition)

    def applied(self, call: CallSeen) -> None:
        self.applied_functions.append(call)

    def event(self, event: CallSeen) -> Places:
        return event.found

    def holds(self, claim: Any) -> bool:
        return self._asking.holds(Place(len(self.side.guards), 0, None), (), claim) is True


class Optimized(_Cutting):
    """Follows the optimized trace, and proves what has to hold. `unsettled` is what does not seem to, by its names, and
    why, with the model on which it does not hold, if there is one; what comes behind takes it for granted."""

    def __init__(
        self,
        trace: Trace,
        universe: Universe,
        recorded: Recorded,
        certificate: Certificate,
        guards: Guards,
        failargs: Failargs,
        asking: Asking,
    ) -> None:
        super().__init__(certificate, AFTER, universe)
        self._asking, self._guards, self._failargs = asking, guards, failargs
        self._recorded, self._before = recorded, recorded.side
        self._total = len(self._before.guards)
        self._origins = certificate.origins
        self._others = self._before.values
        theirs = range(len(all_operations(recorded.side.trace)))
        numbers = {mine: other + 1 for mine, other in certificate.partners if other in theirs}
        self.obligations = 0
        self.unsettled: dict[str, tuple[str, Any]] = {}
        self.side = Side(trace, universe, asking.facts, numbers, self._before.trace, self)
        self.side.memory.reach.given = self._before.memory.reach.given

    # Places.

    def _row(self, j: int) -> int:
        """The number of recorded guards that have their counterparts ahead of guard j, or of the end."""
        origin = self._origins[j] if j < len(self._origins) else None
        return self._total if origin is None else origin

    def _place(self, passed: int | None = None, events: int | None = None) -> Place:
        """Here, without the guards of the recorded trace that stand behind more events."""
        j = len(self.side.guards)
        events = len(self.side.events) if events is None else events
        passed = self._row(j) if passed is None else passed
        while passed and self._before.guards[passed - 1].events > events:
            passed -= 1
        return Place(passed, j, events)

    def _prove(self, name: str, place: Place, claim: Any, given: Sequence[Any] = ()) -> bool:
        self.obligations += 1
        answer = self._asking.holds(place, given, claim, self._before.promised_ahead)
        if answer is None:
            self.unsettled.setdefault(name, ("the solver gave up", None))
        elif not answer:
            self.unsettled.setdefault(name, ("it does not follow from what is assumed", self._asking.model))
        return answer is True

    # What is found on the way.

    def prove(self) -> None:
        self._prove_left(0)
        self.side.run()
        self._prove_end()

    def _prove_left(self, first: int) -> None:
        """Proves that this trace has left where the recorded one does at a guard without a counterpart from here on."""
        j = len(self.side.guards)
        for k in range(first, self._row(j)):
            guard = self._before.guards[k]
            self._prove(f"guard {k}: left", Place(k, j, guard.events), guard.passes)

    def must(self, op: int, what: str, condition: Any) -> None:
        self._prove(f"op {op}: {what}", self._place(), condition)

    def holds(self, claim: Any) -> bool:
        return self._asking.holds(self._place(), (), claim) is True

    def applied(self, call: CallSeen) -> None:
        """The function is called as the recorded trace has called it by then, and finds the same memory."""
        place = self._place()
        claims: list[Any] = []
        for other in self._recorded.applied_functions:
            between = self._before.events[other.events : call.events]
            is_kept = other.effects.sees_nothing or all(event.effects.writes == frozenset() for event in between)
            if other.kind == call.kind and is_kept and other.events <= call.events:
                ahead = [guard.passes for guard in self._before.guards[place.before : other.guards]]
                found = [
                    self._same_there(slot, number, other.memory, call.memory, f" of call {len(claims)}")
                    for slot in other.may_see
                    for number in self._parts(slot, other.memory, call.memory, other.found)
                ]
                claims.append(z3.And(other.happens, *ahead, *map(same, other.args, call.args), *found))
        if not any(z3.is_true(z3.simplify(claim)) for claim in claims):
            self._prove(f"op {call.op}: made before", place, z3.Or(*claims), (call.happens,))

    # Guards.

    def guard(self, guard: GuardSeen) -> None:
        j = len(self.side.guards)
        origin = self._origins[j]
        self._prove_condition(j, origin, guard)
        if origin is not None:
            self._prove_handed_over(j, origin, guard)

    def passed(self, guard: GuardSeen) -> None:
        self._prove_left(self._row(len(self.side.guards) - 1))

    def _prove_condition(self, j: int, origin: int | None, guard: GuardSeen) -> None:
        name = f"guard {j}: condition"
        if origin is None:
            self._prove(name, Place(self._total, j, guard.events), guard.passes)
        elif self._guards is Guards.SAME:
            self._prove(name, self._place(), guard.passes, (self._before.guards[origin].passes,))
        elif self._guards is Guards.EARLY:
            self._prove(name, Place(self._total, j, None), guard.passes)

    def _prove_handed_over(self, j: int, origin: int, guard: GuardSeen) -> None:
        theirs, place, fails = self._before.guards[origin], self._place(), (z3.Not(guard.passes),)
        if guard.events != theirs.events:
            self._prove(f"guard {j}: events", place, _FALSE, fails)
            return
        for op, what, condition in guard.block:
            self._prove(f"op {op}: {what}", place, condition, fails)
        if self._failargs is Failargs.IGNORE:
            return
        for _, _, condition in theirs.block:
            self._prove(f"guard {j}: origin's exit block", place, condition, fails)
        if theirs.failargs is not None and guard.failargs is None:
            self.unsettled[f"guard {j}: failargs"] = "they are not listed after the optimization", None
        elif theirs.failargs is not None:
            self._prove_equal(f"guard {j}: failarg", theirs.failargs, guard.failargs or (), place, fails)
        self._prove_found(f"guard {j}", theirs.failargs or (), theirs.memory, guard.memory, place, fails)

    def _prove_equal(
        self, name: str, wanted: Sequence[Any], got: Sequence[Any], place: Place, given: tuple[Any, ...]
    ) -> None:
        if len(wanted) != len(got):
            self._prove(f"{name}s", place, _FALSE, given)
            return
        for i, (one, other) in enumerate(zip(wanted, got, strict=True)):
            if one is not None:
                self._prove(f"{name} {i}", place, _FALSE if other is None else same(one, other), given)

    def _prove_found(
        self, where: str, handed: Sequence[Any], wanted: Memory, got: Memory, place: Place, given: tuple[Any, ...]
    ) -> None:
        """Proves what is found equal where a run ends that hands those values over: the exception, and all memory."""
        self._prove(f"{where}: exception", place, same(wanted.pending(), got.pending()), given)
        slots = tuple(self._universe.slots.values())
        self._prove_memory(where, wanted, got, wanted.found(handed), slots, place, given)

    # Memory.

    def _prove_memory(
        self,
        where: str,
        wanted: Memory,
        got: Memory,
        found: Places,
        slots: Sequence[Field],
        place: Place,
        given: tuple[Any, ...],
    ) -> None:
        """Proves those slots equal in all old objects, and in what has been found of the recorded trace."""
        for slot in slots:
            for number in self._parts(slot, wanted, got, found):
                self._prove(f"{where}: heap {slot.key}", place, self._same_there(slot, number, wanted, got), given)

    def _parts(self, slot: Field, wanted: Memory, got: Memory, found: Places) -> list[int | None]:
        """The slot in all old objects, with None, and in the allocations that are found and are there, where it is not
        the same by its looks."""
        seen = sorted(number for number in found.intersection(got.allocated) if self._universe.has_slot(number, slot))
        return [number for number in (None, *seen) if wanted.differs(got, slot, number)]

    def _same_there(self, slot: Field, number: int | None, wanted: Memory, got: Memory, which: str = "") -> Any:
        """Is what `wanted` has written the same in both? Of any old object and index, whose names end with `which`."""
        universe, where = self._universe, []
        if number is not None:
            p = allocation_number(number)
        elif slot.kind is MemoryKind.RAW:
            p = NULL
        else:
            p = z3.Const(f"some object{which}", NULL.sort())
            where += [p != NULL, is_old(p)]
        index = None
        if slot.key in universe.indexed:
            index = z3.Const(f"some index{which}", universe.word)
            where += [z3.ULT(index, universe.length(p))] if has_limits(slot) else []
        same_value = wanted.read(p, slot, index) == got.read(p, slot, index)
        is_set, is_set_too = wanted.is_set(p, slot, index), got.is_set(p, slot, index)
        return z3.Implies(z3.And(*where, is_set), z3.And(is_set_too, same_value))

    # Events and the end.

    def event(self, event: CallSeen) -> Places:
        number = len(self.side.events)
        place = self._place()
        if number >= len(self._before.events):
            self._prove(f"event {number}: reached", place, _FALSE)
            return frozenset()
        theirs = self._before.events[number]
        given = tuple(guard.passes for guard in self._before.guards[place.before : theirs.guards])
        if event.kind != theirs.kind:
            self._prove(f"event {number}: kind", place, _FALSE, given)
            return theirs.found
        self._prove(f"event {number}: condition", place, same(event.happens, theirs.happens), given)
        self._prove_equal(f"event {number}: argument", theirs.args, event.args, place, (*given, event.happens))
        self._prove_memory(f"event {number}", theirs.memory, event.memory, theirs.found, theirs.may_see, place, given)
        return theirs.found

    def _prove_end(self) -> None:
        before, after = self._before, self.side
        place = self._place()
        apart = (
            ("events", len(before.events) > len(after.events)),
            ("kind", before.trace.end.op is not after.trace.end.op),
            ("target", before.trace.end.op.jumps and _jump_apart(before.trace, after.trace)),
        )
        wrong = next((what for what, is_apart in apart if is_apart), None)
        if wrong is not None:
            self._prove(f"end: {wrong}", place, _FALSE)
            return
        self._prove_equal("end: argument", before.end, after.end, place, ())
        self._prove_found("end", before.end, before.memory, after.memory, place, ())


def _jump_apart(before: Trace, after: Trace) -> bool:
    """Does one jump go back to the label with which both traces start, and the other one elsewhere?"""
    labels = [trace.ops[0].descr if trace.ops[0].op.is_entry else None for trace in (before, after)]
    goes_back = [trace.end.descr in (None, labels[0]) for trace in (before, after)]
    return labels[0] is not None and labels[0] == labels[1] and goes_back[0] != goes_back[1]
