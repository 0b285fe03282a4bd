"""The links of chains of stores, see `validator.prove.memory.store_chains`.

What a store to bytes of raw memory does to the fields of raw structs, and one to a field to the bytes, is a link too
(`Overlapped`). Nobody knows where the fields are. But wherever they are, what a field holds behind a store to bytes is
a function of what it held, of its address, and of what was stored where; so is a byte behind a store to a field, or
behind an event that may write to fields alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.ir.domains.term import Term
from optimizer.ir.types.layout import Field
from validator.prove.terms.object_kinds import Initial
from validator.prove.terms.object_terms import ObjectTerms

NO_EPOCH = 1 << 32
"""Functions of this epoch are not of what memory held when one began."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What the slot held at first."""

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
    """So many items of `source`, from `start` on, as `below` has them, were put into an object, from `at` on."""

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
    """What `what` tells was done to memory that may overlap, with these words."""

    below: Chain
    what: str
    words: tuple[Term, ...]


Chain = Start | Stored | Copied | Renewed | Overlapped | Bytewise

Key = tuple[Term, Term | None]
"""An object and an index, None for a field."""


def initial(slot: Field, epoch: int) -> Initial:
    """What the slot held when that epoch began."""
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


def held_behind(terms: ObjectTerms, slot: Field, link: Overlapped, held: Term, address: Term) -> Term:
    """What stands at the address behind what was done, where `held` stood there before."""
    function = Initial(f"{slot.key} behind {link.what}", NO_EPOCH, slot.type, slot.low, slot.high)
    return terms.load(function, terms.null, held, address, *link.words)
