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
from optimizer.ir.rows.ops import Role, Type
from optimizer.ir.rows.row import REF
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import Call, call_of
from optimizer.ir.types.effects import Effects
from optimizer.ir.types.layout import Field
from validator.prove.encode import Known, unknown
from validator.prove.encoding import Application, Definedness, EventEncoding, event_name, raise_name
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import Sight, anything, surely_visible, visible
from validator.prove.terms.object_kinds import at_event, class_of_address

if TYPE_CHECKING:
    from validator.prove.facts.bounded_facts import BoundedFacts


class CallEncoder:
    """Encodes the calls of one trace on its `heap`; what comes of them are `events`, `applications` and `defined`."""

    def __init__(self, heap: SymbolicHeap, *, recorded: bool) -> None:
        self._heap = heap
        self._terms = heap.memory.terms
        self._recorded = recorded
        self._invariants: dict[tuple[Term, Type], tuple[Term | None, Term]] = {}  # what was given and raised
        self._upheavals = 0  # events that may write everything
        self._known: tuple[BoundedFacts, set[Term]] | None = None  # and what was assumed for it
        self.events: list[EventEncoding] = []
        self.applications: list[Application] = []

    def call(
        self, operation: Operation, number: int, args: Sequence[Term], guards: int, known: Callable[[], Known]
    ) -> tuple[Term | None, list[Definedness]]:
        """The operation's result, and what is known where it has been done. What is `known` holds in front of it."""
        call = call_of(operation, self._terms.layout)
        assert call is not None
        happens = self._happens(operation, args, known) if call.is_conditional else self._terms.true
        if happens is self._terms.false:
            return args[0], []
        own = tuple(args[len(args) - len(call.args) :])
        if call.role is Role.RECORD:
            result, conditions = None, self._record(call, operation, own, args[0])
        elif call.role is Role.MEANING:
            result, conditions = self._meaning(call, own)
        else:
            encode = self._function if call.is_function else self._invariant if call.is_invariant else self._event
            result, conditions = encode(call, operation, own, happens, guards, number)
        place = guards, len(self.events)
        what = "kept" if call.is_event else "defined"
        defined = [
            Definedness(number, operation, self._terms.implies(happens, one), *place, what)
            for one in conditions
            if one is not self._terms.true
        ]
        if result is not None and happens is not self._terms.true:
            result = self._terms.select(happens, result, args[0])
        return result, defined

    def _happens(self, operation: Operation, args: Sequence[Term], known: Callable[[], Known]) -> Term:
        """The condition under which the call is made, where all that is `known` holds."""
        terms, memory = self._terms, operation.op.memory
        assert memory is not None
        assert memory.happens is not None
        condition: Term = memory.happens(terms, self._heap, None, args[0])
        if condition.kind == "truth":
            return condition
        facts = self._facts(known())
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

    def _raise(self, call: Call, raised: Term, happens: Term) -> None:
        if call.effects.can_raise:
            self._heap.set_pending(self._terms.choose(happens, raised, self._heap.pending()))

    # Events.

    def _event(
        self, call: Call, operation: Operation, args: tuple[Term, ...], happens: Term, guards: int, _number: int
    ) -> tuple[Term | None, list[Term]]:
        count, heap, effects, terms = len(self.events), self._heap, call.effects, self._terms
        objects = visible(heap, args, effects.may_see)
        may_see = self._seen_by(effects)
        kind = call.name, terms.layout.canonical(operation.descr), len(args)
        self.events.append(EventEncoding(operation, kind, args, happens, guards, Sight(heap.copy(), objects), may_see))
        for alloc in sorted(objects, key=lambda alloc: alloc.number):
            terms.expose(alloc, at_event(count))
        if self._recorded and happens is terms.true and any(slot.immutable for slot in may_see):
            terms.surely_seen |= surely_visible(heap, args, effects.may_see)
        self._upheavals += effects.writes is None
        kept = list(heap.happen(count, effects))
        if heap.memory.has_exceptions and effects.can_raise:
            self._raise(call, terms.pointer(raise_name(count), count + 1), happens)
        result = None
        if operation.result is not None:
            result = unknown(terms, event_name(count), operation.op.result, count + 1)
        return result, kept if self._recorded else []

    def _invariant(
        self, call: Call, operation: Operation, args: tuple[Term, ...], happens: Term, guards: int, number: int
    ) -> tuple[Term | None, list[Term]]:
        if happens is not self._terms.true:
            raise Unsupported(f"{operation.op.name} of a loop-invariant function", operation.line)
        function = args[0], operation.op.result
        self._tell_apart(operation, *function)
        if function not in self._invariants:
            result, kept = self._event(call, operation, args, happens, guards, number)
            raised = self._heap.pending() if call.effects.can_raise else self._terms.null
            self._invariants[function] = result, raised
            return result, kept
        result, raised = self._invariants[function]
        self._raise(call, raised, happens)
        return result, []

    def _tell_apart(self, operation: Operation, function: Term, type_: Type) -> None:
        """Raises Unsupported where nobody knows whether the function is one that has been called before."""
        for other, of in self._invariants:
            if of is type_ and function is not other and self._may_be_same(function, other):
                what = f"{operation.op.name} of a function that may be one that has been called before, or another"
                raise Unsupported(what, operation.line)

    def _may_be_same(self, one: Term, other: Term) -> bool:
        """Is it not known that these are two functions? Constants that are written differently are."""
        are_constants = all(term.kind == "const" or class_of_address(term) is not None for term in (one, other))
        return not are_constants and self._terms.eq(one, other) is not self._terms.false

    # Functions.

    def _function(
        self, call: Call, operation: Operation, args: tuple[Term, ...], happens: Term, guards: int, number: int
    ) -> tuple[Term | None, list[Term]]:
        terms, type_ = self._terms, operation.op.result
        if type_ is REF or call.effects.can_raise:
            self._show(args)
        if call.passing:
            args = (*args, terms.const(self._upheavals))
        result, raised = self._asked(type_, args)
        if self._recorded and happens is terms.true:
            terms.decide(result, raised)
        place = guards, len(self.events)
        looks = self._look(call.effects, args)
        self.applications.append(
            Application(number, type_, args, result, raised, happens, *place, call.effects, *looks)
        )
        self._raise(call, raised, happens)
        return None if operation.result is None else result, self._declared(call, args, result, raised)

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

    def _declared(self, call: Call, args: tuple[Term, ...], result: Term, raised: Term) -> list[Term]:
        """What is declared of what the function gives. It is assumed of the recorded trace."""
        terms, found = self._terms, []
        for known in call.declared.results if self._recorded and call.declared is not None else ():
            values = [terms.declared_content(one.value) for one in known.args]
            if len(values) == len(args) - 1:
                equal = terms.all_of(terms.equal(arg, value) for arg, value in zip(args[1:], values, strict=True))
                gives = terms.equal(result, terms.declared_content(known.value.value))
                found.append(terms.implies(equal, terms.both(gives, terms.same(raised, terms.null))))
        return found

    def _meaning(self, call: Call, args: tuple[Term, ...]) -> tuple[Term | None, list[Term]]:
        row = call.meaning
        assert row is not None
        assert row.meaning is not None
        defined = [] if row.defined is None else [row.defined(self._terms, *args[1:])]
        return row.meaning(self._terms, *args[1:]), defined

    def _record(self, call: Call, operation: Operation, args: tuple[Term, ...], value: Term) -> list[Term]:
        terms = self._terms
        if call.meaning is not None:
            computed, defined = self._meaning(call, args)
            assert computed is not None
            return [*defined, terms.equal(computed, value)]
        self._show((*args, value))
        result, raised = self._asked(operation.args[0].type, args)
        if self._recorded:
            terms.decide(result, raised)
        return [terms.equal(result, value), terms.same(raised, terms.null)]


def _assume(facts: BoundedFacts, assumed: set[Term], condition: Term) -> None:
    if condition not in assumed:
        assumed.add(condition)
        facts.assume(condition)
