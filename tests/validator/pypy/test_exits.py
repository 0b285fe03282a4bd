"""Memory at side exits of pairs of a log."""

from __future__ import annotations

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Options, Proved, Refuted, Verdict, validate
from validator.pypy.exits import Loop, prove_with_exits

COUNT = "<FieldS Counter.inst_count 8>"
NEXT = "<FieldP Node.inst_next 16>"
BEFORE = f"""
[p0, i1]
i2 = getfield_gc_i(p0, descr={COUNT})
guard_true(i1)
setfield_gc(p0, 5, descr={COUNT})
finish(i1)
"""
LIST = f"""
[p0, i1]
p2 = new(descr=<SizeDescr 24>)
setfield_gc(p0, p2, descr={NEXT})
i3 = int_lt(i1, 5)
guard_true(i3)
finish(p2)
"""


def judged(before: str, after: str) -> tuple[Verdict, Options]:
    def prove(one: Trace, other: Trace, options: Options, loop: Loop) -> Verdict:
        return validate(one, other, options, loop=loop)

    verdict, _, options = prove_with_exits(parse(before), parse(after), None, Options(), prove)
    return verdict, options


def test_a_store_is_not_done_ahead_of_a_guard() -> None:
    assert isinstance(judged(BEFORE, BEFORE)[0], Proved)
    guard, store = BEFORE.splitlines(keepends=True)[3:5]
    verdict, _ = judged(BEFORE, BEFORE.replace(guard + store, store + guard))
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.obligation == f"guard 0: heap {COUNT}"


def test_a_number_is_not_stored_late() -> None:
    late = BEFORE.replace("guard_true(i1)\n", "").replace("finish", "guard_true(i1)\nfinish")
    assert isinstance(judged(late, BEFORE)[0], Refuted)


def test_resume_data_may_store_an_object_that_is_made_later() -> None:
    lines = LIST.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[4:6], *lines[2:4], lines[6]])
    verdict, options = judged(LIST, late)
    assert isinstance(verdict, Proved)
    assert f"resume data stores {NEXT} at side exits" in verdict.evidence.assumes
    again = validate(parse(LIST), parse(late), options)
    assert isinstance(again, Proved)


def test_a_guard_that_fails_where_the_recorded_trace_goes_on_is_refuted() -> None:
    verdict, _ = judged(LIST, LIST.replace("int_lt(i1, 5)", "int_lt(i1, 4)"))
    assert isinstance(verdict, Refuted)


def test_what_else_differs_at_the_exit_is_not_resume_data() -> None:
    before = LIST.replace("guard_true(i3)\n", f"guard_true(i3)\nsetfield_gc(p0, 7, descr={COUNT})\n").replace(
        "[p0, i1]\n", f"[p0, i1]\ni9 = getfield_gc_i(p0, descr={COUNT})\n"
    )
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:3], *lines[5:7], *lines[3:5], *lines[7:]])
    assert isinstance(judged(before, late)[0], Proved)
    early = "".join([*lines[:3], lines[7], *lines[5:7], *lines[3:5], *lines[8:]])
    assert not isinstance(judged(before, early)[0], Proved)


def test_a_constant_that_is_stored_late_is_not_resume_data() -> None:
    before = LIST.replace("p2 = new(descr=<SizeDescr 24>)\n", "").replace("p2, descr", "ConstPtr(k1), descr")
    before = before.replace("finish(p2)", "finish(p0)")
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[3:5], lines[2], lines[5]])
    assert not isinstance(judged(before, late)[0], Proved)


def test_a_store_that_is_done_early_is_not_resume_data() -> None:
    """Resume data stores what was put off into the one object, and takes nothing back in the other one."""
    accessed = f"[p0, p1, i1]\ni8 = ptr_eq(p0, p1)\nguard_false(i8)\np9 = getfield_gc_r(p1, descr={NEXT})\n"
    before = LIST.replace("[p0, i1]\n", f"{accessed}p7 = getfield_gc_r(p0, descr={NEXT})\n")
    before = before.replace("finish", f"setfield_gc(p1, p0, descr={NEXT})\nfinish")
    lines = before.splitlines(keepends=True)
    new, guard, early = lines[6:8], lines[8:10], lines[10]
    late = "".join([*lines[:6], *guard, *new, *lines[10:]])
    assert isinstance(judged(before, late)[0], Proved)
    assert not isinstance(judged(before, "".join([*lines[:6], early, *guard, *new, lines[11]]))[0], Proved)


def test_what_is_loaded_of_a_store_that_is_put_off_was_made() -> None:
    before = LIST.replace("i3 =", f"p4 = getfield_gc_r(p0, descr={NEXT})\nsetfield_gc(p2, p4, descr={NEXT})\ni3 =")
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[6:8], *lines[2:4], f"setfield_gc(p2, p2, descr={NEXT})\n", lines[8]])
    assert isinstance(judged(before, late)[0], Proved)


def test_a_new_object_that_is_stored_early_is_not_resume_data() -> None:
    head = f"[p0, p1, i1]\ni8 = ptr_eq(p0, p1)\nguard_false(i8)\np9 = getfield_gc_r(p1, descr={NEXT})\n"
    head += f"p7 = getfield_gc_r(p0, descr={NEXT})\ni3 = int_lt(i1, 5)\n"
    one = f"p2 = new(descr=<SizeDescr 24>)\nsetfield_gc(p0, p2, descr={NEXT})\n"
    two = f"p4 = new(descr=<SizeDescr 24>)\nsetfield_gc(p1, p4, descr={NEXT})\n"
    before = f"{head}{one}guard_true(i3)\n{two}finish(i1)\n"
    assert isinstance(judged(before, f"{head}guard_true(i3)\n{one}{two}finish(i1)\n")[0], Proved)
    assert not isinstance(judged(before, f"{head}{two}guard_true(i3)\n{one}finish(i1)\n")[0], Proved)
