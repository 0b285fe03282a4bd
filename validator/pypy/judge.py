"""Verdicts on the pairs of a log.

A log does not tell all that PyPy's optimizer knew. So a pair that differs in what it tells is refuted only if it still
differs where the optimizer is granted everything that it may have known (`grants`). Otherwise it is unknown, with words
for the knowledge that makes the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import LogPair
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import Trace
from validator.prove.judge import validate
from validator.pypy.straight import NotStraight
from validator.pypy.study import Knowledge, translated
from validator.pypy.translate import Translated
from validator.verdict import Failargs, Failed, Fault, Guards, Options, Refuted, Unknown, Unsupported, Verdict

OPTIONS = Options(guards=Guards.SAFE, failargs=Failargs.IGNORE)
"""A log holds no resume data, and guards may fail where the recorded trace goes on."""

Prove = Callable[[Trace, Trace], Verdict]


@dataclass(frozen=True, slots=True)
class Texts:
    """A pair in the trace language, and what is assumed of it beside its declarations, by name."""

    before: Trace
    after: Trace
    assumes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and the texts that it is about; None where the pair could not be translated. `missing` are statements
    that the log does not hold, and without which the pair is not right."""

    verdict: Verdict
    texts: Texts | None = None
    missing: tuple[str, ...] = ()


def judge(
    pair: LogPair,
    file: str,
    knowledge: Knowledge,
    prove: Prove = lambda before, after: validate(before, after, OPTIONS),
) -> Judged:
    """The verdict on a pair of the log `file`, as `prove` judges traces."""
    try:
        verdict, texts = _judged(translated(pair, file, knowledge), prove)
        if not isinstance(verdict, Refuted):
            return Judged(verdict, texts)
        again, generous = _judged(translated(pair, file, knowledge, generous=True), prove)
    except NotStraight as why:
        return Judged(Unsupported(str(why)))
    except InputError as mistake:
        return Judged(Failed(Fault.INPUT, str(mistake)))
    if isinstance(again, Refuted):
        return Judged(again, generous)
    missing = tuple(sorted({*generous.assumes} - {*texts.assumes}))
    reason = f"{verdict.counterexample.obligation} differs, and the log does not say what PyPy knew"
    seconds = verdict.evidence.seconds + (0 if isinstance(again, Unsupported | Failed) else again.evidence.seconds)
    return Judged(Unknown(replace(verdict.evidence, seconds=seconds), reason), texts, missing)


def _judged(text: Translated, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict, and the texts that it is about: where guards seem to come from is no reason to refute."""
    texts = _texts(text)
    verdict = prove(texts.before, texts.after)
    if isinstance(verdict, Refuted | Unsupported):
        texts = _texts(text.without_origins())
        verdict = prove(texts.before, texts.after)
    return verdict, texts


def _texts(text: Translated) -> Texts:
    types = parse_declarations(text.types)
    return Texts(parse(text.before, types=types), parse(text.after, types=types), text.assumes)
