"""The traces of a program's log, each proved against its recording."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from fuzz.cases.log_run import LogFile, LogRun, PairRun, prove_logs, study_logs, take_known
from fuzz.hunt.coverage import coverage
from fuzz.report.log_figures import reason_of
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from validator.command.judging import Judging
from validator.loops.judge import NO_RUN
from validator.pypy.judge import OPTIONS
from validator.pypy.printed.lines import read_printed
from validator.pypy.printed.straight import LOST, NotStraight, check_guards

_PLACE = "debug_merge_point"
_SHARE = 20
"""The proofs of one program take at most so many times the limit of a pair."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The verdicts on the traces of a log: how many there are of each, why those are not proved that are not, the pairs
    that are refuted or lose what a guard hands over, and the kinds of things that happened. `losing` are the lines of
    recorded traces that lose it. `suspects` differ in a loop on which no run was found that shows it.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    refuted: tuple[PairRun, ...] = ()
    covered: frozenset[str] = frozenset()
    losing: tuple[str, ...] = ()
    suspects: tuple[PairRun, ...] = ()


def prove_log(log: Path, program: Path, timeout_s: float, *, tries: bool = True) -> Proofs:
    """The verdicts on the traces of the program in its log, with the shipped knowledge of PyPy. If it does not try to
    prove all, those alone that lose what a guard hands over."""
    if not log.exists() or not log.stat().st_size:
        return Proofs()
    try:
        return _prove(log, program, timeout_s, tries)
    except InputError as damage:
        return Proofs(reasons=Counter({f"the log is damaged: {damage}": 1}))


def _prove(log: Path, program: Path, timeout_s: float, tries: bool) -> Proofs:
    file = LogFile(str(log), log.name)
    own = [item for item in file.items() if _is_of(item, program.name)]
    pairs = [item for item in own if isinstance(item, LogPair)]
    losing = [pair for pair in pairs if _loses(pair)]
    lines = tuple(chain(*(pair.recorded.lines for pair in losing)))
    done = Proofs(covered=coverage(own), losing=lines)
    done.verdicts.update("unpaired" for item in own if isinstance(item, Unpaired))
    wanted = frozenset(pair.number for pair in (pairs if tries else losing))
    if len(pairs) > len(wanted):
        done.verdicts["untried"] += len(pairs) - len(wanted)
    if not wanted:
        return done
    judging = Judging(replace(OPTIONS, timeout_s=timeout_s))
    run = LogRun((file,), judging, wanted, keeps_texts=True, asks_without=False)
    study = study_logs(run.logs)
    for _ in take_known(study, (), is_shipped=True):
        pass
    deadline = time.monotonic() + _SHARE * timeout_s
    refuted, suspects = list[PairRun](), list[PairRun]()
    with closing(prove_logs(run, study, 1)) as outcomes:
        for _, outcome in outcomes:
            if isinstance(outcome, PairRun):
                done.verdicts[outcome.name] += 1
                if outcome.name != "proved":
                    done.reasons[reason_of(outcome)] += 1
                reason = str(outcome.verdict["reason"])
                refuted += [outcome] * (outcome.name == "refuted" or LOST in reason)
                suspects += [outcome] * (NO_RUN in reason)
            if time.monotonic() > deadline:
                break
    late = len(own) - done.verdicts.total()
    if late:
        done.verdicts["unknown"] += late
        done.reasons["unknown: the time for the program's traces was up"] += late
    return replace(done, refuted=tuple(refuted), suspects=tuple(suspects))


def _loses(pair: LogPair) -> bool:
    """Does a guard of the optimized trace hand over what its label does not take?"""
    if not any("label(" in line for line in pair.optimized.lines):
        return False
    try:
        check_guards(read_printed(pair.optimized, "program.log"))
    except NotStraight as why:
        return LOST in str(why)
    except InputError:
        pass
    return False


def _is_of(item: LogPair | Unpaired, program: str) -> bool:
    """Is a trace of the program, or of what it may call? Others tell the places of other files alone."""
    sections = (item.recorded, item.optimized) if isinstance(item, LogPair) else (item.section,)
    places = [line for line in chain(*(section.lines for section in sections)) if _PLACE in line or line[:1] == "#"]
    return any(program in line for line in places) or not any(".py:" in line or "<builtin>" in line for line in places)
