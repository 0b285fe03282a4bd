"""What events see, and what they may and may not change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reference_heap import DECLARATIONS
from runs_compared import compare_runs

from optimizer.ir.addresses import address_of
from optimizer.ir.faults import InputError
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.heap_comparison import Mismatch, visible_heap
from optimizer.ir.run.interpreter import Finished, GuardFailed, Program, Run, Stopped
from optimizer.ir.run.objects import NULL, Ref
from optimizer.ir.run.runs import EventSeen, Seen, World, Write
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_printer import format_heap
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.trace import Trace
from optimizer.ir.types.call_questions import effects_at
from optimizer.ir.types.calls import EVERYTHING, Effects
from optimizer.ir.types.memory_names import memory_named
from optimizer.ir.types.trace_layout import layout_of

HEAP = "p0 = Node(value=5, next=p1)\np1 = Base(left=p0)\np2 = Words[1, 2, 3]\np3 = Points[(x=1, y=p0), (z=-5)]"
REFS = ("p0", "p1", "p2", "p3")


def trace_of(body: str, declarations: str = DECLARATIONS) -> Trace:
    return parse(f"{declarations}[p0, p1, p2, p3]\n{body}\n")


def run_on(body: str, world: World | None = None, declarations: str = DECLARATIONS) -> Run:
    program = Program(trace_of(body, declarations))
    state = parse_heap(HEAP, program.layout)
    return program.run([state.named(name) or NULL for name in REFS], world, heap=state)


def both(before: str, after: str, *writes: Write) -> tuple[Run, Run]:
    """The first body, and the second one in the world of its run, in which event 0 writes."""
    traces = [trace_of(body) for body in (before, after)]
    layout = layout_of(*traces)
    state = parse_heap(HEAP, layout)
    refs = [state.named(name) or NULL for name in REFS]
    one = Program(traces[0], layout).run(refs, World(writes=(writes,)), heap=state)
    return one, Program(traces[1], layout).run(refs, one.world, heap=state)


def seen(event: EventSeen, run: Run) -> str:
    assert run.heap is not None
    heap = Heap(run.heap.layout)
    heap.objects = dict(event.objects)
    return format_heap(heap)


# What is written.

ANY, POKE, PEEK = "escape_n()", "call_n(1, descr=poke)", "i9 = call_i(1, descr=peek)"
READ = "i5 = getfield_gc_i(p0, descr=Base.fixed)\n"
RELY = "quasiimmut_field(p0, descr=Node.version)\nguard_not_invalidated() []\n"
SET = Write(Ref("p0"), "Base.fixed", 9)
RENEW = Write(Ref("p0"), "Node.version", 9)

DONE = [
    (ANY, Write(Ref("p0"), "Node.value", 9)),
    (ANY, Write(Ref("p0"), "valuedescr", 9)),
    (ANY, Write(Ref("p0"), "Node.tag", 255)),
    (ANY, Write(Ref("p0"), "Node.next", Ref("p2"))),
    (ANY, Write(Ref("p3"), "Points.y", NULL, 0)),
    (ANY, RENEW),
    (f"setfield_gc(p1, 1, descr=u)\n{ANY}", Write(Ref("p0"), "u", 9)),
    (f"setarrayitem_gc(p2, 1, 1, descr=a)\n{ANY}", Write(Ref("p2"), "a", 9, 1)),
    (f"setinteriorfield_gc(p2, 1, 1, descr=a)\n{ANY}", Write(Ref("p2"), "a", 9, 1)),
    (f"p8 = new(descr=Node)\nescape_n(p8)\n{ANY}", Write(Ref("p0"), "Node.next", Seen(0))),
    (f"p8 = new(descr=Node)\nescape_n(p8)\n{ANY}", Write(Seen(0), "Node.value", 9)),
    (POKE, SET),
    (POKE, Write(Ref("p2"), "Words", 9, 0)),
    (f"{READ}{POKE}", Write(Ref("p1"), "Base.fixed", 9)),
    (f"i5 = getarrayitem_gc_i(p2, 1, descr=Words)\n{POKE}", Write(Ref("p2"), "Words", 9, 0)),
    (PEEK, Write(Ref("p0"), "Node.next", NULL)),
    (POKE, RENEW),
    (f"guard_not_invalidated() []\n{POKE}", RENEW),
    (f"quasiimmut_field(p0, descr=Node.value)\n{POKE}", RENEW),
    (f"{RELY}{POKE}", Write(Ref("p0"), "Base.tag", 9)),
]


def in_world(body: str, write: Write) -> tuple[Run, World]:
    """The run in which the last event writes that."""
    events = sum(
        line.partition(" = ")[2].startswith("call") or line[:4] in ("call", "esca") for line in body.split("\n")
    )
    world = World(writes=((),) * (events - 1) + ((write,),))
    return run_on(f"{body}\nfinish()", world), world


@pytest.mark.parametrize(("body", "write"), DONE)
def test_what_events_may_write(body: str, write: Write) -> None:
    run, world = in_world(body, write)
    assert run.outcome == Finished(())
    assert left(run) != left(run_on(f"{body}\nfinish()"))
    assert run.world == world


def left(run: Run) -> str:
    return format_heap(visible_heap(run))


NOT_DONE = [
    (ANY, Write(Ref("q"), "Node.value", 9)),
    (ANY, Write(NULL, "Node.value", 9)),
    (ANY, Write(Ref("p0"), "Node.next", Ref("q"))),
    (ANY, Write(Seen(0), "Node.value", 9)),
    (ANY, Write(Ref("p0"), "Node.next", Seen(0))),
    (f"p8 = new(descr=Node)\n{ANY}", Write(Seen(0), "Node.value", 9)),
    (f"p8 = new(descr=Node)\n{ANY}", Write(Ref("new0", True), "Node.value", 9)),
    (f"p8 = new(descr=Node)\n{ANY}", Write(Ref("p0"), "Node.next", Ref("new0", True))),
    (f"p8 = new(descr=Node)\nsetfield_gc(p0, p8, descr=Node.next)\n{POKE}", Write(Seen(0), "Base.tag", 9)),
    (ANY, Write(Ref("p1"), "Node.value", 9)),
    (ANY, Write(Ref("p1"), "Node.tag", 9)),
    (ANY, Write(Ref("p3"), "Node.value", 9)),
    (ANY, Write(Ref("p2"), "Chars", 9, 0)),
    (ANY, Write(Ref("p3"), "Points.x", 9, 2)),
    (ANY, Write(Ref("p3"), "Points.x", 9, -1)),
    (ANY, Write(Ref("p3"), "Points.x", 9)),
    (ANY, Write(Ref("p0"), "Node.value", 9, 0)),
    (ANY, Write(Ref("p0"), "Node", 9)),
    (ANY, Write(Ref("p3"), "Points", 9, 0)),
    (ANY, Write(Ref("p0"), "peek", 9)),
    (ANY, Write(Ref("p0"), "u", 9)),
    (f"setfield_gc(p1, 1, descr=u)\n{ANY}", Write(Ref("p2"), "u", 9, 0)),
    (ANY, Write(Ref("p0"), "Node.value", NULL)),
    (ANY, Write(Ref("p0"), "Node.next", 9)),
    (ANY, Write(Ref("p0"), "Node.tag", 256)),
    (ANY, Write(Ref("p3"), "Points.z", -129, 0)),
    (ANY, SET),
    (ANY, Write(Ref("p2"), "Words", 9, 0)),
    (POKE, Write(Ref("p0"), "Node.value", 9)),
    (PEEK, Write(Ref("p0"), "Node.value", 9)),
    ("call_n(1, descr=unheard_of)", SET),
    ("escape_n(descr=poke)", SET),
]


@pytest.mark.parametrize(("body", "write"), NOT_DONE)
def test_what_no_event_may_write(body: str, write: Write) -> None:
    run, world = in_world(body, write)
    assert run.outcome == Finished(())
    assert left(run) == left(run_on(f"{body}\nfinish()"))
    assert run.world == world  # another run does not do it either


KEPT = [
    (f"{READ}{POKE}", SET),
    (f"{READ}{ANY}\n{POKE}", SET),
    ("p8 = new(descr=Node)\ni5 = getfield_gc_i(p8, descr=Base.fixed)\ncall_n(p8, descr=poke)",
     Write(Seen(0), "Base.fixed", 9)),
    (f"i5 = getarrayitem_gc_i(p2, 1, descr=Words)\n{POKE}", Write(Ref("p2"), "Words", 9, 1)),
    (f"{RELY}{POKE}", RENEW),
    (f"{RELY}{PEEK}\n{POKE}", RENEW),
    (f"guard_not_invalidated() []\n{RELY}{POKE}", RENEW),
    (f"quasiimmut_field(p0, descr=Node.next)\nguard_not_invalidated() []\n{PEEK}", Write(Ref("p0"), "Node.next", NULL)),
    (f"{ANY}\n{RELY}{POKE}", RENEW),
    (f"quasiimmut_field(p0, descr=Node.version)\n{POKE}", RENEW),
    (f"guard_not_invalidated() []\nquasiimmut_field(p0, descr=Node.version)\n{POKE}", RENEW),
    (f"{RELY}{ANY}", RENEW),
    (f"{RELY}call_n(2, descr=flush)\n{POKE}", RENEW),
    (f"{RELY}call_n(2, descr=flush)\nguard_not_invalidated() []\n{POKE}", RENEW),
]  # fmt: skip


def test_events_change_what_is_watched_where_they_invalidate_the_code_or_others_have() -> None:
    body = f"{RELY}{ANY}\ncall_n(2, descr=flush)\n{ANY}\ni9 = getfield_gc_i(p0, descr=Node.version)\nfinish(i9)"
    for event in range(3):
        writes = tuple((RENEW,) if number == event else () for number in range(3))
        for at in range(1, 4):
            run = run_on(body, World(writes=writes, invalid=frozenset({at})))
            assert run.outcome == Finished((9 if event + 1 >= at else 0,))


@pytest.mark.parametrize(("body", "write"), KEPT)
def test_what_the_trace_keeps_events_from_writing(body: str, write: Write) -> None:
    run, world = in_world(body, write)
    assert run.outcome == Finished(())
    assert left(run) == left(run_on(f"{body}\nfinish()"))
    assert run.world.writes == (*world.writes[:-1], ())


def test_the_optimized_trace_runs_in_the_world_of_the_recorded_one() -> None:
    # What the recorded trace has read keeps its value, though the optimized one reads it no more.
    assert both(f"{READ}{POKE}\nfinish()", f"{POKE}\nfinish()", SET)[1].world.writes == ((),)
    assert compare_runs(*both(f"{READ}{POKE}\nfinish()", f"{POKE}\nfinish()", SET)) is None
    assert compare_runs(*both(f"{RELY}{POKE}\nfinish()", f"{POKE}\nfinish()", RENEW)) is None
    # And the other way round: an early load does not keep the event from writing.
    late = f"{POKE}\n{READ}finish(i5)"
    early = f"{READ}{POKE}\nfinish(i5)"
    assert compare_runs(*both(late, early, SET)) == Mismatch("argument 0", "9", "0")
    assert compare_runs(*both(f"{POKE}\nfinish()", f"{READ}{POKE}\nfinish()", SET)) is None


def test_events_behind_the_end_keep_their_writes() -> None:
    run = run_on(f"{READ}{POKE}\n{POKE}\nfinish()", World(stops_at=0, writes=((SET,), (SET,))))
    assert run.outcome == Stopped(0)
    assert run.world.writes == ((SET,), (SET,))


# What is seen.


def test_an_event_sees_what_it_may_read_or_write() -> None:
    run = run_on(f"{PEEK}\n{POKE}\nr9 = call_r(1, descr=look)\nfinish()")
    assert [seen(event, run) for event in run.events] == [
        "p0 = Node(value=5, next=p1)\np1 = Base()\np2 = Words[length=3]\np3 = Points[length=2]\n",
        "p0 = Node()\np1 = Base(left=p0)\np2 = Words[1, 2, 3]\np3 = Points[length=2]\n",
        "p0 = Node()\np1 = Base()\np2 = Words[length=3]\np3 = Points[(x=1, y=p0), (z=-5)]\n",
    ]


NEW = "p8 = new(descr=Node)\n"


def test_an_object_is_found_through_memory_that_the_event_sees() -> None:
    linked = f"{NEW}setfield_gc(p0, p8, descr=Node.next)\n"
    for call, names in ((PEEK, ["new0"]), (POKE, []), (ANY, ["new0"]), ("call_n(p8, descr=poke)", ["new0"])):
        run = run_on(f"{linked}{call}\nsetfield_gc(p0, NULL, descr=Node.next)\nfinish()")
        assert run.heap is not None
        assert [ref.name for ref in run.heap.seen] == names
        assert ("new0" in left(run)) == bool(names)


def test_what_has_been_seen_stays_visible_to_all_events() -> None:
    run = run_on(f"{NEW}escape_n(p8)\ncall_n(descr=poke)\nfinish()")
    assert "new0 = Node()\n" in seen(run.events[1], run)


def test_objects_have_numbers_in_the_order_of_their_discovery() -> None:
    hidden = "p5 = new(descr=Node)\np6 = new(descr=Other)\n"
    body = """p8 = new(descr=Node)
p9 = new(descr=Node)
setfield_gc(p8, p9, descr=Node.next)
p7 = new(descr=Base)
setfield_gc(p8, p7, descr=Base.left)
escape_n(p8)
finish()"""
    swapped = body.replace("p9 = new(descr=Node)\n", "").replace("p8 = ", "p9 = new(descr=Node)\np8 = ")
    for text in (body, hidden + body, swapped):
        heap = run_on(text).heap
        assert heap is not None
        assert [heap.objects[ref].type.name for ref in heap.seen] == ["Node", "Base", "Node"]


SAME_TO_THE_EVENT = [
    # Memory that the event does not see may be written before or behind it.
    ("setfield_gc(p0, 1, descr=Node.value)\n", POKE),
    ("setfield_gc(p0, 1, descr=Node.tag)\n", PEEK),
    ("setfield_gc(p0, NULL, descr=Node.next)\n", "r9 = call_r(1, descr=look)"),
    (f"{NEW}setfield_gc(p0, p8, descr=Node.next)\n", POKE),
]


@pytest.mark.parametrize(("store", "call"), SAME_TO_THE_EVENT)
def test_what_an_event_does_not_see_is_not_compared(store: str, call: str) -> None:
    assert compare_runs(*both(f"{store}{call}\nfinish()", f"{call}\n{store}finish()")) is None
    assert compare_runs(*both(f"{store}{ANY}\nfinish()", f"{ANY}\n{store}finish()")) is not None


def test_what_an_event_may_write_is_compared() -> None:
    store = "setfield_gc(p0, NULL, descr=Node.next)\n"
    found = compare_runs(*both(f"{store}{PEEK}\nfinish()", f"{PEEK}\n{store}finish()"))
    assert found == Mismatch("at event 0, p0.next", "NULL", "p1")


def test_classes_and_lengths_are_seen_by_every_event() -> None:
    call = "call_n(p8, descr=poke)\nfinish()"
    found = compare_runs(*both(f"{NEW}{call}", f"p8 = new(descr=Base)\n{call}"))
    assert found == Mismatch("at event 0, the class of argument 0", "Node", "Base")
    found = compare_runs(*both(*(f"p8 = new_array_clear({n}, descr=Chars)\n{call}" for n in (2, 3))))
    assert found == Mismatch("at event 0, the length of argument 0", "2", "3")


def test_unwritten_items_are_compared_only_where_they_are_seen() -> None:
    clear = "p8 = new_array_clear(2, descr=Chars)\n"
    late = "p8 = new_array(2, descr=Chars)\n"
    fill = "setarrayitem_gc(p8, 0, 0, descr=Chars)\nsetarrayitem_gc(p8, 1, 0, descr=Chars)\nfinish()"
    call = "call_n(p8, descr=poke)\n"
    assert compare_runs(*both(f"{clear}{call}finish()", f"{late}{call}{fill}")) is None
    escaped = compare_runs(*both(f"{clear}escape_n(p8)\nfinish()", f"{late}escape_n(p8)\n{fill}"))
    assert escaped == Mismatch("at event 0, argument 0[0]", "0", "not written")


# Whether the code is valid.


@pytest.mark.parametrize(
    ("body", "invalid", "outcome"),
    [
        ("guard_not_invalidated() []", set(), Finished(())),
        ("guard_not_invalidated() []", {0}, GuardFailed(0, ())),
        ("guard_not_invalidated() []", {1}, Finished(())),
        (f"{ANY}\nguard_not_invalidated() []", {1}, GuardFailed(0, ())),
        (f"{POKE}\nguard_not_invalidated() []", {1}, Finished(())),
        (f"{POKE}\n{ANY}\nguard_not_invalidated() []", {1}, GuardFailed(0, ())),
        ("call_n(1, descr=flush)\nguard_not_invalidated() []", {1}, GuardFailed(0, ())),
        ("call_n(1)\nguard_not_invalidated() []", {1}, GuardFailed(0, ())),
        (f"{ANY}\n{ANY}\nguard_not_invalidated() []", {1}, GuardFailed(0, ())),
        (f"{ANY}\n{ANY}\nguard_not_invalidated() []", {3}, Finished(())),
        (f"{ANY}\nguard_not_invalidated() []", {0}, GuardFailed(0, ())),
    ],
)
def test_the_code_becomes_invalid_at_events(body: str, invalid: set[int], outcome: Finished | GuardFailed) -> None:
    assert run_on(f"{body}\nfinish()", World(invalid=frozenset(invalid))).outcome == outcome


def test_numbers_of_types() -> None:
    world = World(gc_types=(("Node", 3), ("Words", 4)))
    for name, number in (("p0", 3), ("p1", 0), ("p2", 4), ("p3", 0)):
        for claimed in (0, 3, 4):
            run = run_on(f"guard_gc_type({name}, {claimed}) []\nfinish()", world)
            assert run.outcome == (Finished(()) if claimed == number else GuardFailed(0, ()))


def test_a_number_that_arrays_are_declared_to_have_is_no_other_ones() -> None:
    declared = DECLARATIONS.replace("[array.Words]", "[array.Words]\ngc_type = 4")
    world = World(gc_types=(("Node", 4), ("Words", 4), ("Points", 5)))
    for name, number, passes in (("p0", 4, False), ("p2", 4, True), ("p2", 5, False), ("p3", 5, True)):
        run = run_on(f"guard_gc_type({name}, {number}) []\nfinish()", world, declared)
        assert run.outcome == (Finished(()) if passes else GuardFailed(0, ()))


def test_a_copy_relies_on_the_same() -> None:
    layout = layout_of(trace_of("finish()"))
    heap = parse_heap(HEAP, layout)
    version, value = layout.field("Node.version"), layout.field("Node.value")
    heap.watch(Ref("p0"), version)
    copy = heap.copy()
    heap.watch(Ref("p0"), value)
    assert (copy.is_protected(Ref("p0"), version), copy.is_protected(Ref("p0"), value)) == (True, False)
    heap.valid = False
    assert (copy.valid, copy.is_protected(Ref("p0"), version)) == (True, True)
    assert not heap.is_protected(Ref("p0"), version)


# Declarations of calls.


def test_effects_are_what_is_declared() -> None:
    def effects(call: str) -> Effects:
        trace = trace_of(call)
        return effects_at(trace.ops[0], layout_of(trace))

    assert effects(PEEK) == Effects(
        frozenset({"Node.value"}), frozenset({"Node.next"}), can_invalidate=False, can_raise=False
    )
    assert effects("call_n(1, descr=flush)") == replace(EVERYTHING, can_raise=False)
    for free in ("call_n(1)", "call_n(1, descr=x)", ANY, "escape_n(descr=poke)"):
        assert effects(free) == EVERYTHING
    layout = layout_of(trace_of("finish()"))
    poke, flush = effects(POKE), effects("call_n(1, descr=flush)")
    fixed, value = layout.field("Base.fixed"), layout.field("Node.value")
    assert (poke.may_write(fixed), poke.may_see(fixed), poke.may_see(value)) == (True, True, False)
    assert (flush.may_write(fixed), flush.may_see(fixed), flush.may_write(value)) == (False, True, True)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("call_n(1, descr=Node)", "Node is a struct, and call_n takes a call"),
        ("call_n(1, descr=Node.value)", "Node.value is a field, and call_n takes a call"),
        ("call_n(1, descr=chars)", "chars is an array, and call_n takes a call"),
        ("call_n(1, descr=peek)", "peek is a call that gives int, and call_n gives void"),
        ("i5 = getfield_gc_i(p0, descr=peek)", "peek is a call, and getfield_gc_i takes a field"),
    ],
)
def test_descrs_of_calls_are_checked(call: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        trace_of(call)


# The addresses of functions.


def test_a_function_is_one_number_in_all_traces() -> None:
    body = "escape_n(ConstClass(f), ConstClass(g))\nguard_value(1, ConstClass(f)) [ConstClass(f)]\nfinish()"
    run, other = run_on(body), run_on(f"escape_n(ConstClass(g))\n{body}")
    f, g = run.events[0].args
    assert f != g
    assert other.events[1].args == (f, g)
    assert run.outcome == GuardFailed(0, (f,))
    assert f == address_of("f", 64)
    assert -8 <= address_of("f", 4) < 8


# Pairs of traces.


def test_declarations_of_one_trace_hold_for_the_other() -> None:
    bare = trace_of("i9 = getfield_gc_i(p0, descr=valuedescr)\nfinish(i9)", "")
    full = trace_of("finish(1)")
    for pair in ((bare, full), (full, bare)):
        layout = layout_of(*pair)
        heap = parse_heap(HEAP, layout)
        refs = [heap.named(name) or NULL for name in REFS]
        assert Program(bare, layout).run(refs, heap=heap).outcome == Finished((5,))


def test_declarations_must_be_the_same() -> None:
    one, other = '[struct.A]\n[struct.B]\nfields = { x = "int" }\n', '[struct.B]\nfields = { x = "int" }\n[struct.A]\n'
    traces = [trace_of("finish()", f"+++\n{text}+++\n") for text in (one, other, '[struct.A]\nvtable = "a"\n')]
    assert layout_of(*traces[:2]).struct("B").declared
    with pytest.raises(InputError, match="the traces have different declarations"):
        layout_of(traces[0], traces[2])


def test_uses_must_fit_the_declarations_of_the_other_trace() -> None:
    bare = trace_of("setfield_gc(p0, NULL, descr=Node.value)", "")
    with pytest.raises(InputError, match=r"Node\.value is declared to hold a machine int") as fault:
        layout_of(trace_of("finish()"), bare)
    assert fault.value.line == bare.ops[0].line


# Older traces.


def test_a_class_in_place_of_a_descr() -> None:
    trace = trace_of("p9 = new_with_vtable(ConstClass(node_vt))\np8 = new_with_vtable(ConstClass(free))\nfinish()")
    assert [operation.descr for operation in trace.ops[:2]] == ["Node", "free"]
    assert trace_of("p9 = new_with_vtable(140123)").ops[0].descr == "140123"
    assert "p9 = new_with_vtable(descr=Node)\n" in format_trace(trace)
    for wrong in (
        "new_with_vtable(ConstClass(Node))",
        "new_with_vtable(p0)",
        "new_with_vtable(ConstClass(x), descr=Node)",
    ):
        with pytest.raises(InputError, match="takes no arguments, got 1"):
            trace_of(f"p9 = {wrong}")


def test_everything_and_immutable_memory_by_its_name() -> None:
    text = DECLARATIONS.replace("[descr]", '[call.all]\nresult = "void"\nwrites = ["Words", "*"]\n[descr]')
    trace = trace_of("call_n(1, descr=all)", text)
    assert parse(format_trace(trace)) == trace
    layout = layout_of(trace)
    effects = effects_at(trace.ops[0], layout)
    words = memory_named(layout, "Words", has_index=True)
    assert words is not None
    assert effects.sees_everything
    assert [effects.may_write(slot) for slot in (words, layout.field("Node.value"), layout.field("Base.fixed"))] == [
        True,
        True,
        False,
    ]


def test_structs_and_arrays_are_named_with_all_that_is_in_them() -> None:
    layout = layout_of(trace_of("finish()"))
    assert layout.memory_keys(["Base", "chars"]) == {"Base.tag", "Base.left", "Base.fixed", "Chars[]"}
    assert layout.memory_keys(["Points", "valuedescr"]) == {"Points[].x", "Points[].y", "Points[].z", "Node.value"}
    assert layout.memory_keys(["Points", "*"]) is None
