"""What optimizers are known for is proved, and what is subtly wrong is refuted."""

from __future__ import annotations

import pytest
from classics import Classic, classics

from validator import Proved, Refuted, validate

CASES = {case.name: case for case in classics()}
VERDICTS = {"proved": Proved, "refuted": Refuted}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_classic_rewrite_is_judged(case: Classic) -> None:
    verdict = validate(case.before, case.after, case.options)
    assert isinstance(verdict, VERDICTS[case.verdict]), verdict


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_trace_refines_itself(case: Classic) -> None:
    for trace in (case.before, case.after):
        assert isinstance(validate(trace, trace), Proved)
