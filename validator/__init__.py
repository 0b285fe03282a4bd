"""Validates optimizations of traces: is the trace after a correct optimization of the trace before?

    from validator import validate, Proved, Refuted

`validate(before, after) -> Verdict` judges a pair. Each name is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from validator.prove.judge import validate
    from validator.search.counterexample import Counterexample, State
    from validator.verdict import (
        Evidence,
        Failargs,
        Failed,
        Guards,
        Options,
        Proved,
        Refuted,
        Unknown,
        Unsupported,
        Verdict,
    )

__all__ = [
    "Counterexample",
    "Evidence",
    "Failargs",
    "Failed",
    "Guards",
    "Options",
    "Proved",
    "Refuted",
    "State",
    "Unknown",
    "Unsupported",
    "Verdict",
    "validate",
]

_VERDICTS = dict.fromkeys(__all__, "validator.verdict")

__getattr__ = names_from(
    __name__,
    _VERDICTS
    | {
        "Counterexample": "validator.search.counterexample",
        "State": "validator.search.counterexample",
        "validate": "validator.prove.judge",
    },
)
