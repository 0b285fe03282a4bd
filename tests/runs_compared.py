"""Runs compared as a whole, from their events to their ends."""

from __future__ import annotations

from optimizer.ir.immutable import replace
from optimizer.ir.run.heap_comparison import Mismatch, Renaming, compare_events, sight_of_end
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
