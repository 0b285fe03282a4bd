"""Fuzzing of trace optimizers: random traces, campaigns, and the corpus of what they found.

`traces` is a Hypothesis strategy, `assert_correct` says that an optimized trace is right; `generate` makes a trace with
its example from a `random.Random`. Each name is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from fuzz.assertion import assert_correct
    from fuzz.generator import GeneratedTrace, generate
    from fuzz.shape import Shape
    from fuzz.strategy import traces

__all__ = ["GeneratedTrace", "Shape", "assert_correct", "generate", "traces"]

__getattr__ = names_from(
    __name__,
    {
        "GeneratedTrace": "fuzz.generator",
        "generate": "fuzz.generator",
        "Shape": "fuzz.shape",
        "assert_correct": "fuzz.assertion",
        "traces": "fuzz.strategy",
    },
)
