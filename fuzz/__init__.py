"""Fuzzing of trace optimizers: random traces, campaigns, and the corpus of what they found.

`traces` is a Hypothesis strategy; `generate` makes a trace with its example from a `random.Random`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz.generate import GeneratedTrace, generate
from fuzz.shape import Shape

if TYPE_CHECKING:
    from fuzz.strategy import traces

__all__ = ["GeneratedTrace", "Shape", "generate", "traces"]


def __getattr__(name: str) -> Any:
    # Hypothesis takes long to import, and the command lines do not need it.
    if name == "traces":
        from fuzz.strategy import traces

        return traces
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
