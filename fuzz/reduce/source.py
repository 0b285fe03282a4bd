"""The find that a command line names: a case, a pair of traces, or a trace and an optimizer."""

from __future__ import annotations

from fuzz.campaign.examine import Find, Judge, Made, Optimizer, Record, examine
from fuzz.cases.store import Case
from fuzz.draw.generator import GeneratedTrace
from fuzz.reduce.candidate import Candidate
from fuzz.reduce.trials import Subject, given_or
from optimizer.ir.immutable import replace
from optimizer.ir.run.objects import blank
from optimizer.ir.text import parse
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.tell.stored_state import restored_state
from validator.verdict import Options


def look_at(before: Trace, after: Trace | None, subject: Subject, state: State | None = None) -> Record:
    """The record of the pair, or of what the optimizer makes of the trace."""
    candidate = Candidate(before, after, state or State(tuple(blank(var.type) for var in before.inputs)))
    made = Made(0, GeneratedTrace(before, candidate.state, {}))
    return examine(made, given_or(candidate, subject.optimizer), subject.judge)


def look_at_case(case: Case, optimizer: Optimizer, judge: Judge, options: Options) -> tuple[Record, Subject]:
    """The record of a case: with the optimizer, if this shows the kind of find that the case is, else as a pair. Raises
    InputError for a case that cannot be read."""
    before = parse(case.before, file=f"{case.name}/before.trace")
    state = restored_state(case.state, before, layout_of(before), f"{case.name}/case.toml")
    subject = Subject(optimizer, judge, options)
    record = look_at(before, None, subject, state)
    if case.after is None or (isinstance(record, Find) and case.kind in ("", record.kind.value)):
        return _of(record, case), subject
    after = parse(case.after, file=f"{case.name}/after.trace", word=before.word)
    subject = replace(subject, optimizer=None)
    return _of(look_at(before, after, subject, state), case), subject


def _of(record: Record, case: Case) -> Record:
    seed = case.seed or 0
    return replace(record, seed=seed, made=replace(record.made, seed=seed)) if isinstance(record, Find) else record
