"""Calls and other events of a trace, in terms.

What functions give and raise are terms over their arguments, the same for both traces. A call that is made only where
a condition holds counts as an event everywhere: so both traces must have it, and show it the same memory, even where it
is not made. That is more than is right, and what both take for unknown behind it may be what was there before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.call_domain import OTHERWISE, CallDomain, Invocation
from optimizer.ir.rows.ops import Type
from optimizer.ir.rows.row import REF
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import Field
from validator.prove.encode import Known, unknown
from validator.prove.encoding import Application, Definedness, EventEncoding, event_name, raise_name
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import Sight, anything, surely_visible, visible
from validator.prove.terms.object_kinds import at_event, class_of_address

if TYPE_CHECKING:
    from validator.prove.facts.bounded_facts import BoundedFacts


_Call = Invocation[Term, Term]


class CallEncoder(CallDomain[Term, Term]):
    """Encodes the calls of one trace on its `heap`; what comes of them are `events` and `applications`."""

    def __init__(self, heap: SymbolicHeap, *, recorded: bool) -> None:
        super().__init__()
        self._heap = heap
        self.domain = self._terms = heap.memory.terms
        self.true, self.false = self._terms.true, self._terms.false
        self._recorded = recorded
        self._known: tuple[BoundedFacts, set[Term]] | None = None  # and what was assumed for it
        self.events: list[EventEncoding] = []
        self.applications: list[Application] = []
        # Of the call at hand: the number of guards in front of it, what is known there, and when it is defined.
        self._guards = 0
        self._known_here: Callable[[], Known] = lambda: ((), ())
        self._conditions: list[Term] = []

    def call(
        self, operation: Operation, number: int, args: Sequence[Term], guards: int, known: Callable[[], Known]
    ) -> tuple[Term | None, list[Definedness]]:
        """The operation's result, and what is known where it has been done. What is `known` holds in front of it."""
        site = call_of(operation, self._terms.layout)
        assert site is not None
        self._guards, self._known_here, self._conditions = guards, known, []
        result = self.perform(site, operation, number, args)
        place = guards, len(self.events)
        what = "kept" if site.is_event else "defined"
        conditions = [one for one in self._conditions if one is not self.true]
        return result, [Definedness(number, operation, one, *place, what) for one in conditions]

    def require(self, call: _Call, condition: Term, reason: str) -> None:
        self._conditions.append(self._terms.implies(call.happens, condition))

    def select(self, condition: Term, result: Term, otherwise: Term) -> Term:
        return self._terms.select(condition, result, otherwise)

    def constant(self, number: int) -> Term:
        return self._terms.const(number)

    def equal(self, one: Term, other: Term) -> Term:
        return self._terms.equal(one, other)

    def happens(self, operation: Operation, value: Term) -> Term:
        """The condition under which the call is made, where all that is known holds."""
        terms, memory = self._terms, operation.op.memory
        assert memory is not None
        assert memory.happens is not None
        condition: Term = memory.happens(terms, self._heap, None, value)
        if condition.kind == "truth":
            return condition
        facts = self._facts(self._known_here())
        if facts.contradiction:
            return condition
        if facts.proves_by_cases(condition):
            return terms.true
        return terms.false if facts.proves_by_cases(terms.not_(condition)) else condition

    def _facts(self, known: Known) -> BoundedFacts:
        """What is known, which is more at each call."""
        if self._known is None:
            from validator.prove.facts.bounded_facts import BoundedFacts  # here: most traces have no conditional calls

            self._known = BoundedFacts(self._terms), set()
        facts, assumed = self._known
        holds, promised = known
        for one in holds:
            _assume(facts, assumed, one)
        for guards, one in promised:
            if any(facts.rebuild(passes) is not self._terms.true for passes in guards):
                break
            _assume(facts, assumed, one)
        return facts

    # Exceptions.

    def pending(self) -> Term:
        return self._heap.pending()

    def raise_(self, call: _Call, raised: Term) -> None:
        if self._heap.memory.has_exceptions:
            self._heap.set_pending(self._terms.choose(call.happens, raised, self._heap.pending()))

    # Events.

    def happen(self, call: _Call) -> tuple[Term, Term]:
        count, heap, terms, operation = len(self.events), self._heap, self._terms, call.operation
        effects, args = call.site.effects, call.args
        objects = visible(heap, args, effects.may_see)
        may_see = self._seen_by(effects)
        kind = call.site.name, terms.layout.canonical(operation.descr), len(args)
        sight = Sight(heap.copy(), objects)
        self.events.append(EventEncoding(operation, kind, args, call.happens, self._guards, sight, may_see))
        for alloc in sorted(objects, key=lambda alloc: alloc.number):
            terms.expose(alloc, at_event(count))
        if self._recorded and call.happens is terms.true and any(slot.immutable for slot in may_see):
            terms.surely_seen |= surely_visible(heap, args, effects.may_see)
        kept = list(heap.happen(count, effects))
        for condition in kept if self._recorded else ():
            self.require(call, condition, "")
        raises = heap.memory.has_exceptions and effects.can_raise
        raised = terms.pointer(raise_name(count), count + 1) if raises else terms.null
        if operation.result is None:
            return terms.null, raised
        return unknown(terms, event_name(count), operation.op.result, count + 1), raised

    def function_of(self, call: _Call) -> tuple[Term, Type]:
        """Raises Unsupported where nobody knows whether the function is one that has been called before."""
        operation, function, type_ = call.operation, call.args[0], call.operation.op.result
        if call.happens is not self.true:
            raise Unsupported(f"{operation.op.name} of a loop-invariant function", operation.line)
        for other, of in self.invariants:
            if of is type_ and function is not other and self._may_be_same(function, other):
                what = f"{operation.op.name} of a function that may be one that has been called before, or another"
                raise Unsupported(what, operation.line)
        return function, type_

    def _may_be_same(self, one: Term, other: Term) -> bool:
        """Is it not known that these are two functions? Constants that are written differently are."""
        are_constants = all(term.kind == "const" or class_of_address(term) is not None for term in (one, other))
        return not are_constants and self._terms.eq(one, other) is not self._terms.false

    # Functions.

    def apply(self, call: _Call, args: tuple[Term, ...]) -> tuple[Term, Term]:
        terms, effects, type_ = self._terms, call.site.effects, call.operation.op.result
        if type_ is REF or effects.can_raise:
            self._show(args)
        result, raised = self._asked(type_, args)
        if self._recorded and call.happens is terms.true:
            terms.decide(result, raised)
        place = self._guards, len(self.events)
        looks = self._look(effects, args)
        self.applications.append(
            Application(call.number, type_, args, result, raised, call.happens, *place, effects, *looks)
        )
        self._declared(call, args, result, raised)
        return result, raised

    def _look(self, effects: Effects, args: tuple[Term, ...]) -> tuple[tuple[Field, ...], Sight | None]:
        """The memory that a function with those effects may read, and what it sees, if there is such memory."""
        may_see = self._seen_by(effects)
        return may_see, Sight(self._heap.copy(), visible(self._heap, args, effects.may_see)) if may_see else None

    def _seen_by(self, effects: Effects) -> tuple[Field, ...]:
        if effects.sees_nothing:
            return ()
        return tuple([slot for slot in self._heap.memory.slots.values() if effects.may_see(slot)])

    def _show(self, reached: Sequence[Term]) -> None:
        """A function that gives a reference may give what its arguments reach, or what can be seen."""
        moment = self._terms.now(len(self.events))
        for alloc in sorted(visible(self._heap, reached, anything), key=lambda alloc: alloc.number):
            self._terms.show(alloc, moment)

    def _asked(self, type_: Type, args: tuple[Term, ...]) -> tuple[Term, Term]:
        """What a function gives and raises that is asked now."""
        moment = self._terms.now(len(self.events))
        return self._terms.applied(type_, args, moment), self._terms.raised(type_, args, moment)

    def _declared(self, call: _Call, args: tuple[Term, ...], result: Term, raised: Term) -> None:
        """What is declared of what the function gives. It is assumed of the recorded trace."""
        terms, declared = self._terms, call.site.declared
        for known in declared.results if self._recorded and declared is not None else ():
            values = [terms.declared_content(one.value) for one in known.args]
            if len(values) == len(args) - 1:
                equal = terms.all_of(terms.equal(arg, value) for arg, value in zip(args[1:], values, strict=True))
                gives = terms.equal(result, terms.declared_content(known.value.value))
                self.require(call, terms.implies(equal, terms.both(gives, terms.same(raised, terms.null))), "")

    def promise(self, call: _Call, value: Term) -> None:
        terms = self._terms
        self._show((*call.args, value))
        result, raised = self._asked(call.operation.args[0].type, call.args)
        if self._recorded:
            terms.decide(result, raised)
        self.require(call, terms.equal(result, value), OTHERWISE)
        self.require(call, terms.same(raised, terms.null), OTHERWISE)


def _assume(facts: BoundedFacts, assumed: set[Term], condition: Term) -> None:
    if condition not in assumed:
        assumed.add(condition)
        facts.assume(condition)
