"""From a model of terms to a state that traces can be run on.

What the model does not mention is 0 or NULL. Whether the traces really differ on what comes out, replaying it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from optimizer.ir.domains.term import Term
from optimizer.ir.faults import Unspecified
from optimizer.ir.floats import Float
from optimizer.ir.immutable import replace
from optimizer.ir.operands import constant_text
from optimizer.ir.rows.row import Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program, Run, World
from optimizer.ir.run.objects import NO_INDEX, NULL, RAW_REF, Cell, Datum, Object, Ref, blank
from optimizer.ir.run.runs import Argument, Given, Scripted, Seen, Write
from optimizer.ir.trace import Var
from optimizer.ir.types.layout import Array, Layout, Struct
from optimizer.ir.types.memory_cells import written_name
from optimizer.ir.types.memory_types import VIEWS, MemoryKind, kind_of
from validator.prove.encoding import Application, Encoding, EventEncoding, event_name, input_name, raise_name
from validator.prove.memory.chains import mark_of
from validator.prove.terms.object_kinds import ARRAYS, PENDING, forced_name, future_name, validity_name
from validator.prove.terms.object_terms import ObjectTerms
from validator.search.counterexample import State

_OBJECT = Struct("object", "object")


def state_of(model: Mapping[Term, int], before: Encoding, terms: ObjectTerms, stops_at: int | None) -> State:
    """The state that the model of a query describes; the world stops at that event."""
    return _Reading(model, before, terms).state(stops_at)


@dataclass(slots=True)
class _Contents:
    """The model's account of an object: functions of it, and what it held at first, by epoch."""

    class_: int | None = None
    gc_type: int | None = None
    length: int | None = None
    cells: dict[int, dict[Cell, Term]] = field(default_factory=dict)


class _Reading:
    def __init__(self, model: Mapping[Term, int], before: Encoding, terms: ObjectTerms) -> None:
        self._model = model
        self._before = before
        self._terms = terms
        self._layout: Layout = terms.layout
        self._fresh: dict[int, Term] = {value: term for term, value in model.items() if term.kind == "alloc"}
        self._contents: dict[int, _Contents] = {}
        self._heap = Heap(self._layout)
        self._keys = before.heap.memory.slots.keys()
        self._refs: dict[int, Ref] = {0: NULL}
        self._raw = _Contents()
        self._inputs: tuple[Datum, ...] = ()
        self._ran: tuple[World, int | None, Run | None] | None = None  # the latest run
        for term, value in model.items():
            self._note(term, value)

    def _note(self, term: Term, value: int) -> None:
        """Puts what the model says of a term to the object that it is about."""
        if term.kind in ("pointer", "constant", "load_ref", "applied_ref", "raised_ref") and value:
            self._contents.setdefault(value, _Contents())
        if term.kind not in ("class_of", "gc_type", "length", "load", "load_ref", "load_float"):
            return
        of = self._model.get(term.args[0], 0)
        is_of_raw = term.kind.startswith("load") and kind_of(term.value.key) is MemoryKind.RAW
        contents = self._raw if is_of_raw else self._contents.setdefault(of, _Contents())
        match term.kind:
            case "class_of":
                contents.class_ = value
            case "gc_type":
                contents.gc_type = value
                class_ = self._terms.class_of(term.args[0])
                contents.class_ = class_.value if class_.kind == "class_id" else self._model.get(class_)
            case "length":
                contents.length = value
            case _:
                index = self._model[term.args[1]] if len(term.args) > 1 else NO_INDEX
                index = index & self._terms.concrete.mask if is_of_raw else index
                contents.cells.setdefault(term.value.epoch, {})[term.value.key, index] = term

    def state(self, stops_at: int | None) -> State:
        self._name_constants()
        self._inputs = tuple(self._input(position, var) for position, var in enumerate(self._before.trace.inputs))
        old = [value for value in self._contents if value and value not in self._fresh]
        for value in old:
            self._ref(value)
        for value in old:
            self._fill(value)
        if self._raw.cells:
            raw = {cell: self._datum(term) for cell, term in self._raw.cells.get(0, {}).items()}
            self._heap.objects[RAW_REF] = replace(self._heap.add_raw(), cells=raw)
        world = World(
            invalid=frozenset(k for k in range(len(self._before.events) + 1) if self._variable(validity_name(k))),
            gc_types=self._gc_types(),
            pending=self._pending(),
            forced=self._numbers_of(forced_name, range(len(self._before.events) + 1)),
            false_conditions=self._numbers_of(future_name, range(len(self._before.events) + 1)),
        )
        return State(self._inputs, self._script(world, stops_at), self._heap)

    def _pending(self) -> Ref:
        is_pending = self._before.heap.memory.is_pending
        return self._refs.get(self._pointer(PENDING, 0), NULL) if is_pending else NULL

    # Inputs, constants, objects.

    def _variable(self, name: str) -> int:
        return self._model.get(self._terms.var(name), 0)

    def _float(self, name: str) -> Float:
        return Float(self._model.get(self._terms.floats.var(name), 0))

    def _pointer(self, name: str, epoch: int) -> int:
        return self._model.get(self._terms.pointer(name, epoch), 0)

    def _name_constants(self) -> None:
        constants = {term.value: value for term, value in self._model.items() if term.kind == "constant"}
        declared = [name for name in constants if self._layout.constant(name) is not None]
        for name in declared:
            self._refs[constants[name]] = self._heap.constant(name)
        for name in sorted(constants.keys() - declared):
            self._named(constants[name], constant_text(name))

    def _input(self, position: int, var: Var) -> Datum:
        value = self._before.values[var.name]
        if value.kind == "var":
            return self._variable(input_name(position))
        if value.kind == "float_var":
            return self._float(input_name(position))
        return self._named(self._pointer(input_name(position), 0), var.name)

    def _named(self, value: int, name: str) -> Ref:
        """The object of that number, which is called so, too."""
        if value in self._refs:
            self._heap.names[name] = self._refs[value]
        else:
            self._new(value, name)
        return self._refs[value]

    def _ref(self, value: int) -> Ref:
        if value not in self._refs:
            names = (f"o{number}" for number in count(1))
            self._new(value, next(name for name in names if self._heap.named(name) is None))
        return self._refs[value]

    def _new(self, value: int, name: str) -> None:
        contents = self._contents.get(value, _Contents())
        type_ = self._type(contents)
        length = None if isinstance(type_, Struct) else max(0, contents.length or 0)
        self._refs[value] = self._heap.add(name, Object(type_, length))

    def _type(self, contents: _Contents) -> Struct | Array:
        """The class that the model gives the object, as far as there is one of that number."""
        if contents.class_ is not None:
            found = self._declared_class(contents.class_) or self._named_class(contents.class_)
            if found is not None:
                return found
        keys = (key for cells in contents.cells.values() for key, _ in cells)
        items = (key for key in keys if key.endswith("[]") and key not in VIEWS)
        used = next((self._layout.array(key[:-2]) for key in items), None)
        is_array = contents.class_ is not None and contents.class_ >= ARRAYS[0]
        if used is not None and (contents.class_ is None or is_array):
            return used
        if is_array or contents.length:
            return self._layout.array("array")
        return _OBJECT if contents.gc_type is None else self._layout.struct(f"{_OBJECT.name}{contents.gc_type}")

    def _declared_class(self, number: int) -> Struct | Array | None:
        declarations = self._layout.declarations
        for name in self._layout.arrays:
            if self._terms.class_range(name)[0] == number:
                return self._layout.array(name)
        around = [(self._terms.class_range(struct.name), struct.name) for struct in declarations.structs]
        inside = [(low, name) for (low, high), name in around if low <= number <= high]
        if not inside:
            return None
        low, name = max(inside)
        return self._layout.struct(name) if number == low else self._layout.subclass_of(name)

    def _named_class(self, number: int) -> Struct | Array | None:
        for term, value in self._model.items():
            if term.kind == "class_name" and value == number:
                name = term.value.name
                return self._layout.array(name) if term.value.is_array else self._layout.struct_of_vtable(name)
        return None

    def _fill(self, value: int) -> None:
        """Fills the object with its contents at the start."""
        ref = self._refs[value]
        contents = self._contents[value]
        known = self._heap.objects[ref]
        held = {cell: term for cell, term in contents.cells.get(0, {}).items() if self._has_place(known, cell)}
        cells = {cell: self._datum(term) for cell, term in held.items()}
        self._heap.objects[ref] = replace(known, cells={**known.cells, **cells})

    def _has_place(self, held: Object, cell: Cell) -> bool:
        """Is there such a field or item in the object? A condition may say one thing of those that are there only."""
        key, index = cell
        if key not in self._keys:
            return False
        memory = self._before.heap.memory
        slot = memory.slots[key]
        if slot.owner is not None and not self._layout.is_subclass(held.type.name, slot.owner):
            return False
        return key in VIEWS or key not in memory.indexed or 0 <= index < (held.length or 0)

    def _datum(self, term: Term) -> Datum:
        value = self._model[term]
        if term.kind == "load_ref":  # an event may make an object that holds a new one, and that is no state
            return NULL if value in self._fresh else self._ref(value)
        return self._number(term)

    def _number(self, term: Term) -> int | Float:
        """The content of memory of numbers."""
        return Float(self._model[term]) if term.kind == "load_float" else self._model[term]

    def _gc_types(self) -> tuple[tuple[str, int], ...]:
        numbered = [one for one in self._contents.values() if one.gc_type is not None]
        return tuple(sorted({self._type(one).name: one.gc_type or 0 for one in numbered}.items()))

    # The world.

    def _script(self, world: World, stops_at: int | None) -> World:
        """The world with what the events and functions give, raise and write. Which of the objects that they have seen
        is which, the recorded trace's run up to there says; and also which of the events are done that are so under a
        condition."""
        done = [0]  # in front of each event
        for number, event in enumerate(self._before.events[:stops_at]):
            world = self._with_functions(world, done[-1])
            if self._happens(world, event, done[-1]):
                known = self._known_at(world, done[-1])
                writes = tuple(self._writes(number + 1, known))
                world = replace(
                    world,
                    results=(*world.results, self._given(event, number, known)),
                    writes=(*world.writes, writes),
                    raises=(*world.raises, known.get(self._pointer(raise_name(number), number + 1), NULL)),
                )
            done.append(len(world.results))
        last = None if stops_at is None else done[-1]
        world = self._with_functions(world, last)
        return replace(
            world,
            stops_at=last,
            forced=self._numbers_of(forced_name, done),
            false_conditions=self._numbers_of(future_name, done),
            raises=world.raises if any(raised != NULL for raised in world.raises) else (),
        )

    def _numbers_of(self, name: Callable[[int], str], done: Sequence[int]) -> frozenset[int]:
        """The numbers of events behind which the variables of that name are not 0."""
        return frozenset(number for slot, number in enumerate(done) if self._variable(name(slot)))

    def _given(self, event: EventEncoding, number: int, known: Mapping[int, Ref | Seen]) -> Scripted:
        result = event.operation.result
        if result is None:
            return 0
        if result.type is Type.REF:
            return known.get(self._pointer(event_name(number), number + 1), NULL)
        return self._float(event_name(number)) if result.type is Type.FLOAT else self._variable(event_name(number))

    def _happens(self, world: World, event: EventEncoding, number: int) -> bool:
        """Is the event done, as far as the run gets there?"""
        memory, condition = event.operation.op.memory, event.operation.args[0] if event.operation.args else None
        if memory is None or memory.happens is None or event.happens is self._terms.true:
            return True
        run = self._run(world, number)
        value = run.values.get(condition.name) if run is not None and isinstance(condition, Var) else None
        if run is None or value is None:
            return True
        return bool(memory.happens(self._terms.concrete, run.heap, None, value))

    def _with_functions(self, world: World, event: int | None) -> World:
        """The script with what functions give and raise that are called in front of that event."""
        applications = {one.op: one for one in self._before.applications}
        while applications:
            run = self._run(world, event)
            made = [] if run is None else [one.op for one in run.applied if one.made]
            if len(made) <= len(world.functions):
                break
            application = applications[made[len(world.functions)]]
            known = self._known_at(world, event)
            raises = known.get(self._model.get(application.raises, 0), NULL)
            given = Given(self._of_function(application, known), raises)
            world = replace(world, functions=(*world.functions, given))
        return world

    @cached_property
    def _program(self) -> Program:
        return Program(self._before.trace, self._layout)

    def _run(self, world: World, event: int | None) -> Run | None:
        """The run up to that event; None where it asks for what nobody says what it is."""
        if self._ran is None or self._ran[0] is not world or self._ran[1] != event:
            try:
                run = self._program.run(self._inputs, replace(world, stops_at=event), heap=self._heap)
            except Unspecified:
                run = None
            self._ran = world, event, run
        return self._ran[2]

    def _of_function(self, application: Application, known: Mapping[int, Ref | Seen]) -> Scripted:
        value = self._model.get(application.gives, 0)
        if application.result is Type.REF:
            made = self._fresh.get(value)
            return Argument(application.args.index(made)) if made in application.args else known.get(value, NULL)
        return Float(value) if application.result is Type.FLOAT else value

    def _known_at(self, world: World, event: int | None) -> Mapping[int, Ref | Seen]:
        """The references by their numbers, allocations as that event has seen them."""
        run = self._run(world, event) if self._fresh else None
        if run is None:
            return self._refs
        assert run.heap is not None
        seen = {ref: Seen(number) for number, ref in enumerate(run.heap.seen)}
        # The variables that the allocations of the recorded trace are first put into.
        names = {term: name for name, term in reversed(self._before.values.items()) if term.kind == "alloc"}
        known: dict[int, Ref | Seen] = dict(self._refs)
        for value, alloc in self._fresh.items():
            ref = run.values.get(names.get(alloc, ""))
            if isinstance(ref, Ref) and ref in seen:
                known[value] = seen[ref]
        return known

    def _writes(self, epoch: int, known: Mapping[int, Ref | Seen]) -> Iterator[Write]:
        """The changes that an event makes, so that the epoch that it begins holds what the model says. What it writes
        is 0 or NULL where the model only says that it has."""
        slots = self._before.heap.memory.slots
        marks = {mark_of(key): slot for key, slot in slots.items()}
        places = [(known.get(value), contents) for value, contents in self._contents.items()]
        for target, contents in [*places, (RAW_REF, self._raw)]:
            cells = contents.cells.get(epoch, {})
            for (key, index), term in cells.items() if target is not None else ():
                at = None if index == NO_INDEX else index
                held, marked = self._model[term], marks.get(key)
                if target is not None and held and marked is not None and (marked.key, index) not in cells:
                    yield Write(target, written_name(marked.key), blank(marked.type), at)
                put: Scripted | None = known.get(held) if term.kind == "load_ref" else self._number(term)
                if target is not None and put is not None and key in self._keys:
                    yield Write(target, written_name(key), put, at)
