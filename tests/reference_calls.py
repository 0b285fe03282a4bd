"""A second interpreter for calls, exceptions and what else the world decides, written from the trace language alone.

It knows a few calls by heart, and memory of one field only. Objects are Python objects. What is undefined raises
`Wrong`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import reference

from optimizer.ir.addresses import address_of
from optimizer.ir.trace import ConstClass, ConstInt, Operation, Trace, Value, Var

ELIDABLE = {"hash", "quiet", "find", "div", "look"}
LOOKS = {"look"}  # at the field of all errors that it can find
RAISES = {"hash", "once", "poke", None}
KNOWN = {("hash", (1,)): 2}
WRITES = {"poke", None}


class Wrong(Exception):
    """The operation is undefined."""


@dataclass(eq=False)
class Thing:
    kind: str
    value: int = 0
    is_new: bool = False


@dataclass
class Script:
    """What the world does: `results` and `raises` of events by their numbers, what functions give and raise in the
    order in which they are first called, and what an event puts into fields. An int in a list is an object that events
    have seen, by its number."""

    results: list[object] = field(default_factory=list)
    raises: list[object] = field(default_factory=list)
    functions: list[tuple[object, object]] = field(default_factory=list)
    pokes: list[list[tuple[object, int]]] = field(default_factory=list)
    stops_at: int | None = None
    pending: Thing | None = None
    forced: set[int] = field(default_factory=set)
    false_conditions: set[int] = field(default_factory=set)
    invalid: set[int] = field(default_factory=set)


@dataclass
class Ended:
    """How a run ended: `how` is finish, undefined (`what` is the operation's number), guard or stopped (the number of
    the guard or event)."""

    how: str
    what: int
    values: list[object]
    pending: Thing | None
    events: list[tuple[str, list[object]]]
    looks: list[Look]


@dataclass
class Look:
    """What a function that looks at memory has found behind so many events: the objects that it could, each with its
    value."""

    events: int
    args: list[object]
    found: list[tuple[Thing, int]]


class _Left(Exception):
    def __init__(self, how: str, what: int, values: list[object]) -> None:
        self.ended = how, what, values


class Machine:
    def __init__(self, trace: Trace, inputs: list[object], script: Script, old: list[Thing]) -> None:
        self.trace, self.script, self.old = trace, script, old
        self.looks: list[Look] = []
        self.values: dict[str, object] = {v.name: x for v, x in zip(trace.inputs, inputs, strict=True)}
        self.pending = script.pending
        self.events: list[tuple[str, list[object]]] = []
        self.seen: list[Thing] = []
        self.functions: dict[tuple[object, ...], tuple[object, object]] = {}  # by type and arguments
        self.called = 0
        self.made: set[tuple[object, ...]] = set()
        self.invariants: dict[tuple[str, object], tuple[object, object]] = {}
        self.invalidations = 0
        uses: dict[str | None, set[str]] = {}
        for op in trace.ops:
            if "call" in op.op.name or op.op.name == "record_known_result":
                uses.setdefault(op.descr, set()).add(op.op.name.rpartition("_")[0].replace("record_known", "call_pure"))
        self.pure = {descr for descr, names in uses.items() if names == {"call_pure"}}
        self.invariant = {descr for descr, names in uses.items() if names == {"call_loopinvariant"}}

    def run(self) -> Ended:
        guards = 0
        for number, op in enumerate(self.trace.ops):
            try:
                given = self.step(op, [self.value(arg) for arg in op.args], guards)
            except Wrong:
                return Ended("undefined", number, [], self.pending, self.events, self.looks)
            except _Left as left:
                return Ended(*left.ended, self.pending, self.events, self.looks)
            if op.result is not None:
                self.values[op.result.name] = given
            guards += op.op.name.startswith("guard_")
        raise AssertionError

    def value(self, value: Value) -> object:
        match value:
            case Var(name):
                return self.values[name]
            case ConstInt(number):
                return number
            case ConstClass(name):
                return name
        assert str(value) == "NULL"
        return None

    def step(self, op: Operation, args: list[object], guards: int) -> object:
        name = op.op.name
        if name == "finish":
            raise _Left("finish", 0, args)
        if name.startswith("guard_"):
            assert op.exit is not None
            if not self.passes(name, args):
                raise _Left("guard", guards, [self.value(arg) for arg in op.exit.failargs or () if arg is not None])
            if name == "guard_exception":
                raised, self.pending = self.pending, None
                return raised
            return None
        if name == "cond_call":
            return self.call("call_n", op, args[1:]) if args[0] != 0 else None
        if name.startswith("cond_call_value"):
            return self.call(f"call_{name[-1]}", op, args[1:]) if args[0] in (0, None) else args[0]
        if name.startswith("call_"):
            return self.call(name.replace("_pure", "").replace("_loopinvariant", ""), op, args)
        return self.plain(name, op, args)

    def plain(self, name: str, op: Operation, args: list[object]) -> object:
        match name, args:
            case "save_exception", _:
                raised, self.pending = self.pending, None
                return raised
            case "save_exc_class", _:
                return address_of(self.pending.kind, 4) if self.pending is not None else 0
            case "restore_exception", [kind, Thing() | None as thing]:
                if kind != (0 if thing is None else address_of(thing.kind, 4)):
                    raise Wrong
                self.pending = thing
            case "keepalive" | "force_token", _:
                return self.event(name, args, op, raises=False)
            case "record_known_result", [value, *call]:
                key = (op.args[0].type.value, *call)
                wanted = KNOWN.get((op.descr or "", tuple(call[1:])), value)
                if self.functions.setdefault(key, (wanted, None)) != (value, None):
                    raise Wrong
            case "new", _:
                return Thing(op.descr or "", is_new=True)
            case "setfield_gc", [thing, int(value)]:
                error(thing).value = value
            case "getfield_gc_i", [thing]:
                return error(thing).value
            case "ptr_eq", [a, b]:
                return int(a is b)
            case _, [int(a), int(b)]:
                value = reference.OPERATIONS[name](4, a, b)
                return None if value is None else reference.to_word(int(value), 4)
            case _:
                raise AssertionError(name)
        return None

    def passes(self, name: str, args: list[object]) -> bool:
        match name:
            case "guard_no_exception":
                return self.pending is None
            case "guard_exception":
                return self.pending is not None and self.pending.kind == args[0]
            case "guard_not_forced":
                return len(self.events) not in self.script.forced
            case "guard_future_condition":
                return len(self.events) not in self.script.false_conditions
            case "guard_not_invalidated":
                return self.invalidations not in self.script.invalid
            case "guard_value":
                return args[0] == args[1]
        raise AssertionError(name)

    # Calls.

    def call(self, name: str, op: Operation, args: list[object]) -> object:
        descr = op.descr
        if descr == "div" and len(args) == 3:
            value = reference.OPERATIONS["int_py_div"](4, args[1], args[2])
            if value is None:
                raise Wrong
            return reference.to_word(int(value), 4)
        if descr in ELIDABLE or descr in self.pure:
            return self.function(op, args)
        if descr != "once" and descr not in self.invariant:
            return self.event(name, args, op, raises=descr in RAISES or descr == "u")
        key = op.op.result.value, args[0]
        if key not in self.invariants:
            value = self.event(name, args, op, raises=True)
            self.invariants[key] = value, self.pending
        given, raised = self.invariants[key]
        assert raised is None or isinstance(raised, Thing)
        self.pending = raised
        return given

    def function(self, op: Operation, args: list[object]) -> object:
        if op.descr in LOOKS:
            there = [*self.seen, *(arg for arg in args if isinstance(arg, Thing)), *self.old]
            there = [thing for at, thing in enumerate(there) if thing not in there[:at]]
            self.looks.append(Look(len(self.events), args, [(thing, thing.value) for thing in there]))
        key = (op.op.result.value, *args)
        known = KNOWN.get((op.descr or "", tuple(args[1:])))
        if key not in self.functions or key not in self.made:
            if key not in self.functions:
                scripted = self.script.functions
                result, raises = scripted[self.called] if self.called < len(scripted) else (0, None)
                result, raises = self.meant(result, op.op.result.value), self.meant(raises, "ref")
                self.functions[key] = (result, raises) if known is None else (known, None)
            self.called += 1
            self.made.add(key)
        if known is not None and self.functions[key] != (known, None):
            raise Wrong
        result, raised = self.functions[key]
        if op.descr == "hash" or op.descr in self.pure:
            assert raised is None or isinstance(raised, Thing)
            self.pending = raised
        return result

    def event(self, name: str, args: list[object], op: Operation, *, raises: bool) -> object:
        number = len(self.events)
        self.events.append((name, args))
        for thing in args:
            if isinstance(thing, Thing) and thing.is_new and thing not in self.seen:
                self.seen.append(thing)
        if self.script.stops_at == number:
            raise _Left("stopped", number, [])
        if name.startswith("call") and op.descr in (None, "u"):
            self.invalidations += 1
        may_write = name.startswith("call") and op.descr in (None, "u", "poke")
        for target, value in self.script.pokes[number] if may_write and number < len(self.script.pokes) else ():
            thing = self.meant(target, "ref")
            if isinstance(thing, Thing) and thing.kind == "Error" and (not thing.is_new or thing in self.seen):
                thing.value = value
        if raises:
            raised = self.meant(self.script.raises[number] if number < len(self.script.raises) else None, "ref")
            assert raised is None or isinstance(raised, Thing)
            self.pending = raised
        result = op.op.result.value
        if result == "void":
            return None
        return self.meant(self.script.results[number] if number < len(self.script.results) else None, result)

    def meant(self, scripted: object, type_: str) -> object:
        """What the script says, 0 or NULL where that is of another type or nothing."""
        if isinstance(scripted, list):
            scripted = self.seen[scripted[0]] if scripted[0] < len(self.seen) else None
        if type_ == "ref":
            return scripted if isinstance(scripted, Thing) else None
        return scripted if isinstance(scripted, int) else 0


def error(thing: object) -> Thing:
    if not isinstance(thing, Thing) or thing.kind != "Error":
        raise Wrong
    return thing
