"""Fields of virtual references: of frames, which functions that force none of them do not look at."""

from __future__ import annotations

import pytest

from tests.pypy_logs import CALL, bridge, judged, recorded
from validator import Proved

TOP, BACK = "<FieldP Context.inst_top 8>", "<FieldP Frame.inst_back 16>"


def put_off(descr: str = CALL, field: str = TOP, made: str = "virtual_ref(p0, p2)") -> str:
    """A store of a virtual reference that is done behind a call, or never, since another one follows."""
    token, reference = "p2 = force_token()", f"p3 = {made}"
    store, call = f"setfield_gc(p1, p3, descr={field})", f"call_n(ConstClass(work), descr={descr})"
    again = f"setfield_gc(p1, ConstPtr(null), descr={field})"
    finish = ("virtual_ref_finish(p3, ConstPtr(null))",) if made.startswith("virtual_ref") else ()
    before = recorded("[p0, p1]", token, reference, store, call, again, *finish, "finish()")
    return before + bridge("[p0, p1]", *(f"+1: {line}" for line in (call, again, "finish()")))


def counted(descr: str = CALL) -> str:
    """A pair in which the optimizer takes that function to write where the reference is kept."""
    call, load = f"call_n(ConstClass(work), descr={descr})", f"p{{}} = getfield_gc_r(p0, descr={TOP})"
    lines = ("[p0]", load.format(1), call, load.format(2), "finish(p1, p2)")
    return recorded(*lines) + bridge(lines[0], *(f"+1: {line}" for line in lines[1:]))


@pytest.mark.parametrize("field", [TOP, BACK])
@pytest.mark.parametrize("effects", [2, 5])
def test_a_function_that_forces_nothing_does_not_look_at_it(effects: int, field: str) -> None:
    one, *_ = judged(put_off(descr := f"<Callv 0  EF={effects}>", field))
    assert isinstance(one.verdict, Proved)
    assert one.texts is not None
    assert f"call {descr}@work does not read {field}" in one.texts.assumes


@pytest.mark.parametrize("effects", [6, 7])
def test_one_that_may_force_frames_may(effects: int) -> None:
    one, *_ = judged(put_off(f"<Callv 0  EF={effects}>"))
    assert not isinstance(one.verdict, Proved)


@pytest.mark.parametrize("field", ["<ArrayP 8>", "<FieldP tuple1.item0 8>"])
def test_of_memory_that_holds_other_objects_too_it_is_not_said(field: str) -> None:
    one, *_ = judged(put_off(field=field).replace("(p1, p3, descr=<Array", "(p1, 0, p3, descr=<Array"))
    assert not isinstance(one.verdict, Proved)


def test_another_object_is_no_virtual_reference() -> None:
    one, *_ = judged(put_off(made="new_with_vtable(descr=<SizeDescr 24>)"))
    assert not isinstance(one.verdict, Proved)


def test_a_log_may_contradict_it() -> None:
    one, *_ = judged(put_off() + counted())
    assert not isinstance(one.verdict, Proved)


def test_the_contradiction_of_another_function_is_none() -> None:
    one, *_ = judged(put_off() + counted().replace("work", "other"))
    assert isinstance(one.verdict, Proved)
