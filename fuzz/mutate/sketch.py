"""A trace that is being changed, with an example that need not fit any more.

What the world does at an event is known by the event's line, so that it goes where the event goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fuzz.draw.generator import GeneratedTrace
from fuzz.edits.edit import Edit, Insert
from fuzz.edits.walk import numbered, without_origins
from optimizer.ir.immutable import immutable, replace
from optimizer.ir.rows.ops import Kind, Role, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import NULL, Datum, blank, type_of
from optimizer.ir.run.runs import Scripted, Seen, World, Write
from optimizer.ir.trace import Operation, Trace, all_operations
from validator.search.counterexample import State


@immutable
class Event:
    """The results of an event: what it gives, writes and raises. A call `happens` or not; None is not known."""

    gives: Scripted = 0
    writes: tuple[Write, ...] = ()
    raises: Scripted = NULL
    happens: bool | None = None


_UNKNOWN = Event()


@immutable
class Sketch:
    """The operations of `trace` have lines of their own, by which `events` are known. `data` are the values of the
    inputs; `heap` is as of a state, `world` is what that says beside the events."""

    trace: Trace
    data: tuple[Datum, ...]
    events: Mapping[int, Event]
    heap: Heap | None
    world: World

    @property
    def word(self) -> int:
        return self.trace.word

    def event(self, op: Operation) -> Event:
        return self.events.get(op.line, _UNKNOWN)

    @property
    def state(self) -> State:
        """The example, without the results and writes that its end does not need."""
        events = [(op, self.event(op)) for op in self.trace.ops if self._is_event(op)]
        writes, raises = tuple(event.writes for _, event in events), tuple(event.raises for _, event in events)
        world = replace(
            self.world,
            results=tuple(_given(op, event) for op, event in events),
            writes=writes if any(writes) else (),
            raises=raises if any(one != NULL for one in raises) else (),
        )
        return State(self.data, world, self.heap)

    def _is_event(self, op: Operation) -> bool:
        """Is it an event, as far as is known?"""
        memory, happens = op.op.memory, self.event(op).happens
        if happens is not None or op.op.kind is not Kind.EVENT:
            return bool(happens)
        return memory is None or memory.role is Role.EVENT

    def on(self, *edits: Edit) -> Sketch:
        """The sketch with the edits made, one after the other."""
        sketch = self
        for edit in edits:
            trace = edit.on(sketch.trace)
            left = {op.line for op in all_operations(trace)}
            sketch = replace(sketch, trace=trace, events={line: e for line, e in sketch.events.items() if line in left})
        return sketch

    def with_copies(self, line: int, copies: Sequence[Operation], events: Iterable[Event]) -> Sketch:
        """Operations at which the world does that, in front of a line."""
        sketch = self.on(Insert(line, tuple(copies)))
        new = [op.line for op in sketch.trace.ops if op.line not in {one.line for one in all_operations(self.trace)}]
        return replace(sketch, events={**sketch.events, **dict(zip(new, events, strict=True))})


def sketch_of(generated: GeneratedTrace, above: int = 0) -> Sketch:
    """The trace, its operations on lines above that. Guards lose their origins, which are numbers of guards."""
    trace = without_origins(numbered(generated.trace, above))
    state, happening = generated.state, _events_of(generated)
    world, events = state.world, dict[int, Event]()
    for number, op in enumerate(all_operations(trace)):
        if number in happening:
            count = sum(event.happens is True for event in events.values())
            gives = world.results[count] if count < len(world.results) else 0
            writes = world.writes[count] if count < len(world.writes) else ()
            raises = world.raises[count] if count < len(world.raises) else NULL
            events[op.line] = Event(gives, writes, raises, True)
        elif op.op.kind is Kind.EVENT:
            events[op.line] = Event(happens=False)
    return Sketch(trace, tuple(state.inputs), events, state.heap, replace(world, results=(), writes=(), raises=()))


def _events_of(generated: GeneratedTrace) -> set[int]:
    """The numbers of the operations that are events on the example."""
    trace, state = generated.trace, generated.state
    if any(operation.op.is_call for operation in trace.ops):
        run = Program(trace).run(state.inputs, state.world, heap=state.heap)
        return {event.op for event in run.events}
    return {number for number, op in enumerate(all_operations(trace)) if op.op.kind is Kind.EVENT}


def _given(op: Operation, event: Event) -> Scripted:
    """The result of the event, of its type."""
    type_ = op.op.result
    if isinstance(event.gives, Seen):
        return event.gives if type_ is Type.REF else blank(type_)
    return event.gives if type_of(event.gives) is type_ else blank(type_)


# Units: what only stands together.


def units(ops: Sequence[Operation]) -> list[tuple[Operation, ...]]:
    """The operations, one that tells of overflow in one unit with all up to the guard on its flag."""
    found: list[tuple[Operation, ...]] = []
    pending: Iterator[Operation] = iter(ops)
    for op in pending:
        unit = [op]
        if op.op.overflows is not None:
            for behind in pending:
                unit.append(behind)
                if behind.op.reads_flag:
                    break
        found.append(tuple(unit))
    return found
