"""Verdicts on the pairs of a log.

A log does not tell all that PyPy's optimizer knew. So a pair that differs in what it tells is refuted only if it still
differs where the optimizer is granted everything that it may have known (`grants`). Otherwise it is unknown, with words
for the knowledge that makes the difference.
"""

from __future__ import annotations

from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from validator.prove.judge import validate
from validator.pypy.straight import NotStraight
from validator.pypy.study import Knowledge, translated
from validator.pypy.translate import Translated
from validator.verdict import Failargs, Failed, Fault, Guards, Options, Refuted, Unknown, Unsupported, Verdict

OPTIONS = Options(guards=Guards.SAFE, failargs=Failargs.IGNORE)
"""A log holds no resume data, and guards may fail where the recorded trace goes on."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and the texts that it is about with what they assume; None where the pair could not be translated.
    `missing` are statements that the log does not hold, and without which the pair is not right."""

    verdict: Verdict
    text: Translated | None = None
    missing: tuple[str, ...] = ()


def judge(pair: LogPair, file: str, knowledge: Knowledge, options: Options = OPTIONS) -> Judged:
    """The verdict on a pair of the log `file`. Never raises."""
    try:
        verdict, text = _verdict(translated(pair, file, knowledge), options)
        if not isinstance(verdict, Refuted):
            return Judged(verdict, text)
        again, generous = _verdict(translated(pair, file, knowledge, generous=True), options)
    except NotStraight as why:
        return Judged(Unsupported(str(why)))
    except InputError as mistake:
        return Judged(Failed(Fault.INPUT, str(mistake)))
    if isinstance(again, Refuted):
        return Judged(again, generous)
    missing = tuple(sorted({*generous.assumes} - {*text.assumes}))
    reason = f"{verdict.counterexample.obligation} differs, and the log does not say what PyPy knew"
    seconds = verdict.evidence.seconds + (0 if isinstance(again, Unsupported | Failed) else again.evidence.seconds)
    return Judged(Unknown(replace(verdict.evidence, seconds=seconds), reason), text, missing)


def _verdict(text: Translated, options: Options) -> tuple[Verdict, Translated]:
    """The verdict, and the texts that it is about: where guards come from shows in a log, and is left open where that
    refutes a pair."""
    types = parse_declarations(text.types)
    before = parse(text.before, types=types)
    verdict = validate(before, parse(text.after, types=types), options)
    if isinstance(verdict, Refuted):
        text = text.without_origins()
        verdict = validate(before, parse(text.after, types=types), options)
    return verdict, text
