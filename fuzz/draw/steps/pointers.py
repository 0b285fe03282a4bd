"""Steps about pointers: tests, guards and facts; and events."""

from __future__ import annotations

from contextlib import suppress

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.choices import NotDrawable
from fuzz.draw.heap_draft import NULL_REF
from optimizer.ir.operands import constant_of
from optimizer.ir.rows.ops import INT, REF, Op
from optimizer.ir.run.objects import Ref
from optimizer.ir.trace import ConstClass, ConstInt, Value, Var
from optimizer.ir.types.layout import Field


def guard_something(draft: AimedDraft, *kept: Value) -> None:
    """A guard, which hands over these values."""
    draft.kept = kept
    if draft.choices.chance(60):
        draft.guard_on(draft.truths[-1] if draft.truths and draft.choices.chance(50) else draft.variable())
    else:
        check_any(draft)
    draft.kept = ()


# Pointers.


def test_identity(draft: AimedDraft) -> None:
    one, two = draft.reference(), draft.reference()
    if one is None or two is None:
        return
    if draft.choices.chance(10):
        two = NULL_REF
    if draft.choices.chance(6) and not draft.refs_of(one).fresh:
        _cast(draft, one)
    if draft.choices.chance(20) and isinstance(one, Var):
        copied = draft.attempt(draft.choices.pick(draft.memory.copies), (one,))
        one = one if copied is None else copied.result or one
    operation = draft.attempt(draft.choices.pick(draft.memory.identities), (one, two))
    if operation is not None and operation.result is not None and draft.choices.chance(60):
        draft.guard_on(operation.result)


def _cast(draft: AimedDraft, one: Value) -> None:
    """Takes the address of an object that was there before the trace, and perhaps what is there; or one in it."""
    if draft.choices.chance(30):
        index = draft.variable() if draft.choices.chance(30) else ConstInt(draft.choices.integer(0, 3))
        offset, shift = draft.choices.pick((0, 8, 16, 17)) % draft.domain.half, draft.choices.integer(0, 3)
        draft.attempt(draft.choices.pick(draft.memory.places), (one, index, ConstInt(offset), ConstInt(shift)))
        return
    cast = draft.attempt(draft.choices.pick(draft.memory.addresses), (one,))
    if cast is not None and cast.result is not None and draft.choices.chance(60):
        draft.attempt(draft.choices.pick(draft.memory.objects), (cast.result,))


def check_any(draft: AimedDraft) -> None:
    pointer = draft.reference()
    if pointer is not None:
        check_pointer(draft, pointer)


def check_pointer(draft: AimedDraft, pointer: Value) -> None:
    """Guards that pass on the pointer: one, or several that could be one, with something between them."""
    rows = draft.memory.guards
    _ask(draft, draft.choices.pick(rows), pointer)
    match draft.choices.integer(0, 9):
        case 0 | 1 | 2 | 3:
            return
        case 4 | 5:
            draft.test()
        case 6:
            heap_event(draft)
    _ask(draft, draft.choices.pick([row for row in rows if len(row.args or ()) > 1]), pointer)


def check_in_two(draft: AimedDraft) -> None:
    """A pointer that nothing is known of is checked for NULL, and then for more."""
    touched = {aim.pointer for aim in draft.aims} | {*draft.fresh, *draft.checked_refs}
    untouched = [var for var in draft.references if var not in touched and draft.object_of(var) is not None]
    if not untouched:
        return
    pointer = draft.choices.pick(untouched)
    for row in draft.memory.guards:
        if len(row.args or ()) == 1 and draft.attempt(row, (pointer,)) is not None:
            break
    draft.choices.repeat(0, 2, lambda: _between_checks(draft))
    _ask(draft, draft.choices.pick([row for row in draft.memory.guards if len(row.args or ()) > 1]), pointer)


def _between_checks(draft: AimedDraft) -> None:
    match draft.choices.integer(0, 5):
        case 0 | 1 | 2:
            draft.test()
        case 3 | 4:
            draft.guard_on(draft.variable())
        case _:
            with suppress(NotDrawable):
                draft.store(draft.aim())


def _ask(draft: AimedDraft, row: Op, first: Value) -> None:
    """An operation of that row about a value, with other arguments for which it holds on the example."""
    for args in _completed(draft, row, first):
        if draft.attempt(row, args) is not None:
            return


def _completed(draft: AimedDraft, row: Op, first: Value) -> list[tuple[Value, ...]]:
    """Arguments that begin with a value, and for which the row may hold on the example."""
    if len(row.args or ()) == 1:
        return [(first,)]
    assert row.memory is not None
    if row.memory.class_arg is not None:
        return [(first, ConstClass(name)) for name in _classes(draft, first)]
    if row.same_type or row.args == (REF, REF) or row.args == (INT, INT):
        datum = draft.datum(first)
        if not isinstance(datum, Ref):
            return [(first, constant_of(datum))]
        return [(first, constant) for constant in (NULL_REF, *draft.const_refs) if draft.datum(constant) == datum]
    return [(first, ConstInt(number)) for _, number in draft.world.gc_types if number < draft.domain.half]


def _classes(draft: AimedDraft, pointer: Value) -> list[str]:
    """The vtables of the pointer's class and of those above it, in any order."""
    found = draft.object_of(pointer)
    names = []
    name = None if found is None else found.type.name
    while name is not None:
        struct = draft.types.layout.struct(name)
        names.append(struct.vtable)
        name = struct.parent
    return names if draft.choices.chance(70) else names[::-1]


def record_fact(draft: AimedDraft) -> None:
    row = draft.choices.pick(draft.memory.facts)
    assert row.args is not None
    first = draft.variable() if row.args[0] is INT else draft.reference()
    if first is not None:
        _ask(draft, row, first)


# Events.


def heap_event(draft: AimedDraft, *handed: Value, writes: Field | None = None) -> None:
    """An event that is handed these values and some others, and may write that field if there is such a call."""
    rows = draft.memory
    args = (*handed, *draft.some_handed(2))
    layout = draft.types.layout
    calls = [
        call for call in draft.types.declarations.calls if not (call.elidable or call.loop_invariant or call.oopspec)
    ]
    if writes is not None:
        calls = [call for call in calls if writes.key in (layout.memory_keys(call.writes) or ())]
    if writes is None or not calls:
        if not calls or draft.choices.chance(50):
            draft.event(draft.choices.pick(rows.events), args)
            return
        if draft.choices.chance(20):
            descr = "unknown" if draft.choices.chance(50) else None
            draft.event(draft.choices.pick(rows.calls), (ConstClass("unknown_func"), *args), descr)
            return
    call = draft.choices.pick(calls)
    fitting = [row for row in rows.calls if row.result.value == call.result]
    row = fitting[0] if draft.choices.chance(70) else draft.choices.pick(fitting)
    draft.event(row, (ConstClass(f"{call.name}_func"), *args), call.name)
