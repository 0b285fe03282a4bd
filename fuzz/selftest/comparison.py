"""The validator against itself: verdicts, the checker of certificates, and runs must not contradict each other.

A seed makes a trace, our optimizer makes another one of it, and random edits make that one wrong, mostly; many edits do
not show on the example. Of what is proved no run may show a difference, and the checker may leave it unsettled, but not
contradict it. Simplified terms must have the values of those that are written.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from fuzz.campaign.examine import describe, malformed
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.mixes import draw_shape
from fuzz.mutate.nearby import Nearby
from fuzz.selftest.random_claims import wrongly_claimed
from fuzz.selftest.random_edits import edit, edit_unseen
from fuzz.selftest.random_terms import wrongly_simplified, wrongly_written
from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from optimizer.ir.types.trace_layout import layout_of
from optimizer.pipeline import optimize
from validator.prove.judge import validate
from validator.search.counterexample import State
from validator.search.replay import Replay
from validator.search.states import sample_states
from validator.verdict import Failed, Options, Proved, Verdict

_EDITS = (0, 0, 1, 2, 3)
"""The number of edits of an optimized trace, each as often as it stands here."""

_TERMS = 200
"""The number of simplified terms that are compared with those that are written, for each pair."""

_STATES = 100
"""The number of states near its example on which each pair that is proved is run."""

_CLAIMS = 30
"""The number of random cases that are put to the rungs without a solver, for each pair."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The pair of a seed. `after` has the edits."""

    seed: int
    generated: GeneratedTrace
    after: Trace

    @property
    def before(self) -> Trace:
        return self.generated.trace


@dataclass(frozen=True, slots=True)
class Compared:
    """The verdict on a pair, None where there was a crash, and what is wrong with it: empty if nothing is. `report`
    says more."""

    pair: Pair
    verdict: Verdict | None
    complaint: str = ""
    report: str = ""


def make_pair(seed: int, word: int) -> Pair:
    """The pair of a seed; the same on every machine."""
    random = Random(seed)
    choices = RandomChoices(random)
    generated = generate_from(choices, draw_shape(choices, word))
    after = _optimized(generated.trace)
    for _ in range(random.choice(_EDITS)):
        is_seen = random.random() < 0.3
        edited = edit(after, random) if is_seen else edit_unseen(after, generated.values, random)
        after = edited if malformed(generated.trace, edited) is None else after
    return Pair(seed, generated, after)


def _optimized(trace: Trace) -> Trace:
    """The optimized trace; where the optimizer crashes, which is for a campaign to find, the trace as it is."""
    try:
        return optimize(trace)
    except Exception:
        return trace


def compare_all(seeds: Iterable[int], word: int, options: Options) -> Iterator[Compared]:
    """One comparison a seed, as they come."""
    for seed in seeds:
        yield compare(make_pair(seed, word), options)


def compare(pair: Pair, options: Options) -> Compared:
    """The verdict, with the checker's word on a proof, and what contradicts it."""
    verdict: Verdict | None = None
    try:
        chosen = replace(options, audit=True)
        verdict = validate(pair.before, pair.after, chosen, examples=(pair.generated.state,))
        wrong, report = _contradiction(pair, verdict, options)
        if not wrong:
            wrong, report = _shown_by_probes(Random(pair.seed), pair.before.word)
        return Compared(pair, verdict, wrong, report)
    except Exception as error:
        return Compared(pair, verdict, describe(error), traceback.format_exc())


def _contradiction(pair: Pair, verdict: Verdict, options: Options) -> tuple[str, str]:
    """A contradiction to the verdict, in a sentence and in detail; empty if there is none."""
    match verdict:
        case Failed(_, reason, report):
            return reason, report
        case Proved(evidence) if evidence.vacuous:
            return "vacuous, and the example runs to its end", str(verdict)
        case Proved():
            return _shown_by_runs(pair, verdict, options)
    return "", ""


def _shown_by_probes(random: Random, word: int) -> tuple[str, str]:
    probes = {
        "a term is not what it was simplified to": wrongly_simplified(random, word, _TERMS),
        "something is said of values that is not so": wrongly_claimed(random, random.choice((4, 8, word)), _CLAIMS),
        "a solver says that a term has another value": wrongly_written(random, word),
    }
    return next(((wrong, report) for wrong, report in probes.items() if report), ("", ""))


def _states(pair: Pair, replay: Replay, layout: Layout) -> Iterator[State]:
    """Samples, and states near the example and near those on which the recorded trace came to its end."""
    example = pair.generated.state
    yield from sample_states(pair.before, pair.after, (example,), layout)
    nearby, known = Nearby((pair.before, pair.after), Random(pair.seed)), [example]
    for _ in range(_STATES):
        state = nearby.state(known)
        yield state
        if replay.reaches_end(state):
            known.append(state)


def _shown_by_runs(pair: Pair, proof: Proved, options: Options) -> tuple[str, str]:
    layout = layout_of(pair.before, pair.after)
    replay = Replay(pair.before, pair.after, options, layout)
    for state in _states(pair, replay, layout):
        found = replay.counterexample(state, proof.evidence.origins)
        if found is not None:
            return f"proved, and a run shows a difference: {found.obligation}", str(found)
    return "", ""
