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

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import z3

from optimizer.ir.trace import Trace
from optimizer.ir.types.memory_types import Field, MemoryKind
from validator.check.asking import Asking, Place
from validator.check.calls import Call, same
from validator.check.certificate import Certificate, Failargs, Guards
from validator.check.memory import Memory
from validator.check.reach import Places
from validator.check.side import Claim, GuardSeen, Side
from validator.check.universe import NULL, allocation_number, has_limits, is_old, is_reference

_FALSE = z3.BoolVal(False)


class Optimized(Side):
    """The optimized trace: what has to hold is proved. `unsettled` is what does not seem to, by its names, and why,
    with the model on which it does not hold, if there is one; what comes behind takes it for granted."""

    def __init__(
        self, trace: Trace, recorded: Side, asking: Asking, certificate: Certificate, guards: Guards, failargs: Failargs
    ) -> None:
        super().__init__(trace, recorded.universe, asking, certificate, recorded)
        self._guards, self._failargs, self._origins = guards, failargs, certificate.origins
        total = self._total = len(recorded.guards)
        # The number of recorded guards that have their counterparts ahead of each guard, and of the end.
        self._rows = [total if origin is None else origin for origin in (*certificate.origins, None)]
        self.memory.reach.given = recorded.memory.reach.given
        self.obligations = 0
        self.unsettled: dict[str, tuple[str, Any]] = {}

    def here(self) -> Place:
        """Without the guards of the recorded trace that stand behind more events."""
        j, events = len(self.guards), len(self.events)
        passed = self._rows[j]
        while passed and self.recorded.guards[passed - 1].events > events:
            passed -= 1
        return Place(passed, j, events)

    def _prove(self, name: str, place: Place, claim: Any, given: Sequence[Any] = ()) -> None:
        self.obligations += 1
        answer = self._asking.holds(place, given, claim, self.recorded.promised_ahead)
        if answer is None:
            self.unsettled.setdefault(name, ("the solver gave up", None))
        elif not answer:
            self.unsettled.setdefault(name, ("it does not follow from what is assumed", self._asking.model))

    def _prove_all(self, claims: Iterable[Claim], place: Place, given: Sequence[Any] = ()) -> None:
        for name, claim in claims:
            self._prove(name, place, claim, given)

    # What is found on the way.

    def prove(self) -> None:
        self._prove_left(0)
        self.run()
        self._prove_end()

    def _prove_left(self, first: int) -> None:
        """Proves that this trace has left where the recorded one does at a guard without a counterpart from here on."""
        j = len(self.guards)
        for k in range(first, self._rows[j]):
            guard = self.recorded.guards[k]
            self._prove(f"guard {k}: left", Place(k, j, guard.events), guard.passes)

    def must(self, name: str, condition: Any) -> None:
        self._prove(name, self.here(), condition)

    def applied(self, call: Call) -> None:
        """The function is called as the recorded trace has called it by then, and finds the same memory."""
        place = self.here()
        claims: list[Any] = []
        for other in self.recorded.functions:
            between = self.recorded.events[other.events : call.events]
            is_kept = other.effects.sees_nothing or all(event.effects.writes == frozenset() for event in between)
            if other.kind == call.kind and is_kept and other.events <= call.events:
                ahead = [guard.passes for guard in self.recorded.guards[place.before : other.guards]]
                memory = self._memory(f"call {len(claims)}", other.memory, call.memory, other.found, other.may_see)
                found = [claim for _, claim in memory]
                claims.append(z3.And(other.happens, *ahead, *map(same, other.args, call.args), *found))
        if not any(z3.is_true(z3.simplify(claim)) for claim in claims):
            self._prove(f"op {call.op}: made before", place, z3.Or(*claims), (call.happens,))

    # Guards.

    def meet(self, guard: GuardSeen) -> None:
        j = len(self.guards)
        origin = self._origins[j]
        name = f"guard {j}: condition"
        if origin is None:
            self._prove(name, Place(self._total, j, guard.events), guard.passes)
        elif self._guards is Guards.SAME:
            self._prove(name, self.here(), guard.passes, (self.recorded.guards[origin].passes,))
        elif self._guards is Guards.EARLY:
            self._prove(name, Place(self._total, j, None), guard.passes)
        if origin is not None:
            self._prove_handed_over(j, self.recorded.guards[origin], guard)
        super().meet(guard)
        self._prove_left(self._rows[j])

    def _prove_handed_over(self, j: int, theirs: GuardSeen, guard: GuardSeen) -> None:
        place, fails = self.here(), (z3.Not(guard.passes),)
        if guard.events != theirs.events:
            self._prove(f"guard {j}: events", place, _FALSE, fails)
            return
        self._prove_all(guard.block, place, fails)
        if self._failargs is Failargs.IGNORE:
            return
        claims = [(f"guard {j}: origin's exit block", condition) for _, condition in theirs.block]
        if theirs.failargs is not None and guard.failargs is None:
            self.unsettled[f"guard {j}: failargs"] = "they are not listed after the optimization", None
        elif theirs.failargs is not None:
            claims += _equal(f"guard {j}: failarg", theirs.failargs, guard.failargs or ())
        claims += self._found(f"guard {j}", theirs.failargs or (), theirs.memory, guard.memory)
        self._prove_all(claims, place, fails)

    # Memory.

    def _found(self, where: str, handed: Sequence[Any], wanted: Memory, got: Memory) -> Iterator[Claim]:
        """Claims that what is found is equal where a run ends that hands those values over: exception and memory."""
        yield f"{where}: exception", same(wanted.pending(), got.pending())
        roots, slots = filter(is_reference, (*handed, wanted.pending())), self.universe.slots.values()
        yield from self._memory(where, wanted, got, wanted.reach.found(roots, slots), slots)

    def _memory(
        self, where: str, wanted: Memory, got: Memory, found: Places, slots: Iterable[Field]
    ) -> Iterator[Claim]:
        """Claims that those slots are equal in all old objects, and in what has been found of the recorded trace."""
        for slot in slots:
            for number in self._parts(slot, wanted, got, found):
                yield f"{where}: heap {slot.key}", self._same_there(where, slot, number, wanted, got)

    def _parts(self, slot: Field, wanted: Memory, got: Memory, found: Places) -> list[int | None]:
        """The slot in all old objects, with None, and in the allocations that are found and are there, where it is not
        the same by its looks."""
        seen = sorted(number for number in found.intersection(got.allocated) if self.universe.has_slot(number, slot))
        return [number for number in (None, *seen) if wanted.differs(got, slot, number)]

    def _same_there(self, where: str, slot: Field, number: int | None, wanted: Memory, got: Memory) -> Any:
        """Is what `wanted` has written the same in both? Of any old object and index, which have names of their own."""
        universe, there = self.universe, []
        if number is not None:
            p = allocation_number(number)
        elif slot.kind is MemoryKind.RAW:
            p = NULL
        else:
            p = z3.Const(f"some object of {where}", NULL.sort())
            there += [p != NULL, is_old(p)]
        index = None
        if slot.key in universe.indexed:
            index = z3.Const(f"some index of {where}", universe.word)
            there += [z3.ULT(index, universe.length(p))] if has_limits(slot) else []
        same_value = wanted.read(p, slot, index) == got.read(p, slot, index)
        is_set, is_set_too = wanted.is_set(p, slot, index), got.is_set(p, slot, index)
        return z3.Implies(z3.And(*there, is_set), z3.And(is_set_too, same_value))

    # Events and the end.

    def event(self, event: Call) -> Places:
        number = len(self.events)
        place = self.here()
        if number >= len(self.recorded.events):
            self._prove(f"event {number}: reached", place, _FALSE)
            return frozenset()
        theirs = self.recorded.events[number]
        given = tuple(guard.passes for guard in self.recorded.guards[place.before : theirs.guards])
        where = f"event {number}"
        if event.kind != theirs.kind:
            self._prove(f"{where}: kind", place, _FALSE, given)
            return theirs.found
        self._prove(f"{where}: condition", place, same(event.happens, theirs.happens), given)
        self._prove_all(_equal(f"{where}: argument", theirs.args, event.args), place, (*given, event.happens))
        self._prove_all(self._memory(where, theirs.memory, event.memory, theirs.found, theirs.may_see), place, given)
        return theirs.found

    def _prove_end(self) -> None:
        before, place = self.recorded, self.here()
        apart = (
            ("events", len(before.events) > len(self.events)),
            ("kind", before.trace.end.op is not self.trace.end.op),
            ("target", before.trace.end.op.jumps and _jump_apart(before.trace, self.trace)),
        )
        wrong = [(f"end: {what}", _FALSE) for what, is_apart in apart if is_apart][:1]
        found = self._found("end", before.end, before.memory, self.memory)
        self._prove_all(wrong or [*_equal("end: argument", before.end, self.end), *found], place)


def _equal(name: str, wanted: Sequence[Any], got: Sequence[Any]) -> Iterator[Claim]:
    """Claims that the values are equal, as far as any are wanted."""
    if len(wanted) != len(got):
        yield f"{name}s", _FALSE
        return
    for i, (one, other) in enumerate(zip(wanted, got, strict=True)):
        if one is not None:
            yield f"{name} {i}", _FALSE if other is None else same(one, other)


def _jump_apart(before: Trace, after: Trace) -> bool:
    """Does one jump go back to the label with which both traces start, and the other one elsewhere?"""
    labels = [trace.ops[0].descr if trace.ops[0].op.is_entry else None for trace in (before, after)]
    goes_back = [trace.end.descr in (None, labels[0]) for trace in (before, after)]
    return labels[0] is not None and labels[0] == labels[1] and goes_back[0] != goes_back[1]
