"""Counterexamples on heaps as a person reads them, and as a program does."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from heap_pairs import heap_pair

from optimizer.ir.run.interpreter import run
from optimizer.ir.run.objects import Ref
from optimizer.ir.run.runs import Seen, World, Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from validator import validate
from validator.search.counterexample import State
from validator.tell.report import plain, verdict_json
from validator.tell.side_by_side import side_by_side
from validator.tell.state_text import state_lines
from validator.verdict import Evidence, Refuted

ESCAPES = "escape_n(p0)\np8 = escape_r(p1)\ni9 = escape_i()\n"
HEADS = [
    ("p0 = NULL\np1 = NULL", World(), ["On p0 = NULL, p1 = NULL, event 1 returns NULL, event 2 returns 0:"]),
    (
        "p0 = NULL\np1 = NULL",
        World((0, Ref("p0"), 7), invalid=frozenset({2, 3})),
        ["On p0 = NULL, p1 = NULL, event 1 invalidates the code and returns p0, event 2 returns 7:"],
    ),
    (
        "p0 = Node(value=5, next=q0)\nq0 = Chars[1, 2]\np1 = p0",
        World((0, Ref("q0"), 7), 2),
        [
            "On these objects, event 1 returns q0, event 2 does not return:",
            "    p0 = Node(value=5, next=q0)",
            "    p1 = p0",
            "    q0 = Chars[1, 2]",
        ],
    ),
    (
        "p0 = Node()\nq0 = Points[length=2]\np1 = NULL",
        World(
            (0, Seen(0), 7),
            None,
            (
                (Write(Ref("p0"), "Node.value", 3), Write(Seen(0), "Node.next", Ref("p0"))),
                (Write(Ref("q0"), "Points.x", 4, 1), Write(Ref("p0"), "Node.next", Seen(0))),
            ),
            frozenset({0, 2}),
            (("Node", 7),),
        ),
        [
            "On these objects, the code is invalid from the start, the type of Node has the number 7, "
            "event 0 writes p0.value = 3 and writes new0.next = p0, event 1 writes "
            "q0[1].x = 4 and writes p0.next = new0 and returns new0, event 2 returns 7:",
            "    p0 = Node()",
            "    p1 = NULL",
            "    q0 = Points[length=2]",
        ],
    ),
]


@pytest.mark.parametrize(("heap", "world", "head"), HEADS)
def test_the_state_in_words(heap: str, world: World, head: list[str]) -> None:
    body = "p9 = new(descr=Node)\nescape_n(p9)\np8 = escape_r(p1)\ni7 = escape_i()\n"
    pair = heap_pair(f"{body}finish(1)", f"{body}finish(2)")
    state = pair.state(heap, World() if world.stops_at is None and not world.results else world)
    found = pair.counterexample(state)
    if world.stops_at is not None:  # then the ends are not compared
        pair = heap_pair(f"setfield_gc(p0, 9, descr=Node.value)\n{body}finish(1)", f"{body}finish(1)")
        found = pair.counterexample(state)
    assert found is not None
    lines = list(side_by_side(found, plain))
    assert lines[: len(head)] == head
    assert lines[len(head)] == ""


def test_numbers_stand_in_front_of_objects() -> None:
    pair = heap_pair("finish(i1)", "finish(0)", "[p0, i1]")
    found = pair.counterexample(pair.state("p0 = Node(value=5)", i1=4))
    assert found is not None
    assert list(side_by_side(found, plain)) == [
        "On i1 = 4, with these objects:",
        "    p0 = Node(value=5)",
        "",
        "    before              after",
        "    [p0, i1]            [p0, i1]",
        "  > finish(i1)  # (4)   finish(0)  # (0)",
        "",
        "end: argument 0: argument 0 of the end is 0, not 4.",
    ]


def test_an_object_with_the_name_of_another_input() -> None:
    """Both names are told as they are."""
    pair = heap_pair("finish(p0)", "finish(p1)")
    state = pair.state("p1 = Node(value=1)\np0 = Node(value=2)")
    assert state.heap is not None
    found = pair.counterexample(State((Ref("p1"), Ref("p0")), World(), state.heap))
    assert found is not None
    lines = list(side_by_side(found, plain))
    assert lines[:3] == ["On p0 = p1, p1 = p0, with these objects:", "    p0 = Node(value=2)", "    p1 = Node(value=1)"]


def test_a_field_with_a_name_that_is_no_word() -> None:
    descr = "<FieldS Node.value 8>"
    trace = parse(f"[p0]\nescape_n()\nsetfield_gc(p0, 1, descr={descr})\n")
    lost = validate(trace, parse("[p0]\nescape_n()\n"))
    assert isinstance(lost, Refuted)
    assert lost.counterexample.difference == f"at the end, p0.{descr} is 0, not 1"
    state = State(
        (Ref("p0"),), World(writes=((Write(Ref("p0"), descr, 3),),)), parse_heap("p0 = Node()", layout_of(trace))
    )
    found = replace(lost.counterexample, state=state, before=run(trace, state.inputs, state.world, state.heap))
    assert next(state_lines(found, trace)) == f"On these objects, event 0 writes p0.{descr} = 3:"


def test_a_lost_store_beside_each_other() -> None:
    new = "p9 = new(descr=Node)\n"
    link = "setfield_gc(p0, p9, descr=Node.next)\n"
    pair = heap_pair(f"{new}setfield_gc(p9, 4, descr=Node.value)\n{link}finish()", f"{new}{link}finish()", "[p0]")
    found = pair.counterexample(pair.state("p0 = Node()"))
    assert found is not None
    assert list(side_by_side(found, plain)) == [
        "On these objects:",
        "    p0 = Node()",
        "",
        "    before                                 after",
        "    [p0]                                   [p0]",
        "    p9 = new(descr=Node)  # new0           p9 = new(descr=Node)  # new0",
        "    setfield_gc(p9, 4, descr=Node.value)",
        "    setfield_gc(p0, p9, descr=Node.next)   setfield_gc(p0, p9, descr=Node.next)",
        "  > finish()  # ()                         finish()  # ()",
        "",
        "end: heap Node.value: at the end, p0.next.value is 0, not 4.",
    ]


def test_the_state_as_json() -> None:
    pair = heap_pair(f"{ESCAPES}finish(i9)", f"{ESCAPES}finish(1)")
    write = Write(Ref("q0"), "Points.x", 4, 1)
    world = World((0, Ref("q0"), 7), None, ((write,),), frozenset({1}), (("Node", 7),))
    heap = "p0 = Node(value=5, next=q0)\nq0 = Points[(x=1), (y=p0)]\np1 = NULL\nConstPtr(a) = p0"
    found = pair.counterexample(pair.state(heap, world))
    assert found is not None
    told = verdict_json(Refuted(Evidence(), found), "pair", pair.before, pair.after)
    state = json.loads(json.dumps(told["counterexample"]))
    assert state["inputs"] == {"p0": "p0", "p1": "NULL"}
    assert state["heap"] == [
        {"name": "p0", "type": "Node", "length": None, "fields": {"next": "q0", "value": 5}},
        {"name": "q0", "type": "Points", "length": 2, "fields": {"[0].x": 1, "[1].y": "p0"}},
    ]
    assert state["names"] == {"p1": "NULL", "ConstPtr(a)": "p0"}
    assert state["event_results"] == [0, "q0", 7]
    assert state["writes"] == [[{"object": "q0", "descr": "Points.x", "index": 1, "value": 4}]]
    assert (state["invalid"], state["gc_types"], state["stops_at_event"]) == ([1], {"Node": 7}, None)


def test_a_state_without_objects_as_json() -> None:
    pair = heap_pair("finish(i0)", "finish(0)", "[i0]")
    found = pair.counterexample(State((4,)))
    assert found is not None
    told = verdict_json(Refuted(Evidence(), found), "pair", pair.before, pair.after)["counterexample"]
    assert (told["inputs"], told["heap"], told["names"], told["writes"]) == ({"i0": 4}, [], {}, [])


def test_a_function_that_is_not_named() -> None:
    before, after = parse("[]\ni0 = call_pure_i()\nfinish(i0)\n"), parse("[]\nfinish(0)\n")
    verdict = validate(before, after)
    assert isinstance(verdict, Refuted)
    assert any(
        "the function that is not named of () gives" in line for line in state_lines(verdict.counterexample, before)
    )
