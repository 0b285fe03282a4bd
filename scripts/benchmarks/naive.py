"""The baseline, the published way of validating traces: a fresh variable and an equation for each operation, one
incremental Z3 solver, and one check for each condition.

It has the same conditions to prove as the validator, and is given for free what the validator has found by following
the two traces: which guard stands for which, which allocation is which, and what can be seen at each exit and event.
A trace on a heap is one of 64-bit words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from benchmarks.naive_heap import NaiveHeap
from benchmarks.naive_objects import FRESH, WORD, Objects
from benchmarks.naive_side import Event, Side
from benchmarks.naive_words import NaiveWords
from optimizer.ir.faults import Unsupported
from optimizer.ir.trace import Trace
from optimizer.ir.types.effects import effects_of
from optimizer.ir.types.layout import Field
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.align import given_origins
from validator.prove.encode import leave
from validator.prove.matching import guess_origins, knowing_all, match_exit
from validator.prove.memory.visibility import Sight
from validator.prove.obligations import Pair
from validator.prove.pairing import encode_pair
from validator.verdict import Options


class Answer(Enum):
    """What a method says about a pair."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class _Condition:
    """Wherever that many guards of both traces have passed, that many events are done (None: all), and all of `given`
    hold, `claim` does. `needs` counts the equations of the optimized trace that it speaks of."""

    claim: Any
    before: int
    after: int
    events: int | None
    needs: int
    given: tuple[Any, ...] = ()


def judge_naively(before: Trace, after: Trace, limit_s: float = 1.0, cap_s: float = math.inf) -> Answer:
    """Is `after` a correct optimization of `before`? A query may take `limit_s`; one that takes longer, or that Z3
    gives up on, makes the pair unknown. So does a check that would begin later than after `cap_s`. What the baseline
    does not know is unsupported."""
    deadline = time.perf_counter() + cap_s
    try:
        baseline = _Baseline(before, after)
    except Unsupported:
        return Answer.UNSUPPORTED
    solver = z3.Solver(ctx=baseline.words.context)
    solver.set("timeout", int(limit_s * 1000))
    return baseline.prove(solver, deadline)


class _Baseline:
    """A pair in Z3 terms, and what has to hold of it."""

    def __init__(self, before: Trace, after: Trace) -> None:
        self.pair = pair = encode_pair(before, after, layout_of(before, after), Options())
        self.words = NaiveWords(before.word, z3.Context())
        memory = pair.memory
        made = [alloc for side in (pair.before, pair.after) for alloc in side.made.values()]
        assert before.word == WORD or not memory.slots
        self.origins = guess_origins(pair.before, pair.after, given_origins(before, after))
        clears_all = all(alloc.value.cleared for alloc in made)
        self.objects = Objects(self.words, memory, pair.terms, _parts(pair), clears_all)
        own = [guard.exit.made for guard in pair.before.guards]
        self.before = Side(before, self.objects, pair.before.made, own, True)
        self.left = [self._exit(j, origin) for j, origin in enumerate(self.origins)]
        self.after = Side(after, self.objects, pair.after.made, [exit_.made for exit_ in self.left], False)

    def _exit(self, j: int, origin: int | None) -> Any:
        guard = self.pair.after.guards[j]
        if origin is None or not guard.exit.made:
            return guard.exit
        before, after = self.pair.before, self.pair.after
        named = match_exit(before.guards[origin].exit, guard.exit, guard, lambda: knowing_all(before, after))
        return leave(self.pair.after, guard, j, named)

    # What has to hold.

    def conditions(self) -> Iterator[_Condition]:
        passed, total = 0, len(self.before.guards)
        for j, origin in enumerate(self.origins):
            row = total if origin is None else origin
            yield from (self._reaches(k, j) for k in range(passed, row))
            passed = row
            yield from self._stretch(j, row)
            guard = self.after.guards[j]
            yield _Condition(guard.passes, total, j, None if origin is not None else guard.events, guard.needs)
            if origin is not None:
                yield from self._handed_over(j, origin)
        last = len(self.origins)
        yield from (self._reaches(k, last) for k in range(passed, total))
        yield from self._stretch(last, total)
        yield from self._end()

    def _reaches(self, k: int, j: int) -> _Condition:
        guard = self.before.guards[k]
        needs = self.after.guards[j - 1].needs if j else 0
        return _Condition(guard.passes, k, j, guard.events, needs)

    def _passed(self, passed: int, events: int) -> int:
        while passed and self.before.guards[passed - 1].events > events:
            passed -= 1
        return passed

    def _stretch(self, j: int, passed: int) -> Iterator[_Condition]:
        for known in self.after.defined:
            if known.guards == j:
                yield _Condition(known.condition, self._passed(passed, known.events), j, known.events, known.needs)
        for number, event in enumerate(self.after.events):
            if event.guards == j:
                yield from self._event(number, event, self._passed(passed, number), j)

    def _handed_over(self, j: int, origin: int) -> Iterator[_Condition]:
        mine, theirs, words = self.after.guards[j], self.before.guards[origin], self.words
        passed, fails = self._passed(origin, mine.events), (words.not_(mine.passes),)

        def condition(claim: Any) -> _Condition:
            return _Condition(claim, passed, j, mine.events, mine.needs, fails)

        if mine.events != theirs.events:
            yield condition(words.truth(False))
            return
        wanted, got = theirs.exit, mine.exit
        yield from map(condition, (*got.block, *wanted.block))
        if wanted.failargs is not None and got.failargs is not None:
            if len(wanted.failargs) != len(got.failargs):
                yield condition(words.truth(False))
            else:
                yield from map(condition, self._equal(wanted.failargs, got.failargs))
        sights = self.pair.before.guards[origin].exit.sight(), self.left[j].sight()
        everything = tuple(self.objects.memory.slots.values())
        yield from map(condition, self._same_memory(wanted.heap, got.heap, sights, everything))

    def _event(self, number: int, mine: Event, passed: int, j: int) -> Iterator[_Condition]:
        def condition(claim: Any) -> _Condition:
            return _Condition(claim, passed, j, number, mine.needs, given)

        given: tuple[Any, ...] = ()
        theirs = self.before.events[number] if number < len(self.before.events) else None
        if theirs is None or not _are_alike(theirs, mine):
            yield condition(self.words.truth(False))
            return
        given = tuple(guard.passes for guard in self.before.guards[passed : theirs.guards])
        yield from map(condition, self._equal(theirs.args, mine.args))
        sights = self.pair.before.events[number].sight, self.pair.after.events[number].sight
        yield from map(condition, self._same_memory(theirs.heap, mine.heap, sights, theirs.may_see))

    def _end(self) -> Iterator[_Condition]:
        before, after = self.before, self.after
        passed, events = self._passed(len(before.guards), len(after.events)), len(after.events)

        def condition(claim: Any) -> _Condition:
            return _Condition(claim, passed, len(after.guards), events, len(after.equations))

        alike = before.trace.end.op is after.trace.end.op and len(before.end) == len(after.end)
        if not alike or len(before.events) > events:
            yield condition(self.words.truth(False))
            return
        yield from map(condition, self._equal(before.end, after.end))
        sights = self.pair.before.sight(), self.pair.after.sight()
        everything = tuple(self.objects.memory.slots.values())
        yield from map(condition, self._same_memory(before.heap, after.heap, sights, everything))

    def _equal(self, wanted: Sequence[Any], got: Sequence[Any]) -> Iterator[Any]:
        for one, other in zip(wanted, got, strict=True):
            if one is not None:
                is_same_sort = other is not None and one.sort() == other.sort()
                yield one == other if is_same_sort else self.words.truth(False)

    def _same_memory(
        self, wanted: NaiveHeap, got: NaiveHeap, sights: tuple[Sight, Sight], slots: tuple[Field, ...]
    ) -> Iterator[Any]:
        """For any object that can be seen and any key, both heaps hold the same."""
        objects = self.objects
        seen = [objects.allocation(alloc) for alloc in sights[0].objects & sights[1].objects]
        reference, key = z3.FreshConst(objects.reference, "object"), z3.FreshConst(objects.key, "key")
        for part in sorted({objects.parts[slot.key] for slot in slots}):
            here = tuple(slot for slot in slots if objects.parts[slot.key] == part)
            is_seen = z3.Or(z3.ULT(reference, FRESH), *[reference == alloc for alloc in seen])
            same = wanted.arrays[part][reference][key] == got.arrays[part][reference][key]
            if not objects.clears_all:
                same = z3.Implies(wanted.marks[reference][key], z3.And(got.marks[reference][key], same))
            yield z3.Implies(z3.And(is_seen, objects.is_of(key, here)), same)

    # Proving it.

    def prove(self, solver: Any, deadline: float) -> Answer:
        """Check one condition after the other. What holds at all later ones too is asserted once."""
        conditions = list(self.conditions())
        floors = _floors(conditions, (len(self.before.guards), len(self.before.events) + len(self.after.events)))
        solver.add(*self.objects.axioms, *self.before.equations)
        asserted = _Condition(None, 0, 0, -1, 0)
        for condition, floor in zip(conditions, floors, strict=True):
            if time.perf_counter() > deadline:
                return Answer.UNKNOWN
            solver.add(*self.after.equations[asserted.needs : condition.needs])
            solver.add(*self._between(asserted, floor))
            floor = _Condition(None, floor.before, floor.after, floor.events, max(asserted.needs, condition.needs))
            asserted = floor
            solver.push()
            solver.add(*self._between(asserted, condition), *condition.given, z3.Not(condition.claim))
            answer = solver.check()
            has_model = answer == z3.sat and _satisfies(solver.model(), solver.assertions())
            solver.pop()
            if has_model:
                return Answer.REFUTED
            if answer != z3.unsat:
                return Answer.UNKNOWN
        return Answer.PROVED

    def _between(self, low: _Condition, high: _Condition) -> Iterator[Any]:
        """What may be assumed at the place of `high` beyond what may be at that of `low`."""
        before, after, words = self.before, self.after, self.words
        yield from (guard.passes for guard in before.guards[low.before : high.before])
        yield from (guard.passes for guard in after.guards[low.after : high.after])
        last = len(before.events) if high.events is None else high.events
        first = -1 if low.events is None else low.events
        ahead, guards = words.truth(True), 0
        for known in before.defined:
            if first < known.events <= last:
                while guards < known.guards:
                    ahead = words.both(ahead, before.guards[guards].passes)
                    guards += 1
                yield words.implies(ahead, known.condition)
        ahead = words.truth(True)
        for guard in before.guards:
            if first < guard.events <= last:
                for condition in guard.exit.block:
                    yield words.implies(words.both(ahead, words.not_(guard.passes)), condition)
            ahead = words.both(ahead, guard.passes)


def _satisfies(model: Any, assertions: Any) -> bool:
    """Does it really? On a busy machine, Z3 has been seen to say `sat` of a query that has no model, close to the limit
    of time."""
    return all(z3.is_true(model.eval(assertion, model_completion=True)) for assertion in assertions)


def _floors(conditions: Sequence[_Condition], highest: tuple[int, int]) -> list[_Condition]:
    """For each condition, the place that it and all later ones are behind."""
    floors: list[_Condition] = []
    before, after, events = highest[0], 1 << 30, highest[1]
    for condition in reversed(conditions):
        before, after = min(before, condition.before), min(after, condition.after)
        events = events if condition.events is None else min(events, condition.events)
        floors.append(_Condition(None, before, after, events, 0))
    return floors[::-1]


def _parts(pair: Pair) -> dict[str, int]:
    """Memory in the same part is changed by the same events."""
    slots, layout = pair.memory.slots.values(), pair.terms.layout
    events = [effects_of(event.operation, layout) for side in (pair.before, pair.after) for event in side.events]
    numbers: dict[tuple[bool, ...], int] = {}
    return {
        slot.key: numbers.setdefault(tuple(effects.may_write(slot) for effects in events), len(numbers))
        for slot in slots
    }


def _are_alike(one: Event, other: Event) -> bool:
    mine, theirs = one.operation, other.operation
    return (mine.op, mine.descr, len(mine.args)) == (theirs.op, theirs.descr, len(theirs.args))
