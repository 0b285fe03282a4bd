"""Random loops: random traces that go back to their start."""

from __future__ import annotations

from random import Random

from fuzz.draw.generator import GeneratedTrace, generate_for
from fuzz.draw.vocabulary import EVERYTHING, Vocabulary
from optimizer.ir.immutable import replace
from optimizer.ir.rows.ops import OPS
from optimizer.ir.trace import Operation, Trace, Value, Var

_INVARIANT = 0.5
"""The share of inputs that each iteration hands on as they are."""


def loop_for(seed: int, vocabulary: Vocabulary = EVERYTHING) -> GeneratedTrace:
    """The trace that a campaign makes from that seed, made a loop. On the example it goes round once, at least."""
    generated, random = generate_for(seed, vocabulary), Random(seed)
    trace = generated.trace
    end = Operation(OPS["jump"], tuple([_handed_on(trace, var, random) for var in trace.inputs]))
    return replace(generated, trace=trace.of((*trace.ops[:-1], end)))


def _handed_on(trace: Trace, var: Var, random: Random) -> Value:
    results = [one.result for one in trace.ops if one.result is not None and one.result.type is var.type]
    values = [*results, *[other for other in trace.inputs if other.type is var.type]]
    return var if random.random() < _INVARIANT else random.choice(values)
