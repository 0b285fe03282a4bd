"""Steps of traces over strings: copies of ranges between them, what is built of these, and hashes."""

from __future__ import annotations

from dataclasses import replace

from fuzz.aimed_draft import AimedDraft
from fuzz.pointer_steps import guard_something
from optimizer.ir.layout import Array, Field
from optimizer.ir.ops import Kind
from optimizer.ir.trace import ConstInt, Value


def use_strings(draft: AimedDraft) -> None:
    """A copy, a string made of parts of others, or a hash."""
    strings = [array for array in draft.types.arrays if array.name in draft.memory.strings]
    if not strings:
        return
    type_ = draft.choices.pick(strings)
    source, to = _any_of(draft, type_), _any_of(draft, type_)
    match draft.choices.integer(0, 6):
        case 0 | 1 if source is not None and to is not None:
            _copy_and_look(draft, type_, source, to)
        case 2 if to is not None:
            draft.attempt(draft.memory.strings[type_.name][Kind.SCAN], (to,), None, _item(type_))
        case 3 if to is not None:
            _copy_and_look(draft, type_, to, to)
        case _:
            _build(draft, type_)


def _copy_and_look(draft: AimedDraft, type_: Array, source: Value, to: Value) -> None:
    """A copy, and reads of both strings ahead of it and behind it."""
    for one in (source, to):
        _look(draft, one)
    _copy(draft, type_, source, to)
    for one in (to, source):
        _look(draft, one)


def _item(type_: Array) -> Field:
    assert type_.item is not None
    return type_.item


def _any_of(draft: AimedDraft, type_: Array) -> Value | None:
    """A string of that type, most often a recent one or a constant, if there is one."""
    among: list[Value] = [*draft.const_refs, *draft.references[-16:]]
    found = [one for one in among if _type_of(draft, one) == type_.name]
    return draft.choices.pick(found) if found else None


def _type_of(draft: AimedDraft, value: Value) -> str | None:
    found = draft.object_of(value)
    return None if found is None else found.type.name


def _length(draft: AimedDraft, value: Value) -> int:
    found = draft.object_of(value)
    return 0 if found is None else found.length or 0


def _build(draft: AimedDraft, type_: Array) -> None:
    """A new string of parts that are copied and items that are written, handed over by a guard, and read."""
    made = draft.allocate(type_)
    if made is None:
        return
    length, done = _length(draft, made), 0
    while done < length:
        taken = _append(draft, type_, made, done)
        if not taken:
            return
        done += taken
    if draft.choices.chance(60):
        draft.kept = (made,)
        guard_something(draft)
        draft.kept = ()
    _look(draft, made)


def _append(draft: AimedDraft, type_: Array, made: Value, done: int) -> int:
    """Writes the items from `done` on; gives the number of them."""
    source = _any_of(draft, type_) if draft.choices.chance(70) else None
    most = 0 if source is None else min(_length(draft, source), _length(draft, made) - done)
    if source is not None and most:
        taken = _copy(draft, type_, source, made, (ConstInt(done), ConstInt(draft.choices.integer(1, most))))
        if taken:
            return taken
    aim = draft.aim_at(made)
    return 0 if aim is None or draft.store(replace(aim, index=ConstInt(done))) is None else 1


def _copy(draft: AimedDraft, type_: Array, source: Value, to: Value, where: tuple[Value, Value] | None = None) -> int:
    """Copies a range that fits; gives its length."""
    longest = min(_length(draft, source), _length(draft, to))
    count = _number(draft, longest) if where is None else where[1]
    at = _number(draft, _length(draft, to) - draft.value(count)) if where is None else where[0]
    start = _number(draft, _length(draft, source) - draft.value(count))
    row = draft.memory.strings[type_.name][Kind.COPY]
    operation = draft.attempt(row, (source, to, start, at, count), None, _item(type_))
    return 0 if operation is None else draft.value(count)


def _number(draft: AimedDraft, most: int) -> Value:
    """A number that is from 0 to `most` on the example: a variable now and then."""
    fitting = [var for var in draft.numbers if 0 <= draft.values[var.name] <= most]
    if fitting and draft.choices.chance(30):
        return draft.choices.pick(fitting)
    return ConstInt(draft.choices.integer(0, max(most, 0)))


def _look(draft: AimedDraft, value: Value) -> None:
    """Reads an item, mostly."""
    aim = draft.aim_at(value) if draft.choices.chance(70) else None
    if aim is not None:
        draft.load(aim)
