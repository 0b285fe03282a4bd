"""The trace language and its optimizer.

    from optimizer import parse, run, optimize, format_trace, Trace

`parse(text) -> Trace` reads a trace, `format_trace` writes it, `run(trace, inputs) -> Run` interprets it, and
`optimize(trace, passes) -> Trace` optimizes it. Each is loaded when it is first asked for.
"""


def __getattr__(name: str) -> object:
    from optimizer.ir.lazy_names import load

    return load(__name__, name)
