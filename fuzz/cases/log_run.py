"""The pairs of logs of PyPy, proved by processes that may hang or die. Logs are read twice, and never held."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import Any, TypeVar

from fuzz.cases.located import located
from fuzz.cases.recorded import opened, rereadable, traces_of
from fuzz.report.words import counted
from optimizer.ir.dialects.pypy_log import Section
from optimizer.ir.dialects.pypy_pairs import LogPair, Unpaired, pair_sections
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.command.exits import Exit, exit_code, report_fault
from validator.command.files import file_name
from validator.command.judging import Judging
from validator.command.requests import lost_verdict
from validator.processes.ordered import answer_all
from validator.processes.workers import Loss, Supervision
from validator.pypy.exits import Prove
from validator.pypy.judge import Judged, Texts, holds, judge
from validator.pypy.kept import Kept, parse_kept, shipped
from validator.pypy.resume_data import Loop
from validator.pypy.study import Knowledge, Study
from validator.tell.report import verdict_json
from validator.verdict import Failed, Fault, Options, Proved, Unknown, Verdict

_LATE_S = 10.0

T = TypeVar("T")


@dataclass(slots=True)
class LogFile:
    """A log, as a file that can be read twice, and its name for messages. Read to its end, `damage` says what is wrong
    with the file, if anything is, `kinds` whether there are recorded traces in it (true), and optimized ones (false),
    and `pairs` how many of them are pairs."""

    file: str
    name: str
    damage: str = ""
    kinds: set[bool] = field(default_factory=set)
    pairs: int = 0

    def items(self) -> Iterator[LogPair | Unpaired]:
        """The pairs of the log, and the traces without one."""
        pairs = 0
        for item in pair_sections(self._sections()):
            pairs += isinstance(item, LogPair)
            yield item
        self.pairs = pairs

    def _sections(self) -> Iterator[Section]:
        try:
            for section in traces_of(self.file):
                self.kinds.add(section.is_recorded)
                yield section
        except InputError as damage:
            self.damage = str(damage).removeprefix(f"{self.file}: ")


@dataclass(frozen=True, slots=True)
class LogRun:
    """Logs of one PyPy that are proved with what all of them say, the numbers of the pairs that are wanted (none: all),
    whether their traces are kept, and whether it is asked of proofs if they hold without what is inferred."""

    logs: tuple[LogFile, ...]
    judging: Judging
    only: frozenset[int] = frozenset()
    keeps_texts: bool = False
    asks_without: bool = True


@dataclass(frozen=True, slots=True)
class PairRun:
    """The outcome of a pair: its verdict in JSON, the traces that it is about (where they are kept), what is inferred,
    what the log does not say, of a bridge the pairs that it rests on, of a proof: does it hold without what is
    inferred? And of what is unknown, where in the program that is."""

    pair: LogPair
    verdict: dict[str, Any]
    code: Exit
    texts: Texts | None = None
    inferred: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    rests_on: tuple[int, ...] = ()
    holds_without: bool | None = None
    where: str = ""
    warning: str = ""

    @property
    def name(self) -> str:
        """The verdict in a word; a proof that says little is not taken for one."""
        return "vacuous" if self.verdict["vacuous"] else str(self.verdict["verdict"])


@contextmanager
def opened_logs(paths: Sequence[str], names: Sequence[str] = ()) -> Iterator[tuple[LogFile, ...]]:
    """The logs, under their own names or other ones, which can be read while this lasts. Raises InputError."""
    with ExitStack() as opened:
        files = [opened.enter_context(rereadable(path)) for path in paths]
        yield tuple(map(LogFile, files, names or map(file_name, paths)))


Items = Iterable[LogPair | Unpaired]


def study_logs(logs: Sequence[LogFile], watch: Callable[[Items], Items] = iter, given: Sequence[Kept] = ()) -> Study:
    """The study of the whole logs, with the knowledge that is given; `watch` sees all that is studied. Raises
    InputError, also where they are not of one PyPy."""
    study = Study()
    for log in logs:
        study.add(watch(log.items()), log.name)
    for known in given:
        study.take(known)
    study.check()
    return study


_Numbered = tuple[int, LogPair | Unpaired]


def answer_pairs(
    logs: Sequence[LogFile],
    study: Study,
    only: frozenset[int],
    work: Callable[[LogPair, str, Knowledge], T],
    lost: Callable[[LogPair, str, Loss], T],
    supervision: Supervision,
) -> Generator[tuple[int, T | Unpaired]]:
    """The outcomes of work on the pairs of the logs with these numbers (none: all), in their order, each behind the
    place of its log; traces without a pair as they are. To be closed when it is not run to its end. Raises
    InputError."""
    knowledge = lru_cache(maxsize=1)(study.knowledge)  # the logs come one after the other

    def wanted() -> Iterator[_Numbered]:
        for number, log in enumerate(logs):
            for item in study.knowledge(number).given(log.items()):
                if not only or item.number in only:
                    yield number, item

    def answer(numbered: _Numbered) -> tuple[int, T | Unpaired]:
        number, item = numbered
        if isinstance(item, Unpaired):
            return number, item
        return number, work(item, logs[number].name, knowledge(number))

    def lose(numbered: _Numbered, loss: Loss) -> tuple[int, T | Unpaired]:
        number, item = numbered
        return number, lost(item, logs[number].name, loss) if isinstance(item, LogPair) else item

    with closing(answer_all(wanted(), nullcontext(answer), lose, supervision)) as outcomes:
        yield from outcomes


def prove_logs(run: LogRun, study: Study, jobs: int) -> Generator[tuple[LogFile, PairRun | Unpaired]]:
    """The outcomes of the pairs of the logs, in their order, by `jobs` processes at once. To be closed when it is not
    run to its end. Raises InputError."""
    options = run.judging.options
    supervision = Supervision(jobs, options.memory_mb, 2 * options.timeout_s + _LATE_S)

    def prove(pair: LogPair, log: str, knowledge: Knowledge) -> PairRun:
        done = prove_pair(pair, log, knowledge, run.judging, asks_without=run.asks_without)
        return done if run.keeps_texts else replace(done, texts=None)

    with closing(answer_pairs(run.logs, study, run.only, prove, _lost, supervision)) as outcomes:
        yield from _with_what_they_rest_on(run, outcomes)


_Outcome = tuple[int, PairRun | Unpaired]


def _with_what_they_rest_on(run: LogRun, outcomes: Iterable[_Outcome]) -> Iterator[tuple[LogFile, PairRun | Unpaired]]:
    """The outcomes, in which bridges tell the traces in front of them that are not proved."""
    proved: set[tuple[int, int]] = set()
    for log, outcome in outcomes:
        if isinstance(outcome, PairRun):
            if outcome.name == "proved":
                proved.add((log, outcome.pair.number))
            where = f" of {run.logs[log].name}" if len(run.logs) > 1 else ""
            unproved = (number for number in outcome.rests_on if (log, number) not in proved)
            assumed = (f"the optimized trace of pair {number}{where} is right" for number in unproved)
            outcome = replace(outcome, inferred=(*outcome.inferred, *assumed))
        yield run.logs[log], outcome


def prove_pair(
    pair: LogPair, log: str, knowledge: Knowledge, judging: Judging, *, asks_without: bool = True
) -> PairRun:
    """The outcome of a pair."""
    name = f"{log}: pair {pair.number}"
    start, prove = time.monotonic(), _once(proving(judging, name))
    try:
        judged = judge(pair, log, knowledge, judging.options, prove)
        done = _outcome(pair, name, judged)
        if done.verdict["seconds"] is not None:  # those of all proofs, not of the last alone
            done = replace(done, verdict={**done.verdict, "seconds": round(time.monotonic() - start, 6)})
        if asks_without and isinstance(judged.verdict, Proved):
            done = replace(done, holds_without=holds(judged, pair, log, knowledge, judging.options, prove))
    except Exception:
        import traceback  # here: only a fault needs it

        fault = report_fault(f"{name}\n{_lines(pair)}\n\n{traceback.format_exc()}")
        return _outcome(pair, name, Judged(Failed(Fault.TOOL, fault)))
    return done if judging.cache is None else replace(done, warning=judging.cache.problem)


def _once(prove: Prove) -> Prove:
    """The same way to judge, which does not judge the same traces twice. Without what is inferred most pairs are the
    same traces."""
    known: list[tuple[object, Verdict]] = []

    def once(before: Trace, after: Trace, options: Options, loop: Loop) -> Verdict:
        question = replace(options, timeout_s=0.0), before, after, loop
        for asked, verdict in known:
            if asked == question:
                return verdict
        verdict = prove(before, after, options, loop)
        if not isinstance(verdict, Unknown) or verdict.evidence.is_repeatable:
            known.append((question, verdict))
        return verdict

    return once


def proving(judging: Judging, name: str) -> Prove:
    """The way to judge traces with other options; `name` is that of the pair."""
    return lambda before, after, options, loop: replace(judging, options=options, loop=loop).verdict(
        before, after, name
    )


def _outcome(pair: LogPair, name: str, judged: Judged) -> PairRun:
    texts = judged.texts
    traces = (None, None) if texts is None else (texts.before, texts.after)
    said, code = verdict_json(judged.verdict, name, *traces), exit_code(judged.verdict)
    if texts is None:
        return PairRun(pair, said, code)
    return PairRun(pair, said, code, texts, texts.assumes, judged.missing, texts.rests_on, where=located(judged))


def _lines(pair: LogPair) -> str:
    return "\n".join((*pair.recorded.lines, *pair.optimized.lines))


def _lost(pair: LogPair, log: str, loss: Loss) -> PairRun:
    return _outcome(pair, f"{log}: pair {pair.number}", Judged(lost_verdict(loss, _lines(pair))))


# Knowledge of a PyPy in files, and as it is shipped.


def read_known(files: Sequence[str]) -> tuple[Kept, ...]:
    """The knowledge in files, which may be compressed. Raises InputError."""
    return tuple(map(_read, files))


def _read(file: str) -> Kept:
    with opened(file) as lines:
        data = lines.read()
    try:
        return parse_kept(data.decode(), PurePath(file_name(file)).name)
    except UnicodeDecodeError:
        return parse_kept("", file_name(file))


def take_known(study: Study, given: Sequence[Kept], *, is_shipped: bool) -> Iterator[str]:
    """Has a study take in the knowledge that is shipped, if it is of the PyPy that wrote the logs; in words what is
    known beside the logs, the `given` knowledge first."""
    yield from (f"known of {one.name}: {counted(one.logs, 'log')}" for one in given)
    if is_shipped:
        known = shipped()
        if study.agrees(known):
            study.take(known)
            yield f"known of {known.name}: {counted(known.logs, 'log')}"
        else:
            yield f"known of {known.name}: not used, this seems to be another PyPy"
