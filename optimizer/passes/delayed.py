"""Stores that wait: done where somebody may look, in the exit blocks of the guards that they cross, or never."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from optimizer.facts.facts import Facts
from optimizer.ir.rows.ops import Kind
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

    def __init__(self) -> None:
        self._delayed: list[Waiting[W]] = []  # the oldest first

    def _delay(self, store: Waiting[W], kept: list[Waiting[W]], met: list[W], name: str) -> Answer:
        """Has a store wait that leaves those `kept` which it does not overwrite, of which it may meet some."""
        in_the_way = met or [one.where for one in kept[:1]] * (len(kept) == MOST_DELAYED)
        if in_the_way:
            return First(tuple(self._take_out(in_the_way)))
        overwritten, self._delayed = len(kept) < len(self._delayed), [*kept, store]
        return Taken(f"{'dead' if overwritten else 'delayed'}_{name}")

    def _take_out(self, places: Iterable[W]) -> list[Operation]:
        places = list(places)
        found = [one.store for one in self._delayed if one.where in places]
        self._delayed = [one for one in self._delayed if one.where not in places]
        return found

    def _looked_at(self, operation: Operation, facts: Facts) -> Iterable[W]:
        """The places of stores that somebody may look at in an operation that is no end."""
        raise NotImplementedError  # a pass says what it takes for a look

    def prepare(self, operation: Operation, facts: Facts) -> Sequence[Operation]:
        if not self._delayed:
            return ()
        row, exit_ = operation.op, operation.exit
        if row.kind is Kind.END or row.is_entry or (row.is_guard and exit_ is not None and exit_.failargs is None):
            due = [one.where for one in self._delayed]
        else:
            due = list(self._looked_at(operation, facts))
        return [_resolve(store, facts) for store in self._take_out(due)] if due else ()

    def complete(self, exit_: Exit, facts: Facts, names: Names) -> Exit:
        if not self._delayed:
            return exit_
        stores = [_resolve(one.store, facts) for one in self._delayed]
        return Exit(exit_.failargs, exit_.origin, (*stores, *exit_.block))


def _resolve(store: Operation, facts: Facts) -> Operation:
    return store.on(facts.find_all(store.args))
