"""Methods of judging pairs, and their race: each pair goes to one after the other."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib.util import find_spec
from statistics import median

from benchmarks.workloads import Sample, Workload
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.rows.ops import Kind
from optimizer.ir.trace import Trace, all_operations
from optimizer.ir.types.trace_layout import layout_of
from validator.check.certificate import Certificate
from validator.check.checker import Checked, check
from validator.prove.align import given_origins
from validator.prove.certify import certify
from validator.prove.judge import validate
from validator.prove.matching import guess_origins
from validator.prove.pairing import encode_pair
from validator.solvers.answers import SolverChoice
from validator.verdict import Failed, Options, Proved, Refuted, Status, Unknown, Unsupported, Verdict

EFFORT = 10_000_000
"""The effort that Z3 spends in about a second."""


class Answer(Enum):
    """A method's answer on a pair."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer of a method about a pair, and the number of obligations that each rung settled. `in_time` is false
    where the method was ended by a limit for the pair."""

    answer: Answer
    rungs: Counter[str] = field(default_factory=Counter)
    in_time: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """`judge` takes a pair and the seconds after which it gives up on it."""

    name: str
    judge: Callable[[Sample, float], Judged]


def _validating(solver: SolverChoice) -> Callable[[Sample, float], Judged]:
    def judge(sample: Sample, cap_s: float) -> Judged:
        start = time.perf_counter()
        verdict = validate(sample.before, sample.after, Options(effort=EFFORT, timeout_s=cap_s, solver=solver))
        return Judged(answer_of(verdict), _rungs(verdict), time.perf_counter() - start < cap_s)

    return judge


def _rungs(verdict: Verdict) -> Counter[str]:
    match verdict:
        case Proved(evidence) | Unknown(evidence):
            return Counter(one.by if one.status is Status.PROVED else "none" for one in evidence.obligations)
        case _:
            return Counter()


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


def without_cuts(before: Trace, after: Trace) -> Certificate:
    """The certificate that says which guards and allocations belong together, and nothing else."""
    pair = encode_pair(before, after, layout_of(before, after), Options())
    origins = guess_origins(pair.before, pair.after, given_origins(before, after))
    return replace(certify(pair, origins), equal=())


def _check(sample: Sample, cap_s: float) -> Judged:
    """The checker's answer, which refutes nothing: what does not follow is unknown."""
    start = time.perf_counter()
    try:
        certificate = without_cuts(sample.before, sample.after)
    except NotModelled:
        return Judged(Answer.UNSUPPORTED)
    found = check(sample.before, sample.after, certificate, effort=EFFORT, timeout_s=cap_s)
    answer = Answer.PROVED if isinstance(found, Checked) else Answer.UNKNOWN
    return Judged(answer, in_time=time.perf_counter() - start < cap_s)


Z3_ALONE = Method("traceproof, z3", _validating(SolverChoice.Z3))
WITH_BITWUZLA = Method("traceproof, Bitwuzla", _validating(SolverChoice.AUTO))
BASELINE = Method("baseline", _check)


def methods() -> tuple[Method, ...]:
    """The methods that can run here."""
    installed = find_spec("bitwuzla") is not None
    return (Z3_ALONE, WITH_BITWUZLA, BASELINE) if installed else (Z3_ALONE, BASELINE)


@dataclass
class Record:
    """The results of one method on the pairs of a workload; seconds are those of the clock, so that the time of solvers
    in processes of their own counts."""

    method: Method
    seconds: list[float] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    rungs: Counter[str] = field(default_factory=Counter)

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
    """The results of every method on the same pairs; sizes are medians over the recorded traces. `skipped` counts seeds
    whose pair some method cannot judge."""

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

    @property
    def baseline(self) -> Record:
        """The last one, against which the others are compared."""
        return self.records[-1]


_CAP_S = 60.0
"""No pair of the workloads takes a method so long."""


def race(
    workload: Workload,
    racing: Sequence[Method],
    seeds: range,
    budget_s: float,
    progress: Callable[[int], None],
) -> Race:
    """Judge the pairs of those seeds, one at least, until the time is up. The methods take turns, and who is first
    changes from pair to pair."""
    records = tuple(map(Record, racing))
    sizes: list[tuple[int, int]] = []
    skipped, start = 0, time.perf_counter()
    for number, seed in enumerate(seeds):
        if sizes and time.perf_counter() - start > budget_s:
            break
        sample = workload.sample(seed)
        first = number % len(records)
        order = records[first:] + records[:first]
        taken = {one.method.name: timed(one.method, sample, _CAP_S) for one in order}
        if any(judged.answer is Answer.UNSUPPORTED for judged, _ in taken.values()):
            skipped += 1
            continue
        for record in records:
            judged, seconds = taken[record.method.name]
            record.answers.append(judged.answer)
            record.rungs += judged.rungs
            record.seconds.append(seconds)
        sizes.append(_size(sample.before))
        progress(len(sizes))
    operations, on_heap = zip(*sizes, strict=True)
    return Race(workload, records, median(operations), median(on_heap), skipped)


def timed(method: Method, sample: Sample, cap_s: float) -> tuple[Judged, float]:
    """The method's judgement of the pair, and the seconds that it took."""
    start = time.perf_counter()
    judged = method.judge(sample, cap_s)
    return judged, time.perf_counter() - start


def _size(trace: Trace) -> tuple[int, int]:
    """The operations of a trace, and those of them that work on the heap."""
    operations = all_operations(trace)
    on_heap = [op for op in operations if op.memory is not None and op.op.kind is not Kind.EVENT]
    return len(operations), len(on_heap)
