"""Verdicts on the pairs of a log.

A log does not tell all that PyPy's optimizer knew. So a pair that differs in what it tells is refuted only if it still
differs where the optimizer is granted everything that it may have known (`grants`). Otherwise it is unknown, with words
for the knowledge that makes the difference.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from optimizer.ir.dialects.pypy_pairs import Kind, LogPair
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.immutable import replace
from optimizer.ir.rows.row import STORE
from optimizer.ir.run.interpreter import GuardFailed
from optimizer.ir.trace import Trace, exit_of
from validator.loops.judge import NO_PLACES
from validator.loops.shape import bridge_to
from validator.loops.written import check_written
from validator.prove.judge import OUT_OF_TIME, validate
from validator.pypy.ends import RESUME_AT_END, fails_at_end, prove_to_end, with_end
from validator.pypy.exits import Prove, prove_with_exits
from validator.pypy.facts import LateFacts
from validator.pypy.label_args import BY_SIZE
from validator.pypy.objections import objection_to, objection_to_jump, shared
from validator.pypy.open import Open
from validator.pypy.origins import with_places
from validator.pypy.pair_text import translated
from validator.pypy.printed.calls.functions import allocates_raw
from validator.pypy.printed.parents import path_to
from validator.pypy.printed.straight import NotStraight
from validator.pypy.resume_data import Loop, with_origins
from validator.pypy.resume_places import placed, places_of
from validator.pypy.study import Knowledge, is_inferred
from validator.pypy.translate import Translated
from validator.solvers.portfolio import FIRST_EFFORT
from validator.tell.why_unknown import OUT_OF_EFFORT
from validator.verdict import (
    Evidence,
    Failargs,
    Failed,
    Fault,
    Guards,
    Options,
    Proved,
    Refuted,
    Unknown,
    Unsupported,
    Verdict,
)

OPTIONS = Options(guards=Guards.EARLY, failargs=Failargs.IGNORE, effort=1_000_000, moved=None)
"""Guards may fail where the recorded trace leaves later; which do takes long to tell. A log holds no resume data: see
`prove_with_exits`."""

_FIRST = 3 / 4  # of the time, for the way that most likely leads to a proof
_LOST = "where the bridge starts: a trace with its guard"
_BUFFERS = "where PyPy knew that nobody has the address of raw memory that it has allocated"
_GUARDS = "why guards that the optimized trace has not always pass, or how wide numbers are"


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
    that the log does not hold, and without which the pair is not right. `translated`: the pair that is judged."""

    verdict: Verdict
    texts: Texts | None = None
    missing: tuple[str, ...] = ()
    translated: Translated | None = None


_Tried = tuple[Verdict, Texts, Translated]


def judge(
    pair: LogPair,
    file: str,
    knowledge: Knowledge,
    options: Options = OPTIONS,
    prove: Prove = lambda before, after, options, loop: validate(before, after, options, loop=loop),
) -> Judged:
    """The verdict on a pair of the log `file`, as `prove` judges traces."""
    quick = _Quick(prove, time.monotonic() + options.timeout_s, is_all=True)
    verdict: Verdict | None = None
    texts, text = None, None
    try:
        if pair.target is not None:
            return _to_label(pair, file, knowledge, options, quick)
        text = translated(pair, file, knowledge)
        quick.check()
        verdict, texts = _loop_or_other(text, options, quick, prove)
        is_open = isinstance(verdict, Refuted | Unknown) and text.is_bridge
        if is_open and (by_types := _by_types(pair, file, knowledge, options, quick, text.assumes)):
            return by_types
        if not isinstance(verdict, Refuted):
            return Judged(verdict, texts, translated=text)
        granted = translated(pair, file, knowledge, strict=text)
        again, generous = _in_turn(granted, options, quick)
    except LateFacts as why:
        return Judged(Unknown(Evidence(is_repeatable=False), str(why)))
    except _TimeIsOver as over:
        late = Unknown(Evidence(is_repeatable=False), str(over))
        return Judged(verdict if isinstance(verdict, Unknown) else late, texts, translated=text)
    except NotStraight as why:
        return Judged(Unsupported(str(why)))
    except InputError as mistake:
        return Judged(Failed(Fault.INPUT, str(mistake)))
    if isinstance(again, Unknown) and not again.evidence.is_repeatable:
        return Judged(again, texts)
    return _left_open(pair, file, (verdict, texts, text), (again, generous, granted), prove)


def _left_open(
    pair: LogPair, file: str, refuted: tuple[Refuted, Texts, Translated], granted: _Tried, prove: Prove
) -> Judged:
    """The verdict on a pair that is refuted, with the verdict where more is `granted`: if what the log does not say
    could make it right, that is missing, and it is left open."""
    verdict, texts, text = refuted
    again, generous, told = granted
    rests_on, missing = Open(told.sides, pair.kind).rests_on, tuple[str, ...]()
    if isinstance(again, Refuted):
        missing = rests_on(again.counterexample)
        if told.is_bridge and fails_at_end(again.counterexample.obligation, generous.after, told.origins):
            missing = (*missing, RESUME_AT_END)
    if pair.kind is Kind.BRIDGE and path_to(pair, file) is None:
        missing = (*missing, _LOST)
    if any(allocates_raw(line.function) for line in told.sides.lines):
        missing = (*missing, _BUFFERS)
    if isinstance(again, Refuted) and not missing:
        shown = prove(generous.before, generous.after, generous.options, generous.loop)
        is_as_sure = isinstance(shown, Refuted) and not rests_on(shown.counterexample)
        return Judged(shown if is_as_sure else again, generous)
    taken = tuple(sorted({*generous.assumes} - {*texts.assumes})) or (_GUARDS,)
    if isinstance(again, Proved):
        missing = taken
    elif not isinstance(again, Refuted):  # nor is it proved: more may be missing than what was granted
        missing = (*(Open(text.sides, pair.kind).rests_on(verdict.counterexample) or taken), *missing)
    reason = f"{verdict.counterexample.obligation} differs, and the log does not say what PyPy knew"
    seconds = verdict.evidence.seconds + (0 if isinstance(again, Unsupported | Failed) else again.evidence.seconds)
    return Judged(Unknown(replace(verdict.evidence, seconds=seconds), reason), texts, missing, text)


def _by_types(
    pair: LogPair, file: str, knowledge: Knowledge, options: Options, prove: Prove, assumed: tuple[str, ...]
) -> Judged | None:
    """A proof of the bridge by the types of fields, if more than that is `assumed` for them, and there is one."""
    typed = translated(pair, file, knowledge, is_typed=True)
    if typed.assumes == assumed:
        return None
    verdict, texts = _in_turn(typed, options, prove)
    return Judged(verdict, texts, translated=typed) if isinstance(verdict, Proved) else None


def _to_label(pair: LogPair, file: str, knowledge: Knowledge, options: Options, prove: _Quick) -> Judged:
    """The verdict on a bridge to an inner label: a proof with the preamble in the place of the recorded loop, which
    does the same, if the optimized one is right, and with what is known of types, or else one with that alone, or with
    neither, whose runs are simpler."""
    text = translated(pair, file, knowledge)
    prove.check()
    first = _Quick(prove, time.monotonic() + options.timeout_s * _FIRST)
    tried: list[_Tried] = []
    alone = cache(lambda: places_of(text, options))
    ways = (placed(told, alone, options) for told in _ways(pair, file, knowledge, text))
    for told in filter(None, ways):
        prove.check()
        verdict, texts = _with_efforts(told, options, first)
        if isinstance(verdict, Proved):
            break
        tried.append((verdict, texts, told))
    else:
        told = placed(text, alone, options) or text
        verdict, texts = _in_turn(told, options, prove)
        further = [one for one in tried if isinstance(one[0], Unknown) and one[0].reason != NO_PLACES]
        if further and isinstance(verdict, Unknown) and verdict.reason == NO_PLACES:
            verdict, texts, told = further[0]
    if isinstance(verdict, Proved):
        objection, assumed = objection_to_jump(text, options)
        verdict = Unknown(verdict.evidence, objection) if objection else verdict
        texts = replace(texts, assumes=tuple(sorted({*texts.assumes, *text.assumes, *assumed})))
    return Judged(verdict, texts, translated=told)


def _with_efforts(told: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict with a small effort, or with all of it if that was too small."""
    verdict, texts = _in_turn(told, replace(options, effort=FIRST_EFFORT), prove)
    if isinstance(verdict, Unknown) and OUT_OF_EFFORT in verdict.reason:
        return _in_turn(told, options, prove)
    return verdict, replace(texts, options=replace(texts.options, effort=options.effort))


def _ways(pair: LogPair, file: str, knowledge: Knowledge, text: Translated) -> Iterator[Translated]:
    """The translations of a bridge to an inner label by which a proof is looked for first, each if there is one that
    says something else than `text`."""
    assert text.loop is not None
    for is_by_preamble in (True, False):
        try:
            if is_by_preamble:
                check_written(bridge_to(text.loop, text.before, text.after))
            typed = translated(pair, file, knowledge, is_by_preamble=is_by_preamble, is_typed=True)
        except (NotModelled, NotStraight):
            continue
        if not typed.says(text):
            yield typed


def holds(judged: Judged, pair: LogPair, file: str, knowledge: Knowledge, options: Options, prove: Prove) -> bool:
    """Is a pair that is proved so without what is inferred, too? If that says something else, it is proved with the
    origins that guards have by now; behind a question that has another answer none is asked."""
    if judged.texts is None or not any(map(is_inferred, judged.texts.assumes)):
        return True
    if BY_SIZE in judged.texts.assumes:
        return False
    proved, shown = judged.translated, judged.verdict
    assert proved is not None
    assert isinstance(shown, Proved)
    answers: list[Verdict] = [shown]

    def while_proved(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        if isinstance(answers[-1], Proved):
            answers.append(prove(before, after, options, loop))
        return answers[-1]

    try:
        text = translated(pair, file, knowledge.certain(), is_by_preamble=proved.by_preamble)
        if text.loop and objection_to_jump(translated(pair, file, knowledge.certain()), options)[0]:
            return False
    except (NotStraight, InputError):
        return False
    if text.says(proved):
        return True
    if not text.is_loop and judged.texts.before is proved.before:  # else guards have other numbers
        text = replace(text, origins=shown.evidence.origins)
    quick = _Quick(while_proved, time.monotonic() + options.timeout_s)
    return isinstance(_sharing(text, replace(options, runs=False), quick)[0], Proved)


def _loop_or_other(text: Translated, options: Options, quick: Prove, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict, and the texts that it is about; that on a loop by a proof, before runs are looked for that show a
    difference, which would be done each time that a proof fails."""
    if text.is_loop and text.loop is None:
        first = _Quick(prove, time.monotonic() + options.timeout_s * _FIRST)
        verdict, texts = _in_turn(text, replace(options, runs=False), first)
        if isinstance(verdict, Proved):
            return verdict, replace(texts, options=replace(texts.options, runs=options.runs))
    return _in_turn(text, options, quick)


def _in_turn(text: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict where the places of guards tell their origins, too; if that settles nothing,
    where they do not: an earlier guard may be easier to prove. Other origins are no cure for a vacuous proof."""
    origins = with_places(text.sides, text.origins, text.earliest)
    if origins != text.origins:
        first = _Quick(prove, time.monotonic() + options.timeout_s * _FIRST)
        verdict, texts = _sharing(replace(text, origins=origins), options, first)
        if not isinstance(verdict, Unknown) or verdict.evidence.vacuous:
            return verdict, texts
    return _sharing(text, options, prove)


def _sharing(text: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict where a guard has the origin of one in front, whose resume data it may share, if the bridge from it
    shows that it has not its own. Where it may not, that resume data lacks something is left open."""
    while True:
        verdict, texts = _verdict(text, options, prove)
        if not isinstance(verdict, Proved) or not (lacking := _lacking(texts.after, text)):
            return verdict, texts
        number, memory = lacking
        may_be_told = not text.is_loop and texts.before is text.before  # else guards have other numbers
        origins = shared(verdict.evidence.origins, text.after, number) if may_be_told else ()
        if not origins:
            reason = f"guard {number} has to store to {memory}, and the bridge from there begins without that"
            return Unknown(verdict.evidence, reason), texts
        text = replace(text, origins=origins)


class _TimeIsOver(Exception):
    """The time for a pair is over; the text is what was open last."""


@dataclass(slots=True)
class _Quick:
    """The same way to judge, as long as it is not later than `end` on the monotonic clock, and counterexamples as they
    are found: most are not shown, and making one simpler may take longer than finding it. When the time is over, what
    was open last is told, or raised as _TimeIsOver, if nothing else is to be tried."""

    prove: Prove
    end: float
    is_all: bool = False
    told: str = OUT_OF_TIME

    @property
    def left_s(self) -> float:
        return self.end - time.monotonic()

    def check(self) -> None:
        """Raises _TimeIsOver."""
        if self.is_all and self.left_s <= 0:
            raise _TimeIsOver(self.told)

    def __call__(self, before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        self.check()
        if (left_s := self.left_s) <= 0:
            return Unknown(Evidence(is_repeatable=False), self.told)
        runs = options.runs and loop is None
        left = replace(options, timeout_s=min(left_s, options.timeout_s), simplify=False, runs=runs)
        verdict = self.prove(before, after, left, loop)
        if isinstance(verdict, Unknown) and verdict.reason == OUT_OF_TIME:
            return replace(verdict, reason=self.told)
        if isinstance(verdict, Refuted):
            self.told = f"{verdict.counterexample.obligation} differs, and {OUT_OF_TIME}"
        elif isinstance(verdict, Unknown):
            self.told = verdict.reason
        return verdict


def _verdict(text: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict, and the texts that it is about: if that settles a loop, where its last guards resume where it goes
    round, and fail in whatever cases."""
    verdict, texts = _settled(text, options, prove)
    is_round = not isinstance(verdict, Proved) and text.is_loop and text.loop is None
    if not is_round or (ended := with_end(text.before, text.after, text.origins)) is None:
        return verdict, texts
    before, origins = ended
    safe = replace(options, guards=Guards.SAFE, moved=0)
    again, told = _settled(replace(text, before=before, origins=origins), safe, prove)
    own = origins.index(len(text.before.guards))
    if not isinstance(again, Proved) or (evidence := again.evidence).origins[own:] != origins[own:]:
        return verdict, texts
    if any(number < own for number in evidence.stricter):
        return verdict, texts
    return replace(again, evidence=replace(evidence, assumes=(*evidence.assumes, RESUME_AT_END))), told


def _settled(text: Translated, options: Options, prove: Prove) -> tuple[Verdict, Texts]:
    """The verdict, and the texts that it is about. That guards do not come from where they seem to is no reason to
    refute, nor that they are in another order: then that is left open, but for the one with which a trace is given up.
    Where it cannot be settled, it could not without their origins either."""
    before, after, loop = text.before, text.after, text.loop
    options = replace(options, by_preamble=text.by_preamble)
    for origins, in_loop in ((text.origins, text.in_loop), (_given_up(text), text.in_loop if text.is_placed else ())):
        loop = loop and (loop[0], with_origins(loop[1], in_loop))
        shown = prove_with_exits(before, with_origins(after, origins), loop, options, prove)
        verdict, told = shown.verdict, shown.after
        is_open = isinstance(verdict, Unknown) and verdict.evidence.is_repeatable  # a loop, on no run of which it shows
        if not (isinstance(verdict, Refuted | Unsupported) or (is_open and text.is_loop)):
            break
        if isinstance(verdict, Refuted) and not text.is_loop and not _leaves(verdict):
            told = with_origins(told, ())
            break
    if text.is_bridge and not isinstance(verdict, Proved):
        ended = prove_to_end(before, after, text.origins, options, prove)
        if ended is not None:
            before, shown = ended
            verdict, told = shown.verdict, shown.after
    if isinstance(verdict, Proved) and (objection := objection_to(verdict, text, before, told, shown)):
        verdict = Unknown(verdict.evidence, objection)
    return verdict, Texts(before, told, text.assumes, text.rests_on, shown.options, shown.loop)


def _given_up(text: Translated) -> tuple[int | None, ...]:
    """The origins of the guards that always fail: no other guard has the place at which the recorded trace is given up.
    PyPy's optimizer keeps it as it is."""
    pairs = zip(text.after.guards, text.origins, strict=False)
    return tuple(origin if guard.op.gives_up else None for guard, origin in pairs)


def _lacking(after: Trace, text: Translated) -> tuple[int, str | None] | None:
    """The guard whose resume data does not do what its exit block has, as the bridge from there shows, and the memory;
    None if there is none."""
    for number, (guard, resumed) in enumerate(zip(after.guards, text.resumed, strict=True)):
        for op in exit_of(guard).block:
            if op.op.kind is STORE and resumed is not None and op.descr not in resumed:
                return number, op.descr
    return None


def _leaves(verdict: Refuted) -> bool:
    """Does the optimized trace leave at a guard, so that the difference hangs on where that guard comes from?"""
    return isinstance(verdict.counterexample.after.outcome, GuardFailed)
