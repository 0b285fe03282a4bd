"""Does a function find the same memory in both traces?

It is asked of one call of the optimized trace and one of the recorded trace that may stand for it, and of the memory
that the latter is declared to read. Events between the two may have changed what the traces do not name: where one may
have changed anything that the function reads, nothing is found to be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.ir.domains.term import Term
from optimizer.ir.types.calls import effects_at
from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import Layout
from validator.prove.encoding import Application, EventEncoding
from validator.prove.memory.chain_links import Chain, Renewed, links
from validator.prove.memory.visibility import agrees
from validator.prove.terms.object_terms import ObjectTerms


def finds_the_same(
    terms: ObjectTerms, events: Sequence[EventEncoding], wanted: Application, got: Application, claim: int
) -> Term:
    """Does the function find at `got` what it has found at `wanted`, in front of which not all of `events` stand that
    stand in front of `got`? This is the claim of that number of those of which one is to hold."""
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
    effects = effects_at(event.operation, layout)
    if effects.writes is None or looks.reads is None:
        return effects.writes is None or bool(effects.writes)
    return any(looks.may_see_key(key) for key in effects.writes)


def _renewals(chain: Chain) -> list[int]:
    return [link.event for link in links(chain) if isinstance(link, Renewed)]
