"""From the texts of a pair to terms: both traces over one memory, in which what both allocate is one object where it is
meant to be one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from optimizer.ir.check import check_supported
from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unsupported
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from validator.prove.align import given_origins
from validator.prove.encode import encode, memory_for
from validator.prove.encoding import Encoding
from validator.prove.matching import are_alike, first_guess, match_allocations
from validator.prove.memory.chains import Stored, links
from validator.prove.memory.heap_state import PairMemory
from validator.prove.memory.symbolic_heap import SymbolicHeap
from validator.prove.obligations import Pair
from validator.verdict import Options

P = ParamSpec("P")
T = TypeVar("T")


def inputs_differ(before: Trace, after: Trace) -> str | None:
    """The reason for which both traces cannot be run on the same inputs, if there is one."""
    if before.word != after.word:
        widths = f"{before.word} and {after.word} bits"
        return f"the traces have machine words of different widths: {widths} (64 where a trace does not say it)"
    mine, theirs = [[var.type for var in trace.inputs] for trace in (before, after)]
    if mine != theirs:
        one, other = [", ".join(type_.value for type_ in types) for types in (mine, theirs)]
        return f"the traces have different inputs: ({one}) before, ({other}) after"
    return None


def encode_pair(before: Trace, after: Trace, layout: Layout, options: Options) -> Pair:
    """Both traces encoded, the allocations of `after` named by those of `before` that they seem to be."""
    for trace, which in ((before, "before"), (after, "after")):
        _naming(which, check_supported, trace)
    before = _sharing(before, after, layout)
    memory = memory_for(layout, before, after)
    recorded = _naming("before", encode, before, memory)
    return Pair(memory, recorded, _matched(recorded, after, memory), options)


def encode_alone(trace: Trace, layout: Layout) -> Encoding:
    """The trace by itself, encoded as the recorded one of a pair. Raises Unsupported."""
    check_supported(trace)
    trace = _sharing(trace, trace, layout)
    return encode(trace, memory_for(layout, trace))


def matched(pair: Pair) -> Pair:
    """The pair, in which new objects that go nowhere but to side exits are those of the recorded trace that are made
    alike and hold the most of the same, if there are such: a guess, which proves nothing by itself."""
    recorded = [*pair.before.made.values()]
    named = {number: alloc for number, alloc in pair.after.made.items() if alloc in recorded}
    if len(named) == len(pair.after.made):
        return pair
    left = [alloc for alloc in recorded if alloc not in named.values()]
    wanted, got = _contents(pair.before.heap), _contents(pair.after.heap)
    for number, alloc in pair.after.made.items():
        alike = [one for one in left if number not in named and are_alike(one, alloc)]
        if alike:
            named[number] = partner = max(alike, key=lambda one: len(wanted[one] & got[alloc]))
            left.remove(partner)
    return Pair(pair.memory, pair.before, encode(pair.after.trace, pair.memory, pair.before, named), pair.options)


def _contents(heap: SymbolicHeap) -> defaultdict[Term, set[tuple[str, Term | None, Term]]]:
    """The places of new objects to which a trace stores, with what it stores, and the lengths of arrays."""
    contents: defaultdict[Term, set[tuple[str, Term | None, Term]]] = defaultdict(set)
    for alloc in heap.allocations:
        if alloc.value.length is not None:
            contents[alloc].add(("", None, alloc.value.length))
    for slot in heap.memory.slots.values():
        for link in links(heap.chain(slot)):
            if isinstance(link, Stored):
                contents[link.object].add((slot.key, link.index, link.value))
    return contents


def _sharing(before: Trace, after: Trace, layout: Layout) -> Trace:
    if not any(operation.op.is_call for operation in before.ops):
        return before
    from validator.prove.memory.shared_strings import sharing  # here: many traces have no calls

    return sharing(before, after, layout)


def _matched(recorded: Encoding, after: Trace, memory: PairMemory) -> Encoding:
    """The optimized trace: first a draft in which allocations are those of the recorded trace that have their names,
    which shows which ones they flow together with. Most often it stays."""
    guess = first_guess(recorded, after) if recorded.made else {}
    draft = _naming("after", encode, after, memory, recorded, guess)
    if not recorded.made:
        return draft
    partners = match_allocations(recorded, draft, given_origins(recorded.trace, after), guess)
    return draft if partners == guess else _naming("after", encode, after, memory, recorded, partners)


def _naming(which: str, do: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """The result of `do`; what it finds unsupported stands in that trace."""
    try:
        return do(*args, **more)
    except Unsupported as limit:
        raise Unsupported(limit.what, limit.line, which) from None
