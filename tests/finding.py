"""Finds in pairs of traces, or in what an optimizer makes of a trace."""

from __future__ import annotations

from fuzz.campaign.examine import Find
from fuzz.reduce.source import look_at
from fuzz.reduce.trials import Subject
from optimizer.ir.trace import Trace
from validator.search.counterexample import State


def find_in(before: Trace, after: Trace | None, subject: Subject, state: State | None = None) -> Find | None:
    """The fault of the pair, or of what the optimizer makes of the trace; None if there is none. `state` is one worth
    running."""
    record = look_at(before, after, subject, state)
    return record if isinstance(record, Find) else None
