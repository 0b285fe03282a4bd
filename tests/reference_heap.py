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
fields = { value = "int", next = "ref", flag = "bool", version = { type = "int", quasi_immutable = true } }
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
[call.peek]
result = "int"
reads = ["valuedescr"]
writes = ["Node.next"]
[call.poke]
result = "void"
reads = []
writes = ["Base.fixed", "Words", "Node.version", "Base.left", "Base.tag"]
[call.flush]
result = "void"
can_invalidate = true
[call.look]
result = "ref"
reads = ["Refs", "Points"]
writes = []
[call.pure]
result = "int"
elidable = true
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
    "Node": {"tag": (0, 255), "fixed": None, "value": None, "flag": (0, 1), "version": None},
    "Other": {"value": (-(2**15), 2**15 - 1)},
    "Raw": {"a": None},
    "Loose": {},
}
REFERENCES = {"Base": ["left"], "Node": ["left", "next"], "Other": [], "Raw": ["b"], "Loose": []}
ITEMS = {"Chars": (0, 255), "Words": None}
CONSTANT = {"fixed", "Words"}  # fields and arrays that are immutable
ALIASES = {"valuedescr": "Node.value", "nodesize": "Node", "chars": "Chars"}
LOOSE_NUMBER, LOOSE_REFERENCE = "u", "Loose.w"  # undeclared fields, which any object may have

EFFECTS: dict[str, tuple[set[str], set[str], bool]] = {  # memory that is read, memory that is written, invalidates
    "peek": ({"Node.value"}, {"Node.next"}, False),
    "poke": (set(), {"Base.fixed", "Words[]", "Node.version", "Base.left", "Base.tag"}, False),
    "look": ({"Refs[]", "Points[].x", "Points[].y", "Points[].z"}, set(), False),
}


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
    slots: dict[str, object] = dict.fromkeys(NUMBERS[kind], zero) | ({LOOSE_NUMBER: zero} if zero is UNWRITTEN else {})
    return Thing(kind, slots | dict.fromkeys(REFERENCES[kind]), shared=shared)


def make_array(kind: str, length: int, *, clear: bool, shared: bool = False) -> Thing:
    def item() -> object:
        if kind == "Points":
            return {"x": 0, "y": None, "z": 0} if clear else dict.fromkeys("xyz", UNWRITTEN)
        return (None if kind == "Refs" else 0) if clear else UNWRITTEN

    return Thing(kind, {}, [item() for _ in range(length)], shared=shared)


def is_a(kind: str | None, wanted: str) -> bool:
    return kind is not None and (kind == wanted or is_a(ABOVE.get(kind), wanted))


@dataclass
class Ended:
    """How the run ended: `how` is finish, jump, undefined (`what` is the operation's number), guard or stopped (the
    number of the guard or event). `seen` is what each event saw, `kept` are the writes refused for the trace's sake.
    """

    how: str
    what: int
    values: list[object]
    events: list[tuple[str, list[object]]]
    seen: list[list[object]] = field(default_factory=list)
    kept: set[tuple[int, int]] = field(default_factory=set)


@dataclass
class Poke:
    """What an event tries to write; `target` and `value` may be the number of an object seen, as `[3]`."""

    target: Thing | list[int]
    descr: str
    value: object
    index: int | None


@dataclass
class Script:
    """What the world does, as the interpreter's `World`."""

    pokes: list[list[Poke]] = field(default_factory=list)
    invalid: set[int] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    stops_at: int | None = None


@dataclass
class Machine:
    trace: Trace
    inputs: list[object]
    results: list[object]
    things: list[Thing]
    constants: dict[str, Thing]
    script: Script = field(default_factory=Script)

    def run(self) -> Ended:
        self.values: dict[str, object] = {v.name: x for v, x in zip(self.trace.inputs, self.inputs, strict=True)}
        events: list[tuple[str, list[object]]] = []
        self.found: list[Thing] = []  # by events, of those that the trace allocated
        self.old = [thing for thing in self.things if thing.shared]
        self.seen: list[list[object]] = []
        self.kept: set[tuple[int, int]] = set()
        self.watched: set[tuple[int, str]] = set()
        self.invalidations = 0
        ended = self.walk(events)
        ended.seen, ended.kept = self.seen, self.kept
        return ended

    def walk(self, events: list[tuple[str, list[object]]]) -> Ended:
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
                elif name.startswith(("escape_", "call_")):
                    events.append((name, args))
                    if not self.meet(op.descr if name.startswith("call_") else None, args, len(events) - 1):
                        return Ended("stopped", len(events) - 1, [], events)
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

    def meet(self, call: str | None, args: list[object], number: int) -> bool:
        """The event happens: what it sees, and, if it returns, what it does."""
        reads, writes, invalidates = EFFECTS.get(call or "", (None, None, True))
        sees = None if reads is None or writes is None else reads | writes
        todo = [*self.found, *(x for x in args if isinstance(x, Thing)), *self.old]
        done: list[Thing] = []
        while todo:
            thing = todo.pop(0)
            if thing not in done:
                done.append(thing)
                todo += [x for place, x in places(thing) if isinstance(x, Thing) and (sees is None or place[0] in sees)]
        self.found += [thing for thing in done if thing not in self.found and thing not in self.old]
        for thing in done:
            thing.shared = True
        self.seen.append([picture(thing, done, sees) for thing in done])
        if number == self.script.stops_at:
            return False
        if invalidates:
            self.invalidations += 1
        for position, poke in enumerate(self.script.pokes[number] if number < len(self.script.pokes) else ()):
            if self.poke(poke, writes):
                self.kept.add((number, position))
        return True

    def poke(self, poke: Poke, writes: set[str] | None) -> bool:
        """Writes if that is allowed; is it refused only because of what the trace has read or watches?"""
        target, value = self.resolved(poke.target), self.resolved(poke.value)
        descr = ALIASES.get(poke.descr, poke.descr)
        owner, _, name = descr.rpartition(".")
        if not isinstance(target, Thing) or value is NOBODY or not target.shared:
            return False
        is_item = owner in ("", "Points") and descr not in ("u",)
        if (poke.index is not None) != is_item:
            return False
        wanted = descr if owner == "" else owner
        if descr not in (LOOSE_NUMBER, LOOSE_REFERENCE) and not is_a(target.kind, wanted):
            return False
        if is_item and poke.index not in range(len(target.items or ())):
            return False
        is_reference = descr in ("Refs", "Points.y", "Node.next", "Base.left", "Node.left", "Raw.b", "Loose.w")
        if is_reference != (value is None or isinstance(value, Thing)):
            return False
        try:
            check_range(LIMITS.get(descr), value)
        except Wrong:
            return False
        place = memory_name(target.kind, name)
        if descr in ("Words", "Base.fixed", "Node.fixed") if writes is None else place not in writes:
            return False
        is_read = (poke.index if is_item else name) in target.read
        if (descr in ("Words", "Base.fixed", "Node.fixed") and is_read) or (
            (id(target), place) in self.watched and self.is_valid()
        ):
            return True
        assert target.items is None or not is_item or poke.index is not None
        if not is_item:
            target.slots[name if owner else descr] = value
        elif owner == "Points":
            target.items[poke.index][name] = value  # type: ignore[index]  # an array of structs
        else:
            target.items[poke.index] = value  # type: ignore[index]  # an array
        return False

    def is_valid(self) -> bool:
        return min(self.script.invalid, default=99) > self.invalidations

    def resolved(self, value: object) -> object:
        if not isinstance(value, list):
            return value
        return self.found[value[0]] if value[0] < len(self.found) else NOBODY

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
            case "guard_not_invalidated":
                return self.is_valid()
            case "guard_gc_type":
                if kind is None:
                    raise Wrong
                return self.script.numbers.get(kind, 0) == args[1]
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
            case "quasiimmut_field", [thing]:
                owner = self.owner(thing, descr)
                self.watched.add((id(owner), memory_name(owner.kind, descr.split(".")[-1])))
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
            case "assert_is_object", [thing]:
                if not isinstance(thing, Thing) or thing.kind not in NUMBERS:
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
            thing.slots.setdefault(name, None if name == "w" else 0)
        return thing


NOBODY = Unwritten()
LIMITS = {
    "Chars": (0, 255),
    "Points.z": (-128, 127),
    "Base.tag": (0, 255),
    "Node.tag": (0, 255),
    "Node.flag": (0, 1),
    "Other.value": (-(2**15), 2**15 - 1),
}


def memory_name(kind: str, name: str) -> str:
    """What the memory is called that all accesses to it share: the struct that declares it, `[]` for an array."""
    if name in ("u", "w"):
        return LOOSE_NUMBER if name == "u" else LOOSE_REFERENCE
    if kind in ("Chars", "Words", "Refs", "Points"):
        return f"{kind}[].{name}" if kind == "Points" else f"{kind}[]"
    return f"{'Base' if name in ('tag', 'left', 'fixed') else kind}.{name}"


def places(thing: Thing) -> list[tuple[tuple[str, int], object]]:
    """All that an object holds, by the name of the memory and the index, in their order."""
    found = [((memory_name(thing.kind, name), -1), x) for name, x in thing.slots.items()]
    for i, item in enumerate(thing.items or ()):
        pairs = item.items() if isinstance(item, dict) else [("", item)]
        found += [((memory_name(thing.kind, name), i), x) for name, x in pairs]
    return sorted(found, key=lambda pair: pair[0])


def picture(thing: Thing, known: list[Thing], sees: set[str] | None) -> object:
    """An object as it is now, of the memory `sees`, without zeros; objects by their positions in `known`."""
    shown = {
        place: ("object", known.index(x)) if isinstance(x, Thing) else x
        for place, x in places(thing)
        if x not in (0, None) and not isinstance(x, Unwritten) and (sees is None or place[0] in sees)
    }
    return thing.kind, None if thing.items is None else len(thing.items), shown


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
