"""Watched fields and code that stays invalid: all small traces, against a reference that tries all worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from optimizer.ir.text import parse
from validator import Options, Proved, Refuted, validate

HEADER = """+++
word = 8

[struct.Cell.fields]
live = { type = "int", quasi_immutable = true }

[call.turn]
result = "void"
can_invalidate = true
can_raise = false
reads = []
writes = ["Cell.live"]

[call.keep]
result = "void"
can_raise = false
reads = []
writes = ["Cell.live"]
+++
[p0, p1]
guard_class(p0, ConstClass(Cell)) []
guard_class(p1, ConstClass(Cell)) []
"""
LINES = {
    "watch": "quasiimmut_field(p0, descr=Cell.live)",
    "watch the other": "quasiimmut_field(p1, descr=Cell.live)",
    "guard": "guard_not_invalidated() []",
    "turn": "call_n(1, descr=turn)",
    "keep": "call_n(2, descr=keep)",
    "read": "i1 = getfield_gc_i(p0, descr=Cell.live)",
    "read again": "i2 = getfield_gc_i(p0, descr=Cell.live)",
    "store": "setfield_gc(p0, 1, descr=Cell.live)",
    "store to the other": "setfield_gc(p1, 2, descr=Cell.live)",
}
EVENTS = ("turn", "keep")
Body = tuple[str, ...]
Outcome = tuple[str, int, tuple[int, ...]]
Write = tuple[int, int] | None  # to p0 or p1, that value


def outcome(
    before: Body, after: Body, numbers: list[int], writes: tuple[Write, ...], broken: int, one: bool
) -> tuple[Outcome, Outcome]:
    """How both end in a world where the events write that, as far as the recorded trace lets them, and the code is
    invalid behind so many turns. `one`: p0 and p1 are one object. `numbers` are the origins of guards."""
    done: list[Write] = []
    recorded = walk(before, list(range(9)), list(writes), broken, one, done)
    return recorded, walk(after, numbers, done, broken, one, None)


def walk(
    body: Body, numbers: list[int], writes: list[Write], broken: int, one: bool, done: list[Write] | None
) -> Outcome:
    """The end of a trace. A recorded one notes which writes have been `done`; another one does all."""
    cells, place = [0, 0 if one else 3], [0, 0 if one else 1]
    watched: set[int] = set()
    turns = events = guards = 0
    read: dict[str, int] = {}
    for step in body:
        if step == "guard":
            if turns >= broken:
                return "left", numbers[guards], tuple(cells)
            guards += 1
        elif step in EVENTS:
            turns += step == "turn"
            write = writes[events] if events < len(writes) else None
            if write is not None and done is not None and place[write[0]] in watched and turns < broken:
                write = None
            if done is not None:
                done.append(write)
            if write is not None:
                cells[place[write[0]]] = write[1]
            events += 1
        elif step.startswith("watch"):
            watched.add(place[step != "watch"])
        elif step.startswith("read"):
            read[step] = cells[place[0]]
        else:
            cells[place[step != "store"]] = 1 if step == "store" else 2
    return "end", read["read"], (read.get("read again", read["read"]), *cells)


def is_right(before: Body, after: Body, numbers: list[int]) -> bool:
    count = sum(step in EVENTS for step in before)
    turns = before.count("turn")
    choices: tuple[Write, ...] = (None, (0, 7), (1, 8))
    worlds = product(product(choices, repeat=count), range(turns + 2), (False, True))
    for writes, broken, one in worlds:
        recorded, optimized = outcome(before, after, numbers, writes, broken, one)
        if recorded != optimized:
            return False
    return True


def text(body: Body, guards: list[int] | None = None) -> str:
    lines = [LINES[step] for step in body]
    if guards is not None:  # the guards that are left, by their numbers in the recorded trace
        left = iter(guards)
        lines = [line.replace("()", f"(origin={next(left) + 2})") if "guard" in line else line for line in lines]
    end = "finish(i1, i2)" if "read again" in body else "finish(i1, i1)"
    header = HEADER if guards is None else HEADER.replace("(Cell))", "(Cell), origin=0)", 1)
    header = header if guards is None else header.replace("p1, ConstClass(Cell))", "p1, ConstClass(Cell), origin=1)")
    return "\n".join([header.rstrip(), *lines, end])


def edits(body: Body) -> Iterator[tuple[Body, list[int]]]:
    """The trace without the second load, and without each guard."""
    numbers = list(range(body.count("guard")))
    yield tuple(step for step in body if step != "read again"), numbers
    at = [position for position, step in enumerate(body) if step == "guard"]
    for number, position in enumerate(at):
        yield body[:position] + body[position + 1 :], numbers[:number] + numbers[number + 1 :]


def judged(body: Body) -> tuple[int, int]:
    """Judges all edits; how many are proved and refuted."""
    proved = refuted = 0
    for after, guards in edits(body):
        verdict = validate(parse(text(body)), parse(text(after, guards)), Options(audit=True))
        if is_right(body, after, guards):
            assert isinstance(verdict, Proved), (body, after, verdict)
            assert verdict.evidence.audit is not None
            assert verdict.evidence.audit.checked, (body, after)
            proved += 1
        else:
            assert isinstance(verdict, Refuted), (body, after, verdict)
            refuted += 1
    return proved, refuted


def bodies(steps: tuple[str, ...], length: int) -> Iterator[Body]:
    for between in product(steps, repeat=length):
        for at in range(length):
            yield (*between[:at], "read", *between[at:], "read again")


@pytest.mark.parametrize("first", ["read", "watch", "guard", "turn", "keep"])
def test_all_small_traces(first: str) -> None:
    steps = ("watch", "guard", "turn", "keep")
    counts = [judged(body) for length in (1, 2, 3) for body in bodies(steps, length) if body[0] == first]
    if first == "watch":  # the shortest traces that show that code which has become invalid stays so
        counts += [judged(body) for body in bodies(steps, 4) if body[0] == first and body.count("turn") == 2]
    assert sum(proved for proved, _ in counts) > 10
    assert sum(refuted for _, refuted in counts) > 10


@pytest.mark.parametrize("seed", range(4))
def test_longer_traces_with_two_objects_and_stores(seed: int) -> None:
    random = Random(seed)
    steps = tuple(step for step in LINES if not step.startswith("read"))
    counts = []
    for _ in range(20):
        between = tuple(random.choice(steps) for _ in range(random.randrange(3, 8)))
        at = random.randrange(len(between))
        counts.append(judged((*between[:at], "read", *between[at:], "read again")))
    assert sum(proved for proved, _ in counts) > 1
    assert sum(refuted for _, refuted in counts) > 1
