"""The rows of the heap against their independent reference, on random traces and heaps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

import pytest
import reference_heap
from reference_heap import DECLARATIONS, Ended, Machine, Poke, Script, Thing, make, make_array

from optimizer.ir.rows.heap_rows import HEAP_ROWS
from optimizer.ir.rows.ops import OPS, Kind, Type
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import (
    EventSeen,
    Finished,
    GuardFailed,
    Jumped,
    Program,
    Run,
    Stopped,
    Undefined,
    World,
)
from optimizer.ir.run.objects import NO_INDEX, NULL, Datum, Object, Ref
from optimizer.ir.run.runs import Seen, Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace, all_operations
from optimizer.ir.types.layout import Layout, Struct

SMALL = ["-1", "0", "1", "2", "3", "200", "40000"]
FIELDS = {
    "i": ["Base.tag", "Node.tag", "Node.value", "valuedescr", "Node.flag", "Other.value", "Raw.a", "Base.fixed", "u"],
    "r": ["Base.left", "Node.left", "Node.next", "Raw.b", "Loose.w"],
}
ITEMS = {"i": ["Chars", "chars", "Words"], "r": ["Refs"]}
INTERIOR = {"i": ["Points.x", "Points.z"], "r": ["Points.y"]}
STRUCTS = ["Base", "Node", "nodesize", "Other", "Raw", "Loose"]
ARRAYS = ["Chars", "Words", "Refs", "Points"]
CLASSES = ["ConstClass(base_vt)", "ConstClass(node_vt)", "ConstClass(Other)", "ConstClass(Loose)", "4711"]
CONSTANTS = ["ConstPtr(a)", "ConstPtr(b)"]


@dataclass
class Writer:
    """Writes a random trace; `ints` and `refs` are the variables so far, those of the header first."""

    random: Random
    ints: list[str] = field(default_factory=lambda: ["i0", "i1"])
    refs: list[str] = field(default_factory=lambda: ["p0", "p1", "p2"])
    kinds: dict[str, str] = field(default_factory=lambda: {"p0": "Node", "p1": "Node", "p2": "Refs"})
    count: int = 0

    def of(self, descr: str) -> str:
        """A reference on which the access is likely to be defined."""
        owner = reference_heap.ALIASES.get(descr, descr).split(".")[0]
        fits = [name for name in self.refs if reference_heap.is_a(self.kinds.get(name), owner)]
        fits = [name for name in self.refs if name in self.kinds] if owner in ("u", "Loose") else fits
        return self.random.choice(fits) if fits and self.random.random() < 0.97 else self.reference()

    def small(self, descr: str) -> str:
        """A number that is likely to fit into the memory."""
        return "1" if descr.split(".")[-1] in ("tag", "flag", "Chars", "chars", "z") else self.integer()

    def integer(self) -> str:
        return self.random.choice([*self.ints, *self.random.sample(SMALL, 4)])

    def reference(self) -> str:
        recent = self.refs[-3:]
        return self.random.choice([*self.refs, *recent, *recent, *([] if self.random.random() < 0.8 else CONSTANTS)])

    def any_reference(self) -> str:
        return "NULL" if self.random.random() < 0.1 else self.reference()

    def new(self, letter: str, kind: str | None = None) -> str:
        self.count += 1
        name = f"{letter}{self.count + 10}"
        (self.ints if letter == "i" else self.refs).append(name)
        if kind is not None:
            self.kinds[name] = reference_heap.ALIASES.get(kind, kind)
        return name

    def value(self, letter: str, descr: str = "") -> str:
        if letter == "r":
            return self.any_reference()
        return self.small(descr) if self.random.random() < 0.9 else self.integer()

    def line(self) -> str:
        """An operation; of what it defines, only what is in front of it may be used in it."""
        pick = self.random.choice
        letter = pick("ir")
        type_ = "i" if letter == "i" else "p"
        index = self.random.choice(["0", "1", "1", self.integer()])
        match self.random.randrange(19):
            case 0 | 1:
                descr = pick(FIELDS[letter])
                args = self.of(descr)
                return f"{self.new(type_)} = getfield_gc{pick(['', '_pure'])}_{letter}({args}, descr={descr})"
            case 2 | 3 | 4:
                descr = pick(FIELDS[letter])
                return f"setfield_gc({self.of(descr)}, {self.value(letter, descr)}, descr={descr})"
            case 5:
                descr = pick(ITEMS[letter])
                args = f"{self.of(descr)}, {index}"
                return f"{self.new(type_)} = getarrayitem_gc{pick(['', '_pure'])}_{letter}({args}, descr={descr})"
            case 6:
                descr = pick(ITEMS[letter])
                return f"setarrayitem_gc({self.of(descr)}, {index}, {self.value(letter, descr)}, descr={descr})"
            case 7:
                descr = pick(INTERIOR[letter])
                args = f"{self.of(descr)}, {index}"
                if self.random.random() < 0.5:
                    return f"setinteriorfield_gc({args}, {self.value(letter, descr)}, descr={descr})"
                return f"{self.new(type_)} = getinteriorfield_gc_{letter}({args}, descr={descr})"
            case 8 | 9:
                descr = pick(STRUCTS)
                return f"{self.new('p', descr)} = {pick(['new', 'new_with_vtable'])}(descr={descr})"
            case 10:
                descr, length = pick(ARRAYS), pick(["0", "2", "3", "3", "3", "3", "3", "3", "-1"])
                name = pick(["new_array", "new_array_clear", "new_array_clear"])
                return f"{self.new('p', descr)} = {name}({length}, descr={descr})"
            case 11:
                descr = pick(ARRAYS)
                args = self.of(descr)
                return f"{self.new('i')} = arraylen_gc({args}, descr={descr})"
            case 12:
                return self.other()
            case 13:
                return self.guard()
            case 14 | 15:
                return self.call()
            case 16:
                return self.relied_on()
            case _:
                args = f"{self.any_reference()}, {self.integer()}"
                name = pick(["escape_i", "escape_r", "escape_n"])
                return f"{name}({args})" if name == "escape_n" else f"{self.new(self.letter(name))} = {name}({args})"

    def call(self) -> str:
        """An event, with a descr that is declared, with one that is not, or without; what it meets is in front."""
        pick = self.random.choice
        met = ""
        match self.random.randrange(5):
            case 0:
                owner = self.of("Node.next")
                fresh = self.new("p", "Node")
                store = f"setfield_gc({owner}, {fresh}, descr={pick(['Node.next', 'Base.left'])})"
                met = f"{fresh} = new(descr=Node)\n{store}\n"
            case 1:
                owner = self.of("Base.fixed")
                met = f"{self.new('i')} = getfield_gc_i({owner}, descr=Base.fixed)\n"
            case 2:
                owner = self.of("Node.version")
                met = f"quasiimmut_field({owner}, descr=Node.version)\nguard_not_invalidated() [{owner}]\n"
        name = pick([f"call{kind}_{letter}" for kind in ("", "_may_force", "_assembler") for letter in "irn"])
        if "descr=Base.fixed" in met or "guard_not_invalidated" in met:
            name = "call_n" if self.random.random() < 0.5 else name
        descr = {"i": ["peek"], "n": ["poke", "poke", "flush"], "r": ["look"]}[name[-1]]
        last = pick([f", descr={pick(descr)}", f", descr={pick(descr)}", ", descr=unheard_of", ""])
        line = f"{name}(ConstClass({pick('fg')}), {self.any_reference()}, {self.integer()}{last})"
        return met + (line if name.endswith("_n") else f"{self.new(self.letter(name))} = {line}")

    def relied_on(self) -> str:
        """What a trace asks of the code."""
        pick = self.random.choice
        live = f"[{self.reference()}]"
        field = pick(["Node.version", "Node.version", "Base.left", "u"])
        lines = [f"quasiimmut_field({self.of(field)}, descr={field})", f"guard_not_invalidated() {live}"]
        gc_type = f"guard_gc_type({self.any_reference()}, {pick(['0', '0', '1'])}) {live}"
        return pick([*lines, "\n".join(lines), "\n".join(lines), gc_type])

    def letter(self, name: str) -> str:
        return "p" if name.endswith("_r") else "i"

    def other(self) -> str:
        pick = self.random.choice
        one, two, number = self.any_reference(), self.any_reference(), self.integer()
        name = pick(["ptr_eq", "ptr_ne", "instance_ptr_eq", "instance_ptr_ne"])
        facts = [
            f"record_exact_class({one}, {pick(CLASSES)})",
            f"record_exact_value_r({one}, {pick(['NULL', *CONSTANTS])})",
            f"record_exact_value_i({number}, {pick(SMALL)})",
            f"assert_not_none({one})",
            f"assert_is_object({one})",
        ]
        match self.random.randrange(8):
            case 0:
                return pick(facts)
            case 1:
                return f"{self.new('p')} = same_as_r({one})"
            case 2:
                return f"{self.new('i')} = int_add({number}, 1)"
            case _:
                return f"{self.new('i')} = {name}({one}, {two})"

    def guard(self) -> str:
        pick, one = self.random.choice, self.any_reference()
        name = pick(["guard_class", "guard_subclass", "guard_nonnull_class", "guard_nonnull", "guard_isnull"])
        args = f"{one}, {pick(CLASSES)}" if "class" in name else one
        if self.random.random() < 0.3:
            name, args = pick([("guard_value", f"{one}, {self.any_reference()}"), ("guard_is_object", one)])
        kept = list(self.refs)
        fresh = self.new("p")
        block = [f"    {fresh} = new(descr={pick(STRUCTS)})"]
        block += [f"    setfield_gc({fresh}, {self.value(x)}, descr={pick(FIELDS[x])})" for x in "ir"]
        block += [f"    setfield_gc({self.reference()}, {fresh}, descr=Base.left)"]
        if self.random.random() < 0.8:
            block[1:] = [
                f"    setfield_gc({fresh}, {self.value('i')}, descr=u)",
                f"    setfield_gc({self.of('Base.left')}, {fresh}, descr=Base.left)",
            ]
        lines = block[: pick([0, 0, 1, 2, 3, 4])]
        live = [fresh] if lines else []
        self.refs = kept
        live += [self.reference(), self.reference()]
        return f"{name}({args}) [{', '.join(live)}]" + ("".join([" {\n", "\n".join(lines), "\n}"]) if lines else "")

    def trace(self, length: int) -> str:
        lines = [self.line() for _ in range(length)]
        handed = ", ".join([*self.ints[-4:], *self.refs[-6:]])
        return f"{DECLARATIONS}[i0, i1, p0, p1, p2]\n" + "\n".join([*lines, f"jump({handed})"]) + "\n"


def random_things(random: Random) -> list[Thing]:
    """Objects that exist before the trace, which hold each other."""
    kinds = ["Node", "Node", *random.choices(["Base", "Node", "Other", "Raw", "Loose"], k=2)]
    things = [make(kind, shared=True) for kind in kinds]
    arrays = ["Refs", *random.sample(ARRAYS, 2)]
    things += [make_array(kind, random.choice([0, 2, 3]), clear=True, shared=True) for kind in arrays]
    for thing in things:
        for name in reference_heap.REFERENCES.get(thing.kind, []):
            thing.slots[name] = random.choice([None, *things])
        if "value" in thing.slots:
            thing.slots["value"] = random.randrange(4)
        if thing.kind == "Refs":
            thing.items = [random.choice([None, *things]) for _ in thing.items or ()]
    return things


def to_heap(things: list[Thing], layout: Layout) -> Heap:
    """The same objects, as text that is read."""
    names = {id(thing): f"q{number}" for number, thing in enumerate(things)}

    def told(value: object) -> str:
        return names[id(value)] if isinstance(value, Thing) else "NULL" if value is None else str(value)

    lines = []
    for thing in things:
        slots = ", ".join(f"{name}={told(value)}" for name, value in thing.slots.items())
        items = ", ".join(
            f"({', '.join(f'{name}={told(x)}' for name, x in item.items())})" if isinstance(item, dict) else told(item)
            for item in thing.items or ()
        )
        what = f"({slots})" if thing.items is None else f"[{items}]"
        lines.append(f"{names[id(thing)]} = {thing.kind}{what}")
    return parse_heap("\n".join(lines), layout)


class Graph:
    """Numbers objects in the order in which they are met, so that equal graphs look alike."""

    def __init__(self, old: dict[int, str]) -> None:
        self.numbers = dict(old)
        self.told: list[object] = []

    def of_things(self, roots: list[object]) -> list[object]:
        pending = [root for root in roots if isinstance(root, Thing)]
        while pending:
            thing = pending.pop(0)
            if id(thing) in self.numbers and (id(thing), "told") in self.told:
                continue
            self.numbers.setdefault(id(thing), f"new{len(self.numbers)}")
            self.told.append((id(thing), "told"))
            for value in self.contents(thing).values():
                if isinstance(value, Thing):
                    self.numbers.setdefault(id(value), f"new{len(self.numbers)}")
                    pending.append(value)
        return [self.name(root) for root in roots]

    def contents(self, thing: Thing) -> dict[object, object]:
        found: dict[object, object] = dict(sorted(thing.slots.items()))
        for i, item in enumerate(thing.items or ()):
            pairs = item.items() if isinstance(item, dict) else [("", item)]
            found |= {(name, i): x for name, x in pairs}
        return found

    def name(self, value: object) -> object:
        return self.numbers[id(value)] if isinstance(value, Thing) else value


def thing_graph(roots: list[object], things: list[Thing]) -> tuple[list[object], dict[object, object]]:
    """What is handed over and all objects that are visible, by numbers; zeros and NULLs of loose fields left out."""
    graph = Graph({id(thing): f"q{number}" for number, thing in enumerate(things)})
    handed = graph.of_things([*roots, *things])[: len(roots)]
    known = {id(thing): thing for thing in reachable([*roots, *things])}
    described = {
        graph.numbers[number]: (
            thing.kind,
            None if thing.items is None else len(thing.items),
            {
                key: graph.name(value)
                for key, value in graph.contents(thing).items()
                if value is not reference_heap.UNWRITTEN and value not in (0, None)
            },
            sorted(map(str, (key for key, value in graph.contents(thing).items() if isinstance(value, type(UNSET))))),
        )
        for number, thing in known.items()
    }
    return handed, described


UNSET = reference_heap.UNWRITTEN


def reachable(roots: list[object]) -> list[Thing]:
    found: list[Thing] = []
    pending = [root for root in roots if isinstance(root, Thing)]
    while pending:
        thing = pending.pop()
        if thing not in found:
            found.append(thing)
            pending += [x for x in reference_heap.held(thing) if isinstance(x, Thing)]
    return found


def from_heap(run: Run, values: list[Datum], things: list[Thing]) -> tuple[list[object], list[Thing]]:
    """The values and the initial objects of a run's heap as Python objects."""
    heap = run.heap
    assert heap is not None
    made = {ref: Thing(described.type.name) for ref, described in heap.objects.items()}

    def value(datum: Datum) -> object:
        return datum if not isinstance(datum, Ref) else None if datum == NULL else made[datum]

    for ref, described in heap.objects.items():
        fill(made[ref], described, value)
    return [value(datum) for datum in values], [made[Ref(f"q{number}")] for number in range(len(things))]


def fill(thing: Thing, described: Object, value: object) -> None:
    assert callable(value)
    type_ = described.type
    fields = type_.fields if isinstance(type_, Struct) or type_.fields else [type_.item]

    def content(key: str, index: int, kind: Type) -> object:
        held = described.value((key, index), NULL if kind is Type.REF else 0)
        return UNSET if held is None else value(held)

    if isinstance(type_, Struct):
        thing.slots = {slot.name: content(slot.key, NO_INDEX, slot.type) for slot in fields if slot}
    else:
        rows = [
            {slot.name: content(slot.key, i, slot.type) for slot in fields if slot}
            for i in range(described.length or 0)
        ]
        thing.items = [row.get("", row) for row in rows]
    loose = {key: held for (key, index), held in described.cells.items() if index == NO_INDEX}
    thing.slots |= {key.split(".")[-1]: value(held) for key, held in loose.items() if key in ("u", "Loose.w")}
    thing.slots["u"] = content("u", NO_INDEX, Type.INT)


def compare(trace: Trace, program: Program, things: list[Thing], random: Random) -> str:
    """Runs both on one state; gives how they ended."""
    heap = to_heap(things, program.layout)
    assert parse_heap(format_heap(heap), program.layout) == heap
    numbers = [random.randrange(-2, 4) for _ in range(2)]
    likely = [random.choice([0, 1]), random.choice([0, 1]), 4]
    picks = [random.choice([*range(len(things)), None]) if random.random() < 0.1 else pick for pick in likely]
    for name, number in zip(CONSTANTS, (0, len(things) - 1), strict=True):
        heap.names[name] = Ref(f"q{number}")
    events = sum(op.op.kind is Kind.EVENT for op in trace.ops)
    wanted_results: list[object] = []
    results: list[int | Ref] = []
    kinds = [op.op.result for op in trace.ops if op.op.kind is Kind.EVENT]
    for kind in kinds:
        pick = random.randrange(len(things))
        results.append(Ref(f"q{pick}") if kind is Type.REF else pick)
        wanted_results.append(things[pick] if kind is Type.REF else pick)
    assert len(results) == events
    refs = [NULL if pick is None else Ref(f"q{pick}") for pick in picks]
    targets = [*TARGETS, *IMMUTABLE * 3, *sorted({"Loose.w", "u"} & program.layout.uses.keys())]
    world, script = random_world(random, things, targets, tuple(results))
    run = program.run([*numbers, *refs], world, heap=heap)
    objects = [None if pick is None else things[pick] for pick in picks]
    constants = dict(zip(CONSTANTS, (things[0], things[-1]), strict=True))
    ended = Machine(trace, [*numbers, *objects], wanted_results, list(things), constants, script).run()
    check(run, ended, things)
    again = program.run([*numbers, *refs], run.world, heap=heap)
    assert (again, again.heap) == (run, run.heap)
    assert again.world == run.world == without(world, ended.kept)
    return ended.how


TARGETS = [*FIELDS["i"], *FIELDS["r"], *ITEMS["i"], *ITEMS["r"], *INTERIOR["i"], *INTERIOR["r"], "Node.version"]
TARGETS = [descr for descr in TARGETS if descr not in ("Loose.w", "u")]  # are there only where the trace uses them
IMMUTABLE = ["Base.fixed", "Node.fixed", "Words", "Node.version", "Node.version"]


def random_world(
    random: Random, things: list[Thing], targets: list[str], results: tuple[int | Ref, ...]
) -> tuple[World, Script]:
    """What events write, most of it allowed, in the words of the interpreter and of the reference."""
    script = Script(stops_at=0 if random.random() < 0.05 else None)
    writes = []
    for _ in results:
        script.pokes.append([])
        row = []
        for _ in range(random.choice([0, 1, 4])):
            write, poke = random_write(random, things, random.choice(targets))
            row.append(write)
            script.pokes[-1].append(poke)
        writes.append(tuple(row))
    if random.random() < 0.3:
        script.invalid = {random.randrange(4)}
    if random.random() < 0.5:
        script.numbers = {random.choice(STRUCTS[:2]): 1, "Refs": 1}
    world = World(
        results, script.stops_at, tuple(writes), frozenset(script.invalid), tuple(sorted(script.numbers.items()))
    )
    return world, script


def random_write(random: Random, things: list[Thing], descr: str) -> tuple[Write, Poke]:
    wanted = reference_heap.ALIASES.get(descr, descr).split(".")[0]
    fitting = [number for number, thing in enumerate(things) if reference_heap.is_a(thing.kind, wanted)]
    index = random.choice([0, 1, 2, 3, -1]) if descr.split(".")[0] in (*ARRAYS, "chars") else None
    if random.random() < 0.05:
        index = None if index is not None else 0

    def old(numbers: list[int]) -> tuple[Ref, Thing]:
        number = random.choice(numbers or [*range(len(things))])
        return Ref(f"q{number}"), things[number]

    def seen() -> tuple[Seen, list[int]]:
        number = random.choice([0, 0, 1, 2])
        return Seen(number), [number]

    target: tuple[Ref, Thing] | tuple[Seen, list[int]] = seen() if random.random() < 0.4 else old(fitting)
    value: tuple[int | Ref | Seen, object] = random.choice([(NULL, None), old([]), seen()])
    is_int = any(descr in descrs["i"] for descrs in (FIELDS, ITEMS, INTERIOR)) or descr in IMMUTABLE
    if is_int != (random.random() < 0.05):
        value = (number := random.choice([0, 1, 1, 300])), number
    return Write(target[0], descr, value[0], index), Poke(target[1], descr, value[1], index)


def without(world: World, kept: set[tuple[int, int]]) -> World:
    """The world without the writes that were refused for the trace's sake."""
    writes = tuple(
        tuple(write for position, write in enumerate(row) if (number, position) not in kept)
        for number, row in enumerate(world.writes)
    )
    return replace(world, writes=writes)


def seen_at(event: EventSeen) -> list[object]:
    """What an event saw, as `reference_heap.picture` has it."""
    position = {ref: number for number, ref in enumerate(event.objects)}
    pictures: list[object] = []
    for described in event.objects.values():
        cells = {
            cell: ("object", position[x]) if isinstance(x, Ref) else x
            for cell, x in described.cells.items()
            if x not in (0, NULL)
        }
        pictures.append((described.type.name, described.length, cells))
    return pictures


def check(run: Run, ended: Ended, things: list[Thing]) -> None:
    match run.outcome:
        case Undefined(op, _):
            assert (ended.how, ended.what) == ("undefined", op)
        case GuardFailed(guard, _):
            assert (ended.how, ended.what) == ("guard", guard)
        case Finished() | Jumped():
            assert ended.how == "jump"
        case Stopped(event):
            assert (ended.how, ended.what) == ("stopped", event)
    assert [seen_at(event) for event in run.events] == ended.seen
    assert [event.name for event in run.events] == [name for name, _ in ended.events]
    handed = [value for value in run.handed_over if value is not None]
    for args, got in [*((args, event.args) for (_, args), event in zip(ended.events, run.events, strict=True))]:
        assert [x is None for x in args] == [x == NULL for x in got]
        assert [x for x in args if isinstance(x, int)] == [
            x for one, x in zip(args, got, strict=True) if isinstance(x, int) and not isinstance(one, str)
        ]
    if ended.how not in ("undefined", "stopped"):
        values, olds = from_heap(run, handed, things)
        assert thing_graph(ended.values, things) == thing_graph(values, olds)


LOOSE = {  # how a trace ends as a rule; events may write the field, or not return
    "p9 = new(descr=Raw)\nquasiimmut_field(p9, descr=u)\njump(p9)": "jump",
    "p9 = new(descr=Raw)\nsetfield_gc(p0, 1, descr=u)\njump(p9)": "jump",
    "p9 = new(descr=Raw)\ni10 = getfield_gc_i(p9, descr=u)\njump(i10)": "undefined",
    "p9 = new(descr=Raw)\nescape_n(p9)\ni10 = getfield_gc_i(p9, descr=u)\njump(i10)": "undefined",
    "p9 = new(descr=Raw)\nescape_n(p9)\np10 = getfield_gc_r(p9, descr=Loose.w)\njump(p10)": "jump",
    "p9 = new_array(2, descr=Chars)\nquasiimmut_field(p9, descr=u)\njump(p9)": "jump",
    "p9 = new_array(2, descr=Chars)\ni10 = getfield_gc_i(p9, descr=u)\njump(i10)": "jump",
    "p9 = new_array_clear(2, descr=Chars)\ni10 = getfield_gc_i(p9, descr=u)\njump(i10)": "jump",
}


@pytest.mark.parametrize(("body", "how"), LOOSE.items())
def test_undeclared_fields_of_what_is_not_cleared(body: str, how: str) -> None:
    random = Random(1)
    trace = parse(f"{DECLARATIONS}[i0, i1, p0, p1, p2]\n{body}\n")
    program = Program(trace)
    ends = Counter(compare(trace, program, random_things(random), random) for _ in range(100))
    assert ends.most_common(1)[0][0] == how


@pytest.mark.parametrize("seed", range(2))
def test_random_traces(seed: int) -> None:
    random = Random(seed)
    ends: Counter[str] = Counter()
    for _ in range(60):
        trace = parse(Writer(random).trace(random.choice([3, 6, 12])))
        program = Program(trace)
        for _ in range(4):
            ends[compare(trace, program, random_things(random), random)] += 1
    assert min(ends["jump"], ends["guard"], ends["undefined"]) > 12, ends


def test_random_traces_hold_every_row_on_the_heap() -> None:
    random = Random(1)
    written = {op.op for _ in range(300) for op in all_operations(parse(Writer(random).trace(12)))}
    heap_rows = [row for row in HEAP_ROWS if row.result is not Type.FLOAT]  # floats have a reference of their own
    rows = {row for row in (*heap_rows, OPS["guard_value"], OPS["escape_r"]) if row.memory is not None}
    assert rows <= written, [row.name for row in rows - written]
