"""The work on a batch of seeds: draw, optimize, judge, note, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from fuzz.campaign.changes import Seen
from fuzz.campaign.drawing import Drawing
from fuzz.campaign.examine import Find, FindKind, Record, examine
from fuzz.campaign.find import case_of
from fuzz.campaign.keeping import Keeping, unreduced
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result, result_of
from fuzz.campaign.triage import Kept
from fuzz.cases.store import Case
from fuzz.mutate.pool import load_pool
from fuzz.subject.optimizers import open_optimizer
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.command.judging import OUT_OF_MEMORY
from validator.processes.workers import Loss
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.verdict import Evidence, Unknown, Verdict


@dataclass(frozen=True, slots=True)
class Task:
    """The `count` seeds from `first` on, the start of a batch, until the Unix time `until`. Those `known` have their
    results. A process was lost over the seeds of `lost`: they are drawn, and not tried again; where `lost` seeds are
    known as well, they are passed over."""

    first: int
    count: int
    known: frozenset[int] = frozenset()
    lost: Mapping[int, Loss] = field(default_factory=dict)
    until: float | None = None

    @property
    def seeds(self) -> range:
        return range(self.first, self.first + self.count)


@dataclass(frozen=True, slots=True)
class SeedDone:
    """A seed that has been worked on; without `result` if it was known. It `is_final`, or a find that is about to be
    reduced, as it is to be kept if there is no time for that."""

    seed: int
    result: Result | None = None
    case: Case | None = None
    is_final: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """The time was up before the seed was done, which took that long already."""

    seed: int
    seconds: float


def run_batch(plan: Plan, task: Task, clock: Callable[[], float] = time.time) -> Iterator[SeedDone]:
    """The results of the task's seeds, in their order, and each find as it is before it is reduced. What is known is
    worked on again, since it guides what comes behind it."""
    pool = load_pool(plan.seeds_from, plan.vocabulary)
    drawing = Drawing(pool.traces, plan.mutate, plan.seed - plan.seeds_skip, plan.vocabulary)
    missing = [seed for seed in task.seeds if seed not in task.known]

    options = plan.options

    def judge(before: Trace, after: Trace, state: State) -> Verdict:
        try:
            return validate(before, after, options, examples=(state,), runs_to_end=True)
        except MemoryError:
            return Unknown(Evidence(is_repeatable=False), OUT_OF_MEMORY)

    with open_optimizer(plan.optimizer) as optimizer:
        keeping, seen = Keeping(plan, optimizer, judge), Seen()
        for seed in task.seeds:
            if not missing or seed > missing[-1] or (task.until is not None and clock() >= task.until):
                return
            if seed in task.lost and seed in task.known:
                continue
            options = plan.options_of(seed)
            start = time.perf_counter()
            made = drawing.draw(seed, task.first)
            making_s = time.perf_counter() - start
            record: Record
            if seed in task.lost:
                record = _lost(Find(seed, FindKind.CRASH, made, None, ""), task.lost[seed], plan)
            else:
                record = examine(made, optimizer, judge)
                drawing.note(record)
            result = result_of(record, task.first, making_s, seen, lost=seed in task.lost)
            if seed in task.known:
                yield SeedDone(seed)
            else:
                yield from _done(plan, record, result, keeping)


def _done(plan: Plan, record: Record, result: Result, keeping: Keeping) -> Iterator[SeedDone]:
    if not isinstance(record, Find):
        yield SeedDone(record.seed, result)
        return
    case = case_of(record, plan)
    if not result.lost:
        yield replace(_of_find(result, unreduced(record, case)), is_final=False)
    yield _of_find(result, keeping.keep(record, case, lost=result.lost))


def _of_find(result: Result, kept: Kept) -> SeedDone:
    name = kept.case.name if kept.case is not None else ""
    return SeedDone(result.seed, replace(result, case=name, bucket=kept.bucket, reason=kept.message), kept.case)


def _lost(find: Find, loss: Loss, plan: Plan) -> Find:
    """The find that a process was lost over."""
    match loss:
        case Loss.LATE:
            words = f"no progress in {plan.patience_s:g} s, and the process that worked on the trace was ended"
            return replace(find, kind=FindKind.HANG, message=words)
        case Loss.KILLED:
            words = "the process that worked on the trace was killed, perhaps because the machine has too little memory"
        case Loss.MEMORY:
            words = f"more than {plan.memory_mb} megabytes of memory were needed (a larger limit: --memory)"
        case Loss.CRASHED:
            words = "the process that worked on the trace has ended"
    return replace(find, message=words)


def lost_in_making(task: Task, seed: int, loss: Loss) -> SeedDone:
    """The fault of this tool that is a seed over whose drawing a process was lost again."""
    reason = f"the process that made the trace was lost ({loss.value})"
    kind, at = FindKind.FAULT.value, round(time.time(), 3)
    result = Result(seed, task.first, kind, made="", reason=reason, bucket=f"seed-{seed}-{kind}", lost=True, at=at)
    return SeedDone(seed, result)
