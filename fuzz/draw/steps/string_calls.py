"""Calls of functions on strings, in traces: what is put together, cut out and compared."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.draw.aimed_draft import AimedDraft
from optimizer.ir.rows.ops import INT, OPS, REF, Kind, Op
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Operation, Value
from optimizer.ir.types.known_calls import STRING_CALLS
from optimizer.ir.types.layout import Array, Field

_LONGEST = 16
"""No string is put together that is longer."""

Number = Callable[[AimedDraft, int, int], Value]
Texts = Callable[[], Value | None]


def call_on_strings(draft: AimedDraft, type_: Array, any_of: Texts, number: Number) -> Value | None:
    """A call of one of the functions on strings of that type; gives what it gives."""
    names = [call.name for call in draft.types.declarations.calls if call.oopspec in STRING_CALLS]
    fitting = [name for name in names if name.startswith(type_.name)]
    if not fitting:
        return None
    name = draft.choices.pick(fitting)
    row, item = STRING_CALLS[name], type_.item
    args = _arguments(draft, row, type_.item, any_of, number)
    if args is None or (row.kind is Kind.NEW and _total(draft, args) > _LONGEST):
        return None
    letter = "r" if row.result is REF else "i"
    rows = [OPS[f"{stem}_{letter}"] for stem in ("call", "call_pure")]
    called = [row for row in rows if row not in draft.excluded]
    done = draft.attempt(row, args, None, item) if called else None
    if done is None:
        return None
    draft.ops[-1] = Operation(draft.choices.pick(called), (ConstClass(f"{name}_func"), *args), done.result, descr=name)
    return done.result


def _total(draft: AimedDraft, args: tuple[Value, ...]) -> int:
    return sum(_length(draft, arg) for arg in args if arg.type is REF)


def _length(draft: AimedDraft, value: Value) -> int:
    found = draft.object_of(value)
    return 0 if found is None else found.length or 0


def _arguments(
    draft: AimedDraft, row: Op, item: Field | None, any_of: Texts, number: Number
) -> tuple[Value, ...] | None:
    """Strings, a range of the first one, and an item of it, as the row takes them."""
    source = any_of()
    if source is None or item is None or row.args is None:
        return None
    length = _length(draft, source)
    start = number(draft, length, 0)
    stop = number(draft, length, draft.value(start))
    is_range = row.kind is Kind.NEW
    count = stop if is_range else _up_to(draft, length - draft.value(start))
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


def _up_to(draft: AimedDraft, most: int) -> Value:
    return ConstInt(draft.choices.integer(0, max(most, 0)))


def _item_of(draft: AimedDraft, string: Value, item: Field, index: int) -> Value:
    """The item of the string there, or another number."""
    ref = draft.refs_of(string)
    known = 0 <= index < _length(draft, string) and draft.heap.is_set(ref, item, index)
    value = draft.heap.get(ref, item, index) if known else 97
    return ConstInt(value) if isinstance(value, int) and draft.choices.chance(75) else draft.variable()
