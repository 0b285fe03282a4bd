"""The memory of new objects that side exits hand over.

Which places of frames a guard fills with what it lists is not in a log. But whoever has an object that the optimized
trace has allocated looks at its fields, and must find there what the recorded trace has where it leaves: resume data
stores nothing to it but other objects that it makes, which the exit block does.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from optimizer.ir.check import inner_label
from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.rows.row import NEW
from optimizer.ir.trace import Trace, Value, exit_of
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.discharge import Budget, Discharger, Holds
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import agrees, anything, visible
from validator.prove.obligations import Obligation, Pair, Place
from validator.prove.pairing import encode_pair, matched
from validator.pypy.resume_data import Loop, straight
from validator.verdict import Options

_EFFORT = 1_000_000
"""The solver's effort for a memory."""


def hands_over_other_memory(
    before: Trace, listing: Trace, told: Trace, loop: Loop, options: Options, origins: Sequence[int | None]
) -> int | None:
    """The guard of the optimized trace that hands over a new object which may hold something else than the recorded one
    does where that leaves; None if there is none. `listing` is the optimized trace with all lists, `told` the same one
    with the exit blocks of the proof, whose guards have these `origins`; of a loop, those of the body are relative."""
    if not any(one.op.kind is NEW for one in listing.ops):
        return None
    pairs = zip(map(exit_of, listing.guards), map(exit_of, told.guards), strict=True)
    exits = (replace(own, failargs=listed.failargs) for listed, own in pairs)
    whole = listing.of([one if one.exit is None else replace(one, exit=next(exits)) for one in listing.ops])
    one, other = straight(before, whole, loop, options)
    if not _may_hand_over_new(other):
        return None
    label = inner_label(listing) if loop is None else None
    if label is not None:
        ahead = sum(one.op.is_guard for one in listing.ops[:label])
        of_body = [None if k is None else k + len(before.guards) for k in origins[ahead:]]
        origins = [*origins[:ahead], *of_body]
    try:
        pair = matched(encode_pair(one, other, layout_of(one, other), options))
    except Unsupported:  # though the proof is not, which may stand in for strings
        return next(j for j, guard in enumerate(listing.guards) if exit_of(guard).failargs)
    asking = Asking(pair, options)
    for j, origin in enumerate(origins):
        if origin is not None and not asking.hold(_obligations(pair, j, origin)):
            return j
    return None


def _may_hand_over_new(trace: Trace) -> bool:
    """Does a guard list a new object, or what is loaded or made of one?"""
    of_new: set[Value | None] = set()
    for op in trace.ops:
        if op.exit is not None and not of_new.isdisjoint(op.exit.failargs or ()):
            return True
        if op.result is not None and (op.op.kind is NEW or not of_new.isdisjoint(op.args)):
            of_new.add(op.result)
    return False


def hands_on_other_memory(before: Trace, after: Trace, options: Options) -> bool:
    """May a new object that a bridge hands to a label hold something else than the recorded one does where the loop
    begins?"""
    if not any(one.op.kind is NEW for one in after.ops):
        return False
    try:
        pair = at_jump(before, after, options)
    except Unsupported:
        return True
    heaps = pair.before.heap, pair.after.heap
    return not Asking(pair, options).hold(_alike(pair, pair.after.end, *heaps, behind_all(pair)))


def may_fail(before: Trace, listing: Trace, loop: Loop | None, options: Options, numbers: Iterable[int]) -> list[int]:
    """The guards of the optimized trace, of these, which name their origins, that may fail."""
    one, other = straight(before, listing, loop, options)
    try:
        pair = encode_pair(one, other, layout_of(one, other), options)
    except Unsupported:
        return [*numbers]
    guards = [(number, pair.after.guards[number]) for number in numbers]
    places = [Place(exit_of(one.operation).origin or 0, number, one.events) for number, one in guards]
    passes = [Obligation("passes", place, one.passes) for place, (_, one) in zip(places, guards, strict=True)]
    asking = Asking(pair, options)
    return [number for (number, _), one in zip(guards, passes, strict=True) if not asking.hold([one])]


def at_jump(before: Trace, after: Trace, options: Options) -> Pair:
    """A bridge that ends in front of its jump. Raises Unsupported."""
    ends = [replace(trace.end, op=OPS["finish"], descr=None) for trace in (before, after)]
    one, other = (trace.of([*trace.ops[:-1], end]) for trace, end in zip((before, after), ends, strict=True))
    return matched(encode_pair(one, other, layout_of(one, other), options))


def behind_all(pair: Pair) -> Place:
    """The place behind all guards."""
    return Place(len(pair.before.guards), len(pair.after.guards), None)


class Asking:
    """Asks of a pair whether obligations hold, of all in the time that there is for one proof, and of each with that
    effort."""

    def __init__(self, pair: Pair, options: Options, effort: int = _EFFORT) -> None:
        clock = time.perf_counter
        self._discharger = Discharger(pair, Budget(effort, clock() + options.timeout_s, clock))

    def hold(self, obligations: Iterable[Obligation]) -> bool:
        """Do these hold?"""
        return all([*self.holding([one])] for one in obligations)

    def holding(self, obligations: Sequence[Obligation]) -> Iterator[int]:
        """The numbers of those that hold, of obligations at one place."""
        open_ = [one for one in obligations if self._discharger.already(one) is None]
        failing = self._discharger.failing(open_)
        return (number for number, one in enumerate(obligations) if one not in failing and self._settles(one))

    def can_fail(self, obligation: Obligation) -> bool:
        """Were values found on which it does not hold?"""
        return self._discharger.can_fail(obligation)

    def _settles(self, obligation: Obligation) -> bool:
        return isinstance(self._discharger.settle(obligation), Holds)


def _obligations(pair: Pair, j: int, origin: int) -> Iterator[Obligation]:
    guard, wanted = pair.after.guards[j], pair.before.guards[origin].exit.heap
    if guard.exit.failargs:
        place, fails = Place(origin, j, guard.events), (pair.terms.not_(guard.passes),)
        yield from _alike(pair, guard.exit.failargs, wanted, pair.exit(j, origin).heap, place, fails)


def _alike(
    pair: Pair,
    handed: Sequence[Term | None],
    wanted: SymbolicHeap,
    got: SymbolicHeap,
    place: Place,
    given: tuple[Term, ...] = (),
) -> Iterator[Obligation]:
    """The obligations that new objects which are found in these values hold what the recorded ones do there."""
    roots = [term for term in handed if term is not None]
    seen = visible(got, roots, anything) - visible(got, (), anything)  # these are compared in any case
    if not seen <= {*wanted.allocations}:
        yield Obligation("new object", place, pair.terms.false, given)
    for slot in pair.memory.slots.values() if seen else ():
        same = agrees(pair.terms, wanted, got, slot, seen)
        if same is not pair.terms.true:
            yield Obligation(f"heap {slot.key} of a new object", place, same, given)
