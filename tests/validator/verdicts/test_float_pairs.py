"""Pairs of traces on floats, right and wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from certificates import is_checked

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.judge import validate
from validator.solvers.portfolio import FIRST_EFFORT
from validator.tell.stored_state import restored_state, stored_state
from validator.verdict import Floats, Options, Proved, Refuted, Unknown, Verdict

OPAQUE = Options(floats=Floats.OPAQUE)


def trace(text: str) -> Trace:
    header, *lines = text.split("; ")
    return parse("\n".join([f"[{header}]", *lines]))


def judge(before: str, after: str, options: Options | None = None) -> Verdict:
    return validate(trace(before), trace(after), options)


BY_LAWS = {
    "commuted": ("f0, f1; f2 = float_add(f0, f1); finish(f2)", "f0, f1; f2 = float_add(f1, f0); finish(f2)"),
    "times one": ("f0; f1 = float_mul(f0, 1.0); finish(f1)", "f0; finish(f0)"),
    "a difference": (
        "f0, f1; f2 = float_sub(f0, f1); finish(f2)",
        "f0, f1; f2 = float_neg(f1); f3 = float_add(f0, f2); finish(f3)",
    ),
    "there and back": (
        "i0; i1 = int_and(i0, 255); f2 = cast_int_to_float(i1); i3 = cast_float_to_int(f2); finish(i3)",
        "i0; i1 = int_and(i0, 255); finish(i1)",
    ),
    "a power of two": ("f0; f1 = float_truediv(f0, 4.0); finish(f1)", "f0; f1 = float_mul(f0, 0.25); finish(f1)"),
    "turned around": (
        "f0, f1; i2 = float_gt(f0, f1); guard_true(i2) [f0]; finish(i2)",
        "f0, f1; i2 = float_lt(f1, f0); guard_true(i2) [f0]; finish(1)",
    ),
    "forwarded": (
        "p0, f1; setfield_gc(p0, f1, descr=x); f2 = getfield_gc_f(p0, descr=x); finish(f2)",
        "p0, f1; setfield_gc(p0, f1, descr=x); finish(f1)",
    ),
    "cleared": ("i0; p1 = new(descr=A); f2 = getfield_gc_f(p1, descr=x); finish(f2)", "i0; finish(0.0)"),
    "an event's result": ("f0; f1 = escape_f(f0); f2 = float_abs(f1); finish(f2)",) * 2,
    "a value": (
        "f0; guard_value(f0, 1.5) [f0]; f1 = float_add(f0, 1.0); finish(f1)",
        "f0; guard_value(f0, 1.5) [f0]; finish(2.5)",
    ),
    "bytes and back": (
        "f0; i1 = convert_float_bytes_to_longlong(f0); f2 = convert_longlong_bytes_to_float(i1); finish(f2)",
        "f0; finish(f0)",
    ),
    "the sign of an ordered one": (
        "f0; i1 = float_lt(f0, -0.0); guard_true(i1) []; f2 = float_abs(f0); finish(f2)",
        "f0; i1 = float_lt(f0, 0.0); guard_true(i1) []; f2 = float_neg(f0); finish(f2)",
    ),
}

EXACTLY = {
    "nothing": ("f0; f1 = float_sub(f0, f0); i2 = float_lt(f1, 0.0); finish(i2)", "f0; finish(0)"),
    "a square": (
        "f0; f1 = float_mul(f0, f0); i2 = float_lt(f1, 0.0); guard_false(i2) []; finish(f1)",
        "f0; f1 = float_mul(f0, f0); finish(f1)",
    ),
    "not negative": (
        "i0; i1 = int_and(i0, 255); f2 = cast_int_to_float(i1); i3 = float_lt(f2, 0.0); finish(i3)",
        "i0; finish(0)",
    ),
}

WRONG = {
    "plus zero": ("f0; f1 = float_add(f0, 0.0); finish(f1)", "f0; finish(f0)"),
    "times zero": ("f0; f1 = float_mul(f0, 0.0); finish(f1)", "f0; finish(0.0)"),
    "minus itself": ("f0; f1 = float_sub(f0, f0); finish(f1)", "f0; finish(0.0)"),
    "equals itself": ("f0; i1 = float_eq(f0, f0); finish(i1)", "f0; finish(1)"),
    "negated": (
        "f0, f1; i2 = float_lt(f0, f1); i3 = int_is_zero(i2); finish(i3)",
        "f0, f1; i3 = float_ge(f0, f1); finish(i3)",
    ),
    "a third": (
        "f0; f1 = float_truediv(f0, 3.0); finish(f1)",
        "f0; f1 = float_mul(f0, 0.3333333333333333); finish(f1)",
    ),
    "regrouped": (
        "f0, f1; f2 = float_add(f0, f1); f3 = float_add(f2, 1.0); finish(f3)",
        "f0, f1; f2 = float_add(f1, 1.0); f3 = float_add(f0, f2); finish(f3)",
    ),
    "an equal one": (
        "f0; i1 = float_eq(f0, 0.0); guard_true(i1) []; finish(f0)",
        "f0; i1 = float_eq(f0, 0.0); guard_true(i1) []; finish(0.0)",
    ),
    "the other zero": ("f0; guard_value(f0, 0.0) [f0]; finish()", "f0; guard_value(f0, -0.0) [f0]; finish()"),
    "an old content": (
        "p0, p1, f2; setfield_gc(p0, 1.5, descr=x); setfield_gc(p1, f2, descr=x); "
        "f3 = getfield_gc_f(p0, descr=x); finish(f3)",
        "p0, p1, f2; setfield_gc(p0, 1.5, descr=x); setfield_gc(p1, f2, descr=x); finish(1.5)",
    ),
    "a cast that may be undefined": (
        "f0, i1; guard_true(i1) []; i2 = cast_float_to_int(f0); finish(i2)",
        "f0, i1; i2 = cast_float_to_int(f0); guard_true(i1) []; finish(i2)",
    ),
    "rounded": (
        "i0; f1 = cast_int_to_float(i0); guard_value(f1, 9007199254740992.0) []; finish(i0)",
        "i0; f1 = cast_int_to_float(i0); guard_value(f1, 9007199254740992.0) []; finish(9007199254740992)",
    ),
}


@pytest.mark.parametrize("name", BY_LAWS)
@pytest.mark.parametrize("options", [Options(), OPAQUE], ids=["exact", "opaque"])
def test_what_laws_settle_is_proved(name: str, options: Options) -> None:
    assert isinstance(judge(*BY_LAWS[name], options), Proved)


@pytest.mark.parametrize("name", EXACTLY)
def test_what_only_the_theory_settles(name: str) -> None:
    proved, unknown = judge(*EXACTLY[name]), judge(*EXACTLY[name], OPAQUE)
    assert isinstance(proved, Proved)
    assert isinstance(unknown, Unknown)
    assert "a candidate was found" in unknown.reason


@pytest.mark.parametrize("name", [name for name in (*BY_LAWS, *EXACTLY) if name != "a power of two"])
def test_the_checker_agrees(name: str) -> None:
    assert is_checked(*map(trace, (BY_LAWS | EXACTLY)[name]))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted_and_never_checked(name: str) -> None:
    assert isinstance(judge(*WRONG[name]), Refuted)
    assert not is_checked(*map(trace, WRONG[name]))


@pytest.mark.usefixtures("no_samples")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_not_proved_without_samples(name: str) -> None:
    assert not isinstance(judge(*WRONG[name]), Proved)


@pytest.mark.parametrize("name", WRONG)
def test_a_state_of_floats_is_stored_and_read_again(name: str) -> None:
    verdict = judge(*WRONG[name])
    assert isinstance(verdict, Refuted)
    before, state = trace(WRONG[name][0]), verdict.counterexample.state
    again = restored_state(stored_state(state, before), before, layout_of(before), "here")
    assert again is not None
    assert (again.inputs, again.world.results) == (state.inputs, state.world.results)


def test_the_bytes_of_nan_decide_nothing() -> None:
    back = "i0; f1 = convert_longlong_bytes_to_float(i0); i2 = convert_float_bytes_to_longlong(f1); finish(i2)"
    assert isinstance(judge(back, "i0; finish(i0)"), Unknown)
    bytes_of_nan = "f0; i1 = convert_float_bytes_to_longlong(f0); finish(i1)"
    guarded = "f0; guard_value(f0, nan) []; i1 = convert_float_bytes_to_longlong(f0); finish(i1)"
    assert isinstance(judge(guarded, "f0; guard_value(f0, nan) []; finish(0x7ff8000000000000)"), Unknown)
    assert isinstance(judge(bytes_of_nan, bytes_of_nan), Proved)


def test_a_candidate_on_which_the_bytes_of_nan_are_asked_for_is_none() -> None:
    """Neither while its functions and events are looked for, nor where the recorded trace asks behind an event."""
    call = "i2 = call_pure_i(ConstClass(hash), i1, descr=hash); guard_no_exception() [i1]"
    before = f"f0, i1; guard_value(f0, nan) []; i3 = convert_float_bytes_to_longlong(f0); {call}; finish(i2)"
    after = f"f0, i1; guard_value(f0, nan) []; {call}; finish(i1)"
    assert isinstance(judge(before, after), Unknown)
    before = f"f0, i1; guard_value(f0, nan) []; {call}; escape_n(i2); i3 = cast_float_to_singlefloat(f0); finish(i2)"
    after = f"f0, i1; guard_value(f0, nan) []; {call}; escape_n(i1); finish(i2)"
    assert isinstance(judge(before, after), Refuted)


def test_few_exact_queries_are_put_for_a_pair() -> None:
    names = range(12)
    before = [f"f{50 + k} = float_add(f{k}, f{k}); f{100 + k} = float_add(f{50 + k}, f{50 + k})" for k in names]
    after = [f"f{100 + k} = float_mul(f{k}, 4.0)" for k in names]
    inputs, given = ", ".join(f"f{k}" for k in names), ", ".join(f"f{100 + k}" for k in names)
    put: list[str] = []
    pair = [trace("; ".join([inputs, *lines, f"finish({given})"])) for lines in (before, after)]
    verdict = validate(*pair, replace(Options(), effort=FIRST_EFFORT), observe=lambda query: put.append(query.text))
    assert isinstance(verdict, Unknown)
    assert sum("fp.mul" in text for text in put) == 3
