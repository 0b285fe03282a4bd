"""A trace that is being changed, with an example that need not fit any more.

What the world does at an event stands beside the event, so that it goes where the event goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fuzz.draw.generator import GeneratedTrace
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import Kind, Role, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import NULL, Datum, Ref, blank, type_of
from optimizer.ir.run.runs import Scripted, Seen, World, Write
from optimizer.ir.trace import Operation, Trace, Value, Var, exit_of
from optimizer.ir.types.declared import Declarations
from validator.search.counterexample import State


@dataclass(frozen=True, slots=True)
class Line:
    """An operation, and, of an event, what it gives, writes and raises. A call `happens` or not; None is not known."""

    operation: Operation
    gives: Scripted = 0
    writes: tuple[Write, ...] = ()
    raises: Scripted = NULL
    happens: bool | None = None


_NO_WORLD = World()


@dataclass(frozen=True, slots=True)
class Sketch:
    """`data` are the values of the inputs; `heap`, `invalid` and `gc_types` are as of a state and its world, `world` is
    what else that says."""

    inputs: tuple[Var, ...]
    data: tuple[Datum, ...]
    lines: tuple[Line, ...]
    word: int
    declarations: Declarations
    heap: Heap | None = None
    invalid: frozenset[int] = frozenset()
    gc_types: tuple[tuple[str, int], ...] = ()
    world: World = _NO_WORLD

    @property
    def trace(self) -> Trace:
        return Trace(self.inputs, tuple(line.operation for line in self.lines), self.word, self.declarations)

    @property
    def state(self) -> State:
        """The example, without the results and writes that its end does not need."""
        events = [line for line in self.lines if _is_event(line)]
        writes, raises = tuple(line.writes for line in events), tuple(line.raises for line in events)
        world = replace(
            self.world,
            results=tuple(_given(line) for line in events),
            writes=writes if any(writes) else (),
            raises=raises if any(one != NULL for one in raises) else (),
            invalid=self.invalid,
            gc_types=self.gc_types,
        )
        return State(self.data, world, self.heap)

    def with_lines(self, lines: Sequence[Line]) -> Sketch:
        return replace(self, lines=tuple(lines))

    def with_operation(self, index: int, operation: Operation) -> Sketch:
        """Another operation on that line."""
        line = replace(self.lines[index], operation=operation)
        return self.with_lines((*self.lines[:index], line, *self.lines[index + 1 :]))

    def with_inserted(self, index: int, *operations: Operation) -> Sketch:
        """The operations in front of that line."""
        return self.with_lines((*self.lines[:index], *map(Line, operations), *self.lines[index:]))

    def visible(self, index: int) -> list[Var]:
        """The variables that the operation on that line can name."""
        results = (line.operation.result for line in self.lines[:index])
        return [*self.inputs, *(var for var in results if var is not None)]


def sketch_of(generated: GeneratedTrace) -> Sketch:
    """Guards lose their origins, which are numbers of guards."""
    trace, (inputs, world, heap) = generated.trace, _parts(generated.state)
    lines: list[Line] = []
    events = 0
    numbers = _events_of(generated)
    for number, operation in _numbered(trace):
        if operation.exit is not None:
            operation = replace(operation, exit=replace(operation.exit, origin=None))
        if number not in numbers:
            lines.append(Line(operation, happens=False if operation.op.kind is Kind.EVENT else None))
            continue
        gives = world.results[events] if events < len(world.results) else 0
        writes = world.writes[events] if events < len(world.writes) else ()
        raises = world.raises[events] if events < len(world.raises) else NULL
        lines.append(Line(operation, gives, writes, raises, True))
        events += 1
    rest = replace(world, results=(), writes=(), raises=(), invalid=frozenset(), gc_types=())
    return Sketch(
        trace.inputs, inputs, tuple(lines), trace.word, trace.declarations, heap, world.invalid, world.gc_types, rest
    )


def _numbered(trace: Trace) -> Iterator[tuple[int, Operation]]:
    """The operations outside of exit blocks, with their numbers."""
    number = 0
    for operation in trace.ops:
        yield number, operation
        number += 1 + (0 if operation.exit is None else len(operation.exit.block))


def _events_of(generated: GeneratedTrace) -> set[int]:
    """The numbers of the operations that are events on the example."""
    trace, state = generated.trace, generated.state
    numbers = {number for number, operation in _numbered(trace) if operation.op.kind is Kind.EVENT}
    if any(operation.op.is_call for operation in trace.ops):
        run = Program(trace).run(state.inputs, state.world, heap=state.heap)
        return {event.op for event in run.events}
    return numbers


def _is_event(line: Line) -> bool:
    """Is it an event, as far as the line tells?"""
    memory = line.operation.op.memory
    if line.happens is not None or line.operation.op.kind is not Kind.EVENT:
        return bool(line.happens)
    return memory is None or memory.role is Role.EVENT


def _parts(state: State) -> tuple[tuple[Datum, ...], World, Heap | None]:
    return tuple(state.inputs), state.world, state.heap


def _given(line: Line) -> Scripted:
    """What the event gives, of its type."""
    type_ = line.operation.op.result
    if isinstance(line.gives, Seen):
        return line.gives if type_ is Type.REF else blank(type_)
    return line.gives if type_of(line.gives) is type_ else blank(type_)


# Units: what only stands together.


def units(lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The lines, an overflow operation in one unit with all up to the guard on its flag."""
    found: list[tuple[Line, ...]] = []
    pending = iter(lines)
    for line in pending:
        unit = [line]
        if line.operation.op.overflows is not None:
            for behind in pending:
                unit.append(behind)
                if behind.operation.op.reads_flag:
                    break
        found.append(tuple(unit))
    return found


def joined(parts: Sequence[tuple[Line, ...]]) -> tuple[Line, ...]:
    return tuple(line for unit in parts for line in unit)


# Variables.


def results_of(operation: Operation) -> Iterator[Var]:
    """What the operation and its exit block define."""
    inner = () if operation.exit is None else operation.exit.block
    for one in (operation, *inner):
        if one.result is not None:
            yield one.result


def used_by(operation: Operation) -> Iterator[Var]:
    """The variables that the operation and its exit name, what its own exit block defines among them."""
    values: list[Value | None] = [*operation.args]
    if operation.exit is not None:
        values += operation.exit.failargs or ()
        values += [arg for inner in operation.exit.block for arg in inner.args]
    return (value for value in values if isinstance(value, Var))


def substituted(operation: Operation, names: Mapping[Var, Value]) -> Operation:
    """The operation with other values for variables, those included that it defines, which become variables."""
    args = tuple(names.get(arg, arg) if isinstance(arg, Var) else arg for arg in operation.args)
    result = operation.result and names.get(operation.result, operation.result)
    assert result is None or isinstance(result, Var)
    exit_ = operation.exit
    if exit_ is not None:
        failargs = exit_.failargs and tuple(names.get(v, v) if isinstance(v, Var) else v for v in exit_.failargs)
        exit_ = replace(exit_, failargs=failargs, block=tuple(substituted(one, names) for one in exit_.block))
    return replace(operation, args=args, result=result, exit=exit_)


def with_exit_operation(guard: Operation, index: int, operation: Operation | None) -> Operation:
    """The guard with another operation in its exit block, or without that one, for whose result nobody may ask."""
    block = exit_of(guard).block
    changed = (*block[:index], *([] if operation is None else [operation]), *block[index + 1 :])
    return replace(guard, exit=replace(exit_of(guard), block=changed))


def renamed(write: Write, refs: Mapping[Ref, Ref]) -> Write:
    """The write with other names of objects."""
    target = refs.get(write.target, write.target) if isinstance(write.target, Ref) else write.target
    value = refs.get(write.value, write.value) if isinstance(write.value, Ref) else write.value
    return replace(write, target=target, value=value)
