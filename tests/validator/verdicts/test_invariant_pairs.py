"""Loop-invariant calls of functions that are no constants."""

from __future__ import annotations

import pytest

from optimizer import optimize
from optimizer.ir.run.heap import Heap
from optimizer.ir.run.interpreter import Finished, World, run
from optimizer.ir.run.objects import Ref
from optimizer.ir.text import format_trace, parse
from optimizer.ir.text.heap_reader import parse_heap
from optimizer.ir.types.trace_layout import layout_of
from validator import Proved, Refuted, Unsupported, Verdict, validate

ONCE = "i3 = call_loopinvariant_i(i0, 1, descr=f)\n"
AGAIN = "i4 = call_loopinvariant_i(i0, 2, descr=f)\n"
OTHER = "i4 = call_loopinvariant_i(i1, 1, descr=f)\n"
FRONT = '+++\n[call.f]\nresult = "int"\nloop_invariant = true\n+++\n[i0, i1]\n'


def judged(before: str, after: str) -> Verdict:
    return validate(parse(FRONT + before), parse(FRONT + after))


def test_calls_of_one_function_are_one() -> None:
    assert isinstance(judged(f"{ONCE}{AGAIN}finish(i3, i4)", f"{ONCE}finish(i3, i3)"), Proved)
    assert isinstance(judged(f"{ONCE}finish(i3)", f"{ONCE.replace('i0', 'i1')}finish(i3)"), Refuted)
    assert isinstance(judged(f"{ONCE}{AGAIN}finish(i3, i4)", f"{ONCE}finish(i3, 0)"), Refuted)
    text = format_trace(optimize(parse(f"{FRONT}{ONCE}{AGAIN}finish(i3, i4)")))
    assert text.endswith(f"{ONCE}finish(i3, i3)\n")


@pytest.mark.parametrize("second", [OTHER, OTHER.replace("i1", "7"), OTHER.replace("i1", "ConstClass(g)")])
def test_where_two_functions_may_be_one_nothing_is_said(second: str) -> None:
    assert isinstance(judged(f"{ONCE}{second}finish(i3, i4)", f"{ONCE}{second}finish(i3, i4)"), Unsupported)


def test_functions_that_are_surely_two_are_two() -> None:
    both = "i2 = int_add(i0, 1)\n" + ONCE + OTHER.replace("i1", "i2") + "finish(i3, i4)"
    assert isinstance(judged(both, both), Proved)
    assert isinstance(judged(both, both.replace("i4)", "i3)")), Refuted)


@pytest.mark.parametrize(("other", "events"), [(5, 1), (6, 2)])
def test_runs_know_which_function_it_is(other: int, events: int) -> None:
    trace = parse(f"{FRONT}{ONCE}{OTHER}finish(i3, i4)")
    done = run(trace, [5, other], World((7, 8)), Heap(layout_of(trace)))
    assert done.outcome == Finished((7, 7 if events == 1 else 8))
    assert len(done.events) == events


def test_a_function_is_known_by_its_address_too() -> None:
    named = ONCE.replace("i0", "ConstClass(g)")
    lines = f"{named}i2 = same_as_i(ConstClass(g))\n{OTHER.replace('i1', 'i2')}"
    before, after = f"{lines}finish(i3, i4)", f"{named}finish(i3, i3)"
    assert isinstance(judged(before, after), Proved)
    for text in (before, after):
        trace = parse(FRONT + text)
        done = run(trace, [5, 6], World((7, 8)), Heap(layout_of(trace)))
        assert done.outcome == Finished((7, 7))
        assert len(done.events) == 1


def test_a_call_that_does_not_raise_raises_nothing_again() -> None:
    """Whatever is pending in front of it: the next call of the function sets what is pending to what the first one
    raised, which is nothing."""
    front = '+++\n[call.calm]\nresult = "int"\nloop_invariant = true\n[call.once]\nresult = "int"\n'
    front += "loop_invariant = true\ncan_raise = true\n+++\n[i0]\ncall_n(2, i0, descr=poke)\n"
    calm = f"{front}i1 = call_i(1, descr=calm)\n"
    again, end = "i2 = call_i(1, descr=once)\n", "guard_no_exception() [i0]\nfinish(i1)"
    recorded, without = parse(calm + again + end), parse(calm + end)
    assert isinstance(validate(recorded, without), Refuted)
    assert isinstance(validate(recorded, parse(f"{calm}{again}finish(i1)")), Proved)
    heap, world = parse_heap("error = Error()", layout_of(recorded)), World((0, 7), raises=(Ref("error"),))
    assert run(recorded, [3], world, heap).outcome == Finished((7,))
