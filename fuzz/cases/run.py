"""Running the corpus: does each case still come out as it says?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from fuzz.campaign.examine import FAILURES, Find, Made, Optimizer, examine
from fuzz.cases.store import Case, Expected
from fuzz.draw.generator import GeneratedTrace
from fuzz.hunt.observe import Observer
from fuzz.report.words import last_lines
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.tell.report import verdict_name
from validator.tell.stored_state import StoredState, restored_state, stored_state
from validator.verdict import Failed, Fault, Options, Proved, Refuted, Unknown, Unsupported, Verdict

PairJudge = Callable[[Trace, Trace, Options, tuple[State, ...]], Verdict]


@dataclass(frozen=True, slots=True)
class CaseRun:
    """The outcome of a case: the verdict on its pair (None where none is expected), what differs, and what the
    optimizer said where it failed, or why the case cannot be read; `warning` says what is wrong with the cache.
    `is_open`: it has a pair, and no verdict is expected."""

    name: str
    verdict: Verdict | None
    differences: tuple[str, ...]
    report: str = ""
    is_readable: bool = True
    warning: str = ""
    is_open: bool = False


def run_case(case: Case, optimizer: Optimizer, judge: PairJudge, observer: Observer | None = None) -> CaseRun:
    """Judge the pair of a case, and what the optimizer makes of its recorded trace; run its program, if there is one
    and somebody who runs it."""
    missed = ""
    if case.program and observer is not None:
        from fuzz.hunt.finds import again  # here: it loads all about logs of PyPy, and few cases are programs

        missed = again(case, observer)
    if not case.before:
        return CaseRun(case.name, None, (missed,) * bool(missed))
    done = _run_traces(case, optimizer, judge)
    return replace(done, differences=(*done.differences, missed)) if missed else done


def _run_traces(case: Case, optimizer: Optimizer, judge: PairJudge) -> CaseRun:
    try:
        before = parse(case.before, file=f"{case.name}/before.trace")
        after = None
        if case.expect and case.after is not None:
            after = parse(case.after, file=f"{case.name}/after.trace", word=before.word)
        states = case_states(case, before)
    except InputError as error:
        return CaseRun(case.name, None, (), str(error), is_readable=False)
    verdict, differences, report = None, [], ""
    if after is not None:
        verdict = judge(before, after, case.options, states)
        differences += _pair_differences(case, verdict)
    if case.optimizer:
        find = _find(case, before, states, optimizer, judge)
        if find is not None:
            differences.append(f"{FAILURES[find.kind]}: {find.message}")
            report = "" if find.kind.is_ours else last_lines(find.report)
    is_open = case.after is not None and not case.expect
    return CaseRun(case.name, verdict, tuple(differences), report, is_open=is_open)


def case_states(case: Case, before: Trace) -> tuple[State, ...]:
    """The state that the case says is worth running, if it says one. Raises InputError."""
    state = restored_state(case.state, before, layout_of(before), f"{case.name}/case.toml")
    return () if state is None else (state,)


def _pair_differences(case: Case, verdict: Verdict) -> list[str]:
    found = verdict_name(verdict)
    if found != case.expect:
        return [f"expected {case.expect}, found {found}{_reason(verdict)}"]
    differences = []
    if case.obligation and isinstance(verdict, Refuted):
        obligations = [one.obligation for one in (verdict.counterexample, *verdict.others)]
        if case.obligation not in obligations:
            told = ", ".join(map(repr, obligations))
            differences.append(f"expected {case.obligation!r} to be refuted, found {told}")
    said = expected_of(verdict)
    for item in fields(Expected):
        wanted, got = getattr(case.expected, item.name), getattr(said, item.name)
        if wanted is not None and wanted != got:
            differences.append(f"expected {item.name} {_listed(wanted)}, found {_listed(got)}")
    return differences


def expected_of(verdict: Verdict) -> Expected:
    """The part of the verdict beside its name."""
    match verdict:
        case Proved(evidence) | Refuted(evidence) | Unknown(evidence):
            return Expected(evidence.vacuous, evidence.assumes, evidence.early, evidence.stricter)
        case Unsupported() | Failed():
            return Expected()


def _listed(values: tuple[str | int, ...] | None) -> str:
    return "not settled" if values is None else repr(list(values))


def _find(case: Case, before: Trace, states: tuple[State, ...], optimizer: Optimizer, judge: PairJudge) -> Find | None:
    """The find in what the optimizer makes of the recorded trace, if there is one."""

    def judge_on_states(trace: Trace, after: Trace, _state: State) -> Verdict:
        return judge(trace, after, case.options, states)

    given = Made(case.seed or 0, GeneratedTrace(before, states[0] if states else State(()), {}))
    record = examine(given, optimizer, judge_on_states)
    return record if isinstance(record, Find) else None


def _reason(verdict: Verdict) -> str:
    match verdict:
        case Refuted(_, counterexample):
            return f": {counterexample.difference}"
        case Unknown(_, reason) | Unsupported(reason) | Failed(_, reason):
            return f": {reason}"
        case _:
            return ""


def judged_case(case: Case) -> Case:
    """The case with what the verdict on its pair says, found now, if it has a pair. Raises InputError."""
    if case.after is None:
        return case
    before = parse(case.before, file="before")
    after = parse(case.after, file="after", word=before.word)
    verdict = validate(before, after, case.options, examples=case_states(case, before))
    if isinstance(verdict, Failed):
        if verdict.fault is Fault.INPUT:
            raise InputError(verdict.reason)
        raise RuntimeError(verdict.report or verdict.reason)
    expected = expected_of(verdict)
    refuted = verdict.counterexample if isinstance(verdict, Refuted) else None
    if refuted is not None and case.state == StoredState():
        case = replace(case, state=stored_state(refuted.state, before))
    return replace(
        case,
        expect=verdict_name(verdict),
        obligation="" if refuted is None else refuted.obligation,
        expected=Expected(
            expected.vacuous or None, expected.assumes or None, expected.early or None, expected.stricter or None
        ),
    )
