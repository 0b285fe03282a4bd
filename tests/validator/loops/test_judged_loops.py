"""Peeled loops that are right, and faults planted in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.report.judged import judge_pair
from fuzz.report.pair_page import pair_page
from optimizer.ir.text import parse
from optimizer.peel import peel
from tests.validator.pairs import judge
from validator import Guards, Options, Proved, Refuted, Unknown, Verdict, validate
from validator.cache import Cache, Question, validate_cached
from validator.tell.report import verdict_json, verdict_text

ADDS = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
LOADED_ONCE = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
label(p0, i2, i1, descr=Body)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [p0, i4]
jump(p0, i4, i1, descr=Body)
"""
STORES = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
setfield_gc(p0, i2, descr=Node.step)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
FORWARDED = """
[p0, i0]
i1 = getfield_gc_i(p0, descr=Node.step)
i2 = int_add(i0, i1)
setfield_gc(p0, i2, descr=Node.step)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
label(p0, i2, descr=Body)
i4 = int_add(i2, i2)
setfield_gc(p0, i4, descr=Node.step)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [p0, i4]
jump(p0, i4, descr=Body)
"""
BOXES = """
[p0]
guard_class(p0, ConstClass(Box)) [p0]
i1 = getfield_gc_i(p0, descr=Box.value)
i2 = int_add(i1, 1)
p1 = new_with_vtable(descr=Box)
setfield_gc(p1, i2, descr=Box.value)
i3 = int_lt(i2, 1000)
guard_true(i3) [p1]
jump(p1)
"""
UNBOXED = """
[p0]
guard_class(p0, ConstClass(Box), origin=0) [p0]
i1 = getfield_gc_i(p0, descr=Box.value)
i2 = int_add(i1, 1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [p1] {
    p1 = new_with_vtable(descr=Box)
    setfield_gc(p1, i2, descr=Box.value)
}
label(i2, descr=Body)
i4 = int_add(i2, 1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [p2] {
    p2 = new_with_vtable(descr=Box)
    setfield_gc(p2, i4, descr=Box.value)
}
jump(i4, descr=Body)
"""
SWAPS = """
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [i0, i1]
jump(i1, i2)
"""
SWAPPED = """
[i0, i1]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [i0, i1]
label(i1, i2, descr=Body)
i4 = int_add(i1, i2)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=0) [i1, i2]
jump(i2, i4, descr=Body)
"""
CALLS = """
[i0]
i1 = call_loopinvariant_i(ConstClass(f), descr=invariant)
guard_no_exception() [i0]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [i2]
escape_n(i2)
guard_no_exception() [i2]
jump(i2)
"""
CALLED_ONCE = """
[i0]
i1 = call_i(ConstClass(f), descr=invariant)
guard_no_exception(origin=0) [i0]
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [i2]
escape_n(i2)
guard_no_exception(origin=2) [i2]
label(i2, i1, descr=Body)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [i4]
escape_n(i4)
guard_no_exception(origin=2) [i4]
jump(i4, i1, descr=Body)
"""
HASHES = """
[i0, i1]
i2 = call_pure_i(ConstClass(hash), i1, descr=hash)
guard_no_exception() [i0]
i3 = int_add(i0, i2)
i4 = int_lt(i3, 1000)
guard_true(i4) [i3]
jump(i3, i1)
"""
HASHED_ONCE = """
[i0, i1]
i2 = call_i(ConstClass(hash), i1, descr=hash)
guard_no_exception(origin=0) [i0]
i3 = int_add(i0, i2)
i4 = int_lt(i3, 1000)
guard_true(i4, origin=1) [i3]
label(i3, i1, i2, descr=Body)
i5 = int_add(i3, i2)
i6 = int_lt(i5, 1000)
guard_true(i6, origin=1) [i5]
jump(i5, i1, i2, descr=Body)
"""
RAISES = """
[i0]
guard_no_exception() [i0]
call_n(ConstClass(f), i0, descr=work)
jump(i0)
"""
RAISED = """
[i0]
guard_no_exception(origin=0) [i0]
call_n(ConstClass(f), i0, descr=work)
label(i0, descr=Body)
guard_no_exception(origin=0) [i0]
call_n(ConstClass(f), i0, descr=work)
jump(i0, descr=Body)
"""
INVARIANT_GUARD = """
[p0, i0, i1]
guard_nonnull(p0) [i0]
i2 = int_lt(i1, 10)
guard_true(i2) [i0, i1]
i3 = getfield_gc_i(p0, descr=Node.value)
i4 = int_add(i0, i3)
escape_n(i4)
guard_no_exception() [i4]
jump(p0, i4, i1)
"""
GUARDED_ONCE = """
[p0, i0, i1]
guard_nonnull(p0, origin=0) [i0]
i2 = int_lt(i1, 10)
guard_true(i2, origin=1) [i0, i1]
i3 = getfield_gc_i(p0, descr=Node.value)
i4 = int_add(i0, i3)
escape_n(i4)
guard_no_exception(origin=2) [i4]
label(p0, i4, descr=Body)
i5 = getfield_gc_i(p0, descr=Node.value)
i6 = int_add(i4, i5)
escape_n(i6)
guard_no_exception(origin=2) [i6]
jump(p0, i6, descr=Body)
"""
RIGHT = {
    "a load": (ADDS, LOADED_ONCE),
    "a store forwarded": (STORES, FORWARDED),
    "an allocation": (BOXES, UNBOXED),
    "values that change places": (SWAPS, SWAPPED),
    "a loop-invariant call": (CALLS, CALLED_ONCE),
    "a call of a function": (HASHES, HASHED_ONCE),
    "an exception at the head": (RAISES, RAISED),
    "guards": (INVARIANT_GUARD, GUARDED_ONCE),
}


def edited(after: str, old: str, new: str) -> str:
    assert after.count(old) == 1, old
    return after.replace(old, new)


WRONG = {
    "a load moved over a store": (
        STORES,
        FORWARDED.replace("p0, i2, descr=Body", "p0, i2, i1, descr=Body")
        .replace("int_add(i2, i2)", "int_add(i2, i1)")
        .replace("p0, i4, descr=Body", "p0, i4, i1, descr=Body"),
    ),
    "a load moved over an event": (
        INVARIANT_GUARD,
        edited(
            edited(GUARDED_ONCE, "i5 = getfield_gc_i(p0, descr=Node.value)\n", ""), "int_add(i4, i5)", "int_add(i4, i3)"
        )
        .replace("p0, i4, descr=Body", "p0, i4, i3, descr=Body")
        .replace("p0, i6, descr=Body", "p0, i6, i3, descr=Body"),
    ),
    "a guard moved out that may fail later": (ADDS, edited(LOADED_ONCE, "guard_true(i5, origin=0) [p0, i4]\n", "")),
    "a value of the first iteration in the second": (
        ADDS,
        edited(LOADED_ONCE, "jump(p0, i4, i1,", "jump(p0, i2, i1,"),
    ),
    "failargs of the iteration before": (ADDS, edited(LOADED_ONCE, "origin=0) [p0, i4]", "origin=0) [p0, i2]")),
    "arguments of the label in another order": (SWAPS, edited(SWAPPED, "label(i1, i2,", "label(i2, i1,")),
    "arguments of the jump in another order": (SWAPS, edited(SWAPPED, "jump(i2, i4,", "jump(i4, i2,")),
    "a call moved out": (CALLS.replace("loopinvariant_", ""), CALLED_ONCE),
    "a call made again": (
        CALLS.replace("loopinvariant_i", "i"),
        edited(CALLED_ONCE, "i4 = int_add(i2, i1)", "i4 = int_add(i2, 0)"),
    ),
    "a store dropped": (STORES, edited(FORWARDED, "setfield_gc(p0, i4, descr=Node.step)\n", "")),
    "a store of the iteration before": (
        STORES,
        edited(FORWARDED, "setfield_gc(p0, i4, descr=Node.step)", "setfield_gc(p0, i2, descr=Node.step)"),
    ),
    "another value in an allocation": (
        BOXES,
        edited(UNBOXED, "setfield_gc(p2, i4, descr=Box.value)", "setfield_gc(p2, i2, descr=Box.value)"),
    ),
    "an exception that is not looked for": (
        RAISES,
        RAISED.replace("guard_no_exception(origin=0) [i0]\n", ""),
    ),
    "a guard of the entry dropped": (INVARIANT_GUARD, edited(GUARDED_ONCE, "guard_true(i2, origin=1) [i0, i1]\n", "")),
    "a constant of the first iteration": (SWAPS, edited(SWAPPED, "i4 = int_add(i1, i2)", "i4 = int_add(i1, 1)")),
}


@pytest.mark.parametrize(("before", "after"), RIGHT.values(), ids=RIGHT)
@pytest.mark.parametrize("modes", [{}, {"guards": "same"}, {"guards": "safe", "failargs": "ignore"}])
def test_a_right_loop_is_proved(before: str, after: str, modes: dict[str, str]) -> None:
    verdict = judge(before, after, **modes)
    assert isinstance(verdict, Proved), verdict
    assert not verdict.evidence.inferred
    assert verdict.evidence.vacuous == ()


@pytest.mark.parametrize(("before", "after"), RIGHT.values(), ids=RIGHT)
def test_its_proofs_are_checked(before: str, after: str) -> None:
    verdict = validate(parse(before), parse(after), Options(audit=True))
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.audit is not None
    assert not verdict.evidence.audit.unsettled
    assert verdict.evidence.audit.checked >= len(verdict.evidence.obligations)


@pytest.mark.parametrize(("before", "after"), RIGHT.values(), ids=RIGHT)
def test_it_is_proved_without_origins_too(before: str, after: str) -> None:
    bare = after
    for k in range(3):
        bare = bare.replace(f", origin={k}", "").replace(f"origin={k}", "")
    verdict = judge(before, bare)
    assert isinstance(verdict, Proved), verdict
    assert len(verdict.evidence.origins) == bare.count("guard_")


@pytest.mark.parametrize(("before", "after"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("guards", ["early", "same"])
def test_a_wrong_loop_is_refuted(before: str, after: str, guards: str) -> None:
    verdict = judge(before, after, guards=guards)
    assert isinstance(verdict, Refuted), verdict
    assert verdict.counterexample.proof in ("entry", "body", "step", "again")


@pytest.mark.parametrize(
    ("before", "after"), [WRONG[name] for name in WRONG if "failargs" not in name and "allocation" not in name]
)
def test_a_wrong_loop_is_not_proved_where_nothing_of_guards_is_compared(before: str, after: str) -> None:
    assert not isinstance(judge(before, after, guards="safe", failargs="ignore"), Proved)


def test_what_an_iteration_has_not_written_is_not_taken_for_defined() -> None:
    """The load of `Raw.b` is defined where the loop is entered, and not on what an iteration hands on: what the step
    says of a state in which it is not defined would be nothing."""
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int", b = "int" }\n+++\n'
    before = f"""{declared}[p0, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
p1 = new(descr=Raw)
setfield_gc(p1, i1, descr=Raw.a)
jump(p1, i2)
"""
    after = f"""{declared}[p0, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i4 = getfield_gc_i(p0, descr=Raw.b)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
p1 = new(descr=Raw)
setfield_gc(p1, i1, descr=Raw.a)
label(p1, i2, i4, descr=Body)
i5 = int_add(i2, 77)
jump(p1, i5, i4, descr=Body)
"""
    for modes in ({}, {"guards": "safe", "failargs": "ignore"}):
        verdict = judge(before, after, **modes)
        assert not isinstance(verdict, Proved), verdict


def test_what_is_declared_of_a_quasi_immutable_field_does_not_last() -> None:
    declared = """+++
[struct.C]
fields = { version = { type = "int", quasi_immutable = true } }
[const.c]
struct = "C"
fields = { version = 5 }
+++
"""
    before = f"""{declared}[i0]
quasiimmut_field(ConstPtr(c), descr=C.version)
guard_not_invalidated() [i0]
i1 = getfield_gc_i(ConstPtr(c), descr=C.version)
escape_n(i1)
guard_no_exception() [i0]
jump(i0)
"""
    after = f"""{declared}[i0]
guard_not_invalidated(origin=0) [i0]
escape_n(5)
guard_no_exception(origin=1) [i0]
label(i0, descr=Body)
guard_not_invalidated(origin=0) [i0]
escape_n(5)
guard_no_exception(origin=1) [i0]
jump(i0, descr=Body)
"""
    assert not isinstance(judge(before, after), Proved)


def test_a_guard_may_resume_in_the_iteration_before() -> None:
    """Where that is so, the interpreter runs the rest of that iteration, and comes to the failure by itself."""
    after = edited(LOADED_ONCE, "guard_true(i5, origin=0) [p0, i4]", "guard_true(i5) [p0, i2]")
    verdict = judge(ADDS, after)
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.origins == (0, -1)
    assert verdict.evidence.early == (1,)
    assert isinstance(judge(ADDS, after, guards="same"), Refuted)


def test_a_body_that_relies_on_early_guards_of_the_preamble_hands_over_what_the_loop_has() -> None:
    """The preamble may hand over 5 where its guard fails; the body fails elsewhere, and hands over 5 as well."""
    before = """
[i0, i1]
i2 = int_eq(i0, 5)
guard_false(i2) [i0]
i3 = int_lt(i1, 10)
guard_true(i3) [i0, i1]
i4 = int_add(i0, 2)
i5 = int_add(i1, 1)
jump(i4, i5)
"""
    after = """
[i0, i1]
i2 = int_eq(i0, 5)
guard_false(i2, origin=0) [5]
i3 = int_lt(i1, 10)
guard_true(i3, origin=1) [i0, i1]
i4 = int_add(i0, 2)
i5 = int_add(i1, 1)
label(i4, i5, descr=Body)
i6 = int_ne(i4, 5)
i7 = int_lt(i5, 10)
i8 = int_and(i6, i7)
guard_true(i8, origin=0) [5]
i9 = int_add(i4, 2)
i10 = int_add(i5, 1)
jump(i9, i10, descr=Body)
"""
    assert isinstance(judge(before, after), Refuted)
    assert isinstance(
        judge(before, edited(after, "guard_true(i8, origin=0) [5]", "guard_true(i8, origin=0) [i4]")), Proved
    )


def test_a_difference_that_no_run_shows_is_unknown() -> None:
    """The label takes what the body never uses."""
    after = edited(LOADED_ONCE, "jump(p0, i4, i1,", "jump(p0, i4, i1, 7,")
    after = edited(after, "label(p0, i2, i1,", "label(p0, i2, i1, i0,")
    verdict = judge(ADDS, after)
    assert isinstance(verdict, Unknown), verdict
    assert verdict.reason.startswith("step: end: argument 3: argument 3 of the end is 7")
    assert "no run of the loop was found" in verdict.reason


def test_a_recorded_trace_that_is_no_loop() -> None:
    for end in ("finish(p0, i2)", "jump(p0)", "jump(p0, i2, descr=Elsewhere)"):
        verdict = judge(ADDS.replace("jump(p0, i2)", end), LOADED_ONCE)
        assert "unsupported: a recorded trace that does not go back to its start" in str(verdict) or "line 7" in str(
            verdict
        )


def told(verdict: Verdict) -> dict[str, object]:
    data: dict[str, object] = verdict_json(verdict, "pair", parse(ADDS), None)
    return json.loads(json.dumps(data))


def test_a_counterexample_is_told_iteration_by_iteration() -> None:
    verdict = judge(*WRONG["a value of the first iteration in the second"])
    assert "debug_merge_point('iteration 2')" in str(verdict)
    assert str(verdict).startswith("refuted: step: guard ")
    found = told(verdict)["counterexample"]
    assert isinstance(found, dict)
    assert found["proof"] == "step"
    assert found["iterations"] in (2, 3)
    assert set(found["unrolled"]) == {"before", "after"}
    for text in found["unrolled"].values():
        parse(text)


def test_a_straight_counterexample_has_no_iterations() -> None:
    wrong = ADDS.replace("int_lt(i2, 1000)", "int_lt(i2, 1001)")
    found = told(judge(ADDS, wrong))["counterexample"]
    assert isinstance(found, dict)
    assert "proof" not in found


BRIDGE = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_ne(i1, 0)
guard_true(i2) [p0, i0]
jump(p0, i1)
"""
BRIDGED = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_is_true(i0)
guard_true(i2) [p0, i0]
i3 = getfield_gc_i(p0, descr=Node.step)
jump(p0, i1, i3, descr=Body)
"""


def bridged(before: str, after: str, loop: tuple[str, str] = (ADDS, LOADED_ONCE), **options: object) -> Verdict:
    given = parse(loop[0]), parse(loop[1])
    return validate(parse(before), parse(after), Options(**options), loop=given)  # type: ignore[arg-type]


def test_a_bridge_brings_what_the_label_takes() -> None:
    verdict = bridged(BRIDGE, BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"))
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.assumes == ("the loop that the bridge jumps to is right",)
    assert len(verdict.evidence.origins) == 1
    checked = bridged(BRIDGE, BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"), audit=True)
    assert isinstance(checked, Proved)
    assert checked.evidence.audit is not None
    assert not checked.evidence.audit.unsettled


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jump(p0, i1, i3,", "jump(p0, i1, i1,"),
        ("jump(p0, i1, i3,", "jump(p0, i0, i3,"),
        ("guard_true(i2) [p0, i0]", ""),
        ("i1 = int_mul(i0, 3)", "i1 = int_mul(i0, 4)"),
    ],
)
def test_a_wrong_bridge_is_refuted(old: str, new: str) -> None:
    verdict = bridged(BRIDGE, edited(BRIDGED.replace("int_is_true(i0)", "int_ne(i1, 0)"), old, new))
    assert isinstance(verdict, Refuted), verdict


ASKS = """
[p0, i0]
i1 = int_mul(i0, 3)
i2 = int_ne(i1, 0)
guard_true(i2, origin=0) [p0, i0]
i3 = getfield_gc_i(p0, descr=Node.step)
i4 = int_add(i1, i3)
i5 = int_lt(i4, 500)
guard_true(i5, origin=1) [p0, i4]
jump(p0, i1, i3, descr=Body)
"""


def test_a_bridge_may_ask_for_more_than_the_loop_does() -> None:
    """The second guard fails where the recorded loop goes on, and then the interpreter does."""
    assert isinstance(bridged(BRIDGE, ASKS), Proved)
    assert not isinstance(bridged(BRIDGE, ASKS, guards=Guards.SAME), Proved)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("origin=1) [p0, i4]", "origin=1) [p0, i3]"),
        ("jump(p0, i1, i3,", "jump(p0, i4, i3,"),
        ("i4 = int_add(i1, i3)", "i4 = int_add(i0, i3)"),
        ("i2 = int_ne(i1, 0)", "i2 = int_gt(i1, 0)"),  # a guard of its own fails more often than the recorded one
        ("origin=0) [p0, i0]", "origin=0) [p0, 1]"),
        ("guard_true(i2, origin=0) [p0, i0]\n", ""),
    ],
)
def test_a_bridge_that_asks_for_more_is_right_beside(old: str, new: str) -> None:
    assert not isinstance(bridged(BRIDGE, edited(ASKS, old, new)), Proved)


def test_a_bridge_may_check_what_the_preamble_checks() -> None:
    bridge = "[p0, i0, i1]\ni2 = int_add(i0, i1)\njump(p0, i2, i1)\n"
    right = """[p0, i0, i1]
i2 = int_add(i0, i1)
guard_nonnull(p0) [i2]
i3 = int_lt(i1, 10)
guard_true(i3) [i2, i1]
jump(p0, i2, descr=Body)
"""
    loop = INVARIANT_GUARD, GUARDED_ONCE
    verdict = bridged(bridge, right, loop)
    assert isinstance(verdict, Proved), verdict
    assert verdict.evidence.origins == (0, 1)
    for check in ("guard_nonnull(p0) [i2]\n", "guard_true(i3) [i2, i1]\n"):
        assert not isinstance(bridged(bridge, edited(right, check, ""), loop), Proved)


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (BRIDGE.replace("jump(p0, i1)", "jump(p0)"), BRIDGED, "a bridge jumps to its loop with values for (ref, int)"),
        (BRIDGE.replace("jump(p0, i1)", "finish(p0, i1)"), BRIDGED, "a bridge jumps to its loop"),
        (
            BRIDGE,
            BRIDGED.replace("descr=Body", "descr=Elsewhere"),
            "the bridge jumps to Elsewhere, and the label is Body",
        ),
        (BRIDGE, BRIDGED.replace("i1, i3", "i1"), "a bridge jumps to its loop with values for (ref, int, int)"),
    ],
)
def test_what_is_no_bridge_to_the_loop(before: str, after: str, what: str) -> None:
    assert what in str(bridged(before, after))


@pytest.mark.parametrize("pair", [*RIGHT.values(), *WRONG.values()], ids=[*RIGHT, *WRONG])
def test_a_page_shows_it(pair: tuple[str, str]) -> None:
    before, after = map(parse, pair)
    shown = pair_page("loop", judge_pair(before, after, Options()))
    assert "iteration 2" in shown or pair in RIGHT.values() or "iteration 1" in shown


def test_a_cache_keeps_what_is_proved_of_loops(tmp_path: Path) -> None:
    known = Cache(tmp_path)
    for before, after in (RIGHT["a load"], WRONG["a store dropped"]):
        for _ in range(2):
            verdict = validate_cached(parse(before), parse(after), Options(), known)
            assert type(verdict) is type(judge(before, after))
    again = known.get(Question(parse(ADDS), parse(LOADED_ONCE), Options()))
    assert isinstance(again, Proved)
    assert again.evidence.cached


def test_what_the_preamble_reads_is_no_promise() -> None:
    """An event of the loop may write an immutable field until the loop has read it; that the preamble has read it
    before says nothing."""
    declared = """+++
[struct.Node]
fields = { tag = { type = "int", immutable = true } }
[call.fill]
result = "void"
writes = ["Node.tag"]
can_raise = false
+++
"""
    before = f"""{declared}[p0, i0]
guard_class(p0, ConstClass(Node)) [p0]
call_n(ConstClass(fill), p0, descr=fill)
i1 = getfield_gc_i(p0, descr=Node.tag)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
jump(p0, i2)
"""
    after = f"""{declared}[p0, i0]
guard_class(p0, ConstClass(Node), origin=0) [p0]
call_n(ConstClass(fill), p0, descr=fill)
i1 = getfield_gc_i(p0, descr=Node.tag)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=1) [p0, i2]
label(p0, i2, i1, descr=Body)
call_n(ConstClass(fill), p0, descr=fill)
i4 = int_add(i2, i1)
i5 = int_lt(i4, 1000)
guard_true(i5, origin=1) [p0, i4]
jump(p0, i4, i1, descr=Body)
"""
    assert "a read of Node.tag, immutable, where events of the loop write it" in str(judge(before, after))


def test_what_the_preamble_watches_is_no_promise() -> None:
    """`quasiimmut_field` of a recorded trace says that the runtime watches; one that the optimizer invents does not."""
    before = """[p0, i0]
guard_not_invalidated() [p0, i0]
i1 = getfield_gc_i(p0, descr=C.version)
escape_n(i1)
guard_no_exception() [p0, i0]
jump(p0, i1)
"""
    after = """[p0, i0]
guard_not_invalidated(origin=0) [p0, i0]
quasiimmut_field(p0, descr=C.version)
i1 = getfield_gc_i(p0, descr=C.version)
escape_n(i1)
guard_no_exception(origin=1) [p0, i0]
label(p0, i1, descr=Body)
guard_not_invalidated(origin=0) [p0, i1]
escape_n(i1)
guard_no_exception(origin=1) [p0, i1]
jump(p0, i1, descr=Body)
"""
    for modes in ({}, {"guards": "safe", "failargs": "ignore"}):
        assert not isinstance(judge(before, after, **modes), Proved)
    watched = before.replace("guard_not", "quasiimmut_field(p0, descr=C.version)\nguard_not")
    assert isinstance(judge(watched, after), Proved)


def test_which_string_the_preamble_has_is_said_nowhere() -> None:
    declared = '+++\n[call.concat]\nresult = "ref"\nelidable = true\noopspec = "strconcat"\n+++\n'
    before = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception() []
jump(p0, p1)
"""
    once = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception(origin=0) []
label(p2, descr=Body)
escape_n(p2)
guard_no_exception(origin=0) []
jump(p2, descr=Body)
"""
    again = f"""{declared}[p0, p1]
p2 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p2)
guard_no_exception(origin=0) []
label(p0, p1, descr=Body)
p3 = call_r(ConstClass(ll_strconcat), p0, p1, descr=concat)
escape_n(p3)
guard_no_exception(origin=0) []
jump(p0, p1, descr=Body)
"""
    assert not isinstance(judge(before, once), Proved | Refuted)
    assert isinstance(judge(before, again), Proved)


def test_an_immutable_field_is_stored_to_in_new_objects_only() -> None:
    declared = '+++\n[struct.Node]\nfields = { tag = { type = "int", immutable = true } }\n+++\n'
    before = f"{declared}[p0, p1, i0]\ni1 = getfield_gc_i(p0, descr=Node.tag)\nsetfield_gc(p1, i0, descr=Node.tag)\n"
    before += "i2 = int_lt(i1, i0)\nguard_true(i2) [i1]\njump(p1, p1, i1)\n"
    after = before.replace("jump(p1, p1, i1)", "label(p1, i1, descr=Body)\njump(p1, i1, descr=Body)")
    assert "a store to Node.tag, immutable, of what an iteration has not allocated" in str(judge(before, after))
    fresh = before.replace("setfield_gc(p1", "p2 = new(descr=Node)\nsetfield_gc(p2").replace(
        "jump(p1, p1", "jump(p2, p2"
    )
    assert isinstance(validate(parse(fresh), peel(parse(fresh)).trace), Proved)


def test_no_guard_fails_where_the_recorded_loop_has_none() -> None:
    """The guard of the preamble always passes, and stands for no place where the interpreter could go on."""
    before = "[i0]\ni1 = int_add(i0, 1)\nescape_n(i1)\njump(i1)\n"
    after = """[i0]
i1 = int_add(i0, 1)
guard_value(1, 1) [i0]
escape_n(i1)
label(i1, descr=Body)
i2 = int_add(i1, 1)
guard_value(i1, 7) [i1]
escape_n(i2)
jump(i2, descr=Body)
"""
    for modes in ({}, {"guards": "safe"}, {"guards": "safe", "failargs": "ignore"}):
        assert isinstance(judge(before, after, **modes), Refuted)


def test_what_an_earlier_iteration_has_not_written_is_not_read() -> None:
    """An object goes round twice before `Raw.b` is read, which nobody has written: no two iterations show that."""
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int", b = "int" }\n+++\n'
    before = f"""{declared}[p0, p1, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
jump(p1, p2, i2)
"""
    after = f"""{declared}[p0, p1, i0]
i1 = getfield_gc_i(p0, descr=Raw.a)
i4 = getfield_gc_i(p0, descr=Raw.b)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3, origin=0) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
label(p1, p2, i2, descr=Body)
i5 = getfield_gc_i(p1, descr=Raw.a)
i6 = getfield_gc_i(p1, descr=Raw.b)
i7 = int_add(i2, i5)
i8 = int_lt(i7, 1000)
guard_true(i8, origin=0) [p1, i7]
p3 = new(descr=Raw)
setfield_gc(p3, i5, descr=Raw.a)
jump(p2, p3, i7, descr=Body)
"""
    for modes in ({}, {"guards": "safe", "failargs": "ignore"}):
        assert "what an earlier iteration may have allocated and not written" in str(judge(before, after, **modes))
    for read in ("i4 = getfield_gc_i(p0", "i6 = getfield_gc_i(p1"):
        after = edited(after, f"{read}, descr=Raw.b)\n", "")
    assert isinstance(judge(before, after), Proved)


def test_what_has_been_in_memory_may_be_of_any_earlier_iteration() -> None:
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int", b = "int", next = "ref" }\n+++\n'
    before = f"""{declared}[p0, i0]
p1 = getfield_gc_r(p0, descr=Raw.next)
guard_nonnull(p1) [i0]
i1 = getfield_gc_i(p1, descr=Raw.a)
i2 = int_add(i0, i1)
i3 = int_lt(i2, 1000)
guard_true(i3) [p0, i2]
p2 = new(descr=Raw)
setfield_gc(p2, i1, descr=Raw.a)
setfield_gc(p2, p1, descr=Raw.next)
setfield_gc(p0, p2, descr=Raw.next)
jump(p0, i2)
"""
    after = before.replace("i2 = int_add", "i4 = getfield_gc_i(p1, descr=Raw.b)\ni2 = int_add")
    after = (
        after.replace("jump(p0, i2)\n", "")
        + """label(p0, i2, descr=Body)
p11 = getfield_gc_r(p0, descr=Raw.next)
guard_nonnull(p11) [i2]
i11 = getfield_gc_i(p11, descr=Raw.a)
i12 = int_add(i2, i11)
i13 = int_lt(i12, 1000)
guard_true(i13) [p0, i12]
p12 = new(descr=Raw)
setfield_gc(p12, i11, descr=Raw.a)
setfield_gc(p12, p11, descr=Raw.next)
setfield_gc(p0, p12, descr=Raw.next)
jump(p0, i12, descr=Body)
"""
    )
    assert "what an earlier iteration may have allocated and not written" in str(judge(before, after))
    assert isinstance(judge(before, edited(after, "i4 = getfield_gc_i(p1, descr=Raw.b)\n", "")), Proved)


def test_a_string_of_an_earlier_iteration_may_be_asked_which_it_is() -> None:
    """What the first iteration hands on is new; what the second one does is a constant, as only the third one sees."""
    before = """+++
string_identity = false
+++
[p0, i0]
i1 = ptr_eq(p0, "ab")
escape_n(i1)
guard_no_exception() [i1]
p1 = newstr(2)
strsetitem(p1, 0, 97)
strsetitem(p1, 1, 98)
jump(p1, i0)
"""
    after = before.replace("jump(p1, i0)", "label(p1, descr=Body)")
    after += """i2 = ptr_eq(p1, "ab")
escape_n(i2)
guard_no_exception() [i2]
jump("ab", descr=Body)
"""
    assert not isinstance(judge(before, after), Proved)
    for name in ("p0", "p1"):
        before, after = [text.replace(f'ptr_eq({name}, "ab")', f"ptr_eq({name}, NULL)") for text in (before, after)]
    assert isinstance(judge(before, after), Proved)


def test_names_of_the_preamble_are_those_of_its_objects_on_neither_side() -> None:
    """The preamble stands behind the recorded loop on one side and in front of the body on the other one: what it
    allocates has other partners there."""
    made = "p{0} = new(descr=Pair)\nsetfield_gc(p{0}, i{2}, descr=Pair.value)\n"
    held = (
        "p{1} = new(descr=Box)\nsetfield_gc(p{1}, p{0}, descr=Box.pair)\nsetarrayitem_gc(p0, i{2}, p{1}, descr=Boxes)\n"
    )
    on = "i{3} = int_add(i{2}, 1)\ni{4} = int_lt(i{3}, 9)\nguard_true(i{4}) []\n"
    once = made + held + on
    before = f"[p0, i0]\n{once.format(1, 2, 0, 3, 4)}jump(p0, i3)\n"
    first, again = once.format(5, 6, 0, 7, 8), once.format(9, 10, 7, 11, 12)
    after = f"[p0, i0]\n{first}label(p0, i7, descr=Body)\n{again}jump(p0, i11, descr=Body)\n"
    assert isinstance(judge(before, after), Proved)
    assert not isinstance(
        judge(before, edited(after, "Pair)\nsetfield_gc(p9, i7,", "Pair)\nsetfield_gc(p9, 3,")), Proved
    )


@pytest.mark.parametrize(
    ("made", "load", "is_judged"),
    [
        ("new(descr=Raw)", "i3 = strgetitem(p0, 0)", True),  # a struct has no characters
        ("new_array(i0, descr=Items)", "p3 = getfield_gc_r(p0, descr=other)", True),  # NULL from the start
        ("newstr(i0)", "p3 = getfield_gc_r(p0, descr=other)", True),
        ("newstr(i0)", "i3 = getfield_gc_i(p0, descr=other)", True),
        ("newstr(i0)", "p3 = getarrayitem_gc_r(p0, 0, descr=Items)", True),
        ("new_array(i0, descr=Items)", "i3 = getfield_gc_i(p0, descr=other)", True),
        ("new_array(i0, descr=Items)", "i3 = getarrayitem_gc_i(p0, 0, descr=Others)", True),
        ("new(descr=Raw)", "i3 = getfield_gc_i(p0, descr=other)", False),
        ("new(descr=Raw)", "i3 = getarrayitem_gc_i(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "i3 = getarrayitem_gc_i(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "p3 = getarrayitem_gc_r(p0, 0, descr=Items)", False),
        ("new_array(i0, descr=Items)", "i3 = gc_load_i(p0, 8, 8)", False),
        ("newstr(i0)", "i3 = strgetitem(p0, 0)", False),
    ],
)
def test_only_what_a_new_object_may_have_and_not_hold_is_not_written(made: str, load: str, *, is_judged: bool) -> None:
    """An object goes round twice before it is read."""
    declared = '+++\n[struct.Raw]\ncleared = false\nfields = { a = "int" }\n+++\n[p0, p1, i0]\n'
    once = f"escape_n(i0)\nguard_not_forced() []\n{load}\np2 = {made}\n"
    again = once.replace("3 = ", "4 = ").replace("p2 = ", "p5 = ").replace("(p0", "(p1")
    before = f"{declared}{once}jump(p1, p2, i0)\n"
    after = f"{declared}{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n"
    assert ("what an earlier iteration" in str(judge(before, after))) is not is_judged


FILL = "setarrayitem_gc(p2, {}, i0, descr=Items)\n".format
COPY = "call_n(7, p6, p2, {}, {}, {}, descr=Copy)\n".format
SOURCE = "p6 = new_array(2, descr=Items)\n" + (FILL(0) + FILL(1)).replace("p2", "p6")


@pytest.mark.parametrize(
    ("made", "filled", "is_judged"),
    [
        (2, FILL(0) + FILL(1), True),
        (2, FILL(1), False),
        (2, FILL(0) + FILL("i0"), False),
        (2, FILL(0) + FILL(1).replace("Items", "Others"), False),
        ("i0", FILL(0) + FILL(1), False),
        (2, "call_n(7, p2, p0, 0, 0, 1, descr=Copy)\n" + FILL(0) + FILL(1), False),  # before it is written
        (2, SOURCE + COPY(0, 0, 2), True),
        (2, SOURCE + COPY(1, 0, 1) + FILL(1), True),
        (2, SOURCE + COPY(0, 0, 1), False),
        (2, SOURCE + COPY(0, 1, 1) + COPY(1, 1, 1), False),
        (2, SOURCE.replace("(p6, 1", "(p6, 0") + COPY(0, 0, 2), False),
        (2, SOURCE.replace("p6 = new_array(2, descr=Items)", "p6 = same_as_r(p0)") + COPY(0, 0, 2), True),
        (2, FILL(0) + FILL(1) + COPY(0, 0, 1).replace("p6", "p0"), False),  # of an earlier iteration
        (2, SOURCE + COPY(0, 0, "i0"), False),
    ],
)
def test_only_an_array_that_is_filled_is_written(made: int | str, filled: str, *, is_judged: bool) -> None:
    declared = """+++
[array.Items]
item = "int"
[call.Copy]
result = "void"
oopspec = "arraycopy"
reads = ["Items"]
writes = ["Items"]
+++
[p0, p1, i0]
"""
    once = "escape_n(i0)\nguard_not_forced() []\ni3 = getarrayitem_gc_i(p0, 0, descr=Items)\n"
    once += f"p2 = new_array({made}, descr=Items)\n{filled}"
    again = once.replace("3 = ", "4 = ").replace("p2", "p5").replace("p6", "p7").replace("p0", "p1")
    before = f"{declared}{once}jump(p1, p2, i0)\n"
    after = f"{declared}{once}label(p1, p2, i0, descr=Body)\n{again}jump(p2, p5, i0, descr=Body)\n"
    assert ("what an earlier iteration" in str(judge(before, after))) is not is_judged


COPIES = """+++
[array.Items]
item = "int"
[call.Copy]
result = "void"
oopspec = "arraycopy"
reads = ["Items"]
writes = ["Items"]
+++
"""
COPIED = """i3 = getarrayitem_gc_i(p0, 0, descr=Items)
i4 = int_add(i3, i0)
i5 = int_lt(i4, 1000)
guard_true(i5) [i4]
p6 = new_array(2, descr=Items)
setarrayitem_gc(p6, 0, i4, descr=Items)
setarrayitem_gc(p6, 1, i0, descr=Items)
p2 = new_array(2, descr=Items)
call_n(7, p6, p2, 0, 0, 2, descr=Copy)
"""
COPIED_AGAIN = """i13 = getarrayitem_gc_i(p1, 0, descr=Items)
i14 = int_add(i13, i4)
i15 = int_lt(i14, 1000)
guard_true(i15) [i14]
p12 = new_array(2, descr=Items)
setarrayitem_gc(p12, 0, i14, descr=Items)
setarrayitem_gc(p12, 1, i4, descr=Items)
"""


@pytest.mark.parametrize(
    ("right", "wrong", "is_right"),
    [
        ("", "", True),
        ("(p12, 0, i14,", "(p12, 0, i13,", False),
        ("(p12, 1, i4,", "(p12, 1, i14,", False),
        ("setarrayitem_gc(p12, 1, i4, descr=Items)\n", "", False),
        ("guard_true(i15) [i14]\n", "", False),
        ("(p1, 0, descr", "(p1, 1, descr", False),
        ("(p1, 0, descr", "(p2, 0, descr", False),
        ("jump(p2, p12, i14", "jump(p12, p2, i14", False),
    ],
)
def test_an_array_that_was_filled_by_a_copy_goes_round_twice(right: str, wrong: str, *, is_right: bool) -> None:
    before = f"{COPIES}[p0, p1, i0]\n{COPIED}jump(p1, p2, i4)\n"
    again = f"{COPIED_AGAIN}jump(p2, p12, i14, descr=Body)\n"
    after = f"{COPIES}[p0, p1, i0]\n{COPIED}label(p1, p2, i4, descr=Body)\n{again.replace(right, wrong)}"
    assert isinstance(judge(before, after), Proved) is is_right


def test_a_loop_that_never_goes_round_twice_is_vacuous() -> None:
    """The recorded loop promises its number in each iteration; the preamble does not ask for it."""
    before = (
        "[i0]\nrecord_exact_value_i(i0, 5)\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 9)\nguard_true(i2) [i1]\njump(i1)\n"
    )
    peeled = "[i0]\ni1 = int_add(i0, 1)\ni2 = int_lt(i1, 9)\nguard_true(i2, origin=0) [i1]\nlabel(i1, descr=Body)\n"
    body = "i3 = int_add(i1, 1)\ni4 = int_lt(i3, 9)\nguard_true(i4, origin=0) [77]\njump(i3, descr=Body)\n"
    verdict = judge(before, peeled + body)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.vacuous
    assert all(reason.startswith("body") for reason in verdict.evidence.vacuous)


def test_a_body_tests_the_class_of_what_the_preamble_also_tests_for_null() -> None:
    """A preamble may test at once what is recorded as two guards, and leave where a test of the class alone is not
    defined: on NULL, and on what has no vtable."""
    ends = "p{1} = getfield_gc_r(p{0}, descr=next)\nguard_nonnull(p{1}) [p{0}]\n"
    before = f"[p0]\nguard_nonnull(p0) [p0]\nguard_class(p0, ConstClass(Node)) [p0]\n{ends.format(0, 1)}jump(p1)\n"
    first = f"[p0]\nguard_nonnull_class(p0, ConstClass(Node)) [p0]\n{ends.format(0, 1)}label(p1, descr=Body)\n"
    after = f"{first}guard_class(p1, ConstClass(Node)) [p1]\n{ends.format(1, 2)}jump(p2, descr=Body)\n"
    for guards in ("early", "safe"):
        assert isinstance(judge(before, after, guards=guards), Proved)
        for line in (
            "guard_nonnull(p2) [p1]\n",
            "guard_nonnull(p1) [p0]\n",
            "guard_class(p1, ConstClass(Node)) [p1]\n",
        ):
            assert not isinstance(judge(before, edited(after, line, ""), guards=guards), Proved)


def test_a_body_may_test_in_another_order_than_its_preamble() -> None:
    """The preamble tests the class before it compares; the body first compares, and leaves there where the preamble
    would have left before."""
    loads = "p{1} = getfield_gc_r(p{0}, descr=next)\nguard_nonnull(p{1}) [p{0}]\n"
    compares = "i{1} = ptr_eq(p{0}, ConstPtr(k))\nguard_false(i{1}) [p{0}]\n"
    asks = "guard_class(p{0}, ConstClass(Node)) [p{0}]\n"
    before = f"[p0]\nguard_nonnull(p0) [p0]\n{(compares + asks + loads).format(0, 1)}jump(p1)\n"
    first = f"[p0]\nguard_nonnull_class(p0, ConstClass(Node)) [p0]\n{(compares + loads).format(0, 1)}"
    body = (compares + asks + loads).format(1, 2)
    after = f"{first}label(p1, descr=Body)\n{body}jump(p2, descr=Body)\n"
    modes = {"guards": "early", "failargs": "ignore"}
    assert isinstance(judge(before, after, **modes), Proved)
    for line in (compares.format(1, 2), asks.format(1)):
        wrong = f"{first}label(p1, descr=Body)\n{edited(body, line, '')}jump(p2, descr=Body)\n"
        assert not isinstance(judge(before, wrong, **modes), Proved)


def test_the_words_say_how_guards_of_a_loop_are_counted() -> None:
    verdict = judge(*WRONG["a guard moved out that may fail later"])
    told = verdict_text(verdict)
    assert "guards are counted on through the iterations shown" in told
    assert "guard 1: left" in told
