"""The examples of the playground: cases of the corpus that comes with traceproof."""

from __future__ import annotations

from fuzz.cases.store import SHIPPED_CORPUS, case_names, read_case
from optimizer.ir.faults import InputError


def example_names() -> tuple[str, ...]:
    """The names of all cases that have something to read, the toy dialect and the logs of PyPy among them."""
    return case_names(SHIPPED_CORPUS)


def example(name: str) -> dict[str, str]:
    """The fields of the page for that case, with what it is `about`. Raises InputError."""
    if name not in example_names():
        raise InputError(f"there is no example {name!r}")
    case = read_case(SHIPPED_CORPUS, name)
    return {
        "before": case.before,
        "after": case.after or "",
        "about": " ".join(filter(None, (case.about, case.taught))),
        "inputs": ", ".join(f"{key}={value}" for key, value in case.state.inputs),
        "guards": case.options.guards.value,
        "failargs": case.options.failargs.value,
    }
