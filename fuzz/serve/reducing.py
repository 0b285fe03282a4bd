"""The pair of the page made smaller."""

from __future__ import annotations

from fuzz.campaign.examine import Find, validating
from fuzz.reduce.reduce import reduce_find
from fuzz.reduce.source import look_at
from fuzz.reduce.trials import Subject
from fuzz.report.judged import judge_pair
from fuzz.report.pair_page import judged_part
from fuzz.report.words import times
from fuzz.serve.judging import validate
from fuzz.serve.question import Answer, Asked
from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from validator.verdict import Refuted

_REDUCING_S = 10.0


def reduce(asked: Asked) -> Answer:
    """A smaller pair that shows the same failure, and the verdict on it."""
    before, after = asked.traces()
    subject = Subject(None, validating(asked.options), asked.options)
    record = look_at(before, after, subject)
    if not isinstance(record, Find):
        return validate(asked) | {"note": "nothing wrong was found there, so there is nothing to reduce"}
    reduced = reduce_find(record, subject, _REDUCING_S)
    left = reduced.find
    assert isinstance(left.after, Trace)
    sizes = f"{times(len(before.ops), 'operation')}, {len(reduced.before.ops)} left"
    ended = "" if reduced.complete else "; the time was up: traceproof reduce may find a smaller one"
    examples = (left.verdict.counterexample.state,) if isinstance(left.verdict, Refuted) else ()
    pair = judge_pair(reduced.before, left.after, asked.options, examples)
    return {
        "html": judged_part(pair),
        "verdict": pair.name,
        "note": f"{sizes}; {times(reduced.tried, 'pair')} tried in {reduced.seconds:.1f} s{ended}",
        "before": format_trace(reduced.before),
        "after": format_trace(left.after),
    }
