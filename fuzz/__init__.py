"""Fuzzing of trace optimizers: random traces, campaigns, and the corpus of what they found.

`traces` is a Hypothesis strategy; `generate` makes a trace with its example from a `random.Random`. Each name is loaded
when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzz.generator import GeneratedTrace, generate
    from fuzz.shape import Shape
    from fuzz.strategy import traces

__all__ = ["GeneratedTrace", "Shape", "generate", "traces"]

_HOMES = {
    "GeneratedTrace": "fuzz.generator",
    "generate": "fuzz.generator",
    "Shape": "fuzz.shape",
    "traces": "fuzz.strategy",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
