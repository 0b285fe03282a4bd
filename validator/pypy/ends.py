"""Guards in front of the end of a bridge that are not the recorded one's.

PyPy's optimizer compares what a bridge hands on with what the labels of a loop take, and sends guards for what it does
not know (`generate_guards` in virtualstate.py), and those of what it loads from there in front of the loop
(`inline_short_preamble` in unroll.py). Where it goes to the start of the loop after all, they stay
(`optimize_bridge` in unroll.py). They resume where the bridge ends; in which cases they fail does not matter. A log
does not say that they do: so nothing is refuted for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from itertools import takewhile

from optimizer.ir.trace import ConstRef, Operation, Trace, Value, Var

RESUME_AT_END = "guards of what the bridge hands on, behind all others, resume at its end"


def fails_at_end(obligation: str, after: Trace, origins: tuple[int | None, ...]) -> bool:
    """Is this about when such a guard fails, or on what it is defined?"""
    asked = _asked(after, origins, {*after.end.args, *_found_to_be(after.end.args, after.guards)})
    first = len(after.guards) - len(asked)
    places = [place for place, op in enumerate(after.ops) if any(op is guard for guard in asked)]
    return obligation in (
        *(f"guard {number}: condition" for number in range(first, len(after.guards))),
        *(f"op {place}: defined" for place in places),
    )


def _asked(after: Trace, origins: tuple[int | None, ...], handed_on: Set[Value]) -> list[Operation]:
    """Such guards of a bridge, the last one first."""
    last = list(zip(after.guards, origins, strict=True))[::-1] if after.end.op.jumps else []
    reached = {value for value in handed_on if isinstance(value, Var)}
    for op in after.ops:
        if op.result is not None and (op.op.name.startswith("get") or op.op.is_pure) and {*op.args[:1]} & reached:
            reached.add(op.result)
    asked = takewhile(lambda one: one[1] is None and {*one[0].args[:1]} & reached, last)
    return [guard for guard, _ in asked]


def _found_to_be(constants: Collection[Value], guards: Sequence[Operation]) -> Iterator[Value]:
    """The values in whose place these constants stand behind a guard."""
    for guard in guards:
        found = {"guard_value": guard.args[1:], "guard_isnull": (ConstRef("NULL"),)}.get(guard.op.name, ())
        if any(constant in constants for constant in found):
            yield guard.args[0]
