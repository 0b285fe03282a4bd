"""Running traces on heaps: when they are defined, and what they leave."""

from __future__ import annotations

import pytest
from reference_heap import DECLARATIONS

from optimizer.ir.rows.heap_domain import HeapDomain
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import visible_heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Program, Run, Stopped, Undefined, World
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.run.runs import Seen, Write
from optimizer.ir.text import parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap


def run_on(body: str, heap: str = "", world: World | None = None, declarations: str = DECLARATIONS) -> Run:
    """Runs the operations on the objects p0 to p3 of the heap (NULL where it does not describe them) and i0 = 7."""
    program = Program(parse(f"{declarations}[i0, p0, p1, p2, p3]\n{body}\n"))
    state = parse_heap(heap, program.layout)
    refs = [state.named(name) or NULL for name in ("p0", "p1", "p2", "p3")]
    return program.run([7, *refs], world, heap=state)


def left(run: Run) -> str:
    """The visible heap at the end."""
    return format_heap(visible_heap(run))


HEAP = """p0 = Node(value=5, next=p1, tag=3)
p1 = Base(left=p0)
p2 = Chars[1, 2, 3]
p3 = Points[(x=1, y=p0), (z=-5)]"""

DEFINED = [
    ("i9 = getfield_gc_i(p0, descr=Node.value)", (5,)),
    ("i9 = getfield_gc_i(p0, descr=valuedescr)", (5,)),
    ("i9 = getfield_gc_i(p0, descr=Base.tag)", (3,)),
    ("i9 = getfield_gc_i(p0, descr=Node.tag)", (3,)),
    ("i9 = getfield_gc_pure_i(p0, descr=Base.fixed)", (0,)),
    ("i9 = getfield_gc_i(p2, descr=unheard_of)", (0,)),
    ("p9 = getfield_gc_r(p0, descr=Node.next)", (Ref("p1"),)),
    ("p9 = getfield_gc_r(p1, descr=Base.left)", (Ref("p0"),)),
    ("i9 = getarrayitem_gc_i(p2, 2, descr=Chars)", (3,)),
    ("i9 = arraylen_gc(p2, descr=Chars)", (3,)),
    ("i9 = arraylen_gc(p2, descr=SomeArray)", (3,)),
    ("i9 = getarrayitem_gc_i(p2, 2, descr=SomeArray)", (0,)),
    ("i9 = getinteriorfield_gc_i(p3, 1, descr=Points.z)", (-5,)),
    ("p9 = getinteriorfield_gc_r(p3, 0, descr=Points.y)", (Ref("p0"),)),
    ("p8 = new_array_clear(0, descr=Chars)\ni9 = arraylen_gc(p8, descr=Chars)", (0,)),
    ("p8 = new(descr=Raw)\np9 = getfield_gc_r(p8, descr=Raw.b)", (NULL,)),
    ("p8 = newstr(2)\np9 = getarrayitem_gc_r(p8, 1, descr=SomeArray)", (NULL,)),
    ("p8 = new_array(2, descr=Chars)\ni9 = getfield_gc_i(p8, descr=unheard_of)", (0,)),
    ("p8 = new(descr=Node)\ni9 = getfield_gc_i(p8, descr=Node.value)", (0,)),
    ("p8 = new(descr=Raw)\nsetfield_gc(p8, 4, descr=Raw.a)\ni9 = getfield_gc_i(p8, descr=Raw.a)", (4,)),
    ("p8 = new(descr=Node)\nsetfield_gc(p8, 4, descr=Base.fixed)\ni9 = int_neg(1)", (-1,)),
    (
        "p8 = new(descr=Base)\ni8 = getfield_gc_i(p8, descr=Base.fixed)\nsetfield_gc(p8, 4, descr=Base.fixed)\n"
        "i9 = getfield_gc_i(p8, descr=Base.fixed)",
        (4,),
    ),
    ("setfield_gc(p0, 4, descr=Base.fixed)\ni9 = getfield_gc_i(p0, descr=Base.fixed)", (4,)),
    ("setfield_gc(p0, 255, descr=Base.tag)\ni9 = getfield_gc_i(p0, descr=Base.tag)", (255,)),
    ("i9 = ptr_eq(p0, p1)", (0,)),
    ("i9 = ptr_eq(NULL, NULL)", (1,)),
    ("i9 = instance_ptr_ne(ConstPtr(a), ConstPtr(b))", (1,)),
    ("i9 = instance_ptr_eq(ConstPtr(a), ConstPtr(a))", (1,)),
    ("record_exact_class(p0, ConstClass(node_vt))\ni9 = int_neg(1)", (-1,)),
    ("record_exact_value_i(i0, 7)\nrecord_exact_value_r(p0, ConstPtr(c))\ni9 = int_neg(1)", (-1,)),
    ("assert_not_none(p0)\nassert_is_object(p0)\ni9 = int_neg(1)", (-1,)),
]


@pytest.mark.parametrize(("body", "expected"), DEFINED, ids=[body for body, _ in DEFINED])
def test_what_is_defined(body: str, expected: tuple[int | Ref]) -> None:
    result = "p9" if "p9 =" in body else "i9"
    run = run_on(f"{body}\nfinish({result})", f"{HEAP}\nConstPtr(c) = p0")
    assert run.outcome == Finished(expected)


NOT_OF_TYPE = "the object is NULL or not of the descr's type"
NOT_ARRAY = "the object is NULL or not an array of the descr's type"
INDEX = "the index is outside [0, length)"
UNWRITTEN = "what is read was not written since the allocation"
RANGE = "the value is outside the range of the memory"
CHANGED = "an immutable field or item that has been read is changed"
VTABLE = "the object is NULL or has no vtable"

UNDEFINED = [
    ("i9 = getfield_gc_i(NULL, descr=Node.value)", NOT_OF_TYPE),
    ("i9 = getfield_gc_i(NULL, descr=unheard_of)", NOT_OF_TYPE),
    ("i9 = getfield_gc_i(p1, descr=Node.value)", NOT_OF_TYPE),
    ("i9 = getfield_gc_i(p1, descr=Node.tag)", NOT_OF_TYPE),
    ("i9 = getfield_gc_i(p0, descr=Other.value)", NOT_OF_TYPE),
    ("i9 = getfield_gc_i(p2, descr=Node.value)", NOT_OF_TYPE),
    ("setfield_gc(NULL, 1, descr=Node.value)", NOT_OF_TYPE),
    ("setfield_gc(p1, 1, descr=Node.value)", NOT_OF_TYPE),
    ("i9 = getarrayitem_gc_i(p0, 0, descr=Chars)", NOT_OF_TYPE),
    ("i9 = getarrayitem_gc_i(p2, 0, descr=Words)", NOT_OF_TYPE),
    ("i9 = getarrayitem_gc_i(p2, 3, descr=Chars)", INDEX),
    ("i9 = getarrayitem_gc_i(p2, -1, descr=Chars)", INDEX),
    ("i9 = getarrayitem_gc_i(p0, 0, descr=SomeArray)", INDEX),
    ("setarrayitem_gc(p2, 3, 1, descr=Chars)", INDEX),
    ("setinteriorfield_gc(p3, 2, 1, descr=Points.x)", INDEX),
    ("i9 = getinteriorfield_gc_i(p2, 0, descr=Points.x)", NOT_OF_TYPE),
    ("i9 = arraylen_gc(p0, descr=Chars)", NOT_ARRAY),
    ("i9 = arraylen_gc(NULL, descr=SomeArray)", NOT_ARRAY),
    ("i9 = arraylen_gc(p0, descr=SomeArray)", NOT_ARRAY),
    ("p8 = new(descr=Raw)\ni9 = getfield_gc_i(p8, descr=Raw.a)", UNWRITTEN),
    ("p8 = new_array(2, descr=Chars)\ni9 = getarrayitem_gc_i(p8, 1, descr=Chars)", UNWRITTEN),
    ("p8 = new_array(2, descr=Refs)\np9 = getarrayitem_gc_r(p8, 1, descr=Refs)", UNWRITTEN),
    ("p8 = newstr(2)\ni9 = strgetitem(p8, 1)", UNWRITTEN),
    ("p8 = new_array(2, descr=Points)\ni9 = getinteriorfield_gc_i(p8, 1, descr=Points.x)", UNWRITTEN),
    ("setfield_gc(p0, 256, descr=Base.tag)", RANGE),
    ("setfield_gc(p0, -1, descr=Base.tag)", RANGE),
    ("setfield_gc(p0, 2, descr=Node.flag)", RANGE),
    ("setarrayitem_gc(p2, 0, 256, descr=Chars)", RANGE),
    ("setinteriorfield_gc(p3, 0, -129, descr=Points.z)", RANGE),
    ("i9 = getfield_gc_i(p0, descr=Base.fixed)\nsetfield_gc(p0, 0, descr=Base.fixed)", CHANGED),
    (
        "p8 = new(descr=Base)\nescape_n(p8)\ni9 = getfield_gc_i(p8, descr=Base.fixed)\n"
        "setfield_gc(p8, 0, descr=Base.fixed)",
        CHANGED,
    ),
    ("p8 = new_array(-1, descr=Chars)", "the length is negative"),
    ("p8 = new_array_clear(-1, descr=Chars)", "the length is negative"),
    ("guard_class(NULL, ConstClass(node_vt)) []", VTABLE),
    ("guard_class(p2, ConstClass(node_vt)) []", VTABLE),
    ("guard_subclass(p2, ConstClass(node_vt)) []", VTABLE),
    ("guard_is_object(NULL) []", "the object is NULL"),
    ("record_exact_class(p1, ConstClass(node_vt))", "the object is NULL or not of that class"),
    ("record_exact_class(NULL, ConstClass(node_vt))", "the object is NULL or not of that class"),
    ("record_exact_value_i(i0, 8)", "the value is another one"),
    ("record_exact_value_r(p0, NULL)", "the object is another one"),
    ("assert_not_none(NULL)", "the reference is NULL"),
    ("assert_is_object(NULL)", VTABLE),
    ("assert_is_object(p2)", VTABLE),
]


@pytest.mark.parametrize(("body", "reason"), UNDEFINED, ids=[body for body, _ in UNDEFINED])
def test_what_is_undefined(body: str, reason: str) -> None:
    assert run_on(f"{body}\nfinish()", HEAP).outcome == Undefined(body.count("\n"), reason)


GUARDS = [
    ("guard_nonnull(p0)", True),
    ("guard_nonnull(NULL)", False),
    ("guard_isnull(NULL)", True),
    ("guard_isnull(p0)", False),
    ("guard_class(p0, ConstClass(node_vt))", True),
    ("guard_class(p0, ConstClass(base_vt))", False),
    ("guard_class(p0, 4711)", False),
    ("guard_subclass(p0, ConstClass(base_vt))", True),
    ("guard_subclass(p1, ConstClass(node_vt))", False),
    ("guard_nonnull_class(p1, ConstClass(base_vt))", True),
    ("guard_nonnull_class(p2, ConstClass(base_vt))", False),
    ("guard_nonnull_class(NULL, ConstClass(base_vt))", False),
    ("guard_is_object(p0)", True),
    ("guard_is_object(p2)", False),
    ("guard_value(p0, p0)", True),
    ("guard_value(p0, p1)", False),
    ("guard_value(p0, NULL)", False),
]


@pytest.mark.parametrize(("guard", "passes"), GUARDS, ids=[guard for guard, _ in GUARDS])
def test_guards_on_references(guard: str, passes: bool) -> None:
    expected = Finished(()) if passes else GuardFailed(0, (Ref("p0"), None))
    assert run_on(f"{guard} [p0, None]\nfinish()", HEAP).outcome == expected


def test_a_class_may_be_named_by_a_number() -> None:
    numbered = '+++\n[struct.Box]\nvtable = "4711"\n+++\n'
    assert run_on("guard_class(p0, 4711) []\nfinish()", "p0 = Box()", None, numbered).outcome == Finished(())
    undeclared = "p9 = new_with_vtable(descr=T)\nguard_class(p9, ConstClass(T)) []\nfinish()"
    assert run_on(undeclared, declarations="").outcome == Finished(())


def test_an_alias_shows_what_is_stored() -> None:
    body = "setfield_gc(p0, 9, descr=Node.value)\ni9 = getfield_gc_i(p1, descr=Node.value)\nfinish(i9)"
    assert run_on(body, "p0 = Node(value=5)\np1 = p0").outcome == Finished((9,))
    assert run_on(body, "p0 = Node(value=5)\np1 = Node(value=5)").outcome == Finished((5,))


def test_a_constant_may_be_an_input() -> None:
    body = "setfield_gc(ConstPtr(a), 9, descr=Node.value)\ni9 = getfield_gc_i(p0, descr=Node.value)\nfinish(i9)"
    assert run_on(body, "ConstPtr(a) = Node()\np0 = ConstPtr(a)").outcome == Finished((9,))


def test_known_constants_are_what_is_declared() -> None:
    known = DECLARATIONS.replace(
        "[descr]",
        '[const.a]\nstruct = "Node"\nfields = { fixed = 6 }\n[const.b]\nsame_as = "a"\n'
        '[const.c]\narray = "Chars"\nlength = 4\n[descr]',
    )
    body = """i8 = getfield_gc_i(ConstPtr(b), descr=Base.fixed)
i9 = arraylen_gc(ConstPtr(c), descr=Chars)
i10 = ptr_eq(ConstPtr(a), ConstPtr(b))
finish(i8, i9, i10)"""
    assert run_on(body, declarations=known).outcome == Finished((6, 4, 1))


def test_cycles() -> None:
    body = """p8 = new(descr=Node)
setfield_gc(p8, p8, descr=Node.next)
p9 = getfield_gc_r(p8, descr=Node.next)
setfield_gc(p0, p9, descr=Node.next)
finish()"""
    assert left(run_on(body, "p0 = Node()")) == "new0 = Node(next=new0)\np0 = Node(next=new0)\n"


def test_garbage_is_not_visible_and_what_existed_before_always_is() -> None:
    body = "p8 = new(descr=Node)\nsetfield_gc(p0, NULL, descr=Node.next)\nfinish()"
    assert left(run_on(body, "p0 = Node(next=q)\nq = Other(value=3)")) == "p0 = Node(next=NULL)\nq = Other(value=3)\n"


def test_an_exit_block_runs_where_its_guard_fails() -> None:
    body = """p8 = new(descr=Node)
guard_nonnull(p1) [p9, p8] {
    p9 = new_array_clear(2, descr=Refs)
    setarrayitem_gc(p9, 1, p8, descr=Refs)
    setfield_gc(p0, i0, descr=Node.value)
}
finish(p0)"""
    passed = run_on(body, "p0 = Node()\np1 = Node()")
    assert (passed.outcome, left(passed)) == (Finished((Ref("p0"),)), "p0 = Node()\np1 = Node()\n")
    failed = run_on(body, "p0 = Node()")
    assert failed.outcome == GuardFailed(0, (Ref("new1", True), Ref("new0", True)))
    assert left(failed) == "new0 = Node()\nnew1 = Refs[1: new0]\np0 = Node(value=7)\n"


def test_an_exit_block_may_be_undefined() -> None:
    body = "guard_nonnull(p1) [] {\n    i9 = int_neg(i0)\n    setfield_gc(p1, 5, descr=Node.value)\n}\nfinish()"
    assert run_on(body).outcome == Undefined(2, NOT_OF_TYPE)


def test_leaving_at_a_guard_that_holds() -> None:
    program = Program(parse(f"{DECLARATIONS}[p0]\nguard_nonnull(p0) [p0]\nfinish()"))
    heap = parse_heap("p0 = Node()", program.layout)
    assert program.run([Ref("p0")], heap=heap, leave_at=0).outcome == GuardFailed(0, (Ref("p0"),))


def test_a_run_does_not_change_the_heap_that_it_is_given() -> None:
    program = Program(parse(f"{DECLARATIONS}[p0]\nsetfield_gc(p0, 1, descr=Node.value)\nfinish(ConstPtr(a))"))
    heap = parse_heap("p0 = Node()", program.layout)
    program.run([Ref("p0")], heap=heap)
    assert heap == parse_heap("p0 = Node()", program.layout)
    program.prepare(heap)
    assert format_heap(heap) == "p0 = Node()\nConstPtr(a) = object()\n"


def test_a_copy_is_a_heap_of_its_own() -> None:
    layout = Program(parse(f"{DECLARATIONS}[]")).layout
    heap = parse_heap("p0 = Node()\np1 = p0", layout)
    value, fixed = layout.field("Node.value"), layout.field("Base.fixed")
    heap.get(Ref("p0"), fixed)
    fresh = heap.new_struct(layout.struct("Node"))
    heap.reveal([fresh])
    copy = heap.copy()
    assert copy == heap
    assert copy.named("p1") == Ref("p0")
    assert copy.is_settled(Ref("p0"), fixed)
    assert list(copy.seen) == [fresh]
    copy.put(Ref("p0"), value, None, 3)
    copy.get(fresh, fixed)
    assert copy != heap
    assert heap.get(Ref("p0"), value) == 0
    assert not heap.is_settled(fresh, fixed)
    assert copy.new_struct(layout.struct("Node")) == heap.new_struct(layout.struct("Node")) != fresh


# Events.


def test_an_event_sees_all_visible_memory_as_it_is() -> None:
    body = """p8 = new(descr=Node)
p9 = new(descr=Node)
setfield_gc(p8, 1, descr=Node.value)
i9 = escape_i(p8)
setfield_gc(p8, 2, descr=Node.value)
finish(p9)"""
    run = run_on(body, "p0 = Node()", World((5,)))
    (event,) = run.events
    assert event.args == (Ref("new0", True),)
    heap = Heap(visible_heap(run).layout)
    heap.objects = dict(event.objects)
    assert format_heap(heap) == "new0 = Node(value=1)\np0 = Node()\n"
    assert left(run) == "new0 = Node(value=2)\nnew1 = Node()\np0 = Node()\n"


def test_what_an_event_gives() -> None:
    body = "p8 = new(descr=Node)\nsetfield_gc(p0, p8, descr=Node.next)\np9 = escape_r()\nfinish(p9)"
    assert run_on(body, "p0 = Node()").outcome == Finished((NULL,))
    assert run_on(body, "p0 = Node()\nq = Node()", World((Ref("q"),))).outcome == Finished((Ref("q"),))
    assert run_on(body, "p0 = Node()", World((Seen(0),))).outcome == Finished((Ref("new0", True),))
    assert run_on(body, "p0 = Node()", World((), stops_at=0)).outcome == Stopped(0)
    assert run_on(body, "p0 = Node()", World((5,))).outcome == Finished((NULL,))


def test_an_event_writes_where_it_sees() -> None:
    body = "p8 = new(descr=Node)\np9 = new(descr=Node)\nescape_n(p8)\nescape_n(p9)\nfinish(p9)"
    writes = (
        Write(Ref("p0"), "Node.value", 3),
        Write(Seen(0), "Node.next", Ref("p0")),
        Write(Seen(1), "Node.value", 99),  # no event has seen it yet
        Write(Ref("p2"), "Chars", 8, index=1),
        Write(Ref("p2"), "Chars", 8, index=5),  # there is no such item
        Write(Ref("p3"), "Points.y", Seen(0), index=0),
        Write(Ref("p2"), "Node.value", 8),  # nor such a field
    )
    run = run_on(body, "p0 = Node()\np2 = Chars[1, 2]\np3 = Points[length=1]", World((), None, (writes,)))
    assert left(run) == (
        "new0 = Node(next=p0)\nnew1 = Node()\np0 = Node(value=3)\np2 = Chars[1, 8]\np3 = Points[(y=new0)]\n"
    )


def test_an_event_makes_visible_what_it_can_reach() -> None:
    body = """p8 = new(descr=Node)
p9 = new(descr=Base)
setfield_gc(p8, p9, descr=Node.next)
escape_n(p8)
setfield_gc(p8, NULL, descr=Node.next)
finish()"""
    assert left(run_on(body)) == "new0 = Node(next=NULL)\nnew1 = Base()\n"


# Limits.


def test_values_of_the_wrong_type_are_refused() -> None:
    program = Program(parse("[i0, p1]\nfinish()"))
    with pytest.raises(ValueError, match="the input p1 is of type ref, got 5"):
        program.run([0, 5])


def test_the_vocabulary_is_all_there_is() -> None:
    assert {"get", "put", "new_array", "vtable"} < set(HeapDomain.__abstractmethods__)
    assert not Heap.__abstractmethods__
