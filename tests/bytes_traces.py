"""Random traces on objects by their bytes and by fields and items, and a machine that has decided where these are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from optimizer.ir.trace import ConstInt, Operation, Trace, Value

WORD = 16
_SIZE = 32
_OBJECTS = ("p0", "p1", "p2")


@dataclass
class Writer:
    """Writes a random trace; `ints` are its variables so far."""

    random: Random
    ints: list[str] = field(default_factory=lambda: ["i3", "i4"])
    refs: list[str] = field(default_factory=lambda: [*_OBJECTS])
    names: int = 10

    def number(self) -> str:
        return self.random.choice([*self.ints, *self.ints[-2:], "0", "1", "-1", "300"])

    def new(self) -> str:
        self.names += 1
        self.ints.append(f"i{self.names}")
        return self.ints[-1]

    def line(self) -> str:
        pick, value, p = self.random.choice, self.number(), self.random.choice(self.refs)
        at, size, name = pick(["0", "1", "2", "3", "8", "9"]), pick([1, 2]), pick(["x", "y"])
        place = f"{pick(['0', '1', 'i3'])}, {pick(['1', '2'])}, {at}"
        match self.random.randrange(12):
            case 0 | 1:
                return f"setfield_gc({p}, {value}, descr={name})"
            case 2 | 3:
                return f"{self.new()} = getfield_gc_i({p}, descr={name})"
            case 4:
                return f"setarrayitem_gc(p2, {pick(['0', '1'])}, {value}, descr=A)"
            case 5:
                index = pick(["0", "1"])
                return f"{self.new()} = getarrayitem_gc_i(p2, {index}, descr=A)"
            case 6 | 7:
                return f"gc_store({p}, {at}, {value}, {size})"
            case 8 | 9:
                return f"{self.new()} = gc_load_i({p}, {at}, {pick([size, -size])})"
            case 10:
                i, scale, offset = place.split(", ")
                return f"gc_store_indexed({p}, {i}, {value}, {scale}, {offset}, {size})"
            case _:
                return f"{self.new()} = gc_load_indexed_i({p}, {place}, {size})"

    def between(self) -> str:
        """What looks at memory, or tells something of numbers."""
        number = self.number()
        match self.random.randrange(5):
            case 0:
                return f"escape_n({number})"
            case 1 if "p5" in self.refs:
                return "escape_n(p5)"
            case 2:
                made = self.new()
                return f"{made} = int_lt(i3, i4)\nguard_true({made}) [{self.random.choice(self.ints)}]"
            case 3 if "p5" not in self.refs:
                self.refs += ["p5", "p5"]
                return "p5 = new(descr=S)"
            case _:
                return f"{self.new()} = int_and({number}, 255)"

    def lines(self, count: int) -> Iterator[str]:
        for _ in range(count):
            yield self.between() if self.random.random() < 0.3 else self.line()
        shown = [*self.random.sample(self.ints, min(3, len(self.ints))), *self.refs[3:4]]
        yield f"finish({', '.join(shown)})"


class Machine:
    """Runs such traces on one state, with fields and items at some places among the bytes."""

    def __init__(self, random: Random) -> None:
        places = [(0, 4, 8), (2, 4, 8), (0, 2, 4), (8, 0, 20), (9, 1, 20), (1, 12, 6), (20, 24, 26), (3, 9, 11)]
        x, y, items = random.choice(places)
        self.at = {"x": x, "y": y, "A": items}
        self.start = {name: bytes(random.choice((0, 1, 255, 7)) for _ in range(_SIZE)) for name in _OBJECTS}
        self.is_same = {"p1": "p0" if random.random() < 0.5 else "p1", "p2": "p0" if random.random() < 0.3 else "p2"}
        self.fresh = bytes(random.choice((0, 9)) for _ in range(_SIZE))
        self.numbers = {"i3": random.choice((0, 1, 2)), "i4": random.choice((0, 1, 3, 300, -1))}
        self.pokes = [(random.choice(_OBJECTS), random.randrange(12), random.randrange(256)) for _ in range(30)]

    def run(self, trace: Trace) -> list[object]:
        """What somebody sees: the events, and how the run ends."""
        self.objects = {name: bytearray(held) for name, held in self.start.items()}
        self.names: dict[str, object] = {name: self.is_same.get(name, name) for name in _OBJECTS} | self.numbers
        self.visible, seen, guards = list(_OBJECTS), list[object](), 0
        for operation in trace.ops:
            args = [self.value(arg) for arg in operation.args]
            match operation.op.name:
                case "finish":
                    return [*seen, "finish", args, self.look(args)]
                case "escape_n":
                    seen.append((args, self.look(args)))
                    name, place, byte = self.pokes[len(seen)]
                    self.objects[self.is_same.get(name, name)][place] = byte
                case "guard_true" | "guard_always_fails":
                    exit_ = operation.exit
                    assert exit_ is not None
                    if args != [1]:
                        for inner in exit_.block:
                            self.do(inner)
                        failargs = [self.value(arg) for arg in exit_.failargs or ()]
                        origin = guards if exit_.origin is None else exit_.origin
                        return [*seen, "guard", origin, failargs, self.look(failargs)]
                    guards += 1
                case _:
                    self.do(operation)
        raise AssertionError(trace)

    def value(self, arg: Value | None) -> object:
        return arg.value if isinstance(arg, ConstInt) else self.names.get(str(arg))

    def look(self, args: list[object]) -> dict[str, bytes]:
        """All bytes that are visible to who is handed that."""
        self.visible += [name for name in args if isinstance(name, str) and name not in self.visible]
        return {name: bytes(self.objects[name]) for name in self.visible}

    def do(self, operation: Operation) -> None:
        objects, descr, args = self.objects, operation.descr or "", [self.value(arg) for arg in operation.args]
        given: object = None
        match operation.op.name, args:
            case "new", _:
                held = objects["p5"] = bytearray(self.fresh)
                put(held, self.at["x"], 2, 0)
                put(held, self.at["y"], 2, 0)
                given = "p5"
            case "int_lt", [int(a), int(b)]:
                given = int(a < b)
            case "int_and", [int(a), int(b)]:
                given = a & b
            case "setfield_gc", [str(p), int(number)]:
                put(objects[p], self.at[descr], 2, number)
            case "getfield_gc_i", [str(p)]:
                given = get(objects[p], self.at[descr], 2)
            case "setarrayitem_gc", [str(p), int(i), int(number)]:
                put(objects[p], self.at["A"] + 2 * i, 2, number)
            case "getarrayitem_gc_i", [str(p), int(i)]:
                given = get(objects[p], self.at["A"] + 2 * i, 2)
            case "gc_store", [str(p), int(at), int(number), int(size)]:
                put(objects[p], at, size, number)
            case "gc_load_i", [str(p), int(at), int(size)]:
                given = get(objects[p], at, size)
            case "gc_store_indexed", [str(p), int(i), int(number), int(scale), int(at), int(size)]:
                put(objects[p], i * scale + at, size, number)
            case "gc_load_indexed_i", [str(p), int(i), int(scale), int(at), int(size)]:
                given = get(objects[p], i * scale + at, size)
            case _:
                raise AssertionError(operation)
        if operation.result is not None:
            self.names[operation.result.name] = given


def put(held: bytearray, at: int, size: int, number: int) -> None:
    held[at : at + size] = (number % 256**size).to_bytes(size, "little")


def get(held: bytearray, at: int, size: int) -> int:
    return int.from_bytes(held[at : at + abs(size)], "little", signed=size < 0 or size == 2)
