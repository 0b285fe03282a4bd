"""The bytes of raw memory, as a chain of stores of several bytes each.

A read walks down the chain. Where the addresses differ by a constant, a store covers all that is read, none of it, or
some of its bytes, for certain. Where they do not, or a store covers only some, each byte goes down by itself: whether
the store covers it is a condition on the addresses, and which of the stored bytes it is a shift. At the end is what
stood there when the epoch began: a byte for each address. Links that say what may have overlapped are put on top of
the chains here (see `validator.prove.memory.chains`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.types.memory_cells import has_kind
from optimizer.ir.types.memory_types import BYTES, MemoryKind, RawItem, kind_of
from validator.prove.memory.chains import (
    NEAR,
    Chain,
    Chains,
    Overlapped,
    Renewed,
    Start,
    Stored,
    held_behind,
    initial,
    links,
)
from validator.prove.terms.object_terms import ObjectTerms

ANYWHERE = "any address"
"""The variable that is any address: what holds of it holds of all."""

_MOST_OVERLAPS = 150
"""The number of links for possible overlaps that may stand above each other."""


def numbered(name: str, claim: int) -> str:
    """The name of what stands for all places, in one of several claims."""
    return f"{name} in claim {claim}" if claim else name


@dataclass(frozen=True, slots=True, eq=False)
class StoredBytes(Stored):
    """The lowest `size` bytes of `value` were put to the address `index` and those behind it."""

    size: int


class RawChains:
    """Makes the chains of raw memory of a pair of traces, and reads them."""

    def __init__(self, terms: ObjectTerms, chains: Chains) -> None:
        self._terms = terms
        self._chains = chains
        self._read: dict[tuple[Chain, Term, int], Term] = {}
        self._bytes: dict[tuple[Chain, Term], Term] = {}

    def store(self, below: Chain, address: Term, value: Term, size: int) -> Chain:
        """The chain behind a store. What it covers goes, as far as that is near."""
        return self._stored(self._without(below, address, size), address, self._lowest(value, size), size)

    def _lowest(self, value: Term, size: int) -> Term:
        """A word with the same lowest bytes: the one that it is an extension of, if it is one."""
        spare = self._terms.width - 8 * size
        while len(value.args) == 2 and value.args[1].kind == "const":
            inner, constant = value.args[0], value.args[1].value
            if value.kind == "bit_and" and not ~constant & ((1 << 8 * size) - 1):
                value = inner
            elif value.kind == "ashr" and 0 <= constant <= spare and inner.kind == "shl":
                if inner.args[1] is not value.args[1]:
                    return value
                value = inner.args[0]
            else:
                return value
        return value

    def _without(self, chain: Chain, address: Term, size: int) -> Chain:
        """The chain without those of its near stores whose bytes are all among so many from `address` on."""
        near: list[StoredBytes] = []
        link = chain
        while isinstance(link, StoredBytes) and len(near) < NEAR:
            near.append(link)
            link = link.below
        kept = [one for one in near if not self._is_covered(one, address, size)]
        if len(kept) == len(near):
            return chain
        for one in reversed(kept):
            assert one.index is not None
            link = self._stored(link, one.index, one.value, one.size)
        return link

    def _is_covered(self, store: StoredBytes, address: Term, size: int) -> bool:
        assert store.index is not None
        offset = self._offset(store.index, address)
        return offset is not None and offset + store.size <= size

    def _stored(self, below: Chain, address: Term, value: Term, size: int) -> StoredBytes:
        return self._chains.link(StoredBytes, below, self._terms.null, address, value, size)

    def load(self, chain: Chain, address: Term, item: RawItem) -> Term:
        """The number that stands at the address."""
        return self.extended(self.read(chain, address, item.size), item.size, item.signed)

    def read(self, chain: Chain, address: Term, size: int) -> Term:
        """The bytes that stand there, as a number without a sign."""
        key = (chain, address, size)
        if key not in self._read:
            self._read[key] = self._walk(chain, address, size)
        return self._read[key]

    def _walk(self, chain: Chain, address: Term, size: int) -> Term:
        while isinstance(chain, StoredBytes):
            assert chain.index is not None
            offset = self._offset(address, chain.index)
            if offset is None or not self._are_apart(offset, size, chain.size):
                break
            chain = chain.below
        if isinstance(chain, StoredBytes) and offset is not None and offset + size <= chain.size:
            return self.part(chain.value, offset, size)
        return self.joined(self._byte(chain, self._terms.add(address, self._terms.const(k))) for k in range(size))

    def joined(self, held: Iterable[Term]) -> Term:
        """The number that these bytes are, the lowest one first."""
        terms, result = self._terms, self._terms.zero
        for k, byte in enumerate(held):
            result = terms.bit_or(result, terms.shl(byte, terms.const(8 * k)))
        return result

    def _byte(self, chain: Chain, address: Term) -> Term:
        key = (chain, address)
        if key not in self._bytes:
            self._bytes[key] = self._walk_for_byte(chain, address)
        return self._bytes[key]

    def _walk_for_byte(self, chain: Chain, address: Term) -> Term:
        terms, open_ = self._terms, []
        found: Term | None = None
        while found is None:
            match chain:
                case StoredBytes(below, _, at, value, size):
                    assert at is not None
                    distance = self._distance(address, at)
                    offset = self._constant(distance)
                    if offset is None:
                        covers = terms.ult(distance, terms.const(size))
                        byte = terms.bit_and(terms.lshr(value, terms.shl(distance, terms.const(3))), terms.const(255))
                        open_.append((covers, byte))
                    elif offset < size:
                        found = self.part(value, offset, 1)
                    chain = below
                case Overlapped(below):
                    found = held_behind(terms, BYTES, chain, self._byte(below, address), address)
                case Renewed(_, event):
                    found = terms.load(initial(BYTES, event + 1), terms.null, address)
                case _:
                    found = terms.load(initial(BYTES, 0), terms.null, address)
        for covers, byte in reversed(open_):
            found = terms.ite(covers, byte, found)
        return found

    def part(self, value: Term, offset: int, size: int) -> Term:
        """The `size` bytes of a word from byte `offset` on, without a sign."""
        moved = self._terms.lshr(value, self._terms.const(8 * offset))
        return self.extended(moved, size, False)

    def extended(self, value: Term, size: int, signed: bool) -> Term:
        """The lowest bytes of a word as a number."""
        terms = self._terms
        if 8 * size == terms.width:
            return value
        spare = terms.const(terms.width - 8 * size)
        if signed:
            return terms.ashr(terms.shl(value, spare), spare)
        return terms.bit_and(value, terms.const((1 << 8 * size) - 1))

    def _are_apart(self, offset: int, size: int, stored: int) -> bool:
        """Is nothing of `size` bytes stored that stand so far behind `stored` ones?"""
        return offset >= stored and offset + size <= 1 << self._terms.width

    def _offset(self, address: Term, at: Term) -> int | None:
        """The distance of the address behind the other one, if that is a constant."""
        return self._constant(self._distance(address, at))

    def _constant(self, distance: Term) -> int | None:
        return distance.value & self._terms.concrete.mask if distance.kind == "const" else None

    def _distance(self, address: Term, at: Term) -> Term:
        """The distance of the address behind the other one. Constants in them are taken out, so that there are no more
        distances than there are differences of these, however many addresses there are."""
        terms, (base, one), (other, two) = self._terms, _split(address), _split(at)
        if base is other:
            return terms.const(one - two)
        return terms.add(terms.sub(base or terms.zero, other or terms.zero), terms.const(one - two))

    def agree(self, one: Chain, two: Chain, claim: int = 0) -> Term:
        """Do both hold the same, where either has stored since what they share? Where one of several claims is to
        hold, they have different numbers."""
        terms, result = self._terms, self._terms.true
        below = {id(link) for link in links(one)}
        shared = next((link for link in links(two) if id(link) in below), None)
        if has_overlaps(one, shared) or has_overlaps(two, shared):
            anywhere = terms.var(numbered(ANYWHERE, claim))
            return terms.eq(self.read(one, anywhere, 1), self.read(two, anywhere, 1))
        for address, size in dict.fromkeys([*_places(one, shared), *_places(two, shared)]):
            result = terms.both(result, terms.eq(self.read(one, address, size), self.read(two, address, size)))
        return result

    # What may overlap.

    def stored(self, heap: dict[str, Chain], key: str) -> None:
        """Notes a store to the raw memory of that key."""
        store = heap[key]
        assert isinstance(store, Stored)
        assert store.index is not None
        for other in heap:
            if kind_of(other) is MemoryKind.RAW and other != key and BYTES.key in (key, other):
                what = f"{key} {getattr(store, 'size', '')}"
                heap[other] = self._overlapped(heap[other], what, (store.index, store.value))

    def happened(self, heap: dict[str, Chain], written: set[str], event: int) -> None:
        """An event may have written to the memory of these keys, and to what may overlap with it."""
        if BYTES.key in heap and BYTES.key not in written and has_kind(MemoryKind.RAW, written):
            heap[BYTES.key] = self._overlapped(heap[BYTES.key], f"event {event}", ())

    def _overlapped(self, below: Chain, what: str, words: tuple[Term, ...]) -> Chain:
        """The link on top of `below`; one that did something to the same place is as if it had not been."""
        if isinstance(below, Overlapped) and below.what == what and below.words[0] is words[0]:
            below = below.below
        if sum(isinstance(link, Overlapped) for link in _all_links(below)) >= _MOST_OVERLAPS:
            raise Unsupported(f"there are more than {_MOST_OVERLAPS} stores to fields of raw structs beside bytes")
        return self._chains.link(Overlapped, below, what, words)


def has_overlaps(chain: Chain, shared: Chain | None) -> bool:
    """Is there a link above the one that is shared that may have changed what stands anywhere?"""
    for link in _all_links(chain):
        if link is shared:
            return False
        if isinstance(link, Overlapped):
            return True
    return False


def _all_links(chain: Chain) -> Iterator[Chain]:
    while not isinstance(chain, Start):
        yield chain
        chain = chain.below


def _split(address: Term) -> tuple[Term | None, int]:
    """The parts of an address: a term, and a constant."""
    total = 0
    while address.kind == "add" and address.args[1].kind == "const":
        total += address.args[1].value
        address = address.args[0]
    return (None, total + address.value) if address.kind == "const" else (address, total)


def _places(chain: Chain, shared: Chain | None) -> Iterator[tuple[Term, int]]:
    """The addresses and sizes of the stores down to the link that is shared, or to where all began anew."""
    for link in links(chain):
        if link is shared or isinstance(link, Renewed):
            return
        assert isinstance(link, StoredBytes)
        assert link.index is not None
        yield link.index, link.size
