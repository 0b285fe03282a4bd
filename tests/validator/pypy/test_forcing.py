"""Calls that force virtual references: behind `virtual_ref_finish` they do nothing, and PyPy leaves them out."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, COUNT, judged_bridge
from validator import Proved
from validator.pypy.printed.calls.functions import FORCED

TOP = "<FieldP Context.inst_top 8>"
FORCE = "p5 = call_may_force_r(ConstClass(force_virtual), {}, descr=<Callr 8 r EF=6 OS=120>)"
GUARDS = ("guard_not_forced()", "guard_no_exception()")
FINISH = "virtual_ref_finish(p2, p1)"
REFERENCE = ("p1 = getfield_gc_r(p0, descr=<FieldP Box.inst_frame 16>)", "p2 = virtual_ref(p1, p0)")
USED = f"setfield_gc(p5, 7, descr={COUNT})"
MADE = (
    REFERENCE[0],
    "p2 = new_with_vtable(descr=<SizeDescr 24>)",
    "setfield_gc(p2, p1, descr=<FieldP JitVirtualRef.forced 16>)",
    "setfield_gc(p2, ConstPtr(null), descr=<FieldP JitVirtualRef.virtual_token 8>)",
)
HELD, LOADED = f"setfield_gc(p0, p2, descr={TOP})", f"p4 = getfield_gc_r(p0, descr={TOP})"


def is_proved(
    *between: str, finish: str = FINISH, forced: str = "p2", used: str = "p1", kept: tuple[str, ...] = ()
) -> bool:
    """Is it, where the optimizer has left the call out, behind these operations, and stores to that object?"""
    before = (*REFERENCE, *between, finish, FORCE.format(forced), *GUARDS, USED)
    after = (*MADE, *between, *kept, USED.replace("p5", used))
    return isinstance(judged_bridge(before, after).verdict, Proved)


def test_a_finished_reference_is_the_object() -> None:
    assert is_proved()
    assert not is_proved(used="p0")


def test_one_that_is_loaded_again_is_the_same() -> None:
    assert is_proved(HELD, LOADED, forced="p4")


@pytest.mark.parametrize(
    "between",
    [
        f"setfield_gc(p1, p0, descr={TOP})",
        f"call_n(ConstClass(work), p0, descr={CALL})",
    ],
    ids=["a store to what may be the same object", "a call"],
)
def test_what_may_have_changed_is_another_one(between: str) -> None:
    assert not is_proved(HELD, between, LOADED, forced="p4")


def test_one_that_is_not_finished_is_forced() -> None:
    assert not is_proved(finish="virtual_ref_finish(p2, ConstPtr(null))")
    assert not is_proved(forced="p0")


def test_a_call_that_is_left_is_one() -> None:
    kept = (FORCE.format("p2"), *(f"{guard[:-1]}descr=<Guard0x1>) [p0]" for guard in GUARDS))
    assert is_proved(kept=kept, used="p5")


FRAME = "<FieldS pypy.interpreter.pyframe.PyFrame.inst_last_instr 40>"


@pytest.mark.parametrize(("field", "is_inferred"), [(COUNT, False), (FRAME, True)])
def test_to_force_a_reference_writes_frames_alone(field: str, *, is_inferred: bool) -> None:
    load, store = f"i{{}} = getfield_gc_i(p0, descr={field})", "setfield_gc(p1, i{}, descr=<FieldS Box.inst_sum 24>)"
    force = [FORCE.format("p1").replace("force_virtual", "_ll_1_jit_force_virtual__objectPtr")]
    loads = ["p1 = getfield_gc_r(p0, descr=<FieldP Box.inst_frame 16>)", load.format(7)]
    left = [f"{guard[:-1]}descr=<Guard0x{at}>) [p0]" for at, guard in enumerate(GUARDS)]
    before = (*loads, *force, *GUARDS, load.format(8), store.format(8))
    bridge = judged_bridge(before, (*loads, *force, *left, store.format(7)))
    assert isinstance(bridge.verdict, Proved), bridge.verdict
    assert bridge.texts is not None
    assert FORCED in bridge.texts.assumes
    assert any(what.endswith(f"does not write {field}") for what in bridge.texts.assumes) is is_inferred
    elsewhere = judged_bridge(before, (*loads, *force, *left, load.format(8).replace("p0", "p1"), store.format(8)))
    assert not isinstance(elsewhere.verdict, Proved)
