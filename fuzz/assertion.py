"""Verdicts for test suites."""

from __future__ import annotations

from fuzz.campaign.examine import malformed
from optimizer.ir.trace import Trace
from validator.prove.judge import validate
from validator.verdict import Failed, Options, Refuted, Verdict


def assert_correct(before: Trace, after: object, options: Options | None = None) -> Verdict:
    """The verdict that nothing is wrong with `after` as an optimization of `before`, or that nobody knows: `Proved`,
    `Unknown` or `Unsupported`. Raises AssertionError with the report where it is wrong or no trace that could be right,
    and RuntimeError for a fault of this tool."""
    problem = malformed(before, after)
    if problem is not None:
        raise AssertionError(f"malformed: {problem}\n\n{after}")
    assert isinstance(after, Trace)
    verdict = validate(before, after, options)
    if isinstance(verdict, Refuted):
        raise AssertionError(str(verdict))
    if isinstance(verdict, Failed):
        raise RuntimeError(f"{verdict.reason}\n{verdict.report}")
    return verdict
