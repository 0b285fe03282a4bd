"""Reads of chains of stores (see `validator.prove.memory.chains`), where that is known of pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.row import INT, REF
from optimizer.ir.types.layout import Field
from optimizer.ir.types.memory_types import MemoryKind, is_left_open
from validator.prove.memory.chains import (
    NEAR,
    NO_EPOCH,
    Bytewise,
    Chain,
    Chains,
    Copied,
    Key,
    Overlapped,
    Renewed,
    Start,
    Stored,
    held_behind,
    initial,
    mark_of,
)
from validator.prove.terms.object_kinds import Allocation, Initial
from validator.prove.terms.object_terms import ObjectTerms

MOST_TERMS = 600_000
"""A pair with more terms is not judged, it would take minutes: a read behind many stores through pointers or indices
that may be the same has a term for each way that they may be, and a read from there as many for each of those."""


class ChainReader:
    """The contents of chains, over `terms`, which know about pointers."""

    __slots__ = ("_chains", "_era", "_terms")

    def __init__(self, chains: Chains, terms: ObjectTerms) -> None:
        self._chains = chains
        self._terms = terms
        self._era = terms.pointers.era

    # Keys.

    def rekeyed(self, chain: Chain, known: Mapping[Term, Term]) -> Chain:
        """The chain whose latest stores are known by what these terms stand for."""
        above: list[Stored] = []
        link = chain
        while isinstance(link, Stored):
            above.append(link)
            link = link.below
        if not above:
            return chain

        def now(term: Term) -> Term:
            return known.get(term, term)

        if not any(
            one.object in known or (one.index and self.key(one.object, one.index, now)[1] is not one.index)
            for one in above
        ):
            return chain
        for stored in reversed(above):
            p, index = self.key(stored.object, stored.index, now)
            link = self._chains.store(link, p, index, stored.value)
        return link

    def key(self, p: Term, index: Term | None, now: Callable[[Term], Term]) -> Key:
        """The key where terms are what they are `now`."""
        if index is None or index.kind == "const":
            return now(p), index
        stands = now(index)
        if stands is index:
            args = tuple([now(arg) for arg in index.args])
            stands = index if args == index.args else self._terms.remade(index, args)
        return now(p), stands

    # Reading.

    def read(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        """The content of the memory for that key: a word, or a reference."""
        if isinstance(chain, Stored) and chain.object is p and chain.index is index:
            return chain.value
        if p.kind != "choose":
            return self._walk(slot, chain, p, index)
        return self._terms.by_object(p, lambda one: self._walk(slot, chain, one, index))

    def _walk(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        """The same, for an object that is no choice."""
        if index is not None and p.kind == "constant" and (text := self._terms.text_item(slot, p, index)) is not None:
            return text
        open_: list[tuple[Term, Term]] = []
        start, read, era = chain, self._chains.read, self._era
        while (found := read.get((era, chain, p, index))) is None:
            changed = self._changed_by(chain, p, index)
            if changed is not self._terms.false:
                held = self._held_behind(slot, chain, p, index)
                if changed is self._terms.true:
                    found = held
                    break
                open_.append((changed, held))
            assert not isinstance(chain, Start)
            chain = chain.below
        for changed, held in reversed(open_):
            found = self._terms.select(changed, held, found)
        read[era, start, p, index] = found
        return found

    def plainly_held(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term | None:
        """The content of the memory for that key, if a near link or the start says it alone, and it has been written;
        else None, as of choices and new objects."""
        if p.kind in ("alloc", "choose"):
            return None
        link = chain
        for _ in range(NEAR):
            changed = self._changed_by(link, p, index)
            if changed is not self._terms.false:
                break
            assert not isinstance(link, Start)
            link = link.below
        if changed is not self._terms.true or not isinstance(link, Stored | Renewed | Start):
            return None
        is_written = self.written(slot, chain, p, index) is self._terms.true
        return self._held_behind(slot, link, p, index) if is_written else None

    def _changed_by(self, link: Chain, p: Term, index: Term | None) -> Term:
        """The condition under which the link says what the memory holds for that key."""
        match link:
            case Stored(_, other, at, _):
                return self.meets(p, index, other, at)
            case Copied():
                assert index is not None
                return self.is_inside(p, index, link)
            case Bytewise(_, other):
                return self._terms.same(p, other)
            case Renewed(_, event) if self._keeps(p, event):
                return self._terms.false
            case _:
                return self._terms.true

    def _held_behind(self, slot: Field, link: Chain, p: Term, index: Term | None) -> Term:
        """The content of the memory for that key where the link determines it."""
        match link:
            case Stored():
                return link.value
            case Copied():
                assert index is not None
                return self._copied(slot, link, index)
            case Overlapped(below):
                assert index is not None
                return held_behind(self._terms, slot, link, self._walk(slot, below, p, index), index)
            case Bytewise(below):
                return self._behind(slot, link, self._walk(slot, below, p, index), p, index)
            case Renewed(below, event):
                held = self._terms.load(initial(slot, event + 1), p, index)
                for alloc in reversed(self._kept_then_seen(p, event)):
                    kept = self._walk(slot, below, alloc, index)
                    held = self._terms.select(self._terms.same(p, alloc), kept, held)
                return held
            case Start():
                return self._at_start(slot, p, index)

    def _copied(self, slot: Field, link: Copied, index: Term) -> Term:
        """The value that the copy has put into that item, if it is one of those that it was for."""
        self._check_size()
        at = self._terms.add(self._offset(index, link), link.start)
        return self.read(slot, link.below, link.source, at)

    def _behind(self, slot: Field, link: Bytewise, held: Term, p: Term, index: Term | None) -> Term:
        """The content of a field or item of the object behind the store to its bytes, where it was `held` before."""
        if slot.type is REF:
            raise Unsupported("a field or item that may have been changed by gc_store of a reference")
        name = f"{slot.key} behind {link.size} bytes"
        function = Initial(name, NO_EPOCH, slot.type, slot.low, slot.high)
        at = self._terms.zero if index is None else index
        return self._terms.load(function, p, at, held, link.offset, link.value)

    def _at_start(self, slot: Field, p: Term, index: Term | None) -> Term:
        if p.kind == "alloc" and slot.kind is not MemoryKind.VIEW:
            return self._terms.zero_of(slot.type)
        return self._terms.load(initial(slot, 0), p, index)

    def _keeps(self, p: Term, event: int) -> bool:
        """Is it an allocation that the event did not see?"""
        return p.kind == "alloc" and self._terms.pointers.is_hidden(p, event)

    def _kept_then_seen(self, p: Term, event: int) -> list[Term]:
        """The allocations that the event did not see, and that `p` may be: a later event did, or a function."""
        pointers = self._terms.pointers
        return [alloc for alloc in pointers.may_be(p) if pointers.is_hidden(alloc, event)]

    def meets(self, p: Term, index: Term | None, other: Term, at: Term | None) -> Term:
        """Are both keys the same?"""
        if index is not None:
            assert at is not None
            at_same = self._terms.eq(index, at)
            if at_same is self._terms.false:
                return at_same
            return self._terms.both(self._terms.same(p, other), at_same)
        return self._terms.same(p, other)

    def _offset(self, index: Term, copy: Copied) -> Term:
        return self._terms.sub(index, copy.at)

    def is_inside(self, p: Term, index: Term, copy: Copied) -> Term:
        """Was the item written by the copy?"""
        same = self._terms.same(p, copy.object)
        if same is self._terms.false:
            return same
        return self._terms.both(same, self._terms.ult(self._offset(index, copy), copy.count))

    def _check_size(self) -> None:
        if len(self._terms) > MOST_TERMS:
            raise Unsupported("there are too many ways in which ranges of items may overlap")

    def version(self, chain: Chain, p: Term) -> int:
        """A number for what the memory holds of an object that is no choice: the same number, the same contents."""
        chain = self.latest(chain, p)
        return 0 if isinstance(chain, Start) else self._chains.numbered(chain)

    def latest(self, chain: Chain, p: Term) -> Chain:
        """The chain from the latest link on that may have changed an object that is no choice."""
        while True:
            match chain:
                case Stored(below, other) if self._terms.same(p, other) is self._terms.false:
                    chain = below
                case Copied(below, other) if self._terms.same(p, other) is self._terms.false:
                    chain = below
                case Bytewise(below, other) if self._terms.same(p, other) is self._terms.false:
                    chain = below
                case Renewed(below, event) if self._keeps(p, event):
                    chain = below
                case _:
                    return chain

    def source(self, chain: Chain, p: Term, start: Term, count: Term) -> tuple[Chain, Term, Term]:
        """The source from which those items of an object that is no choice were copied, if as many were; with what is
        there below."""
        chain = self.latest(chain, p)
        while isinstance(chain, Copied) and chain.object is p and (chain.at, chain.count) == (start, count):
            if chain.source.kind == "choose":
                break
            p, start = chain.source, chain.start
            chain = self.latest(chain.below, p)
        return chain, p, start

    def changed(self, chain: Chain, p: Term) -> int | None:
        """A number for what was done to the fields or items of an object that is no choice since its bytes are what
        they were at first or behind an event, and for the stores to its bytes behind that; None where nothing was done
        to its fields or items."""
        above: Chain | None = None  # from the latest store to its bytes on
        while True:
            match chain:
                case Stored(below, other) | Copied(below, other):
                    if self._terms.same(p, other) is not self._terms.false:
                        return self._chains.numbered(above or chain)
                    chain = below
                case Bytewise(below, other):
                    if above is None and self._terms.same(p, other) is not self._terms.false:
                        above = chain
                    chain = below
                case Overlapped(below):
                    chain = below
                case Renewed(below, event) if self._keeps(p, event):
                    chain = below
                case Renewed(below, event):
                    kept = [self.changed(below, alloc) for alloc in self._kept_then_seen(p, event)]
                    is_changed = any(one is not None for one in kept)
                    return self._chains.numbered(above or chain) if is_changed else None
                case _:
                    return None

    # What has been written since an allocation that did not clear.

    def written(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        """The condition under which the memory for that key has been written or cleared."""
        if p.kind != "choose":
            return self._walk_written(slot, chain, p, index)
        return self._terms.by_object(p, lambda one: self._walk_written(slot, chain, one, index))

    def _walk_written(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        if p.kind != "alloc":
            return self._written_if_old(slot, chain, p, index)
        if slot.key not in self._chains.copied_slots and _is_cleared(p.value, slot, index):
            return self._terms.true
        return self._written_of(slot, chain, p, index)

    def _written_if_old(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        """The same of what may have been there before the trace: all of it was written then."""
        terms, result = self._terms, self._terms.true
        if slot.key in self._chains.copied_slots:
            result = self._written_of(slot, chain, p, index)
        for alloc in terms.pointers.may_be(p):
            written = self._walk_written(slot, chain, alloc, index)
            result = terms.both(result, terms.implies(terms.same(p, alloc), written))
        return result

    def _written_of(self, slot: Field, chain: Chain, p: Term, index: Term | None) -> Term:
        """The conditions of the links for having been written, the latest first: a store that it is written, a copy
        what was said of its source."""
        terms, start = self._terms, chain
        links: list[tuple[Term, Term]] = []  # where a link decides, and how
        while True:
            found = self._chains.written.get((self._era, chain, p, index))
            if found is not None:
                break
            match chain:
                case Stored(below, other, at, _):
                    same = self.meets(p, index, other, at)
                    if same is terms.true:
                        found = terms.true
                        break
                    links.append((same, terms.true))
                case Copied(below):
                    assert index is not None
                    inside = self.is_inside(p, index, chain)
                    if inside is not terms.false:
                        self._check_size()
                        at = terms.add(self._offset(index, chain), chain.start)
                        links.append((inside, self.written(slot, chain.below, chain.source, at)))
                case Bytewise(below, other):
                    same = terms.same(p, other)
                    if same is not terms.false:
                        marks = Initial(f"{slot.key} [] written behind {chain.size} bytes", NO_EPOCH, INT, 0, 1)
                        mark = terms.load(marks, p, terms.zero if index is None else index, chain.offset)
                        links.append((terms.both(same, terms.eq(mark, terms.one)), terms.true))
                case Renewed(below, event):
                    if not self._keeps(p, event):
                        marks = Initial(mark_of(slot.key), event + 1, INT, 0, 1)
                        links.append((terms.eq(terms.load(marks, p, index), terms.one), terms.true))
                case Overlapped(below):
                    pass
                case Start():
                    found = terms.truth(p.kind != "alloc" or _is_cleared(p.value, slot, index))
                    break
            chain = below
        for decides, written in reversed(links):
            found = (
                terms.either(terms.both(decides, written), terms.both(terms.not_(decides), found))
                if written is not terms.true
                else terms.either(decides, found)
            )
        self._chains.written[self._era, start, p, index] = found
        return found


def _is_cleared(made: Allocation, slot: Field, index: Term | None) -> bool:
    """Does that memory of a new object hold 0 or NULL?"""
    is_item, is_ref = index is not None, slot.type is REF
    return made.cleared or not is_left_open(made.type, slot.key, is_item=is_item, is_ref=is_ref)
