"""Calls and other events of a trace, in terms.

What functions give and raise are terms over their arguments, the same for both traces. A call that is made only where
a condition holds counts as an event everywhere: so both traces must have it, and show it the same memory, even where it
is not made. That is more than is right, and what both take for unknown behind it may be what was there before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.rows.call_domain import OTHERWISE, CallDomain, Invocation
from optimizer.ir.rows.ops import Type
from optimizer.ir.rows.row import REF
from optimizer.ir.trace import Operation
from optimizer.ir.types.calls import EVENT_ROLES, Effects, call_of
from optimizer.ir.types.layout import Field
from validator.prove.encoding import Application, Definedness, EventEncoding, event_name, raise_name
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.memory.visibility import Sight, anything, surely_visible, visible
from validator.prove.path import Path
from validator.prove.terms.object_kinds import class_of_address
from validator.prove.terms.object_terms import ObjectTerms

_Call = Invocation[Term, Term]


class CallEncoder(CallDomain[Term, Term]):
    """Encodes the calls of one trace on its `heap`; what comes of them are `events` and `applications`."""

    def __init__(self, heap: SymbolicHeap, path: Path, *, recorded: bool) -> None:
        super().__init__()
        self._heap = heap
        self.domain = heap.memory.fresh_terms
        self.true, self.false = self._terms.true, self._terms.false
        self._recorded = recorded
        self._path = path
        self.events: list[EventEncoding] = []
        self.applications: list[Application] = []
        # Of the call at hand: the number of guards in front of it, and when it is defined.
        self._guards = 0
        self._conditions: list[Term] = []

    @property
    def _terms(self) -> ObjectTerms:
        return self._heap.terms

    def call(
        self, operation: Operation, number: int, args: Sequence[Term], guards: int
    ) -> tuple[Term | None, list[Definedness]]:
        """The operation's result, and what is known where it has been done."""
        site = call_of(operation, self._terms.layout)
        assert site is not None
        self._guards, self._conditions = guards, []
        result = self.perform(site, operation, number, args)
        place = guards, len(self.events)
        what = "kept" if site.role in EVENT_ROLES else "defined"
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
        """The condition under which the call is made, as far as the path does not decide it."""
        terms, memory = self._terms, operation.op.memory
        assert memory is not None
        assert memory.happens is not None
        condition: Term = memory.happens(terms, self._heap, None, value)
        return self._path.decided(terms, condition, len(self.events))

    # Exceptions.

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
        is_sure = self._recorded and call.happens is terms.true and any(slot.immutable for slot in may_see)
        surely = surely_visible(heap, args, effects.may_see) if is_sure else ()
        heap.know(terms.pointers.exposing(_in_order(objects), count, surely))
        kept = list(heap.happen(count, effects))
        for condition in kept if self._recorded else ():
            self.require(call, condition, "")
        raises = heap.memory.has_exceptions and effects.can_raise
        raised = terms.pointer(raise_name(count), count + 1) if raises else terms.null
        if operation.result is None:
            return terms.null, raised
        return terms.unknown(event_name(count), operation.op.result, count + 1), raised

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
        result, raised = self._asked(type_, args, surely=call.happens is terms.true)
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
        found = visible(self._heap, reached, anything)
        self._heap.know(self._terms.pointers.showing(_in_order(found), len(self.events)))

    def _asked(self, type_: Type, args: tuple[Term, ...], *, surely: bool) -> tuple[Term, Term]:
        """The result and the exception of a function that is called now, for certain or perhaps."""
        given = self._terms.applied(type_, args), self._terms.raised(type_, args)
        self._heap.know(self._terms.pointers.giving(given, len(self.events), surely=self._recorded and surely))
        return given

    def _declared(self, call: _Call, args: tuple[Term, ...], result: Term, raised: Term) -> None:
        """The declared results of the function. It is assumed of the recorded trace."""
        terms, declared = self._terms, call.site.declared
        for known in declared.results if self._recorded and declared is not None else ():
            values = [terms.declared_content(one) for one in known.args]
            if len(values) == len(args) - 1:
                equal = terms.all_of(terms.equal(arg, value) for arg, value in zip(args[1:], values, strict=True))
                gives = terms.equal(result, terms.declared_content(known.value))
                self.require(call, terms.implies(equal, terms.both(gives, terms.same(raised, terms.null))), "")

    def promise(self, call: _Call, value: Term) -> None:
        self._show((*call.args, value))
        result, raised = self._asked(call.operation.args[0].type, call.args, surely=True)
        self.require(call, self._terms.equal(result, value), OTHERWISE)
        self.require(call, self._terms.same(raised, self._terms.null), OTHERWISE)


def _in_order(allocs: Iterable[Term]) -> list[Term]:
    return sorted(allocs, key=lambda alloc: alloc.number)
