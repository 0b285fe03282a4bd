"""A pair of traces with all that a page says of it: the verdict, a run of both, and which guard stands for which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.cases.store import Case
from optimizer.ir.faults import InputError
from optimizer.ir.faults import Unsupported as NotModelled
from optimizer.ir.run.interpreter import Finished, Jumped
from optimizer.ir.text import parse
from optimizer.ir.text.declaration_writer import format_declarations
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.prove.judge import validate
from validator.search.counterexample import Counterexample, State
from validator.search.replay import Replay, Runs
from validator.search.states import sample_states
from validator.tell.line_pairs import Row
from validator.tell.report import verdict_name, verdict_text
from validator.tell.side_by_side import rows
from validator.tell.state_text import state_lines
from validator.tell.stored_state import restored_state
from validator.verdict import Evidence, Options, Proved, Refuted, Unknown, Verdict

_SAMPLES = 64
"""The number of states that are tried for one on which the recorded trace runs to its end."""


@dataclass(frozen=True, slots=True)
class Link:
    """The guard `after` of the optimized trace stands for the guard `before` of the recorded one. `how` says where it
    fails: `same`, `early` or `stricter`; None where the pair is not proved."""

    before: int
    after: int
    how: str | None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """`state` are lines that describe what both traces run on in `rows`; empty where no run was found."""

    before: Trace
    after: Trace
    verdict: Verdict
    rows: tuple[Row, ...]
    links: tuple[Link, ...]
    state: tuple[str, ...]
    options: Options

    @property
    def evidence(self) -> Evidence | None:
        return self.verdict.evidence if isinstance(self.verdict, Proved | Refuted | Unknown) else None

    @property
    def name(self) -> str:
        """The verdict in a word."""
        return verdict_name(self.verdict)

    @property
    def reason(self) -> str:
        """The reason of the verdict, or what it rests on, in a line."""
        if isinstance(self.verdict, Refuted):
            counterexample = self.verdict.counterexample
            return f"{counterexample.obligation}: {counterexample.difference}."
        first, *_ = verdict_text(self.verdict).splitlines()
        return first.partition(": ")[2]

    @property
    def declared(self) -> str:
        """The declarations of the recorded trace."""
        return format_declarations(self.before.declarations).rstrip()


def judge_case(case: Case, options: Options) -> JudgedPair | None:
    """The pair of a case, judged now; None where the optimizer made no trace, or one that cannot be read."""
    if case.after is None:
        return None
    try:
        before = parse(case.before, file=f"{case.name}/before.trace")
        after = parse(case.after, file=f"{case.name}/after.trace", word=before.word)
        state = restored_state(case.state, before, layout_of(before), f"{case.name}/case.toml")
    except (InputError, NotModelled):
        return None
    return judge_pair(before, after, options, () if state is None else (state,))


def judge_pair(before: Trace, after: Trace, options: Options, examples: Sequence[State] = ()) -> JudgedPair:
    """The pair, judged now. It runs on the counterexample where there is one, else on an example or a sample.

    There is no run of what is unsupported or malformed.
    """
    verdict = validate(before, after, options, examples=tuple(examples))
    ran: Counterexample | Runs | None
    if isinstance(verdict, Refuted):
        ran, obligation = verdict.counterexample, verdict.counterexample.obligation
        origins = verdict.counterexample.origins
        before, after = verdict.counterexample.traces  # of a loop, the iterations that were run
    elif isinstance(verdict, Proved | Unknown):
        ran, obligation = _some_run(before, after, options, examples), ""
        origins = tuple([None if k is None or k < 0 else k for k in verdict.evidence.origins])
    else:
        ran, obligation, origins = None, "", ()
    runs = (ran.before, ran.after) if ran else (None, None)
    beside = rows(before, runs[0], after, runs[1], obligation, origins)
    state = () if ran is None else tuple(state_lines(ran, before))
    links = tuple(Link(k, j, _how(verdict, j)) for j, k in enumerate(origins) if k is not None)
    return JudgedPair(before, after, verdict, tuple(beside), links, state, options)


def _some_run(before: Trace, after: Trace, options: Options, examples: Sequence[State]) -> Runs | None:
    """Runs on which the recorded trace goes to its end, or any if none of the first samples does."""
    layout = layout_of(before, after)
    replay, first = Replay(before, after, options, layout), None
    for _, state in zip(range(_SAMPLES), sample_states(before, after, tuple(examples), layout), strict=False):
        runs = replay.run(state)
        if runs is not None and isinstance(runs.before.outcome, Finished | Jumped):
            return runs
        first = first or runs
    return first


def _how(verdict: Verdict, guard: int) -> str | None:
    if not isinstance(verdict, Proved):
        return None
    evidence = verdict.evidence
    return "stricter" if guard in evidence.stricter else "early" if guard in evidence.early else "same"
