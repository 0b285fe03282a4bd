"""The pairs of logs of PyPy, with what our optimizer makes of what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from fuzz.cases.log_run import LogFile, answer_pairs
from fuzz.report.compared import Difference, compare
from optimizer.ir.dialects.pypy_pairs import Count, LogPair, Unpaired, counts
from optimizer.ir.dialects.pypy_trace import with_live_values
from optimizer.ir.faults import InputError, Unsupported
from optimizer.ir.trace import Trace, exit_of
from optimizer.pipeline import optimize
from validator.processes.workers import Supervision
from validator.pypy.pair_text import translated
from validator.pypy.printed.lines import Line
from validator.pypy.printed.straight import NotStraight
from validator.pypy.study import Knowledge, Study

_LIMIT_S = 60.0
_MEMORY_MB = 4096


@dataclass(frozen=True, slots=True)
class PairCompared:
    """A pair of a log, and what both optimizers have left of it. `counts` are those of what was recorded, of theirs, of
    ours, and of our exit blocks; `loss` says why they are not compared."""

    log: str
    pair: LogPair
    differences: tuple[Difference, ...] = ()
    counts: tuple[Counter[Count], ...] = ()
    loss: str = ""


def compare_logs(
    logs: Sequence[LogFile], study: Study, jobs: int, only: frozenset[int] = frozenset()
) -> Generator[tuple[str, PairCompared | Unpaired]]:
    """The pairs of the logs, and the traces without one, each with the name of its log, in their order, by `jobs`
    processes at once. To be closed when it is not run to its end."""
    supervision = Supervision(jobs, _MEMORY_MB, _LIMIT_S)
    with closing(answer_pairs(logs, study, only, compare_pair, _lost, supervision)) as compared:
        yield from ((logs[number].name, one) for number, one in compared)


def _lost(pair: LogPair, log: str, _: object) -> PairCompared:
    return PairCompared(log, pair, loss="our optimizer has not ended")


def compare_pair(pair: LogPair, log: str, knowledge: Knowledge) -> PairCompared:
    """Both optimizers' work on what was recorded, with what the proof of the pair goes by."""
    try:
        text = translated(pair, log, knowledge)
        if text.is_loop:
            return PairCompared(log, pair, loss="a peeled loop, or a way into one")
        before = with_live_values(text.before)
        ours = optimize(before)
    except (NotStraight, InputError, Unsupported) as why:
        return PairCompared(log, pair, loss=str(why))
    recorded, optimized = text.sides.before.lines, text.sides.after.lines
    places = _places(before, recorded)
    kept = {places[op.line]: op.op.name for op in ours.ops if op.line in places}
    return PairCompared(
        log,
        pair,
        compare(recorded, optimized, text.origins, kept),
        (
            counts(recorded[place].name for place in places.values()),
            counts(op.op.name for op in text.after.ops),
            counts(op.op.name for op in ours.ops if op.line in places),
            counts(op.op.name for guard in ours.guards for op in exit_of(guard).block),
        ),
    )


def _places(before: Trace, recorded: Sequence[Line]) -> dict[int, int]:
    """The places of the recorded lines, by the lines of the text in which they stand: both are in one order, what only
    one of them has left out. What is in no log has none."""
    found, rest = dict[int, int](), iter(enumerate(recorded))
    results = {line.result for line in recorded}
    for op in before.ops[1:]:  # behind what is said of the frame
        result = op.result and op.result.name
        if result in results:
            place, line = next(one for one in rest if one[1].result == result and (result or one[1].name == op.op.name))
            if line.passed is not None:
                found[op.line] = place
    return found
