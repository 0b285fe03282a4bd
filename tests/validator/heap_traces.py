"""Random traces over small heaps, and random states to run them on.

A variable's name says what it is meant to hold: `pN3` a Node, `pW4` an array of words. States mostly keep to that, so
that many runs are defined, and have few objects, so that many references are the same one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from optimizer.ir.check import IllFormed, check
from optimizer.ir.heap import NO_INDEX, NULL, Cell, Datum, Heap, Object, Ref
from optimizer.ir.layout import Field, Layout
from optimizer.ir.ops import OPS, Kind
from optimizer.ir.runs import Scripted, Seen, World, Write
from optimizer.ir.text import parse
from optimizer.ir.trace import (
    ConstClass,
    ConstInt,
    ConstRef,
    Exit,
    Operation,
    Trace,
    Value,
    Var,
    all_operations,
)
from validator import State

SMALL, WIDE = 4, 64

_TEXT = """+++
word = {word}
[struct.Base]
vtable = "base_vt"
fields = {{ left = "ref", fixed = {{ type = "int", immutable = true }}, near = {{ type = "ref", immutable = true }} }}
[struct.Node]
parent = "Base"
fields = {{ value = "{narrow}", next = "ref", quasi = {{ type = "int", quasi_immutable = true }} }}
[struct.Other]
fields = {{ v = "int", r = "ref" }}
[struct.Raw]
cleared = false
fields = {{ a = "int", b = "ref" }}
[array.Words]
item = "int"
[array.Refs]
item = "ref"
[array.Fixed]
item = "int"
immutable = true
[array.Points]
fields = {{ x = "int", y = "ref" }}
{calls}
[const.k]
struct = "Node"
fields = {{ fixed = 1 }}
[const.m]
struct = "Base"
[const.ka]
array = "Words"
length = 2
+++
[i0]
finish(i0)
"""

_EFFECTS = {
    "peek": (["Node.value", "Refs"], [], False),
    "poke": ([], ["Node.value", "Node.next", "Refs"], False),
    "link": (["Node.next"], ["Base.left", "Words", "Raw.a", "Raw.b", "Points", "w"], False),
    "fix": ([], ["Base.fixed", "Base.near", "Node.quasi", "Fixed"], False),
    "turn": (["Node.quasi"], ["Node.quasi"], True),
    "none": ([], [], False),
}
"""What calls read, what they write, and whether they can invalidate; each is declared once for each type of result."""

_RESULTS = {"i": "int", "r": "ref", "n": "void"}


def _declare_calls() -> str:
    return "\n".join(
        f'[call.{name}_{letter}]\nresult = "{result}"\nreads = {json.dumps(reads)}\nwrites = {json.dumps(writes)}\n'
        f"can_invalidate = {str(invalidates).lower()}"
        for name, (reads, writes, invalidates) in _EFFECTS.items()
        for letter, result in _RESULTS.items()
    )


def _declarations(word: int) -> str:
    return _TEXT.format(word=word, narrow="u8" if word > SMALL else "int", calls=_declare_calls())


DECLARED = {word: parse(_declarations(word)) for word in (SMALL, WIDE)}
"""A trace for each width of words, for its declarations."""

CALLS = (*_EFFECTS, "unknown")
INTS = {"N": ("Node.value", "Base.fixed", "Node.quasi"), "B": ("Base.fixed",), "O": ("Other.v",), "R": ("Raw.a",)}
REFS = {"N": ("Node.next", "Base.left", "Base.near"), "B": ("Base.left", "Base.near"), "O": ("Other.r",)}
REFS["R"] = ("Raw.b",)
STRUCTS = {"N": "Node", "B": "Base", "O": "Other", "R": "Raw", "L": "Loose"}
ARRAYS = {"W": "Words", "F": "Refs", "P": "Points", "C": "Fixed", "A": "Any"}
THEMES = ("NNN", "NNN", "NNB", "NNF", "NNF", "NNR", "NNW", "NNP", "NRF", "NC", "NOL", "NNNBORLWFPCA")
GUARDS = ["guard_nonnull"] * 3 + ["guard_class", "guard_nonnull_class"] * 2
GUARDS += ["guard_isnull", "guard_value", "guard_subclass"]
CLASSES = ("base_vt", "Node", "Node", "Other", "Raw", "Loose")
KINDS = "NNNBORLWFPCA"
MEMORY = (
    ("Node.value", "Base.fixed", "Node.quasi", "Other.v", "Raw.a", "u"),
    ("Node.next", "Base.left", "Base.near", "Other.r", "Raw.b", "w"),
)


def kind_of(var: Var) -> str:
    """What a variable is meant to hold: a letter of `STRUCTS` or `ARRAYS`."""
    return var.name[1] if len(var.name) > 1 and var.name[1] in KINDS else "N"


class Writer:
    """Writes one random trace."""

    def __init__(self, random: Random, word: int) -> None:
        self.random = random
        self.word = word
        self.names = 0
        theme = random.choice(THEMES)
        self.structs = [kind for kind in theme if kind in STRUCTS]
        self.arrays = [kind for kind in theme if kind in ARRAYS]
        self.ints = {kind: random.sample(texts, 1) for kind, texts in INTS.items()}
        self.refs = {kind: random.sample(texts, 1 if random.random() < 0.7 else len(texts)) for kind, texts in REFS.items()}
        inputs = [self.fresh(kind) for kind in random.choices(f"i{theme}", k=random.choice([1, 2, 3, 3]))]
        self.inputs = tuple(inputs)
        self.values: list[Var] = list(inputs)
        self.bools: list[Var] = []
        self.ops: list[Operation] = []

    def fresh(self, kind: str) -> Var:
        self.names += 1
        return Var(f"i{self.names}") if kind == "i" else Var(f"p{kind}{self.names}", REF)

    def number(self) -> Value:
        mine: list[Value] = [var for var in self.values if var.type is INT]
        return self.random.choice([*mine, ConstInt(self.random.choice([0, 1, 2, 3]))])

    def index(self) -> Value:
        return ConstInt(self.random.choice([0, 0, 1])) if self.random.random() < 0.7 else self.number()

    def ref(self, kinds: str) -> Value | None:
        mine: list[Value] = [var for var in self.values if var.type is REF and kind_of(var) in kinds]
        if "N" in kinds and self.random.random() < 0.08:
            return ConstRef(f"ConstPtr({self.random.choice(['k', 'm', 'x', 'y'])})")
        if "W" in kinds and self.random.random() < 0.08:
            return ConstRef("ConstPtr(ka)")
        recent = mine[-4:]
        return self.random.choice(recent if self.random.random() < 0.6 else mine) if mine else None

    def any_ref(self) -> Value:
        value = self.ref("NNNNBORLWFPCA")
        return ConstRef("NULL") if value is None or self.random.random() < 0.05 else value

    def value(self) -> Value:
        return self.number() if self.random.random() < 0.4 else self.any_ref()

    def node(self) -> Value:
        return self.ref("NB") or ConstRef("NULL")

    def emit(self, name: str, args: Sequence[Value], kind: str = "", **more: object) -> Value | None:
        """Adds an operation; where `kind` says what, it has a result. Gives the result."""
        result = self.fresh(kind) if kind else None
        self.ops.append(Operation(OPS[name], tuple(args), result, **more))  # type: ignore[arg-type]
        if result is not None:
            self.values.append(result)
        return result

    def field(self, store: bool) -> None:
        p = self.ref("NNNBOR")
        if p is None:
            return
        kind = kind_of(p) if isinstance(p, Var) else "B"
        if self.random.random() < 0.1:
            is_ref = self.random.random() < 0.5
            descr = "w" if is_ref else "u"
        else:
            is_ref = self.random.random() < 0.5
            descr = self.random.choice((self.refs if is_ref else self.ints)[kind])
        letter = "r" if is_ref else "i"
        if store:
            self.emit("setfield_gc", (p, self.node() if is_ref else self.number()), descr=descr)
        else:
            self.emit(f"getfield_gc_{letter}", (p,), "N" if is_ref else "i", descr=descr)

    def item(self, store: bool) -> None:
        p = self.ref("WFPCA")
        if not isinstance(p, Var):
            return
        kind = kind_of(p)
        is_ref = kind == "F" or (kind == "P" and self.random.random() < 0.5)
        stem = "interiorfield_gc" if kind == "P" else "arrayitem_gc"
        descr = ("Points.y" if is_ref else "Points.x") if kind == "P" else ARRAYS[kind]
        i = self.index()
        if store:
            self.emit(f"set{stem}", (p, i, self.node() if is_ref else self.number()), descr=descr)
        else:
            self.emit(f"get{stem}_{'r' if is_ref else 'i'}", (p, i), "N" if is_ref else "i", descr=descr)

    def allocation(self) -> None:
        if not self.arrays or self.random.random() < 0.65:
            kind = self.random.choice(self.structs)
            self.emit("new_with_vtable", (), kind, descr=STRUCTS[kind])
        else:
            kind = self.random.choice(self.arrays)
            row = self.random.choice(["new_array", "new_array_clear", "new_array_clear"])
            length = ConstInt(self.random.choice([1, 2, 2])) if self.random.random() < 0.8 else self.number()
            self.emit(row, (length,), kind, descr=ARRAYS[kind])
        fresh = self.values[-1]
        for _ in range(self.random.choice([0, 1, 1, 2])):
            self.store_into(fresh)

    def store_into(self, p: Var) -> None:
        kept = self.values
        self.values = [p, *(var for var in kept if var.type is INT), *kept[-3:]]
        count = self.names
        (self.item if kind_of(p) in ARRAYS else self.field)(True)
        self.values = kept
        assert self.names == count

    def exit(self) -> Exit:
        chance = self.random.random()
        if chance < 0.06:
            return Exit()
        if chance < 0.3:
            return self.exit_with_block()
        return Exit(tuple(self.random.choice([self.value(), self.value(), None]) for _ in range(2)))

    def exit_with_block(self) -> Exit:
        kept, ops = list(self.values), self.ops
        self.ops = []
        if self.random.random() < 0.6:
            self.allocation()
        else:
            self.field(True)
        block, self.ops = tuple(self.ops), ops
        made = [op.result for op in block if op.result is not None]
        self.values = kept
        handed: tuple[Value | None, ...] = (*made[:1], self.value())
        return Exit(handed, None, block)

    def event(self) -> None:
        letter = self.random.choice("innr")
        result = {"i": "i", "n": "", "r": self.random.choice("NNNWF")}[letter]
        args = [self.value() for _ in range(self.random.choice([0, 1, 1, 2]))]
        if self.random.random() < 0.45:
            self.emit(f"escape_{letter}", args, result)
        else:
            name = self.random.choice(CALLS)
            self.emit(f"call_{letter}", (ConstInt(1), *args), result, descr=f"{name}_{letter}")

    def identity(self) -> None:
        name = self.random.choice(["ptr_eq", "ptr_ne", "instance_ptr_eq"])
        result = self.emit(name, (self.any_ref(), self.any_ref()), "i")
        assert isinstance(result, Var)
        self.bools.append(result)

    def guard(self) -> None:
        if self.bools and self.random.random() < 0.4:
            row = self.random.choice(["guard_true", "guard_false"])
            self.emit(row, (self.random.choice(self.bools),), exit=self.exit())
            return
        p = self.any_ref()
        row = self.random.choice(GUARDS)
        args: tuple[Value, ...] = (p,)
        if row == "guard_value":
            args = (p, ConstRef(self.random.choice(["NULL", "ConstPtr(k)", "ConstPtr(x)"])))
        elif OPS[row].constant_args:
            args = (p, self.class_for(p))
        self.emit(row, args, exit=self.exit())

    def class_for(self, p: Value) -> ConstClass:
        """Mostly the class that the reference is meant to have."""
        name = STRUCTS.get(kind_of(p)) if isinstance(p, Var) and self.random.random() < 0.8 else None
        name = self.random.choice(list(STRUCTS.values())) if name is None else name
        return ConstClass("base_vt" if name == "Base" else name)

    def fact(self) -> None:
        chance, p = self.random.random(), self.any_ref()
        if chance < 0.3:
            self.emit("record_exact_class", (p, self.class_for(p)))
        elif chance < 0.45:
            self.emit("record_exact_value_i", (self.number(), ConstInt(self.random.choice([0, 1]))))
        elif chance < 0.6:
            self.emit("record_exact_value_r", (p, ConstRef(self.random.choice(["NULL", "ConstPtr(k)"]))))
        else:
            node = self.ref("N")
            if isinstance(node, Var):
                self.emit("quasiimmut_field", (node,), descr="Node.quasi")
                self.emit("guard_not_invalidated", (), exit=self.exit())
                if self.random.random() < 0.7:
                    self.emit("getfield_gc_i", (node,), "i", descr="Node.quasi")

    def number_operation(self) -> None:
        row = self.random.choice(["int_add", "int_eq", "int_lt"])
        result = self.emit(row, (self.number(), self.number()), "i")
        if row != "int_add" and isinstance(result, Var):
            self.bools.append(result)

    def length(self) -> None:
        p = self.ref("WFPCA")
        if isinstance(p, Var):
            self.emit("arraylen_gc", (p,), "i", descr=ARRAYS[kind_of(p)])

    def step(self) -> None:
        match self.random.randrange(20):
            case 0 | 1 | 2:
                self.field(False)
            case 3 | 4 | 5:
                self.field(True)
            case 6 | 7:
                self.item(self.random.random() < 0.5)
            case 8 | 9 | 10:
                self.allocation()
            case 11 | 12 | 13:
                self.event()
            case 14 | 15 | 16:
                self.guard()
            case 17:
                self.identity()
                if self.random.random() < 0.5:
                    row = self.random.choice(["guard_true", "guard_true", "guard_false"])
                    self.emit(row, (self.bools[-1],), exit=self.exit())
            case 18:
                self.fact()
            case _:
                self.random.choice([self.number_operation, self.length])()

    def trace(self) -> Trace:
        wanted = self.random.choice([3, 5, 7, 9, 12])
        while len(self.ops) < wanted:
            self.step()
        row = self.random.choice(["finish", "finish", "jump"])
        handed = tuple(self.value() for _ in range(self.random.choice([0, 1, 2])))
        self.ops.append(Operation(OPS[row], handed))
        return Trace(self.inputs, tuple(self.ops), self.word, DECLARED[self.word].declarations)


INT = OPS["int_add"].result
REF = OPS["new"].result


def heap_trace(random: Random, word: int) -> Trace:
    """A well-formed random trace, with few events."""
    while True:
        trace = Writer(random, word).trace()
        try:
            check(trace)
        except IllFormed:
            continue
        if sum(op.op.kind is Kind.EVENT for op in trace.ops) <= 3:
            return trace


# States.


class States:
    """Random states for a pair of traces."""

    def __init__(self, before: Trace, after: Trace, layout: Layout, random: Random) -> None:
        self._before = before
        self._layout = layout
        self._random = random
        self._word = before.word
        self._events = [op for op in before.ops if op.op.kind is Kind.EVENT]
        self._fields: dict[str, list[Field]] = {}
        self._constants = sorted(
            {
                value.text[len("ConstPtr(") : -1]
                for trace in (before, after)
                for op in all_operations(trace)
                for value in (*op.args, *((op.exit.failargs or ()) if op.exit is not None else ()))
                if isinstance(value, ConstRef) and value.text.startswith("ConstPtr(")
            }
        )
        self._has_unknown = {name for name in self._constants if layout.constant(name) is None}
        self._needed = [kind_of(var) for var in before.inputs if var.type is REF] + [
            kind_of(op.result) for op in self._events if op.result is not None and op.result.type is REF
        ]
        self._arrays_used = any(kind in ARRAYS for kind in self._needed)

    def some(self, count: int) -> Iterator[State]:
        return (self.state() for _ in range(count))

    def state(self) -> State:
        random = self._random
        heap = Heap(self._layout)
        self._fixed: list[Ref] = []
        self._fit = 0.97 if random.random() < 0.7 else 0.7
        for kind in dict.fromkeys(self._needed):
            for _ in range(random.choice([1, 1, 2])):
                self._object(heap, kind)
        for kind in random.choices(KINDS, k=random.choice([0, 1])):
            self._object(heap, kind)
        self._declared_constants(heap)
        old = list(heap.objects)
        for ref in old:
            self._fill(heap, ref)
        for name in self._has_unknown:
            if old and random.random() < 0.7:
                heap.names[f"ConstPtr({name})"] = random.choice(old)
            else:
                heap.add(f"ConstPtr({name})", Object(self._layout.struct("opaque")))
        old = list(heap.objects)
        inputs = tuple(self._input(var, heap) for var in self._before.inputs)
        return State(inputs, self._world(heap), heap)

    def _object(self, heap: Heap, kind: str) -> Ref:
        random, name = self._random, f"o{len(heap.objects)}"
        if kind in ARRAYS:
            type_ = self._layout.array(ARRAYS[kind])
            return heap.add(name, Object(type_, random.choice([0, 1, 2, 2, 3])))
        text = random.choice([STRUCTS[kind]] * 6 + (["Node"] if kind == "B" else []) + ["opaque"])
        struct = self._layout.struct(text)
        if kind in "NB" and random.random() < 0.1:
            struct = self._layout.subclass_of(STRUCTS[kind])
        return heap.add(name, Object(struct))

    def _declared_constants(self, heap: Heap) -> None:
        for name in self._constants:
            known = self._layout.constant(name)
            if known is None:
                continue
            if known.array is not None:
                ref = heap.add(f"ConstPtr({name})", Object(known.array, known.length or 0))
            else:
                assert known.struct is not None
                cells: dict[Cell, Datum] = {
                    (slot.key, NO_INDEX): value for slot, value in known.fields if isinstance(value, int)
                }
                ref = heap.add(f"ConstPtr({name})", Object(known.struct, None, cells))
            self._fixed.append(ref)

    def _fill(self, heap: Heap, ref: Ref) -> None:
        described = heap.objects[ref]
        cells = dict(described.cells)
        for slot in self._fields_of(described.type.name):
            cell = (slot.key, NO_INDEX)
            if cell not in cells and self._random.random() < 0.7:
                cells[cell] = self._held(slot, heap)
        if described.length:
            for slot in self._items_of(described.type.name):
                for index in range(described.length):
                    if self._random.random() < 0.7:
                        cells[slot.key, index] = self._held(slot, heap)
        heap.objects[ref] = replace(described, cells=cells)

    def _fields_of(self, name: str) -> list[Field]:
        if name not in self._fields:
            slots = [
                (self._layout.field(text), type_)
                for texts, type_ in zip(MEMORY, (INT, REF), strict=True)
                for text in texts
            ]
            self._fields[name] = [
                slot
                for slot, type_ in slots
                if slot.type is type_ and (slot.owner is None or self._layout.is_subclass(name, slot.owner))
            ]
        return self._fields[name]

    def _items_of(self, name: str) -> list[Field]:
        array = self._layout.array(name)
        return [*array.fields, *([array.item] if array.item is not None else [])]

    def _held(self, slot: Field, heap: Heap) -> Datum:
        return self._reference("N", heap) if slot.type is REF else self._number(slot)

    def _number(self, slot: Field | None = None) -> int:
        value = self._random.choice([0, 1, 1, 2, 3] if self._random.random() < 0.8 else [-1, 7, -8, 5])
        return max(0, value) if slot is not None and slot.low is not None else value

    def _reference(self, kind: str, heap: Heap) -> Ref:
        random, refs = self._random, list(heap.objects)
        if random.random() < 0.12 or not refs:
            return NULL
        if random.random() < self._fit:
            name = STRUCTS.get(kind) or ARRAYS[kind]
            fitting = [ref for ref in refs if heap.isa(ref, name)]
            if fitting:
                return random.choice(fitting)
        return random.choice(refs)

    def _input(self, var: Var, heap: Heap) -> Datum:
        return self._reference(kind_of(var), heap) if var.type is REF else self._number()

    def _world(self, heap: Heap) -> World:
        random = self._random
        results: list[Scripted] = []
        for op in self._events:
            if op.result is not None and op.result.type is REF:
                seen = random.random() < 0.4
                results.append(Seen(random.choice([0, 0, 1, 2])) if seen else self._reference(kind_of(op.result), heap))
            else:
                results.append(self._number())
        count = len(self._events)
        return World(
            tuple(results),
            random.randrange(count) if count and random.random() < 0.15 else None,
            tuple(tuple(self._write(heap) for _ in range(random.choice([0, 0, 1, 2, 4]))) for _ in self._events),
            frozenset(n for n in range(count + 1) if random.random() < 0.15),
        )

    def _write(self, heap: Heap) -> Write:
        random = self._random
        old = list(heap.objects)
        target: Ref | Seen = Seen(random.choice([0, 0, 1])) if not old or random.random() < 0.4 else random.choice(old)
        described = heap.objects.get(target) if isinstance(target, Ref) else None
        index: int | None = None
        if described is not None and described.length is not None:
            index = random.choice([0, 0, 1])
            name = described.type.name
            texts = ["Points.x", "Points.y"] if name == "Points" else [name]
        elif described is None and random.random() < 0.3:
            index, texts = random.choice([0, 0, 1]), ["Words", "Refs", "Points.x", "Points.y", "Any"]
        else:
            texts = list(random.choice(MEMORY))
        text = random.choice(texts)
        slot = self._layout.memory(text, has_index=index is not None)
        value: Scripted = self._number(slot)
        if slot is not None and slot.type is REF:
            value = Seen(random.choice([0, 0, 1])) if random.random() < 0.4 else self._reference("N", heap)
        return Write(target, text, value, index)
