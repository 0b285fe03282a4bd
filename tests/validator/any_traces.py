"""Traces of any operations that have a meaning, each written together with a state on which it runs to its end.

An operation is drawn from the table, with any arguments that its row and its descr let it have. It stays if the run
still comes to the end. So what is new in the table is written here without a word about it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from optimizer.ir.check import IllFormed, check
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.floats import Float
from optimizer.ir.rows.domain import wrap
from optimizer.ir.rows.ops import OPS, DescrKind, Kind, Op, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.objects import NO_INDEX, NULL, Cell, Datum, Object, Ref
from optimizer.ir.run.runs import Finished, Given, Run, Seen, World
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstClass, ConstFloat, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var
from optimizer.ir.types.layout import Field, Layout, Struct
from optimizer.ir.types.trace_layout import layout_of
from validator import State

DECLARATIONS = """+++
word = {word}
[struct.Base]
fields = {{ tag = "u8", left = "ref", fixed = {{ type = "int", immutable = true }} }}
[struct.Node]
parent = "Base"
fields = {{ value = "int", x = "float", quasi = {{ type = "int", quasi_immutable = true }} }}
[struct.Other]
cleared = false
fields = {{ small = "i8", y = "float", to = "ref", deep = {{ type = "ref", immutable = true }} }}
[array.Chars]
item = "u8"
[array.Words]
item = "int"
[array.Refs]
item = "ref"
[array.Fixed]
item = "int"
immutable = true
[array.Floats]
item = "float"
[array.Points]
fields = {{ a = "int", b = "ref" }}
[call.poke]
result = "int"
reads = ["Node.value"]
writes = ["Node.value", "Words", "raw"]
[call.touch]
result = "ref"
writes = ["Base.fixed", "Base.left"]
can_raise = true
[call.pure]
result = "int"
elidable = true
[call.purer]
result = "ref"
elidable = true
can_raise = true
[call.puref]
result = "float"
elidable = true
[call.same]
result = "int"
loop_invariant = true
[call.div]
result = "int"
elidable = true
oopspec = "int_py_div"
[call.flush]
result = "void"
can_invalidate = true
[const.known]
struct = "Node"
fields = {{ fixed = 7 }}
[const.row]
array = "Words"
length = 2
+++
"""

_STRUCTS = ("Base", "Node", "Node", "Other", "Loose")
_ARRAYS = ("Chars", "Words", "Refs", "Fixed", "Floats", "Points")
_FIELDS = ("Base.tag", "Base.left", "Base.fixed", "Node.value", "Node.x", "Node.quasi", "Other.small", "Other.y",
           "Other.to", "Other.deep", "Loose.u", "Loose.w")  # fmt: skip
_CALLS = ("poke", "touch", "pure", "purer", "puref", "same", "div", "flush", "unknown", None)
_DESCRS: dict[DescrKind, tuple[str | None, ...]] = {
    DescrKind.FIELD: _FIELDS,
    DescrKind.ITEM: _ARRAYS[:5],
    DescrKind.INTERIOR: ("Points.a", "Points.b"),
    DescrKind.STRUCT: _STRUCTS,
    DescrKind.ARRAY: _ARRAYS,
    DescrKind.CALL: _CALLS,
    DescrKind.RAW_ITEM: ("Chars", "Words", "<ArrayS 2>", "<ArrayU 1>", "<ArrayS 4>"),
    DescrKind.RAW_SIZE: (None,),
    DescrKind.RAW_FIELD: ("Base.tag", "Node.value", "Other.small", "Base.left"),
}
_FLOATS = (0.0, -0.0, 1.0, 0.5, -2.0, 3.0, float("inf"), float("nan"), 1e300, 5e-324)
_REFERENCES = ("NULL", "ConstPtr(k)", "ConstPtr(known)", "ConstPtr(row)", '"ab"', 'u"xy"')
_LENGTHS = (0, 1, 2, 2, 3)
_OFTEN = {
    Kind.COPY: 20,
    Kind.SCAN: 10,
    Kind.LOAD: 10,
    Kind.STORE: 30,
    Kind.NEW: 12,
    Kind.RAW_LOAD: 6,
    Kind.RAW_STORE: 12,
    Kind.GUARD: 6,
    Kind.EVENT: 2,
}
_TRIES = 6


@cache
def _rows(word: int) -> tuple[Op, ...]:
    kinds = (Kind.OTHER, Kind.POSITION, Kind.END)
    return tuple(row for row in OPS.values() if row.kind not in kinds and row.has_meaning and row.min_word <= word)


@cache
def _declared(word: int) -> Trace:
    return parse(DECLARATIONS.format(word=word) + "[]\nfinish()\n")


class Writer:
    """Writes one trace. `themes` are the operations that are drawn most of the time."""

    def __init__(self, random: Random, word: int) -> None:
        self._random = random
        self._empty = _declared(word)
        self._rows = _rows(word)
        self._themes = random.choices(
            self._rows, [_OFTEN.get(row.kind, 3) for row in self._rows], k=random.choice((6, 12, 25))
        )
        self._ops: tuple[Operation, ...] = ()
        self._named = 0
        types = [Type.INT, Type.INT, Type.REF, Type.REF, *([Type.FLOAT] if word >= 16 else [])]
        self._inputs = tuple(self._fresh(random.choice(types)) for _ in range(random.randrange(1, 6)))
        self._heap = self._objects(Layout(self._empty.declarations, word))
        self._state = State(tuple(self._datum(var.type) for var in self._inputs), World(), self._heap)
        self._run = self._ran(self._trace(()), self._state)

    def trace(self, most: int) -> tuple[Trace, State]:
        """A trace of at most so many operations, and its state."""
        for _ in range(3 * most):
            if len(self._ops) < most:
                self._step()
        kept = [var for var in self._values() if self._random.random() < 0.4]
        return self._trace(self._ops, (*kept,)), self._state

    # The state.

    def _objects(self, layout: Layout) -> Heap:
        random, heap = self._random, Heap(layout)
        for number in range(random.choice((1, 3, 5))):
            chance = random.random()
            if chance < 0.6:
                held = Object(layout.struct(random.choice(_STRUCTS)))
            elif chance < 0.75 and layout.word >= 32:
                held = Object(layout.array(random.choice(("str", "unicode"))), random.choice(_LENGTHS))
            else:
                held = Object(layout.array(random.choice(_ARRAYS)), random.choice(_LENGTHS))
            heap.add(f"q{number}", held)
        for ref, held in list(heap.objects.items()):
            self._heap = heap
            heap.objects[ref] = replace(held, cells=self._cells(held))
        return heap

    def _cells(self, held: Object) -> dict[Cell, Datum]:
        if isinstance(held.type, Struct):
            return {(slot.key, NO_INDEX): self._held(slot) for slot in held.type.fields}
        slots = [*held.type.fields, *([held.type.item] if held.type.item is not None else [])]
        return {(slot.key, index): self._held(slot) for slot in slots for index in range(held.length or 0)}

    def _held(self, slot: Field) -> Datum:
        value = self._datum(slot.type)
        if isinstance(value, int) and slot.low is not None and slot.high is not None:
            return min(max(value, slot.low), slot.high)
        return value

    def _datum(self, type_: Type) -> Datum:
        random = self._random
        match type_:
            case Type.REF:
                return random.choice([NULL, *[*self._heap.objects] * 3])
            case Type.FLOAT:
                return Float.of(random.choice(_FLOATS))
            case _:
                return self._number()

    def _number(self) -> int:
        random, word = self._random, self._empty.word
        if random.random() < 0.4:
            return random.randrange(4)
        half = 1 << (word - 1)
        among = (0, 1, 2, 3, -1, 5, 8, 255, half - 1, -half, random.getrandbits(word))
        return wrap(random.choice(among), word)

    # Operations.

    def _values(self) -> list[Var]:
        return [*self._inputs, *(op.result for op in self._ops if op.result is not None)]

    def _fresh(self, type_: Type) -> Var:
        self._named += 1
        return Var(f"{ {Type.REF: 'p', Type.FLOAT: 'f'}.get(type_, 'i') }{self._named}", type_)

    def _step(self) -> None:
        """An operation is added, if one of a few tries comes to the end."""
        row = self._random.choice(self._themes if self._random.random() < 0.75 else self._rows)
        for _ in range(_TRIES):
            if self._is_added(row):
                return

    def _is_added(self, row: Op) -> bool:
        operation = self._operation(row)
        ops, state = (operation,), self._state
        if row.overflows is not None:
            guard = self._random.choice(("guard_no_overflow", "guard_overflow"))
            ops = (operation, Operation(OPS[guard], (), None, self._exit()))
        if row.kind is Kind.EVENT:
            state = self._with_result(row)
        trace = self._trace((*self._ops, *ops))
        run = self._ran(trace, state)
        if run is None or not isinstance(run.outcome, Finished):
            return False
        self._ops, self._state, self._run = trace.ops[:-1], state, run
        return True

    def _with_result(self, row: Op) -> State:
        """The state in which a further event, or function, gives a value of that type."""
        world = self._state.world
        given = 0 if row.result is Type.VOID else self._datum(row.result)
        seen: Datum | Seen = Seen(0) if isinstance(given, Ref) and self._random.random() < 0.2 else given
        results, functions = (*world.results, seen), (*world.functions, Given(given))
        return replace(self._state, world=replace(world, results=results, functions=functions))

    def _operation(self, row: Op) -> Operation:
        descr = None
        if row.memory is not None and row.memory.descr is not None and row.memory.on is None:
            descr = self._random.choice(_DESCRS[row.memory.descr])
        args = self._args(row, descr)
        result = None if row.result is Type.VOID else self._fresh(row.result)
        return Operation(row, args, result, self._exit() if row.is_guard else None, descr)

    def _args(self, row: Op, descr: str | None) -> tuple[Value, ...]:
        random = self._random
        if row.args is None:
            args: list[Value] = [self._any() for _ in range(random.randrange(3))]
            if row.memory is not None and row.memory.descr is DescrKind.CALL:
                args[:0] = [ConstInt(1)] * row.memory.function + [ConstClass(f"f_{descr}")]
                if row.memory.function:
                    args[0] = self._value(random.choice((Type.INT, Type.REF)))
            return tuple(args)
        types = row.args
        if row.same_type and random.random() < 0.5:
            types = (random.choice((Type.REF, Type.FLOAT)),) * len(types)
        args = []
        for place, type_ in enumerate(types):
            if row.memory is not None and row.memory.class_arg == place:
                args.append(ConstClass(random.choice(("Base", "Node", "Other", "Loose"))))
            elif place in row.constant_args:
                args.append(ConstInt(random.choice((0, 1, 2, 4, 8, -1, -2))))
            else:
                among = (Type.INT, Type.REF) if type_ is Type.PLACE else (type_,)
                args.append(self._any() if type_ is Type.ANY else self._value(random.choice(among)))
        if row.kind is Kind.GUARD and len(args) == 2 and isinstance(args[0], Var) and random.random() < 0.5:
            known = self._run.values.get(args[0].name) if self._run is not None else None
            args[1] = ConstInt(known) if isinstance(known, int) else args[1]
        return tuple(args)

    def _any(self) -> Value:
        return self._value(self._random.choice([Type.INT, Type.REF, *([Type.FLOAT] if self._empty.word >= 16 else [])]))

    def _value(self, type_: Type) -> Value:
        random = self._random
        among = [var for var in self._values() if var.type is type_]
        if among and random.random() < 0.8:
            return random.choice(among[-6:])
        match type_:
            case Type.REF:
                return ConstRef(random.choice(_REFERENCES))
            case Type.FLOAT:
                return ConstFloat(Float.of(random.choice(_FLOATS)))
            case _:
                return ConstInt(self._number())

    def _exit(self) -> Exit:
        random = self._random
        if random.random() < 0.05:
            return Exit()
        block: tuple[Operation, ...] = ()
        failargs: list[Value | None] = [random.choice((None, *[self._any()] * 4)) for _ in range(random.randrange(4))]
        if random.random() < 0.2:
            inner = self._operation(random.choice([row for row in self._rows if row.in_exit_block]))
            block = (inner,)
            failargs += [inner.result] if inner.result is not None else []
        return Exit(tuple(failargs), None, block)

    # Running.

    def _trace(self, ops: tuple[Operation, ...], ends: tuple[Value, ...] = ()) -> Trace:
        return replace(self._empty, inputs=self._inputs, ops=(*ops, Operation(OPS["finish"], ends)))

    def _ran(self, trace: Trace, state: State) -> Run | None:
        """The run; None where the trace is no trace, or nobody knows what it means."""
        try:
            check(trace)
            layout = layout_of(trace)
            assert state.heap is not None
            heap = state.heap.copy()
            heap.layout = layout
            return Program(trace, layout).run(state.inputs, state.world, heap=heap)
        except (IllFormed, InputError, Unsupported, ValueError):
            return None
