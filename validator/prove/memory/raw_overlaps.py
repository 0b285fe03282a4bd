"""Puts links into the chains of raw memory that say what may have overlapped (see
`validator.prove.memory.chain_links`)."""

from __future__ import annotations

from collections.abc import Iterator

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.types.memory_types import BYTES, MemoryKind, has_kind, kind_of
from validator.prove.memory.chain_links import Chain, Overlapped, Start, Stored

_MOST = 150
"""So many such links may stand above each other."""


class Overlaps:
    """Makes the links of a pair of traces: equal ones are one object."""

    def __init__(self) -> None:
        self._links: dict[tuple[Chain, str, tuple[Term, ...]], Overlapped] = {}

    def stored(self, heap: dict[str, Chain], key: str) -> None:
        """There was a store to the raw memory of that key."""
        store = heap[key]
        assert isinstance(store, Stored)
        assert store.index is not None
        for other in heap:
            if kind_of(other) is MemoryKind.RAW and other != key and BYTES.key in (key, other):
                what = f"{key} {getattr(store, 'size', '')}"
                heap[other] = self._link(heap[other], what, (store.index, store.value))

    def happened(self, heap: dict[str, Chain], written: set[str], event: int) -> None:
        """An event may have written to the memory of these keys, and to what may overlap with it."""
        if BYTES.key in heap and BYTES.key not in written and has_kind(MemoryKind.RAW, written):
            heap[BYTES.key] = self._link(heap[BYTES.key], f"event {event}", ())

    def _link(self, below: Chain, what: str, words: tuple[Term, ...]) -> Chain:
        """The link on top of `below`; one that did something to the same place is as if it had not been."""
        if isinstance(below, Overlapped) and below.what == what and below.words[0] is words[0]:
            below = below.below
        key = (below, what, words)
        if key not in self._links:
            self._links[key] = Overlapped(below, what, words)
            if sum(isinstance(link, Overlapped) for link in _all_links(below)) >= _MOST:
                raise Unsupported(f"there are more than {_MOST} stores to fields of raw structs beside bytes")
        return self._links[key]


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
