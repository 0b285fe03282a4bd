"""Constants that stand for new objects, where declarations say that nobody asks which objects these are.

A new string of constants, or a new instance of a struct without `identity` whose fields are immutable and constants,
may as well be a constant that holds the same: the recorded trace stands for these runs too. An optimized trace shows
which of them it is by the allocations that it has no more, and the constants that it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.text.string_text import HIGHEST, constant_name
from optimizer.ir.trace import ConstFloat, ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations, exit_of
from optimizer.ir.types.call_questions import constants_of, effects_at
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Field, Layout, Struct
from optimizer.ir.types.memory_cells import takes_object
from optimizer.ir.types.trace_layout import layout_of
from validator.verdict import Failed, Fault, Proved, Refuted, Unknown, Verdict

_LONGEST = 1000
_MADE = {"newstr": "str", "newunicode": "unicode"}
_STRUCTS = ("new", "new_with_vtable")
_USES = (Kind.LOAD, Kind.COPY, Kind.EVENT, Kind.END, Kind.STORE)

_NOT_IDENTITY = (
    *("strlen", "unicodelen", "strhash", "unicodehash", "guard_nonnull", "guard_class", "guard_nonnull_class"),
    *("assert_not_none", "assert_is_object", "record_exact_class"),
)
"""The operations on references beside loads, calls and ends that do not ask which object it is."""

_ASKS_OTHERWISE = (
    *_NOT_IDENTITY,
    *("guard_isnull", "guard_subclass", "guard_is_object", "guard_gc_type", "arraylen_gc", "same_as_r"),
)
"""Operations that give the same for a new object and for a constant that holds the same, or give it another name."""

Content = tuple[str, tuple[tuple[str, object], ...]]
"""The class of an object, and what its fields or items hold, by their names or indices in order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The recorded trace with constants in the place of new objects. `is_only`: there is no other one, but for the
    trace as it is written. `is_asked`: the trace may ask which objects these are, under other names."""

    trace: Trace
    assumes: tuple[str, ...]
    is_only: bool
    is_asked: bool


def with_stand_ins(before: Trace, after: Trace, judge: Callable[[Trace], Verdict]) -> Verdict:
    """The verdict on a recorded trace which stands for others too. It is refuted only if none of them may be right."""
    try:
        other = reading(before, after, layout_of(before, after))
    except InputError as mistake:
        return Failed(Fault.INPUT, str(mistake))
    except Unsupported:
        other = None  # which is told of the trace as it is written
    if other is None:
        return judge(before)
    verdict = None if other.is_asked else judge(other.trace)
    if isinstance(verdict, Proved):
        return Proved(replace(verdict.evidence, assumes=(*verdict.evidence.assumes, *other.assumes)))
    as_written = judge(before)
    if isinstance(as_written, Refuted) and not (other.is_only and isinstance(verdict, Refuted)):
        reason = "new objects of constants may be constants, and not all possibilities are settled"
        return Unknown(as_written.evidence, reason)
    return as_written


def reading(before: Trace, after: Trace, layout: Layout) -> Reading | None:
    """The recorded trace as the optimized one seems to read it; None where it takes no new object for a constant."""
    calls = filter(None, (call_of(operation, layout) for operation in before.ops))
    told = [constant.text for call in calls for constant in constants_of(call)]
    there = dict(_holding([*told, *_named(before), *_named(after)], layout))
    made = {var: one for var, one in _filled(before, layout).items() if one.content in there}
    lost = Counter(one.content for one in made.values())
    lost -= Counter(one.content for one in _filled(after, layout).values())
    chosen: dict[Var, _Filling] = {}
    for var, one in made.items():
        if lost[one.content] > 0:
            chosen[var] = one
            lost[one.content] -= 1
    if not chosen:
        return None
    is_asked = _is_asked(before, chosen, layout)
    ops = _without(before.ops, {var: there[one.content] for var, one in chosen.items()}, chosen)
    return Reading(replace(before, ops=tuple(ops)), tuple(_told(chosen.values())), len(made) == 1, is_asked)


def _is_asked(before: Trace, chosen: Mapping[Var, _Filling], layout: Layout) -> bool:
    """May the recorded trace ask which object one of these is, under another name that it got from an event or from
    memory?"""
    contents = {one.content for one in chosen.values()}
    constants = {constant.text for content, constant in _constants(before, layout) if content in contents}
    is_given_away = any(
        operation.op.kind is Kind.EVENT or (operation.op.kind is Kind.STORE and operation.args[-1] in chosen)
        for operation in all_operations(before)
    )
    return is_given_away and asks(before, before.inputs, constants)


def asks_about_constants(trace: Trace, layout: Layout) -> bool:
    """May the trace ask which object one of its inputs, or another one that it has not allocated, is? It may be another
    one of these, or a constant of which it is known what it holds."""
    return asks(trace, (), {constant.text for _, constant in _constants(trace, layout)})


def asks(trace: Trace, old: Collection[Value], constants: Collection[str]) -> bool:
    """May the trace ask whether a reference is one of the constants, or another reference? Neither is `old`, both are,
    nor is one an object that the trace has allocated."""
    operations = list(all_operations(trace))
    new = {operation.result for operation in operations if operation.op.kind is Kind.NEW}
    for operation in operations:
        if operation.op.kind in _USES or operation.op.name in _ASKS_OTHERWISE:
            continue
        references = [arg for arg in operation.args if arg.type is Type.REF]
        unknown = [arg for arg in references if isinstance(arg, Var) and arg not in new and arg not in old]
        known = [arg for arg in references if arg in new or (isinstance(arg, ConstRef) and arg.text not in constants)]
        if unknown and (len(references) == 1 or not known):
            return True
    return False


def _told(chosen: Iterable[_Filling]) -> Iterator[str]:
    classes = {one.type for one in chosen}
    if classes & HIGHEST.keys():
        yield "nobody asks for the identity of strings"
    for name in sorted(classes - HIGHEST.keys()):
        yield f"nobody asks for the identity of instances of {name}"


def _without(
    ops: tuple[Operation, ...], constants: Mapping[Var, ConstRef], chosen: Mapping[Var, _Filling]
) -> list[Operation]:
    """The operations with constants for allocations. There are as many as there were."""
    stores = {at for one in chosen.values() for at in one.stores}
    left: list[Operation] = []
    for at, operation in enumerate(ops):
        constant = constants.get(operation.result) if operation.result is not None else None
        if constant is not None:
            left.append(Operation(OPS["same_as_r"], (constant,), operation.result, line=operation.line))
        elif at in stores:
            left.append(Operation(OPS["jit_debug"], (), None, line=operation.line))
        else:
            left.append(operation)
    return left


# What the optimized trace has.


def _constants(trace: Trace, layout: Layout) -> Iterator[tuple[Content, ConstRef]]:
    """The constants that a trace names, by what they hold."""
    return _holding(_named(trace), layout)


def _holding(texts: Iterable[str], layout: Layout) -> Iterator[tuple[Content, ConstRef]]:
    """The constants of these names, by what they hold."""
    for text in texts:
        name = constant_name(text)
        known = None if name is None else layout.constant(name)
        if known is not None and known.items is not None and known.array is not None:
            yield (known.array.name, tuple((str(at), item) for at, item in enumerate(known.items))), ConstRef(text)
        elif known is not None and known.struct is not None:
            held = {slot.key: _declared(value) for slot, value in known.fields}
            yield (known.struct.name, tuple(sorted(held.items(), key=str))), ConstRef(text)


def _named(trace: Trace) -> dict[str, None]:
    values: list[Value | None] = []
    for operation in all_operations(trace):
        values += [*operation.args, *(exit_of(operation).failargs or ())] if operation.op.is_guard else operation.args
    return dict.fromkeys(value.text for value in values if isinstance(value, ConstRef))


def _declared(value: int | Float | str) -> object:
    return value if not isinstance(value, str) or value == "NULL" else constant_text(value)


# New objects of constants.


@dataclass(slots=True)
class _Filling:
    """A new object: the slots that nothing has been stored to yet, by their names or indices, what the others hold,
    and the places of these stores."""

    type: str
    missing: set[str]
    held: dict[str, object] = field(default_factory=dict)
    stores: set[int] = field(default_factory=set)

    @property
    def content(self) -> Content:
        by_number = self.type in HIGHEST
        return self.type, tuple(sorted(self.held.items(), key=(lambda item: int(item[0])) if by_number else str))


def _filled(trace: Trace, layout: Layout) -> dict[Var, _Filling]:
    """The new objects of constants whose identity does not matter: filled before anything else is done with them, and
    never changed or asked about behind that."""
    walk = _Walk(layout)
    for at, operation in enumerate(trace.ops):
        walk.step(at, operation)
    changed = set(_changed(trace, layout))
    return {var: one for var, one in walk.new.items() if not one.missing and not changed & walk.slots[var]}


class _Walk:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.new: dict[Var, _Filling] = {}
        self.slots: dict[Var, set[str]] = {}  # the keys of the memory that these objects have
        self._items: dict[Var, int] = {}  # items of strings that have been loaded

    def step(self, at: int, operation: Operation) -> None:
        row, args = operation.op, operation.args
        first = args[0] if args else None
        one = self.new.get(first) if isinstance(first, Var) else None
        if row.kind is Kind.STORE and one is not None and isinstance(first, Var):
            self._use(args[1:])
            if not self._store(at, operation, one):
                self.new.pop(first)
            return
        if row.kind is Kind.LOAD and one is not None and one.type in HIGHEST and isinstance(args[-1], ConstInt):
            item = one.held.get(str(args[-1].value)) if not one.missing else None
            if isinstance(item, int) and operation.result is not None:
                self._items[operation.result] = item
        is_asked = row.kind not in _USES and row.name not in _NOT_IDENTITY
        changes = row.kind is Kind.COPY and len(args) > 1 and args[1]
        self._use(args, asks=is_asked)
        if isinstance(changes, Var):
            self.new.pop(changes, None)
        if row.is_guard:
            left = exit_of(operation)
            self._use(tuple(arg for arg in left.failargs or () if arg is not None))
            for inner in left.block:
                self._use(inner.args, asks=True)
        elif operation.result is not None:
            self._allocate(operation, operation.result)

    def _use(self, args: tuple[Value, ...], *, asks: bool = False) -> None:
        """Something is done with these, which may not be filled yet; or it `asks` which objects they are."""
        for arg in args:
            one = self.new.get(arg) if isinstance(arg, Var) else None
            if one is not None and (asks or one.missing) and isinstance(arg, Var):
                self.new.pop(arg)

    def _allocate(self, operation: Operation, result: Var) -> None:
        name, declared = operation.op.name, self._layout.declarations
        kind = _MADE.get(name)
        if kind is not None and not declared.string_identity:
            length = operation.args[0]
            if isinstance(length, ConstInt) and 0 <= length.value <= _LONGEST:
                self.new[result] = _Filling(kind, {str(at) for at in range(length.value)})
                self.slots[result] = {f"{kind}[]"}
        elif name in _STRUCTS:
            struct = self._layout.descr_of(operation)
            if isinstance(struct, Struct) and struct.declared and not struct.identity:
                keys = {slot.key for slot in struct.fields}
                if keys and all(slot.immutable for slot in struct.fields):
                    self.new[result], self.slots[result] = _Filling(struct.name, set(keys)), keys

    def _store(self, at: int, operation: Operation, one: _Filling) -> bool:
        """Stores to an object that is being filled; False where that is not what it does."""
        slot, value = self._layout.descr_of(operation), self._constant(operation.args[-1])
        if not isinstance(slot, Field) or value is None or not one.missing:
            return False
        index = operation.args[1] if len(operation.args) == 3 else None
        key = str(index.value) if isinstance(index, ConstInt) else slot.key
        if key not in one.missing or (isinstance(value, int) and not slot.has_room_for(value)):
            return False
        one.missing.remove(key)
        one.held[key] = value
        one.stores.add(at)
        return True

    def _constant(self, value: Value) -> object | None:
        match value:
            case ConstInt(number):
                return number
            case ConstFloat():
                return value.value
            case ConstRef(text):
                return text
            case Var():
                return self._items.get(value)
        return None


def _changed(trace: Trace, layout: Layout) -> Iterator[str]:
    """The keys of memory that a trace may change in objects which it has not just allocated, or events may."""
    operations = list(all_operations(trace))
    new = {operation.result for operation in trace.ops if operation.op.kind is Kind.NEW}
    slots = {slot.key: slot for operation in operations if isinstance(slot := layout.descr_of(operation), Field)}
    for operation in operations:
        known = meant(operation, layout)
        if known.op.kind in (Kind.STORE, Kind.COPY):
            slot = layout.descr_of(known)
            if isinstance(slot, Field) and known.args[known.op.kind is Kind.COPY] not in new:
                yield slot.key
        elif operation.op.kind is Kind.RAW_STORE and takes_object(operation):
            yield from slots
        elif operation.op.kind is Kind.EVENT:
            effects = effects_at(operation, layout)
            yield from (key for key, slot in slots.items() if effects.may_write(slot))
