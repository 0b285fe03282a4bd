"""Steps of traces over heaps: a few operations each, left out where the example does not allow them."""

from __future__ import annotations

from functools import partial

from fuzz.draw.aimed_draft import Aim, AimedDraft
from fuzz.draw.choices import NotDrawable
from fuzz.draw.memory_rows import IS_VALID
from fuzz.draw.steps.bounds import check_index
from fuzz.draw.steps.calls import look_at
from fuzz.draw.steps.pointers import (
    check_pointer,
    guard_something,
    heap_event,
)
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import INT, REF, DescrKind, Kind
from optimizer.ir.trace import Value, Var
from optimizer.ir.types.layout import Array

# Accesses.


def load(draft: AimedDraft) -> None:
    loaded = draft.load(draft.aim())
    if loaded is not None and loaded.type is REF and draft.choices.chance(40):
        check_pointer(draft, loaded)


def store(draft: AimedDraft) -> None:
    draft.store(draft.aim())


def _access(draft: AimedDraft, aim: Aim) -> None:
    if draft.choices.chance(50):
        draft.store(aim)
    else:
        draft.load(aim)


def access_aliases(draft: AimedDraft) -> None:
    """An access through one pointer, a store through another that may be the same, and a load through the first."""
    aim = _inherited(draft) if draft.choices.chance(45) else draft.aim()
    _access(draft, aim)
    draft.store(draft.beside(aim))
    draft.load(aim)


def _inherited(draft: AimedDraft) -> Aim:
    """A field that an object has from a parent. Raises NotDrawable."""
    found: list[Aim] = []
    for pointer in draft.references[-12:]:
        for place in draft.places_of(pointer):
            if place.slot.owner is not None and place.slot.key != f"{place.slot.owner}.{place.slot.name}":
                found.append(Aim(place, pointer))
    fields = [aim for aim in found if aim.place.kind is DescrKind.FIELD]
    if not fields:
        raise NotDrawable
    return draft.choices.pick(fields)


def overwrite(draft: AimedDraft) -> None:
    aim = draft.aim()
    if draft.store(aim) is None:
        return
    draft.choices.repeat(0, 2, lambda: _interlude(draft, aim))
    draft.store(aim)
    if draft.choices.chance(30):
        guard_something(draft)


def _interlude(draft: AimedDraft, aim: Aim) -> None:
    """Something between two accesses to a place, which may touch it."""
    match draft.choices.integer(0, 6):
        case 0 | 1 | 2:
            guard_something(draft)
        case 3:
            _access(draft, draft.beside(aim))
        case 4:
            _access(draft, aim)
        case 5:
            look_at(draft, aim.pointer)
        case _:
            heap_event(draft)


def write_back(draft: AimedDraft) -> None:
    aim = draft.aim()
    value = draft.load(aim)
    if value is None:
        return
    match draft.choices.integer(0, 3):
        case 0:
            pass
        case 1 | 2:
            draft.store(draft.beside(aim))
        case _:
            _interlude(draft, aim)
    draft.store(aim, value)
    if draft.choices.chance(40):
        draft.load(aim)


def reread(draft: AimedDraft) -> None:
    aim = draft.aim()
    _access(draft, aim)
    heap_event(draft)
    draft.load(aim)


def access_items(draft: AimedDraft) -> None:
    """Accesses to one array, and a guard on an item."""
    aim = draft.new_aim(draft.choices.pick((DescrKind.ITEM, DescrKind.INTERIOR)))
    _access(draft, aim)
    draft.choices.repeat(0, 2, lambda: _access(draft, draft.beside(aim)))
    item = draft.load(aim)
    if item is not None and draft.choices.chance(60):
        if item.type is INT:
            draft.guard_on(item)
        elif item.type is REF:
            check_pointer(draft, item)


def take_length(draft: AimedDraft) -> None:
    """The length of an array, and a check of it or of indices against it, with accesses there."""
    given = [value for value in (draft.reference() for _ in range(6)) if value is not None]
    held = [(value, found.type) for value in given if (found := draft.object_of(value)) is not None]
    arrays = [(value, type_) for value, type_ in held if isinstance(type_, Array)]
    for array, type_ in arrays[: draft.choices.integer(1, 2)]:
        strings = draft.memory.strings.get(type_.name)
        row = draft.choices.pick(draft.memory.lengths) if strings is None else strings[Kind.PURE]
        operation = draft.attempt(row, (array,), type_.name if strings is None else None, type_)
        if operation is None or operation.result is None:
            continue
        if draft.choices.chance(20):
            draft.guard_on(operation.result)
        else:
            check_index(draft, operation.result, partial(_access_item, draft, array))


def _access_item(draft: AimedDraft, array: Value, index: Var) -> None:
    aim = draft.aim_at(array)
    if aim is not None and draft.choices.chance(70):
        _access(draft, aim if aim.index is None else replace(aim, index=index))


# Allocations.


def allocate(draft: AimedDraft) -> None:
    """An object, some of its fields set, and perhaps read again."""
    made = build(draft)
    if not draft.choices.chance(60):
        return
    aim = draft.aim_at(made)
    if aim is not None:
        draft.load(aim)
    if draft.choices.chance(30):
        check_pointer(draft, made)


def build(draft: AimedDraft) -> Var:
    """A new object, some of its fields set. Raises NotDrawable."""
    made = draft.allocate()
    if made is None:
        raise NotDrawable
    draft.choices.repeat(0, 4, lambda: draft.set_some(made))
    return made


def rebuild(draft: AimedDraft) -> None:
    """An object that guards hand over, and that changes between them."""
    made = build(draft)

    def change() -> None:
        guard_something(draft, made)
        draft.set_some(made)

    draft.choices.repeat(1, 3, change)
    guard_something(draft, made)


def nest(draft: AimedDraft) -> None:
    """Objects that are put into each other: a chain or a cycle; the outermost may leak."""
    outer = build(draft)
    inner = outer if draft.choices.chance(15) else build(draft)
    put = _put(draft, outer, inner)
    if put and draft.choices.chance(40):
        _put(draft, inner, outer)
    if draft.choices.chance(50):
        _leak_one(draft, outer)


def _put(draft: AimedDraft, holder: Value, held: Value) -> bool:
    keys = [place.slot.key for place in draft.places_of(holder) if place.slot.type is REF]
    aim = draft.aim_at(holder, key=draft.choices.pick(keys)) if keys else None
    return aim is not None and draft.store(aim, held) is not None


def leak(draft: AimedDraft) -> None:
    made = draft.choices.latest(draft.fresh, 4) if draft.fresh else build(draft)
    _leak_one(draft, made)
    aim = draft.aim_at(made)
    if aim is not None and draft.choices.chance(40):
        _interlude(draft, aim)


def _leak_one(draft: AimedDraft, made: Var) -> None:
    """Puts an object into an old one, or hands it to an event, perhaps twice."""
    if draft.choices.chance(50):
        holder = draft.reference()
        if holder is not None and draft.object_of(holder) is not None:
            _put(draft, holder, made)
    else:
        draft.choices.repeat(1, 2, lambda: heap_event(draft, made))


# Fields that do not change, or seldom.


def initialize_by_call(draft: AimedDraft) -> None:
    """An immutable field, stored, and read behind an event that may initialize it."""
    layout = draft.types.layout
    written = {
        key
        for call in draft.types.declarations.calls
        for key in layout.memory_keys(call.writes) or ()
        if not call.elidable
    }
    fitting = [
        (type_, place.slot.key)
        for type_ in draft.types.classes
        for place in draft.types.places.get(type_.name, ())
        if place.slot.immutable and place.slot.key in written
    ]
    type_, key = draft.choices.pick(fitting) if fitting else (None, None)
    pointer = draft.reference() if draft.choices.chance(40) else draft.allocate(type_)
    aim = None if pointer is None else draft.aim_at(pointer, key=key)
    if pointer is not None and aim is not None and draft.store(aim) is not None:
        heap_event(draft, pointer, writes=aim.place.slot)
        draft.load(aim)


def watch_field(draft: AimedDraft) -> None:
    """A quasi-immutable field, watched, and read behind events where the code is checked to be valid, or is not."""
    pointer = draft.reference()
    if pointer is None or draft.object_of(pointer) is None:
        return
    keys = [place.slot.key for place in draft.places_of(pointer) if place.slot.quasi_immutable]
    aim = draft.aim_at(pointer, key=draft.choices.pick(keys)) if keys else draft.aim_at(pointer, DescrKind.FIELD)
    if aim is None:
        return
    mark = draft.choices.pick(draft.memory.marks)

    def once() -> None:
        if draft.choices.chance(60):
            draft.attempt(mark, aim.args, aim.place.descr, aim.place.slot)
        if draft.choices.chance(80):
            draft.attempt(IS_VALID, ())
        draft.load(aim)
        if draft.choices.chance(70):
            heap_event(draft)

    draft.choices.repeat(1, 3, once)
    draft.load(aim)
