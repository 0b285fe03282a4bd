"""Running the corpus: does each case still come out as it says?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.campaign import Optimized, Optimizer, describe, malformed
from fuzz.store import Case
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.layout import Layout, layout_of
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from validator.report import verdict_name
from validator.stored_state import restored_state
from validator.verdict import Failed, Options, Refuted, State, Unknown, Unsupported, Verdict

PairJudge = Callable[[Trace, Trace, Options, tuple[State, ...]], Verdict]


@dataclass(frozen=True, slots=True)
class CaseRun:
    """What a case came to: the verdict on its pair (None where none is expected), and what differs."""

    name: str
    verdict: Verdict | None
    differences: tuple[str, ...]


def run_case(case: Case, optimizer: Optimizer, judge: PairJudge) -> CaseRun:
    """Judge the pair of a case, and what the optimizer makes of its recorded trace."""
    try:
        before = parse(case.before, file=f"{case.name}/before.trace")
        after = None
        if case.expect and case.after is not None:
            after = parse(case.after, file=f"{case.name}/after.trace", word=before.word)
        states = _states(case, before, layout_of(before))
    except InputError as error:
        return CaseRun(case.name, None, (str(error),))
    verdict, differences = None, []
    if after is not None:
        verdict = judge(before, after, case.options, states)
        differences += _pair_differences(case, verdict)
    if case.optimizer:
        differences += _optimizer_differences(case, before, states, optimizer, judge)
    return CaseRun(case.name, verdict, tuple(differences))


def _states(case: Case, before: Trace, layout: Layout) -> tuple[State, ...]:
    state = restored_state(case.state, before, layout, f"{case.name}/case.toml")
    return () if state is None else (state,)


def _pair_differences(case: Case, verdict: Verdict) -> list[str]:
    found = verdict_name(verdict)
    if found != case.expect:
        return [f"expected {case.expect}, found {found}{_reason(verdict)}"]
    if case.obligation and isinstance(verdict, Refuted):
        obligations = [one.obligation for one in (verdict.counterexample, *verdict.others)]
        if case.obligation not in obligations:
            return [f"expected {case.obligation!r} to be refuted, found {', '.join(map(repr, obligations))}"]
    return []


def _optimizer_differences(
    case: Case, before: Trace, states: tuple[State, ...], optimizer: Optimizer, judge: PairJudge
) -> list[str]:
    try:
        result = optimizer(before)
        after = result.trace if isinstance(result, Optimized) else result
    except NotModelled:
        return []
    except (Exception, SystemExit) as error:
        return [f"the optimizer crashes: {describe(error)}"]
    problem = malformed(before, after)
    if problem is not None:
        return [f"the optimizer's trace is malformed: {problem}"]
    assert isinstance(after, Trace)
    verdict = judge(before, after, case.options, states)
    if isinstance(verdict, Refuted | Failed):
        return [f"the optimizer's trace is {verdict_name(verdict)}{_reason(verdict)}"]
    return []


def _reason(verdict: Verdict) -> str:
    match verdict:
        case Refuted(_, counterexample):
            return f": {counterexample.difference}"
        case Unknown(_, reason) | Unsupported(reason) | Failed(_, reason):
            return f": {reason}"
        case _:
            return ""
