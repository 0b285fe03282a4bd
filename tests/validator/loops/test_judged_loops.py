"""Peeled loops that are right, and faults planted in them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from fuzz.report.judged import judge_pair
from fuzz.report.pair_page import pair_page
from optimizer.ir.text import parse
from tests.validator.loop_pairs import ADDS, LOADED_ONCE, RIGHT, WRONG, edited
from tests.validator.pairs import judge
from validator import Options, Proved, Refuted, Unknown, Verdict, validate
from validator.cache import Cache, Question, validate_cached
from validator.tell.report import verdict_json, verdict_text


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


def turned(preamble: int, body: int, *, old: bool = False, name: int | None = None) -> Verdict:
    """The verdict on a loop with so many iterations in front of its label and behind it; all guards resume at the only
    one that is recorded, which has that name. `old`: the last one hands over what the one in front does."""
    names = [f"i{number}" for number in range(preamble + body + 1)]
    turns = [
        f"{value} = int_add({last}, 5)\n{value}_ = int_lt({value}, 99)\n"
        f"guard_true({value}_, origin={name or 0}) [{handed}]\n"
        for last, value in pairwise(names)
        for handed in [last if old and value == names[-1] else value]
    ]
    label = f"label({names[preamble]}, descr=Body)\n"
    after = f"[i0]\n{''.join(turns[:preamble])}{label}{''.join(turns[preamble:])}jump({names[-1]}, descr=Body)"
    named = "" if name is None else f", origin={name}"
    return judge(f"[i0]\ni1 = int_add(i0, 5)\ni2 = int_lt(i1, 99)\nguard_true(i2{named}) [i1]\njump(i1)", after)


@pytest.mark.parametrize(("preamble", "body"), [(2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("name", [None, 4])
def test_a_loop_of_several_iterations_in_one_is_unknown(preamble: int, body: int, name: int | None) -> None:
    """It is right, if its guards stand for those of later iterations than they would otherwise."""
    assert isinstance(turned(preamble, body, name=name), Unknown)
    assert isinstance(turned(1, 1, name=name), Proved)
    assert isinstance(turned(1, 1, name=name, old=True), Refuted)


def test_a_bridge_that_goes_round_the_loop_is_not_refuted() -> None:
    bridge = "[p0, i0]\njump(p0, i0)"
    once = LOADED_ONCE.partition("label")[0]
    verdict = validate(
        parse(bridge), parse(f"{once}jump(p0, i2, i1, descr=Body)"), loop=(parse(ADDS), parse(LOADED_ONCE))
    )
    assert isinstance(verdict, Unknown), verdict


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


def test_the_words_say_how_guards_of_a_loop_are_counted() -> None:
    verdict = judge(*WRONG["a guard moved out that may fail later"])
    told = verdict_text(verdict)
    assert "guards are counted on through the iterations shown" in told
    assert "guard 1: left" in told


def test_a_run_that_begins_with_an_exception_is_told_to() -> None:
    """An iteration hands one on if its event raises, and the next one begins with it."""
    body = "guard_no_exception(origin=0) []\ncall_n(1, i0, descr=poke)\n"
    declared = '+++\n[call.poke]\nresult = "void"\ncan_raise = true\n+++\n'
    before = f"{declared}[i0]\n{body.replace('origin=0', '')}jump(i0)\n"
    first = body.partition("\n")[2]
    after = f"{declared}[i0]\n{first}label(i0, descr=Body)\n{body}jump(i0, descr=Body)\n"
    verdict = judge(before, after)
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith("entry: guard 0: left: ")
    assert (
        "the optimized one goes on to its end, where an exception is pending at the start; but no run" in verdict.reason
    )
