"""Lists of the guards of a loop's body, as far as they hold what its label takes and the recorded loop computes anew.

The preamble hands on a value that it has loaded or computed itself, and the body lists it: where a guard fails, it is
what the recorded loop has computed by then. Which of its values that is the loop itself tells: those that are one where
the preamble has run. So guards of both list them, and behind a bridge, too, they have to be one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from optimizer.ir.faults import Unsupported
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace, Value, Var, exit_of
from optimizer.ir.types.trace_layout import layout_of
from validator.loops.proofs import BODY, proofs
from validator.loops.shape import Loop, loop_of
from validator.prove.align import Alignment, given_origins
from validator.prove.matching import knowing_all
from validator.prove.obligations import Pair
from validator.prove.pairing import encode_pair
from validator.verdict import Options


def with_label_lists(
    recorded: Trace, peeled: Trace, numbers: Iterable[int], options: Options
) -> tuple[Trace, Trace] | None:
    """The loop, whose guards list these arguments of the label, and the recorded values that they are; None if one of
    them is none of these, or is not there by any guard."""
    shape = loop_of(recorded, peeled)
    body = next(proof for proof in proofs(shape, options) if proof.name == BODY)
    try:
        pair = encode_pair(body.before, body.after, layout_of(body.before, body.after), options)
        best = Alignment(pair.before, pair.after, given_origins(body.before, body.after)).best() or []
    except Unsupported:
        return None
    ahead, once = len(shape.peeled.preamble.guards), len(recorded.guards)
    origins = [None if k is None or k < once else k - once for k in best[ahead:]]
    same = {number: [*_same(shape, pair, number)] for number in numbers}
    listed = {
        k: [(number, at) for number, places in same.items() for at in places if at < place]
        for k, place in _guards(recorded)
        if k in origins
    }
    if {*same} - {number for pairs in listed.values() for number, _ in pairs}:
        return None
    values = {k: [recorded.ops[at].result for _, at in pairs] for k, pairs in listed.items()}
    taken = shape.peeled.body.inputs
    lists = {k: [taken[number] for number, _ in pairs] for k, pairs in listed.items()}
    return _listing(recorded, range(once), values), _listing(peeled, [*[None] * ahead, *origins], lists, named=True)


def _guards(trace: Trace) -> Iterator[tuple[int, int]]:
    """The guards of a trace by their numbers, with their places."""
    yield from enumerate(at for at, one in enumerate(trace.ops) if one.op.is_guard)


def _same(shape: Loop, pair: Pair, number: int) -> Iterator[int]:
    """The places of operations of the recorded loop that compute, in the iteration behind the preamble, what this hands
    to the label there."""
    handed, ops = shape.peeled.preamble.handed_on[number], shape.recorded.ops
    first = len(pair.before.trace.ops) - 1 - len(ops)
    simplify = knowing_all(pair.before, pair.after)
    wanted = simplify(pair.after.values[handed.name]) if isinstance(handed, Var) else None
    for at in range(len(ops)):
        result = pair.before.trace.ops[first + at].result
        if result is not None and simplify(pair.before.values[result.name]) is wanted:
            yield at


def _listing(
    trace: Trace, origins: Sequence[int | None], lists: Mapping[int, Sequence[Value | None]], *, named: bool = False
) -> Trace:
    """The trace whose guards have the lists of these origins, and others none; they name them, if they are `named`."""
    exits = []
    for guard, origin in zip(trace.guards, origins, strict=True):
        values = None if origin is None or origin not in lists else tuple(lists[origin])
        own = exit_of(guard)
        exits.append(replace(own, failargs=values, origin=origin if named and origin is not None else own.origin))
    left = iter(exits)
    return trace.of([one if one.exit is None else replace(one, exit=next(left)) for one in trace.ops])
