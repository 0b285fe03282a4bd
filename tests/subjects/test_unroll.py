"""The peeler is right without a fault, each fault can be seen, and campaigns on loops see one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from judging import judged, traces
from unroll import FAULTS, optimize

from fuzz.campaign.batch import Task, run_batch
from fuzz.campaign.plan import Plan
from fuzz.campaign.results import Result
from fuzz.cases.store import Case
from fuzz.draw.vocabulary import Vocabulary
from fuzz.subject.optimizers import OptimizerKind, OptimizerSpec
from optimizer.ir.text import parse

SHOWN = traces("unroll_faults.txt")


@pytest.mark.parametrize("fault", [fault.name for fault in FAULTS])
def test_each_fault_can_be_seen(fault: str) -> None:
    assert judged(optimize, SHOWN[fault]) == "proved"
    assert judged(optimize, SHOWN[fault], [fault]) == "refuted"


def campaign(*arguments: str, traces: int) -> tuple[list[Result], list[Case]]:
    """The results of a campaign on loops, and the cases that it keeps."""
    command = shlex.join([sys.executable, str(Path(__file__).with_name("unroll.py")), *arguments])
    asked = Vocabulary(("integers", "objects", "escapes", "calls"), loops=True)
    plan = Plan(1, traces, optimizer=OptimizerSpec(OptimizerKind.SERVER, command), asked=asked)
    done = [one for one in run_batch(plan, Task(1, traces)) if one.is_final]
    return [one.result for one in done if one.result], [one.case for one in done if one.case]


def test_without_a_fault_it_is_never_wrong() -> None:
    results, _ = campaign(traces=60)
    verdicts = [result.verdict for result in results]
    assert {*verdicts} <= {"proved", "unknown", "unsupported"}
    assert verdicts.count("proved") > 30
    assert verdicts.count("unknown") <= 1


def test_a_fault_is_found_and_made_small() -> None:
    results, (case, *_) = campaign("--fault", "old value handed on", traces=24)
    assert "refuted" in {result.verdict for result in results}
    assert len(parse(case.before).ops) <= 4
