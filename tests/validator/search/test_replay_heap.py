"""Replays on heaps: each kind of difference is found and named, and no other is told."""

from __future__ import annotations

import pytest
from heap_pairs import heap_pair

from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.run.runs import Seen, Stopped, World, Write
from optimizer.ir.text.heap_printer import format_heap
from validator.search.counterexample import State

HEAP = "p0 = Node(value=5, next=p1)\np1 = Node()"
NODE = "p9 = new(descr=Node)\n"
TWO = "p8 = new(descr=Node)\np9 = new(descr=Node)\n"
LINK = "setfield_gc(p0, p9, descr=Node.next)\n"
STORE = "setfield_gc(p0, 7, descr=Node.value)\n"

SAME = [
    # Only names of what was allocated differ, and objects that nobody sees.
    (f"{TWO}finish(p8, p9)", f"{TWO}finish(p9, p8)"),
    (f"{TWO}escape_n(p8)\nescape_n(p9)\nfinish(p8)", f"{TWO}escape_n(p9)\nescape_n(p8)\nfinish(p9)"),
    ("finish(p0)", f"{NODE}setfield_gc(p9, p0, descr=Node.next)\nfinish(p0)"),
    (f"{NODE}{STORE}escape_n(p0)\nfinish()", f"{STORE}escape_n(p0)\nfinish()"),
    # Stored before or behind what does not look.
    (f"{NODE}{LINK}{STORE}finish(p9)", f"{STORE}{NODE}{LINK}finish(p9)"),
    # A delayed store and allocation in the exit block.
    (
        f"{NODE}{STORE}guard_isnull(p1) [p9]\nfinish()",
        "guard_isnull(p1) [p9] {\n    p9 = new(descr=Node)\n    setfield_gc(p0, 7, descr=Node.value)\n}\n"
        f"{STORE}finish()",
    ),
    ("guard_isnull(p1) [None, p1]\nfinish()", f"{NODE}guard_isnull(p1) [p9, p1]\nfinish()"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
@pytest.mark.parametrize("swapped", [False, True])
def test_no_difference(before: str, after: str, swapped: bool) -> None:
    pair = heap_pair(after, before) if swapped and "None" not in before else heap_pair(before, after)
    assert pair.counterexample(pair.state(HEAP)) is None


DIFFERENT = [
    # A lost store, a store too many, a stale value.
    (f"{STORE}finish()", "finish()", "end: heap Node.value", "at the end, p0.value is 5, not 7"),
    ("finish()", f"{STORE}finish()", "end: heap Node.value", "at the end, p0.value is 7, not 5"),
    (
        f"{STORE}i9 = getfield_gc_i(p0, descr=Node.value)\nfinish(i9)",
        f"i9 = getfield_gc_i(p0, descr=Node.value)\n{STORE}finish(i9)",
        "end: argument 0",
        "argument 0 of the end is 5, not 7",
    ),
    # Inherited fields are named by the struct that declares them, and undeclared ones by themselves.
    (
        "setfield_gc(p0, 7, descr=Node.tag)\nfinish()",
        "finish()",
        "end: heap Base.tag",
        "at the end, p0.tag is 0, not 7",
    ),
    ("setfield_gc(p0, 7, descr=u)\nfinish()", "finish()", "end: heap u", "at the end, p0.u is 0, not 7"),
    # Another object.
    ("finish(p0)", "finish(p1)", "end: argument 0", "argument 0 of the end is p1, not p0"),
    ("finish(p0)", "finish(NULL)", "end: argument 0", "argument 0 of the end is NULL, not p0"),
    (
        f"{NODE}finish(p9)",
        "finish(p1)",
        "end: argument 0",
        "argument 0 of the end is p1, not new0, a Node of its own",
    ),
    (
        f"{NODE}finish(p9, p9)",
        f"{TWO}finish(p8, p9)",
        "end: argument 1",
        "argument 1 of the end is new1, a Node of its own, not the Node that is argument 0",
    ),
    (
        f"{NODE}{LINK}finish()",
        f"{NODE}{LINK}setfield_gc(p0, p1, descr=Node.next)\nfinish()",
        "end: heap Node.next",
        "at the end, p0.next is p1, not new0, a Node of its own",
    ),
    # A materialized object: its class, its length, its fields.
    (
        f"{NODE}finish(p9)",
        "p9 = new(descr=Base)\nfinish(p9)",
        "end: heap class",
        "at the end, the class of argument 0 is Base, not Node",
    ),
    (
        "p9 = new_array_clear(2, descr=Chars)\nescape_n(p9)\nfinish()",
        "p9 = new_array_clear(3, descr=Chars)\nescape_n(p9)\nfinish()",
        "event 0: heap length",
        "at event 0, the length of argument 0 is 3, not 2",
    ),
    (
        f"{NODE}setfield_gc(p9, 4, descr=Node.value)\n{LINK}finish()",
        f"{NODE}{LINK}finish()",
        "end: heap Node.value",
        "at the end, p0.next.value is 0, not 4",
    ),
    (
        "p9 = new_array_clear(2, descr=Chars)\nsetarrayitem_gc(p9, 1, 4, descr=Chars)\nfinish(p9)",
        "p9 = new_array_clear(2, descr=Chars)\nsetarrayitem_gc(p9, 0, 4, descr=Chars)\nfinish(p9)",
        "end: heap Chars[]",
        "at the end, argument 0[0] is 4, not 0",
    ),
    (
        "p9 = new_array_clear(1, descr=Points)\nsetinteriorfield_gc(p9, 0, 4, descr=Points.x)\nfinish(p9)",
        "p9 = new_array_clear(1, descr=Points)\nfinish(p9)",
        "end: heap Points[].x",
        "at the end, argument 0[0].x is 0, not 4",
    ),
    # What an array or struct that was not cleared holds.
    (
        "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)",
        "p9 = new_array(2, descr=Chars)\nfinish(p9)",
        "end: heap Chars[]",
        "at the end, argument 0[0] is not written, not 0",
    ),
    # At events: kinds, arguments, what they see.
    (
        f"{STORE}escape_n()\nfinish()",
        f"escape_n()\n{STORE}finish()",
        "event 0: heap Node.value",
        "at event 0, p0.value",
    ),
    ("escape_n(p0)\nfinish()", "escape_n(p1)\nfinish()", "event 0: argument 0", "argument 0 of event 0 is p1, not p0"),
    ("escape_n(p0)\nfinish()", "escape_n(p0, p0)\nfinish()", "event 0: kind", "event 0 is another one"),
    # An unlinked object that an event has seen before is not another one that looks alike.
    (
        f"{NODE}escape_n(p9)\nfinish(p9)",
        f"{NODE}escape_n(p9)\np8 = new(descr=Node)\nfinish(p8)",
        "end: argument 0",
        "argument 0 of the end is new1, a Node of its own, not new0",
    ),
    (
        f"{NODE}{LINK}escape_n()\nsetfield_gc(p0, NULL, descr=Node.next)\n"
        "setfield_gc(p9, 3, descr=Node.value)\nescape_n()\nfinish()",
        f"{NODE}{LINK}escape_n()\nsetfield_gc(p0, NULL, descr=Node.next)\nescape_n()\nfinish()",
        "event 1: heap Node.value",
        "at event 1, the object new0.value is 0, not 3",
    ),
    # At guards.
    (
        f"{STORE}guard_isnull(p1) [p1]\nfinish()",
        f"guard_isnull(p1) [p1]\n{STORE}finish()",
        "guard 0: heap Node.value",
        "where guard 0 fails, p0.value is 5, not 7",
    ),
    (
        f"{NODE}guard_isnull(p1) [p9]\nfinish()",
        "guard_isnull(p1) [p9] {\n    p9 = new(descr=Base)\n}\nfinish()",
        "guard 0: heap class",
        "where guard 0 fails, the class of failarg 0 is Base, not Node",
    ),
    (
        f"{NODE}escape_n(p9)\nguard_isnull(p1) [p9]\nfinish()",
        f"{NODE}escape_n(p9)\nguard_isnull(p1) [p8] {{\n    p8 = new(descr=Node)\n}}\nfinish()",
        "guard 0: failarg 0",
        "failarg 0 of guard 0 is new1, a Node of its own, that of the recorded guard 0 is new0",
    ),
    (
        "guard_isnull(p1) [p0]\nfinish()",
        "guard_isnull(p1) [None]\nfinish()",
        "guard 0: failarg 0",
        "failarg 0 of guard 0 is a dead slot (None), that of the recorded guard 0 is p0",
    ),
    # Without failargs the heap is compared all the same.
    (
        f"{STORE}guard_isnull(p1)\nfinish()",
        "guard_isnull(p1) [p0]\nfinish()",
        "guard 0: heap Node.value",
        "where guard 0 fails, p0.value is 5, not 7",
    ),
    (
        f"{STORE}guard_isnull(p1) [p0]\nfinish()",
        "guard_isnull(p1)\nfinish()",
        "guard 0: heap Node.value",
        "where guard 0 fails, p0.value is 5, not 7",
    ),
    # What is not defined.
    (
        "escape_n()\nfinish()",
        "i9 = getfield_gc_i(NULL, descr=Node.value)\nescape_n()\nfinish()",
        "op 0: defined",
        "the optimized trace does operation 0 where the object is NULL",
    ),
]


@pytest.mark.parametrize(("before", "after", "obligation", "sentence"), DIFFERENT)
def test_differences(before: str, after: str, obligation: str, sentence: str) -> None:
    pair = heap_pair(before, after)
    found = pair.counterexample(pair.state(HEAP))
    assert found is not None
    assert found.obligation == obligation
    assert found.difference.startswith(sentence)


@pytest.mark.parametrize(("before", "after", "obligation", "_sentence"), DIFFERENT)
def test_failargs_that_are_ignored(before: str, after: str, obligation: str, _sentence: str) -> None:
    pair = heap_pair(before, after, failargs="ignore")
    found = pair.counterexample(pair.state(HEAP))
    assert (found is None) == obligation.startswith("guard")


@pytest.mark.parametrize("heap", [HEAP, "p0 = Node(value=1)\np1 = p0", "p0 = Node(next=p0)\np1 = NULL"])
@pytest.mark.parametrize(
    "body", sorted({text for row in [*SAME, *DIFFERENT] for text in row[:2] if "NULL, descr=N" not in text})
)
def test_a_trace_is_as_itself(body: str, heap: str) -> None:
    pair = heap_pair(body, body)
    assert pair.replay.run(pair.state(heap)) is not None
    assert pair.counterexample(pair.state(heap)) is None


def test_a_difference_that_an_alias_makes() -> None:
    load = "i9 = getfield_gc_i(p0, descr=Node.value)\n"
    store = "setfield_gc(p1, 7, descr=Node.value)\n"
    pair = heap_pair(f"{store}{load}finish(i9)", f"{load}{store}finish(i9)")
    assert pair.counterexample(pair.state(HEAP)) is None
    found = pair.counterexample(pair.state("p0 = Node(value=5)\np1 = p0"))
    assert found is not None
    assert found.difference == "argument 0 of the end is 5, not 7"


def test_objects_that_differ_behind_an_equal_event_share_one_renaming() -> None:
    """The end hands over the two objects that the event has seen, but crosswise."""
    pair = heap_pair(f"{TWO}escape_n(p8, p9)\nfinish(p8, p9)", f"{TWO}escape_n(p8, p9)\nfinish(p9, p8)")
    found = pair.counterexample(pair.state(HEAP))
    assert found is not None
    assert found.obligation == "end: argument 0"


def test_a_guard_is_compared_with_the_heap_at_its_origin() -> None:
    """Two guards are merged at the first one's position; a store stands between the recorded ones."""
    before = f"guard_nonnull(p1) [p0]\n{STORE}guard_class(p1, ConstClass(node_vt)) [p1]\nfinish()"
    first = f"guard_nonnull_class(p1, ConstClass(node_vt)) [p0]\n{STORE}finish()"
    second = f"guard_nonnull_class(p1, ConstClass(node_vt)) [p1]\n{STORE}finish()"
    state = "p0 = Node()\np1 = Base()"
    pair = heap_pair(before, first)
    assert pair.counterexample(pair.state(state), (0,)) is None
    found = pair.counterexample(pair.state(state), (1,))
    assert found is not None
    assert found.obligation == "guard 0: failarg 0"
    pair = heap_pair(before, second)
    found = pair.counterexample(pair.state(state), (1,))
    assert found is not None
    assert found.obligation == "guard 0: heap Node.value"


def test_the_exit_block_of_the_origin_runs() -> None:
    block = "{\n    p9 = new(descr=Node)\n    setfield_gc(p0, p9, descr=Node.next)\n}"
    pair = heap_pair(f"guard_isnull(p1) [p9] {block}\nfinish()", f"guard_isnull(p1) [p9] {block}\nfinish()")
    assert pair.counterexample(pair.state(HEAP)) is None
    pair = heap_pair(f"guard_isnull(p1) [p0] {block}\nfinish()", "guard_isnull(p1) [p0]\nfinish()")
    found = pair.counterexample(pair.state(HEAP))
    assert found is not None
    assert found.obligation == "guard 0: heap Node.next"
    assert found.expected is not None


def test_both_traces_begin_on_one_heap() -> None:
    """The object of a constant that only one of them names is described for both."""
    pair = heap_pair("finish()", "setfield_gc(ConstPtr(a), 1, descr=u)\nfinish()", "[]")
    found = pair.counterexample(State(()))
    assert found is not None
    assert found.obligation == "end: heap u"
    assert found.state.heap is not None
    assert format_heap(found.state.heap) == "ConstPtr(a) = object()\n"
    pair = heap_pair("finish(p0)", "finish(ConstPtr(a))", "[p0]")
    same = pair.state("p0 = Node()\nConstPtr(a) = p0")
    assert pair.counterexample(same) is None
    assert pair.counterexample(pair.state("p0 = Node()")) is not None


def test_a_state_is_left_as_it_is() -> None:
    pair = heap_pair(f"{STORE}finish(ConstPtr(a))", "finish(ConstPtr(b))")
    state = pair.state(HEAP)
    assert state.heap is not None
    text = format_heap(state.heap)
    assert pair.counterexample(state) is not None
    assert format_heap(state.heap) == text


def test_a_heap_that_knows_one_trace_only() -> None:
    """The layout of an example may not have learned what the optimized trace uses."""
    pair = heap_pair("finish()", "setfield_gc(p0, p1, descr=w)\nfinish()")
    alone = heap_pair("finish()", "finish()")
    found = pair.counterexample(alone.state(HEAP))
    assert found is not None
    assert found.obligation == "end: heap w"


def test_the_world_stops_where_the_recorded_trace_is_undefined() -> None:
    body = "escape_n(p0)\ni9 = getfield_gc_i(p1, descr=Node.value)\nfinish(i9)"
    early = "i9 = getfield_gc_i(p1, descr=Node.value)\nescape_n(p0)\nfinish(i9)"
    pair = heap_pair(body, early)
    found = pair.counterexample(pair.state("p0 = Node()\np1 = NULL"))
    assert found is not None
    assert found.obligation == "op 0: defined"
    assert isinstance(found.before.outcome, Stopped)
    assert found.state.world.stops_at == 0
    pair = heap_pair(body, body)
    assert pair.counterexample(pair.state("p0 = Node()\np1 = NULL")) is None


def test_a_recorded_trace_that_is_undefined_says_nothing() -> None:
    pair = heap_pair("i9 = getfield_gc_i(p0, descr=Node.value)\nfinish(i9)", "finish(0)")
    assert pair.replay.run(pair.state("p0 = NULL\np1 = NULL")) is None
    assert pair.replay.run(pair.state("p0 = Other()\np1 = NULL")) is None


@pytest.mark.parametrize("unwritten", ["?, length=2", "0, length=2, ..."])
def test_all_that_existed_before_has_been_written(unwritten: str) -> None:
    before = "copyunicodecontent(p0, p1, 0, 0, 1)\nfinish()"
    after = "i9 = unicodegetitem(p0, 0)\nunicodesetitem(p1, 0, i9)\nfinish()"
    pair = heap_pair(before, after)
    text = f"p0 = unicode[{unwritten}]\np1 = unicode[0, 0]"
    assert pair.replay.run(pair.state(text)) is None
    assert pair.replay.run(pair.state("p0 = unicode[7, 0]\np1 = unicode[0, 0]")) is not None


WRITES = World((), None, ((Write(Ref("p1"), "Node.value", 9), Write(Seen(0), "Node.next", Ref("p1"))),))


def test_what_events_write_is_written_in_both() -> None:
    loads = "i1 = getfield_gc_i(p1, descr=Node.value)\np2 = getfield_gc_r(p9, descr=Node.next)\n"
    before = f"{NODE}escape_n(p9)\n{loads}finish(i1, p2)"
    hidden = f"p7 = new(descr=Other)\n{before}"
    pair = heap_pair(before, hidden)
    assert pair.counterexample(pair.state(HEAP, WRITES)) is None
    stale = f"i1 = getfield_gc_i(p1, descr=Node.value)\n{NODE}escape_n(p9)\nfinish(i1, NULL)"
    pair = heap_pair(before, stale)
    found = pair.counterexample(pair.state(HEAP, WRITES))
    assert found is not None
    assert found.difference == "argument 0 of the end is 0, not 9"


def test_early_guards_let_the_events_return_with_their_writes() -> None:
    """The merged guard fails on a state where the recorded trace would leave behind the event, were it to return."""
    before = (
        "guard_nonnull(p1) [p0]\nescape_n()\ni2 = getfield_gc_i(p1, descr=Node.value)\nguard_true(i2) [p0]\nfinish()"
    )
    after = "i2 = getfield_gc_i(p1, descr=Node.value)\nguard_true(i2, origin=0) [p0]\nescape_n()\nfinish()"
    pair = heap_pair(before, after)
    rewrites = World((), 0, ((Write(Ref("p1"), "Node.value", 1),),))
    found = pair.counterexample(pair.state(HEAP, rewrites), (0,))
    assert found is not None
    assert found.obligation == "guard 0: condition"
    stays = World((), 0)
    assert pair.counterexample(pair.state(HEAP, stays), (0,)) is None


def test_integers_have_no_heap() -> None:
    pair = heap_pair("finish(i0)", "finish(0)", "[i0]")
    found = pair.counterexample(State((4,)))
    assert found is not None
    assert found.state == State((4,))
    assert pair.counterexample(State((0,))) is None


def test_null_is_no_object() -> None:
    pair = heap_pair("finish(p0)", "finish(NULL)")
    assert pair.counterexample(State((NULL, NULL))) is None
