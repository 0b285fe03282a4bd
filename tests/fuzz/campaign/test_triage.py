"""Who is guilty of a find, the bucket that it belongs to, and what a campaign keeps of it; the command `reduce`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from commands import Command, Ended
from finding import find_in

from fuzz.campaign.examine import Find, FindKind, Garbled, Made
from fuzz.campaign.find import case_of
from fuzz.campaign.plan import Plan
from fuzz.campaign.triage import Guilt, OurParts, bucket_of, find_guilt, reduced_case, settle, settle_find
from fuzz.cases.store import read_case, store_case
from fuzz.draw.generator import GeneratedTrace
from fuzz.reduce.failure import Failure, failure_of
from fuzz.reduce.trials import Subject
from optimizer import pipeline
from optimizer.ir.faults import InputError
from optimizer.ir.rules.language import rule
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Options, Verdict

OPTIONS = Options(effort=1_000_000, timeout_s=5.0)

TRACE = """\
[i0, i1, i2]
i3 = int_add(i0, i1)
i4 = int_mul(i3, 8)
i5 = int_sub(i4, i2)
i6 = int_lt(i5, 100)
guard_true(i6) [i0, i4]
i7 = int_or(i5, i3)
jump(i7, i4)
"""


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our optimizer shifts by one bit too many where it multiplies."""
    wrong = rule("mul_power_of_two", "int_mul(x, C) => int_lshift(x, int_add(log2(C), 1))", "is_power_of_two(C)")
    rules = tuple(wrong if one.name == "mul_power_of_two" else one for one in pipeline.ALL_RULES)
    monkeypatch.setattr(pipeline, "ALL_RULES", rules)


def find() -> Find:
    found = find_in(parse(TRACE), None, subject())
    assert found is not None
    return replace(found, seed=7, made=replace(found.made, seed=7))


def subject() -> Subject:
    return Subject(OurParts().without(()), judge, OPTIONS)


@pytest.mark.usefixtures("faulty")
def test_the_guilty_rule_is_found() -> None:
    assert find_guilt(find(), judge, OPTIONS, OurParts()) == Guilt(("simplify",), ("mul_power_of_two",))


@pytest.mark.usefixtures("faulty")
def test_a_find_is_settled() -> None:
    settled = settle(find(), subject(), 30.0, OurParts())
    assert settled.bucket.startswith("simplify-mul_power_of_two-")
    assert len(settled.reduced.before.ops) <= 3
    assert settle(find(), subject(), 30.0, OurParts()).bucket == settled.bucket


def test_what_is_right_has_nobody_guilty() -> None:
    made = Made(0, GeneratedTrace(parse(TRACE), State((0, 0, 0)), {}))
    right = Find(0, FindKind.CRASH, made, None, "IndexError: 5 (somewhere.py:3)")
    assert find_guilt(right, judge, OPTIONS, OurParts()) is None


def test_buckets_have_readable_names() -> None:
    trace = parse("[i0]\ni1 = int_mul(i0, 8)\nfinish(i1)\n")
    wrong = Failure(FindKind.REFUTED, "end: argument")
    guilty = Guilt(("simplify",), ("mul_add_const",))
    name = bucket_of(wrong, guilty, trace)
    assert name.startswith("simplify-mul_add_const-end-argument-")
    assert len(name.rpartition("-")[2]) == 4
    assert name == bucket_of(wrong, guilty, parse("[i5]\ni7 = int_mul(i5, 4)\nfinish(i7)\n"))
    assert name != bucket_of(wrong, guilty, parse("[i0]\ni1 = int_add(i0, 8)\nfinish(i1)\n"))
    assert name != bucket_of(Failure(FindKind.REFUTED, "end: arguments"), guilty, trace)
    assert bucket_of(wrong, None, trace).startswith("end-argument-")
    crash = Failure(FindKind.CRASH, "KeyError /here/walk.py:17")
    assert bucket_of(crash, None, trace).startswith("crash-KeyError-")
    assert bucket_of(crash, None, trace) == bucket_of(replace(crash, what="KeyError /there/walk.py:17"), None, trace)
    assert bucket_of(Failure(FindKind.HANG, "hang"), None, trace).startswith("hang-")


def test_what_is_malformed_is_the_same_whatever_its_text() -> None:
    def said(text: str) -> Failure:
        def answers(_: Trace) -> Trace:
            try:
                return parse(text, file="output")
            except InputError as error:
                raise Garbled(str(error), text) from None

        malformed = find_in(parse(TRACE), None, Subject(answers, judge, OPTIONS))
        assert malformed is not None
        assert malformed.kind is FindKind.MALFORMED
        return failure_of(malformed)

    twice = "[i0, i1, i2]\ni3 = int_add(i0, i1)\n{}finish()\n"
    assert said(twice.format("i3 = int_neg(i0)\n")) == said(twice.format("i3 = int_add(i0, 7)\n"))
    assert said(twice.format("i3 = int_neg(i0)\n")) != said(twice.format("i4 = int_neg(i5)\n"))


@pytest.mark.usefixtures("faulty")
def test_a_campaign_keeps_one_case_of_a_bucket(tmp_path: Path) -> None:
    case = case_of(find(), Plan(7))
    kept = settle_find(find(), case, subject(), (), 30.0, OurParts())
    assert kept.case is not None
    assert kept.case.name == kept.bucket
    assert store_case(tmp_path, kept.case)
    assert not store_case(tmp_path, kept.case)
    stored = read_case(tmp_path, kept.bucket)
    assert stored.original == case.before
    assert stored.original_after == case.after
    assert len(stored.before) < len(case.before)
    assert stored.expect == "refuted"
    assert stored.seed == 7
    assert stored.command == case.command
    again = settle_find(find(), case, subject(), {kept.bucket}, 30.0, OurParts())
    assert again.bucket == kept.bucket
    assert again.case is None


@pytest.mark.usefixtures("faulty")
def test_what_was_not_reduced_is_stored_as_it_is() -> None:
    case = case_of(find(), Plan(7))
    settled = settle(find(), Subject(lambda trace: trace, judge, OPTIONS), 30.0)
    assert not settled.reduced.repeated
    assert reduced_case(case, settled.reduced, "name") == replace(case, name="name")


# The command.

Run = Callable[..., Ended]


@pytest.fixture
def reduce(traceproof: Command) -> Run:
    traceproof.write("before.trace", TRACE)
    traceproof.write("after.trace", TRACE.replace("int_mul(i3, 8)", "int_mul(i3, 9)"))
    return partial(traceproof, "reduce")


@pytest.mark.usefixtures("faulty")
def test_a_trace_is_reduced_with_our_optimizer(reduce: Run) -> None:
    code, out, _ = reduce("before.trace")
    assert code == 0
    assert "guilty: simplify, rule mul_power_of_two\n" in out
    assert "7 operations, " in out
    assert "int_mul(i0, " in out
    assert "int_lshift(i0, " in out


def test_a_trace_is_reduced_with_another_optimizer(reduce: Run, tmp_path: Path) -> None:
    (tmp_path / "mine_reduce.py").write_text("def optimize(trace):\n    return 1 // ('int_mul' not in str(trace))\n")
    code, out, _ = reduce("before.trace", "--optimizer", "mine_reduce:optimize", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["kind"] == "crash"
    assert told["guilty"] is None
    assert told["operations"] == [7, 2]
    assert told["complete"]
    assert "int_mul" in told["before"]


def test_a_pair_is_reduced_and_stored(reduce: Run, tmp_path: Path) -> None:
    code, out, _ = reduce("before.trace", "after.trace", "-o", "small/pair", "--jobs", "2")
    assert code == 0
    assert "refuted: " in out
    case = read_case(tmp_path / "small", "pair")
    assert case.original == TRACE
    assert len(parse(case.before).ops) == 2
    code, _, err = reduce("before.trace", "after.trace", "-o", "small/pair")
    assert code == 2
    assert "is there already" in err
    code, out, _ = reduce("small/pair", "--json")
    assert code == 3
    assert json.loads(out)["operations"] == [2, 2]
    assert not json.loads(out)["smaller"]
    code, out, _ = reduce("pair", "--corpus", "small")
    assert code == 3
    assert out.startswith("not reduced: it is the smallest already")


def test_there_is_nothing_to_reduce(reduce: Run) -> None:
    code, _, err = reduce("before.trace", "before.trace")
    assert code == 2
    assert "nothing is wrong" in err
    code, _, err = reduce("nowhere")
    assert code == 2
    assert "nowhere" in err


def test_ctrl_c_shows_the_best_so_far(reduce: Run, tmp_path: Path) -> None:
    (tmp_path / "mine_interrupted.py").write_text(
        "calls = 0\n"
        "def optimize(trace):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    if calls == 6:\n"
        "        raise KeyboardInterrupt\n"
        "    return 1 // ('int_mul' not in str(trace))\n"
    )
    code, out, _ = reduce("before.trace", "--optimizer", "mine_interrupted:optimize", "-o", "best")
    assert code == 130
    assert "(interrupted)" in out
    assert len(parse(read_case(tmp_path, "best").before).ops) < 7


def test_a_reduction_that_fails_loses_no_find(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise LookupError("broken")

    made = Made(7, GeneratedTrace(parse(TRACE), State((0, 0, 0)), {}))
    crash = Find(7, FindKind.CRASH, made, None, "IndexError: 5 (somewhere.py:3)", report="Traceback")
    case = case_of(crash, Plan(7))
    monkeypatch.setattr("fuzz.campaign.triage.settle", broken)
    kept = settle_find(crash, case, subject(), (), 30.0)
    assert kept.bucket.startswith("not-reduced-crash-IndexError-")
    assert kept.case is not None
    assert kept.case.before == case.before
    assert "Traceback" in kept.case.report
    assert "LookupError: broken" in kept.case.report
