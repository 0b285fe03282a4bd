"""Encodes a pair of traces over one memory, so that what both allocate is one object where it is meant to be one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.supported import check_supported
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from validator.prove.align import given_origins
from validator.prove.encode import encode, memory_for
from validator.prove.encoding import Encoding
from validator.prove.matching import guess_by_name, match_allocations
from validator.prove.memory.pair_memory import PairMemory
from validator.prove.obligations import Pair
from validator.verdict import Options

P = ParamSpec("P")
T = TypeVar("T")


def encode_pair(before: Trace, after: Trace, layout: Layout, options: Options) -> Pair:
    """Both traces encoded, the allocations of `after` named by those of `before` that they seem to be."""
    for trace, which in ((before, "before"), (after, "after")):
        _naming(which, check_supported, trace)
    memory = memory_for(layout, before, after)
    recorded = _naming("before", encode, before, memory)
    return Pair(memory, recorded, _matched(recorded, after, memory), options)


def _matched(recorded: Encoding, after: Trace, memory: PairMemory) -> Encoding:
    """The optimized trace, encoded again as often as more partners are found."""
    if not recorded.made:
        return _encoded(after, memory, recorded, {})
    by_name = guess_by_name(recorded, after)
    known, is_first = by_name, True
    origins = given_origins(recorded.trace, after)
    while True:
        optimized = _encoded(after, memory, recorded, known)
        matches = match_allocations(recorded, optimized, origins, known)
        wrong = [number for number, alloc in by_name.items() if alloc in matches.contradicted]
        if wrong:
            by_name = {number: alloc for number, alloc in by_name.items() if is_first and number not in wrong}
            known, is_first = by_name, False
        elif len(matches.partners) > len(known):
            known = matches.partners
        else:
            return optimized


def _encoded(after: Trace, memory: PairMemory, recorded: Encoding, named: Mapping[int, Term]) -> Encoding:
    return _naming("after", encode, after, memory, recorded, named)


def _naming(which: str, do: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """What `do` gives; what it finds unsupported stands in that trace."""
    try:
        return do(*args, **more)
    except Unsupported as limit:
        raise Unsupported(limit.what, limit.line, which) from None
