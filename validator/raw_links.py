"""What a store to bytes of raw memory may do to the fields of raw structs, and one to a field to the bytes.

Nobody knows where the fields are. But wherever they are, what a field holds behind a store to bytes is a function of
what it held, of its address, and of what was stored where; and so is a byte behind a store to a field, or behind an
event that may write to fields alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from optimizer.ir.layout import Field
from optimizer.ir.term import Term
from validator.object_kinds import Initial
from validator.object_terms import ObjectTerms

if TYPE_CHECKING:
    from validator.store_chains import Chain

NO_EPOCH = 1 << 32
"""These functions are not of what memory held when an epoch began."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlapped:
    """What `what` tells was done to memory that may overlap, with these words."""

    below: Chain
    what: str
    words: tuple[Term, ...]


def held_behind(terms: ObjectTerms, slot: Field, link: Overlapped, held: Term, address: Term) -> Term:
    """What stands at the address behind what was done, where `held` stood there before."""
    function = Initial(f"{slot.key} behind {link.what}", NO_EPOCH, slot.type, slot.low, slot.high)
    return terms.load(function, terms.null, held, address, *link.words)
