"""Stores that wait: done where somebody may look, in the exit blocks of the guards that they cross, or never."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from optimizer.facts.facts import Facts
from optimizer.ir.rows.row import COPY, END, EVENT, GUARD, LOAD, POSITION, RAW_LOAD, RAW_STORE, SCAN
from optimizer.ir.trace import Exit, Operation, Value
from optimizer.riders import Answer, First, Names, Pass, Taken

MOST_DELAYED = 16
"""The number of stores that wait at a time, at most."""

W = TypeVar("W")


class Waiting(NamedTuple, Generic[W]):
    """A store that waits, the place where it stores, and what is there until it is done, if that is known."""

    where: W
    store: Operation
    was: Value | None = None


class DelayedStores(Pass, Generic[W]):
    """A pass that has stores wait; `W` is where one stores. What waits is never two stores that may meet, so that their
    order does not matter."""

    prepared = frozenset({LOAD, COPY, SCAN, EVENT, GUARD, POSITION, END, RAW_LOAD, RAW_STORE})

    def __init__(self) -> None:
        self._delayed: list[Waiting[W]] = []  # the oldest first
        self._resolved: tuple[Sequence[Waiting[W]], int, tuple[Operation, ...]] = (), 0, ()  # by what it depends on

    def _delay(self, store: Waiting[W], kept: list[Waiting[W]], met: list[W], name: str) -> Answer:
        """Has a store wait that leaves those `kept` which it does not overwrite, of which it may meet some."""
        in_the_way = met or [one.where for one in kept[:1]] * (len(kept) == MOST_DELAYED)
        if in_the_way:
            return First(tuple(self._take_out(in_the_way)))
        overwritten, self._delayed = len(kept) < len(self._delayed), [*kept, store]
        return Taken(f"{'dead' if overwritten else 'delayed'}_{name}")

    def _take_out(self, places: Sequence[W]) -> list[Operation]:
        found = [one.store for one in self._delayed if one.where in places]
        self._delayed = [one for one in self._delayed if one.where not in places]
        return found

    def _looked_at(self, operation: Operation, facts: Facts) -> Sequence[W]:
        """The places of stores that somebody may look at in an operation that is no end, guard or position."""
        raise NotImplementedError  # a pass says what it takes for a look

    def prepare(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        if not self._delayed:
            return ()
        kind, exit_ = operation.op.kind, operation.exit
        if kind is END or operation.op.is_entry or (exit_ is not None and exit_.failargs is None):
            due: Sequence[W] = [one.where for one in self._delayed]
        elif kind is GUARD or kind is POSITION:
            return ()
        else:
            due = self._looked_at(operation, facts)
        return [_resolve(store, facts) for store in self._take_out(due)] if due else ()

    def complete(self, exit_: Exit, facts: Facts, names: Names) -> Exit:
        if not self._delayed:
            return exit_
        waiting, known, stores = self._resolved
        if waiting is not self._delayed or known != facts.equalities:
            stores = tuple([_resolve(one.store, facts) for one in self._delayed])
            self._resolved = self._delayed, facts.equalities, stores
        return Exit(exit_.failargs, exit_.origin, stores + exit_.block)


def _resolve(store: Operation, facts: Facts) -> Operation:
    return store.on(facts.find_all(store.args))
