"""The trace language and its optimizer.

    from optimizer import parse, run, optimize, format_trace, Trace

`parse(text) -> Trace` reads a trace, `format_trace` writes it, `run(trace, inputs) -> Run` interprets it, and
`optimize(trace, passes) -> Trace` optimizes it. Each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from optimizer.ir.lazy_names import names_from

if TYPE_CHECKING:
    from optimizer.ir.run.interpreter import run
    from optimizer.ir.text import format_trace, parse
    from optimizer.ir.trace import Trace
    from optimizer.pipeline import optimize

__all__ = ["Trace", "format_trace", "optimize", "parse", "run"]

__getattr__ = names_from(
    __name__,
    {
        "Trace": "optimizer.ir.trace",
        "format_trace": "optimizer.ir.text",
        "optimize": "optimizer.pipeline",
        "parse": "optimizer.ir.text",
        "run": "optimizer.ir.run.interpreter",
    },
)
