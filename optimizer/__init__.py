"""The trace language and its optimizer.

    from optimizer import parse, run, optimize, format_trace, Trace

`parse(text) -> Trace` reads a trace, `format_trace` writes it, `run(trace, inputs) -> Run` interprets it, and
`optimize(trace, passes) -> Trace` optimizes it. Each is loaded when it is first asked for.
"""

from optimizer.ir.lazy_names import names_from

_HOMES = {
    "Trace": "optimizer.ir.trace",
    "format_trace": "optimizer.ir.text",
    "optimize": "optimizer.pipeline",
    "parse": "optimizer.ir.text",
    "run": "optimizer.ir.run.interpreter",
}
__all__ = tuple(_HOMES)
__getattr__ = names_from(__name__, _HOMES)
