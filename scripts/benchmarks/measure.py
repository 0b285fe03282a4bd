"""Methods of judging pairs, and their race: each pair goes to one after the other."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.naive import Answer, judge_naively
from benchmarks.workloads import Sample, Workload
from optimizer.ir.ops import Kind
from optimizer.ir.trace import Trace, all_operations, memory_of
from validator.judge import validate
from validator.verdict import Failed, Proved, Refuted, Unknown, Unsupported, Verdict


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    judge: Callable[[Sample], Answer]


def _validate(sample: Sample) -> Answer:
    return answer_of(validate(sample.before, sample.after))


def answer_of(verdict: Verdict) -> Answer:
    match verdict:
        case Proved():
            return Answer.PROVED
        case Refuted():
            return Answer.REFUTED
        case Unknown():
            return Answer.UNKNOWN
        case Unsupported():
            return Answer.UNSUPPORTED
        case Failed():
            raise RuntimeError(f"the validator failed: {verdict}")


OURS = Method("traceproof", _validate)
BASELINE = Method("baseline", lambda sample: judge_naively(sample.before, sample.after))


@dataclass
class Record:
    """What one method did on the pairs of a workload; seconds are those of the processor."""

    method: Method
    seconds: list[float] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def total(self) -> float:
        return sum(self.seconds)

    @property
    def median(self) -> float:
        return median(self.seconds)

    def count(self, answer: Answer) -> int:
        return Counter(self.answers)[answer]


@dataclass(frozen=True, slots=True)
class Race:
    """What every method did on the same pairs; sizes are medians over the recorded traces. `skipped` counts seeds whose
    pair some method cannot judge."""

    workload: Workload
    records: tuple[Record, ...]
    operations: float
    on_heap: float
    skipped: int

    @property
    def contradictions(self) -> int:
        """The pairs that one method proves and another one refutes."""
        opposite = {Answer.PROVED, Answer.REFUTED}
        return sum(opposite <= set(said) for said in zip(*(one.answers for one in self.records), strict=True))


def race(
    workload: Workload,
    methods: Sequence[Method],
    seeds: range,
    budget_s: float,
    progress: Callable[[int], None],
) -> Race:
    """Judge the pairs of those seeds, one at least, until the time is up. The methods take turns, and who is first
    changes from pair to pair."""
    records = tuple(map(Record, methods))
    sizes: list[tuple[int, int]] = []
    skipped, start = 0, time.perf_counter()
    for number, seed in enumerate(seeds):
        if sizes and time.perf_counter() - start > budget_s:
            break
        sample = workload.sample(seed)
        order = records if number % 2 == 0 else records[::-1]
        taken = {one.method.name: _timed(one.method, sample) for one in order}
        if any(answer is Answer.UNSUPPORTED for answer, _ in taken.values()):
            skipped += 1
            continue
        for record in records:
            answer, seconds = taken[record.method.name]
            record.answers.append(answer)
            record.seconds.append(seconds)
        sizes.append(_size(sample.before))
        progress(len(sizes))
    operations, on_heap = zip(*sizes, strict=True)
    return Race(workload, records, median(operations), median(on_heap), skipped)


def _timed(method: Method, sample: Sample) -> tuple[Answer, float]:
    start = time.process_time()
    answer = method.judge(sample)
    return answer, time.process_time() - start


def _size(trace: Trace) -> tuple[int, int]:
    """The operations of a trace, and those of them that work on the heap."""
    operations = list(all_operations(trace))
    on_heap = [op for op in operations if memory_of(op) is not None and op.op.kind is not Kind.EVENT]
    return len(operations), len(on_heap)
