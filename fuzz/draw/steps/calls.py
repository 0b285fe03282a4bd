"""Steps of traces about calls: functions, exceptions, conditional and loop-invariant calls, and what the world decides.

The example runs along: what a function has given it gives again, and guards are of what is pending on it.
"""

from __future__ import annotations

from functools import cache

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.call_draft import CallDraft, number
from fuzz.draw.draft import Args
from fuzz.draw.memory_rows import IS_VALID
from fuzz.draw.steps.pointers import heap_event
from optimizer.ir.rows.ops import FLOAT, INT, OPS, Op
from optimizer.ir.trace import ConstClass, ConstInt, Value
from optimizer.ir.types.calls import MEANINGS

_MOST_ARGUMENTS = 2


def call_something(draft: AimedDraft) -> None:
    """A call of some kind, or what has to do with one."""
    calls = draft.calls
    match draft.choices.integer(0, 15):
        case 0 | 1 | 2 | 3 | 4:
            _function(draft, calls)
        case 5 | 6:
            _twice(draft, calls)
        case 7:
            _invariant(draft, calls)
        case 8:
            _meaning(draft, calls)
            if draft.choices.chance(40):
                _read(draft, calls)
        case 9 | 10:
            _conditional(draft, calls)
        case 11:
            _say(draft, calls)
        case 12 if draft.choices.chance(50):
            _inert(draft, calls)
        case 12:
            _put_aside(draft, calls)
        case 13:
            _force(draft, calls)
        case _:
            heap_event(draft)
            _check(draft, calls)


def _check(draft: AimedDraft, calls: CallDraft) -> None:
    """A look at what is pending."""
    if draft.choices.chance(80):
        calls.check()


def _arguments(draft: AimedDraft) -> Args:
    """A few, and most often such as have been there."""
    return tuple(draft.choices.several(1, _MOST_ARGUMENTS, draft.handed))


def _function(draft: AimedDraft, calls: CallDraft) -> None:
    call = calls.pick_function()
    again = [args for name, args in calls.made if name == call.name]
    known = [tuple(ConstInt(number(one)) for one in result.args) for result in call.results]
    if again and draft.choices.chance(45):
        args = draft.choices.pick(again)
    elif known and draft.choices.chance(30):
        args = draft.choices.pick(known)
    else:
        args = _arguments(draft)
    calls.function(call, args)
    if call.can_raise and draft.choices.chance(75):
        calls.check()


def _twice(draft: AimedDraft, calls: CallDraft) -> None:
    """The same call again, with something between."""
    call, args = calls.pick_function(), _arguments(draft)
    for _ in range(2):
        calls.function(call, args)
        if call.can_raise and draft.choices.chance(80):
            calls.check()
        if draft.choices.chance(25):
            heap_event(draft)
            _check(draft, calls)


def look_at(draft: AimedDraft, pointer: Value) -> None:
    """A function that is declared to read memory is called with the object, if there is one."""
    declared = [call for call in draft.types.declarations.calls if call.elidable and call.reads]
    if declared:
        call = draft.choices.pick(declared)
        draft.calls.function(call, (pointer,))
        if call.can_raise and draft.choices.chance(80):
            draft.calls.check()


def _invariant(draft: AimedDraft, calls: CallDraft) -> None:
    """A loop-invariant call, and the same again."""
    function = ConstClass(draft.choices.pick(("once0", "once1", "once0")))

    def call() -> None:
        calls.invariant(function, _arguments(draft))
        _check(draft, calls)

    draft.choices.repeat(1, 2, call)


def _meaning(draft: AimedDraft, calls: CallDraft) -> None:
    call = calls.pick_meaning()
    if call is None:
        return
    row = MEANINGS[call.oopspec or ""]
    args = (draft.float_operand(),) if row.result is FLOAT else draft.operands(row)
    if args is not None:
        calls.meaning(call, row, args)


def _read(draft: AimedDraft, calls: CallDraft) -> None:
    """A reading of what belongs to the thread, and perhaps again behind an event."""
    slot = (ConstInt(draft.choices.pick((0, 4))),)
    calls.reading(slot)
    if draft.choices.chance(40):
        heap_event(draft)
        calls.reading(slot)


def _conditional(draft: AimedDraft, calls: CallDraft) -> None:
    condition: Value = draft.variable() if draft.choices.chance(85) else ConstInt(draft.choices.integer(0, 1))
    if draft.choices.chance(25) and not isinstance(condition, ConstInt):
        draft.guard_on(condition)  # type: ignore[arg-type]  # it is a variable
    if draft.choices.chance(50):
        calls.conditional_value(condition, calls.pick_function(INT), _arguments(draft))
    else:
        calls.conditional(condition, _arguments(draft))
    _check(draft, calls)


def _say(draft: AimedDraft, calls: CallDraft) -> None:
    """A call of a function with records of its result ahead of it or behind it, and with calls on other arguments."""
    call, args, others = calls.pick_function(INT), _arguments(draft), _arguments(draft)
    if draft.choices.chance(30):
        calls.function(call, others)
    calls.say(call, args)
    if draft.choices.chance(40):
        calls.function(call, others)
    if draft.choices.chance(70):
        calls.function(call, args)
        if call.can_raise:
            calls.check()


def _inert(draft: AimedDraft, calls: CallDraft) -> None:
    row = draft.choices.pick(_inert_rows())
    args: Args = tuple(draft.variable() for _ in row.args or ()) if row.args is not None else _arguments(draft)
    draft.event(row, args)


def _put_aside(draft: AimedDraft, calls: CallDraft) -> None:
    """An exception put aside while it is pending, and back, with an event between now and then."""
    class_ = draft.attempt(OPS["save_exc_class"], ())
    saved = draft.attempt(OPS["save_exception"], ())
    if draft.choices.chance(40):
        heap_event(draft)
    _check(draft, calls)
    if class_ is not None and saved is not None and class_.result and saved.result and draft.choices.chance(85):
        draft.attempt(OPS["restore_exception"], (class_.result, saved.result))
    _check(draft, calls)


def _force(draft: AimedDraft, calls: CallDraft) -> None:
    """The same guard on what else the world decides, with events between."""
    row = draft.choices.pick(_decided())
    for _ in range(draft.choices.integer(1, 3)):
        if draft.choices.chance(60):
            draft.event(OPS["call_may_force_n"], (ConstClass("forcing"), *_arguments(draft)))
        draft.guard(row, ())


@cache
def _inert_rows() -> tuple[Op, ...]:
    return tuple(row for row in OPS.values() if row.memory is not None and row.memory.inert)


@cache
def _decided() -> tuple[Op, ...]:
    return tuple(
        row
        for row in OPS.values()
        if row.is_guard and row.args == () and row.memory is not None and not row.memory.pending and row is not IS_VALID
    )
