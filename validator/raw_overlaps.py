"""What a store to bytes of raw memory may do to the fields of raw structs, and one to a field to the bytes.

Nobody knows where the fields are. So the other memory is unknown behind such a store, the same unknown where all that
has been done to raw memory was the same, since the start or the last event that may have changed all of it. To the
chains this is like an event, with a number of its own.
"""

from __future__ import annotations

from optimizer.ir.raw_memory import BYTES, is_raw
from validator.store_chains import Chain, Chains, Copied, Renewed, Start, links

_FIRST = 1 << 32
"""Numbers from here on are none of events."""


class Overlaps:
    """Numbers what has been done to raw memory in a pair of traces."""

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[Chain, int] = {}

    def stored(self, heap: dict[str, Chain], key: str) -> None:
        """There was a store to the raw memory of that key."""
        if key == BYTES.key:
            for other in [other for other in heap if is_raw(other) and other != key]:
                self._renew(heap, other, self._history(heap[key]))
        elif BYTES.key in heap:
            self._renew(heap, BYTES.key, self._history(heap[BYTES.key]), self._history(heap[key]))

    def happened(self, heap: dict[str, Chain], written: set[str], event: int) -> None:
        """An event may have written to the memory of these keys. What overlaps with it and is not among them is unknown
        then, but not the same unknown for all."""
        raw = [key for key in heap if is_raw(key)]
        if BYTES.key in heap and BYTES.key not in written and written.intersection(raw):
            self._renew(heap, BYTES.key, self._history(heap[BYTES.key]), ("by event", event))

    def _renew(self, heap: dict[str, Chain], key: str, *what: object) -> None:
        heap[key] = self._chains.renew(heap[key], _FIRST + self._number(what))

    def _number(self, what: tuple[object, ...]) -> int:
        return self._numbers.setdefault(what, len(self._numbers))

    def _history(self, chain: Chain) -> int:
        """A number for all that has been done to a memory since an event that changed it."""
        if chain not in self._known:
            pending = list(links(chain))
            for link in reversed(pending):
                self._known.setdefault(link, self._number(self._said(link)))
            if isinstance(chain, Start):
                return self._number(("start", chain.slot.key))
        return self._known[chain]

    def _said(self, link: Chain) -> tuple[object, ...]:
        assert not isinstance(link, Start)
        if isinstance(link, Renewed):
            return ("event", link.event)
        if isinstance(link, Copied):
            return ("copy", self._history(link.below), link.object, link.at, link.source, link.start, link.count)
        return ("store", self._history(link.below), link.object, link.index, link.value, getattr(link, "size", None))


def begin_alike(one: Chain, two: Chain, shared: Chain | None) -> bool:
    """Has what may overlap with raw memory last been changed in the same way, as far as the chains differ?"""
    renewals = [_renewal(chain, shared) for chain in (one, two)]
    return renewals[0] == renewals[1] or max(renewals) < _FIRST


def _renewal(chain: Chain, shared: Chain | None) -> int:
    """The number of the last event, or of what may overlap, above the link that is shared; -1 if there is none."""
    for link in links(chain):
        if link is shared:
            break
        if isinstance(link, Renewed):
            return link.event
    return -1
