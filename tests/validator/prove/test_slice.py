"""The slice of conditions that a question needs: all that share variables with it, directly or through others."""

from __future__ import annotations

from random import Random

from optimizer.ir.domains.term import Term, cone
from optimizer.ir.text import parse
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.cheap_rungs import CheapRungs
from validator.prove.pairing import encode_pair
from validator.verdict import Options


def _variables(term: Term) -> set[Term]:
    return {part for part in cone([term]) if part.kind == "var"}


def test_slices_are_closed_and_no_larger_than_needed() -> None:
    trace = parse("[i0]\nfinish(i0)\n")
    pair = encode_pair(trace, trace, layout_of(trace, trace), Options())
    terms, sizes = pair.terms, set()
    for seed in range(300):
        random = Random(seed)
        variables = [terms.var(f"v{i}") for i in range(8)]
        conditions = [
            terms.slt(terms.mul(random.choice(variables), random.choice(variables)), random.choice(variables[: i + 1]))
            for i in range(6)
        ]
        start = terms.ult(random.choice(variables), terms.const(random.randrange(2, 9)))
        reached = _variables(start)
        for _ in conditions:
            reached |= {v for c in conditions if _variables(c) & reached for v in _variables(c)}
        wanted = [c for c in conditions if _variables(c) & reached or not _variables(c)]
        assert CheapRungs(pair, lambda: False).slice([start], conditions) == [start, *wanted]
        sizes.add(len(wanted))
    assert len(sizes) > 3
