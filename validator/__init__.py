"""Validates optimizations of traces: is the trace after a correct optimization of the trace before?

    from validator import validate, Proved, Refuted

`validate(before, after) -> Verdict` judges a pair. Each name is loaded when it is first asked for.
"""

from optimizer.ir.lazy_names import names_from

_VERDICTS = "Evidence Failargs Failed Guards Options Proved Refuted Unknown Unsupported Verdict"
_HOMES = {
    **dict.fromkeys(_VERDICTS.split(), "validator.verdict"),
    "Counterexample": "validator.search.counterexample",
    "State": "validator.search.counterexample",
    "validate": "validator.prove.judge",
}
__all__ = tuple(_HOMES)
__getattr__ = names_from(__name__, _HOMES)
