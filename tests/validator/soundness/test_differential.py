"""Verdicts on generated traces of all kinds against many concrete runs.

What our optimizer makes of a trace, what one with a planted fault does, and what random edits make of either, is judged
and run on states near the one that the trace was made with. More pairs than the suite has time for:
`python tests/validator/soundness/test_differential.py --seconds 600 --seed 1`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[level]) for level in (0, 1, 2, 3)]

import pytest
from any_edits import carelessly
from any_traces import Writer
from by_runs import Case, Origins, judged
from faults.planting import FaultyOptimizer
from faults.table import OPTIMIZER_FAULTS
from heap_truth import Truth, is_possible
from long_runs import run_long, tally
from pairs import with_origins

from fuzz.campaign.examine import malformed
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.mutate.nearby import Nearby
from fuzz.selftest.random_edits import edit, edit_unseen
from optimizer.ir.faults import Unspecified
from optimizer.ir.run.interpreter import Program
from optimizer.ir.run.runs import Finished, Jumped, Run
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import optimize
from validator import Failargs, Guards, Options, State, Verdict

STATES = 200
_KEPT = 30


def made(random: Random) -> GeneratedTrace:
    """A trace as campaigns have them."""
    choices = RandomChoices(random)
    most = random.choice((4, 8, 12, 20, 30))
    shape = draw_shape(choices, random.choice((8, 16, 32, 64, None)))
    return generate_from(choices, replace(shape, min_operations=2, max_operations=most))


def optimized(generated: GeneratedTrace, random: Random) -> Trace:
    """Rightly or wrongly."""
    before = generated.trace
    after = before
    try:
        match random.randrange(4):
            case 0:
                after = FaultyOptimizer(random.choice(OPTIMIZER_FAULTS))(before)
            case 1:
                after = with_origins(before) if random.random() < 0.5 else before
            case _:
                after = optimize(before)
        if malformed(before, after) is not None:
            after = before
    except Exception:  # what a planted fault breaks down on
        after = before
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        match random.randrange(4):
            case 0:
                edited = edit(after, random)
            case 1:
                edited = edit_unseen(after, generated.values, random)
            case _:
                edited = carelessly(after, generated.values, random)
        after = edited if malformed(before, edited) is None else after
    return after if malformed(before, after) is None else before


def written(random: Random) -> GeneratedTrace:
    """A trace of any operations."""
    trace, state = Writer(random, random.choice((8, 16, 32, 64))).trace(random.choice((4, 8, 12, 20)))
    run = Program(trace).run(state.inputs, state.world, heap=state.heap)
    return GeneratedTrace(trace, state, run.values)


def pair(random: Random) -> tuple[Case, State]:
    """A pair, and the state with which its first trace was made."""
    generated = made(random) if random.random() < 0.4 else written(random)
    options = Options(
        random.choice((Guards.EARLY, Guards.EARLY, Guards.SAME, Guards.SAFE)),
        random.choice([Failargs.CHECK] * 5 + [Failargs.IGNORE]),
        effort=2_000_000,
        timeout_s=10.0,
        audit=random.random() < 1 / 3,
    )
    return Case(generated.trace, optimized(generated, random), options), generated.state


def near_states(
    case: Case, example: State, random: Random, count: int
) -> Iterator[tuple[Truth, tuple[State, Run, Run]]]:
    """The example and states near it and near those on which the recorded trace is defined, of those that can be, and
    how both traces run there."""
    layout = layout_of(case.before, case.after)
    truth, nearby = Truth(case.before, case.after, case.options, layout), Nearby((case.before, case.after), random)
    known = [example]
    for number in range(count):
        state = nearby.state(known) if number else example
        if not is_possible(state, case.before, layout):
            continue
        try:
            runs = truth.runs(state)
        except Unspecified:
            continue
        if runs is None:
            continue
        yield truth, runs
        if isinstance(runs[1].outcome, Finished | Jumped) or random.random() < 0.3:
            known = [*known[-_KEPT:], runs[0]]


def wrong_state(case: Case, origins: Origins, example: State, random: Random, count: int = STATES) -> State | None:
    """A state on which the pair differs under those origins."""
    for truth, runs in near_states(case, example, random, count):
        try:
            if truth.differs(*runs, origins):
                return runs[0]
        except Unspecified:
            continue
    return None


@contextmanager
def without_samples(is_without: bool) -> Iterator[None]:
    """Verdicts are those of proofs and solvers alone: running cannot hide what is wrong with them."""
    with pytest.MonkeyPatch.context() as patch:
        if is_without:
            patch.setattr("validator.search.running.sample_states", lambda *_: iter(()))
        yield


def verdict_for(drawn: tuple[Case, State], random: Random) -> Verdict:
    """The verdict. Raises Wrong where runs show that it is wrong."""
    case, example = drawn
    with without_samples(random.random() < 0.5):
        return judged(case, lambda case, origins: wrong_state(case, origins, example, random))


@pytest.mark.parametrize("seed", range(2))
def test_verdicts_agree_with_runs_near_an_example(seed: int) -> None:
    random = Random(f"differential {seed}")
    seen = tally(iter(lambda: pair(random), None), verdict_for, random, 10)
    assert seen["Proved"] > 2, seen
    assert seen["Refuted"] > 2, seen


def test_states_show_most_of_what_is_refuted() -> None:
    """States near an example find the difference of most pairs that are refuted, so that they would of wrong proofs."""
    random = Random("strength")
    shown: Counter[bool] = Counter()
    while shown.total() < 12:
        case, example = pair(random)
        verdict = verdict_for((case, example), random)
        if type(verdict).__name__ == "Refuted":
            origins = verdict.evidence.origins  # type: ignore[union-attr]
            shown[wrong_state(case, origins, example, random) is not None] += 1
    assert shown[True] > 2 * shown[False], shown


if __name__ == "__main__":
    run_long(__doc__, pair, verdict_for)
