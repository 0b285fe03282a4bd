"""Validates optimizations of traces: is the trace after a correct optimization of the trace before?

    from validator import validate, Proved, Refuted

`validate(before, after) -> Verdict` judges a pair. Each name is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validator.counterexample import Counterexample, State
    from validator.judge import validate
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

_HOMES = {
    "Counterexample": "validator.counterexample",
    "State": "validator.counterexample",
    "validate": "validator.judge",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "validator.verdict")), name)
