"""Runs compared up to the names of what they allocate."""

from __future__ import annotations

import pytest
from reference_heap import DECLARATIONS
from runs_compared import compare_runs

from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import Mismatch, Renaming, sight_of_end
from optimizer.ir.run.interpreter import Program, Run, World
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.run.runs import Scripted
from optimizer.ir.text import parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of

HEAP = "p0 = Node(value=5, next=p1)\np1 = Node()\np2 = Refs[p0, NULL]"


def both(before: str, after: str, results: tuple[Scripted, ...] = (), heap: str = HEAP) -> tuple[Run, Run]:
    """Both bodies run on p0, p1 and p2 of one heap."""
    traces = [parse(f"{DECLARATIONS}[p0, p1, p2]\n{body}\n") for body in (before, after)]
    layout = layout_of(*traces)
    state = parse_heap(heap, layout)
    programs = [Program(trace, layout) for trace in traces]
    for program in programs:
        program.prepare(state)
    refs = [state.named(name) or NULL for name in ("p0", "p1", "p2")]
    one, other = (program.run(refs, World(results), heap=state) for program in programs)
    return one, other


TWO = "p8 = new(descr=Node)\np9 = new(descr=Node)\n"

SAME = [
    ("finish(p0)", "finish(p0)"),
    # Allocated in another order, and fewer.
    (f"{TWO}finish(p8, p9)", f"{TWO}finish(p9, p8)"),
    (f"{TWO}finish(p9)", "p8 = new(descr=Node)\nfinish(p8)"),
    # Written in another order, or with what is there already.
    (
        f"{TWO}setfield_gc(p8, 1, descr=Node.value)\nsetfield_gc(p8, p9, descr=Node.next)\nfinish(p8)",
        f"{TWO}setfield_gc(p9, p8, descr=Node.next)\nsetfield_gc(p9, 1, descr=Node.value)\nfinish(p9)",
    ),
    ("setfield_gc(p0, 5, descr=Node.value)\nfinish()", "finish()"),
    ("p9 = new(descr=Node)\nsetfield_gc(p9, 0, descr=Node.value)\nfinish(p9)", "p9 = new(descr=Node)\nfinish(p9)"),
    # Garbage.
    ("p9 = new(descr=Node)\nsetfield_gc(p9, 7, descr=Node.value)\nfinish()", "finish()"),
    ("finish()", "p9 = new(descr=Other)\nsetfield_gc(p9, p0, descr=w)\nfinish()"),
    # Cycles.
    (
        f"{TWO}setfield_gc(p8, p9, descr=Node.next)\nsetfield_gc(p9, p8, descr=Node.next)\nfinish(p8, p9)",
        f"{TWO}setfield_gc(p8, p9, descr=Node.next)\nsetfield_gc(p9, p8, descr=Node.next)\nfinish(p9, p8)",
    ),
    # What the first one did not write may be anything.
    ("p9 = new_array(2, descr=Chars)\nfinish(p9)", "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)"),
    ("p9 = new(descr=Raw)\nfinish(p9)", "p9 = new(descr=Raw)\nsetfield_gc(p9, 3, descr=Raw.a)\nfinish(p9)"),
    (
        "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)",
        "p9 = new_array(2, descr=Chars)\nsetarrayitem_gc(p9, 0, 0, descr=Chars)\n"
        "setarrayitem_gc(p9, 1, 0, descr=Chars)\nfinish(p9)",
    ),
    # Stored before or behind an event that cannot see it.
    (
        "p9 = new(descr=Node)\nsetfield_gc(p9, 1, descr=Node.value)\nescape_n()\nfinish(p9)",
        "escape_n()\np9 = new(descr=Node)\nsetfield_gc(p9, 1, descr=Node.value)\nfinish(p9)",
    ),
    # Built in the exit block.
    (
        "p9 = new(descr=Node)\nsetfield_gc(p9, p9, descr=Node.next)\nguard_isnull(p0) [p9]\nfinish()",
        "guard_isnull(p0) [p9] {\n    p9 = new(descr=Node)\n    setfield_gc(p9, p9, descr=Node.next)\n}\nfinish()",
    ),
    # A dead slot of the first run.
    ("guard_isnull(p0) [None, p1]\nfinish()", "p9 = new(descr=Node)\nguard_isnull(p0) [p9, p1]\nfinish()"),
    ("guard_isnull(p0)\nfinish()", "guard_isnull(p0) [p1]\nfinish()"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_the_same(before: str, after: str) -> None:
    assert compare_runs(*both(before, after)) is None


NODE = "p9 = new(descr=Node)\n"
LINK = "setfield_gc(p0, p9, descr=Node.next)\n"

DIFFERENT = [
    ("finish(p0)", "finish(p1)", Mismatch("argument 0", "p0", "p1")),
    ("finish(3)", "finish(4)", Mismatch("argument 0", "3", "4")),
    ("finish(p0, 1)", "finish(p0)", Mismatch("the number of arguments", "2", "1")),
    ("finish(p0)", "jump(p0)", Mismatch("the end", "Finished", "Jumped")),
    (f"{NODE}finish(p9)", "finish(p1)", Mismatch("argument 0", "new0, a Node of its own", "p1")),
    ("finish(NULL)", f"{NODE}finish(p9)", Mismatch("argument 0", "NULL", "new0, a Node of its own")),
    ("finish(NULL)", "p9 = new(descr=Item)\nfinish(p9)", Mismatch("argument 0", "NULL", "new0, an Item of its own")),
    # Shared or copied.
    (
        f"{NODE}finish(p9, p9)",
        f"{TWO}finish(p8, p9)",
        Mismatch("argument 1", "the Node that is argument 0", "new1, a Node of its own"),
    ),
    (
        f"{TWO}finish(p8, p9)",
        f"{NODE}finish(p9, p9)",
        Mismatch("argument 1", "new1, a Node of its own", "new0, a Node of its own"),
    ),
    # Swapped.
    (
        f"{TWO}setfield_gc(p8, 1, descr=Node.value)\nfinish(p8, p9)",
        f"{TWO}setfield_gc(p8, 1, descr=Node.value)\nfinish(p9, p8)",
        Mismatch("argument 0.value", "1", "0"),
    ),
    # A store that is missing, another one, one too many.
    ("setfield_gc(p1, 4, descr=Node.value)\nfinish()", "finish()", Mismatch("p1.value", "4", "0")),
    ("finish()", "setfield_gc(p1, 4, descr=Node.value)\nfinish()", Mismatch("p1.value", "0", "4")),
    ("finish()", "setfield_gc(p0, NULL, descr=Node.next)\nfinish()", Mismatch("p0.next", "p1", "NULL")),
    ("finish()", "setarrayitem_gc(p2, 1, p1, descr=Refs)\nfinish()", Mismatch("p2[1]", "NULL", "p1")),
    ("finish()", "setfield_gc(p2, 1, descr=u)\nfinish()", Mismatch("p2.u", "0", "1")),
    (
        f"{NODE}setfield_gc(p9, 4, descr=Node.value)\n{LINK}finish()",
        f"{NODE}{LINK}finish()",
        Mismatch("p0.next.value", "4", "0"),
    ),
    (
        f"{TWO}setfield_gc(p8, p9, descr=Node.next)\nfinish(p8)",
        f"{NODE}setfield_gc(p9, p9, descr=Node.next)\nfinish(p9)",
        Mismatch("argument 0.next", "new1, a Node of its own", "new0, a Node of its own"),
    ),
    # A store to a constant that one of the two does not name.
    ("finish()", "setfield_gc(ConstPtr(a), 1, descr=u)\nfinish()", Mismatch("ConstPtr(a).u", "0", "1")),
    # Classes and lengths.
    (f"{NODE}finish(p9)", "p9 = new(descr=Base)\nfinish(p9)", Mismatch("the class of argument 0", "Node", "Base")),
    (
        "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)",
        "p9 = new_array_clear(3, descr=Chars)\nfinish(p9)",
        Mismatch("the length of argument 0", "2", "3"),
    ),
    (
        "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)",
        "p9 = new_array_clear(2, descr=Words)\nfinish(p9)",
        Mismatch("the class of argument 0", "Chars", "Words"),
    ),
    # Less defined.
    (
        "p9 = new_array_clear(2, descr=Chars)\nfinish(p9)",
        "p9 = new_array(2, descr=Chars)\nsetarrayitem_gc(p9, 0, 0, descr=Chars)\nfinish(p9)",
        Mismatch("argument 0[1]", "0", "not written"),
    ),
    (
        "p9 = new_array_clear(1, descr=Points)\nfinish(p9)",
        "p9 = new_array(1, descr=Points)\nsetinteriorfield_gc(p9, 0, 0, descr=Points.x)\nfinish(p9)",
        Mismatch("argument 0[0].y", "0", "not written"),
    ),
    (
        "p9 = new(descr=Raw)\nsetfield_gc(p9, 3, descr=Raw.a)\nfinish(p9)",
        "p9 = new(descr=Raw)\nfinish(p9)",
        Mismatch("argument 0.a", "3", "not written"),
    ),
    # Guards.
    ("guard_isnull(p0) [p0]\nfinish()", "guard_isnull(p0) [p1]\nfinish()", Mismatch("failarg 0", "p0", "p1")),
    (
        "guard_isnull(p0) [p0]\nfinish()",
        "guard_isnull(p0) [None]\nfinish()",
        Mismatch("failarg 0", "p0", "a dead slot (None)"),
    ),
    (
        "setfield_gc(p0, 1, descr=Node.value)\nguard_isnull(p0) []\nfinish()",
        "guard_isnull(p0) []\nsetfield_gc(p0, 1, descr=Node.value)\nfinish()",
        Mismatch("p0.value", "1", "5"),
    ),
    (
        "setfield_gc(p0, 1, descr=Node.value)\nguard_isnull(p0)\nfinish()",
        "guard_isnull(p0)\nfinish()",
        Mismatch("p0.value", "1", "5"),
    ),
    ("guard_isnull(p0) []\nfinish()", "finish()", Mismatch("the end", "GuardFailed", "Finished")),
    # Events.
    ("escape_n(1)\nfinish()", "escape_n(2)\nfinish()", Mismatch("at event 0, argument 0", "1", "2")),
    ("escape_n()\nfinish()", "finish()", Mismatch("the number of events", "1", "0")),
    ("escape_n()\nfinish()", "p9 = escape_r()\nfinish()", Mismatch("event 0", "escape_n", "escape_r")),
    (
        "setfield_gc(p0, 1, descr=Node.value)\nescape_n()\nfinish()",
        "escape_n()\nsetfield_gc(p0, 1, descr=Node.value)\nfinish()",
        Mismatch("at event 0, p0.value", "1", "5"),
    ),
    (
        f"{NODE}escape_n(p9)\nescape_n(p9)\nfinish()",
        f"{NODE}escape_n(p9)\np8 = new(descr=Node)\nescape_n(p8)\nfinish()",
        Mismatch("at event 1, argument 0", "new0, the Node that an event has seen", "new1, a Node of its own"),
    ),
    (
        f"{NODE}escape_n(p9)\nsetfield_gc(p9, 4, descr=Node.value)\nfinish()",
        f"{NODE}escape_n(p9)\nfinish()",
        Mismatch("the object new0.value", "4", "0"),
    ),
    (
        f"{NODE}escape_n(p9)\nguard_isnull(p0) [p9]\nfinish()",
        f"{NODE}escape_n(p9)\nguard_isnull(p0) [p8] {{\n    p8 = new(descr=Node)\n}}\nfinish()",
        Mismatch("failarg 0", "new0, the Node that an event has seen", "new1, a Node of its own"),
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), DIFFERENT)
def test_different(before: str, after: str, expected: Mismatch) -> None:
    assert compare_runs(*both(before, after)) == expected


def test_how_a_mismatch_is_told() -> None:
    assert str(Mismatch("p0.value", "1", "5")) == "p0.value is 5, not 1"


def test_an_object_from_an_event_is_itself() -> None:
    before = "p9 = escape_r()\nsetfield_gc(p9, 1, descr=Node.value)\nfinish(p9)"
    heap = f"{HEAP}\nq = Node()"
    assert compare_runs(*both(before, before, (Ref("q"),), heap)) is None
    copied = f"p9 = escape_r()\n{before.split(chr(10))[1]}\np8 = new(descr=Node)\n"
    copied += "setfield_gc(p8, 1, descr=Node.value)\nfinish(p8)"
    assert compare_runs(*both(before, copied, (Ref("q"),), heap)) == Mismatch(
        "argument 0", "q", "new0, a Node of its own"
    )


def test_runs_of_different_heaps_are_not_compared() -> None:
    one, _ = both("finish()", "finish()")
    other, _ = both("finish()", "finish()", (), "p0 = Node()")
    with pytest.raises(ValueError, match="different objects"):
        compare_runs(one, other)


def test_a_renaming_is_one_to_one() -> None:
    renaming = Renaming()
    a, b = Ref("a", True), Ref("b", True)
    assert renaming.matches(a, b)
    assert renaming.matches(a, b)
    assert not renaming.matches(a, a)
    assert not renaming.matches(b, b)
    assert renaming.matches(b, a)
    assert not renaming.matches(NULL, Ref("NULL2"))
    assert renaming.partners() == [(a, b), (b, a)]


def test_the_heap_at_the_end_is_what_is_visible() -> None:
    run, _ = both(f"{TWO}setfield_gc(p8, p9, descr=Node.next)\nfinish(p8)", "finish()")
    heap = Heap(layout_of(parse("[]")))
    assert heap.visible([]) == {}
    assert [ref.name for ref in sight_of_end(run).objects] == ["new0", "p0", "p1", "p2", "new1"]
