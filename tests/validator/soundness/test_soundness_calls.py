"""Verdicts against runs, on random pairs full of calls: what is proved differs on no state of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from call_traces import HEAP, OBJECTS, Writer, read

from optimizer import optimize
from optimizer.ir.run.objects import NULL
from optimizer.ir.run.runs import Given, World
from optimizer.ir.text import format_trace
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Guards, Options, Proved, Refuted, State, validate
from validator.search.replay import Replay
from validator.verdict import Failed


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


@pytest.mark.parametrize("seed", range(2))
def test_what_is_proved_differs_nowhere(seed: int) -> None:
    random = Random(seed)
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 24:
        lines = Writer(random).trace()
        other = with_origins(lines) if random.random() < 0.6 else lines
        for _ in range(random.choice([1, 1, 2])):
            other = changed(other, random)
        before, after = read(lines), read(other)
        if before is not None and after is not None and before != after:
            seen[agree(before, after, random)] += 1
    assert seen["Proved"] > 3, seen
    assert seen["Refuted"] > 4, seen


@pytest.mark.parametrize("seed", range(2))
def test_the_optimizer_is_right(seed: int) -> None:
    random = Random(f"optimizer {seed}")
    seen: Counter[str] = Counter()
    while sum(seen.values()) < 24:
        before = read(Writer(random).trace())
        if before is not None:
            after = optimize(before)
            verdict = agree(before, after, random)
            assert verdict != Refuted.__name__, f"{format_trace(before)}\n{format_trace(after)}"
            seen[verdict] += 1
    assert seen["Proved"] > 16, seen


@pytest.mark.parametrize("seed", range(3))
def test_every_trace_refines_itself(seed: int) -> None:
    random = Random(f"self {seed}")
    for _ in range(36):
        before = read(Writer(random).trace())
        if before is not None:
            assert isinstance(validate(before, before), Proved), format_trace(before)


SMALL = (
    "i{} = call_i(1, i1, descr=hash)",
    "i{} = call_i(1, i2, descr=quiet)",
    "guard_no_exception() [i1, p0]",
    "p{} = guard_exception(ConstClass(Error)) [i2, p0]",
    "call_n(1, i1, descr=poke)",
    "i{} = call_i(1, descr=once)",
    "i{} = cond_call_value_i(i2, 1, i1, descr=hash)",
    "setfield_gc(p0, i1, descr=Error.value)",
    "i{} = getfield_gc_i(p0, descr=Error.value)",
    "p{} = save_exception()",
)
"""Operations of which all pairs are judged; what they give is numbered by their places."""


def written(*places: tuple[int, str]) -> list[str]:
    """The lines of a trace that hands over what the operations at places 0 and 1 give, where they are there."""
    lines = [line.format(place) for place, line in places]
    given = {line.partition(" = ")[0] for line in lines if " = " in line}
    handed = [next((f"{letter}{place}" for letter in "ip" if f"{letter}{place}" in given), "i2") for place in (10, 11)]
    return [*lines, f"finish({', '.join(handed)})"]


@pytest.mark.parametrize("first", SMALL)
def test_one_operation_less_or_two_swapped(first: str) -> None:
    random = Random(first)
    for second in SMALL:
        one, other = (10, first), (11, second)
        before = read(written(one, other))
        assert before is not None
        for places in ((one,), (other,), (other, one)):
            after = read(with_origins(written(*places)))
            if after is not None:
                agree(before, after, random, 30)
