"""The trace language and its optimizer.

    from optimizer import parse, run, optimize, format_trace, Trace

`parse(text) -> Trace` reads a trace, `format_trace` writes it, `run(trace, inputs) -> Run` interprets it, and
`optimize(trace, passes) -> Trace` optimizes it. Each is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimizer.ir.interpreter import run
    from optimizer.ir.text import format_trace, parse
    from optimizer.ir.trace import Trace
    from optimizer.pipeline import optimize

__all__ = ["Trace", "format_trace", "optimize", "parse", "run"]

_HOMES = {
    "Trace": "optimizer.ir.trace",
    "format_trace": "optimizer.ir.text",
    "optimize": "optimizer.pipeline",
    "parse": "optimizer.ir.text",
    "run": "optimizer.ir.interpreter",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
