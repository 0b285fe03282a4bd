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
    free, free_loop = without_lists(after), loop and (loop[0], without_lists(loop[1]))

    def elsewhere() -> Shown:
        """The verdict where memory at side exits does not matter: the origins of guards, or why there is no proof."""
        return Shown(prove(before, free, replace(loose, notes=False), free_loop), free, free_loop, loose)

    def judged(tried: Resumed) -> Shown:
        verdict = prove(before, tried.after, strict, tried.loop)
        return Shown(_resuming(verdict, tried.memories), tried.after, tried.loop, strict)

    told, has_told = free, _tells_origins(free)
    if not has_told:
        found = elsewhere()
        if not isinstance(found.verdict, Proved):
            return found
        told, after = (with_origins(one, found.verdict.evidence.origins) for one in (free, after))
    plain = Resumed(told, free_loop, (), is_open=False)
    resumed = with_resume_data(before, after, loop, strict) if _gives_away(before) > _gives_away(free) else None
    tried = resumed if resumed and resumed.is_needed else plain
    shown = judged(tried)
    if isinstance(shown.verdict, Proved):
        return shown
    is_certain = tried is plain and has_told  # else by origins that were found, or by operations behind exit blocks
    if not _is_at_exits(shown.verdict) and (is_certain or isinstance(shown.verdict, Unknown)):
        return shown
    if has_told and not isinstance((found := elsewhere()).verdict, Proved):
        return found
    resumed = resumed or with_resume_data(before, after, loop, strict)
    if tried is plain and (resumed.after, resumed.loop) != (told, free_loop):
        again = judged(resumed)
        if isinstance(again.verdict, Proved) or (
            isinstance(again.verdict, Unknown) and not again.verdict.evidence.is_repeatable
        ):
            return again
    if isinstance(shown.verdict, Refuted) and not (resumed.is_open or _is_of_made(shown.verdict)) and told != free:
        shown = judged(replace(plain, after=free))  # whatever the origins of guards
    if isinstance(shown.verdict, Refuted) and (resumed.is_open or _is_of_made(shown.verdict)):
        reason = f"{shown.verdict.counterexample.obligation} differs, and not only by what resume data can do"
        return replace(shown, verdict=Unknown(shown.verdict.evidence, reason))
    return shown


def _resuming(verdict: Verdict, memories: tuple[str, ...]) -> Verdict:
    """The verdict where resume data stores to these memories."""
    if not isinstance(verdict, Proved):
        return verdict
    assumed = [f"resume data makes objects and stores them to {one} at side exits" for one in memories]
    return replace(verdict, evidence=replace(verdict.evidence, assumes=(*verdict.evidence.assumes, *assumed)))


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
