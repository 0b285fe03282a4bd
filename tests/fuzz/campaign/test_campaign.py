"""A campaign names what is wrong with an optimizer, whatever the optimizer does."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

from fuzz.campaign.changes import Seen
from fuzz.campaign.coverage import all_coverage
from fuzz.campaign.examine import AlwaysFails, Counted, Find, FindKind, Judge, Made, Optimizer, Record, examine
from fuzz.campaign.find import case_of
from fuzz.campaign.plan import AIMED, Plan
from fuzz.campaign.results import Result, result_of
from fuzz.campaign.summary import Summary
from fuzz.cases.store import read_case, store_case
from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.text import parse
from optimizer.ir.trace import ConstInt, Exit, Operation, Trace, Var
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Evidence, Failed, Fault, Options, Proved, Refuted, Unknown, Unsupported, Verdict


def run_campaign(seeds: Iterable[int], optimizer: Optimizer, judge: Judge) -> Iterator[Record]:
    """One record a seed, in order, as they come."""
    for seed in seeds:
        yield examine(Made(seed, generate_for(seed)), optimizer, judge)


OPTIONS = Options(effort=1_000_000, timeout_s=10.0)
PLAN = Plan(seed=0, mutate=AIMED, optimizer=OptimizerSpec(OptimizerKind.FUNCTION, "mine:optimize"), options=OPTIONS)


INTEGER_SEEDS = list(islice((seed for seed in count() if generate_for(seed).state.heap is None), 20))


def judge(before: Trace, after: Trace, state: State) -> Verdict:
    return validate(before, after, OPTIONS, examples=(state,))


def content(before: Trace, after: Trace, state: State) -> Verdict:
    return Proved(Evidence())


def unchanged(trace: Trace) -> Trace:
    return trace


def crashing(trace: Trace) -> Trace:
    raise RuntimeError("an assertion\nof two lines")


def leaving(trace: Trace) -> Trace:
    sys.exit(3)


def without_end(trace: Trace) -> Trace:
    return replace(trace, ops=trace.ops[:-1])


def of_another_word(trace: Trace) -> Trace:
    return replace(trace, word=12)


def no_trace(trace: Trace) -> Trace:
    return None  # type: ignore[return-value]  # that is the fault


def claiming(trace: Trace) -> Trace:
    raise AlwaysFails(3)


def with_one_more_at_the_end(trace: Trace) -> Trace:
    return replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=(*trace.end.args, ConstInt(1)))))


def with_swapped_failargs(trace: Trace) -> Trace:
    return replace(trace, ops=tuple(map(_swapped, trace.ops)))


def _swapped(operation: Operation) -> Operation:
    failargs = operation.exit.failargs if operation.exit else None
    if not failargs or len(failargs) < 2:
        return operation
    assert operation.exit is not None
    return replace(operation, exit=replace(operation.exit, failargs=(*failargs[1:], failargs[0])))


class _Mute(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("nothing can be said")


def mute(trace: Trace) -> Trace:
    raise _Mute


def coloured(trace: Trace) -> Trace:
    raise ValueError("\x1b[31mred")


def half(trace: Trace) -> Trace:
    raise ValueError("half a pair: \ud800")


def with_zero_for_a_variable(trace: Trace) -> Trace:
    args = tuple(ConstInt(0) if isinstance(arg, Var) else arg for arg in trace.end.args)
    return replace(trace, ops=(*trace.ops[:-1], replace(trace.end, args=args)))


def without_guards(trace: Trace) -> Trace:
    kept = [op for op in trace.ops if not op.op.is_guard or op.op.reads_flag]
    return replace(trace, ops=tuple(kept))


@pytest.mark.parametrize(
    ("optimizer", "kind", "message"),
    [
        (crashing, FindKind.CRASH, "RuntimeError: an assertion ("),
        (leaving, FindKind.CRASH, "SystemExit: 3 ("),
        (mute, FindKind.CRASH, "_Mute ("),
        (half, FindKind.CRASH, "ValueError: half a pair: \\ud800 ("),
        (coloured, FindKind.CRASH, "ValueError: \\u001b[31mred ("),
        (without_end, FindKind.MALFORMED, "a trace ends with jump or finish, not with "),
        (of_another_word, FindKind.MALFORMED, "expected words of "),
        (no_trace, FindKind.MALFORMED, "expected a trace, got NoneType"),
        (
            claiming,
            FindKind.REFUTED,
            "the optimizer says that guard 3 always fails, and it passes on the example",
        ),
        (with_one_more_at_the_end, FindKind.REFUTED, "end: arguments: "),
    ],
)
def test_each_fault_of_an_optimizer_is_found_and_named(optimizer: Optimizer, kind: FindKind, message: str) -> None:
    record = examine(made(INTEGER_SEEDS[0]), optimizer, judge)
    assert isinstance(record, Find)
    assert record.kind is kind
    assert record.message.startswith(message)
    assert bool(record.report) == (kind is FindKind.CRASH)


def test_a_claim_that_a_guard_always_fails_is_wrong_only_where_the_example_passes_it() -> None:
    trace = parse("[i0]\nguard_value(i0, 1) []\nguard_value(i0, 2) []\nfinish(i0)")
    after = parse("[i0]\nguard_value(i0, 1, origin=0) []\nguard_always_fails(origin=1) []\nfinish(i0)")

    def claiming_with(guard: int, after: Trace | None) -> Optimizer:
        def optimize(_: Trace) -> Trace:
            raise AlwaysFails(guard, after)

        return optimize

    for number, guard, given, kind in ((0, 1, after, Proved), (1, 1, after, Proved), (1, 1, None, Unsupported)):
        record = examine(Made(0, GeneratedTrace(trace, State((number,)), {})), claiming_with(guard, given), judge)
        assert isinstance(record, Counted)
        assert isinstance(record.verdict, kind)
    assert isinstance(examine(Made(0, GeneratedTrace(trace, State((1,)), {})), claiming_with(0, after), judge), Find)


@pytest.mark.parametrize("optimizer", [with_swapped_failargs, with_zero_for_a_variable, without_guards])
def test_planted_faults_are_found_under_most_seeds(optimizer: Callable[[Trace], Trace]) -> None:
    records = list(run_campaign(INTEGER_SEEDS, optimizer, judge))
    found = [record for record in records if isinstance(record, Find)]
    assert all(find.kind is FindKind.REFUTED for find in found)
    assert len(found) > len(INTEGER_SEEDS) / 2


def test_a_trace_is_proved_to_be_itself() -> None:
    for record in run_campaign(INTEGER_SEEDS, unchanged, judge):
        assert isinstance(record, Counted), record
        assert isinstance(record.verdict, Proved)


def made(seed: int) -> Made:
    return Made(seed, generate_for(seed))


def test_seeds_come_in_order() -> None:
    assert [record.seed for record in run_campaign(range(5, 9), crashing, judge)] == [5, 6, 7, 8]


def test_what_an_optimizer_does_not_model_is_no_crash() -> None:
    def limited(trace: Trace) -> Trace:
        raise NotModelled("label", 3)

    record = examine(made(0), limited, judge)
    assert record == Counted(0, Unsupported("the optimizer: line 3: label"))


def test_faults_of_the_validator_are_finds_of_their_own() -> None:
    def failing(before: Trace, after: Trace, state: State) -> Verdict:
        raise ZeroDivisionError("ours")

    def not_replaying(before: Trace, after: Trace, state: State) -> Verdict:
        return Failed(Fault.TOOL, "does not replay", "the model")

    crashed, replayed = examine(made(0), unchanged, failing), examine(made(0), unchanged, not_replaying)
    assert isinstance(crashed, Find)
    assert isinstance(replayed, Find)
    assert (crashed.kind, replayed.kind) == (FindKind.FAULT, FindKind.FAULT)
    assert crashed.message.startswith("ZeroDivisionError: ours (")
    assert "Traceback" in crashed.report
    assert (replayed.message, replayed.report) == ("does not replay", "the model")


def test_the_judge_is_given_the_example() -> None:
    seen: list[State] = []

    def noting(before: Trace, after: Trace, state: State) -> Verdict:
        seen.append(state)
        return Unknown(Evidence(), "")

    examine(made(4), unchanged, noting)
    assert seen == [generate_for(4).state]


def test_ctrl_c_is_no_find() -> None:
    def interrupted(trace: Trace) -> Trace:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        examine(made(0), interrupted, judge)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        find = examine(made(0), interrupted, judge)  # as in a worker, where nobody else can have raised it
    finally:
        signal.signal(signal.SIGINT, before)
    assert isinstance(find, Find)
    assert find.kind is FindKind.CRASH
    assert find.message.startswith("KeyboardInterrupt (")


@pytest.mark.parametrize("optimizer", [crashing, without_end, no_trace, claiming, with_one_more_at_the_end])
def test_every_find_becomes_a_case_that_can_be_read(optimizer: Optimizer, tmp_path: Path) -> None:
    seed = INTEGER_SEEDS[3]
    find = examine(made(seed), optimizer, judge)
    assert isinstance(find, Find)
    case = case_of(find, PLAN)
    assert store_case(tmp_path, case)
    read = read_case(tmp_path, f"seed-{seed}-{find.kind.value}")
    assert parse(read.before) == generate_for(seed).trace
    assert read.command == f"traceproof fuzz --seed {seed} --traces 1 --optimizer mine:optimize"
    assert dict(read.versions).keys() == {"traceproof", "z3", "python"}
    if isinstance(find.verdict, Refuted):
        assert read.expect == "refuted"
        assert read.obligation == find.verdict.counterexample.obligation
        assert read.after is not None
        assert parse(read.after, word=generate_for(seed).trace.word) == find.after


def test_a_trace_that_cannot_be_written_is_kept_as_a_report() -> None:
    def strange(trace: Trace) -> Trace:
        return replace(trace, ops=(Operation(trace.end.op, (None,), exit=Exit()),))  # type: ignore[arg-type]  # no value at all: that is the fault

    find = examine(made(3), strange, judge)
    assert isinstance(find, Find)
    assert find.kind is FindKind.MALFORMED
    case = case_of(find, PLAN)
    assert case.after is not None or "None" in case.report


@pytest.mark.parametrize("returned", ["object", "input"])
def test_objects_that_answer_to_nothing_are_finds(returned: str) -> None:
    class Mute:
        def __repr__(self) -> str:
            raise ValueError("no words")

    def strange(trace: Trace) -> Trace:
        return Mute() if returned == "object" else replace(trace, inputs=(Mute(),))  # type: ignore[return-value,arg-type]  # planted

    find = examine(made(3), strange, judge)
    assert isinstance(find, Find)
    assert find.kind is FindKind.MALFORMED
    assert ("a Mute\n" if returned == "object" else "ValueError: no words") in case_of(find, PLAN).report


def test_a_summary_names_what_never_fired() -> None:
    missing = {"add_zero", "argument:int_add", "argument:int_eq", "argument:int_lt"}
    summary = Summary(Plan(seed=5), "campaign")
    assert "never fired" not in summary.text(2.0, False)
    summary.add(Result(seed=5, first=5, verdict="proved", fired=tuple(all_coverage() - missing)))
    assert summary.text(2.0, False).splitlines()[3:5] == [
        f"  never fired: 4 of {len(all_coverage())} rules, passes and transfer functions: add_zero, argument:int_add,",
        "    argument:int_eq, argument:int_lt",
    ]
    assert summary.data(2.0, False)["never_fired"] == tuple(sorted(missing))
    summary.add(Result(seed=6, first=5, verdict="proved", fired=tuple(missing)))
    assert "never fired" not in summary.text(2.0, False)


def test_a_summary_counts_and_says_how_to_repeat() -> None:
    summary = Summary(Plan(seed=5), "campaign")
    records = [*run_campaign(range(5, 8), crashing, judge), *run_campaign(range(8, 10), unchanged, content)]
    for record in records:
        case = f"seed-{record.seed}-crash" if isinstance(record, Find) else ""
        summary.add(replace(result_of(record, 5, 0.0, Seen()), case=case))
    assert summary.text(2.0, False).splitlines() == [
        "campaign ended: 5 traces in 2.0 s, 2.5 a second, seeds 5 to 9",
        "  proved 2, unknown 0, unsupported 0",
        "  found: 3 crash",
        "    campaign/cases/seed-5-crash",
        "    campaign/cases/seed-6-crash",
        "    campaign/cases/seed-7-crash",
        "  repeat with: traceproof fuzz --seed 5 --traces 5",
    ]
    assert summary.line(3.2) == "3 s: 5 traces, 2 proved, 3 crash"
    summary.plan = replace(PLAN, seed=5)
    data = summary.data(2.0, True)
    assert data["commands"] == ["traceproof fuzz --seed 5 --traces 5 --optimizer mine:optimize"]
    assert data["finds"] == {"crash": 3, "hang": 0, "malformed": 0, "refuted": 0, "fault": 0, "disagreement": 0}
    assert data["interrupted"] is True


def test_an_ill_formed_trace_that_was_made_is_no_find_of_the_optimizer() -> None:
    made = GeneratedTrace(replace(parse("[]\nfinish(8)\n"), word=4), State(()), {})
    found = examine(Made(0, made), unchanged, judge)
    assert isinstance(found, Find)
    assert found.kind is FindKind.FAULT
    assert found.message.startswith("the trace made: the constant 8 is outside the range")
