"""Validates optimizations of traces: is the trace after a correct optimization of the trace before?"""

from validator.judge import validate
from validator.verdict import (
    Counterexample,
    Evidence,
    Failargs,
    Failed,
    Guards,
    Options,
    Proved,
    Refuted,
    State,
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
