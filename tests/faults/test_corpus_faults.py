"""Each planted fault of an optimizer of heaps shows on its case of the corpus."""

from __future__ import annotations

import pytest
from faults.heap_faults import CASES, CORPUS, HEAP_FAULTS
from faults.planting import FaultyOptimizer, OptimizerFault

from fuzz.cases.run import run_case
from fuzz.cases.store import read_case
from optimizer.ir.trace import Trace
from optimizer.pipeline import optimize
from validator import Options, validate
from validator.search.counterexample import State
from validator.verdict import Verdict


def _judge(before: Trace, after: Trace, options: Options, states: tuple[State, ...]) -> Verdict:
    return validate(before, after, options, examples=states)


@pytest.mark.parametrize("fault", HEAP_FAULTS, ids=[fault.name for fault in HEAP_FAULTS])
def test_a_case_shows_the_fault(fault: OptimizerFault) -> None:
    case = read_case(CORPUS, CASES[fault.name])
    assert run_case(case, optimize, _judge).differences == ()
    (told,) = run_case(case, FaultyOptimizer(fault), _judge).differences
    assert told.startswith("the optimizer")
