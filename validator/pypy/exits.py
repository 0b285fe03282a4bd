"""Proofs of a pair of a log, as far as a log tells of side exits.

What guards hand over is not in a log. But where a guard fails, memory has to be as it was where the recorded guard
fails: PyPy puts off a store over a guard only where it stores a virtual object, which it has not made yet; resume data
makes the object, and does the store. So memory is compared at side exits, too, and where the optimized trace lacks such
a store, what resume data can do is written into it, as an exit block. The proof is about that.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.row import NEW, STORE
from optimizer.ir.trace import Trace, exit_of
from validator.pypy.resume_data import Loop, Resumed, with_origins, with_resume_data, without_lists
from validator.verdict import Failargs, Options, Proved, Refuted, Status, Unknown, Verdict

Prove = Callable[[Trace, Trace, Options, Loop], Verdict]
"""The way to judge traces, of bridges to an inner label with the loop that they jump to, as recorded and peeled."""

_AT_EXIT = re.compile(r"guard [0-9]+: heap")
_ELSEWHERE = re.compile(r"event|end|guard [0-9]+: (left|condition|events)")
"""The obligations that no exit block has a part in."""

_IS_MADE = re.compile(r", not new[0-9]+\b")


@immutable
class Shown:
    """A verdict, and what it is about: the optimized trace, in which guards tell their origins if they were found, and
    in exit blocks what resume data does; likewise the loop that it jumps to, if it does; and the options."""

    verdict: Verdict
    after: Trace
    loop: Loop
    options: Options


def prove_with_exits(before: Trace, after: Trace, loop: Loop, options: Options, prove: Prove) -> Shown:
    """The verdict on a pair. What guards of the optimized trace hand over is not compared; but nothing else that the
    trace has computed is used in their exit blocks, if it is listed."""
    loose, strict = (replace(options, failargs=mode) for mode in (Failargs.IGNORE, Failargs.CHECK))
    sought = replace(loose, notes=False)  # for the origins of guards, or for a verdict that is no proof
    listed, listed_loop = after, loop
    after, loop = without_lists(after), loop and (loop[0], without_lists(loop[1]))
    told, has_told = after, _tells_origins(after)
    if not has_told:
        verdict = prove(before, after, sought, loop)
        if not isinstance(verdict, Proved):
            return Shown(verdict, after, loop, loose)
        told, listed = (with_origins(one, verdict.evidence.origins) for one in (after, listed))
    resumed = shown = None
    if _gives_away(before) > _gives_away(after):
        resumed = with_resume_data(before, listed, listed_loop, strict)
        shown = prove(before, resumed.after, strict, resumed.loop) if resumed.is_needed else None
    if resumed and isinstance(shown, Proved):
        return _resuming(shown, resumed, strict)
    if isinstance(shown, Refuted) and _ELSEWHERE.match(shown.counterexample.obligation):
        return Shown(shown, told, loop, loose)
    if resumed and isinstance(shown, Unknown) and not _is_at_exits(shown):
        return Shown(shown, resumed.after, resumed.loop, strict)
    # What resume data is needed for is not right without it; other operations have other numbers there.
    at_exits = shown if shown and _is_at_exits(shown) else prove(before, told, strict, loop)
    if isinstance(at_exits, Proved):
        return Shown(at_exits, told, loop, strict)
    if has_told:
        verdict = prove(before, after, sought, loop) if _is_at_exits(at_exits) else at_exits
        if not isinstance(verdict, Proved):
            return Shown(verdict, after, loop, loose)
    resumed = resumed or with_resume_data(before, listed, listed_loop, strict)
    if shown is None and (resumed.after, resumed.loop) != (told, loop):
        shown = prove(before, resumed.after, strict, resumed.loop)
        if isinstance(shown, Proved):
            return _resuming(shown, resumed, strict)
    if isinstance(shown, Unknown) and not shown.evidence.is_repeatable:
        return Shown(shown, resumed.after, resumed.loop, strict)
    if isinstance(at_exits, Refuted) and not (resumed.is_open or _is_of_made(at_exits)) and told != after:
        at_exits, told = prove(before, after, strict, loop), after
    if isinstance(at_exits, Refuted) and (resumed.is_open or _is_of_made(at_exits)):
        reason = f"{at_exits.counterexample.obligation} differs, and not only by what resume data can do"
        at_exits = Unknown(at_exits.evidence, reason)
    return Shown(at_exits, told, loop, strict)


def _resuming(proved: Proved, resumed: Resumed, options: Options) -> Shown:
    assumed = [f"resume data makes objects and stores them to {one} at side exits" for one in resumed.memories]
    evidence = replace(proved.evidence, assumes=(*proved.evidence.assumes, *assumed))
    return Shown(replace(proved, evidence=evidence), resumed.after, resumed.loop, options)


def _gives_away(trace: Trace) -> int:
    """The number of stores of objects that the trace has made to others. Where the optimized one has fewer of them,
    resume data most likely has to do some."""
    made = {op.result for op in trace.ops if op.op.kind is NEW}
    stores = (op.args for op in trace.ops if op.op.kind is STORE)
    return sum(value in made and into not in made for into, *_, value in stores)


def _is_of_made(verdict: Refuted) -> bool:
    """Has the recorded trace an object there that it has made itself?"""
    return _IS_MADE.search(verdict.counterexample.difference) is not None


def _tells_origins(trace: Trace) -> bool:
    """Do all guards tell their origins? Otherwise they are found sooner where memory at side exits does not matter."""
    return all(exit_of(guard).origin is not None for guard in trace.guards)


def _is_at_exits(verdict: Verdict) -> bool:
    """May memory at side exits be all that differs, or was not settled?"""
    match verdict:
        case Refuted(_, found):
            return _AT_EXIT.search(found.obligation) is not None
        case Unknown(evidence):
            left = [one.name for one in evidence.obligations if one.status is Status.UNKNOWN]
            return evidence.is_repeatable and all(map(_AT_EXIT.search, left))
    return False
