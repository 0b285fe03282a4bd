"""Steps of traces over heaps: a few operations each, left out where the example does not allow them."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.choices import chance, pick
from fuzz.heap_draft import NULL_REF, Aim, HeapDraft
from fuzz.shape import Step
from optimizer.ir.heap import Ref
from optimizer.ir.layout import Array
from optimizer.ir.ops import DescrKind, Op, Type
from optimizer.ir.trace import ConstClass, ConstInt, Value, Var


def take_heap_step(draft: HeapDraft, step: Step) -> bool:
    """Takes the step; False if it is not one of heaps."""
    taken = _STEPS.get(step)
    if taken is not None:
        taken(draft)
    return taken is not None


# Accesses.


def _load(draft: HeapDraft) -> None:
    aim = draft.aim()
    if aim is not None:
        draft.load(aim)


def _store(draft: HeapDraft) -> None:
    aim = draft.aim()
    if aim is not None:
        draft.store(aim)


def _access(draft: HeapDraft, aim: Aim) -> None:
    if chance(draft.choices, 50):
        draft.store(aim)
    else:
        draft.load(aim)


def _aliases(draft: HeapDraft) -> None:
    """What is there through one pointer, a store through another, and what is there then."""
    aim = draft.aim()
    if aim is not None:
        _access(draft, aim)
        draft.store(draft.beside(aim))
        draft.load(aim)


def _overwrite(draft: HeapDraft) -> None:
    aim = draft.aim()
    if aim is None or draft.store(aim) is None:
        return
    draft.choices.repeat(0, 2, lambda: _interlude(draft, aim))
    draft.store(aim)
    if chance(draft.choices, 30):
        _guard(draft)


def _interlude(draft: HeapDraft, aim: Aim) -> None:
    """Something between two accesses to a place, which may touch it."""
    match draft.choices.integer(0, 5):
        case 0 | 1 | 2:
            _guard(draft)
        case 3:
            _access(draft, draft.beside(aim))
        case 4:
            _access(draft, aim)
        case _:
            heap_event(draft)


def _guard(draft: HeapDraft) -> None:
    if chance(draft.choices, 60):
        tests = [op.result for op in draft.computed if op.op in draft.rows.tests and op.result is not None]
        draft.guard_on(tests[-1] if tests and chance(draft.choices, 50) else draft.variable())
    else:
        _check(draft)


def _write_back(draft: HeapDraft) -> None:
    aim = draft.aim()
    value = None if aim is None else draft.load(aim)
    if aim is None or value is None:
        return
    match draft.choices.integer(0, 3):
        case 0:
            pass
        case 1 | 2:
            draft.store(draft.beside(aim))
        case _:
            _interlude(draft, aim)
    draft.store(aim, value)
    if chance(draft.choices, 40):
        draft.load(aim)


def _reread(draft: HeapDraft) -> None:
    aim = draft.aim()
    if aim is not None:
        _access(draft, aim)
        heap_event(draft)
        draft.load(aim)


def _items(draft: HeapDraft) -> None:
    """Accesses to one array, and a guard on an item."""
    aim = draft.new_aim(pick(draft.choices, (DescrKind.ITEM, DescrKind.ITEM, DescrKind.INTERIOR)))
    if aim is None:
        return
    _access(draft, aim)
    draft.choices.repeat(0, 2, lambda: _access(draft, draft.beside(aim)))
    item = draft.load(aim)
    if item is not None and chance(draft.choices, 60):
        if item.type is Type.INT:
            draft.guard_on(item)
        else:
            _check_pointer(draft, item)


def _length(draft: HeapDraft) -> None:
    """The length of an array, and a check of it or of an index against it."""
    arrays = [value for value in (draft.reference() for _ in range(6)) if value is not None and _is_array(draft, value)]
    for array in arrays[: draft.choices.integer(1, 2)]:
        found = draft.object_of(array)
        assert found is not None
        assert isinstance(found.type, Array)
        operation = draft.attempt(pick(draft.choices, draft.memory.lengths), (array,), found.type.name, found.type)
        if operation is None or operation.result is None or not chance(draft.choices, 60):
            continue
        if chance(draft.choices, 40):
            draft.guard_on(operation.result)
        else:
            other: Value = draft.variable() if chance(draft.choices, 60) else ConstInt(draft.choices.integer(0, 4))
            draft.guard_on(draft.compute(pick(draft.choices, draft.rows.tests), (other, operation.result)))


def _is_array(draft: HeapDraft, value: Value) -> bool:
    found = draft.object_of(value)
    return found is not None and isinstance(found.type, Array)


# Allocations.


def _allocate(draft: HeapDraft) -> None:
    """An object, some of its fields set, and perhaps read again."""
    made = build(draft)
    if made is None or not chance(draft.choices, 60):
        return
    aim = draft.aim_at(made)
    if aim is not None:
        draft.load(aim)
    if chance(draft.choices, 30):
        _check_pointer(draft, made)


def build(draft: HeapDraft) -> Var | None:
    made = draft.allocate()
    if made is not None:
        draft.choices.repeat(0, 4, lambda: _set_some(draft, made))
    return made


def _set_some(draft: HeapDraft, made: Var) -> None:
    aim = draft.aim_at(made)
    if aim is not None:
        draft.store(aim)


def _nest(draft: HeapDraft) -> None:
    """Objects that are put into each other: a chain or a cycle; the outermost may leak."""
    outer = build(draft)
    if outer is None:
        return
    inner = outer if chance(draft.choices, 15) else build(draft)
    if inner is None:
        return
    put = _put(draft, outer, inner)
    if put and chance(draft.choices, 40):
        _put(draft, inner, outer)
    if chance(draft.choices, 50):
        _leak_one(draft, outer)


def _put(draft: HeapDraft, holder: Value, held: Value) -> bool:
    found = draft.object_of(holder)
    assert found is not None
    keys = [place.slot.key for place in draft.types.places.get(found.type.name, ()) if place.slot.type is Type.REF]
    aim = draft.aim_at(holder, key=pick(draft.choices, keys)) if keys else None
    return aim is not None and draft.store(aim, held) is not None


def _leak(draft: HeapDraft) -> None:
    if draft.fresh:
        made = draft.fresh[-1 - draft.choices.integer(0, min(len(draft.fresh), 4) - 1)]
    else:
        built = build(draft)
        if built is None:
            return
        made = built
    _leak_one(draft, made)
    aim = draft.aim_at(made)
    if aim is not None and chance(draft.choices, 40):
        _interlude(draft, aim)


def _leak_one(draft: HeapDraft, made: Var) -> None:
    """Puts an object into an old one, or hands it to an event, perhaps twice."""
    if chance(draft.choices, 50):
        holder = draft.reference()
        if holder is not None and draft.object_of(holder) is not None:
            _put(draft, holder, made)
    else:
        draft.choices.repeat(1, 2, lambda: heap_event(draft, made))


# Pointers.


def _identity(draft: HeapDraft) -> None:
    one, two = draft.reference(), draft.reference()
    if one is None or two is None:
        return
    if chance(draft.choices, 10):
        two = NULL_REF
    if chance(draft.choices, 20) and isinstance(one, Var):
        copied = draft.attempt(pick(draft.choices, draft.memory.copies), (one,))
        assert copied is not None
        one = copied.result or one
    operation = draft.attempt(pick(draft.choices, draft.memory.identities), (one, two))
    if operation is not None and operation.result is not None and chance(draft.choices, 60):
        draft.guard_on(operation.result)


def _check(draft: HeapDraft) -> None:
    pointer = draft.reference()
    if pointer is not None:
        _check_pointer(draft, pointer)


def _check_pointer(draft: HeapDraft, pointer: Value) -> None:
    """Guards that pass on the pointer: one, or several that could be one, with something between them."""

    def one() -> None:
        row = pick(draft.choices, draft.memory.guards)
        for args in _completed(draft, row, pointer):
            if draft.attempt(row, args) is not None:
                return

    one()
    if chance(draft.choices, 50):
        if chance(draft.choices, 30):
            draft.compute(pick(draft.choices, draft.rows.tests), (draft.variable(), draft.variable()))
        elif chance(draft.choices, 15):
            heap_event(draft)
        one()


def _completed(draft: HeapDraft, row: Op, first: Value) -> list[tuple[Value, ...]]:
    """Arguments that begin with a value, and for which the row may hold on the example."""
    if len(row.args or ()) == 1:
        return [(first,)]
    assert row.memory is not None
    if row.memory.class_arg is not None:
        return [(first, ConstClass(name)) for name in _classes(draft, first)]
    datum = draft.datum(first)
    if not isinstance(datum, Ref):
        return [(first, ConstInt(datum))]
    return [(first, constant) for constant in (NULL_REF, *draft.const_refs) if draft.datum(constant) == datum]


def _classes(draft: HeapDraft, pointer: Value) -> list[str]:
    """The vtables of the pointer's class and of those above it, in any order."""
    found = draft.object_of(pointer)
    names = []
    name = None if found is None else found.type.name
    while name is not None:
        struct = draft.types.layout.struct(name)
        names.append(struct.vtable)
        name = struct.parent
    return names if chance(draft.choices, 70) else names[::-1]


def _fact(draft: HeapDraft) -> None:
    row = pick(draft.choices, draft.memory.facts)
    assert row.args is not None
    first = draft.variable() if row.args[0] is Type.INT else draft.reference()
    if first is None:
        return
    for args in _completed(draft, row, first):
        if draft.attempt(row, args) is not None:
            return


# Events.


def heap_event(draft: HeapDraft, *handed: Value) -> None:
    """An event that is handed these values and some others."""
    row = pick(draft.choices, draft.memory.events)
    draft.event(row, (*handed, *draft.some_handed(2)))


def _called(draft: HeapDraft) -> None:
    """An immutable field, stored, and read behind an event that may initialize it."""
    made = draft.allocate()
    found = None if made is None else draft.object_of(made)
    if made is None or found is None:
        return
    keys = [place.slot.key for place in draft.types.places.get(found.type.name, ()) if place.slot.immutable]
    aim = draft.aim_at(made, key=pick(draft.choices, keys)) if keys else draft.aim_at(made)
    if aim is not None and draft.store(aim) is not None:
        heap_event(draft, made)
        draft.load(aim)


_STEPS: dict[Step, Callable[[HeapDraft], None]] = {
    Step.LOAD: _load,
    Step.STORE: _store,
    Step.ALIASES: _aliases,
    Step.OVERWRITE: _overwrite,
    Step.WRITE_BACK: _write_back,
    Step.REREAD: _reread,
    Step.ALLOCATE: _allocate,
    Step.NEST: _nest,
    Step.LEAK: _leak,
    Step.IDENTITY: _identity,
    Step.CHECK: _check,
    Step.LENGTH: _length,
    Step.ITEMS: _items,
    Step.FACT: _fact,
    Step.CALLED: _called,
    Step.EVENT: heap_event,
}
