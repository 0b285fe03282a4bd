"""From a finished proof to its certificate, which the checker follows (see `validator.check`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from optimizer.ir.domains.term import Term
from optimizer.ir.rows.domain import wrap
from optimizer.ir.trace import Operation, Trace
from validator.check.certificate import AFTER, BEFORE, Certificate
from validator.prove.facts.bounded_facts import BoundedFacts
from validator.prove.obligations import Pair
from validator.prove.terms.object_kinds import is_reference
from validator.verdict import Failargs


def certify(pair: Pair, origins: Sequence[int | None]) -> Certificate:
    """The certificate of the pair's proof under these origins."""
    cuts = _Cuts(pair)
    cuts.of_recorded()
    cuts.of_optimized()
    return Certificate(tuple(origins), tuple(_partners(pair, origins)), tuple(cuts.equal))


def _partners(pair: Pair, origins: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """The allocations of the optimized trace that have terms of the recorded one's, by the numbers of both."""
    main = {alloc: number for number, alloc in pair.before.made.items()}
    yield from _named(pair.after.made.items(), main)
    if pair.options.failargs is Failargs.IGNORE:
        return
    for j, origin in enumerate(origins):
        if origin is not None:
            block = {alloc: number for number, alloc in pair.before.guards[origin].exit.made.items()}
            yield from _named(pair.exit(j, origin).made.items(), main | block)


def _named(made: Iterable[tuple[int, Term]], numbers: dict[Term, int]) -> Iterator[tuple[int, int]]:
    for number, alloc in made:
        if alloc in numbers:
            yield number, numbers[alloc]


class _Cuts:
    """Finds out what facts say of variables where they are defined."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._names: dict[Term, str] = {}  # of variables of the recorded trace
        self._facts = BoundedFacts(pair.terms)
        self.equal: list[tuple[str, str, str | int]] = []

    def of_recorded(self) -> None:
        """Goes along the recorded trace, whose operations are defined and whose guards pass."""
        before = self._pair.before
        promised: dict[int, list[Term]] = {guard.number: [guard.passes] for guard in before.guards}
        for known in before.defined:
            promised.setdefault(known.op, []).insert(0, known.condition)
        for var in before.trace.inputs:
            self._names[before.values[var.name]] = var.name
        for number, operation in _numbered(before.trace):
            if operation.result is not None:
                self._say(BEFORE, operation.result.name, before.values[operation.result.name])
            for condition in promised.get(number, ()):
                if not self._facts.contradiction:
                    self._facts.assume(condition)

    def of_optimized(self) -> None:
        """Goes along the optimized trace, of which all that is known of the recorded one is taken to hold."""
        after = self._pair.after
        for operation in after.trace.ops:
            if operation.result is not None:
                self._say(AFTER, operation.result.name, after.values[operation.result.name])

    def _say(self, trace: str, name: str, term: Term) -> None:
        is_known = term in self._names
        if trace == BEFORE:
            self._names.setdefault(term, name)
        if term.kind == "const" or is_known:
            self.equal.append((trace, name, self._value(term)))
            return
        if self._facts.contradiction or is_reference(term):
            return
        known = self._facts.rebuild(term)
        if known.kind == "const" or (known in self._names and self._names[known] != name):
            self.equal.append((trace, name, self._value(known)))

    def _value(self, term: Term) -> str | int:
        return wrap(term.value, self._pair.terms.width) if term.kind == "const" else self._names[term]


def _numbered(trace: Trace) -> Iterator[tuple[int, Operation]]:
    number = 0
    for operation in trace.ops:
        yield number, operation
        number += 1 + (len(operation.exit.block) if operation.exit is not None else 0)
