"""Section 5 of the trace language for heaps, in other words than `validator.search.replay` and `heap_comparison`.

Two runs are the same to whoever looks if the objects that can be found from what is handed over, from the old objects,
and from what events were shown before, can be paired one to one so that pairs have equal contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from optimizer.ir.floats import Float
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Run, Stopped, Undefined
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref
from optimizer.ir.run.runs import TOO_LONG
from optimizer.ir.trace import Trace, exit_of
from optimizer.ir.types.layout import Field, Layout, Struct
from optimizer.ir.types.memory_names import memory_named
from optimizer.ir.types.memory_types import VIEWS
from validator import Failargs, Guards, Options, State

Objects = Mapping[Ref, Object]


class Different(Exception):
    """Somebody sees a difference."""


@dataclass
class Pairing:
    """Fresh objects of the first run, and those of the second one that are the same."""

    there: dict[Ref, Ref] = field(default_factory=dict)
    back: dict[Ref, Ref] = field(default_factory=dict)

    def copy(self) -> Pairing:
        return Pairing(dict(self.there), dict(self.back))

    def look(
        self,
        handed: Iterable[tuple[Datum | None, Datum | None]],
        one: Objects,
        other: Objects,
        sees: Callable[[str], bool],
    ) -> None:
        """Pairs all that can be found. Raises Different."""
        todo: list[tuple[Ref, Ref]] = []
        done: set[Ref] = set()

        def meet(a: Datum | None, b: Datum | None) -> None:
            if a is None:
                return
            if not isinstance(a, Ref) or not isinstance(b, Ref):
                if a != b or isinstance(b, Ref):
                    raise Different
                return
            if a.fresh != b.fresh or (not a.fresh and a != b):
                raise Different
            if a.fresh and (self.there.setdefault(a, b) != b or self.back.setdefault(b, a) != a):
                raise Different
            todo.append((a, b))

        for a, b in handed:
            meet(a, b)
        for ref in one:
            if not ref.fresh:
                meet(ref, ref)
        for a, b in list(self.there.items()):
            meet(a, b)
        while todo:
            a, b = todo.pop()
            if a in done or a not in one:
                continue
            done.add(a)
            mine, theirs = one[a], other[b]
            if (mine.type.name, mine.length) != (theirs.type.name, theirs.length):
                raise Different
            for cell in _places(mine, theirs):
                if sees(cell[0]):
                    wanted = _holds(mine, cell, theirs)
                    if wanted is not None:
                        meet(wanted, _holds(theirs, cell, mine))


def _places(mine: Object, theirs: Object) -> set[Cell]:
    """All that one of them has written, and of an array an item that neither has, which stands for the others."""
    places = {*mine.cells, *theirs.cells}
    if not isinstance(mine.type, Struct):
        slots = [*mine.type.fields, *([mine.type.item] if mine.type.item is not None else [])]
        for slot in slots:
            unwritten = (index for index in range(mine.length or 0) if (slot.key, index) not in places)
            places |= {(slot.key, index) for index in islice(unwritten, 1)}
    return places


def _holds(described: Object, cell: Cell, other: Object) -> Datum | None:
    """What is there: None where nothing has been written yet."""
    if cell in described.cells:
        return described.cells[cell]
    is_struct = isinstance(described.type, Struct)
    zero = _zero_like(other.cells[cell]) if cell in other.cells else _zero_of_item(described, cell)
    is_blank = not isinstance(zero, Ref) or (not is_struct and cell[1] != NO_INDEX)
    return None if is_blank and not described.cleared else zero


def _zero_like(value: Datum) -> Datum:
    if isinstance(value, Float):
        return Float(0)
    return NULL if isinstance(value, Ref) else 0


def _zero_of_item(described: Object, cell: Cell) -> Datum:
    assert not isinstance(described.type, Struct)
    slots = [*described.type.fields, *([described.type.item] if described.type.item is not None else [])]
    return next((_zero_of(slot) for slot in slots if slot.key == cell[0]), 0)


def _zero_of(slot: Field) -> Datum:
    zeros: dict[str, Datum] = {"ref": NULL, "float": Float(0), "int": 0}
    return zeros[slot.type.value]


class Truth:
    """Judges states for one pair of traces."""

    def __init__(self, before: Trace, after: Trace, options: Options, layout: Layout) -> None:
        self._before, self._after = Program(before, layout), Program(after, layout)
        self._origins = [exit_of(guard) for guard in before.guards]
        self._options = options
        first = next(operation.op.name for operation in before.ops if not operation.op.raw)
        self._begins_with_exception = first in ("guard_exception", "save_exception", "save_exc_class")

    def runs(self, state: State) -> tuple[State, Run, Run] | None:
        """Both runs, on a world that stops where `before` has no meaning; None where it has none at all, where nobody
        can tell what `after` is given, and where there is an exception that `before` does not begin with."""
        heap = Heap(self._before.layout) if state.heap is None else state.heap.copy()
        for program in (self._before, self._after):
            program.prepare(heap)
        state = replace(state, heap=heap)
        if state.world.pending != NULL and not self._begins_with_exception:
            return None
        before = self._run(self._before, state)
        if isinstance(before.outcome, Undefined):
            if not before.events:
                return None
            state = replace(state, world=replace(state.world, stops_at=len(before.events) - 1))
            before = self._run(self._before, state)
        after = self._run(self._after, replace(state, world=before.world))
        is_too_long = isinstance(after.outcome, Undefined) and after.outcome.reason == TOO_LONG
        return None if after.unclear or is_too_long else (state, before, after)

    def _run(self, program: Program, state: State, leave_at: int | None = None) -> Run:
        return program.run(state.inputs, state.world, leave_at=leave_at, heap=state.heap)

    def differs(self, state: State, before: Run, after: Run, origins: tuple[int | None, ...]) -> bool:
        """Does `after` break section 5 there, its guards having those origins?"""
        try:
            self._compare(state, before, after, origins)
        except Different:
            return True
        return False

    def _compare(self, state: State, before: Run, after: Run, origins: tuple[int | None, ...]) -> None:
        match after.outcome:
            case Undefined():
                raise Different
            case GuardFailed(guard, failargs):
                self._at_guard(state, before, after, failargs, origins[guard])
            case Stopped():
                if not isinstance(before.outcome, Stopped):
                    raise Different
                _events(before, after)
            case Finished(args) | Jumped(args):
                if type(before.outcome) is not type(after.outcome):
                    raise Different
                pairing = _events(before, after)
                _ends(pairing, before, after, before.handed_over, args)

    def _at_guard(
        self, state: State, before: Run, after: Run, got: tuple[Datum | None, ...] | None, origin: int | None
    ) -> None:
        if origin is None or (isinstance(before.outcome, GuardFailed) and before.outcome.guard < origin):
            raise Different
        there = self._run(self._before, state, origin)
        reached = isinstance(there.outcome, GuardFailed) and there.outcome.guard == origin
        if not reached and not isinstance(there.outcome, Undefined):
            raise Different
        pairing = _events(there, after)
        if self._options.guards is Guards.SAME and before.outcome != there.outcome:
            raise Different
        if self._options.guards is Guards.EARLY:
            freely = self._run(self._before, replace(state, world=replace(state.world, stops_at=None)))
            if isinstance(freely.outcome, Finished | Jumped):
                raise Different
        if self._options.failargs is Failargs.IGNORE:
            return
        if not isinstance(there.outcome, GuardFailed):
            raise Different
        wanted = there.outcome.failargs
        if wanted is None or got is None:
            wanted = got = ()
        _ends(pairing, there, after, wanted, got)


def _events(before: Run, after: Run) -> Pairing:
    """The events are the same; the pairing of all that they saw."""
    pairing = Pairing()
    if len(before.events) != len(after.events):
        raise Different
    for one, other in zip(before.events, after.events, strict=True):
        if (one.name, one.descr, len(one.args)) != (other.name, other.descr, len(other.args)):
            raise Different
        handed = zip(one.args, other.args, strict=True)
        pairing.look(handed, one.objects, other.objects, one.effects.may_see_key)
    return pairing


def _ends(
    pairing: Pairing,
    before: Run,
    after: Run,
    wanted: tuple[Datum | None, ...],
    got: tuple[Datum | None, ...],
) -> None:
    if len(wanted) != len(got):
        raise Different
    assert before.heap is not None
    assert after.heap is not None
    handed = [*zip(wanted, got, strict=True), (before.pending, after.pending)]
    pairing.copy().look(handed, before.heap.objects, after.heap.objects, lambda _key: True)


def is_possible(state: State, before: Trace, layout: Layout) -> bool:
    """Is it a state that there can be: memory of the types that are declared, and constants that are what they are?"""
    heap = state.heap
    if heap is None:
        return True
    for described in heap.objects.values():
        if described.type.name == "raw memory":
            if not all(key != "raw[]" or value in range(256) for (key, _), value in described.cells.items()):
                return False
            continue
        if (described.length is None) != isinstance(described.type, Struct) or (described.length or 0) < 0:
            return False
        if not all(_possible(described, cell, value, heap, layout) for cell, value in described.cells.items()):
            return False
    for const in layout.declarations.consts:
        ref = heap.named(f"ConstPtr({const.name})")
        known = layout.constant(const.name)
        if ref is None or known is None:
            continue
        if ref not in heap.objects:
            return False
        type_ = known.struct or known.array
        if type_ is not None and heap.objects[ref].type.name != type_.name:
            return False
        if known.length is not None and heap.objects[ref].length != known.length:
            return False
        for slot, value in known.fields:
            if isinstance(value, int) and heap.objects[ref].value((slot.key, NO_INDEX), 0) != value:
                return False
    return True


def _possible(described: Object, cell: Cell, value: Datum, heap: Heap, layout: Layout) -> bool:
    key, index = cell
    slot = VIEWS.get(key) or memory_named(
        layout, key.removesuffix("[]").replace("[].", "."), has_index=index != NO_INDEX
    )
    if slot is None or type(value) is not type(_zero_of(slot)):
        return False
    if isinstance(value, Ref) and value != NULL and value not in heap.objects:
        return False
    bounds = (slot.low, slot.high) if slot.low is not None and slot.high is not None else None
    if isinstance(value, int) and bounds is not None and not bounds[0] <= value <= bounds[1]:
        return False
    if key in VIEWS:
        return True
    if slot.owner is not None and not layout.is_subclass(described.type.name, slot.owner):
        return False
    if key in ("gc_bytes[]", "gc_references[]"):
        return index >= 0
    return index == NO_INDEX or 0 <= index < (described.length or 0)
