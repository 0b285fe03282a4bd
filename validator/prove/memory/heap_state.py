"""The state of the heap of one trace, in terms, and how it goes on: at guards, events and allocations.

It changes in place as the trace goes on; what it was at a guard or event is kept as a copy. Allocations take the terms
that they are given (`named`), so that an allocation of the optimized trace can be that of the recorded one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from optimizer.ir.domains.term import Term
from optimizer.ir.rows.row import Op
from optimizer.ir.types.layout import Array, Field, Struct
from optimizer.ir.types.memory_types import MemoryKind, kind_of
from validator.prove.memory.chain_reader import ChainReader
from validator.prove.memory.chains import Chain, Chains, Key, Renewed, Stored
from validator.prove.memory.raw_chains import RawChains, numbered
from validator.prove.terms.object_kinds import APPLIED, OBJECTS, PENDING
from validator.prove.terms.object_terms import ObjectTerms
from validator.prove.terms.pointers import Pointers, at_event

if TYPE_CHECKING:
    from optimizer.ir.types.calls import Effects


Computed = tuple[Term, Term | None, Term]
"""The results of an operation without memory: when it is defined, its result, and whether it passes, or overflows."""


@dataclass(frozen=True, slots=True)
class PairMemory:
    """The memory that the heaps of a pair share: the terms that they begin with, their chains, and all slots that one
    of the traces names.

    `indexed` are the keys of those that are found by an index too.
    `has_exceptions`: is what events raise told apart? Where it is not, nobody looks, and both traces raise the same.
    `is_pending`: may an exception be pending at the start?
    What both traces have is found out once: `computed` is what operations without memory do on these arguments.
    """

    fresh_terms: ObjectTerms
    chains: Chains
    raw: RawChains
    slots: Mapping[str, Field]
    indexed: frozenset[str]
    has_exceptions: bool = False
    is_pending: bool = False
    computed: dict[tuple[Op, tuple[Term, ...]], Computed] = field(default_factory=dict)

    def any_index(self, slot: Field, claim: int = 0) -> Term:
        """An index of which nothing is known: what is proved of it holds for all items. What is assumed of it is what
        holds for all. Where it is one of several claims that is proved, each has an index of its own: one index
        would let one of them hold for some items, and another one for the rest."""
        return self.fresh_terms.var(numbered(f"an index of {slot.key}", claim))


@dataclass(slots=True)
class Allocator:
    """The terms that the allocations of a trace are, by their numbers in the order of the text; new ones for the rest.

    `mismatched` are the lengths of arrays, by number, for which a term of another length was named.
    """

    named: Mapping[int, Term] = field(default_factory=dict)
    made: dict[int, Term] = field(default_factory=dict)
    mismatched: dict[int, tuple[Term, Term]] = field(default_factory=dict)


class HeapState:
    """A heap; its `terms` know which allocations have escaped by now. `lenient` heaps take what may not be settled for
    not settled: what is assumed must never be too much."""

    __slots__ = (
        "_allocator",
        "_passed",
        "allocating",
        "allocations",
        "apart",
        "chains",
        "cleared",
        "events",
        "exception",
        "known",
        "lenient",
        "memory",
        "reader",
        "settled",
        "terms",
        "validity",
        "watched",
    )

    def __init__(self, memory: PairMemory, terms: ObjectTerms, allocator: Allocator, *, lenient: bool) -> None:
        self.memory, self.terms = memory, terms
        self.reader = ChainReader(memory.chains, terms)
        self.allocations: tuple[Term, ...] = ()
        self.cleared: frozenset[Term] = frozenset()  # ... that it cleared, though their partners were not
        self.allocating = 0  # the number of the operation that allocates next
        self._allocator = allocator
        self.lenient = lenient
        self.chains: dict[str, Chain] = {key: memory.chains.start(slot) for key, slot in memory.slots.items()}
        self.settled: tuple[tuple[str, Key], ...] = ()
        self.watched: tuple[tuple[str, Key], ...] = ()
        self.apart: frozenset[Term] = frozenset()  # what operations rule out, as far as it is of what functions give
        self.known: dict[Term, tuple[Term, int]] = {}  # what guards say of terms, where so many have passed
        self._passed = 0
        self.events = 0
        self.validity = 0
        self.exception = terms.pointer(PENDING, 0) if memory.is_pending else terms.null

    def copy(self) -> Self:
        heap = object.__new__(type(self))
        for name in HeapState.__slots__:
            setattr(heap, name, getattr(self, name))
        heap.chains = self.chains.copy()
        return heap

    def with_allocator(self, allocator: Allocator) -> Self:
        """A copy whose further allocations are named by another allocator."""
        heap = self.copy()
        heap._allocator = allocator
        return heap

    def mismatch(self, number: int) -> tuple[Term, Term] | None:
        """The length of the array that allocation stands for, and its own, where they are not the same term."""
        return self._allocator.mismatched.get(number)

    def has_mismatches(self) -> bool:
        """Does an allocation stand for an array that may have another length?"""
        return bool(self._allocator.mismatched)

    # What it holds.

    def is_written_whole(self, slot: Field, p: Term) -> bool:
        """Is it an array of which nothing has been open, though its partner's items were?"""
        return p in self.cleared and slot.key not in self.memory.chains.copied_slots

    def chain(self, slot: Field) -> Chain:
        return self.chains[slot.key]

    def now(self, term: Term) -> Term:
        """The form of a term under the guards that have passed, itself where they say nothing."""
        known = self.known.get(term)
        return term if known is None or known[1] > self._passed else known[0]

    def read(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        """The content of the memory, for one who only looks."""
        p, index = self.reader.key(p, index, self.now)
        return self.reader.read(slot, self.chains[slot.key], p, index)

    def put(self, p: Term, slot: Field, index: Term | None, value: Term) -> None:
        p, index = self.reader.key(p, index, self.now)
        chain = self.memory.chains.without(self.chains[slot.key], p, index)
        if not self._holds(slot, chain, p, index, value):
            chain = self.memory.chains.link(Stored, chain, p, index, value)
        self.chains[slot.key] = chain

    def _holds(self, slot: Field, chain: Chain, p: Term, index: Term | None, value: Term) -> bool:
        """Does the chain plainly hold that value there, with what guards have said of numbers and NULL?"""
        held = self.reader.plainly_held(slot, chain, p, index) if slot.kind is MemoryKind.OBJECTS else None
        if held is None or held is value:
            return held is value
        known = self.now(held)
        return known.kind in ("const", "null") and known is self.now(value)

    def learn(self, passes: Term) -> None:
        """A guard with that condition has passed: where it says what an index or an object is, stores are known by
        that."""
        self._passed += 1
        if passes.kind == "truth":
            return
        said = dict(_said(self.terms, passes))
        for term, stands in said.items():
            self.known.setdefault(term, (stands, self._passed))
        if any(term.kind != "ite" for term in said):  # which is no key in memory
            for key, chain in self.chains.items():
                if isinstance(chain, Stored) and kind_of(key) is not MemoryKind.RAW:
                    self.chains[key] = self.reader.rekeyed(chain, said)

    def tell_apart(self, defined: Term) -> None:
        """An operation is defined only under that condition: it tells apart what a function gave and allocations."""
        waiting = [defined]
        while waiting:
            said = waiting.pop()
            if said.kind == "both":
                waiting += said.args
            elif said.kind == "not_" and any(one.kind in APPLIED for one in said.args[0].args):
                self.apart |= {said.args[0]}

    # How it goes on.

    def allocate(self, type_: Struct | Array, length: Term | None, cleared: bool) -> Term:
        number, allocator = self.allocating, self._allocator
        alloc = allocator.named.get(number)
        if alloc is None or self._is_seen_by_event(alloc):
            alloc = self.terms.allocate(type_, length, cleared)
        elif length is not None and alloc.value.length is not length:
            allocator.mismatched[number] = alloc.value.length, length
        if cleared and not alloc.value.cleared:
            self.cleared |= {alloc}
        allocator.made[number] = alloc
        self.allocations = (*self.allocations, alloc)
        return alloc

    def happen(self, event: int, effects: Effects) -> Iterator[Term]:
        """The event of that number returns. What it may have changed begins anew; what it cannot have changed there,
        because it was promised not to change, comes as conditions: what is watched is promised where the code is valid
        behind the event."""
        self.validity += effects.can_invalidate
        valid = self.terms.is_valid(self.validity)
        kept = [*((cell, self.terms.true) for cell in self.settled), *((cell, valid) for cell in self.watched)]
        self.events = event + 1
        before = self.copy() if kept else self
        written = {key for key, slot in self.memory.slots.items() if effects.may_write(slot)}
        self.memory.raw.happened(self.chains, written, event)
        for key in written:
            self.chains[key] = self.memory.chains.link(Renewed, self.chains[key], event)
        for (key, (p, index)), promised in kept:
            slot = self.memory.slots[key]
            if effects.may_write(slot):
                same = self.terms.equal(self.read(p, slot, index), before.read(p, slot, index))
                yield self.terms.implies(promised, same)

    # Who has seen what.

    def know(self, pointers: Pointers) -> None:
        """Goes on with that knowledge of pointers."""
        self.terms = self.terms.knowing(pointers)
        self.reader = ChainReader(self.memory.chains, self.terms)

    def seen(self) -> set[Term]:
        """The allocations that an event has seen."""
        return {alloc for alloc in self.allocations if self.is_seen(alloc)}

    def is_seen(self, alloc: Term) -> bool:
        """Has an event seen the allocation?"""
        return self.terms.pointers.is_seen(alloc, at_event(self.events))

    def _is_seen_by_event(self, alloc: Term) -> bool:
        """Has one of the events so far seen it? What functions see behind the last of them does not count."""
        return self.terms.pointers.is_seen(alloc, (self.events, 0))


def _said(terms: ObjectTerms, condition: Term) -> Iterator[tuple[Term, Term]]:
    """The terms that the condition says are constants or objects of a name, and these."""
    match condition.kind, condition.args:
        case "both", parts:
            for part in parts:
                yield from _said(terms, part)
            return
        case "eq", (a, b) if b.kind == "const":
            yield a, b
        case "same", (p, q):
            named = next((one for one in (p, q) if one.kind in ("constant", "alloc")), None)
            if named is None:
                named = min(p, q, key=lambda one: one.number)
            yield (q if named is p else p), named
        case "not_", (denied,) if denied.kind == "class_in" and denied.value == OBJECTS:
            if denied.args[0].kind == "class_of":
                yield denied.args[0].args[0], terms.null
    yield terms.ite(condition, terms.one, terms.zero), terms.one
    yield terms.ite(condition, terms.zero, terms.one), terms.zero
