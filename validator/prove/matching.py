"""The partners of allocations: which one of the optimized trace is which of the recorded one.

Equality of objects up to renaming is made plain equality by naming: an allocation of the optimized trace *is* the term
of its partner. Partners are found by flow: where one trace hands over an allocation and the other one at the same
place, they are partners, and so is what both hold in the same memory. It is a guess, and one to one; that partners are
of the same type and length is checked here, or left to an obligation. A wrong guess costs a proof, never soundness.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from optimizer.ir.domains.term import Term
from optimizer.ir.immutable import immutable
from optimizer.ir.rows.row import NEW, REF, Op
from optimizer.ir.trace import ConstInt, Operation, Trace, all_operations
from optimizer.ir.types.layout import Field
from validator.prove.encoding import Application, Encoding, ExitEncoding, GuardEncoding
from validator.prove.facts.facts import Facts
from validator.prove.memory.chains import Chain, Stored, links
from validator.prove.memory.symbolic_heap import SymbolicHeap

Pairs = Iterable[tuple[Term | None, Term | None]]


Simplify = Callable[[Term], Term]
"""The form of a term under the facts of a place."""


def first_guess(before: Encoding, after: Trace) -> dict[int, Term]:
    """Partners for the allocations of `after` outside of exit blocks, by number: those of `before` that have the name
    and the type, which is what most optimizers leave of them, and of a type of which both have one more, that one. To
    be checked by flow."""
    operations = all_operations(before.trace)
    allocations = {alloc: operations[number] for number, alloc in before.made.items()}
    named = {name: alloc for name, alloc in before.values.items() if alloc in allocations}
    numbers = {id(operation): number for number, operation in enumerate(all_operations(after))}
    guess: dict[int, Term] = {}
    other: defaultdict[object, list[Operation]] = defaultdict(list)
    for operation in after.ops:
        if operation.op.kind is not NEW or not operation.result:
            continue
        alloc = named.get(operation.result.name)
        if alloc is None or alloc in guess.values() or not _allocate_alike(allocations[alloc], operation):
            other[operation.op, operation.descr].append(operation)
        else:
            guess[numbers[id(operation)]] = alloc
    taken = set(guess.values())
    for type_, (operation, *more) in other.items():
        left = [alloc for alloc, one in allocations.items() if (one.op, one.descr) == type_ and alloc not in taken]
        if not more and len(left) == 1 and _allocate_alike(allocations[left[0]], operation):
            guess[numbers[id(operation)]] = left[0]
    return guess


def _allocate_alike(one: Operation, other: Operation) -> bool:
    are_constant = all(isinstance(arg, ConstInt) for arg in (*one.args, *other.args))
    return (one.op, one.descr) == (other.op, other.descr) and (not are_constant or one.args == other.args)


def match_allocations(
    before: Encoding, after: Encoding, allowed: Sequence[Sequence[int]], guess: Mapping[int, Term]
) -> dict[int, Term]:
    """Partners for the allocations of `after` outside of exit blocks, by number. It was encoded with a `guess`, which
    does not count where what was guessed to be partners flows together with others, or with none and is of different
    lengths. `allowed` are the origins that its guards may have."""
    flow = _Flow(guess.values())
    if not after.made:
        return {}
    if flow.has_all(after.made) and not after.heap.has_mismatches() and _hand_over_the_same(before, after):
        return flow.partners(after.made)  # each allocation would meet itself alone
    origins = guess_origins(before, after, allowed)
    _follow_all(flow, before, after, origins)
    of_other_length = {alloc for number, alloc in after.made.items() if after.heap.mismatch(number)}
    wrong = flow.contradicted | (flow.unconfirmed & of_other_length)
    if wrong:
        flow = _Flow(alloc for alloc in guess.values() if alloc not in wrong)
        _follow_all(flow, before, after, origins)
    return flow.partners(after.made)


def _follow_all(flow: _Flow, before: Encoding, after: Encoding, origins: Sequence[int | None]) -> None:
    _follow(flow, before, after, origins)
    if not flow.has_all(after.made):
        flow.contents = _Contents(knowing_all(before, after))
        _follow(flow, before, after, origins)


def _follow(flow: _Flow, before: Encoding, after: Encoding, origins: Sequence[int | None]) -> None:
    for wanted, got in zip(before.events, after.events, strict=False):
        flow.follow(wanted.sight.heap, got.sight.heap, zip(wanted.args, got.args, strict=False), wanted.may_see)
    flow.follow(before.heap, after.heap, zip(before.end, after.end, strict=False))
    flow.follow(before.heap, after.heap, [(before.heap.pending(), after.heap.pending())])
    left = list(before.applications)
    for application in after.applications:
        alike = [other for other in left if _are_alike(other, application)]
        found = next((other for other in alike if other.args == application.args), next(iter(alike), None))
        if found is not None:
            left.remove(found)
            one, two = (found.sight or before).heap, (application.sight or after).heap
            flow.follow(one, two, zip(found.args, application.args, strict=True), found.may_see)
    for guard, origin in zip(after.guards, origins, strict=True):
        if flow.has_all(after.made):
            return
        if origin is not None:
            # What an exit block allocates is not there at the other guards.
            aside = flow.copy()
            aside.follow_exit(before.guards[origin].exit, guard.exit)
            flow.take(aside, after.made.values())


def _hand_over_the_same(before: Encoding, after: Encoding) -> bool:
    """Do events, calls of functions and the ends have the same terms, and the same references in memory?"""
    return (
        before.end == after.end
        and before.heap.pending() is after.heap.pending()
        and _hold_the_same(before.heap, after.heap)
        and [one.args for one in before.applications] == [one.args for one in after.applications]
        and [one.args for one in before.events] == [one.args for one in after.events]
        and all(map(_hold_the_same, _seen(before), _seen(after)))
    )


def _seen(encoding: Encoding) -> list[SymbolicHeap]:
    """The heaps that events and functions have seen."""
    sights = [one.sight for one in encoding.events] + [one.sight for one in encoding.applications if one.sight]
    return [sight.heap for sight in sights]


def _hold_the_same(before: SymbolicHeap, after: SymbolicHeap) -> bool:
    """Are all references in memory the same?"""
    slots = before.memory.slots.values()
    return [before.chain(slot) for slot in slots if slot.type is REF] == [
        after.chain(slot) for slot in slots if slot.type is REF
    ]


def _are_alike(wanted: Application, got: Application) -> bool:
    """Are the arguments the same but for allocations?"""
    return len(wanted.args) == len(got.args) and all(
        one is two or one.kind == two.kind == "alloc" for one, two in zip(wanted.args, got.args, strict=True)
    )


def match_exit(before: ExitEncoding, after: ExitEncoding, guard: GuardEncoding, simplify: Simplify) -> dict[int, Term]:
    """Partners for the allocations of the exit block of a guard of the optimized trace, by number. What has a partner
    ahead of the guard keeps it. `simplify` makes keys of memory one that are equal: the latest store to a place may not
    be the latest one that names it as the other trace does."""
    flow = _Flow(guard.heap.allocations)
    flow.contents = _Contents(simplify)
    flow.follow_exit(before, after)
    return flow.partners(after.made)


def knowing_all(before: Encoding, after: Encoding) -> Simplify:
    """The simplification of terms where all operations of `before` are defined and all guards pass. Good for guesses
    only."""
    facts = Facts(after.heap.terms)
    for known in before.defined:
        facts.assume(known.condition)
    for guard in (*before.guards, *after.guards):
        facts.assume(guard.passes)
    return _as_it_is if facts.contradiction else facts.rebuild


def _as_it_is(term: Term) -> Term:
    return term


def guess_origins(before: Encoding, after: Encoding, allowed: Sequence[Sequence[int]]) -> list[int | None]:
    """The guard of `before` that each guard of `after` may stand for: the one that its text names, or the next one of
    the same operation behind as many events. A guess: guards may share one."""
    alike: dict[tuple[Op, int], list[int]] = {}
    for k, guard in enumerate(before.guards):
        alike.setdefault((guard.operation.op, guard.events), []).append(k)
    origins: list[int | None] = []
    low = 0
    for guard, choices in zip(after.guards, allowed, strict=True):
        recorded = alike.get((guard.operation.op, guard.events), [])
        later = (recorded[i] for i in range(bisect_left(recorded, low), len(recorded)))
        found = choices[0] if len(choices) == 1 else next((k for k in later if k in choices), None)
        origins.append(found)
        low = low if found is None else found + 1
    return origins


class _Flow:
    """Partners, found by following values that are handed over; each of `taken` is its own partner already.

    `contradicted` are those of these that have met another one that could be their partner, `unconfirmed` those that
    have met none.
    """

    def __init__(self, taken: Iterable[Term]) -> None:
        self.contents = _Contents(_as_it_is)
        self.contradicted: frozenset[Term] = frozenset()
        self._partner: dict[Term, Term] = {alloc: alloc for alloc in taken}
        self._taken: set[Term] = set(self._partner)
        self.unconfirmed: set[Term] = set(self._partner)

    def copy(self) -> _Flow:
        flow = _Flow(())
        flow.contents = self.contents
        flow._partner, flow._taken = self._partner.copy(), self._taken.copy()
        flow.unconfirmed = self.unconfirmed.copy()
        return flow

    def take(self, other: _Flow, allocations: Iterable[Term]) -> None:
        """The partners that the other one has found for these."""
        for alloc in allocations:
            if alloc in other._partner:
                self._partner[alloc] = other._partner[alloc]
                self._taken.add(other._partner[alloc])

    def has_all(self, made: Mapping[int, Term]) -> bool:
        return all(alloc in self._partner for alloc in made.values())

    def partners(self, made: Mapping[int, Term]) -> dict[int, Term]:
        return {number: self._partner[alloc] for number, alloc in made.items() if alloc in self._partner}

    def follow_exit(self, before: ExitEncoding, after: ExitEncoding) -> None:
        handed = zip(before.failargs or (), after.failargs or (), strict=False)
        pending = before.heap.pending(), after.heap.pending()
        self.follow(before.heap, after.heap, [*handed, pending])

    def follow(
        self, before: SymbolicHeap, after: SymbolicHeap, pairs: Pairs, seen_in: Sequence[Field] | None = None
    ) -> None:
        """Match what both hand over, what old objects hold in both, and what these reach, in the memory that is
        `seen_in` (None: in all): as far as something is left to be matched, or to be confirmed."""
        made = after.allocations
        if not made or (not self.unconfirmed and all(alloc in self._partner for alloc in made)):
            return
        slots = [slot for slot in (before.memory.slots.values() if seen_in is None else seen_in) if slot.type is REF]
        chains = [(before.chain(slot), after.chain(slot)) for slot in slots]
        holding = [(self.contents.of(one), self.contents.of(two)) for one, two in chains]
        held = [(one.by_object, two.by_object) for one, two in holding if one.by_object]
        waiting = [*pairs, *(pair for alloc, partner in self._partner.items() for pair in _held(partner, alloc, held))]
        for (one, two), (first, second) in zip(chains, holding, strict=True):
            waiting += _alongside(first.by_old, second.by_old) if one is not two else ()
        simplify = self.contents.simplify
        seen: set[tuple[Term, Term]] = set()
        while waiting:
            wanted, got = waiting.pop(0)
            if wanted is None or got is None:
                continue
            wanted, got = simplify(wanted), simplify(got)
            if wanted.kind == "choose" and got.kind == "choose" and wanted.args[0] is got.args[0]:
                waiting += zip(wanted.args[1:], got.args[1:], strict=True)
            elif self._match(wanted, got) and (wanted, got) not in seen:
                seen.add((wanted, got))
                waiting += _held(wanted, got, held)

    def _match(self, wanted: Term, got: Term) -> bool:
        """Are both allocations that are partners, now if not before?"""
        if wanted.kind != "alloc" or got.kind != "alloc":
            return False
        if got not in self._partner and wanted not in self._taken and are_alike(wanted, got):
            self._partner[got] = wanted
            self._taken.add(wanted)
        if self._partner.get(got) is not wanted:
            if are_alike(wanted, got):
                self.contradicted |= self.unconfirmed & {wanted, got}
            return False
        self.unconfirmed.discard(got)
        return True


def are_alike(wanted: Term, got: Term) -> bool:
    """Can one stand for the other? Where lengths are not constant, that is for the solver to say."""
    one, two = wanted.value, got.value
    if type(one.type) is not type(two.type) or one.type.name != two.type.name:
        return False
    if one.cleared and not two.cleared:
        return False
    if one.length is None or one.length is two.length:
        return True
    return not (one.length.kind == "const" and two.length.kind == "const")


_ByObject = Mapping[Term, Mapping[Term | None, Term]]


@immutable
class _Held:
    """The references that a chain holds, the latest first, by object and index; and those that old objects hold."""

    by_object: _ByObject
    by_old: Mapping[tuple[Term, Term | None], Term]


class _Contents:
    """The references that chains hold, as far as stores tell, each chain read once."""

    def __init__(self, simplify: Simplify) -> None:
        self.simplify = simplify
        self._read: dict[Chain, _Held] = {}

    def of(self, chain: Chain) -> _Held:
        held = self._read.get(chain)
        if held is None:
            by_object: dict[Term, dict[Term | None, Term]] = {}
            by_old: dict[tuple[Term, Term | None], Term] = {}
            for p, index, value in self._stores(chain):
                by_object.setdefault(p, {}).setdefault(index, value)
                if p.kind != "alloc":
                    by_old.setdefault((p, index), value)
            held = self._read[chain] = _Held(by_object, by_old)
        return held

    def _stores(self, chain: Chain) -> Iterator[tuple[Term, Term | None, Term]]:
        """Object, index and value of the stores, the latest first."""
        simplify = self.simplify
        for link in links(chain):
            if isinstance(link, Stored):
                index = None if link.index is None else simplify(link.index)
                yield simplify(link.object), index, simplify(link.value)


def _held(wanted: Term, got: Term, held: Iterable[tuple[_ByObject, _ByObject]]) -> Iterator[tuple[Term, Term]]:
    """The contents of two partners at the same keys of each memory, and then their other contents."""
    for one, two in held:
        if mine := one.get(wanted):
            yield from _alongside(mine, two.get(got, {}))


def _alongside(wanted: Mapping[Any, Term], got: Mapping[Any, Term]) -> Iterator[tuple[Term, Term]]:
    """The values of equal keys; then the others in order, for two keys may be equal though they are not the same."""
    for key, value in wanted.items():
        if key in got:
            yield value, got[key]
    mine, theirs = ([held[key] for key in held if key not in other] for held, other in ((wanted, got), (got, wanted)))
    yield from zip(mine, theirs, strict=False)
