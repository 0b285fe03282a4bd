"""Memory at side exits of pairs of a log."""

from __future__ import annotations

import pytest

from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Options, Proved, Refuted, Unknown, Verdict, validate
from validator.pypy.exits import Loop, prove_with_exits
from validator.verdict import Settled, Status

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


def judged(before: str, after: str, *, finds_runs: bool = True) -> tuple[Verdict, Options]:
    """The verdict, also where no run shows what differs."""

    def prove(one: Trace, other: Trace, options: Options, loop: Loop) -> Verdict:
        verdict = validate(one, other, options, loop=loop)
        if finds_runs or not isinstance(verdict, Refuted):
            return verdict
        unsettled = Settled(verdict.counterexample.obligation, Status.UNKNOWN, "", 0.0)
        return Unknown(replace(verdict.evidence, obligations=(unsettled,)), "not settled")

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
    assert isinstance(judged(LIST, late, finds_runs=False)[0], Proved)


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
    assert not isinstance(judged(before, early, finds_runs=False)[0], Proved)


def test_a_constant_that_is_stored_late_is_not_resume_data() -> None:
    before = LIST.replace("p2 = new(descr=<SizeDescr 24>)\n", "").replace("p2, descr", "ConstPtr(k1), descr")
    before = before.replace("finish(p2)", "finish(p0)")
    lines = before.splitlines(keepends=True)
    late = "".join([*lines[:2], *lines[3:5], lines[2], lines[5]])
    assert not isinstance(judged(before, late)[0], Proved)
    assert not isinstance(judged(before, late, finds_runs=False)[0], Proved)


def test_a_store_that_is_done_early_is_not_resume_data() -> None:
    """Resume data stores what was put off into the one object, and takes nothing back in the other one."""
    accessed = f"[p0, p1, i1]\ni8 = ptr_eq(p0, p1)\nguard_false(i8)\np9 = getfield_gc_r(p1, descr={NEXT})\n"
    before = LIST.replace("[p0, i1]\n", f"{accessed}p7 = getfield_gc_r(p0, descr={NEXT})\n")
    before = before.replace("finish", f"setfield_gc(p1, p0, descr={NEXT})\nfinish")
    lines = before.splitlines(keepends=True)
    new, guard, early = lines[6:8], lines[8:10], lines[10]
    late = "".join([*lines[:6], *guard, *new, *lines[10:]])
    assert isinstance(judged(before, late)[0], Proved)
    wrong = "".join([*lines[:6], early, *guard, *new, lines[11]])
    assert not isinstance(judged(before, wrong)[0], Proved)
    assert not isinstance(judged(before, wrong, finds_runs=False)[0], Proved)


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
    early = f"{head}{two}guard_true(i3)\n{one}finish(i1)\n"
    assert not isinstance(judged(before, early)[0], Proved)
    assert not isinstance(judged(before, early, finds_runs=False)[0], Proved)
    assert not isinstance(judged(before, swapped(early))[0], Proved)


def swapped(trace: str) -> str:
    """The same trace, in which either of two inputs has the name of the other."""
    return trace.replace("p0", "p#").replace("p1", "p0").replace("p#", "p1")


def test_inputs_correspond_by_position() -> None:
    first, second = (
        f"{name} = new(descr=<SizeDescr 24>)\nsetfield_gc(p0, {name}, descr={NEXT})\n" for name in ("p2", "p3")
    )
    head, last = f"[p0, p1, i1]\np7 = getfield_gc_r(p0, descr={NEXT})\n", f"{second}guard_false(i1)\nfinish(i1)\n"
    before, after = f"{head}{first}guard_true(i1)\n{last}", f"{head}guard_true(i1)\n{last}"
    assert isinstance(judged(before, after)[0], Proved)
    assert isinstance(judged(before, swapped(after))[0], Proved)


HEAD = f"[p0, p1, i1]\np8 = getfield_gc_r(p0, descr={NEXT})\np9 = getfield_gc_r(p1, descr={NEXT})\n"
OTHER = "<FieldP Node.inst_other 24>"
NEW, LEFT, STORED = "p2 = new(descr=<SizeDescr 32>)\n", "guard_true(i1)\n", f"setfield_gc(p0, p2, descr={NEXT})\n"
SEEN, KEPT = "escape_n(p2)\n", f"setfield_gc(p1, p2, descr={OTHER})\n"
LOST = f"setfield_gc(p0, NULL, descr={NEXT})\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((NEW, KEPT, STORED, LEFT), (NEW, KEPT, LEFT, STORED)),
        ((NEW, SEEN, STORED, LEFT), (NEW, SEEN, LEFT, STORED)),
        ((NEW, STORED, LEFT), (NEW, LEFT, STORED)),
        ((NEW, STORED, KEPT, LEFT, LOST), (NEW, KEPT, LEFT, LOST)),
    ],
    ids=["kept", "seen", "made for nothing", "kept, and stored nowhere"],
)
def test_an_object_that_is_made_is_not_stored_late(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    texts = ["".join((HEAD, *lines, "finish(i1)\n")) for lines in (before, after)]
    assert not isinstance(judged(*texts)[0], Proved)
    assert not isinstance(judged(texts[0], texts[1], finds_runs=False)[0], Proved)


def test_what_is_made_for_another_place_is_stored_there_in_both() -> None:
    first = f"p3 = new(descr=<SizeDescr 32>)\nsetfield_gc(p1, p3, descr={NEXT})\n"
    before = f"{HEAD}{NEW}{SEEN}guard_false(i1)\n{STORED}{first}guard_true(i2)\nfinish(i1)\n".replace("i1]", "i1, i2]")
    after = before.replace(f"{first}guard_true(i2)\n", f"guard_true(i2)\n{first}")
    assert isinstance(judged(before, after)[0], Proved)


def test_an_object_that_is_made_is_not_filled_early() -> None:
    filled = f"p4 = new(descr=<SizeDescr 32>)\nsetfield_gc(p2, p4, descr={NEXT})\n"
    one = f"p3 = new(descr=<SizeDescr 32>)\nsetfield_gc(p0, p3, descr={NEXT})\n"
    before = f"{HEAD}{NEW}{KEPT}{one}{LEFT}{filled}finish(i1)\n"
    assert isinstance(judged(before, f"{HEAD}{NEW}{KEPT}{LEFT}{one}{filled}finish(i1)\n")[0], Proved)
    for wrong in (f"{NEW}{KEPT}{filled}{LEFT}{one}", f"{NEW}{filled}{KEPT}{LEFT}{one}"):
        assert not isinstance(judged(before, f"{HEAD}{wrong}finish(i1)\n")[0], Proved)


CONTEXT = """\
+++
[call."get"]
result = "ref"
elidable = true
+++
[p0, i1]
p5 = call_r(ConstClass(current), 64, descr=get)
"""
AGAIN = f"setfield_gc(p5, p7, descr={NEXT})\n"


def entered(*lines: str, name: str = "p5") -> str:
    """A trace that stores a new object into another one, which a function gives."""
    head = f"{CONTEXT}p7 = getfield_gc_r(p5, descr={NEXT})\n"
    return "".join((head, *lines, "finish(i1)\n")).replace("p5", name)


ENTER = f"p2 = new(descr=<SizeDescr 24>)\nsetfield_gc(p5, p2, descr={NEXT})\n"
OTHERS = f"p4 = new(descr=<SizeDescr 32>)\nsetfield_gc(p5, p4, descr={NEXT})\n"
ALIKE = OTHERS.replace("32", "24")
MADE, FILLED = OTHERS.splitlines(keepends=True)
SHOWN = "escape_n(p4)\n"
BACK = f"setfield_gc(p5, p2, descr={NEXT})\n"
LEAVE, BEHIND = "i3 = int_lt(i1, 5)\nguard_true(i3)\n", "i4 = int_lt(i1, 3)\nguard_true(i4)\n"
LAST = "i6 = int_lt(i1, 1)\nguard_true(i6)\n"


def test_an_object_that_a_function_gives_is_one_in_both_traces() -> None:
    before, after = entered(ENTER, LEAVE, BEHIND), entered(LEAVE, ENTER, BEHIND, name="p9")
    assert isinstance(judged(before, after)[0], Proved)


def test_what_is_stored_again_later_is_not_early() -> None:
    before, after = entered(ENTER, LEAVE, BEHIND, AGAIN, LAST), entered(LEAVE, ENTER, BEHIND, AGAIN, LAST, name="p9")
    assert isinstance(judged(before, after)[0], Proved)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((LEAVE, ENTER, BEHIND, AGAIN), (ENTER, LEAVE, BEHIND, AGAIN)),
        ((ENTER, LEAVE, AGAIN, BEHIND, LAST), (LEAVE, ENTER, BEHIND, AGAIN, LAST)),
        ((ENTER, LEAVE, OTHERS, BEHIND, BACK, LAST), (OTHERS, LEAVE, ENTER, LAST)),
        ((ENTER, LEAVE, ALIKE, BEHIND, BACK, LAST), (ALIKE, LEAVE, ENTER, BEHIND, BACK, LAST)),
        ((ENTER, LEAVE, BEHIND, OTHERS, BACK, LAST), (LEAVE, OTHERS, BEHIND, ENTER, LAST)),
        ((ENTER, MADE, SHOWN, FILLED, BEHIND, LAST), (ENTER, MADE, SHOWN, BEHIND, FILLED, LAST)),
    ],
    ids=["early", "late again", "another one", "another one alike", "another one behind", "made already"],
)
def test_what_a_function_gives_is_not_stored_to_at_another_place(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    texts = entered(*before), entered(*after, name="p9")
    assert not isinstance(judged(*texts)[0], Proved)
    assert not isinstance(judged(*texts, finds_runs=False)[0], Proved)
