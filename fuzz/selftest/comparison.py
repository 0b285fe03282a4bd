"""The validator against itself: all rungs, an audit, a solver alone, and concrete runs must not contradict each other.

A seed makes a trace, our optimizer makes another one of it, and random edits make that one wrong, mostly; many edits do
not show on the example. What is proved in one way may be unknown in another; it may not be refuted, and no run may show
a difference. Simplified terms must have the values of those that are written.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from fuzz.campaign.examine import describe, malformed
from fuzz.draw.choices import RandomChoices
from fuzz.draw.generator import GeneratedTrace, generate_from
from fuzz.draw.shape import draw_shape
from fuzz.mutate.edit import edit, edit_unseen
from fuzz.mutate.nearby import Nearby
from fuzz.selftest.random_claims import wrongly_claimed
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
from validator.verdict import Failed, Options, Proved, Refuted, Rungs, Verdict

_EDITS = (0, 0, 1, 2, 3)
"""How many edits an optimized trace gets, each as often as it stands here."""

_TERMS = 200
"""For each pair, so many simplified terms are compared with those that are written."""

_STATES = 100
"""Each pair that is proved is run on so many states near its example."""

_CLAIMS = 30
"""For each pair, so many random cases are put to the rungs without a solver."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What a seed makes. `after` has the edits."""

    seed: int
    generated: GeneratedTrace
    after: Trace

    @property
    def before(self) -> Trace:
        return self.generated.trace


@dataclass(frozen=True, slots=True)
class Compared:
    """The verdicts on a pair, and what is wrong with them: empty if nothing is. `report` says more."""

    pair: Pair
    verdicts: dict[Rungs, Verdict]
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
    """What the optimizer makes of it; where it crashes, which is for a campaign to find, the trace as it is."""
    try:
        return optimize(trace)
    except Exception:
        return trace


def compare_all(seeds: Iterable[int], word: int, options: Options) -> Iterator[Compared]:
    """One comparison a seed, as they come."""
    for seed in seeds:
        yield compare(make_pair(seed, word), options)


def compare(pair: Pair, options: Options) -> Compared:
    """The verdicts of all rungs, of all rungs with an audit, and of a solver alone, and what contradicts them."""
    verdicts: dict[Rungs, Verdict] = {}
    try:
        for rungs in Rungs:
            chosen = replace(options, rungs=rungs)
            verdicts[rungs] = validate(pair.before, pair.after, chosen, examples=(pair.generated.state,))
        return Compared(pair, verdicts, *_contradiction(pair, verdicts, options))
    except Exception as error:
        return Compared(pair, verdicts, describe(error), traceback.format_exc())


def _contradiction(pair: Pair, verdicts: dict[Rungs, Verdict], options: Options) -> tuple[str, str]:
    """What is wrong, in a sentence and in detail; empty if nothing is."""
    proofs = {rungs: verdict for rungs, verdict in verdicts.items() if isinstance(verdict, Proved)}
    for rungs, verdict in verdicts.items():
        match verdict:
            case Failed(_, reason, report):
                return f"{rungs.value}: {reason}", report
            case Refuted(_, counterexample) if proofs:
                proving = ", ".join(other.value for other in proofs)
                return f"proved ({proving}) and refuted ({rungs.value}): {counterexample.obligation}", str(verdict)
    for rungs, proof in proofs.items():
        if proof.evidence.vacuous:
            return f"{rungs.value}: vacuous, and the example runs to its end", str(proof)
    wrong, report = _shown_by_runs(pair, proofs, options)
    if wrong:
        return wrong, report
    return _shown_by_probes(Random(pair.seed), pair.before.word)


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


def _shown_by_runs(pair: Pair, proofs: dict[Rungs, Proved], options: Options) -> tuple[str, str]:
    if not proofs:
        return "", ""
    layout = layout_of(pair.before, pair.after)
    replay = Replay(pair.before, pair.after, options, layout)
    for state in _states(pair, replay, layout):
        for rungs, proof in proofs.items():
            found = replay.counterexample(state, proof.evidence.origins)
            if found is not None:
                return f"proved ({rungs.value}), and a run shows a difference: {found.obligation}", str(found)
    return "", ""
