"""Objections to the proof of a pair: a log tells more of side exits, and of the run, than has been proved."""

from __future__ import annotations

from optimizer.ir.check import inner_label
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.loops.proofs import ENTRY
from validator.pypy.exits import Prove, Shown
from validator.pypy.handed import hands_on_other_memory, hands_over_other_memory, unequal_args
from validator.pypy.label_lists import with_label_lists
from validator.pypy.resume_data import are_computed, hand_over_the_same, may_share, with_origins
from validator.pypy.translate import Translated
from validator.verdict import Evidence, Failargs, Options, Proved


def objection_to(proved: Proved, text: Translated, before: Trace, told: Trace, shown: Shown) -> str | None:
    """The reason for which a log tells more than what has been proved, if there is one."""
    origins = proved.evidence.origins
    if early := _early(origins, text):
        listing = with_origins(text.after, origins)
        if not are_computed(before, listing, shown.options, early):
            return f"guard {early[0]} hands over a value that its recorded guard does not have yet"
    if borrowing := _borrowing(origins, text):
        where = "in front of where it comes from, or where the guard in front does, whose resume data it does not share"
        return f"guard {borrowing[0]} has to resume {where}"
    if contradiction := _contradiction(proved, text):
        return contradiction
    other = hands_over_other_memory(before, text.after, told, shown.loop, shown.options, origins)
    if other is not None:
        return f"guard {other} hands over a new object that may not hold what the recorded one does"
    if text.loop is not None and hands_on_other_memory(before, text.after, shown.options):
        return "the bridge hands on a new object that may not hold what the recorded one does"
    return None


def doubtful_args(evidence: Evidence, text: Translated, shown: Translated, options: Options, prove: Prove) -> list[int]:
    """The arguments of the jump to a label that may be something else than they have to be. What the body computes with
    them is proved, if it is known to come to its end from there, or that they are what the recorded bridge hands on, or
    what the recorded loop computes behind it, where guards of the body list that."""
    doubts = [one for one in text.doubts if not one.is_computed_with or evidence.vacuous != ()]
    wanted = {one.number: one.wanted for one in doubts if not one.is_listed}
    wrong = unequal_args(text.before, text.after, wanted, options)
    listed = [one.number for one in doubts if one.is_listed]
    if wrong or not listed:
        return wrong
    strict = replace(options, failargs=Failargs.CHECK, runs=False, by_preamble=shown.by_preamble)
    assert shown.loop is not None
    listing = with_label_lists(*shown.loop, listed, strict)
    if listing is None:
        return listed
    verdict = prove(shown.before, shown.after, strict, listing)
    return [] if isinstance(verdict, Proved) else listed


def _contradiction(proved: Proved, text: Translated) -> str | None:
    """The reason for which the recorded trace could not have run to its end, if there is one. That a loop does not go
    round once more is none, but where that may be because of what is assumed."""
    for reason in proved.evidence.vacuous or ():
        if not text.is_loop or reason.startswith(ENTRY):
            return f"the recorded trace has run, which contradicts what is assumed: {reason}"
        if text.assumes:
            return f"the loop never goes round once more, be it because of what is assumed: {reason}"
    return None


def _early(origins: tuple[int | None, ...], text: Translated) -> list[int]:
    """The numbers of the guards of the optimized trace that come from a recorded one in front of the least that they
    seem to come from, or hand over what no recorded one seems to have."""
    least = enumerate(zip(origins, text.earliest, strict=False))
    early = {number for number, (origin, first) in least if origin is not None and origin < first}
    return sorted(early | {number for number in text.unrecorded if origins[number] is not None})


def _borrowing(origins: tuple[int | None, ...], text: Translated) -> list[int]:
    """The numbers of the guards of the optimized trace that come from a recorded one in front of the one that they seem
    to come from, and may not share the resume data of the guard in front, which goes back as far; or from the same one
    as the guard in front, and hand over other values."""
    found: list[int] = []
    label = inner_label(text.after)
    body = None if label is None else sum(op.exit is not None for op in text.after.ops[:label])
    for number, (own, seen) in enumerate(zip(origins, text.origins, strict=False)):
        if own is None:
            continue
        ahead = origins[number - 1] if number else None
        is_early = own < 0 or any(one is not None and own < one for one in (seen, text.moved[number]))
        goes_back = ahead is not None and ahead <= own and number - 1 not in found and may_share(text.after, number)
        is_other = ahead == own and number != body and not hand_over_the_same(text.after, number)
        if is_other or (is_early and not goes_back):
            found.append(number)
    return found
