"""A second opinion on a proof: the checker follows its certificate, over the traces as they are written.

The checker shares with the prover the operation table and the language, and nothing else (see `validator.check`). What
it does not settle may be its own weakness. So both traces are run where it has come up with inputs for which an
obligation may fail, in the heaps and worlds of the samples: if they differ there, the proof is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator.check.checker import Checked, Unsettled, check
from validator.search.counterexample import Counterexample, State
from validator.search.replay import Replay
from validator.search.states import sample_states
from validator.verdict import Audit, Failed, Fault, Options, Proved

PAIR = "the pair"
"""The name for what is not settled where it is no single obligation."""

_SAMPLES = 50
"""The number of samples that are run where the checker has not settled an obligation, each with its candidate and
without."""


def audited(
    before: Trace, after: Trace, options: Options, proof: Proved, examples: Sequence[State] = ()
) -> Proved | Failed:
    """The proof with what the checker says of it; a fault where a run contradicts it. The time limit of the pair counts
    anew."""
    certificate = proof.evidence.certificate
    assert certificate is not None
    modes = options.guards, options.failargs, options.effort, options.timeout_s
    found = check(before, after, certificate, *modes)
    if isinstance(found, Unsettled):
        wrong = _contradiction(before, after, options, certificate.origins, found, examples)
        if wrong is not None:
            return Failed(Fault.PROOF, f"proved, and a run shows a difference: {wrong.obligation}", _shown(wrong))
    return Proved(replace(proof.evidence, audit=audit_of(found)))


def audit_of(found: Checked | Unsettled) -> Audit:
    match found:
        case Checked(obligations):
            return Audit(obligations)
        case Unsettled(obligation, reason, _, others):
            return Audit(0, (obligation or PAIR, *others), reason)


def _shown(wrong: Counterexample) -> str:
    from validator.tell.report import plain  # here: nothing is shown of what is right
    from validator.tell.side_by_side import side_by_side

    return "\n".join(side_by_side(wrong, plain))


def _contradiction(
    before: Trace,
    after: Trace,
    options: Options,
    origins: Sequence[int | None],
    found: Unsettled,
    examples: Sequence[State],
) -> Counterexample | None:
    layout = layout_of(before, after)
    replay = Replay(before, after, options, layout)
    for sample in islice(sample_states(before, after, examples, layout), _SAMPLES):
        for state in _with_candidate(sample, found.candidate):
            counterexample = replay.counterexample(state, origins)
            if counterexample is not None:
                return counterexample
    return None


def _with_candidate(sample: State, candidate: Sequence[int | None]) -> Iterator[State]:
    yield sample
    if candidate:
        inputs = [one if mine is None else mine for one, mine in zip(sample.inputs, candidate, strict=True)]
        yield replace(sample, inputs=tuple(inputs))
