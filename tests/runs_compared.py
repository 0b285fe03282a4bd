"""Runs compared as a whole, from their events to their ends."""

from __future__ import annotations

from optimizer.ir.immutable import replace
from optimizer.ir.run.heap_comparison import Mismatch, Renaming, sight_of_end, sight_of_event
from optimizer.ir.run.runs import Finished, GuardFailed, Jumped, Run, Stopped


def compare_runs(before: Run, after: Run) -> Mismatch | None:
    """The first difference of `after` from `before`: in its events, in how it ends, in what it hands over and leaves
    visible.

    Both have begun on one heap that describes every object of both traces (see `Program.prepare`). Which guard it was
    that failed is not compared, that is for origins to say; nor is anything behind an event that did not return.
    """
    renaming = Renaming()
    found = compare_events(before, after, renaming)
    if found is not None:
        return found
    wanted, got = before.outcome, after.outcome
    if type(wanted) is not type(got):
        return Mismatch("the end", type(wanted).__name__, type(got).__name__)
    match wanted, got:
        case Finished() | Jumped(), _:
            return renaming.difference(sight_of_end(before), sight_of_end(after))
        case GuardFailed(_, failargs), GuardFailed(_, others):
            unlisted = failargs is None or others is None
            ends = [sight_of_end(run) for run in (before, after)]
            if unlisted:
                ends = [replace(end, values=()) for end in ends]
            return renaming.difference(*ends)
        case Stopped(), _:
            return None
        case _:
            return Mismatch("the end", "defined", "undefined")


def compare_events(before: Run, after: Run, renaming: Renaming) -> Mismatch | None:
    """The first difference of the events of `after` from as many of `before`, in kind, arguments and visible memory."""
    for number, (wanted, got) in enumerate(zip(before.events, after.events, strict=False)):
        if wanted.name != got.name:
            return Mismatch(f"event {number}", wanted.name, got.name)
        found = renaming.difference(sight_of_event(wanted), sight_of_event(got))
        if found is not None:
            return Mismatch(f"at event {number}, {found.place}", found.wanted, found.got)
    if len(before.events) != len(after.events):
        return Mismatch("the number of events", str(len(before.events)), str(len(after.events)))
    return None
