"""What the heaps of a pair of traces share, and what the allocations of one trace are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from optimizer.ir.domains.term import Term
from optimizer.ir.rows.row import Op
from optimizer.ir.types.layout import Field
from validator.prove.memory.raw_chains import RawChains, numbered
from validator.prove.memory.store_chains import Chains
from validator.prove.terms.object_terms import ObjectTerms

Computed = tuple[Term, Term | None, Term]
"""When an operation without memory is defined, its result, and whether it passes, or overflows."""


@dataclass(frozen=True, slots=True)
class PairMemory:
    """What the heaps of a pair share: the terms that they begin with, their chains, and all slots that one of the
    traces names.

    `indexed` are the keys of those that are found by an index too.
    `has_exceptions`: is what events raise told apart? Where it is not, nobody looks, and both traces raise the same.
    `is_pending`: may an exception be pending at the start?
    What both traces have is found out once: `computed` is what operations without memory do on these arguments, and
    `said` which terms conditions say to be constants or objects of a name, and these; and whether one of them can be a
    key in memory.
    """

    fresh_terms: ObjectTerms
    chains: Chains
    raw: RawChains
    slots: Mapping[str, Field]
    indexed: frozenset[str]
    has_exceptions: bool = False
    is_pending: bool = False
    computed: dict[tuple[Op, tuple[Term, ...]], Computed] = field(default_factory=dict)
    said: dict[Term, tuple[Mapping[Term, Term], bool]] = field(default_factory=dict)

    def any_index(self, slot: Field, claim: int = 0) -> Term:
        """An index of which nothing is known: what is proved of it holds for all items. What is assumed of it is what
        holds for all. Where it is one of several claims that is proved, each has an index of its own: one index
        would let one of them hold for some items, and another one for the rest."""
        return self.fresh_terms.var(numbered(f"an index of {slot.key}", claim))


@dataclass(slots=True)
class Allocator:
    """Which terms the allocations of a trace are, by their numbers in the order of the text; new ones for the rest.

    `mismatched` are the lengths of arrays, by number, for which a term of another length was named.
    """

    named: Mapping[int, Term] = field(default_factory=dict)
    made: dict[int, Term] = field(default_factory=dict)
    mismatched: dict[int, tuple[Term, Term]] = field(default_factory=dict)
