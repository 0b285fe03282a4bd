"""The heap of one trace, in terms: a domain for the rows of operations on memory.

It changes in place as the trace goes on; what it was at a guard or event is kept as a copy. Allocations take the terms
that they are given (`named`), so that an allocation of the optimized trace can be that of the recorded one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from optimizer.ir.effects import Effects
from optimizer.ir.heap_domain import HeapDomain
from optimizer.ir.layout import Array, Field, Struct
from optimizer.ir.row import Type
from optimizer.ir.term import Term
from validator.object_terms import ARRAYS, STRUCTS, ObjectTerms, choices, is_reference
from validator.store_chains import Chain, Chains, Key, Renewed, links


@dataclass(frozen=True, slots=True)
class Memory:
    """What the heaps of a pair share: their terms, their chains, and all slots that one of the traces names."""

    terms: ObjectTerms
    chains: Chains
    slots: Mapping[str, Field]


@dataclass(slots=True)
class Allocator:
    """Which terms the allocations of a trace are, by their numbers in the order of the text; new ones for the rest.

    `mismatched` are the lengths of arrays, by number, for which a term of another length was named.
    """

    named: Mapping[int, Term] = field(default_factory=dict)
    made: dict[int, Term] = field(default_factory=dict)
    mismatched: dict[int, tuple[Term, Term]] = field(default_factory=dict)


class SymbolicHeap(HeapDomain[Term, Term, Term]):
    """`lenient` heaps take what may not be settled for not settled: what is assumed must never be too much."""

    __slots__ = (
        "_allocator",
        "_chains",
        "_events",
        "_lenient",
        "_protected",
        "_settled",
        "_validity",
        "_watched",
        "allocating",
        "allocations",
        "memory",
    )

    def __init__(self, memory: Memory, allocator: Allocator, *, lenient: bool) -> None:
        self.memory = memory
        self.allocations: tuple[Term, ...] = ()
        self.allocating = 0  # the number of the operation that allocates next
        self._allocator = allocator
        self._lenient = lenient
        self._chains: dict[str, Chain] = {key: memory.chains.start(slot) for key, slot in memory.slots.items()}
        self._settled: tuple[tuple[str, Key], ...] = ()
        self._watched: tuple[tuple[str, Key], ...] = ()
        self._protected: tuple[tuple[str, Key], ...] = ()
        self._events = 0
        self._validity = 0

    def copy(self) -> SymbolicHeap:
        heap = SymbolicHeap.__new__(SymbolicHeap)
        for name in SymbolicHeap.__slots__:
            setattr(heap, name, getattr(self, name))
        heap._chains = self._chains.copy()
        return heap

    def with_allocator(self, allocator: Allocator) -> SymbolicHeap:
        """A copy whose further allocations are named by another allocator."""
        heap = self.copy()
        heap._allocator = allocator
        return heap

    def mismatch(self, number: int) -> tuple[Term, Term] | None:
        """The length of the array that allocation stands for, and its own, where they are not the same term."""
        return self._allocator.mismatched.get(number)

    @property
    def _terms(self) -> ObjectTerms:
        return self.memory.terms

    # Identity and classes.

    def null(self) -> Term:
        return self._terms.null

    def same(self, p: Term, q: Term) -> Term:
        return self._terms.same(p, q)

    def isa(self, p: Term, owner: str) -> Term:
        return self._terms.class_in(p, self._terms.class_range(owner))

    def has_vtable(self, p: Term) -> Term:
        return self._terms.class_in(p, STRUCTS)

    def has_class(self, p: Term, vtable: str) -> Term:
        return self._terms.has_class(p, vtable)

    def has_subclass(self, p: Term, vtable: str) -> Term:
        return self._terms.has_subclass(p, vtable)

    def gc_type(self, p: Term) -> Term:
        return self._terms.gc_type(p)

    # Contents.

    def is_set(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        return self.memory.chains.written(slot, self._chains[slot.key], p, index)

    def is_settled(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        return self._terms.by_object(p, lambda one: self._is_settled(one, slot, index))

    def _is_settled(self, p: Term, slot: Field, index: Term | None) -> Term:
        terms = self._terms
        if p.kind == "alloc" and not (p in terms.surely_seen if self._lenient else self._is_seen(p)):
            return terms.false
        read = [key for name, key in self._settled if name == slot.key]
        return terms.not_(terms.all_of(terms.not_(self.memory.chains.meets(p, index, q, i)) for q, i in read))

    def get(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        if slot.immutable:
            self._settled = (*self._settled, (slot.key, (p, index)))
        return self.read(p, slot, index)

    def read(self, p: Term, slot: Field, index: Term | None = None) -> Term:
        """What the memory holds, for one who only looks."""
        return self.memory.chains.read(slot, self._chains[slot.key], p, index)

    def set_field(self, p: Term, slot: Field, value: Term) -> None:
        self._put(p, slot, None, value)

    def set_item(self, p: Term, slot: Field, index: Term, value: Term) -> None:
        self._put(p, slot, index, value)

    def _put(self, p: Term, slot: Field, index: Term | None, value: Term) -> None:
        self._chains[slot.key] = self.memory.chains.store(self._chains[slot.key], p, index, value)

    def chain(self, slot: Field) -> Chain:
        return self._chains[slot.key]

    # Arrays.

    def has_length(self, p: Term) -> Term:
        return self._terms.class_in(p, ARRAYS)

    def length(self, p: Term) -> Term:
        return self._terms.length(p)

    # Fresh objects.

    def new_struct(self, struct: Struct) -> Term:
        return self._allocate(struct, None, struct.cleared)

    def new_array(self, array: Array, length: Term, cleared: bool) -> Term:
        return self._allocate(array, length, cleared)

    def _allocate(self, type_: Struct | Array, length: Term | None, cleared: bool) -> Term:
        number, allocator = self.allocating, self._allocator
        alloc = allocator.named.get(number)
        if alloc is None or self._is_seen(alloc):
            alloc = self._terms.allocate(type_, length, cleared)
        elif length is not None and alloc.value.length is not length:
            allocator.mismatched[number] = alloc.value.length, length
        allocator.made[number] = alloc
        self.allocations = (*self.allocations, alloc)
        return alloc

    # The environment.

    def is_valid(self) -> Term:
        return self._terms.is_valid(self._validity)

    def watch(self, p: Term, slot: Field) -> None:
        self._watched = (*self._watched, (slot.key, (p, None)))

    def protect(self) -> None:
        self._protected = (*self._protected, *self._watched)
        self._watched = ()

    def happen(self, event: int, effects: Effects) -> Iterator[Term]:
        """The event of that number returns. What it may have changed begins anew; what it cannot have changed there,
        because it was promised not to change, comes as conditions."""
        kept = self._settled if effects.can_invalidate else (*self._settled, *self._protected)
        self._events = event + 1
        before = self.copy()
        for key, slot in self.memory.slots.items():
            if effects.may_write(slot):
                self._chains[key] = self.memory.chains.renew(self._chains[key], event)
        for key, (p, index) in kept:
            slot = self.memory.slots[key]
            if effects.may_write(slot):
                yield self._terms.equal(self.read(p, slot, index), before.read(p, slot, index))
        if effects.can_invalidate:
            self._validity += 1
            self._watched = self._protected = ()

    # What is visible.

    def visible(self, roots: Iterable[Term], may_see: Callable[[Field], bool]) -> frozenset[Term]:
        """The allocations that somebody may find who looks at that memory: those that an event has seen, and what
        `roots`, all old objects and these reach."""
        if not self.allocations:
            return frozenset()
        found = set(filter(self._is_seen, self.allocations))
        if len(found) == len(self.allocations):
            return frozenset(found)
        inside: dict[Term, list[Term]] = {}
        waiting = [alloc for root in roots for alloc in _allocations(root)]
        for slot in self.memory.slots.values():
            if slot.type is Type.REF and may_see(slot):
                waiting += self._reached(slot, inside)
        waiting += [held for alloc in found for held in inside.get(alloc, ())]
        while waiting:
            alloc = waiting.pop()
            if alloc not in found:
                found.add(alloc)
                waiting += inside.get(alloc, ())
        return frozenset(found)

    def surely_visible(self, roots: Iterable[Term], may_see: Callable[[Field], bool]) -> set[Term]:
        """Allocations that are visible on every run that gets here; not all of them."""
        waiting = [root for root in roots if root.kind == "alloc"]
        inside: dict[Term, list[Term]] = {}
        for slot in self.memory.slots.values():
            if slot.type is Type.REF and may_see(slot):
                for link in links(self._chains[slot.key]):
                    if isinstance(link, Renewed):
                        break
                    p, value = link.object, link.value
                    if value.kind == "alloc" and p.kind != "choose" and self.read(p, slot, link.index) is value:
                        inside.setdefault(p, []).append(value)
        found: set[Term] = set()
        waiting += [value for p, held in inside.items() if p.kind != "alloc" or self._is_sure(p) for value in held]
        while waiting:
            alloc = waiting.pop()
            if alloc not in found:
                found.add(alloc)
                waiting += inside.get(alloc, ())
        return found

    def _is_sure(self, alloc: Term) -> bool:
        return alloc in self._terms.surely_seen

    def _is_seen(self, alloc: Term) -> bool:
        """Has an event seen the allocation?"""
        return self._terms.visible_from.get(alloc, self._events) < self._events

    def _reached(self, slot: Field, inside: dict[Term, list[Term]]) -> list[Term]:
        """The allocations that old objects hold in the slot; those that allocations hold go `inside`."""
        overwritten: set[Key] = set()
        reached: list[Term] = []
        renewed = None
        for link in links(self._chains[slot.key]):
            if isinstance(link, Renewed):
                renewed = link.event
                continue
            key = (link.object, link.index)
            held = _allocations(link.value)
            if held and key not in overwritten:
                for holder in _objects(link.object):
                    if holder.kind == "alloc":
                        inside.setdefault(holder, []).extend(held)
                    elif renewed is None:
                        reached += held
            overwritten.add(key)
        return reached


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody sees at an event or end: the heap, and the allocations that can be found in it."""

    heap: SymbolicHeap
    objects: frozenset[Term]


def agrees(before: Sight, after: Sight, slot: Field, seen: frozenset[Term]) -> Term:
    """Does the slot hold the same in all old objects, and in the allocations in `seen`?

    Below the links that the two chains do not share they are the same memory. Where they have begun anew at one
    event, what is below it counts only for allocations that the event did not see.
    """
    memory = before.heap.memory
    terms, chains = memory.terms, memory.chains
    one, two = before.heap.chain(slot), after.heap.chain(slot)
    if one is two:
        return terms.true
    result = terms.true
    below = {id(link) for link in links(one)}
    shared = next((link for link in links(two) if id(link) in below), None)
    for p, index in dict.fromkeys([*_keys(one, shared, seen), *_keys(two, shared, seen)]):
        wanted, got = chains.read(slot, one, p, index), chains.read(slot, two, p, index)
        written = chains.written(slot, one, p, index)
        equal = terms.both(chains.written(slot, two, p, index), terms.equal(wanted, got))
        result = terms.both(result, terms.implies(written, equal))
    return result


def _keys(chain: Chain, shared: Chain | None, seen: frozenset[Term]) -> Iterator[Key]:
    """The keys that were stored to in the links down to the one that is shared, and that can be seen."""
    renewed: int | None = None
    for link in links(chain):
        if link is shared:
            return
        if isinstance(link, Renewed):
            renewed = link.event
            continue
        for p in _objects(link.object):
            if p in seen if p.kind == "alloc" else renewed is None:
                yield p, link.index


def _objects(p: Term) -> list[Term]:
    """What a reference may be, choices taken apart."""
    return [one for one in choices(p) if one.kind != "choose"]


def _allocations(value: Term) -> list[Term]:
    if not is_reference(value):
        return []
    return [p for p in _objects(value) if p.kind == "alloc"]
