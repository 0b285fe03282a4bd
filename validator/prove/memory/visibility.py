"""The visible part of a heap at an event, at an end or for a function, and whether it is the same in both traces.

Which allocations are visible may depend on which references are the same object; what may be visible is taken for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import REF
from optimizer.ir.types.layout import Field, Layout
from optimizer.ir.types.memory_types import BYTES, MemoryKind
from validator.prove.memory.chain_reader import ChainReader
from validator.prove.memory.chains import Chain, Copied, Key, Renewed, Start, Stored, changes, links
from validator.prove.memory.raw_chains import ANYWHERE, has_overlaps, numbered
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.terms.object_kinds import APPLIED, choices, is_reference
from validator.prove.terms.object_terms import ObjectTerms

if TYPE_CHECKING:
    from optimizer.ir.types.calls import Effects
    from validator.prove.encoding import Application, EventEncoding


def visible(heap: SymbolicHeap, roots: Iterable[Term], may_see: Callable[[Field], bool]) -> frozenset[Term]:
    """The allocations that somebody may find who looks at that memory: those that an event has seen, and what
    `roots`, all old objects and these reach."""
    if not heap.allocations:
        return frozenset()
    found = heap.seen()
    if len(found) == len(heap.allocations):
        return frozenset(found)
    inside: dict[Term, list[Term]] = {}
    search = _Search(heap)
    waiting = [alloc for root in roots for alloc in search.allocations(root)]
    for slot in heap.memory.slots.values():
        if slot.type is REF and may_see(slot):
            waiting += search.reached(slot, inside)
    waiting += [held for alloc in found for held in inside.get(alloc, ())]
    while waiting:
        alloc = waiting.pop()
        if alloc not in found:
            found.add(alloc)
            waiting += inside.get(alloc, ())
    return frozenset(found)


def anything(_slot: Field) -> bool:
    """May all memory be looked at?"""
    return True


def surely_visible(heap: SymbolicHeap, roots: Iterable[Term], may_see: Callable[[Field], bool]) -> set[Term]:
    """Allocations that are visible on every run that gets here; not all of them."""
    waiting = [root for root in roots if root.kind == "alloc"]
    inside: dict[Term, list[Term]] = {}
    for slot in heap.memory.slots.values():
        if slot.type is REF and may_see(slot):
            for link in links(heap.chain(slot)):
                if isinstance(link, Renewed):
                    break
                if isinstance(link, Copied):
                    continue
                p, value = link.object, link.value
                if value.kind == "alloc" and p.kind != "choose" and heap.surely_holds(p, slot, link.index, value):
                    inside.setdefault(p, []).append(value)
    found: set[Term] = set()
    waiting += [value for p, held in inside.items() if p.kind != "alloc" or _is_sure(heap, p) for value in held]
    while waiting:
        alloc = waiting.pop()
        if alloc not in found:
            found.add(alloc)
            waiting += inside.get(alloc, ())
    return found


def _is_sure(heap: SymbolicHeap, alloc: Term) -> bool:
    return alloc in heap.terms.pointers.surely_seen


class _Search:
    """The allocations of a heap that references may be, and the possible contents of places."""

    def __init__(self, heap: SymbolicHeap) -> None:
        self._heap = heap
        self._terms = heap.terms
        self._own = frozenset(heap.allocations)

    def allocations(self, value: Term) -> list[Term]:
        """The allocations that a value may be, but for those that only an event can have given."""
        return [alloc for p in _objects(value) for alloc in self._of(p)] if is_reference(value) else []

    def _of(self, p: Term) -> list[Term]:
        if p.kind == "alloc":
            return [p]
        apart, same = self._heap.apart, self._terms.same
        return [alloc for alloc in _given(self._terms, p) if alloc in self._own and same(p, alloc) not in apart]

    def reached(self, slot: Field, inside: dict[Term, list[Term]]) -> list[Term]:
        """The allocations that old objects hold in the slot; those that allocations hold go `inside`."""
        overwritten: set[Key] = set()
        reached: list[Term] = []
        renewed = None
        for link in links(self._heap.chain(slot)):
            if isinstance(link, Renewed):
                renewed = link.event
                continue
            held = self._put_by(link)
            if held and (isinstance(link, Copied) or (link.object, link.index) not in overwritten):
                for holder in _objects(link.object):
                    for alloc in self._of(holder):
                        inside.setdefault(alloc, []).extend(held)
                    if holder.kind != "alloc" and renewed is None:
                        reached += held
            if isinstance(link, Stored):
                overwritten.add((link.object, link.index))
        return reached

    def _put_by(self, link: Stored | Copied) -> list[Term]:
        """The allocations that the link may have put there: of a copy all that have been stored before."""
        if isinstance(link, Stored):
            return self.allocations(link.value)
        return [alloc for one in links(link.below) if isinstance(one, Stored) for alloc in self.allocations(one.value)]


def _given(terms: ObjectTerms, p: Term) -> list[Term]:
    """The allocations that a function may have given, that no event need have seen."""
    return terms.pointers.may_be(p) if p.kind in APPLIED else []


@immutable
class Sight:
    """The state visible at an event or end: the heap, and the allocations that can be found in it."""

    heap: SymbolicHeap
    objects: frozenset[Term]


def agrees(
    terms: ObjectTerms, before: SymbolicHeap, after: SymbolicHeap, slot: Field, seen: frozenset[Term], claim: int = 0
) -> Term:
    """Does the slot hold the same in all old objects, and in the allocations in `seen`? `terms` know all that there is
    to know of pointers. Where one of several claims is to hold, they have different numbers.

    Below the links that the two chains do not share they are the same memory. Where they have begun anew at one
    event, what is below it counts only for allocations that the event did not see.
    """
    memory = before.memory
    reader = ChainReader(memory.chains, terms)
    one, two = before.chain(slot), after.chain(slot)
    if one is two:
        return terms.true
    if slot.kind is not MemoryKind.RAW and _are_changed_alike(one, two, seen):
        return terms.true
    if slot.key == BYTES.key:
        return memory.raw.agree(one, two, claim)
    result, shared = terms.true, _shared(one, two)
    if slot.kind is MemoryKind.RAW and (has_overlaps(one, shared) or has_overlaps(two, shared)):
        places = [reader.read(slot, chain, terms.null, terms.var(numbered(ANYWHERE, claim))) for chain in (one, two)]
        return terms.equal(*places)
    any_index = memory.any_index(slot, claim) if slot.key in memory.indexed else None
    keys = [key for chain in (one, two) for key in _keys(terms, chain, shared, seen, any_index)]
    for p, index in dict.fromkeys(keys):
        wanted, got = reader.read(slot, one, p, index), reader.read(slot, two, p, index)
        written = reader.written(slot, one, p, index)
        if index is not None and index is any_index:
            written = terms.both(written, terms.ult(index, terms.length(p)))
        is_there = terms.true if after.is_written_whole(slot, p) else reader.written(slot, two, p, index)
        equal = terms.both(is_there, terms.equal(wanted, got))
        if equal is not terms.true:
            result = terms.both(result, terms.implies(written, equal))
    return result


def _are_changed_alike(one: Chain, two: Chain, seen: frozenset[Term]) -> bool:
    """Do the chains differ in nothing but stores to allocations that are not in `seen`?

    These change nothing else, whatever is stored when. The others are the same stores, in the same order, on memories
    that hold the same in all else, and so do the memories behind them: also behind an event, which puts the same into
    what it has seen, and leaves the rest as it was. What a copy puts somewhere it may have from what is not in `seen`.
    """
    while (one := _first_seen(one, seen)) is not (two := _first_seen(two, seen)):
        if isinstance(one, Stored) and isinstance(two, Stored):
            if one.object is not two.object or one.index is not two.index or one.value is not two.value:
                return False
        elif not (isinstance(one, Renewed) and isinstance(two, Renewed) and one.event == two.event):
            return False
        one, two = one.below, two.below
    return True


def _first_seen(chain: Chain, seen: frozenset[Term]) -> Chain:
    """The chain without the latest of its stores, as far as they go to allocations that are not in `seen`."""
    while isinstance(chain, Stored) and chain.object.kind == "alloc" and chain.object not in seen:
        chain = chain.below
    return chain


def _shared(one: Chain, two: Chain) -> Chain:
    """The latest link of one that is a link of the other as well: there is one, what the memory held at first."""
    below: set[Chain] = {one}
    while not isinstance(one, Start):
        one = one.below
        below.add(one)
    while two not in below and not isinstance(two, Start):
        two = two.below
    return two


def _keys(
    terms: ObjectTerms, chain: Chain, shared: Chain, seen: frozenset[Term], any_index: Term | None
) -> Iterator[Key]:
    """The keys that were stored to in the links down to the one that is shared, and that can be seen. A copy, or a
    store to bytes, may have stored to any index."""
    has_begun_anew = False
    for link in changes(chain):
        if link is shared:
            return
        if isinstance(link, Renewed):
            has_begun_anew = True
            continue
        index = link.index if isinstance(link, Stored) else any_index
        for p in _objects(link.object):
            if p.kind == "alloc":
                if p in seen:
                    yield p, index
            elif has_begun_anew:
                yield from ((alloc, index) for alloc in _given(terms, p) if alloc in seen)
            else:
                yield p, index


def _objects(p: Term) -> list[Term]:
    """The references that a reference may be, choices taken apart."""
    if p.kind != "choose":
        return [p]
    return [one for one in choices(p) if one.kind != "choose"]


def finds_the_same(
    terms: ObjectTerms, events: Sequence[EventEncoding], wanted: Application, got: Application, claim: int
) -> Term:
    """Does the function find at `got` what it has found at `wanted`, in front of which not all of `events` stand that
    stand in front of `got`? This is the claim of that number of those of which one is to hold.

    It is asked of the memory that the call at `wanted` is declared to read. Events between the two may have changed
    what the traces do not name: where one may have changed anything that the function reads, nothing is found to be the
    same.
    """
    if wanted.effects.sees_nothing:
        return terms.true
    if any(_may_change(event, wanted.effects, terms.layout) for event in events[wanted.events : got.events]):
        return terms.false
    if wanted.sight is None:  # nothing of what it reads is named by the traces
        return terms.true
    if got.sight is None:
        return terms.false
    before, after, result = wanted.sight.heap, got.sight.heap, terms.true
    seen = wanted.sight.objects.intersection(after.allocations)
    for slot in wanted.may_see:
        if before.chain(slot) is not after.chain(slot):
            if _renewals(before.chain(slot)) != _renewals(after.chain(slot)):
                return terms.false
            result = terms.both(result, agrees(terms, before, after, slot, seen, claim))
    return result


def are_plainly_the_same(wanted: Application, got: Application) -> bool:
    """Are these the same call on memory that was changed in the same way?"""
    if wanted.args != got.args or wanted.events != got.events or wanted.sight is None or got.sight is None:
        return wanted.args == got.args and wanted.effects.sees_nothing
    before, after = wanted.sight.heap, got.sight.heap
    return all(before.chain(slot) is after.chain(slot) for slot in wanted.may_see)


def _may_change(event: EventEncoding, looks: Effects, layout: Layout) -> bool:
    from optimizer.ir.types.call_questions import effects_at  # here: many traces have no calls

    effects = effects_at(event.operation, layout)
    if effects.writes is None or looks.reads is None:
        return effects.writes is None or bool(effects.writes)
    return any(looks.may_see_key(key) for key in effects.writes)


def _renewals(chain: Chain) -> list[int]:
    return [link.event for link in links(chain) if isinstance(link, Renewed)]
