"""Random traces over small heaps.

A variable's name says what it is meant to hold: `pN3` a Node, `pW4` an array of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from declared_calls import event

from optimizer.ir.check import IllFormed, check
from optimizer.ir.rows.ops import OPS, Kind
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
)

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
    "peek": ("Node.value Refs", "", False),
    "poke": ("", "Node.value Node.next Refs", False),
    "link": ("Node.next", "Base.left Words Raw.a Raw.b Points w", False),
    "fix": ("", "Base.fixed Base.near Node.quasi Fixed", False),
    "turn": ("Node.quasi", "Node.quasi", True),
    "none": ("", "", False),
}
"""What calls read, what they write, and whether they can invalidate; each is declared once for each type of result."""

_RESULTS = {"i": "int", "r": "ref", "n": "void"}


def _declare_calls() -> str:
    return "".join(
        event(f"{name}_{letter}", reads=reads, writes=writes, result=result, can_invalidate=invalidates)
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
        self.refs = {
            kind: random.sample(texts, 1 if random.random() < 0.7 else len(texts)) for kind, texts in REFS.items()
        }
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
        self.ops.append(Operation(OPS[name], tuple(args), result, **more))  # type: ignore[arg-type]  # fields of an Operation
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
