"""Vacuous proofs, what is given up, and what counterexamples say."""

from __future__ import annotations

import json
import signal
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pairs import judge, proved, refuted
from processes import run_loaded

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator import Failed, Options, Proved, Unknown, Unsupported, validate
from validator.command.validate import main
from validator.processes.alarm import Late, alarm
from validator.prove.discharge import Discharger
from validator.prove.judge import OUT_OF_TIME, _Judge

pytestmark = pytest.mark.usefixtures("rungs")


# Vacuity.


def test_a_guard_that_never_passes_is_told() -> None:
    text = "[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish({})"
    evidence = proved(text.format("i0"), text.format("7")).evidence
    assert evidence.vacuous == ("guard 0 of the recorded trace never passes",)


def test_guards_that_exclude_each_other_are_told() -> None:
    text = """[i0]
i1 = int_lt(i0, 5)
guard_true(i1) []
i2 = int_gt(i0, 100)
guard_true(i2) []
i3 = int_lt(i0, 50)
guard_true(i3) []
finish()"""
    assert proved(text, text).evidence.vacuous == ("guard 1 of the recorded trace never passes",)


def test_whoever_knows_a_run_to_the_end_is_not_told_again() -> None:
    trace = parse("[i0]\ni1 = int_lt(i0, i0)\nguard_true(i1) []\nfinish()")
    verdict = validate(trace, trace, runs_to_end=True)
    assert isinstance(verdict, Proved)
    assert verdict.evidence.vacuous == ()


def test_a_trace_that_is_never_defined_is_told() -> None:
    text = "[i0]\ni1 = int_lshift(i0, 64)\nfinish(i1)"
    (reason,) = proved(text, text).evidence.vacuous or ("",)
    assert "on no input" in reason


def test_guards_that_pin_all_inputs_are_not_vacuous() -> None:
    text = "[i0]\ni1 = int_mul(i0, i0)\nguard_value(i1, 15241578750190521) []\nfinish(i0)"
    assert proved(text, text).evidence.vacuous == ()
    mixed = "[i0]\ni1 = uint_mul_high(i0, i0)\nguard_value(i1, 15241578750190521) []\nfinish(i0)"
    assert proved(mixed, mixed, effort=1).evidence.vacuous is None


def test_a_guard_that_passes_only_where_the_trace_is_undefined_is_told() -> None:
    text = "[i0, i1]\ni2 = int_lshift(i0, i1)\ni3 = int_gt(i1, 63)\nguard_true(i3) []\nfinish(i2)"
    assert proved(text, text).evidence.vacuous == ("guard 0 of the recorded trace never passes",)


# Limits.


def test_an_operation_that_is_not_modelled() -> None:
    verdict = judge("[i0]\np1 = call_malloc_nursery(i0)\nfinish(p1)", "[i0]\nfinish(1)")
    assert isinstance(verdict, Unsupported)
    assert verdict.reason == "line 2: call_malloc_nursery"
    verdict = judge("[i0]\nfinish(i0)", "[i0]\n\np1 = call_malloc_nursery(3)\nfinish(i0)")
    assert isinstance(verdict, Unsupported)
    assert (verdict.reason, verdict.trace) == ("line 3: call_malloc_nursery", "after")


HARD = (
    "[i0, i1]\ni2 = uint_mul_high(i0, i1)\ni3 = uint_mul_high(i2, i1)\ni4 = int_xor(i3, i2)\nfinish(i4)",
    "[i0, i1]\ni2 = uint_mul_high(i0, i1)\ni3 = uint_mul_high(i1, i0)\ni4 = uint_mul_high(i1, i3)\n"
    "i5 = int_or(i4, i2)\ni6 = int_and(i4, i2)\ni7 = int_sub(i5, i6)\nfinish(i7)",
)


def test_too_little_effort_is_unknown() -> None:
    before = "[i0, i1, i2]\ni3 = int_xor(i0, i1)\ni4 = int_floordiv(i3, i2)\nfinish(i4)"
    after = """[i0, i1, i2]
i3 = int_or(i0, i1)
i4 = int_and(i0, i1)
i5 = int_sub(i3, i4)
i6 = int_floordiv(i5, i2)
finish(i6)"""
    verdict = judge(before, after, effort=50_000)
    assert isinstance(verdict, Unknown)
    assert "effort" in verdict.reason


@pytest.mark.parametrize("limits", [{"timeout_s": float("inf")}, {"timeout_s": 1e12}, {"effort": 1 << 40}])
def test_limits_may_be_large(limits: dict[str, Any]) -> None:
    before = parse("[i0]\ni1 = int_mul(i0, i0)\ni2 = int_and(i1, 2)\nfinish(i2)")
    assert isinstance(validate(before, parse("[i0]\nfinish(0)"), replace(Options(), **limits)), Proved)


def test_a_long_chain_of_operations() -> None:
    chain = "".join(f"i{k + 1} = {('int_neg', 'int_invert')[k % 2]}(i{k})\n" for k in range(3000))
    text = f"[i0]\n{chain}guard_value(i3000, {{}}) [i0]\nfinish()"
    proved(text.format(5), text.format(5))
    refuted(text.format(5), text.format(6), "guard 0")


def test_a_query_that_is_too_large_for_its_effort() -> None:
    """Z3 would not come back from it in time, or at all."""
    products = "".join(f"i{k + 10} = int_mul(i{k + 9}, i1)\n" for k in range(500))
    text = f"[i0, i1]\n{{}}{products}i2 = int_lt(i509, 5)\nguard_true(i2) [i9]\nfinish()"
    before = text.format("i9 = int_add(i0, i1)\n")
    verdict = judge(before, text.format("i3 = int_and(i0, i1)\ni4 = int_or(i0, i1)\ni9 = int_add(i3, i4)\n"))
    assert isinstance(verdict, Unknown)
    assert "effort" in verdict.reason


def test_the_time_limit_is_a_net() -> None:
    before = parse("[i0]\ni1 = int_mul(i0, i0)\ni2 = int_and(i1, 2)\nfinish(i2)")
    after = parse("[i0]\nfinish(0)")
    verdict = validate(before, after, Options(timeout_s=1e-9))
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason


def sums(lines: str) -> Trace:
    guarded = "".join(f"{lines}guard_value(i{{0}}, i99) []\n".format(k) for k in range(1, 8))
    return parse(f"[i0, i99]\n{guarded}finish()")


SUMS = (
    sums("i{0} = int_xor(i0, {0})\n"),
    sums("j{0} = int_or(i0, {0})\nk{0} = int_and(i0, {0})\ni{0} = int_sub(j{0}, k{0})\n"),
)


def test_behind_the_time_limit_no_obligations_are_looked_at() -> None:
    verdict = validate(*SUMS, Options(timeout_s=1e-9))
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason
    assert len(verdict.evidence.obligations) < 2


def test_nor_is_a_query_made_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    now, denied = [0.0], []
    together, deny = Discharger.together, Discharger._denied

    def late(discharger: Discharger, obligations: Any) -> Any:
        now[0] = 100.0
        denied.clear()
        return together(discharger, obligations)

    monkeypatch.setattr(Discharger, "together", late)
    monkeypatch.setattr(Discharger, "_denied", lambda *args: denied.append(args) or deny(*args))
    verdict = validate(*SUMS, Options(timeout_s=50.0), clock=lambda: now[0])
    assert isinstance(verdict, Unknown)
    assert "time limit" in verdict.reason
    assert not denied


def test_behind_the_time_limit_no_other_origins_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    guards = "guard_false(i0) []\nguard_false(i0) []\nguard_false(i0) []\n"
    before = parse(f"[i0, i1]\n{guards}i2 = int_mul(i1, i1)\ni3 = int_and(i2, 2)\nfinish(i3)")
    after = parse("[i0, i1]\nguard_false(i0) []\nfinish(0)")
    tried: list[list[int | None]] = []
    attempt = _Judge._attempt

    def noting(judge: _Judge, origins: list[int | None]) -> object:
        tried.append(origins)
        return attempt(judge, origins)

    monkeypatch.setattr(_Judge, "_attempt", noting)
    assert isinstance(validate(before, after, Options(timeout_s=1e-9)), Unknown)
    assert len(tried) == 1
    tried.clear()
    assert isinstance(validate(before, after, Options(effort=1)), Unknown)
    assert len(tried) > 1


@pytest.mark.parametrize("other", ["[i0, i1]\nfinish()", "[]\nfinish()", "[p0]\nfinish()", "[f0]\nfinish()"])
def test_different_inputs(other: str) -> None:
    verdict = judge("[i0]\nfinish()", other)
    assert isinstance(verdict, Failed)
    assert "different inputs" in verdict.reason


def test_different_words() -> None:
    verdict = validate(parse("[]\nfinish()", word=8), parse("[]\nfinish()", word=16))
    assert isinstance(verdict, Failed)
    assert "8 and 16" in verdict.reason


@pytest.mark.parametrize("word", [4, 5, 8, 16, 32, 64])
def test_words_of_all_widths(word: int) -> None:
    proved("[i0]\ni1 = int_py_mod(i0, 4)\nfinish(i1)", "[i0]\ni1 = int_and(i0, 3)\nfinish(i1)", word=word)
    refuted("[i0]\ni1 = int_mod(i0, 4)\nfinish(i1)", "[i0]\ni1 = int_and(i0, 3)\nfinish(i1)", word=word)


# Counterexamples.


@pytest.mark.parametrize(
    ("condition", "inputs"),
    [("int_gt(i0, 100)", (101,)), ("int_lt(i0, 17)", (0,)), ("int_ne(i0, 0)", (1,)), ("uint_gt(i0, 5)", (-1,))],
)
def test_small_inputs_are_preferred(condition: str, inputs: tuple[int, ...]) -> None:
    guard = f"[i0]\ni1 = {condition}\nguard_true(i1) []\n"
    assert refuted(guard + "finish(1)", guard + "finish(2)").counterexample.state.inputs == inputs


def test_debug_positions_have_no_meaning() -> None:
    proved("[i0]\ndebug_merge_point(0, 0, 'x (y) [z]')\nfinish(i0)", "[i0]\nfinish(i0)")


# What takes too long.


def test_what_looks_at_no_clock_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        while True:
            with suppress(Exception):
                time.sleep(1000)

    monkeypatch.setattr("validator.prove.judge._Judge.verdict", hang)
    monkeypatch.setattr("validator.prove.judge._NET_S", 0.1)
    trace = parse("[i0]\nfinish(i0)")
    verdict = validate(trace, trace, Options(timeout_s=0.1))
    assert isinstance(verdict, Unknown)
    assert verdict.reason == OUT_OF_TIME
    assert not verdict.evidence.is_repeatable
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_around_a_verdict_stays() -> None:
    trace = parse("[i0]\nfinish(i0)")
    with alarm(100.0):
        assert isinstance(validate(trace, trace), Proved)
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] < 100

    def within() -> None:
        with alarm(100.0):
            time.sleep(0.1)
        time.sleep(1)

    with pytest.raises(Late), alarm(0.05):
        within()


@pytest.mark.parametrize("seconds", ["inf", "1e300", "1e-300"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_any_number_of_seconds_is_a_limit(
    seconds: str, jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "[i0]\nfinish(i0)"
    Path("pairs").write_text(json.dumps({"before": text, "after": text}) + "\n")
    done = run_loaded(["validate", "--batch", "pairs", "--jobs", jobs, "--timeout", seconds], tmp_path)
    assert (done.returncode, json.loads(done.stdout)["verdict"], done.stderr) == (0, "proved", "")


def test_what_is_not_a_number_of_seconds_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["before", "after", "--timeout", "nan"])
    assert ended.value.code == 2
    assert "nan is not a number of seconds." in capsys.readouterr().err


def test_a_trace_that_is_given_up_leaves_at_its_last_guard() -> None:
    text = "[i0, i1]\n{}guard_true({}) [i0]\ni2 = int_floordiv(i0, i1)\nguard_always_fails() [i2]\njump(i2, i1)\n"
    assert proved(text.format("", "i1"), text.format("", "i1")).evidence.vacuous == ()
    never = text.format("i3 = int_lt(i1, i1)\n", "i3")
    assert proved(never, never).evidence.vacuous == ("guard 0 of the recorded trace never passes",)
    undefined = text.format("i3 = int_is_zero(i1)\n", "i3")
    (reason,) = proved(undefined, undefined).evidence.vacuous or ("",)
    assert reason == "guard 1 of the recorded trace never passes"
