"""What a test suite of an optimizer uses: drawn traces of all kinds, `assert_correct`, values that print well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from fuzz import assert_correct, traces
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.draw.vocabulary import KINDS, Vocabulary
from optimizer import format_trace, optimize, parse
from optimizer.ir.check import check
from optimizer.ir.rows.ops import OPS
from optimizer.ir.trace import Trace, Var
from validator import Failed, Proved, Refuted, Unknown, Unsupported, validate
from validator.tell.report import verdict_text
from validator.verdict import Evidence, Fault, Options

BEFORE = parse("[i0]\ni1 = int_add(i0, 1)\nfinish(i1)\n")
WRONG = parse("[i0]\nfinish(i0)\n")
REPORT = """\
refuted: end: argument 0

On i0 = 0:

    before                     after
    [i0]                       [i0]
    i1 = int_add(i0, 1)  # 1
  > finish(i1)  # (1)          finish(i0)  # (0)

end: argument 0: argument 0 of the end is 0, not 1."""
SOME = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# Drawing.


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
@settings(SOME, max_examples=8)
@given(data=st.data())
def test_traces_keep_to_the_kinds_that_are_asked_for(kind: str, data: st.DataObject) -> None:
    trace = data.draw(traces(kinds=[kind]))
    check(trace)
    assert not Vocabulary((kind,), word=64).foreign(trace)


def test_traces_of_all_kinds_are_drawn() -> None:
    once = settings(max_examples=3000, database=None, derandomize=True, phases=[Phase.generate])
    missing = {"getfield_gc_i", "getarrayitem_gc_i", "float_add", "strgetitem", "raw_load_i", "call_i"}

    def is_the_last(trace: Trace) -> bool:
        missing.difference_update(op.op.name for op in trace.ops)
        return not missing

    find(traces(max_ops=50), is_the_last, settings=once)


@SOME
@given(st.sampled_from([4, 8, 15, 16, 33, 64]).flatmap(lambda word: st.tuples(st.just(word), traces(word=word))))
def test_words_of_any_width_take_all_kinds(one: tuple[int, Trace]) -> None:
    word, trace = one
    check(trace)
    assert trace.word == word


def test_a_kind_that_is_none_is_said() -> None:
    with pytest.raises(ValueError, match="kinds: there is no kind 'integer'; the kinds are integers, floats,"):
        traces(kinds=["integer"])


# Judging.


@SOME
@given(traces(max_ops=8))
def test_our_optimizer_is_correct(trace: Trace) -> None:
    assert_correct(trace, optimize(trace))


def test_what_is_wrong_is_raised_with_the_report() -> None:
    with pytest.raises(AssertionError) as wrong:
        assert_correct(BEFORE, WRONG)
    assert str(wrong.value) == REPORT


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (None, "malformed: expected a trace, got NoneType\n\nNone"),
        (parse("[p0]\nfinish(p0)\n"), "malformed: expected inputs of the same types, in the same order\n\n[p0]"),
        (replace(WRONG, ops=(WRONG.ops[0].on((Var("i9"),)),)), "malformed: i9 is not defined"),
    ],
)
def test_what_cannot_be_right_is_raised(after: object, message: str) -> None:
    with pytest.raises(AssertionError) as wrong:
        assert_correct(BEFORE, after)
    assert str(wrong.value).startswith(message)


def test_what_nobody_knows_is_no_failure() -> None:
    strange = parse("[p0]\np1 = nursery_ptr_increment(p0)\nfinish(p1)\n")
    assert isinstance(assert_correct(strange, strange), Unsupported)
    assert isinstance(assert_correct(BEFORE, BEFORE), Proved)


def test_a_fault_of_this_tool_is_not_the_optimizers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.assertion.validate", lambda *_: Failed(Fault.TOOL, "planted"))
    with pytest.raises(RuntimeError, match="planted"):
        assert_correct(BEFORE, WRONG)


def test_options_are_those_of_validate() -> None:
    recorded = parse("[i0]\nguard_true(i0) [i0]\nfinish(i0)\n")
    other = parse("[i0]\nguard_true(i0) []\nfinish(i0)\n")
    with pytest.raises(AssertionError):
        assert_correct(recorded, other)
    assert isinstance(assert_correct(recorded, other, Options(failargs=type(Options().failargs).IGNORE)), Proved)


# Printing.


def test_a_verdict_prints_what_validate_prints() -> None:
    refuted = validate(BEFORE, WRONG)
    assert isinstance(refuted, Refuted)
    assert str(refuted) == verdict_text(refuted) == REPORT
    assert repr(refuted) == "<refuted: end: argument 0>"
    proved = validate(BEFORE, BEFORE)
    assert str(proved).startswith("proved: 1 obligation holds (1 by structure; ")
    assert repr(proved) == f"<{proved}>"
    assert repr(Unsupported("label", "before")) == "<unsupported: label>"
    assert str(Unsupported("label", "before")) == "unsupported: label\n  in the trace before"
    assert str(Unknown(Evidence(), "too hard")) == "unknown: too hard"
    assert str(Failed(Fault.INPUT, "planted")) == "error: planted"


@pytest.mark.parametrize("seed", range(40))
def test_a_trace_prints_as_its_text_and_is_represented_as_python(seed: int) -> None:
    trace = generate_for(seed).trace
    assert str(trace) == format_trace(trace)
    assert eval(repr(trace), {"parse": parse}) == trace


def test_text_that_python_would_read_otherwise_is_quoted() -> None:
    for text in ('"a\\\\b"', '"\\""'):
        trace = parse(f"[]\nfinish({text})\n")
        assert eval(repr(trace), {"parse": parse}) == trace


def test_an_ill_formed_trace_is_represented_all_the_same() -> None:
    trace = replace(BEFORE, ops=(replace(BEFORE.ops[0], op=None), BEFORE.ops[1]))  # type: ignore[arg-type]
    assert repr(trace).startswith("Trace((Var(name='i0', ")


def test_hypothesis_shows_a_failing_trace_as_its_text() -> None:
    @settings(max_examples=1000, deadline=None, database=None, derandomize=True)
    @given(traces(max_ops=3, kinds=["integers"]))
    def fails(trace: Trace) -> None:
        assert not any(op.op is OPS["int_neg"] for op in trace.ops)

    with pytest.raises(AssertionError) as wrong:
        fails()
    notes = "\n".join(wrong.value.__notes__)
    assert 'trace=parse("""\n[i0]\ni1 = int_neg(' in notes
    assert "Operation(" not in notes


def test_a_generated_trace_is_shown_with_its_example() -> None:
    for seed in range(40):
        made = generate_for(seed)
        assert str(made).startswith("On ")
        assert str(made).endswith(f"\n\n{made.trace}")
        assert repr(made) == str(made)
    assert isinstance(made, GeneratedTrace)
