"""Mutants of a log, each judged with what the log with the mutant in it says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from random import Random

from fuzz.cases.log_run import proving
from fuzz.cases.recorded import traces_of
from optimizer.ir.dialects.pypy_pairs import LogPair, pair_sections
from optimizer.ir.immutable import replace
from pypy_mutants.edits import FAULTS, mutants
from validator.command.judging import Judging
from validator.pypy.judge import OPTIONS, Judged, judge
from validator.pypy.kept import Kept
from validator.pypy.study import study
from validator.tell.report import verdict_name
from validator.verdict import Failed, Proved, Unknown, Unsupported

_CONTEXT = 3


@dataclass(frozen=True)
class Log:
    """A log, those of its pairs that are proved, and what is known beside it."""

    name: str
    pairs: tuple[LogPair, ...]
    proved: tuple[int, ...] = ()
    known: tuple[Kept, ...] = ()


@dataclass(frozen=True)
class Mutant:
    """The outcome of a mutant: what was done, where, and the verdict; of a proved one, the difference and what the
    proof assumes."""

    log: str
    pair: int
    number: int
    fault: str
    verdict: str
    reason: str = ""
    difference: str = ""
    assumes: tuple[str, ...] = ()
    texts: tuple[str, str] = ("", "")


def read_log(path: str) -> Log:
    """The log, with all of its pairs."""
    return Log(path, tuple(pair for pair in pair_sections(traces_of(path)) if isinstance(pair, LogPair)))


def verdict_of(judged: Judged) -> str:
    """The verdict in a word; a proof that says little is not taken for one."""
    match judged.verdict:
        case Proved(evidence) if evidence.vacuous:
            return "vacuous"
        case verdict:
            return verdict_name(verdict)


def judged_in(log: Log, number: int, timeout_s: float) -> Judged:
    """The verdict on a pair of the log."""
    options = replace(OPTIONS, timeout_s=timeout_s)
    knowledge = study(log.pairs, log.name, *log.known)
    pair = next(itertools.islice(knowledge.given(log.pairs), number, None))
    assert isinstance(pair, LogPair)
    return judge(pair, log.name, knowledge, options, proving(Judging(options), log.name))


def drawn(logs: Sequence[Log], seed: int, number: int) -> tuple[Log, int, str, tuple[str, ...]] | None:
    """The mutant of that number: the log, the place of its pair, the fault, and the new lines; None where that kind of
    fault has no place."""
    draw = Random(f"{seed} {number}")
    fault = FAULTS[number % len(FAULTS)]
    log = draw.choice(logs)
    for place in draw.sample(log.proved, len(log.proved)):
        if found := mutants(log.pairs[place].optimized.lines, fault, draw):
            return log, place, fault.name, draw.choice(found)
    return None


@contextmanager
def judging(logs: Sequence[Log], seed: int, timeout_s: float) -> Iterator[Callable[[int], Mutant | None]]:
    """Judges the mutant of a number."""

    def judged(number: int) -> Mutant | None:
        made = drawn(logs, seed, number)
        if made is None:
            return None
        log, place, fault, lines = made
        pair = log.pairs[place]
        wrong = replace(pair, optimized=replace(pair.optimized, lines=lines, promised=None))
        pairs = (*log.pairs[:place], wrong, *log.pairs[place + 1 :])
        found = judged_in(replace(log, pairs=pairs), place, timeout_s)
        verdict = verdict_of(found)
        reason = found.verdict.reason if isinstance(found.verdict, Unknown | Failed | Unsupported) else ""
        if verdict != "proved":
            return Mutant(log.name, pair.number, number, fault, verdict, reason)
        difference = "\n".join(unified_diff(pair.optimized.lines, lines, "PyPy", "mutant", lineterm="", n=_CONTEXT))
        assert isinstance(found.verdict, Proved)
        inferred = () if found.texts is None else found.texts.assumes
        assumes = (*inferred, *found.verdict.evidence.assumes)
        texts = ("\n".join(pair.recorded.lines), "\n".join(lines))
        return Mutant(log.name, pair.number, number, fault, verdict, reason, difference, assumes, texts)

    yield judged
