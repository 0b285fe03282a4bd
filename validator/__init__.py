"""Validates optimizations of traces: is the trace after a correct optimization of the trace before?

    from validator import validate, Proved, Refuted

`validate(before, after) -> Verdict` judges a pair. Each name is loaded when it is first asked for.
"""


def __getattr__(name: str) -> object:
    from optimizer.ir.lazy_names import load

    return load(__name__, name)
