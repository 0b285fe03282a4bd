"""Aliasing of allocations: what is known at a place of a trace about who may hold one, and since when.

A reference is as old as the moment at which it came into being. The world can give out an allocation only when it has
become visible: an allocation is distinct from all references that are no younger than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable, replace
from validator.prove.terms.object_kinds import APPLIED

Moment = tuple[float, float]
"""The number of events done, and a number that grows with each call of a function. What existed before the trace came
into being at (0, 0), what the n-th event gives and writes at (n + 1, 0)."""

START: Moment = (0, 0)
_LATEST: Moment = (inf, inf)

_MAY_BE_FRESH = frozenset({"pointer", "load_ref", "applied_ref", "raised_ref"})
"""The kinds of references that may be allocations."""


def at_event(number: int) -> Moment:
    """The moment at which that event sees what it can: behind all calls of functions in front of it."""
    return number, inf


@immutable
class Pointers:
    """The escapes of allocations up to a place.

    `visible_from`: when an event sees an allocation first; `found_from`: when a function could first give it, which
    shows it to no event. `ages`: when a function last gave or raised a reference; of those that are `decided` a call
    was made for certain, and further ones give the same. `surely_seen`: the allocations that every run has exposed
    that gets there. `calls` numbers the moments, of which `latest` is the last. Answers are the same throughout an
    `era`: what is added later is younger than all that could have been asked about.
    """

    visible_from: Mapping[Term, Moment]
    found_from: Mapping[Term, Moment]
    ages: Mapping[Term, Moment]
    decided: frozenset[Term]
    surely_seen: frozenset[Term]
    calls: int
    latest: Moment
    era: object

    # What is known.

    def birth(self, p: Term) -> Moment:
        """The moment at which a reference that is neither a choice nor an allocation came into being. What an object
        holds is at least as young as the object, which an event may have made."""
        birth = START
        while p.kind == "load_ref":
            birth = max(birth, (p.value.epoch, 0))
            p = p.args[0]
        if p.kind == "pointer":
            return max(birth, (p.value.epoch, 0))
        return max(birth, self.ages.get(p, _LATEST)) if p.kind in APPLIED else birth

    def may_be(self, p: Term) -> list[Term]:
        """The allocations that a reference may be that is none itself."""
        if p.kind not in _MAY_BE_FRESH or not (self.visible_from or self.found_from):
            return []
        birth = self.birth(p)
        given = [alloc for alloc, moment in self.visible_from.items() if moment < birth]
        if p.kind in APPLIED:
            given += [alloc for alloc, moment in self.found_from.items() if moment < birth and alloc not in given]
        return given

    def may_be_same(self, alloc: Term, p: Term) -> bool:
        """May the reference, which is no choice, be that allocation?"""
        if p.kind not in _MAY_BE_FRESH:
            return False
        birth = self.birth(p)
        return self.is_seen(alloc, birth) or (p.kind in APPLIED and self.found_from.get(alloc, birth) < birth)

    def is_seen(self, alloc: Term, moment: Moment) -> bool:
        """Has an event seen the allocation before that moment?"""
        return self.visible_from.get(alloc, moment) < moment

    def is_hidden(self, alloc: Term, event: int) -> bool:
        """Did that event not see the allocation?"""
        return self.visible_from.get(alloc, _LATEST) > at_event(event)

    # What becomes known.

    def next_call(self, events: int) -> Moment:
        """A moment behind so many events and behind all calls so far. The optimized trace, which is encoded last, makes
        its calls behind those of the recorded one."""
        return events, self.calls + 1

    def exposing(self, allocs: Iterable[Term], event: int, surely: Iterable[Term] = ()) -> Pointers:
        """The pointers where that event sees these allocations, some of them `surely`, if no earlier one did."""
        moment = at_event(event)
        new = {alloc: moment for alloc in allocs if alloc not in self.visible_from}
        return replace(
            self,
            visible_from={**self.visible_from, **new} if new else self.visible_from,
            surely_seen=self.surely_seen.union(surely),
            latest=max(moment, self.latest),
            era=object() if new and moment < self.latest else self.era,
        )

    def showing(self, allocs: Iterable[Term], events: int) -> Pointers:
        """A function may give these allocations from the next call on, if not before."""
        moment = self.next_call(events)
        new = {alloc: moment for alloc in allocs if alloc not in self.found_from}
        return replace(
            self,
            found_from={**self.found_from, **new} if new else self.found_from,
            calls=self.calls + 1,
            latest=max(moment, self.latest),
            era=object() if new and moment < self.latest else self.era,
        )

    def giving(self, given: Iterable[Term], events: int, *, surely: bool) -> Pointers:
        """A function gives or raises these in the next call, which is made `surely` or perhaps."""
        moment = self.next_call(events)
        ages = {one: max(moment, self.ages.get(one, START)) for one in given if one not in self.decided}
        return replace(
            self,
            ages={**self.ages, **ages},
            decided=self.decided.union(given) if surely else self.decided,
            calls=self.calls + 1,
            latest=max(moment, self.latest),
            era=object() if any(self._is_told_more(one, age) for one, age in ages.items()) else self.era,
        )

    def finding(self) -> Pointers:
        """The pointers where a reference is found that may be any allocation which others see at any time: what is
        exposed later matters to it, too."""
        return replace(self, latest=_LATEST)

    def _is_told_more(self, given: Term, age: Moment) -> bool:
        """May the reference be more allocations now that a later call gives it too?"""
        before = self.ages.get(given, age)
        return any(
            before <= moment < age for table in (self.visible_from, self.found_from) for moment in table.values()
        )


NO_POINTERS = Pointers({}, {}, {}, frozenset(), frozenset(), 0, START, object())
"""The knowledge at the start of a trace: nothing was allocated."""
