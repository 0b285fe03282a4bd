"""From a finished proof to its certificate, which the checker follows (see `validator.check`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from optimizer.ir.domain import wrap
from optimizer.ir.term import Term
from validator.check.certificate import Certificate
from validator.obligations import Pair
from validator.verdict import Failargs


def certify(pair: Pair, origins: Sequence[int | None]) -> Certificate:
    """What the proof of the pair, with those origins, rests on."""
    return Certificate(tuple(origins), tuple(_partners(pair, origins)), tuple(_equal(pair)))


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


def _equal(pair: Pair) -> Iterator[tuple[str, str | int]]:
    """The variables of the optimized trace that have the terms of variables of the recorded one, or are constants."""
    names: dict[Term, str] = {}
    for var in (*pair.before.trace.inputs, *(op.result for op in pair.before.trace.ops if op.result is not None)):
        names.setdefault(pair.before.values[var.name], var.name)
    for operation in pair.after.trace.ops:
        if operation.result is not None:
            term = pair.after.values[operation.result.name]
            if term.kind == "const":
                yield operation.result.name, wrap(term.value, pair.terms.width)
            elif term in names:
                yield operation.result.name, names[term]
