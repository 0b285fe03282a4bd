"""Verdicts against runs, on random pairs full of calls: what is proved differs on no state of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from optimizer import optimize
from optimizer.ir.faults import InputError
from optimizer.ir.heap import NULL, Ref
from optimizer.ir.heap_text import parse_heap
from optimizer.ir.layout import layout_of
from optimizer.ir.runs import Given, World
from optimizer.ir.text import format_trace, parse
from optimizer.ir.trace import Trace
from validator import Guards, Options, Proved, Refuted, State, validate
from validator.replay import Replay
from validator.verdict import Failed

DECLARATIONS = """+++
word = 4
[struct.Error]
fields = { value = "int" }
[struct.Bad]
[call.hash]
result = "int"
elidable = true
can_raise = true
results = [ { args = [1], value = 2 } ]
[call.quiet]
result = "int"
elidable = true
[call.find]
result = "ref"
elidable = true
[call.once]
result = "int"
loop_invariant = true
can_raise = true
reads = []
writes = []
[call.div]
result = "int"
elidable = true
oopspec = "int_py_div"
[call.poke]
result = "void"
can_raise = true
reads = []
writes = ["Error.value"]
[call.calm]
result = "int"
reads = []
writes = []
+++
"""
HEAP = "p0 = Error(value=1)\nq0 = Error()\nq1 = Bad()"
OBJECTS = [NULL, Ref("p0"), Ref("q0"), Ref("q1")]


class Writer:
    """Writes the lines of one trace; variables are numbered by their lines, so that lines may move."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ints = ["i1", "i2"]
        self.refs = ["p0"]
        self.lines: list[str] = []

    def value(self) -> str:
        return self.random.choice([*self.ints, *self.ints, "0", "1"])

    def define(self, letter: str) -> str:
        name = f"{letter}{10 + len(self.lines)}"
        (self.ints if letter == "i" else self.refs).append(name)
        return name

    def failargs(self) -> str:
        return f"[{self.random.choice(self.ints)}, {self.random.choice(self.refs)}]"

    def step(self) -> str:
        pick, value = self.random.choice, self.value
        ref, live = pick(self.refs), self.failargs()
        function = pick("112")
        kind = self.random.randrange(16)
        match kind:
            case 0 | 1 | 2:
                return f"{{i}} = call_i({function}, {value()}, descr={pick(['hash', 'quiet', 'hash', 'once', 'u'])})"
            case 3:
                return f"{{i}} = call_pure_i({function}, {value()}, descr={pick('uh')})"
            case 4 | 5:
                return f"guard_no_exception() {live}"
            case 6:
                return f"{{p}} = guard_exception(ConstClass({pick(['Error', 'Bad'])})) {live}"
            case 7:
                return pick([f"call_n(1, {value()}, descr=poke)", f"{{i}} = call_i(1, {value()}, descr=calm)"])
            case 8:
                return pick([f"cond_call({value()}, 1, {value()}, descr=poke)", f"keepalive({ref})"])
            case 9:
                descr = pick(["hash", "quiet", "calm"])
                return f"{{i}} = cond_call_value_i({value()}, {function}, {value()}, descr={descr})"
            case 10:
                return pick([f"setfield_gc(p0, {value()}, descr=Error.value)", f"guard_value({value()}, 1) {live}"])
            case 11:
                return pick(["{i} = getfield_gc_i(p0, descr=Error.value)", "{i} = save_exc_class()"])
            case 12:
                return pick([f"{{p}} = call_r(1, {ref}, descr=find)", f"{{i}} = ptr_eq({ref}, {pick(self.refs)})"])
            case 13:
                return pick(["guard_not_forced() " + live, "call_may_force_n(1)", "guard_future_condition() " + live])
            case 14:
                return pick([f"{{i}} = call_i(1, {value()}, 2, descr=div)", f"{{i}} = int_add({value()}, 1)"])
            case _:
                return pick([f"record_known_result({value()}, 1, {value()}, descr=quiet)", "{p} = new(descr=Error)"])

    def trace(self) -> list[str]:
        for _ in range(self.random.choice([2, 4, 7])):
            line = self.step()
            for letter in "ip":
                if f"{{{letter}}}" in line:
                    line = line.replace(f"{{{letter}}}", self.define(letter))
            self.lines.append(line)
        return [*self.lines, f"finish({self.value()}, {self.random.choice(self.refs)})"]


def read(lines: list[str]) -> Trace | None:
    try:
        return parse(f"{DECLARATIONS}[p0, i1, i2]\n" + "\n".join(lines))
    except InputError:
        return None


def with_origins(lines: list[str]) -> list[str]:
    number, found = 0, []
    for line in lines:
        if "guard_" in line:
            opened = line.index(") [")
            comma = "" if line[opened - 1] == "(" else ", "
            line = f"{line[:opened]}{comma}origin={number}{line[opened:]}"
            number += 1
        found.append(line)
    return found


def changed(lines: list[str], random: Random) -> list[str]:
    lines = list(lines)
    i = random.randrange(len(lines) - 1) if len(lines) > 1 else 0
    match random.randrange(6):
        case 0 | 1:
            del lines[i]
        case 2:
            lines.insert(random.randrange(len(lines)), lines.pop(i))
        case 3:
            old, new = random.choice([("i1", "i2"), ("i2", "i1"), ("(1,", "(2,"), ("hash", "quiet"), ("i1", "1")])
            lines[i] = lines[i].replace(old, new)
        case 4:
            lines[i] = lines[i].replace("cond_call(", "call_n(").replace("call_pure", "call").replace("i10", "i11")
        case _:
            lines[-1] = lines[-1].replace(
                random.choice(["i10", "i11", "i12", "i13"]), random.choice(["i10", "2", "i1"])
            )
    return lines


def states(layout_heap: object, random: Random, count: int) -> Iterator[State]:
    for _ in range(count):
        exception = [random.choice(OBJECTS) if random.random() < 0.5 else NULL for _ in range(20)]
        world = World(
            tuple(random.choice([0, 1, 2]) for _ in range(6)),
            random.choice([None, None, None, 0, 1, 2]),
            raises=tuple(exception[:6]),
            functions=tuple(Given(random.choice([0, 1, 2, random.choice(OBJECTS)]), one) for one in exception[6:14]),
            pending=exception[14],
            forced=frozenset(random.sample(range(4), random.choice([0, 0, 1]))),
            false_conditions=frozenset(random.sample(range(4), random.choice([0, 0, 1]))),
        )
        inputs = (random.choice(OBJECTS[:3]), random.choice([0, 1, 2]), random.choice([0, 1, 2]))
        yield State(inputs, world, layout_heap)  # type: ignore[arg-type]  # a heap


def agree(before: Trace, after: Trace, random: Random, count: int = 150) -> str:
    mode = random.choice(list(Guards))
    options = Options(mode)
    verdict = validate(before, after, options)
    shown = f"{format_trace(before)}\n{format_trace(after)}\n{verdict}"
    assert not isinstance(verdict, Failed), shown
    if isinstance(verdict, Proved):
        layout = layout_of(before, after)
        replay, heap = Replay(before, after, options, layout), parse_heap(HEAP, layout)
        for state in states(heap, random, count):
            found = replay.counterexample(state, verdict.evidence.origins)
            assert found is None, f"{shown}\n{found}"
    return type(verdict).__name__


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_differs_nowhere(seed: int) -> None:
    random = Random(seed)
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 60:
        lines = Writer(random).trace()
        other = with_origins(lines) if random.random() < 0.6 else lines
        for _ in range(random.choice([1, 1, 2])):
            other = changed(other, random)
        before, after = read(lines), read(other)
        if before is not None and after is not None and before != after:
            seen[agree(before, after, random)] += 1
    assert seen["Proved"] > 5, seen
    assert seen["Refuted"] > 15, seen


@pytest.mark.parametrize("seed", range(4))
def test_the_optimizer_is_right(seed: int) -> None:
    random = Random(f"optimizer {seed}")
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 60:
        before = read(Writer(random).trace())
        if before is not None:
            after = optimize(before)
            verdict = agree(before, after, random)
            assert verdict != Refuted.__name__, f"{format_trace(before)}\n{format_trace(after)}"
            seen[verdict] += 1
    assert seen["Proved"] > 40, seen


@pytest.mark.parametrize("seed", range(3))
def test_every_trace_refines_itself(seed: int) -> None:
    random = Random(f"self {seed}")
    for _ in range(60):
        before = read(Writer(random).trace())
        if before is not None:
            assert isinstance(validate(before, before), Proved), format_trace(before)
