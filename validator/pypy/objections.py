"""Objections to the proof of a pair: a log tells more of side exits, and of the run, than has been proved."""

from __future__ import annotations

from optimizer.ir.check import inner_label
from optimizer.ir.rows.row import NEW, STORE
from optimizer.ir.trace import Trace, exit_of
from validator.loops.proofs import ENTRY
from validator.pypy.exits import Shown
from validator.pypy.handed import hands_on_other_memory, hands_over_other_memory, may_fail
from validator.pypy.inferred.executed import SAY_CONSTANT
from validator.pypy.label_args import BY_SIZE, computed_otherwise, doubtful_args, lost_args
from validator.pypy.resume_data import may_share, not_computed, with_origins
from validator.pypy.translate import Translated
from validator.verdict import Options, Proved


def objection_to(proved: Proved, text: Translated, before: Trace, told: Trace, shown: Shown) -> str | None:
    """The reason for which a log tells more than what has been proved, if there is one."""
    origins = proved.evidence.origins
    listing = with_origins(text.after, origins)
    new = _early(origins, text)
    new = new and not_computed(before, listing, shown.options, new)
    if new and (new := may_fail(before, listing, shown.loop, shown.options, new)):
        return f"guard {new[0]} hands over a value that the recorded trace may not have where it comes from"
    borrowing = _borrowing(origins, text)
    if borrowing and (borrowing := may_fail(before, listing, shown.loop, shown.options, borrowing)):
        where = "in front of where it comes from, or where the guard in front does, whose resume data it does not share"
        return f"guard {borrowing[0]} has to resume {where}"
    if contradiction := _contradiction(proved, text):
        return contradiction
    other = hands_over_other_memory(before, text.after, told, shown.loop, shown.options, origins)
    if other is not None:
        return f"guard {other} hands over a new object that may not hold what the recorded one does"
    if text.loop is not None and hands_on_other_memory(before, text.after, shown.options):
        return "the bridge hands on a new object that may not hold what the recorded one does"
    if text.loop is None and inner_label(text.after) is not None:
        lost = lost_args(before, text.after, shown.options)
        return f"the label may not take argument {lost[0]} of the recorded jump, or not all it holds" if lost else None
    return None


def shared(origins: tuple[int | None, ...], after: Trace, number: int) -> tuple[int | None, ...]:
    """The origins where the guards of one origin up to that number share the resume data of the guard in front of them;
    none where they may not."""
    first = origins.index(origins[number])
    if not first or not all(may_share(after, at) for at in range(first, number + 1)):
        return ()
    return (*origins[:first], *[origins[first - 1]] * (number + 1 - first), *origins[number + 1 :])


def objection_to_jump(text: Translated, options: Options) -> tuple[str | None, tuple[str, ...]]:
    """The reason for which a bridge may hand something else to a label than it has to, if there is one: another value
    than what the recorded bridge hands on, or, of a value that the recorded loop computes anew, another one than what
    that computes behind the bridge. And what is assumed for there being none."""
    assert text.loop is not None
    args = doubtful_args(text.loop, text.before, text.after, options)
    if args.wrong:
        what = f"argument {args.wrong[0]} of the recorded jump"
        return f"{what} may be another value, or object, than the optimized one hands on", ()
    used = _used(text.loop[1])
    wrong = computed_otherwise(text.loop, text.before, text.after, sorted(args.others & used), options)
    if wrong:
        return f"argument {wrong[0]} of the jump may not be what the loop takes there", ()
    return None, (BY_SIZE,) if args.goes_by_size else ()


def _used(peeled: Trace) -> set[int]:
    """The arguments of the label that the body uses, be it in lists of guards, and does not only hand on."""
    label = inner_label(peeled)
    assert label is not None
    args = peeled.ops[label].args
    body = peeled.ops[label + 1 : -1]
    used = {arg for op in body for arg in (*op.args, *(exit_of(op).failargs or () if op.exit else ()))}
    return {number for number, arg in enumerate(args) if arg in used}


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
        is_other = ahead == own and number != body and not _hand_over_the_same(text.after, number)
        if is_other or (is_early and not goes_back):
            found.append(number)
    return found


def _hand_over_the_same(after: Trace, number: int) -> bool:
    """Does that guard hand over what the one in front does, but for what that one has found to be a constant, and with
    new objects for what they hold?"""
    first, last = [place for place, op in enumerate(after.ops) if op.op.is_guard][number - 1 : number + 1]
    one, between = after.ops[first], after.ops[first:last]
    handed, later = exit_of(one).failargs, exit_of(after.ops[last]).failargs
    if handed is None or later is None:
        return handed is later
    made = {op.result for op in between if op.op.kind is NEW and op.result in later}
    stored = [op for op in between if op.op.kind is STORE and op.args[0] in made]
    gone = {*{(op.descr, op.args[:-1]): op.args[-1] for op in stored}.values()}  # what is there in the end
    gone |= {*one.args[:1]} if one.op.name in SAY_CONSTANT else set()
    gone -= {*later}
    return [value for value in handed if value not in gone] == [value for value in later if value not in made]
