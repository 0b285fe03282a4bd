"""Random traces on objects and arrays, each with states on which to run it.

A trace grows by operations that go through on an example, so that most of what is written is defined; the other states
are variations of it, with other aliases, contents, results and writes of events.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from declared_calls import event

from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import GuardFailed, Program, Run, Undefined, World
from optimizer.ir.run.objects import NO_INDEX, NULL, Datum, Object, Ref
from optimizer.ir.run.runs import Scripted, Seen, Write
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstClass, ConstInt, ConstRef, Exit, Operation, Trace, Value, Var
from optimizer.ir.types.layout import Layout, Struct
from optimizer.ir.types.trace_layout import layout_of

DECLARATIONS = (
    """+++
[struct.Base]
vtable = "base_vt"
fields = { tag = "u8", left = "ref", fixed = { type = "int", immutable = true } }
[struct.Node]
parent = "Base"
vtable = "node_vt"
fields = { value = "int", next = "ref", code = { type = "int", quasi_immutable = true } }
[struct.Leaf]
parent = "Base"
vtable = "leaf_vt"
fields = { weight = "int" }
[struct.Raw]
cleared = false
fields = { a = "int", b = "ref" }
[array.Ints]
item = "int"
[array.Refs]
item = "ref"
[array.Stable]
item = "int"
immutable = true
[array.Points]
fields = { x = "int", y = "ref" }
"""
    + event("poke", writes="Node.value Ints")
    + event("look", reads="Base.left Node.next", result="int")
    + event("name", writes="Base.fixed Node.code", result="ref")
    + """[call.spoil]
result = "void"
can_invalidate = true
[const.a]
struct = "Node"
fields = { fixed = 7, code = 2 }
[const.b]
struct = "Leaf"
fields = { fixed = 8 }
[const.t]
array = "Ints"
length = 2
+++
"""
)
FIELDS = [
    "Base.tag",
    "Node.tag",
    "Base.left",
    "Node.left",
    "Base.fixed",
    "Node.fixed",
    "Leaf.fixed",
    "Node.value",
    "Node.value",
    "Node.next",
    "Node.next",
    "Node.code",
    "Leaf.weight",
    "Raw.a",
    "Raw.b",
    "u",
]
ITEMS = ["Ints", "Ints", "Refs", "Stable"]
INTERIORS = ["Points.x", "Points.y"]
CONSTANTS = [ConstRef(f"ConstPtr({name})") for name in "abtc"]
CLASSES = {"Base": "base_vt", "Node": "node_vt", "Leaf": "leaf_vt", "Raw": "Raw"}
_EMPTY = parse(f"{DECLARATIONS}[i0, i1, p0, p1, p2, p3]\njump()\n")


@dataclass(frozen=True)
class Case:
    """A trace, and states: inputs, heap and world. The first is the example, on which it is defined."""

    trace: Trace
    states: list[tuple[list[Datum], Heap, World]]


def _layout() -> Layout:
    known = parse(f"{DECLARATIONS}[p0]\ni0 = getfield_gc_i(p0, descr=u)\njump()\n")
    return layout_of(known)


class Grower:
    """Grows one trace."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.layout = _layout()
        self.ops: list[Operation] = []
        self.vars: list[Var] = list(_EMPTY.inputs)
        self.count = 10
        self.events = 0
        self.results: list[Scripted] = []
        self.writes: list[tuple[Write, ...]] = []
        self.inputs, self.heap = self.state()
        self.run = self.try_out([])
        self.dormant: list[Operation] = []
        self.accessed: list[tuple[str, str, Value]] = []

    # States.

    def state(self) -> tuple[list[Datum], Heap]:
        random, heap = self.random, Heap(self.layout)
        names = [Ref(f"q{number}") for number in range(7)]
        kinds = [
            "Node",
            "Node",
            random.choice(["Node", "Leaf"]),
            "Base",
            "Ints",
            random.choice(["Refs", "Ints"]),
            "Raw",
        ]
        for ref, kind in zip(names, kinds, strict=True):
            heap.add(ref.name, self.old_object(kind, names[:3] if random.random() < 0.7 else [*names, NULL]))
        likely = [names[0], names[random.randrange(2)], names[random.randrange(3)], names[4]]
        picks = [random.choice([*names, NULL]) if random.random() < 0.06 else pick for pick in likely]
        if random.random() < 0.5:
            heap.names["ConstPtr(c)"] = random.choice(names[:2])
        return [random.randrange(-1, 3), random.randrange(3), *picks], heap

    def old_object(self, kind: str, refs: list[Ref]) -> Object:
        random = self.random
        if kind in CLASSES:
            struct = self.layout.struct(kind)
            cells: dict[tuple[str, int], Datum] = {
                (slot.key, NO_INDEX): random.choice(refs) if slot.type is Type.REF else random.randrange(3)
                for slot in struct.fields
            }
            return Object(struct, None, cells)
        array, length = self.layout.array(kind), random.choice([2, 2, 3])
        assert array.item is not None
        is_ref = array.item.type is Type.REF
        items = {(array.item.key, i): random.choice(refs) if is_ref else random.randrange(3) for i in range(length)}
        return Object(array, length, items)

    # Growing.

    def trace(self, ops: list[Operation]) -> Trace:
        return replace(_EMPTY, ops=(*ops, Operation(OPS["jump"], ())))

    def try_out(self, ops: list[Operation]) -> Run:
        program = Program(self.trace(ops), self.layout)
        program.prepare(self.heap)
        for constant in CONSTANTS:
            self.heap.constant(constant.text[len("ConstPtr(") : -1])
        return program.run(self.inputs, World(tuple(self.results), None, tuple(self.writes)), heap=self.heap)

    def add(self, *ops: Operation) -> bool:
        """Append the operations if they go through on the example."""
        run = self.try_out([*self.ops, *ops])
        if isinstance(run.outcome, Undefined) or (isinstance(run.outcome, GuardFailed) and self.random.random() < 0.95):
            return False
        if isinstance(run.outcome, GuardFailed):
            self.dormant.extend(ops)
            return False
        self.ops.extend(ops)
        self.vars.extend(op.result for op in ops if op.result is not None)
        self.run = run
        return True

    def fresh(self, type_: Type) -> Var:
        self.count += 1
        return Var(f"{'p' if type_ is Type.REF else 'i'}{self.count}", type_)

    def datum(self, value: Value) -> Datum | None:
        if isinstance(value, Var):
            return self.run.values.get(value.name)
        if isinstance(value, ConstRef):
            return NULL if value.text == "NULL" else self.heap.constant(value.text[len("ConstPtr(") : -1])
        return value.value if isinstance(value, ConstInt) else None

    def values(self, type_: Type) -> list[Value]:
        found: list[Value] = [var for var in self.vars if var.type is type_]
        recent = found[-4:]
        if type_ is Type.REF:
            return [*found, *recent, *recent, *(CONSTANTS if self.random.random() < 0.3 else [])]
        return [*found, *recent, *(ConstInt(n) for n in range(-1, 3))]

    def value(self, type_: Type) -> Value:
        if type_ is Type.REF and self.random.random() < 0.06:
            return ConstRef("NULL")
        return self.random.choice(self.values(type_))

    def object(self, owner: str | None) -> Value | None:
        """A reference whose object is of that struct or array."""
        heap = self.run.heap
        assert heap is not None
        fits = [
            value
            for value in self.values(Type.REF)
            if isinstance(ref := self.datum(value), Ref)
            and ref in heap.objects
            and (owner is None or heap.isa(ref, owner))
        ]
        return self.random.choice(fits) if fits else None

    def index(self, target: Value) -> Value:
        if self.random.random() < 0.3:
            return self.value(Type.INT)
        return ConstInt(self.random.randrange(2))

    def grow(self) -> None:
        pick = self.random.randrange(100)
        steps = [
            (34, self.access),
            (50, self.allocation),
            (58, self.test),
            (64, self.sum),
            (86, self.guard),
            (96, self.event),
            (100, self.fact),
        ]
        next(step for limit, step in steps if pick < limit)()

    def access(self) -> None:
        kind = self.random.choice(["field"] * 5 + ["item"] * 2 + ["interior"])
        is_load = self.random.random() < 0.5
        descr = self.random.choice({"field": FIELDS, "item": ITEMS, "interior": INTERIORS}[kind])
        again = bool(self.accessed) and self.random.random() < 0.6
        if again:
            kind, descr, old = self.random.choice(self.accessed[-4:])
        slot = self.layout.array(descr).item if kind == "item" else self.layout.field(descr)
        assert slot is not None
        target = old if again and self.random.random() < 0.5 else self.object(slot.owner)
        if target is None:
            return
        self.accessed.append((kind, descr, target))
        index = () if kind == "field" else (self.index(target),)
        stem = {"field": "field_gc", "item": "arrayitem_gc", "interior": "interiorfield_gc"}[kind]
        if is_load:
            letter = "r" if slot.type is Type.REF else "i"
            self.add(Operation(OPS[f"get{stem}_{letter}"], (target, *index), self.fresh(slot.type), None, descr))
        else:
            value = ConstInt(self.random.randrange(2)) if slot.low is not None else self.value(slot.type)
            self.add(Operation(OPS[f"set{stem}"], (target, *index, value), None, None, descr))

    def allocation(self) -> None:
        if self.random.random() < 0.7:
            kind = self.random.choice(["Node", "Node", "Node", "Leaf", "Base", "Raw"])
            new = Operation(OPS["new_with_vtable"], (), self.fresh(Type.REF), None, kind)
        else:
            kind = self.random.choice(["Ints", "Refs", "Points", "Stable"])
            length: Value = (
                self.value(Type.INT) if self.random.random() < 0.2 else ConstInt(self.random.randrange(1, 4))
            )
            name = self.random.choice(["new_array", "new_array_clear", "new_array_clear"])
            new = Operation(OPS[name], (length,), self.fresh(Type.REF), None, kind)
        if self.add(new):
            if kind == "Node" and self.random.random() < 0.6:
                assert new.result is not None
                args = (new.result, self.random.choice([self.vars[-1], self.value(Type.REF)]))
                self.add(Operation(OPS["setfield_gc"], args, None, None, "Node.next"))
            for _ in range(self.random.randrange(3)):
                self.access()

    def test(self) -> None:
        if self.random.random() < 0.2:
            target = self.object(kind := self.random.choice(["Ints", "Refs", "Points"]))
            if target is not None:
                self.add(Operation(OPS["arraylen_gc"], (target,), self.fresh(Type.INT), None, kind))
            return
        name = self.random.choice(["ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne"])
        args = (self.value(Type.REF), self.value(Type.REF))
        if self.random.random() < 0.1:
            self.add(Operation(OPS["same_as_r"], args[:1], self.fresh(Type.REF)))
        else:
            self.add(Operation(OPS[name], args, self.fresh(Type.INT)))

    def sum(self) -> None:
        name = self.random.choice(["int_add", "int_sub", "int_lt", "int_eq"])
        self.add(Operation(OPS[name], (self.value(Type.INT), self.value(Type.INT)), self.fresh(Type.INT)))
        if self.random.random() < 0.2:
            guard = Operation(OPS["guard_no_overflow"], (), None, Exit(self.failargs()))
            args = (self.value(Type.INT), ConstInt(1))
            self.add(Operation(OPS["int_add_ovf"], args, self.fresh(Type.INT)), guard)

    def failargs(self) -> tuple[Value | None, ...] | None:
        if self.random.random() < 0.03:
            return None
        pool = self.vars[-6:] * 2 + self.vars
        return tuple(self.random.choice([*pool, None]) for _ in range(self.random.randrange(4)))

    def guard(self) -> None:
        row, args = self.condition()
        failargs, block = self.failargs(), ()
        if failargs is not None and self.random.random() < 0.15:
            new = Operation(OPS["new"], (), self.fresh(Type.REF), None, "Node")
            assert new.result is not None
            held = self.object("Base") or ConstRef("NULL")
            stores = [Operation(OPS["setfield_gc"], (new.result, held), None, None, "Node.next")]
            target = self.object("Base")
            if target is not None:
                stores.append(Operation(OPS["setfield_gc"], (target, new.result), None, None, "Base.left"))
            block = (new, *stores)
            failargs = (*failargs, new.result)
        self.add(Operation(OPS[row], args, None, Exit(failargs, None, block)))

    def condition(self) -> tuple[str, tuple[Value, ...]]:
        random, heap = self.random, self.run.heap
        assert heap is not None
        value = self.value(Type.REF)
        ref = self.datum(value)
        if random.random() < 0.1:
            return "guard_not_invalidated", ()
        if random.random() < 0.25:
            number = self.value(Type.INT)
            datum = self.datum(number)
            if datum in (0, 1) and random.random() < 0.7:
                return ("guard_true" if datum else "guard_false"), (number,)
            return "guard_value", (number, ConstInt(datum if isinstance(datum, int) else 0))
        if not isinstance(ref, Ref) or ref not in heap.objects:
            return "guard_isnull", (value,)
        if random.random() < 0.2:
            others = [other for other in self.values(Type.REF) if self.datum(other) == ref]
            return "guard_value", (value, random.choice([*others, *CONSTANTS]))
        type_ = heap.objects[ref].type
        if not isinstance(type_, Struct) or random.random() < 0.3:
            return "guard_nonnull", (value,)
        vtable = type_.vtable if random.random() < 0.9 else random.choice(list(CLASSES.values()))
        name = random.choice(["guard_class", "guard_class", "guard_nonnull_class", "guard_subclass", "guard_is_object"])
        return name, (value,) if name == "guard_is_object" else (value, ConstClass(vtable))

    def event(self) -> None:
        random = self.random
        args = tuple(self.value(random.choice([Type.REF, Type.REF, Type.INT])) for _ in range(random.randrange(3)))
        name, descr = random.choice(
            [
                ("escape_n", None),
                ("escape_i", None),
                ("escape_r", None),
                ("call_n", "poke"),
                ("call_i", "look"),
                ("call_r", "name"),
                ("call_n", "spoil"),
                ("call_n", "unknown"),
            ]
        )
        row = OPS[name]
        self.results.append(self.result(row.result))
        self.writes.append(self.some_writes())
        result = None if row.result is Type.VOID else self.fresh(row.result)
        if not self.add(Operation(row, args, result, None, descr)):
            self.results.pop()
            self.writes.pop()

    def result(self, type_: Type) -> Scripted:
        if type_ is not Type.REF:
            return self.random.randrange(3)
        return self.random.choice([Seen(self.random.randrange(3)), Seen(0), Ref(f"q{self.random.randrange(7)}"), NULL])

    def some_writes(self) -> tuple[Write, ...]:
        return tuple(self.a_write() for _ in range(self.random.choice([0, 1, 1, 2, 4])))

    def a_write(self) -> Write:
        random = self.random
        target = Seen(random.randrange(3)) if random.random() < 0.4 else Ref(f"q{random.randrange(7)}")
        if random.random() < 0.25:
            descr = random.choice(["Ints", "Refs", "Points.x"])
            is_ref, index = descr == "Refs", random.randrange(2)
        else:
            descr, index = random.choice(FIELDS), None
            is_ref = self.layout.field(descr).type is Type.REF
        value: Scripted = (
            random.choice([Ref("q0"), Ref("q1"), Seen(0), Seen(1), NULL]) if is_ref else random.randrange(4)
        )
        return Write(target, descr, value, index)

    def fact(self) -> None:
        random = self.random
        target = self.object(random.choice(["Node", "Base"]))
        if target is None:
            return
        ref, heap = self.datum(target), self.run.heap
        assert heap is not None
        assert isinstance(ref, Ref)
        match random.randrange(4):
            case 0:
                type_ = heap.objects[ref].type
                assert isinstance(type_, Struct)
                self.add(Operation(OPS["record_exact_class"], (target, ConstClass(type_.vtable))))
            case 1:
                self.add(Operation(OPS["assert_not_none"], (target,)))
            case 2:
                number = self.value(Type.INT)
                datum = self.datum(number)
                if isinstance(datum, int):
                    self.add(Operation(OPS["record_exact_value_i"], (number, ConstInt(datum))))
            case _:
                load = Operation(OPS["getfield_gc_i"], (target,), self.fresh(Type.INT), None, "Node.code")
                if self.add(Operation(OPS["quasiimmut_field"], (target,), None, None, "Node.code")):
                    self.add(Operation(OPS["guard_not_invalidated"], (), None, Exit(self.failargs())))
                    self.add(load)

    # The outcome.

    def variation(self) -> tuple[list[Datum], Heap, World]:
        random = self.random
        inputs, heap = self.inputs, self.heap
        if random.random() < 0.7:
            others, heap = self.state()
            inputs = [random.choice([one, one, other]) for one, other in zip(self.inputs, others, strict=True)]
            if random.random() < 0.6:
                kept = list(self.heap.objects)
                for ref in random.sample(kept, len(kept) // 2):
                    heap.objects[ref] = self.heap.objects[ref]
        events = [op.op for op in self.ops if op.op.kind is Kind.EVENT]
        results = [
            old if random.random() < 0.6 else self.result(row.result)
            for row, old in zip(events, self.results, strict=True)
        ]
        writes = [old if random.random() < 0.4 else self.some_writes() for old in self.writes]
        stops_at = random.randrange(len(events)) if events and random.random() < 0.15 else None
        invalid = frozenset(n for n in range(5) if random.random() < 0.1)
        return inputs, heap, World(tuple(results), stops_at, tuple(writes), invalid)


def grown(random: Random, length: int, states: int = 6) -> Case:
    """A random case."""
    grower = Grower(random)
    tries = 0
    while len(grower.ops) < length and tries < 4 * length:
        grower.grow()
        tries += 1
    handed = random.sample(grower.vars, min(len(grower.vars), 4)) + grower.vars[-4:]
    end = Operation(OPS["jump"], tuple(handed))
    doomed = [op for op in grower.dormant[:1] if all(arg in grower.vars for arg in op.args if isinstance(arg, Var))]
    doomed = [op for op in doomed if random.random() < 0.3 and op.exit is not None]
    trace = replace(_EMPTY, ops=(*grower.ops, *doomed, end))
    example = (grower.inputs, grower.heap, World(tuple(grower.results), None, tuple(grower.writes)))
    return Case(trace, [example, *(grower.variation() for _ in range(states))])
