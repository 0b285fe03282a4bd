"""Steps of traces over strings: copies of ranges between them, what is built of these, and hashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fuzz.draw.aimed_draft import AimedDraft
from fuzz.draw.steps.pointers import guard_something
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import INT, OPS, REF, Kind, Op
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Operation, Value
from optimizer.ir.types.known_calls import STRING_CALLS, meant
from optimizer.ir.types.layout import Array, Field

_COPIES = OPS["call_n"]


def use_strings(draft: AimedDraft) -> None:
    """A copy, a string made of parts of others, or a hash."""
    strings = [array for array in draft.types.arrays if array.name in draft.memory.strings]
    if not strings:
        return
    if draft.choices.chance(15) and _copy_array(draft):
        return
    type_ = draft.choices.pick(strings)
    source, to = _any_of(draft, type_, draft.const_refs), _any_of(draft, type_)
    match draft.choices.integer(0, 12):
        case 0 | 1 | 2 if source is not None and to is not None:
            _copy_and_look(draft, type_, source, to)
        case 3 if to is not None:
            _hash(draft, type_, to)
        case 4 | 5 if to is not None:
            other = _any_of(draft, type_) or to
            longer = max(to, other, key=lambda one: _length(draft, one))
            _copy_and_look(draft, type_, longer, longer)
        case 6 | 7 | 8 | 9:
            _call(draft, type_)
        case _:
            _build(draft, type_)


def _copy_and_look(draft: AimedDraft, type_: Array, source: Value, to: Value) -> None:
    """A copy, and reads of items that it moves: ahead of it where they were, behind it where they are."""
    if source != to and draft.choices.chance(15):
        draft.attempt(draft.memory.strings[type_.name][Kind.SCAN], (to,), None, _item(type_))
    start, at, count = _range(draft, source, to)
    one, other = (_offset(draft, draft.value(count)) for _ in range(2))
    for string, first, offset in ((source, start, one), (to, at, other)):
        _touch(draft, string, draft.value(first) + offset)
    if not _copy(draft, type_, source, to, start, at, count):
        return
    for string, first, offset in ((to, at, one), (to, at, other), (source, start, one)):
        _look(draft, string, draft.value(first) + offset)


def _hash(draft: AimedDraft, type_: Array, string: Value) -> None:
    """The hash of a string, and perhaps again behind a store to it, or to one that may be it."""
    row = draft.memory.strings[type_.name][Kind.SCAN]
    draft.attempt(row, (string,), None, _item(type_))
    aim = draft.aim_at(string if draft.choices.chance(70) else _any_of(draft, type_) or string)
    if aim is not None and draft.choices.chance(60):
        draft.store(aim)
        draft.attempt(row, (string,), None, _item(type_))


def _call(draft: AimedDraft, type_: Array) -> None:
    """A few calls of functions on strings, one often on what another has given."""
    made: list[Value] = []

    def any_of() -> Value | None:
        return (
            draft.choices.pick(made) if made and draft.choices.chance(50) else _any_of(draft, type_, draft.const_refs)
        )

    for _ in range(draft.choices.integer(1, 3)):
        given = _call_on_strings(draft, type_, any_of)
        if given is None or given.type is not REF:
            continue
        made.append(given)
        if draft.choices.chance(40):
            draft.attempt(draft.memory.strings[type_.name][Kind.PURE], (given,), None, type_)
        _look(draft, given, draft.choices.integer(0, max(_length(draft, given) - 1, 0)))
        if draft.choices.chance(20):
            _touch(draft, _any_of(draft, type_) or given, 0)


def _copy_array(draft: AimedDraft) -> bool:
    """A call that copies items of arrays, and reads of these; says whether there is one."""
    calls = [call for call in draft.types.declarations.calls if call.oopspec in ("arraycopy", "arraymove")]
    call = draft.choices.pick(calls) if calls else None
    if call is None:
        return False
    type_ = draft.types.layout.array(call.writes[0])
    source, to = _any_of(draft, type_), _any_of(draft, type_)
    if source is None or to is None or _COPIES in draft.excluded:
        return False
    to = source if call.oopspec == "arraymove" else to
    start, at, count = _range(draft, source, to)
    _look(draft, source, draft.value(start))
    operation = Operation(_COPIES, (ConstClass("copy_func"), source, to, start, at, count), descr=call.name)
    if call.oopspec == "arraymove":
        operation = operation.on((*operation.args[:2], *operation.args[3:]))
    known = meant(operation, draft.types.layout)
    if known is operation or draft.attempt(known.op, known.args, None, _item(type_)) is None:
        return False
    draft.ops[-1] = operation
    _look(draft, to, draft.value(at))
    return True


def _item(type_: Array) -> Field:
    assert type_.item is not None
    return type_.item


def _any_of(draft: AimedDraft, type_: Array, others: Sequence[Value] = ()) -> Value | None:
    """A string of that type, most often a recent one, or one of the others, if there is one."""
    among: list[Value] = [*others, *draft.references[-16:]]
    held = ((one, draft.object_of(one)) for one in among)
    found = [one for one, held_there in held if held_there is not None and held_there.type.name == type_.name]
    return draft.choices.pick(found) if found else None


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
        guard_something(draft, made)
    _look(draft, made, 0)


def _append(draft: AimedDraft, type_: Array, made: Value, done: int) -> int:
    """Writes the items from `done` on; gives the number of them."""
    source = _any_of(draft, type_, draft.const_refs) if draft.choices.chance(70) else None
    most = 0 if source is None else min(_length(draft, source), _length(draft, made) - done)
    if source is not None and most:
        count = draft.choices.integer(1, most)
        start = _number(draft, _length(draft, source) - count)
        if _copy(draft, type_, source, made, start, ConstInt(done), ConstInt(count)):
            return count
    aim = draft.aim_at(made)
    return 0 if aim is None or draft.store(replace(aim, index=ConstInt(done))) is None else 1


def _range(draft: AimedDraft, source: Value, to: Value) -> tuple[Value, Value, Value]:
    """The start of a copy in its source, the start in its target, and the number of items; within one string they
    move."""
    within = int(source == to)
    count = _number(draft, min(_length(draft, source), _length(draft, to)) - within, 1 + within)
    most = _length(draft, source) - draft.value(count)
    start, at = _number(draft, most), _number(draft, _length(draft, to) - draft.value(count))
    if within and most > 0 and draft.value(start) == draft.value(at):
        at = ConstInt((draft.value(start) + draft.choices.integer(1, most)) % (most + 1))
    return start, at, count


def _offset(draft: AimedDraft, count: int) -> int:
    """The offset of an item of a range: the first or the last one, any, or the one behind."""
    return draft.choices.pick((0, count - 1, draft.choices.integer(0, count), count - 1, 0))


def _number(draft: AimedDraft, most: int, least: int = 0) -> Value:
    """A number up to `most` on the example, mostly from `least` on: a variable now and then."""
    if draft.choices.chance(20):
        fitting = [var for var in draft.numbers if 0 <= draft.values[var.name] <= most]
        if fitting:
            return draft.choices.pick(fitting)
    return ConstInt(draft.choices.integer(min(least, max(most, 0)), max(most, 0)))


def _copy(draft: AimedDraft, type_: Array, source: Value, to: Value, start: Value, at: Value, count: Value) -> bool:
    """Copies a range, if it can be; says whether it was."""
    row = draft.memory.strings[type_.name][Kind.COPY]
    return draft.attempt(row, (source, to, start, at, count), None, _item(type_)) is not None


def _touch(draft: AimedDraft, string: Value, index: int) -> None:
    """Reads an item, mostly, or writes it."""
    aim = draft.aim_at(string) if draft.choices.chance(30) else None
    if aim is None:
        _look(draft, string, index)
    else:
        draft.store(replace(aim, index=ConstInt(index)))


def _look(draft: AimedDraft, string: Value, index: int) -> None:
    """Reads that item or another one, mostly."""
    aim = draft.aim_at(string) if draft.choices.chance(70) else None
    if aim is not None:
        draft.load(aim if draft.choices.chance(25) else replace(aim, index=ConstInt(index)))


# Calls of functions: what is put together, cut out and compared.

_LONGEST = 16
"""No string is put together that is longer."""

Texts = Callable[[], Value | None]


def _call_on_strings(draft: AimedDraft, type_: Array, any_of: Texts) -> Value | None:
    """A call of one of the functions on strings of that type; gives what it gives."""
    names = [call.name for call in draft.types.declarations.calls if call.oopspec in STRING_CALLS]
    fitting = [name for name in names if name.startswith(type_.name)]
    if not fitting:
        return None
    name = draft.choices.pick(fitting)
    row, item = STRING_CALLS[name], type_.item
    args = _arguments(draft, row, type_.item, any_of)
    lengths = [_length(draft, arg) for arg in args or () if arg.type is REF]
    if args is None or (row.kind is Kind.NEW and sum(lengths) > _LONGEST):
        return None
    letter = "r" if row.result is REF else "i"
    rows = [OPS[f"{stem}_{letter}"] for stem in ("call", "call_pure")]
    called = [row for row in rows if row not in draft.excluded]
    done = draft.attempt(row, args, None, item) if called else None
    if done is None:
        return None
    draft.ops[-1] = Operation(draft.choices.pick(called), (ConstClass(f"{name}_func"), *args), done.result, descr=name)
    return done.result


def _arguments(draft: AimedDraft, row: Op, item: Field | None, any_of: Texts) -> tuple[Value, ...] | None:
    """Strings, a range of the first one, and an item of it, as the row takes them."""
    source = any_of()
    if source is None or item is None or row.args is None:
        return None
    length = _length(draft, source)
    start = _number(draft, length, 0)
    stop = _number(draft, length, draft.value(start))
    is_range = row.kind is Kind.NEW
    count = stop if is_range else ConstInt(draft.choices.integer(0, max(length - draft.value(start), 0)))
    other = source if draft.choices.chance(10) else ConstRef("NULL") if draft.choices.chance(5) else any_of()
    texts = [source, other if other is not None else source]
    numbers = [start, count]
    args: list[Value] = []
    for at, type_ in enumerate(row.args):
        is_char = type_ is INT and at == len(row.args) - 1 and not is_range
        if is_char:
            args.append(_item_of(draft, source, item, draft.value(start)))
        else:
            args.append((texts if type_ is REF else numbers).pop(0))
    return tuple(args)


def _item_of(draft: AimedDraft, string: Value, item: Field, index: int) -> Value:
    """The item of the string there, or another number."""
    ref = draft.refs_of(string)
    known = 0 <= index < _length(draft, string) and draft.heap.is_set(ref, item, index)
    value = draft.heap.get(ref, item, index) if known else 97
    return ConstInt(value) if isinstance(value, int) and draft.choices.chance(75) else draft.variable()
