"""Proofs of a pair of a log, as far as a log tells of side exits.

What guards hand over is not in a log. But where a guard fails, memory has to be as it was where the recorded guard
fails: PyPy puts off a store over a guard only where it stores an object that it has not made yet; resume data makes the
object, and does the store. So memory is compared at side exits, too. Where all that differs is a field that holds
references, which the recorded trace has stored such an object into, the proof stands and says that resume data stores
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import NEW
from optimizer.ir.trace import Operation, Trace, Value
from validator.verdict import Failargs, Options, Proved, Refuted, Unknown, Verdict

Loop = tuple[Trace, Trace] | None
Prove = Callable[[Trace, Trace, Options, Loop], Verdict]
"""The way to judge traces, of bridges to an inner label with the loop that they jump to, as recorded and peeled."""

_IS_MADE = re.compile(r", not new[0-9]+\b")
_PUT_OFF = re.compile(r"guard [0-9]+: heap (?P<memory><(?:FieldP|ArrayP|InteriorFieldDescr <FieldP)[^\[]*>)")


def prove_with_exits(
    before: Trace, after: Trace, loop: Loop, options: Options, prove: Prove
) -> tuple[Verdict, Trace, Options]:
    """The verdict, and what it is about: the optimized trace, in which guards tell their origins if they were found,
    and the options."""
    loose = replace(options, failargs=Failargs.IGNORE)
    verdict = prove(before, after, loose, loop)
    if not isinstance(verdict, Proved):
        return verdict, after, loose
    strict = replace(options, failargs=Failargs.CHECK)
    told = with_origins(after, verdict.evidence.origins)
    at_exits = prove(before, told, strict, loop)
    if isinstance(at_exits, Proved):
        return at_exits, told, strict
    if memories := _put_off(before, told, loop, strict, at_exits, prove):
        rest = loop and (_without_made(loop[0], memories), _without_made(loop[1], memories))
        if not isinstance(prove(_without_made(before, memories), _without_made(told, memories), strict, rest), Proved):
            reason = f"{', '.join(memories)} differs at side exits, and not by objects that the trace makes alone"
            return Unknown(verdict.evidence, reason), told, strict
        if _is_early(before, told, memories):
            reason = f"{', '.join(memories)} differs at side exits, and may be stored to ahead of the recorded trace"
            return Unknown(verdict.evidence, reason), told, strict
        assumed = tuple(f"resume data stores {memory} at side exits" for memory in memories)
        assumed = (*verdict.evidence.assumes, *assumed)
        return replace(verdict, evidence=replace(verdict.evidence, assumes=assumed)), told, loose
    if isinstance(at_exits, Unknown):
        return at_exits, told, strict
    return prove(before, after, strict, loop), after, strict


def _put_off(before: Trace, after: Trace, loop: Loop, options: Options, verdict: Verdict, prove: Prove) -> list[str]:
    """The fields of references that alone are not as recorded at side exits; none where more differs, as far as it
    shows without these fields."""
    memories: list[str] = []
    while (memory := _put_off_memory(verdict)) is not None and memory not in memories:
        memories.append(memory)
        rest = loop and (_without(loop[0], memories), _without(loop[1], memories))
        verdict = prove(_without(before, memories), _without(after, memories), options, rest)
    return memories if isinstance(verdict, Proved) else []


def _without(trace: Trace, memories: Sequence[str]) -> Trace:
    """The trace without its stores to these."""
    return trace.of(op for op in trace.ops if op.result is not None or op.descr not in memories)


def _without_made(trace: Trace, memories: Sequence[str]) -> Trace:
    """The trace without the stores to these of what it has made: of others, resume data does none and undoes none."""
    made: set[Value] = set()
    places: set[tuple[object, ...]] = set()
    kept: list[Operation] = []
    for op in trace.ops:
        place = (op.descr, *(op.args if op.result else op.args[:-1]))
        if op.result is not None and (op.op.kind is NEW or place in places):
            made.add(op.result)
        if op.result is None and op.descr in memories and op.args[-1] in made:
            places.add(place)
        else:
            kept.append(op)
    return trace.of(kept)


def _is_early(before: Trace, after: Trace, memories: Sequence[str]) -> bool:
    """May the optimized trace store a new object to one of these ahead of a guard that the recorded trace comes to
    without having done so? Resume data takes no store back. Places are compared by inputs and constants alone."""
    guards = [number for number, op in enumerate(before.ops) if op.exit is not None]
    recorded = [(number, (op.descr, *op.args[:-1])) for number, op in enumerate(before.ops) if op.result is None]
    made = {op.result for op in after.ops if op.op.kind is NEW}
    variables = {op.result for op in after.ops if op.result is not None}
    stored: list[tuple[object, ...]] = []
    for op in after.ops:
        if op.result is None and op.descr in memories and op.args[-1] in made and op.args[0] not in made:
            stored.append((op.descr, *op.args[:-1]))
        if op.exit is None or not stored:
            continue
        origin = op.exit.origin
        if (
            origin is None
            or origin >= len(guards)
            or not variables.isdisjoint(arg for place in stored for arg in place)
        ):
            return True
        at = guards[origin]
        for place in stored:
            done = [number for number, other in recorded if other == place]
            if not done or done[-1] > at:
                return True
    return False


def with_origins(trace: Trace, origins: Sequence[int | None]) -> Trace:
    """The trace whose guards tell these origins. One of the iteration before has no name in a trace."""
    left = iter([None if origin is None or origin < 0 else origin for origin in origins])
    return replace(
        trace,
        ops=tuple(
            op if op.exit is None else replace(op, exit=replace(op.exit, origin=next(left, None))) for op in trace.ops
        ),
    )


def _put_off_memory(verdict: Verdict) -> str | None:
    """The field of references that differs at a side exit, where the recorded trace has put an object into it that it
    has made itself."""
    if not isinstance(verdict, Refuted) or _IS_MADE.search(verdict.counterexample.difference) is None:
        return None
    found = _PUT_OFF.match(verdict.counterexample.obligation)
    return None if found is None else found["memory"]
