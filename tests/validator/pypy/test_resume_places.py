"""Guards of a loop's body resume, for bridges to its label, where the proof of the loop alone finds that they do."""

from __future__ import annotations

import pytest

from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace, exit_of
from tests.pypy_logs import bridge, loop, pairs_of, recorded
from validator import Options, Proved, Verdict, validate
from validator.pypy import resume_places
from validator.pypy.judge import OPTIONS
from validator.pypy.pair_text import translated
from validator.pypy.resume_places import Places, placed, places_of
from validator.pypy.study import study
from validator.pypy.translate import Translated

STEP = "<FieldS Counter.step 8>"
ASKS = ("i4 = int_lt(i1, 100)", "guard_true(i4{})", "i6 = int_le(i1, 100)", "guard_true(i6{})")
ADDS = ("i2 = int_add(i1, i3)", "i5 = int_lt(i2, 90)", "guard_true(i5{})")
LOOP = recorded(
    "[p0, i1]",
    *(line.format("") for line in ASKS),
    f"i3 = getfield_gc_i(p0, descr={STEP})",
    *(line.format("") for line in ADDS),
    "jump(p0, i2, descr=<Loop-1>)",
) + loop(
    "[p0, i1]",
    "+1: label(p0, i1, descr=TargetToken(140))",
    "+1: i4 = int_lt(i1, 100)",
    "+1: guard_true(i4, descr=<Guard0x7f01>) [p0, i1]",
    f"+1: i3 = getfield_gc_i(p0, descr={STEP})",
    "+1: i2 = int_add(i1, i3)",
    "+1: i5 = int_lt(i2, 90)",
    "+1: guard_true(i5, descr=<Guard0x7f02>) [p0, i2]",
    "+1: label(p0, i2, i3, descr=TargetToken(141))",
    "+1: i12 = int_add(i2, i3)",
    "+1: i15 = int_lt(i12, 90)",
    "+1: guard_true(i15, descr=<Guard0x7f10>) [p0, i12]",
    "+1: jump(p0, i12, i3, descr=TargetToken(141))",
)
BRIDGE = recorded("[p0, i1]", "jump(p0, 3, descr=<Loop-1>)") + bridge(
    "[p0, i1]", f"+1: i3 = getfield_gc_i(p0, descr={STEP})", "+1: jump(p0, 3, i3, descr=TargetToken(141))"
)
PLACES = (3,)
"""Behind the guard that always passes."""


COUNT = (
    f"i2 = getfield_gc_i(p0, descr={STEP})",
    "i3 = int_lt(i2, 9)",
    "guard_true(i3{})",
    "i4 = int_add(i2, 1)",
    f"setfield_gc(p0, i4, descr={STEP})",
)
COUNTING = recorded("[p0]", *(line.format("") for line in COUNT), "jump(p0, descr=<Loop-1>)") + loop(
    "[p0]",
    "+1: label(p0, descr=TargetToken(140))",
    *(f"+1: {line.format(', descr=<Guard0x7f01>')}{' [p0]' * ('guard' in line)}" for line in COUNT),
    "+1: label(p0, i4, descr=TargetToken(141))",
    "+1: i13 = int_lt(i4, 9)",
    "+1: guard_true(i13, descr=<Guard0x7f10>) [p0]",
    "+1: i14 = int_add(i4, 1)",
    f"+1: setfield_gc(p0, i14, descr={STEP})",
    "+1: jump(p0, i14, descr=TargetToken(141))",
)
BACK = recorded("[p0]", "jump(p0, descr=<Loop-1>)") + bridge(
    "[p0]", f"+1: i4 = getfield_gc_i(p0, descr={STEP})", "+1: jump(p0, i4, descr=TargetToken(141))"
)


def text(log: str = LOOP + BRIDGE, *, is_by_preamble: bool = False) -> Translated:
    items = pairs_of(log)
    knowledge = study(items, "log")
    *_, pair = knowledge.given(items)
    return translated(pair, "log", knowledge, is_by_preamble=is_by_preamble)  # type: ignore[arg-type]


def test_they_are_told_by_the_proof_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which is told where they seem to resume."""
    told: list[int | None] = []

    def observed(before: Trace, after: Trace, options: Options, *, runs_to_end: bool) -> Verdict:
        told.extend(exit_of(guard).origin for guard in after.guards)
        return validate(before, after, options, runs_to_end=runs_to_end)

    monkeypatch.setattr(resume_places, "validate", observed)
    assert places_of(text(), OPTIONS) == PLACES
    assert told == [1, 3, 4 + 3]


def test_there_are_none_where_the_loop_is_wrong() -> None:
    log = (LOOP + BRIDGE).replace("int_lt(i12, 90)", "int_lt(i12, 91)")
    assert places_of(text(log), OPTIONS) == ()


def test_they_are_asked_for_where_guards_do_not_seem_to_have_any() -> None:
    def asked() -> Places:
        raise AssertionError

    assert placed(text(), asked, OPTIONS) == text()
    lost = replace(text(), in_loop=(None, None, None))
    assert placed(lost, lambda: PLACES, OPTIONS) == replace(lost, in_loop=(None, None, 3), is_placed=True)


def test_a_preamble_that_goes_round_with_what_it_begins_with_has_none() -> None:
    by_preamble = replace(text(is_by_preamble=True), in_loop=(None, None, None))
    assert places_of(by_preamble, OPTIONS) == ()
    assert placed(by_preamble, lambda: PLACES, OPTIONS) is None
    assert placed(by_preamble, lambda: (), OPTIONS) == by_preamble


def test_one_that_counts_in_a_field_has_its_own() -> None:
    by_preamble = replace(text(COUNTING + BACK, is_by_preamble=True), in_loop=(None, None))
    assert places_of(by_preamble, OPTIONS) == (1,)
    told = replace(by_preamble, in_loop=(None, 1), is_placed=True)
    assert placed(by_preamble, lambda: (3,), OPTIONS) == told


def test_one_that_resumes_in_the_iteration_before_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(before: Trace, after: Trace, options: Options, *, runs_to_end: bool) -> Verdict:
        verdict = validate(before, after, options, runs_to_end=runs_to_end)
        assert isinstance(verdict, Proved)
        return replace(verdict, evidence=replace(verdict.evidence, origins=(1, 5, 3)))

    monkeypatch.setattr(resume_places, "validate", found)
    assert places_of(text(), OPTIONS) == (None,)
