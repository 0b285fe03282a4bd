"""A second interpreter for operations on the heap, in other words: Python objects that hold Python objects.

It knows one small world of classes by heart, and no layout, slots, cells or domains. What is undefined raises `Wrong`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import reference

from optimizer.ir.trace import ConstClass, ConstInt, Operation, Trace, Value, Var

DECLARATIONS = """+++
[struct.Base]
vtable = "base_vt"
fields = { tag = "u8", left = "ref", fixed = { type = "int", immutable = true } }
[struct.Node]
parent = "Base"
vtable = "node_vt"
fields = { value = "int", next = "ref", flag = "bool" }
[struct.Other]
fields = { value = "i16" }
[struct.Raw]
cleared = false
fields = { a = "int", b = "ref" }
[array.Chars]
item = "u8"
[array.Words]
item = "int"
immutable = true
[array.Refs]
item = "ref"
[array.Points]
fields = { x = "int", y = "ref", z = "i8" }
[descr]
valuedescr = "Node.value"
nodesize = "Node"
chars = "Chars"
+++
"""

ABOVE = {"Node": "Base"}
VTABLES = {"base_vt": "Base", "node_vt": "Node", "Other": "Other", "Raw": "Raw", "Loose": "Loose"}
NUMBERS = {
    "Base": {"tag": (0, 255), "fixed": None},
    "Node": {"tag": (0, 255), "fixed": None, "value": None, "flag": (0, 1)},
    "Other": {"value": (-(2**15), 2**15 - 1)},
    "Raw": {"a": None},
    "Loose": {},
}
REFERENCES = {"Base": ["left"], "Node": ["left", "next"], "Other": [], "Raw": ["b"], "Loose": []}
ITEMS = {"Chars": (0, 255), "Words": None}
CONSTANT = {"fixed", "Words"}  # fields and arrays that are immutable
ALIASES = {"valuedescr": "Node.value", "nodesize": "Node", "chars": "Chars"}
LOOSE_NUMBER, LOOSE_REFERENCE = "u", "Loose.w"  # undeclared fields, which any object may have


class Wrong(Exception):
    """The operation is undefined."""


class Unwritten:
    """What memory holds that nobody has written."""


UNWRITTEN = Unwritten()
Content = "int | Thing | None | Unwritten"


@dataclass(eq=False)
class Thing:
    """An object: `slots` by name, or a list of items, each a value or a dictionary."""

    kind: str
    slots: dict[str, object] = field(default_factory=dict)
    items: list[object] | None = None
    shared: bool = True
    read: set[object] = field(default_factory=set)


def make(kind: str, *, shared: bool = False) -> Thing:
    zero = UNWRITTEN if kind == "Raw" and not shared else 0
    slots: dict[str, object] = dict.fromkeys(NUMBERS[kind], zero)
    return Thing(kind, slots | dict.fromkeys(REFERENCES[kind]), shared=shared)


def make_array(kind: str, length: int, *, clear: bool, shared: bool = False) -> Thing:
    def item() -> object:
        if kind == "Points":
            return {"x": 0, "y": None, "z": 0} if clear else dict.fromkeys("xyz", UNWRITTEN)
        return (None if kind == "Refs" else 0) if clear else UNWRITTEN

    return Thing(kind, items=[item() for _ in range(length)], shared=shared)


def is_a(kind: str | None, wanted: str) -> bool:
    return kind is not None and (kind == wanted or is_a(ABOVE.get(kind), wanted))


@dataclass
class Ended:
    """How the run ended: `how` is finish, jump, undefined (`what` is the operation's number) or guard (its number)."""

    how: str
    what: int
    values: list[object]
    events: list[tuple[str, list[object]]]


@dataclass
class Machine:
    trace: Trace
    inputs: list[object]
    results: list[object]
    things: list[Thing]
    constants: dict[str, Thing]

    def run(self) -> Ended:
        self.values: dict[str, object] = {v.name: x for v, x in zip(self.trace.inputs, self.inputs, strict=True)}
        events: list[tuple[str, list[object]]] = []
        number = guards = 0
        for op in self.trace.ops:
            args = [self.value(arg) for arg in op.args]
            name = op.op.name
            if name in ("finish", "jump"):
                return Ended(name, 0, args, events)
            try:
                if name.startswith("guard_"):
                    if not self.holds(op, args):
                        return self.leave(op, number, guards, events)
                elif name.startswith("escape_"):
                    events.append((name, args))
                    self.share(args)
                    if op.result is not None:
                        self.values[op.result.name] = self.results[len(events) - 1]
                else:
                    self.do(op, args)
            except Wrong:
                return Ended("undefined", number, [], events)
            guards += name.startswith("guard_")
            number += 1 + len(op.exit.block if op.exit else ())
        raise AssertionError

    def leave(self, guard: Operation, number: int, guards: int, events: list[tuple[str, list[object]]]) -> Ended:
        assert guard.exit is not None
        for inner in guard.exit.block:
            number += 1
            try:
                self.do(inner, [self.value(arg) for arg in inner.args])
            except Wrong:
                return Ended("undefined", number, [], events)
        return Ended("guard", guards, [self.value(arg) for arg in guard.exit.failargs or () if arg], events)

    def value(self, value: Value) -> object:
        match value:
            case Var(name):
                return self.values[name]
            case ConstInt(number):
                return number
            case ConstClass(name):
                return name
            case _:
                return None if str(value) == "NULL" else self.constants[str(value)]

    def share(self, args: list[object]) -> None:
        todo = [x for x in args if isinstance(x, Thing)] + [thing for thing in self.things if thing.shared]
        done: list[Thing] = []
        while todo:
            thing = todo.pop()
            if thing not in done:
                done.append(thing)
                thing.shared = True
                todo += [x for x in held(thing) if isinstance(x, Thing)]

    def holds(self, op: Operation, args: list[object]) -> bool:
        x = args[0] if args else None
        kind = x.kind if isinstance(x, Thing) else None
        has_class = kind in NUMBERS
        match op.op.name:
            case "guard_true":
                return x == 1
            case "guard_nonnull":
                return x is not None
            case "guard_isnull":
                return x is None
            case "guard_value":
                return x is args[1] if op.args[0].type.value == "ref" else x == args[1]
            case "guard_nonnull_class":
                return has_class and kind == VTABLES.get(str(args[1]))
            case "guard_is_object":
                if x is None:
                    raise Wrong
                return has_class
            case "guard_class" | "guard_subclass" if not has_class:
                raise Wrong
            case "guard_class":
                return kind == VTABLES.get(str(args[1]))
            case "guard_subclass":
                return is_a(kind, VTABLES.get(str(args[1]), "?"))
        raise AssertionError(op.op.name)

    def do(self, op: Operation, args: list[object]) -> None:
        result = self.result(op, args)
        if op.result is not None:
            self.values[op.result.name] = result

    def result(self, op: Operation, args: list[object]) -> object:
        descr = ALIASES.get(op.descr or "", op.descr or "")
        match op.op.name.removesuffix("_i").removesuffix("_r").replace("_pure", ""), args:
            case "new" | "new_with_vtable", _:
                return self.add(make(descr))
            case "new_array" | "new_array_clear" as name, [int(length)]:
                if length < 0:
                    raise Wrong
                return self.add(make_array(descr, length, clear=name.endswith("clear")))
            case "getfield_gc", [thing]:
                return get(self.owner(thing, descr), descr.split(".")[-1])
            case "setfield_gc", [thing, value]:
                put(self.owner(thing, descr), descr.split(".")[-1], value)
            case "arraylen_gc", [thing]:
                return len(array(thing, descr))
            case "getarrayitem_gc", [thing, int(i)]:
                return get_item(thing, descr, i, None)
            case "setarrayitem_gc", [thing, int(i), value]:
                put_item(thing, descr, i, None, value)
            case "getinteriorfield_gc", [thing, int(i)]:
                return get_item(thing, "Points", i, descr.split(".")[1])
            case "setinteriorfield_gc", [thing, int(i), value]:
                put_item(thing, "Points", i, descr.split(".")[1], value)
            case "ptr_eq" | "instance_ptr_eq", [a, b]:
                return int(a is b)
            case "ptr_ne" | "instance_ptr_ne", [a, b]:
                return int(a is not b)
            case "same_as", [a]:
                return a
            case "record_exact_class", [thing, name]:
                if not isinstance(thing, Thing) or VTABLES.get(str(name)) != thing.kind:
                    raise Wrong
            case "record_exact_value", [a, b]:
                if a is not b and (isinstance(a, Thing) or isinstance(b, Thing) or a is None or b is None or a != b):
                    raise Wrong
            case "assert_not_none", [thing]:
                if thing is None:
                    raise Wrong
            case name, [int(a), int(b)]:
                value = reference.OPERATIONS[name](64, a, b)
                return None if value is None else reference.to_word(int(value), 64)
        return None

    def add(self, thing: Thing) -> Thing:
        self.things.append(thing)
        return thing

    def owner(self, thing: object, descr: str) -> Thing:
        if not isinstance(thing, Thing):
            raise Wrong
        if descr not in (LOOSE_NUMBER, LOOSE_REFERENCE) and not is_a(thing.kind, descr.split(".")[0]):
            raise Wrong
        if descr in (LOOSE_NUMBER, LOOSE_REFERENCE):
            name = descr.split(".")[-1]
            has_hole = thing.kind == "Raw" and not thing.slots.get("old", thing.shared)
            thing.slots.setdefault(name, None if name == "w" else UNWRITTEN if has_hole else 0)
        return thing


def held(thing: Thing) -> list[object]:
    """All that an object holds."""
    items = [x for item in thing.items or () for x in (item.values() if isinstance(item, dict) else [item])]
    return [*thing.slots.values(), *items]


def get(thing: Thing, name: str) -> object:
    if thing.slots[name] is UNWRITTEN:
        raise Wrong
    thing.read.add(name)
    return thing.slots[name]


def put(thing: Thing, name: str, value: object) -> None:
    check_range(NUMBERS.get(thing.kind, {}).get(name), value)
    if name in CONSTANT and thing.shared and name in thing.read:
        raise Wrong
    thing.slots[name] = value


def check_range(limits: tuple[int, int] | None, value: object) -> None:
    if limits is not None and value not in range(limits[0], limits[1] + 1):
        raise Wrong


def array(thing: object, kind: str) -> list[object]:
    if not isinstance(thing, Thing) or thing.kind != kind or thing.items is None:
        raise Wrong
    return thing.items


def get_item(thing: object, kind: str, i: int, name: str | None) -> object:
    items = array(thing, kind)
    if i not in range(len(items)):
        raise Wrong
    item = items[i]
    value = item[name] if isinstance(item, dict) else item
    if value is UNWRITTEN:
        raise Wrong
    assert isinstance(thing, Thing)
    thing.read.add(i)
    return value


def put_item(thing: object, kind: str, i: int, name: str | None, value: object) -> None:
    items = array(thing, kind)
    if i not in range(len(items)):
        raise Wrong
    check_range((-128, 127) if name == "z" else ITEMS.get(kind), value)
    assert isinstance(thing, Thing)
    if kind in CONSTANT and thing.shared and i in thing.read:
        raise Wrong
    item = items[i]
    if isinstance(item, dict):
        item[name] = value
    else:
        items[i] = value
