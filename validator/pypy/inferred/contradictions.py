"""Contradictions: what shows that a function has an effect, be it what PyPy's optimizer does, or what a recorded trace
has found.

Where the optimizer loads a field that it has just had in hand again, or checks again that the code is valid, only
because of the calls between, these write the field or invalidate code; where it does a store that it has put off right
in front of a call, that function reads it. A recorded trace has run: where it has found one number in a field in front
of calls and another one behind them, they write it. Of several functions one at least does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from validator.pypy.inferred.accesses import Accesses, Call, Done
from validator.pypy.inferred.effects import CODE, OF_GIVEN, SHARED, Effect, cannot_write
from validator.pypy.inferred.found import Fact, Found, are_different
from validator.pypy.inferred.sameness import Node
from validator.pypy.printed.calls.functions import keeps_off

OneOf = frozenset[Effect]
"""Effects of which functions have one at least."""


def loaded_again(trace: Accesses) -> Iterator[OneOf]:
    """The writes behind which an optimized trace loads a memory again for no other reason."""
    for first, second in trace.again():
        if first.cached and second.cached and not trace.forgets(first.at, second.at):
            yield from _written(trace, first, second)


def checked_again(trace: Accesses) -> Iterator[OneOf]:
    """The effects behind which an optimized trace checks again for no other reason that the code is valid."""
    for first, second in zip(trace.checks, trace.checks[1:], strict=False):
        if not trace.forgets(first, second):
            between = {call.function for at, call in trace.calls if first < at < second}
            yield frozenset(Effect(one, "invalidates", CODE) for one in between if not keeps_off(one))


def found_again(trace: Accesses, found: Found) -> Iterator[OneOf]:
    """The writes between two loads of one place in a recorded trace that have given different values, as it has
    found."""
    facts: defaultdict[Node, set[Fact]] = defaultdict(set)
    for done in trace.accesses:
        facts[done.value] |= found(done.name)
    for first, second in trace.again():
        is_other = are_different(facts[first.value], facts[second.value])
        if is_other or found.tells_apart(first.name, second.name):
            yield from _written(trace, first, second)


def _written(trace: Accesses, first: Done, second: Done) -> Iterator[OneOf]:
    """The writes of the calls between two accesses of one place that may have changed it; and, if all are given its
    object, of what they are given."""
    memory, of_given = second.place[0], second.place[0] + OF_GIVEN
    between = [(at, call.function) for at, call in trace.calls if first.at < at < second.at]
    may_write = [(at, function) for at, function in between if not cannot_write(function, memory)]
    yield frozenset(Effect(function, "writes", memory) for _, function in may_write)
    if SHARED.match(memory) and all(trace.is_given(at, second.place) for at, _ in may_write):
        yield frozenset(Effect(function, "writes", of_given) for _, function in may_write)


def done_for_a_call(before: Accesses, after: Accesses, calls: Iterable[Call]) -> Iterator[OneOf]:
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
                yield frozenset([Effect(call.line.function, "reads", place[0])])
