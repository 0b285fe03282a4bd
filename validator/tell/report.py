"""Verdicts in JSON for machines and in words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from optimizer.ir.trace import Trace
from validator.verdict import Audit, Evidence, Failed, Proved, Refuted, Unknown, Unsupported, Verdict, WhyUnknown

if TYPE_CHECKING:
    from validator.tell.columns import Style


def plain(text: str, _colour: str) -> str:
    """The style of text that does not go to a terminal."""
    return text


# JSON.

_NOTHING: dict[str, Any] = {
    "fault": None,
    "trace": None,
    "vacuous": None,
    "assumes": [],
    "origins": None,
    "origin_of_guard": [],
    "guards": [],
    "seconds": None,
    "cached": False,
    "reason": "",
    "obligations": [],
    "counterexample": None,
    "certificate": None,
    "check": None,
    "why": None,
}
"""Every verdict has these keys; what it does not speak of is empty."""


def verdict_json(verdict: Verdict, name: str, before: Trace | None, after: Trace | None) -> dict[str, Any]:
    """The verdict as an object of JSON; the traces give the names of inputs (None where they could not be read)."""
    result: dict[str, Any] = {"name": name, "verdict": verdict_name(verdict)} | _NOTHING
    match verdict:
        case Proved(evidence):
            result |= _evidence_json(evidence)
        case Unknown(evidence, reason, why):
            result |= _evidence_json(evidence) | {"reason": reason, "why": why and asdict(why)}
        case Refuted(evidence, counterexample, others):
            from validator.tell.run_text import counterexample_json  # here: a proof is told without it

            assert before is not None
            result |= _evidence_json(evidence) | {
                "reason": counterexample.difference,
                "counterexample": counterexample_json(counterexample, before),
                "other_counterexamples": [counterexample_json(other, before) for other in others],
            }
        case Unsupported(reason, trace):
            result |= {"reason": reason, "trace": trace or None}
        case Failed(fault, reason):
            result |= {"fault": fault.value, "reason": reason}
    return result


def verdict_name(verdict: Verdict) -> str:
    """`proved`, `refuted`, `unknown`, `unsupported` or `error`."""
    return "error" if isinstance(verdict, Failed) else type(verdict).__name__.lower()


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    return {
        "vacuous": None if evidence.vacuous is None else bool(evidence.vacuous),
        "assumes": list(evidence.assumes),
        "origins": "inferred" if evidence.inferred else "given",
        "origin_of_guard": list(evidence.origins),
        "guards": [{"guard": j, "is": "early"} for j in evidence.early]
        + [{"guard": j, "is": "stricter"} for j in evidence.stricter],
        "seconds": round(evidence.seconds, 6),
        "cached": evidence.cached,
        "obligations": [
            {"name": settled.name, "status": settled.status.value, "by": settled.by}
            | {"solver": settled.solver or None, "seconds": round(settled.seconds, 6)}
            for settled in evidence.obligations
        ],
        "certificate": evidence.certificate and asdict(evidence.certificate),
        "check": evidence.audit and check_json(evidence.audit),
    }


def check_json(audit: Audit) -> dict[str, Any]:
    """The checker's answer: `unsettled` obligations, and how many hold if there are none."""
    return {
        "checked": not audit.unsettled,
        "obligations": audit.checked,
        "unsettled": list(audit.unsettled),
        "reason": audit.reason,
    }


# Words.


def verdict_text(verdict: Verdict, style: Style = plain, width: int | None = None) -> str:
    """The verdict for a person: one line that says what it is, then what there is to know. Without style, what `print`
    says of it. `width` is that of a terminal."""
    match verdict:
        case Proved(evidence):
            vacuous = ", but vacuous" if evidence.vacuous else ""
            said = f"{_checked(evidence)}{vacuous}{_cached(evidence)}"
            lines = [f"{style('proved', 'green')}{said}: {_rungs(evidence)}", *_notes(evidence)]
        case Unknown(evidence, reason, why):
            words = f"{style('unknown', 'yellow')}{_cached(evidence)}: {reason}"
            lines = [words, *_notes(evidence), *_why(why)]
        case Refuted(evidence, counterexample, others):
            from validator.tell.side_by_side import side_by_side  # here: a proof is told without it

            proof = f"{counterexample.proof}: " if counterexample.proof else ""
            lines = [
                f"{style('refuted', 'red')}{_cached(evidence)}: {proof}{counterexample.obligation}",
                *(["  guards are counted on through the iterations shown"] if counterexample.iterations else []),
                *_notes(evidence),
                "",
            ]
            for one in (counterexample, *others):
                lines += [*side_by_side(one, style, width), ""]
            lines.pop()
        case Unsupported(reason, trace):
            lines = [f"{style('unsupported', 'yellow')}: {reason}"]
            lines += [f"  in the trace {trace}"] * bool(trace)
        case Failed(_, reason):
            lines = [f"{style('error', 'red')}: {reason}"]
    return "\n".join(lines)


def _rungs(evidence: Evidence) -> str:
    counts = Counter(f"{one.by} with {one.solver}" if one.solver else one.by for one in evidence.obligations)
    total = len(evidence.obligations)
    by = ", ".join(f"{count} by {rung}" for rung, count in counts.items())
    what = "1 obligation holds" if total == 1 else f"{total} obligations hold"
    return f"{what} ({by}; {evidence.seconds:.3f} s)" if by else f"{what} ({evidence.seconds:.3f} s)"


def _checked(evidence: Evidence) -> str:
    if evidence.audit is None:
        return ""
    return ", not checked" if evidence.audit.unsettled else ", checked"


def _cached(evidence: Evidence) -> str:
    return " (cached)" if evidence.cached else ""


def _notes(evidence: Evidence) -> Iterator[str]:
    for reason in evidence.vacuous or ():
        yield f"  vacuous: {reason}"
    if evidence.vacuous is None:
        yield "  no input was found that passes all guards, so the proof may be vacuous"
    if evidence.audit is not None:
        yield f"  {check_text(evidence.audit)}"
    for what in evidence.assumes:
        yield f"  assumes: {what}"
    if evidence.inferred and evidence.origins:
        yield f"  origins inferred: {_origins(evidence.origins)}"
    for j in evidence.early:
        yield f"  guard {j} is early: it fails where the recorded trace leaves at a later guard"
    for j in evidence.stricter:
        yield f"  guard {j} is stricter: it fails where the recorded trace goes on"


def check_text(audit: Audit) -> str:
    """The checker's answer, in words."""
    if audit.unsettled:
        return f"not checked: {', '.join(audit.unsettled)}: {audit.reason}"
    return f"checked: {audit.checked} obligations hold, over the traces as they are written"


def _why(why: WhyUnknown | None) -> Iterator[str]:
    if why is None:
        return
    for hard in why.hard:
        where = f"line {hard.line}" if hard.line else "operation"
        yield f"  hard: {hard.what}, {where} of {hard.trace}: {hard.text}"
    yield from (f"  tried: {what}" for what in why.tried)
    yield from (f"  try: {what}" for what in why.advice)


_SHOWN_ORIGINS = 8


def _origins(origins: tuple[int | None, ...]) -> str:
    told = [f"guard {j} is {'none' if o is None else o}" for j, o in enumerate(origins)]
    more = len(told) - _SHOWN_ORIGINS
    return ", ".join(told[:_SHOWN_ORIGINS]) + (f" and {more} more, which --json lists" if more > 0 else "")
