"""Guards in front of the end of a bridge, or of where a loop goes round, that are not the recorded one's.

PyPy's optimizer compares what a bridge hands on with what the labels of a loop take, and sends guards for what it does
not know (`generate_guards` in virtualstate.py), and those of what it loads from there in front of the loop
(`inline_short_preamble` in unroll.py). Where it goes to the start of the loop after all, they stay
(`optimize_bridge` in unroll.py). What a loop hands to its own label it compares in the same way. They resume where the
recorded trace ends; in which cases they fail does not matter. A log does not say that they do: so it is an assumption,
which the verdict names, and nothing is refuted for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.loops import Part
from optimizer.ir.rows.ops import OPS, Kind
from optimizer.ir.rows.row import STORE
from optimizer.ir.trace import ConstInt, ConstRef, Exit, Operation, Trace, Value, Var
from validator.loops.shape import READS
from validator.pypy.exits import Prove, Shown, prove_with_exits
from validator.pypy.resume_data import with_origins
from validator.verdict import Failargs, Guards, Options, Proved

_END = Operation(OPS["finish"], ())

RESUME_AT_END = "guards of what is handed on, behind all others, resume at the end"


def prove_to_end(
    before: Trace, after: Trace, origins: tuple[int | None, ...], options: Options, prove: Prove
) -> tuple[Trace, Shown] | None:
    """A proof of a bridge with such guards, if there is one, and the recorded trace with a place where they resume.

    Two proofs make it: without these guards, what is computed for them alone, and what is handed on, the others fail in
    the right cases; and wherever guards fail, these too, the state is that of the recorded trace."""
    ended = with_end(before, after, origins)
    if ended is None:
        return None
    ends, resumed = ended
    own = resumed.index(len(before.guards))
    is_kept = [at < own for at in range(len(resumed))]
    ops = Part(after.inputs, (*after.ops[:-1], _END), ()).with_guards(is_kept).needed().ops
    less, finished = with_origins(after.of(ops), origins[:own]), before.of((*before.ops[:-1], _END))
    if not isinstance(prove(finished, less, replace(options, failargs=Failargs.IGNORE), None), Proved):
        return None
    whole = with_origins(after, resumed)
    shown = prove_with_exits(ends, whole, None, replace(options, guards=Guards.SAFE), prove)
    if not isinstance(shown.verdict, Proved):
        return None
    evidence = replace(shown.verdict.evidence, assumes=(*shown.verdict.evidence.assumes, RESUME_AT_END))
    return ends, replace(shown, verdict=replace(shown.verdict, evidence=evidence))


def with_end(
    before: Trace, after: Trace, origins: tuple[int | None, ...]
) -> tuple[Trace, tuple[int | None, ...]] | None:
    """The recorded trace with a place at its end, and the origins where the last guards resume there; None if the
    optimized trace has none such."""
    more = len(_asked(after, origins))
    if not more:
        return None
    ends = before.of([*before.ops[:-1], Operation(OPS["guard_true"], (ConstInt(1),), exit=Exit()), before.end])
    return ends, (*origins[: len(origins) - more], *[len(before.guards)] * more)


def fails_at_end(obligation: str, after: Trace, origins: tuple[int | None, ...]) -> bool:
    """Is this about when such a guard fails, or on what it is defined?"""
    asked = _asked(after, origins)
    first = len(after.guards) - len(asked)
    places = [place for place, op in enumerate(after.ops) if any(op is guard for guard in asked)]
    return obligation in (
        *(f"guard {number}: condition" for number in range(first, len(after.guards))),
        *(f"op {place}: defined" for place in places),
    )


def _asked(after: Trace, origins: tuple[int | None, ...]) -> list[Operation]:
    """Such guards, the last one first, behind a label if there is one: of what is handed on, or held by objects
    that are, or computed from that."""
    label = inner_label(after) or 0
    first = sum(op.op.is_guard for op in after.ops[:label])
    last = list(zip(after.guards, origins, strict=True))[first:][::-1] if after.end.op.jumps else []
    handed_on = {*after.end.args, *_found_to_be(after.end.args, after.guards)}
    for op in reversed(after.ops):
        if op.op.kind is STORE and op.args[0] in handed_on:
            handed_on.add(op.args[-1])
    reached = {value for value in handed_on if isinstance(value, Var)}
    for op in after.ops:
        if op.result is not None and op.op.kind in (*READS, Kind.PURE) and {*op.args} & reached:
            reached.add(op.result)
    asked = takewhile(lambda one: one[1] is None and {*one[0].args[:1]} & reached, last)
    return [guard for guard, _ in asked]


def _found_to_be(constants: Collection[Value], guards: Sequence[Operation]) -> Iterator[Value]:
    """The values in whose place these constants stand behind a guard."""
    for guard in guards:
        found = {"guard_value": guard.args[1:], "guard_isnull": (ConstRef("NULL"),)}.get(guard.op.name, ())
        if any(constant in constants for constant in found):
            yield guard.args[0]
