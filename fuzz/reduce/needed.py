"""The needs of a candidate on its state: objects that something refers to, and memory that its traces know of."""

from __future__ import annotations

from fuzz.edits.reach import reached
from fuzz.reduce.candidate import Candidate
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.types.trace_layout import layout_of
from validator.tell.stored_state import restored_state, stored_state


def with_told_state(candidate: Candidate) -> Candidate | None:
    """The candidate with what it needs of its state, as a case tells it; None where that cannot be read again."""
    try:
        layout = layout_of(*candidate.traces)
        told = stored_state(reached(candidate.state, candidate.traces, layout), candidate.before)
        state = restored_state(told, candidate.before, layout, "state")
    except (InputError, ValueError):
        return None
    if state is None and candidate.before.inputs:
        return None
    return replace(candidate, state=state or candidate.state)
