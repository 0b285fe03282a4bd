"""The targets of the jumps at the ends of two traces.

A jump goes back to the start of its trace where it names no target, or that of the `label` in front. What other targets
are nobody here knows: that those of the two traces correspond is taken for granted.
"""

from __future__ import annotations

from optimizer.ir.trace import Trace


def shared_label(before: Trace, after: Trace) -> str | None:
    """The target that is the start of both traces, by the `label` in front of each; None if there is none."""
    one, two = front_label(before), front_label(after)
    return one if one == two else None


def jump_apart(before: Trace, after: Trace) -> bool:
    """Does one of the jumps certainly go back to the start that both traces name, and the other one elsewhere?"""
    return are_apart(before.end.descr, after.end.descr, shared_label(before, after))


def are_apart(one: str | None, other: str | None, label: str | None) -> bool:
    """Is one of the targets that label, at which both traces start, and the other one not?"""
    return label is not None and (one in (None, label)) != (other in (None, label))


def must_correspond(before: Trace, after: Trace) -> bool:
    """Are there targets that are taken to be the same, and may not be?"""
    if not before.end.op.jumps or not after.end.op.jumps or before.end.descr == after.end.descr:
        return False
    return _target(before) != _target(after) and not jump_apart(before, after)


def _target(trace: Trace) -> str | None:
    """The target of the jump; None is the start of the trace."""
    return None if trace.end.descr == front_label(trace) else trace.end.descr


def front_label(trace: Trace) -> str | None:
    """The name of the label in front; None if there is none."""
    return trace.ops[0].descr if trace.ops and trace.ops[0].op.is_entry else None
