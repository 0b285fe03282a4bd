"""The interpreter against a second one, on random traces of calls."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import reference_calls
from call_traces import HEAP, OBJECTS, Writer, read
from reference_calls import Ended, Machine, Script, Thing

from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Program, Run, Stopped, Undefined
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Given, Look, Scripted, Seen, World, Write
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace


def a_world(random: Random) -> World:
    def reference() -> Scripted:
        return random.choice([NULL, NULL, *OBJECTS, Seen(0), Seen(1)])

    def numbers() -> frozenset[int]:
        return frozenset(random.sample(range(4), random.choice([0, 0, 1])))

    def write() -> Write:
        return Write(random.choice([OBJECTS[1], OBJECTS[2], Seen(0)]), "Error.value", random.choice([1, 2, 3]))

    pending = random.choice(OBJECTS)
    return World(
        tuple(random.choice([0, 1, 2, reference()]) for _ in range(7)),
        random.choice([None, None, None, 0, 1, 2]),
        tuple(tuple(write() for _ in range(random.choice([0, 0, 1, 2]))) for _ in range(7)),
        numbers(),
        raises=tuple(reference() for _ in range(7)),
        functions=tuple(Given(random.choice([0, 1, 2, reference()]), reference()) for _ in range(8)),
        pending=pending,
        forced=numbers(),
        false_conditions=numbers(),
    )


class Things:
    """The objects that existed before, in the words of both; and those that both have made, as they are met."""

    def __init__(self) -> None:
        self.of = {"p0": Thing("Error", 1), "q0": Thing("Error"), "q1": Thing("Bad")}
        self.new: dict[Ref, Thing] = {}

    def told(self, value: Scripted) -> object:
        if isinstance(value, Seen):
            return [value.number]
        return self.of.get(value.name) if isinstance(value, Ref) else value

    def script(self, world: World) -> Script:
        return Script(
            list(map(self.told, world.results)),
            list(map(self.told, world.raises)),
            [(self.told(one.result), self.told(one.raises)) for one in world.functions],
            [[(self.told(one.target), int(str(one.value))) for one in writes] for writes in world.writes],
            world.stops_at,
            self.of.get(world.pending.name),
            set(world.forced),
            set(world.false_conditions),
            set(world.invalid),
        )

    def check(self, value: Datum | None, other: object) -> None:
        if not isinstance(value, Ref):
            assert value == other
        elif value.fresh:
            assert isinstance(other, Thing)
            assert other.is_new
            assert self.new.setdefault(value, other) is other
        else:
            assert other is self.of.get(value.name)


def same_look(look: Look, other: reference_calls.Look, things: Things) -> bool:
    """Is it what the second interpreter has found at a call with these arguments?"""

    def is_thing(ref: Datum, thing: object) -> bool:
        if not isinstance(ref, Ref) or not isinstance(thing, Thing):
            return (None if ref == NULL else ref) == thing
        return thing.is_new and things.new.get(ref, thing) is thing if ref.fresh else things.of.get(ref.name) is thing

    found = {ref: held.cells.get(("Error.value", -1), 0) for ref, held in look.objects.items()}
    return (
        all(map(is_thing, look.args, other.args))
        and (look.events, len(found)) == (other.events, len(other.found))
        and all(
            any(is_thing(ref, thing) and value == held for thing, held in other.found) for ref, value in found.items()
        )
    )


def same(run: Run, ended: Ended, things: Things) -> None:
    match run.outcome:
        case Finished(args) | Jumped(args):
            assert ended.how == "finish"
            handed: tuple[Datum | None, ...] = args
        case GuardFailed(guard, failargs):
            assert (ended.how, ended.what) == ("guard", guard)
            handed = failargs or ()
        case Stopped(event):
            assert (ended.how, ended.what) == ("stopped", event)
            handed = ()
        case Undefined(op):
            assert (ended.how, ended.what) == ("undefined", op)
            handed = ()
    looks = [look for one in run.applied for look in one.looks if not look.effects.sees_nothing]
    assert len(looks) == len(ended.looks)
    for look in looks:
        assert any(same_look(look, other, things) for other in ended.looks)
    pairs = list(zip(handed, ended.values, strict=True))
    for event, (name, args) in zip(run.events, ended.events, strict=True):
        assert event.name == name
        pairs += zip(event.args, args, strict=True)
    for value, other in pairs:
        things.check(value, other)
    if ended.how != "undefined":
        things.check(run.pending, ended.pending)
        assert run.heap is not None
        for ref, held in run.heap.objects.items():
            thing = things.new.get(ref) if ref.fresh else things.of[ref.name]
            if thing is not None:
                assert held.type.name == thing.kind
                assert held.cells.get(("Error.value", -1), 0) == thing.value


def compare(trace: Trace, random: Random) -> str:
    program, things, world = Program(trace), Things(), a_world(random)
    heap = parse_heap(HEAP, program.layout)
    inputs = [random.choice(OBJECTS[:3]), random.choice([0, 1, 2]), random.choice([0, 1, 2])]
    run = program.run(inputs, world, heap=heap)
    old = list(things.of.values())
    ended = Machine(trace, [things.told(value) for value in inputs], things.script(world), old).run()
    same(run, ended, things)
    return ended.how


@pytest.mark.parametrize("seed", range(2))
def test_both_run_alike(seed: int) -> None:
    random = Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(90):
        trace = read(Writer(random).trace((4, 7, 14)))
        if trace is not None:
            seen.update(compare(trace, random) for _ in range(12))
    assert min(seen[how] for how in ("finish", "undefined", "guard", "stopped")) > 18, seen
