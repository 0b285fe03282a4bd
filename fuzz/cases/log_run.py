"""The pairs of a log of PyPy, proved by processes that may hang or die. The log is read twice, and never held."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fuzz.cases.recorded import traces_of
from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired, pair_sections
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.text import parse
from optimizer.ir.text.declarations import parse_declarations
from optimizer.ir.trace import Trace
from validator.command.exits import Exit, exit_code, report_fault
from validator.command.judging import Judging
from validator.command.requests import lost_verdict
from validator.processes.ordered import answer_all
from validator.processes.workers import Loss, Supervision
from validator.pypy.straight import NotStraight
from validator.pypy.study import Knowledge, study, translated
from validator.tell.report import verdict_json
from validator.verdict import Evidence, Failargs, Failed, Fault, Guards, Options, Proved, Unsupported, Verdict

MODES = Options(guards=Guards.SAFE, failargs=Failargs.IGNORE)
"""A log does not say what guards hand over, and a guard may fail where the recorded trace goes on: the interpreter does
the rest."""

_LATE_S = 10.0
_AGAIN_S = 0.5
"""The seconds that a proved pair has at least, to be proved again without what is inferred."""


@dataclass(slots=True)
class LogRun:
    """A log, as a file that can be read twice, its name for messages, and the numbers of the pairs that are wanted
    (none: all). Read to its end, `damage` says what is wrong with the file, if anything is, and `kinds` whether there
    are recorded traces in it (true), and optimized ones (false)."""

    file: str
    name: str
    judging: Judging
    only: frozenset[int] = frozenset()
    damage: str = ""
    kinds: set[bool] = field(default_factory=set)

    def items(self) -> Iterator[LogPair | Unpaired]:
        """The pairs of the log, and the traces without one."""
        return pair_sections(self._sections())

    def _sections(self) -> Iterator[Section]:
        try:
            for section in traces_of(self.file):
                self.kinds.add(section.is_recorded)
                yield section
        except InputError as damage:
            self.damage = str(damage)

    def pairs(self) -> Iterator[LogPair]:
        return (item for item in self.items() if isinstance(item, LogPair))


@dataclass(frozen=True, slots=True)
class PairTexts:
    """A pair in the trace language: two traces, each with its declarations, and what is assumed because PyPy's
    optimizer relies on it, by name."""

    before: Trace
    after: Trace
    inferred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairRun:
    """The outcome of a pair: its verdict in JSON, what is inferred, and of a proof: does it hold without that?"""

    pair: LogPair
    verdict: dict[str, Any]
    code: Exit
    inferred: tuple[str, ...] = ()
    holds_without: bool | None = None
    warning: str = ""

    @property
    def name(self) -> str:
        """The verdict in a word; a proof that says little is not taken for one."""
        return "vacuous" if self.verdict["vacuous"] else str(self.verdict["verdict"])


def texts_of(pair: LogPair, log: str, knowledge: Knowledge) -> PairTexts:
    """The pair in the trace language. Raises NotStraight and InputError."""
    text = translated(pair, log, knowledge)
    types = parse_declarations(text.types, file=f"{log}: pair {pair.number}: types")
    before, after = (
        parse(trace, file=f"{log}: pair {pair.number}: {side}", types=types)
        for side, trace in (("before", text.before), ("after", text.after))
    )
    return PairTexts(before, after, text.assumes)


def study_log(run: LogRun, watch: Callable[[Iterable[LogPair]], Iterable[LogPair]] = iter) -> Knowledge:
    """Knowledge of the whole log; `watch` is given all pairs that are studied. Raises InputError."""
    return study(watch(run.pairs()), run.name)


def prove_log(run: LogRun, knowledge: Knowledge, jobs: int) -> Generator[PairRun | Unpaired]:
    """The outcomes of the pairs of a log, in its order, by `jobs` processes at once. To be closed when it is not run to
    its end. Raises InputError."""
    options = run.judging.options
    supervision = Supervision(jobs, options.memory_mb, 2 * options.timeout_s + _LATE_S)
    wanted = (item for item in run.items() if not run.only or item.number in run.only)
    return answer_all(wanted, _proving(run, knowledge), partial(_lost, run.name), supervision)


@contextmanager
def _proving(run: LogRun, knowledge: Knowledge) -> Iterator[Callable[[LogPair | Unpaired], PairRun | Unpaired]]:
    def prove(item: LogPair | Unpaired) -> PairRun | Unpaired:
        return item if isinstance(item, Unpaired) else prove_pair(item, run.name, knowledge, run.judging)

    yield prove


def prove_pair(pair: LogPair, log: str, knowledge: Knowledge, judging: Judging) -> PairRun:
    """The outcome of a pair."""
    name = f"{log}: pair {pair.number}"
    try:
        texts = texts_of(pair, log, knowledge)
    except (NotStraight, InputError) as limit:
        return _outcome(pair, name, Unsupported(str(limit)))
    except Exception:
        import traceback  # here: only a fault needs it

        lines = "\n".join((*pair.recorded.lines, *pair.optimized.lines))
        return _outcome(pair, name, Failed(Fault.TOOL, report_fault(f"{name}\n{lines}\n\n{traceback.format_exc()}")))
    verdict = judging.verdict(texts.before, texts.after, name)
    done = _outcome(pair, name, verdict, texts)
    if isinstance(verdict, Proved):
        done = replace(done, holds_without=_holds_without(pair, log, knowledge, judging, verdict.evidence, texts))
    return done if judging.cache is None else replace(done, warning=judging.cache.problem)


def _holds_without(
    pair: LogPair, log: str, knowledge: Knowledge, judging: Judging, evidence: Evidence, texts: PairTexts
) -> bool:
    """Is a pair that is proved so also without what is inferred, in about the same time?"""
    if not texts.inferred:
        return True
    limit_s = min(judging.options.timeout_s, max(_AGAIN_S, 4 * evidence.seconds))
    certain = texts_of(pair, log, knowledge.certain())
    quick = replace(judging, options=replace(judging.options, timeout_s=limit_s))
    return isinstance(quick.verdict(certain.before, certain.after, log), Proved)


def _outcome(pair: LogPair, name: str, verdict: Verdict, texts: PairTexts | None = None) -> PairRun:
    before, after = (None, None) if texts is None else (texts.before, texts.after)
    inferred = () if texts is None else texts.inferred
    return PairRun(pair, verdict_json(verdict, name, before, after), exit_code(verdict), inferred)


def _lost(log: str, item: LogPair | Unpaired, loss: Loss) -> PairRun | Unpaired:
    if isinstance(item, Unpaired):
        return item
    lines = "\n".join((*item.recorded.lines, *item.optimized.lines))
    return _outcome(item, f"{log}: pair {item.number}", lost_verdict(loss, lines))
