"""Steps about fields that do not change, or seldom."""

from __future__ import annotations

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.memory_rows import IS_VALID
from fuzz.draw.steps.pointers import heap_event
from optimizer.ir.rows.ops import DescrKind


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
    found = None if pointer is None else draft.object_of(pointer)
    if pointer is None or found is None:
        return
    places = draft.types.places.get(found.type.name, ())
    keys = [place.slot.key for place in places if place.slot.quasi_immutable]
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
