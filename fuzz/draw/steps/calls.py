"""Steps of traces about calls: functions, exceptions, conditional and loop-invariant calls, and what the world decides.

The example runs along: what a function has given it gives again, and guards are of what is pending on it.
"""

from __future__ import annotations

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.call_draft import SAYS, UNKNOWN, number
from fuzz.draw.draft import Args
from fuzz.draw.memory_rows import IS_VALID
from fuzz.draw.steps.pointers import heap_event
from optimizer.ir.rows.ops import FLOAT, INT, OPS, REF, Op, Type
from optimizer.ir.run.objects import NULL
from optimizer.ir.trace import ConstClass, ConstInt, Operation, Value
from optimizer.ir.types.calls import MEANINGS
from optimizer.ir.types.declared import Call
from optimizer.ir.types.layout import Struct

_MOST_ARGUMENTS = 2

_CONDITIONAL, _CATCHES = OPS["cond_call"], OPS["guard_exception"]

_INERT = [row for row in OPS.values() if row.memory and row.memory.inert]
_DECIDED = [row for row in OPS.values() if row.is_guard and row.args == () and row.memory and not row.memory.pending]
_DECIDED.remove(IS_VALID)

_TYPES = {"int": INT, "ref": REF}
_LETTERS = {INT: "i", REF: "r", FLOAT: "f"}


def call_something(draft: AimedDraft) -> None:
    """A call of some kind, or what has to do with one."""
    match draft.choices.integer(0, 15):
        case 0 | 1 | 2 | 3 | 4:
            _function(draft)
        case 5 | 6:
            _twice(draft)
        case 7:
            _invariant(draft)
        case 8:
            _meaning(draft)
            if draft.choices.chance(40):
                _read(draft)
        case 9 | 10:
            _conditional(draft)
        case 11:
            _say(draft)
        case 12 if draft.choices.chance(50):
            _inert(draft)
        case 12:
            _put_aside(draft)
        case 13:
            _force(draft)
        case _:
            heap_event(draft)
            _check(draft)


def _check(draft: AimedDraft) -> None:
    """A look at what is pending."""
    if draft.choices.chance(80):
        _guard_pending(draft)


def _guard_pending(draft: AimedDraft) -> None:
    """A guard on what is pending."""
    pending = draft.heap.pending()
    if pending == NULL:
        draft.guard(OPS["guard_no_exception"], ())
        return
    type_ = draft.heap.objects[pending].type
    if isinstance(type_, Struct):
        draft.need(_CATCHES)
        exit_ = draft.exit()
        draft.heap.set_pending(NULL)
        args = (ConstClass(type_.vtable),)
        draft.ops.append(Operation(_CATCHES, args, draft.define_ref(pending), exit_))


def _arguments(draft: AimedDraft) -> Args:
    """A few, and most often such as have been there."""
    return tuple(draft.choices.several(1, _MOST_ARGUMENTS, draft.handed))


def _pick_function(draft: AimedDraft, result: Type | None = None) -> Call:
    """A function that is declared, or one that is not."""
    declared = [call for call in draft.types.declarations.calls if call.elidable and not call.oopspec]
    fitting = [call for call in declared if result is None or _TYPES[call.result] is result]
    return UNKNOWN if not fitting or draft.choices.chance(15) else draft.choices.pick(fitting)


def _call(draft: AimedDraft, row: Op, call: Call, args: Args, ahead: Args = ()) -> None:
    draft.need(row)
    draft.calls.add(row, (*ahead, *_with_function(draft, call, args)), call.name)


def _with_function(draft: AimedDraft, call: Call, args: Args) -> Args:
    which = "twin" if draft.choices.chance(20) else "func"
    return (ConstClass(f"{call.name}_{which}"), *args)


def _call_function(draft: AimedDraft, call: Call, args: Args) -> None:
    stems = ("call_pure",) if call is UNKNOWN else ("call", "call", "call_pure", "call_may_force")
    _call(draft, OPS[f"{draft.choices.pick(stems)}_{_LETTERS[_TYPES[call.result]]}"], call, args)
    draft.calls.made.append((call.name, args))


def _function(draft: AimedDraft) -> None:
    call = _pick_function(draft)
    again = [args for name, args in draft.calls.made if name == call.name]
    known = [tuple(ConstInt(number(one)) for one in result.args) for result in call.results]
    if again and draft.choices.chance(45):
        args = draft.choices.pick(again)
    elif known and draft.choices.chance(30):
        args = draft.choices.pick(known)
    else:
        args = _arguments(draft)
    _call_function(draft, call, args)
    if call.can_raise and draft.choices.chance(75):
        _guard_pending(draft)


def _twice(draft: AimedDraft) -> None:
    """The same call again, with something between."""
    call, args = _pick_function(draft), _arguments(draft)
    for _ in range(2):
        _call_function(draft, call, args)
        if call.can_raise and draft.choices.chance(80):
            _guard_pending(draft)
        if draft.choices.chance(25):
            heap_event(draft)
            _check(draft)


def look_at(draft: AimedDraft, pointer: Value) -> None:
    """A function that is declared to read memory is called with the object, if there is one."""
    declared = [call for call in draft.types.declarations.calls if call.elidable and call.reads]
    if declared:
        call = draft.choices.pick(declared)
        _call_function(draft, call, (pointer,))
        if call.can_raise and draft.choices.chance(80):
            _guard_pending(draft)


def _invariant(draft: AimedDraft) -> None:
    """A loop-invariant call, and the same again."""
    function = ConstClass(draft.choices.pick(("once0", "once1", "once0")))
    call = next((one for one in draft.types.declarations.calls if one.loop_invariant), None)

    def once() -> None:
        args = _arguments(draft)
        if call is not None:
            _call_once(draft, call, (function, *args))
        _check(draft)

    draft.choices.repeat(1, 2, once)


def _call_once(draft: AimedDraft, call: Call, args: Args) -> None:
    row = OPS[draft.choices.pick(("call_loopinvariant_i", "call_i"))]
    draft.need(row)
    draft.calls.add(row, args, call.name)
    result = draft.ops[-1].result
    if draft.calls.is_event and result is not None and draft.choices.chance(30):
        draft.use((result,))  # it is made for what it does


def _meaning(draft: AimedDraft) -> None:
    """A call of what is an operation."""
    declared = [call for call in draft.types.declarations.calls if call.oopspec in MEANINGS]
    if not declared:
        return
    call = draft.choices.pick(declared)
    row = MEANINGS[call.oopspec or ""]
    args = (draft.float_operand(),) if row.result is FLOAT else draft.operands(row)
    if args is not None:
        _call(draft, OPS[f"{draft.choices.pick(('call', 'call_pure'))}_{_LETTERS[row.result]}"], call, args)


def _read(draft: AimedDraft) -> None:
    """A reading of what belongs to the thread, and perhaps again behind an event."""
    slot = (ConstInt(draft.choices.pick((0, 4))),)
    call = next((one for one in draft.types.declarations.calls if one.name == "local"), None)
    if call is not None:
        _call(draft, OPS["call_i"], call, slot)
    if draft.choices.chance(40):
        heap_event(draft)
        if call is not None:
            _call(draft, OPS["call_i"], call, slot)


def _conditional(draft: AimedDraft) -> None:
    condition: Value = draft.variable() if draft.choices.chance(85) else ConstInt(draft.choices.integer(0, 1))
    if draft.choices.chance(25) and not isinstance(condition, ConstInt):
        draft.guard_on(condition)  # type: ignore[arg-type]  # it is a variable
    if draft.choices.chance(50):
        function, args = _pick_function(draft, INT), _arguments(draft)
        if function is not UNKNOWN:
            _call(draft, OPS["cond_call_value_i"], function, args, (condition,))
    else:
        args = _arguments(draft)
        draft.need(_CONDITIONAL)
        declared = [call for call in draft.types.declarations.calls if call.result == "void"]
        call = draft.choices.pick(declared) if declared and draft.choices.chance(70) else None
        full = (condition, ConstClass("conditional_func"), *args)
        draft.calls.add(_CONDITIONAL, full, None if call is None else call.name)
    _check(draft)


def _say(draft: AimedDraft) -> None:
    """A call of a function with records of its result ahead of it or behind it, and with calls on other arguments."""
    call, args, others = _pick_function(draft, INT), _arguments(draft), _arguments(draft)
    if draft.choices.chance(30):
        _call_function(draft, call, others)
    _record_result(draft, call, args)
    if draft.choices.chance(40):
        _call_function(draft, call, others)
    if draft.choices.chance(70):
        _call_function(draft, call, args)
        if call.can_raise:
            _guard_pending(draft)


def _record_result(draft: AimedDraft, call: Call, args: Args) -> None:
    """Says what the function gives, if it gives a number and raises nothing."""
    draft.need(SAYS)
    full = _with_function(draft, call, args)
    key = INT, tuple(map(draft.datum, full))
    variable = draft.variable()
    declared, here = draft.calls.declared(call, key[1][1:]), draft.values[variable.name]
    value, raised = draft.calls.known.get(key, (here if declared is None else declared, NULL))
    if raised == NULL and isinstance(value, int):
        told: Value = variable if here == value else ConstInt(value)
        draft.calls.add(SAYS, (told, *full), call.name)


def _inert(draft: AimedDraft) -> None:
    row = draft.choices.pick(_INERT)
    args: Args = tuple(draft.variable() for _ in row.args or ()) if row.args is not None else _arguments(draft)
    draft.event(row, args)


def _put_aside(draft: AimedDraft) -> None:
    """An exception put aside while it is pending, and back, with an event between now and then."""
    class_ = draft.attempt(OPS["save_exc_class"], ())
    saved = draft.attempt(OPS["save_exception"], ())
    if draft.choices.chance(40):
        heap_event(draft)
    _check(draft)
    if class_ is not None and saved is not None and class_.result and saved.result and draft.choices.chance(85):
        draft.attempt(OPS["restore_exception"], (class_.result, saved.result))
    _check(draft)


def _force(draft: AimedDraft) -> None:
    """The same guard on what else the world decides, with events between."""
    row = draft.choices.pick(_DECIDED)
    for _ in range(draft.choices.integer(1, 3)):
        if draft.choices.chance(60):
            draft.event(OPS["call_may_force_n"], (ConstClass("forcing"), *_arguments(draft)))
        draft.guard(row, ())
