"""Verdicts on the pairs of a log.

A log does not tell all that PyPy's optimizer knew. So a pair that differs in what it tells is refuted only if it still
differs where the optimizer is granted everything that it may have known (`grants`). Otherwise it is unknown, with words
for the knowledge that makes the difference.
"""

from __future__ import annotations

from dataclasses import dataclass

from optimizer.ir.dialects.pypy_pairs import Kind, LogPair
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import Trace
from validator.prove.judge import validate
from validator.pypy.exits import Loop, Prove, prove_with_exits, with_origins
from validator.pypy.open import Open
from validator.pypy.parents import path_to
from validator.pypy.straight import NotStraight
from validator.pypy.study import Knowledge, translated
from validator.pypy.translate import Translated
from validator.verdict import Failargs, Failed, Fault, Guards, Options, Proved, Refuted, Unknown, Unsupported, Verdict

OPTIONS = Options(guards=Guards.EARLY, failargs=Failargs.IGNORE, effort=1_000_000)
"""Guards may fail where the recorded trace leaves later. A log holds no resume data: see `prove_with_exits`."""


_RELIES = "what the label relies on that the bridge jumps to"
_LOST = "where the bridge starts: a trace with its guard"
_GUARDS = "why guards that the optimized trace has not always pass"


@dataclass(frozen=True, slots=True)
class Texts:
    """A pair in the trace language, what is assumed of it beside its declarations, by name, the numbers of the pairs
    whose optimized traces it takes for right, the options that it is judged with, and the loop to whose inner label it
    jumps, if it does."""

    before: Trace
    after: Trace
    assumes: tuple[str, ...]
    rests_on: tuple[int, ...] = ()
    options: Options = OPTIONS
    loop: Loop = None


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
    options: Options = OPTIONS,
    prove: Prove = lambda before, after, options, loop: validate(before, after, options, loop=loop),
) -> Judged:
    """The verdict on a pair of the log `file`, as `prove` judges traces."""
    try:
        verdict, texts = _verdict(translated(pair, file, knowledge), options, prove)
        if not isinstance(verdict, Refuted):
            return Judged(verdict, texts)
        granted = translated(pair, file, knowledge, generous=True)
        again, generous = _verdict(granted, options, prove)
    except NotStraight as why:
        return Judged(Unsupported(str(why)))
    except InputError as mistake:
        return Judged(Failed(Fault.INPUT, str(mistake)))
    missing: tuple[str, ...] = ()
    if isinstance(again, Refuted):
        missing = Open(granted.sides, pair.kind).rests_on(again.counterexample)
    if pair.kind is Kind.BRIDGE and path_to(pair, file) is None:
        missing = (*missing, _LOST)
    if pair.target is not None:
        missing = (*missing, _RELIES)
    if isinstance(again, Refuted) and not missing:
        return Judged(again, generous)
    if not isinstance(again, Refuted):
        taken = sorted({*generous.assumes} - {*texts.assumes}) or [_GUARDS]
        missing = (*taken, *(() if isinstance(again, Proved) else missing))
    reason = f"{verdict.counterexample.obligation} differs, and the log does not say what PyPy knew"
    seconds = verdict.evidence.seconds + (0 if isinstance(again, Unsupported | Failed) else again.evidence.seconds)
    return Judged(Unknown(replace(verdict.evidence, seconds=seconds), reason), texts, missing)


def _verdict(text: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict, and the texts that it is about. That guards do not come from where they seem to is no reason to
    refute: then that is left open. Where it cannot be settled, it could not without their origins either."""
    types = parse_declarations(text.types)
    before, after = (parse(trace, types=types) for trace in (text.before, text.after))
    loop: Loop = None
    if text.loop is not None:
        loop = parse(text.loop[0], types=types), parse(text.loop[1], types=types)
    for origins in (text.origins, ()):
        verdict, told, used = prove_with_exits(before, with_origins(after, origins), loop, options, prove)
        is_open = isinstance(verdict, Unknown) and verdict.evidence.is_repeatable  # a loop, on no run of which it shows
        if not (isinstance(verdict, Refuted) or (is_open and text.is_loop)):
            break
    return verdict, Texts(before, told, text.assumes, text.rests_on, used, loop)
