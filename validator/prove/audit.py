"""A second opinion on a proof: the checker follows its certificate, over the traces as they are written.

The checker shares with the prover the operation table and the language, and nothing else (see `validator.check`).
"""

from __future__ import annotations

from optimizer.ir.immutable import replace
from optimizer.ir.trace import Trace
from validator.check.checker import Checked, Unsettled, check
from validator.verdict import Audit, Options, Proved

PAIR = "the pair"
"""What is not settled where it is no single obligation."""


def audited(before: Trace, after: Trace, options: Options, proof: Proved) -> Proved:
    """The proof with what the checker says of it. The time limit of the pair counts anew."""
    certificate = proof.evidence.certificate
    assert certificate is not None
    found = check(
        before, after, certificate, options.guards, options.failargs, effort=options.effort, timeout_s=options.timeout_s
    )
    return Proved(replace(proof.evidence, audit=audit_of(found)))


def audit_of(found: Checked | Unsettled) -> Audit:
    match found:
        case Checked(obligations):
            return Audit(obligations)
        case Unsettled(obligation, reason):
            return Audit(0, (obligation or PAIR,), reason)
