"""Running all cases of a corpus, by processes that may hang or die."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases.run import CaseRun, run_case
from fuzz.cases.store import case_names, read_case
from fuzz.hunt.observe import Observer
from fuzz.hunt.target import Limits, Target
from fuzz.subject.optimizers import OptimizerSpec, open_optimizer
from optimizer.ir.faults import InputError
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.cache import Cache, validate_cached
from validator.command.exits import describe
from validator.processes.ordered import answer_all
from validator.processes.workers import Loss, Supervision
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Options, Verdict

_LATE_S = 10.0

_RUNS = 3
"""The runs of a program that may be slow."""

_DEFAULT = Options()


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """A run of a corpus: of the cases in a folder, with an optimizer, and a PyPy for their programs, if there is one;
    verdicts are looked up in the cache, if there is one."""

    folder: Path
    optimizer: OptimizerSpec
    cache: Cache | None = None
    target: Target | None = None


def run_corpus(corpus: CorpusRun, jobs: int) -> Generator[CaseRun]:
    """The outcomes of the cases, in the order of their names, by `jobs` processes at once. To be closed when it is not
    run to its end. Raises InputError."""
    with open_optimizer(corpus.optimizer):
        pass  # a mistake is told here, not by every process
    runs_s = 0.0 if corpus.target is None else _RUNS * Limits().larger.seconds
    patience_s = corpus.optimizer.limit_s + 4 * _DEFAULT.timeout_s + _LATE_S + runs_s
    supervision = Supervision(jobs, _DEFAULT.memory_mb, patience_s)
    return answer_all(case_names(corpus.folder), _running(corpus), _lost, supervision)


@contextmanager
def _running(corpus: CorpusRun) -> Iterator[Callable[[str], CaseRun]]:
    def judge(before: Trace, after: Trace, options: Options, states: tuple[State, ...]) -> Verdict:
        if corpus.cache is None:
            return validate(before, after, options, examples=states)
        return validate_cached(before, after, options, corpus.cache, states)

    observer = None if corpus.target is None else Observer(corpus.target)
    with open_optimizer(corpus.optimizer) as optimizer:

        def run(name: str) -> CaseRun:
            try:
                case = read_case(corpus.folder, name)
            except (InputError, OSError) as problem:
                reason = describe(problem) if isinstance(problem, OSError) else str(problem)
                return CaseRun(name, None, (), reason, is_readable=False)
            done = run_case(case, optimizer, judge, observer)
            return done if corpus.cache is None else replace(done, warning=corpus.cache.problem)

        yield run


def _lost(name: str, loss: Loss) -> CaseRun:
    return CaseRun(name, None, (f"the process that worked on the case was lost ({loss.value})",))
