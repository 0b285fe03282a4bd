"""Fuzzing of trace optimizers: random traces, campaigns, and the corpus of what they found.

`traces` is a Hypothesis strategy, `assert_correct` says that an optimized trace is right; `generate` makes a trace with
its example from a `random.Random`. Each name is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from fuzz.assertion import assert_correct
    from fuzz.draw.generator import GeneratedTrace, generate
    from fuzz.draw.shape import Shape
    from fuzz.strategy import traces

__all__ = ["GeneratedTrace", "Shape", "assert_correct", "generate", "traces"]

__getattr__ = names_from(
    __name__,
    {
        "GeneratedTrace": "fuzz.draw.generator",
        "generate": "fuzz.draw.generator",
        "Shape": "fuzz.draw.shape",
        "assert_correct": "fuzz.assertion",
        "traces": "fuzz.strategy",
    },
)
