"""States on which a trace runs to its end, found by a solver."""

from __future__ import annotations

import time

from optimizer.ir.trace import Trace
from optimizer.ir.types.layout import Layout
from validator.prove.discharge import Budget, Discharger
from validator.prove.notes import passed_up_to
from validator.prove.pairing import encode_pair
from validator.search.counterexample import State
from validator.solvers.answers import Sat, SolverChoice
from validator.solvers.portfolio import FIRST_EFFORT
from validator.verdict import Options

_PATIENCE_S = 60.0


def find_example(trace: Trace, layout: Layout) -> State | None:
    """A state on which the trace runs to its end, as far as it is encoded; None where there is none or none is found.
    The same for the same trace, whatever the machine. Raises Unsupported for what is not modelled."""
    pair = encode_pair(trace, trace, layout, Options(solver=SolverChoice.Z3))
    discharger = Discharger(pair, Budget(FIRST_EFFORT, time.perf_counter() + _PATIENCE_S, time.perf_counter))
    facts = passed_up_to(pair, len(pair.before.guards), to_end=True)
    answer = None if facts.contradiction else discharger.query(facts.learned, FIRST_EFFORT)
    return discharger.state(answer.model, None) if isinstance(answer, Sat) else None
