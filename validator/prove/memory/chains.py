"""The contents of memory, as chains of stores: one chain for each field, the items of each type of array, and each
field of the structs in an array.

A chain ends in what the memory held at the start. A link is a store, a copy of a range of items, or an event that may
have changed this memory (`Renewed`): behind it, everything that the world can reach holds what the new epoch began
with, and an allocation that the world had not seen keeps what it held. A read walks down the chain: the same key gives
the value, a distinct one goes on, and where it is not decided there is a choice. Chains are shared: equal ones are one
object, on both sides of a pair.

What a store to bytes of raw memory does to the fields of raw structs, and one to a field to the bytes, is a link too
(`Overlapped`). Nobody knows where the fields are. But wherever they are, what a field holds behind a store to bytes is
a function of what it held, of its address, and of what was stored where; so is a byte behind a store to a field, or
behind an event that may write to fields alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.types.layout import Field
from validator.prove.terms.object_kinds import Initial
from validator.prove.terms.object_terms import ObjectTerms

NO_EPOCH = 1 << 32
"""Functions of this epoch are not of what memory held when one began."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The content of the slot at first."""

    slot: Field


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """`value` was put into the slot of an object (a reference that may be a choice), at `index` in an array."""

    below: Chain
    object: Term
    index: Term | None
    value: Term


@dataclass(frozen=True, slots=True, eq=False)
class Renewed:
    """The event of that number may have changed the slot, of all that it could see."""

    below: Chain
    event: int


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """The copy of `count` items of `source`, from `start` on, as `below` has them, into an object, from `at` on."""

    below: Chain
    object: Term
    at: Term
    source: Term
    start: Term
    count: Term


@dataclass(frozen=True, slots=True, eq=False)
class Bytewise:
    """Somewhere in the object so many bytes from `offset` on were changed, to the lowest ones of `value`."""

    below: Chain
    object: Term
    offset: Term
    size: int
    value: Term


@dataclass(frozen=True, slots=True, eq=False)
class Overlapped:
    """A change, told by `what` and these words, of memory that may overlap."""

    below: Chain
    what: str
    words: tuple[Term, ...]


Chain = Start | Stored | Copied | Renewed | Overlapped | Bytewise

Key = tuple[Term, Term | None]
"""An object and an index, None for a field."""


def initial(slot: Field, epoch: int) -> Initial:
    """The content of the slot when that epoch began."""
    return Initial(slot.key, epoch, slot.type, slot.low, slot.high)


def links(chain: Chain) -> Iterator[Stored | Copied | Renewed]:
    """The links of a chain, the latest first, but for those that only say what may overlap with it."""
    while not isinstance(chain, Start):
        if not isinstance(chain, Overlapped) and not isinstance(chain, Bytewise):
            yield chain
        chain = chain.below


def changes(chain: Chain) -> Iterator[Stored | Copied | Renewed | Bytewise]:
    """The same, with the stores to bytes of objects that it may overlap with."""
    while not isinstance(chain, Start):
        if not isinstance(chain, Overlapped):
            yield chain
        chain = chain.below


def mark_of(key: str) -> str:
    """The memory in which 1 says that an event has written what an allocation has not, in that of the key."""
    return f"{key} [] written"


def held_behind(terms: ObjectTerms, slot: Field, link: Overlapped, held: Term, address: Term) -> Term:
    """The content of the address behind the change, where `held` stood there before."""
    function = Initial(f"{slot.key} behind {link.what}", NO_EPOCH, slot.type, slot.low, slot.high)
    return terms.load(function, terms.null, held, address, *link.words)


NEAR = 64
"""The number of stores among which an overwritten one is looked for, at most."""

_MOST_COPIES = 100
"""The number of copies in the chains of a pair, at most: a read through them goes as deep."""

L = TypeVar("L", bound=Chain)

Table = dict[tuple[object, Chain, Term, Term | None], Term]
"""The results of reads, by chains and keys, in each era of the facts about pointers."""


class Chains:
    """Makes the chains of a pair of traces: equal ones are one object. `read` and `written` are what readers have found
    out (see `validator.prove.memory.chain_reader`)."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Any] = {}
        self._copies = 0
        self._numbers: dict[Chain, int] = {}
        self.copied_slots: set[str] = set()  # of which ranges are copied
        self.read: Table = {}
        self.written: Table = {}

    def link(self, kind: type[L], *parts: Any) -> L:
        """The link of that kind, which has those parts; it is made if there is none yet."""
        made: L | None = self._made.get((kind, *parts))
        if made is None:
            made = self._made[kind, *parts] = kind(*parts)
        return made

    def start(self, slot: Field) -> Chain:
        return self.link(Start, slot)

    def store(self, below: Chain, p: Term, index: Term | None, value: Term) -> Stored:
        """The chain behind a store. What it overwrites goes, as far as that is near."""
        return self.link(Stored, self.without(below, p, index), p, index, value)

    def without(self, chain: Chain, p: Term, index: Term | None) -> Chain:
        """The chain without the latest of its near stores to that very key: what is stored there next hides it."""
        above: list[Stored] = []
        link = chain
        while isinstance(link, Stored) and len(above) < NEAR:
            if link.object is p and link.index is index:
                return self.on(link.below, above)
            above.append(link)
            link = link.below
        return chain

    def on(self, chain: Chain, above: list[Stored]) -> Chain:
        """The chain with these stores on it, the latest first."""
        for link in reversed(above):
            chain = self.link(Stored, chain, link.object, link.index, link.value)
        return chain

    def copy(self, slot: Field, below: Chain, p: Term, start: Term, q: Term, at: Term, count: Term) -> Chain:
        """The chain behind a copy from `p` to `q`."""
        self.copied_slots.add(slot.key)
        parts = below, q, at, p, start, count
        if (Copied, *parts) not in self._made:
            if self._copies == _MOST_COPIES:
                raise Unsupported(f"there are more than {_MOST_COPIES} copies of ranges of items")
            self._copies += 1
        return self.link(Copied, *parts)

    def numbered(self, chain: Chain) -> int:
        """A number of the chain's own."""
        return self._numbers.setdefault(chain, len(self._numbers) + 1)
