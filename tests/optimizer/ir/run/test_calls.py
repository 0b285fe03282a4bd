"""What calls are, and how they run: events, functions, loop-invariant calls, exceptions, and what the world decides."""

from __future__ import annotations

import math

import pytest
from declared_calls import event, functions

from optimizer.ir.faults import Unsupported
from optimizer.ir.floats import Float
from optimizer.ir.rows.ops import Role
from optimizer.ir.run.functions import FINDS_OTHER
from optimizer.ir.run.interpreter import Finished, GuardFailed, Program, Run, Stopped, Undefined
from optimizer.ir.run.objects import NULL, Datum, Ref
from optimizer.ir.run.runs import Argument, Given, Seen, World
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.call_questions import is_event
from optimizer.ir.types.calls import call_of
from optimizer.ir.types.trace_layout import layout_of

DECLARATIONS = (
    """+++
[struct.Error]
[struct.KeyError]
parent = "Error"
[struct.Node]
fields = { value = "int" }
"""
    + functions("hash quiet find sqrt local once div raising_div", {"hash": (7, 70)})
    + event("poke", writes="Node.value", can_raise=True)
    + event("calm")
    + event("look", reads="Node.value", result="int", elidable=True)
    + "+++\n"
)
HEAP = "p0 = Node(value=5)\np1 = KeyError()"


def run(body: str, world: World | None = None, i2: int = 3, declarations: str = DECLARATIONS) -> Run:
    program = Program(parse(f"{declarations}[p0, p1, i2]\n{body}\n"))
    heap = parse_heap(HEAP, program.layout)
    return program.run([heap.named("p0") or NULL, heap.named("p1") or NULL, i2], world, heap=heap)


def follow(before: str, after: str, world: World | None = None, i2: int = 3) -> tuple[Run, Run]:
    """The first body, and the second one in the world of its run."""
    traces = [parse(f"{DECLARATIONS}[p0, p1, i2]\n{body}\n") for body in (before, after)]
    layout = layout_of(*traces)
    heap = parse_heap(HEAP, layout)
    inputs: list[Datum] = [heap.named("p0") or NULL, heap.named("p1") or NULL, i2]
    one = Program(traces[0], layout).run(inputs, world, heap=heap)
    return one, Program(traces[1], layout).run(inputs, one.world, heap=heap)


ERROR = Ref("p1")


# What a call is.

ROLES = [
    ("i3 = call_i(1, i2, descr=hash)", Role.FUNCTION),
    ("i3 = call_pure_i(1, i2, descr=hash)", Role.FUNCTION),
    ("i3 = call_may_force_i(1, i2, descr=hash)", Role.FUNCTION),
    ("i3 = call_i(1, i2, 2, descr=div)", Role.MEANING),
    ("i3 = call_i(1, i2, descr=div)", Role.FUNCTION),
    ("i3 = call_i(1, i2, 2, descr=raising_div)", Role.FUNCTION),
    ("f3 = call_f(1, 1.5, descr=sqrt)", Role.MEANING),
    ("f3 = call_f(1, i2, descr=sqrt)", Role.FUNCTION),
    ("i3 = call_i(1, 8, descr=local)", Role.FUNCTION),
    ("i3 = cond_call_value_i(i2, 1, 8, descr=local)", Role.EVENT),
    ("i3 = call_i(1, i2, descr=once)", Role.INVARIANT),
    ("call_n(1, i2, descr=poke)", Role.EVENT),
    ("i3 = call_i(1, i2, descr=unknown)", Role.EVENT),
    ("i3 = call_pure_i(1, i2, descr=unknown)", Role.FUNCTION),
    ("i3 = call_pure_i(1, i2)", Role.FUNCTION),
    ("i3 = call_pure_i(1, i2, descr=unknown)\ncall_n(1, descr=unknown)", Role.EVENT),
    ("i3 = call_pure_i(1, i2, descr=unknown)\nrecord_known_result(1, 1, i2, descr=unknown)", Role.FUNCTION),
    ("i3 = call_loopinvariant_i(1, descr=unknown)", Role.INVARIANT),
    ("cond_call(i2, 1, descr=poke)", Role.EVENT),
    ("i3 = cond_call_value_i(i2, 1, descr=hash)", Role.FUNCTION),
    ("escape_n(i2)", Role.EVENT),
    ("keepalive(p0)", Role.EVENT),
    ("record_known_result(3, 1, i2, descr=hash)", Role.RECORD),
]


@pytest.mark.parametrize(("body", "role"), ROLES)
def test_a_descr_says_what_a_call_is(body: str, role: Role) -> None:
    trace = parse(f"{DECLARATIONS}[p0, p1, i2]\n{body}\nfinish()\n")
    layout = layout_of(trace)
    call = call_of(trace.ops[0], layout)
    assert call is not None
    assert call.role is role
    assert is_event(trace.ops[0], layout) == (role in (Role.EVENT, Role.INVARIANT))
    assert parse(format_trace(trace)) == trace


def test_only_the_recorded_trace_says_what_an_undeclared_call_is() -> None:
    before = parse("[i0]\ni1 = call_pure_i(1, i0, descr=d)\nfinish(i1)")
    after = parse("[i0]\ni1 = call_i(1, i0, descr=d)\nfinish(i1)")
    assert not is_event(after.ops[0], layout_of(before, after))
    assert is_event(after.ops[0], layout_of(after, before))


@pytest.mark.parametrize(
    "calls", ["i3 = call_i(descr=once)", "i3 = call_i(1, descr=d)\nrecord_known_result(1, 2, 3, descr=d)"]
)
def test_what_is_no_known_call_is_unsupported(calls: str) -> None:
    with pytest.raises(Unsupported):
        run(f"{calls}\nfinish()")


# Functions.


def test_a_function_gives_the_same_again() -> None:
    body = "\n".join(f"i{n} = call_i(1, {arg}, descr=quiet)" for n, arg in ((3, "i2"), (4, 5), (5, "i2"), (6, 3)))
    done = run(f"{body}\nfinish(i3, i4, i5, i6)", World(functions=(Given(10), Given(20))))
    assert done.outcome == Finished((10, 20, 10, 10))
    assert done.events == ()
    assert [one.args for one in done.applied] == [(1, 3), (1, 5)]


def test_another_address_is_another_function() -> None:
    body = "i3 = call_i(1, i2, descr=quiet)\ni4 = call_i(2, i2, descr=quiet)\nfinish(i3, i4)"
    assert run(body, World(functions=(Given(10), Given(20)))).outcome == Finished((10, 20))


def test_the_optimized_trace_calls_what_has_been_called() -> None:
    before = "i3 = call_i(1, i2, descr=quiet)\nescape_n()\ni4 = call_i(1, 9, descr=quiet)\nfinish(i4)"
    world = World(functions=(Given(10), Given(20)))
    one, two = follow(before, "escape_n()\ni4 = call_i(1, 9, descr=quiet)\nfinish(i4)", world)
    assert one.outcome == two.outcome == Finished((20,))
    for wrong in (
        "i3 = call_i(1, 4, descr=quiet)\nfinish(i3)",
        "i4 = call_i(1, 9, descr=quiet)\nescape_n()\nfinish(i4)",
        "i3 = call_i(2, i2, descr=quiet)\nfinish(i3)",
    ):
        assert isinstance(follow(before, wrong, world)[1].outcome, Undefined)


def test_objects_of_the_run_are_told_apart_where_that_matters() -> None:
    new = "p3 = new(descr=Node)\n"
    call = "i4 = call_i(1, p3, descr=quiet)\n"
    world = World(functions=(Given(10), Given(20)))
    for before, after in (
        (f"{new}{call}escape_n(p3)\nfinish(i4)", f"{new}escape_n(p3)\n{call}finish(i4)"),
        (f"{new}escape_n(p3)\n{call}finish(i4)", f"{new}escape_n(p3)\n{call}finish(i4)"),
        (f"{new}{call}finish(i4)", f"p5 = new(descr=Node)\n{new}{call}finish(i4)"),
    ):
        one, two = follow(before, after, world)
        assert one.outcome == two.outcome == Finished((10,))
        assert not two.unclear
    twice = f"{new}{call}p5 = new(descr=Node)\ni6 = call_i(1, p5, descr=quiet)\nfinish(i4, i6)"
    one, two = follow(twice, twice, world)
    assert (one.unclear, two.unclear) == (False, True)


def test_a_function_gives_old_objects_and_those_that_an_event_has_seen() -> None:
    body = "p3 = new(descr=Node)\nescape_n(p3)\np4 = call_r(1, 1, descr=find)\np5 = call_r(1, 2, descr=find)\n"
    done = run(f"{body}finish(p4, p5)", World(functions=(Given(Seen(0)), Given(ERROR))))
    assert done.outcome == Finished((Ref("new0", True), ERROR))


def test_a_function_gives_back_what_it_is_given() -> None:
    new, call = "p3 = new(descr=Node)\n", "p4 = call_r(1, p3, descr=find)\n"
    end = "i5 = ptr_eq(p4, p3)\nfinish(i5)"
    world = World(functions=(Given(Argument(1)),))
    for before, after in (
        (f"{new}{call}{end}", f"{new}{call}{end}"),
        (f"{new}{call}escape_n(p3)\n{end}", f"p8 = new(descr=Node)\n{new}{call}escape_n(p3)\n{end}"),
        (f"{new}{call}escape_n(p3)\n{end}", f"{new}escape_n(p3)\n{call}{end}"),
    ):
        one, two = follow(before, after, world)
        assert one.outcome == two.outcome == Finished((1,))
        assert not two.unclear
    assert run("p4 = call_r(1, 5, descr=find)\nfinish(p4)", world).outcome == Finished((NULL,))
    assert run("p4 = escape_r()\nfinish(p4)", World((Argument(1),))).outcome == Finished((NULL,))


def test_known_results() -> None:
    body = "i3 = call_i(1, i2, descr=hash)\nguard_no_exception() []\nfinish(i3)"
    assert run(body, World(functions=(Given(1, ERROR),)), 7).outcome == Finished((70,))
    assert run(body, World(functions=(Given(1, ERROR),)), 6).outcome == GuardFailed(0, ())
    twice = f"i4 = call_i(1, i2, descr=quiet)\n{body}"
    assert isinstance(run(twice, World(functions=(Given(1),)), 7).outcome, Undefined)
    assert run(twice, World(functions=(Given(70),)), 7).outcome == Finished((70,))


def test_known_results_that_contradict_each_other() -> None:
    head = "[struct.Node]\nfields = { value = 'int' }\n[call.f]\nresult = 'int'\nelidable = true\n"
    results = "results = [ { args = ['a'], value = 1 }, { args = ['b'], value = 2 } ]\n"
    constants = "[const.a]\nstruct = 'Node'\n[const.b]\nstruct = 'Node'\n"
    declarations = "+++\n" + head + results + constants
    body = "i3 = call_i(1, ConstPtr(b), descr=f)\nfinish(i3)"
    assert run(body, declarations=declarations + "+++\n").outcome == Finished((2,))
    same = declarations + "same_as = 'a'\n+++\n"
    assert isinstance(run(body, declarations=same).outcome, Undefined)


def test_which_object_a_function_gives_is_not_known_before_it_is_seen() -> None:
    before = "p3 = new(descr=Node)\nrecord_known_result(p3, 1, 5, descr=find)\np4 = call_r(1, 5, descr=find)\n"
    assert follow(f"{before}finish(p4)", "p4 = call_r(1, 5, descr=find)\nfinish(p4)")[1].unclear
    assert follow(f"{before}escape_n(p4)\nfinish()", "p4 = call_r(1, 5, descr=find)\nfinish()")[1].unclear
    assert not follow(f"escape_n(p0)\n{before}finish()", "escape_n(p0)\nfinish()")[1].unclear


def test_what_is_recorded_of_a_function() -> None:
    body = "record_known_result(i2, 1, 5, descr=quiet)\ni3 = call_i(1, 5, descr=quiet)\nfinish(i3)"
    assert run(body, World(functions=(Given(8),))).outcome == Finished((3,))
    late = "i3 = call_i(1, 5, descr=quiet)\nrecord_known_result(i2, 1, 5, descr=quiet)\nfinish(i3)"
    assert isinstance(run(late, World(functions=(Given(8),))).outcome, Undefined)
    assert run(late, World(functions=(Given(3),))).outcome == Finished((3,))
    assert run("record_known_result(1, 1, i2, 2, descr=div)\nfinish()").outcome == Finished(())
    assert isinstance(run("record_known_result(2, 1, i2, 2, descr=div)\nfinish()").outcome, Undefined)
    assert isinstance(follow(body, "i3 = call_i(1, 5, descr=quiet)\nfinish(i3)")[1].outcome, Finished)
    assert isinstance(follow("finish()", "record_known_result(0, 1, 5, descr=quiet)\nfinish()")[1].outcome, Undefined)


def test_a_known_meaning() -> None:
    body = "i3 = call_i(1, i2, -2, descr=div)\nfinish(i3)"
    assert run(body).outcome == Finished((-2,))
    assert isinstance(run("i3 = call_i(1, i2, 0, descr=div)\nfinish(i3)").outcome, Undefined)


def test_roots() -> None:
    body = "f3 = call_f(1, {}, descr=sqrt)\nfinish(f3)"
    roots = {"2.25": 1.5, "-0.0": -0.0, "inf": math.inf, "-1.0": math.nan, "nan": math.nan, "2.0": 1.4142135623730951}
    for text, root in roots.items():
        assert run(body.format(text)).outcome == Finished((Float.of(root),))


def test_what_belongs_to_the_thread_may_change_at_events_that_may_write_everything() -> None:
    body = "i3 = call_i(1, 8, descr=local)\n{}\ni4 = call_i(1, 8, descr=local)\nfinish(i3, i4)"
    world = World((0,), functions=(Given(5), Given(6)))
    assert run(body.format("call_n(1, descr=poke)"), world).outcome == Finished((5, 5))
    assert run(body.format("keepalive(p0)"), world).outcome == Finished((5, 5))
    assert run(body.format("escape_n()"), world).outcome == Finished((5, 6))
    before, after = follow(body.format("escape_n()"), "escape_n()\ni4 = call_i(1, 8, descr=local)\nfinish(i4, i4)")
    assert after.outcome == Finished((before.outcome.args[1],) * 2)  # type: ignore[union-attr]


def test_conditional_calls() -> None:
    body = "cond_call(i2, 1, p0, descr=poke)\nfinish()"
    assert run(body, i2=0).events == ()
    assert [(event.name, event.args) for event in run(body, i2=2).events] == [("call_n", (1, Ref("p0")))]
    value = "i3 = cond_call_value_i(i2, 1, 5, descr=quiet)\nfinish(i3)"
    assert run(value, World(functions=(Given(9),)), 0).outcome == Finished((9,))
    assert run(value, World(functions=(Given(9),)), 4).outcome == Finished((4,))
    ref = "p3 = cond_call_value_r(p0, 1, 5, descr=find)\nfinish(p3)"
    assert run(ref, World(functions=(Given(ERROR),))).outcome == Finished((Ref("p0"),))
    assert run(ref.replace("(p0", "(NULL"), World(functions=(Given(ERROR),))).outcome == Finished((ERROR,))


def test_the_first_call_is_the_only_one_if_it_is_loop_invariant() -> None:
    body = "i3 = call_i(1, i2, descr=once)\nguard_no_exception() []\ni4 = call_i(1, 9, descr=once)\n"
    done = run(f"{body}i5 = call_loopinvariant_i(2, descr=once)\nfinish(i3, i4, i5)", World((10, 20)))
    assert done.outcome == Finished((10, 10, 20))
    assert [event.args for event in done.events] == [(1, 3), (2,)]
    raising = run(f"{body}finish()", World((10,), raises=(ERROR,)))
    assert raising.outcome == GuardFailed(0, ())
    assert raising.pending == ERROR
    types = "i3 = call_loopinvariant_i(1, descr=unknown)\np4 = call_loopinvariant_r(1, descr=unknown)\nfinish(i3, p4)"
    assert run(types, World((10, ERROR))).outcome == Finished((10, ERROR))
    again = "i3 = call_i(1, i2, descr=once)\ncall_n(1, descr=poke)\ni4 = call_i(1, 9, descr=once)\nfinish()"
    assert run(again, World((10,), raises=(ERROR, NULL))).pending == ERROR
    assert run(again, World((10,), raises=(NULL, ERROR))).pending == NULL
    assert run(again, World(stops_at=0)).outcome == Stopped(0)


# Exceptions.


@pytest.mark.parametrize("call", ["call_n(1, descr=poke)", "call_n(1)", "escape_n()", "i3 = call_i(1, descr=once)"])
def test_events_that_can_raise(call: str) -> None:
    body = f"{call}\nguard_no_exception() [i2]\nfinish()"
    assert run(body).outcome == Finished(())
    done = run(body, World(raises=(ERROR,)))
    assert (done.outcome, done.pending) == (GuardFailed(0, (3,)), ERROR)


def test_what_cannot_raise_leaves_the_exception() -> None:
    world = World(raises=(ERROR, ERROR))
    assert run("call_n(1, descr=calm)\nguard_no_exception() []\nfinish()", world).outcome == Finished(())
    assert run("call_n(1, descr=poke)\ncall_n(1, descr=calm)\nfinish()", world).pending == ERROR
    assert run("call_n(1, descr=poke)\nkeepalive(p0)\nfinish()", world).pending == ERROR
    assert run("call_n(1, descr=poke)\ncall_n(1, descr=poke)\nfinish()", World(raises=(ERROR,))).pending == NULL


def test_functions_raise_the_same_again() -> None:
    call = "i{} = call_i(1, i2, descr=hash)\n"
    body = f"{call.format(3)}p4 = guard_exception(ConstClass(KeyError)) []\n{call.format(5)}finish(p4)"
    done = run(body, World(functions=(Given(0, ERROR),)))
    assert (done.outcome, done.pending) == (Finished((ERROR,)), ERROR)


def test_guard_exception_takes_an_exception_of_exactly_that_class() -> None:
    body = "call_n(1, descr=poke)\np3 = guard_exception(ConstClass({})) [i2]\nguard_no_exception() []\nfinish(p3)"
    world = World(raises=(ERROR,))
    assert run(body.format("KeyError"), world).outcome == Finished((ERROR,))
    assert run(body.format("Error"), world).outcome == GuardFailed(0, (3,))
    assert run(body.format("Error"), world).pending == ERROR
    assert run(body.format("KeyError")).outcome == GuardFailed(0, (3,))


def test_saving_and_restoring() -> None:
    save = "call_n(1, descr=poke)\ni3 = save_exc_class()\np4 = save_exception()\nguard_no_exception() []\n"
    body = f"{save}restore_exception(i3, p4)\nfinish(p4)"
    done = run(body, World(raises=(ERROR,)))
    assert (done.outcome, done.pending) == (Finished((ERROR,)), ERROR)
    assert (run(body).outcome, run(body).pending) == (Finished((NULL,)), NULL)
    wrong = run(f"{save}restore_exception(0, p4)\nfinish()", World(raises=(ERROR,)))
    assert isinstance(wrong.outcome, Undefined)
    named = run(f"{save}guard_value(i3, ConstClass(KeyError)) []\nfinish()", World(raises=(ERROR,)))
    assert named.outcome == Finished(())


def test_an_exception_may_be_pending_at_the_start() -> None:
    body = "p3 = guard_exception(ConstClass(KeyError)) []\nfinish(p3)"
    assert run(body, World(pending=ERROR)).outcome == Finished((ERROR,))
    assert run(body).outcome == GuardFailed(0, ())


# What the world decides.


@pytest.mark.parametrize("guard", ["guard_not_forced()", "guard_not_forced_2()"])
def test_a_forced_frame(guard: str) -> None:
    body = f"call_may_force_n(1)\n{guard} [i2]\ncall_may_force_n(1)\n{guard} []\nfinish()"
    assert run(body).outcome == Finished(())
    assert run(body, World(forced=frozenset({1}))).outcome == GuardFailed(0, (3,))
    assert run(body, World(forced=frozenset({2}))).outcome == GuardFailed(1, ())
    assert run(body, World(forced=frozenset({0}))).outcome == Finished(())


def test_a_future_condition() -> None:
    body = "escape_n()\nguard_future_condition() []\nfinish()"
    assert run(body).outcome == Finished(())
    assert run(body, World(false_conditions=frozenset({1}))).outcome == GuardFailed(0, ())


def test_a_function_does_not_find_what_it_finds_behind_a_later_event() -> None:
    looks, store = "i{} = call_i(1, p0, descr=look)\n", "setfield_gc(p0, 6, descr=Node.value)\n"
    before = f"{looks.format(3)}{store}call_n(1, descr=calm)\n{looks.format(4)}finish(i4)"
    _, early = follow(before, f"{store}{looks.format(4)}call_n(1, descr=calm)\nfinish(i4)")
    assert isinstance(early.outcome, Undefined)
    assert FINDS_OTHER in str(early.outcome)
    _, behind = follow(before, f"{store}call_n(1, descr=calm)\n{looks.format(4)}finish(i4)")
    assert isinstance(behind.outcome, Finished)
