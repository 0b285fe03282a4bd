"""The time that a pair of a log takes: what is asked of it, how often, and the limit for all of that together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from tests.pypy_logs import CALL, COUNT, across_a_call, bridge, pairs_of, recorded
from validator import Failargs, Options, Proved, Refuted, Unknown, Verdict, validate
from validator.prove.judge import OUT_OF_TIME
from validator.pypy.exits import prove_with_exits
from validator.pypy.judge import OPTIONS, Judged, holds, judge
from validator.pypy.pair_text import translated
from validator.pypy.resume_data import Loop
from validator.pypy.study import study
from validator.pypy.translate import Translated
from validator.verdict import Evidence

LOG = """\
[1] {jit-log-noopt
# Traced loop or bridge with 4 ops
[p0, i1]
i2 = int_add(i1, 1)
i3 = int_lt(i2, 9)
guard_true(i3)
jump(p0, i2, descr=<Loop-1>)
[2] jit-log-noopt}
[3] {jit-log-opt-loop
# Loop 1 (f;a.py:4-9~#40 FOR_ITER) : loop with 5 ops
[p0, i1]
+17: label(p0, i1, descr=TargetToken(140))
+19: i2 = int_add(i1, 1)
+20: i3 = int_lt(i2, LIMIT)
+20: guard_true(i3, descr=<Guard0x7f10>) [p0]
+21: jump(p0, END, descr=TargetToken(140))
+30: --end of the loop--
[4] jit-log-opt-loop}
"""


def judged(limit: str, end: str, asked: list[Options], options: Options = OPTIONS) -> Judged:
    log = LOG.replace("LIMIT", limit).replace("END", end)
    pairs = pairs_of(log)

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        asked.append(options)
        return validate(before, after, options, loop=loop)

    return judge(pairs[0], "log", study(pairs, "log"), options, prove)


def test_a_right_pair_is_proved_once() -> None:
    asked: list[Options] = []
    assert isinstance(judged("9", "i2", asked).verdict, Proved)
    assert [options.failargs for options in asked] == [Failargs.CHECK]


def test_a_wrong_end_is_wrong_whatever_the_origins_of_guards_are() -> None:
    asked: list[Options] = []
    assert isinstance(judged("9", "i1", asked).verdict, Refuted)
    assert [options.simplify for options in asked] == [False, False, True]


def test_a_wrong_guard_may_have_another_origin() -> None:
    asked: list[Options] = []
    assert isinstance(judged("8", "i2", asked).verdict, Refuted)
    assert [options.simplify for options in asked] == [False, False, False, False, True]


def test_the_counterexample_that_is_shown_is_a_simple_one() -> None:
    verdict = judged("9", "i1", []).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.state.inputs[1] == 0


def test_the_time_limit_is_that_of_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three quarters of it are for origins of guards that their places tell."""
    asked: list[Options] = []
    monkeypatch.setattr("validator.pypy.judge.time", SimpleNamespace(monotonic=lambda: 2.0 * len(asked)))
    verdict = judged("8", "i2", asked, replace(OPTIONS, timeout_s=5.0)).verdict
    assert [options.timeout_s for options in asked] == [3.75, 1.75, 1.0]
    assert isinstance(verdict, Unknown)
    assert not verdict.evidence.is_repeatable
    assert verdict.reason == f"guard 0: condition differs, and {OUT_OF_TIME}"


def test_nothing_is_tried_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[LogPair] = []

    def slow(pair: LogPair, *told: Any) -> Translated:
        read.append(pair)
        return translated(pair, *told)

    monkeypatch.setattr("validator.pypy.judge.time", SimpleNamespace(monotonic=lambda: 2.0 * len(read)))
    monkeypatch.setattr("validator.pypy.judge.translated", slow)
    monkeypatch.setattr("validator.pypy.judge.prove_with_exits", lambda *_: pytest.fail("it is tried"))
    shown = judged("9", "i2", [], replace(OPTIONS, timeout_s=2.0))
    assert isinstance(shown.verdict, Unknown)
    assert (shown.verdict.reason, shown.verdict.evidence.is_repeatable) == (OUT_OF_TIME, False)
    assert len(read) == 1


def test_what_was_open_when_the_time_was_over_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Options] = []
    monkeypatch.setattr("validator.pypy.judge.time", SimpleNamespace(monotonic=lambda: 2.0 * len(asked)))

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        asked.append(options)
        return Unknown(Evidence(), "guard 0: condition was not settled")

    pairs = pairs_of(LOG.replace("LIMIT", "8").replace("END", "i2"))
    verdict = judge(pairs[0], "log", study(pairs, "log"), replace(OPTIONS, timeout_s=2.0), prove).verdict
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "guard 0: condition was not settled"
    assert not verdict.evidence.is_repeatable
    assert len(asked) == 1


def holding(log: str, asked: list[Options]) -> bool:
    """Does the proof of the first pair hold without what is inferred?"""
    pairs = pairs_of(log)
    known = study(pairs, "log")

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        asked.append(options)
        return validate(before, after, options, loop=loop)

    return holds(judge(pairs[0], "log", known), pairs[0], "log", known, OPTIONS, prove)


def test_what_is_proved_is_not_proved_again_where_nothing_is_inferred() -> None:
    asked: list[Options] = []
    assert holding(LOG.replace("LIMIT", "9").replace("END", "i2"), asked)
    assert not asked


def test_a_proof_that_needs_what_is_inferred_is_asked_for_once_more() -> None:
    """A guard that asks about something else may have another origin, which nobody asks about here."""
    load, call = f"i{{}} = getfield_gc_i(p0, descr={COUNT})", f"call_n(ConstClass(tell), p0, descr={CALL})"
    test, ends = "i3 = int_lt({}, 9)", ("guard_true(i3)", "finish()")
    before = recorded("[p0]", load.format(1), call, load.format(2), test.format("i2"), *ends)
    lines = load.format(1), call, test.format("i1"), "guard_true(i3) []", "finish()"
    after = bridge("[p0]", *(f"+1: {line}" for line in lines))
    asked: list[Options] = []
    assert not holding(before + after, asked)
    assert len(asked) == 1


def test_a_proof_may_hold_without_what_is_inferred_of_it() -> None:
    """Nobody reads the field behind the call: whether that writes it does not matter."""
    load, call = f"i1 = getfield_gc_i(p0, descr={COUNT})", f"call_n(ConstClass(tell), p0, descr={CALL})"
    lines = ("[p0]", load, call, "finish(i1)")
    asked: list[Options] = []
    assert holding(recorded(*lines) + bridge("[p0]", *(f"+1: {line}" for line in lines[1:])) + across_a_call(), asked)
    assert asked


def test_origins_are_sought_without_notes_on_proofs() -> None:
    pairs = pairs_of(LOG.replace("LIMIT", "9").replace("END", "i2"))
    text = translated(pairs[0], "log", study(pairs, "log"))
    asked: list[Options] = []

    def prove(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        asked.append(options)
        return validate(before, after, options, loop=loop)

    shown = prove_with_exits(text.before, text.after, None, OPTIONS, prove)
    assert [(one.failargs, one.notes) for one in asked] == [(Failargs.IGNORE, False), (Failargs.CHECK, True)]
    assert isinstance(shown.verdict, Proved)
    assert shown.verdict.evidence.vacuous == ()


VACUOUS = """\
[i0]
guard_true(i0)
guard_false(i0)
finish(i0)
"""


def test_a_proof_without_notes_does_not_say_whether_it_is_vacuous() -> None:
    trace = parse(VACUOUS)
    for failargs, notes, is_told in ((m, n, n or m is Failargs.CHECK) for m in Failargs for n in (True, False)):
        verdict = validate(trace, trace, Options(failargs=failargs, notes=notes))
        assert isinstance(verdict, Proved)
        assert (verdict.evidence.vacuous is not None) == is_told
