"""The objects that two traces are likely to meet: of which types they are, how long, in which fields.

It is a guess that makes samples likely to run far. Nothing is proved by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from optimizer.ir.domains.concrete import concrete
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Memory, Type
from optimizer.ir.rows.row import (
    ARRAY,
    CALL,
    COPY,
    EVENT,
    FACT,
    FIELD,
    GUARD,
    INT,
    INTERIOR,
    ITEM,
    LOAD,
    NEW,
    REF,
    SCAN,
    Role,
)
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.objects import NULL
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Operation, Trace, Value, Var, all_operations
from optimizer.ir.types.byte_access import slot_of
from optimizer.ir.types.call_questions import is_event
from optimizer.ir.types.calls import EVENT_ROLES, Effects, call_of, may_be_raised_before
from optimizer.ir.types.known_calls import meant
from optimizer.ir.types.layout import Array, Field, Layout, Struct
from optimizer.ir.types.memory_names import memory_named
from optimizer.ir.types.memory_types import MemoryKind

EVENTS = "events"

_VARIABLE_LENGTH = 3
"""The usual length of arrays that are used with a variable index."""

_LONGEST = 64

_ITEMS = (ITEM, INTERIOR)


@dataclass(eq=False, slots=True)
class Place:
    """A reference that is given from outside: by an input, a constant, an event, or the memory of another such.

    What is asked of its object: `types` by accesses and class checks, the strictest first; `length`; `is_null` where a
    guard or fact wants it to be so, or not; `same` as another one; its number for `guard_gc_type`.
    """

    input: int | None = None
    constant: str | None = None
    event: int | None = None
    parent: Place | None = None
    slot: Field | None = None
    index: int | None = None
    types: list[Struct | Array] = field(default_factory=list)
    length: int = 0
    is_null: bool | None = None
    same: list[Place] = field(default_factory=list)
    gc_type: int | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """Memory that a trace names, and how."""

    slot: Field
    descr: str
    has_index: bool


@dataclass(slots=True)
class Plan:
    """The places in an order in which each comes behind its parent, and the memory, types and events of the traces."""

    layout: Layout
    places: list[Place] = field(default_factory=list)
    memory: dict[str, Used] = field(default_factory=dict)
    types: dict[str, Struct | Array] = field(default_factory=dict)
    events: list[tuple[Type, Effects]] = field(default_factory=list)
    functions: list[tuple[Type, bool]] = field(default_factory=list)
    """The calls of functions: what they give, and whether they can raise."""
    asks_world: bool = False
    """Are there guards on what the world decides?"""
    is_pending: bool = False
    """May an exception be pending at the start?"""
    caught: list[Struct] = field(default_factory=list)
    """The classes of exceptions that guards ask for."""
    indices: set[object] = field(default_factory=set)
    """The sources of indices and lengths: numbers of inputs, keys of memory, `EVENTS`."""
    numbers: dict[object, int] = field(default_factory=dict)
    """The values that guards want from these sources."""
    gc_types: dict[str, int] = field(default_factory=dict)
    """The numbers that guards want the types to have that the traces allocate."""
    checks_code: bool = False
    floats: list[Float] = field(default_factory=list)
    """The constants of the traces."""
    raw: dict[str, Field] = field(default_factory=dict)
    """The raw memory that the traces use, by key."""


def needs_heap(trace: Trace) -> bool:
    """Has the trace references, floats that are given to it, or operations on a heap?"""
    return any(var.type is not INT for var in trace.inputs) or any(
        operation.memory is not None or operation.op.result is REF for operation in all_operations(trace)
    )


def plan_heap(before: Trace, after: Trace, layout: Layout) -> Plan:
    """The plan that both traces imply; the recorded one comes first."""
    plan = Plan(layout)
    walk = _Walk(plan, before)
    walk.trace(before)
    _plan_world(plan, before)
    walk.trace(after)
    for place in plan.places:
        for other in place.same:
            other.types = other.types or place.types
    for struct in layout.declarations.structs:
        if any(layout.is_subclass(struct.name, name) for name in list(plan.types)):
            plan.types.setdefault(struct.name, layout.struct(struct.name))
    return plan


def _plan_world(plan: Plan, before: Trace) -> None:
    for operation in before.ops:
        call = call_of(meant(operation, plan.layout), plan.layout)
        if call is not None and call.role in EVENT_ROLES:
            plan.events.append((operation.op.result, call.effects))
        elif call is not None and call.role is Role.FUNCTION:
            plan.functions.append((operation.op.result, call.effects.can_raise))
        plan.asks_world |= operation.op.kind is GUARD and operation.op.memory is not None and not operation.args
    plan.is_pending = may_be_raised_before(before)


class _Walk:
    def __init__(self, plan: Plan, before: Trace) -> None:
        self._plan = plan
        self._known: dict[object, Place] = {}  # by where they come from
        self._of: dict[Var, Place] = {}
        self._empty = Heap(plan.layout)
        self._domain = concrete(before.word)
        self._events = 0

    def trace(self, trace: Trace) -> None:
        self._of, self._events = {}, 0
        for number, var in enumerate(trace.inputs):
            if var.type is REF:
                self._of[var] = self._place(("input", number), Place(input=number))
        sources: dict[Value, object] = {var: number for number, var in enumerate(trace.inputs)}
        made: dict[Value, str] = {}
        for operation in (meant(one, self._plan.layout) for one in all_operations(trace)):
            for arg in operation.args:
                self._value(arg)
                if isinstance(arg, ConstFloat):
                    self._plan.floats.append(arg.value)
            memory = operation.memory
            if is_event(operation, self._plan.layout):
                if operation.result is not None and operation.op.result is REF:
                    self._of[operation.result] = self._place(("event", self._events), Place(event=self._events))
                self._events += 1
            elif operation.op.is_call:
                self._look(operation)
            elif memory is not None and memory.pending and memory.class_arg is not None:
                struct = self._struct(operation.args[memory.class_arg])
                self._plan.types.setdefault(struct.name, struct)
                self._plan.caught.append(struct)
            elif memory is not None and memory.descr is not CALL:
                self._operation(operation, memory)
                self._plan.indices |= {sources[arg] for arg in _indices(operation, memory) if arg in sources}
            self._ask_number(operation, sources, made)
            if operation.result is not None and operation.op.kind is NEW:
                type_ = self._plan.layout.descr_of(operation)
                assert isinstance(type_, Struct | Array | Field)
                made[operation.result] = (type_.owner or "") if isinstance(type_, Field) else type_.name
            if operation.result is not None and operation.op.kind in (LOAD, EVENT):
                descr = self._plan.layout.descr_of(operation)
                sources[operation.result] = descr.key if isinstance(descr, Field) else EVENTS

    def _ask_number(self, operation: Operation, sources: Mapping[Value, object], made: Mapping[Value, str]) -> None:
        """Notes the number that a guard with a constant wants, of a value or of the type of a fresh object."""
        if operation.op.kind is not GUARD or len(operation.args) != 2:
            return
        value, wanted = operation.args
        if isinstance(wanted, ConstInt) and value in sources and value.type is INT:
            self._plan.numbers.setdefault(sources[value], wanted.value)
        elif isinstance(wanted, ConstInt) and value in made:
            self._plan.gc_types.setdefault(made[value], wanted.value)

    def _place(self, key: object, place: Place) -> Place:
        if key not in self._known:
            self._known[key] = place
            self._plan.places.append(place)
        return self._known[key]

    def _value(self, value: Value) -> Place | None:
        if isinstance(value, ConstRef) and value.name is not None:
            return self._place(("constant", value.text), Place(constant=value.name))
        return self._of.get(value) if isinstance(value, Var) else None

    def _look(self, operation: Operation) -> None:
        """The memory that a function is declared to read, which it may find in its arguments."""
        call = call_of(operation, self._plan.layout)
        if call is None or call.declared is None or call.effects.sees_nothing:
            return
        layout, places = self._plan.layout, [self._value(arg) for arg in operation.args if arg.type is REF]
        for name in call.declared.reads:
            for has_index in (False, True):
                slot = memory_named(layout, name, has_index=has_index)
                if slot is None or slot.kind is MemoryKind.RAW:
                    continue
                self._plan.memory.setdefault(slot.key, Used(slot, name, has_index))
                if slot.owner is None:
                    continue
                type_ = layout.array(slot.owner) if has_index else layout.struct(slot.owner)
                self._plan.types.setdefault(type_.name, type_)
                for place in places:
                    if place is not None and not place.types:
                        self._add(place, type_)

    def _struct(self, class_: Value) -> Struct:
        return self._plan.layout.struct_of_vtable(class_.name if isinstance(class_, ConstClass) else str(class_))

    def _operation(self, operation: Operation, memory: Memory) -> None:
        descr = self._plan.layout.descr_of(operation)
        if isinstance(descr, Struct | Array):
            self._plan.types.setdefault(descr.name, descr)
        slot = slot_of(descr)
        if slot is not None and slot.kind is MemoryKind.RAW:
            self._plan.raw[slot.key] = slot
            return
        name = _descr_name(operation)
        if isinstance(descr, Field) and name is not None:
            self._plan.memory.setdefault(descr.key, Used(descr, name, memory.descr in _ITEMS))
        self._plan.checks_code |= operation.op.kind is GUARD and not operation.args
        others = operation.args[1:] if operation.op.kind in (COPY, SCAN, NEW) else ()
        for arg in (arg for arg in others if arg.type is REF):
            if (changed := self._value(arg)) is not None:
                self._ask(changed, operation, memory)
        place = self._value(operation.args[0]) if operation.args else None
        if place is None:
            return
        self._ask(place, operation, memory)
        if operation.result is None or operation.result.type is not REF:
            return
        if isinstance(descr, Field) and memory.loads:
            at = operation.args[1] if memory.descr in _ITEMS else None
            index = at.value if isinstance(at, ConstInt) else None
            key = (id(place), descr.key, index)
            self._of[operation.result] = self._place(key, Place(parent=place, slot=descr, index=index))
        elif descr is None:
            self._of[operation.result] = place

    def _ask(self, place: Place, operation: Operation, memory: Memory) -> None:
        """Notes the demands of the operation on its first argument."""
        args = operation.args
        if memory.descr is not None:
            self._ask_type(place, operation, memory)
            place.is_null = False if place.is_null is None else place.is_null
        elif memory.class_arg is not None:
            self._add(place, self._struct(args[memory.class_arg]))
        elif operation.op.kind not in (GUARD, FACT):
            return
        elif len(args) == 1:
            holds = [memory.passes] if memory.passes is not None else [holds for holds, _ in memory.requires]
            if place.is_null is None:
                place.is_null = all(bool(one(self._domain, self._empty, None, NULL)) for one in holds)
        elif isinstance(args[1], ConstInt):
            place.gc_type = args[1].value
            if (array := self._plan.layout.by_gc_type.get(place.gc_type)) is not None:
                self._add(place, array)
        else:
            other = self._value(args[1])
            place.is_null = place.is_null or str(args[1]) == NULL.name
            if other is not None:
                place.same.append(other)

    def _ask_type(self, place: Place, operation: Operation, memory: Memory) -> None:
        layout, descr = self._plan.layout, self._plan.layout.descr_of(operation)
        if isinstance(descr, Field) and descr.owner is not None:
            is_struct = memory.descr is FIELD
            self._add(place, layout.struct(descr.owner) if is_struct else layout.array(descr.owner))
        elif memory.descr in (*_ITEMS, ARRAY) and not place.types:
            name = _descr_name(operation)
            assert name is not None
            self._add(place, layout.array(name))
        if memory.descr in _ITEMS:
            place.length = max(place.length, min(_length_for(operation), _LONGEST))

    def _add(self, place: Place, type_: Struct | Array) -> None:
        self._plan.types.setdefault(type_.name, type_)
        if type_ not in place.types:
            place.types.append(type_)


def _length_for(operation: Operation) -> int:
    """The length of an array for which the operation on its items is in range."""
    at = operation.args[2:] if operation.op.kind is COPY else operation.args[1:2]
    numbers = [arg.value for arg in at if isinstance(arg, ConstInt)]
    if operation.op.kind is COPY and len(numbers) == len(at):
        return max(numbers[:2]) + numbers[2]
    return numbers[0] + 1 if numbers else _VARIABLE_LENGTH


def _indices(operation: Operation, memory: Memory) -> Iterator[Var]:
    if memory.descr in (*_ITEMS, ARRAY):
        at = operation.args[1:2] if memory.descr in _ITEMS else operation.args[:1]
        at = operation.args[2:] if operation.op.kind is COPY else at
        yield from (arg for arg in at if isinstance(arg, Var))


def _descr_name(operation: Operation) -> str | None:
    """The name of the operation's descr: the one that is written, or that of the strings that its row is about."""
    memory = operation.op.memory
    return operation.descr if memory is None or memory.on is None else memory.on
