"""Pairs of traces for tests, and what is said of those that are written as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from optimizer.ir.text import parse
from optimizer.ir.trace import Trace, exit_of
from validator import Failargs, Guards, Options, Proved, Refuted, Verdict, validate
from validator.solvers.answers import SolverChoice
from validator.solvers.portfolio import Query
from validator.tell.report import verdict_name


def judge(
    before: str,
    after: str,
    *,
    word: int | None = None,
    observe: Callable[[Query], None] | None = None,
    **options: object,
) -> Verdict:
    """The verdict on a pair; options by the names and values that the command line has."""
    chosen = Options(
        Guards(options.get("guards", "early")),
        Failargs(options.get("failargs", "check")),
        effort=int(str(options.get("effort", Options().effort))),
        solver=SolverChoice(options.get("solver", "z3")),
    )
    texts = parse(before, file="before", word=word), parse(after, file="after", word=word)
    return validate(*texts, chosen, observe=observe)


def proved(before: str, after: str, **options: object) -> Proved:
    verdict = judge(before, after, **options)
    assert isinstance(verdict, Proved), verdict
    return verdict


def refuted(before: str, after: str, obligation: str = "", **options: object) -> Refuted:
    """Refuted by a counterexample to an obligation whose name starts so."""
    verdict = judge(before, after, **options)
    assert isinstance(verdict, Refuted), verdict
    assert verdict.counterexample.obligation.startswith(obligation), verdict.counterexample
    return verdict


def not_proved(before: str, after: str, **options: object) -> Verdict:
    verdict = judge(before, after, **options)
    assert verdict_name(verdict) in ("refuted", "unknown", "unsupported"), verdict
    return verdict


def with_origins(trace: Trace) -> Trace:
    """The trace, each guard naming itself as its origin."""
    number = count()
    ops = (replace(op, exit=replace(exit_of(op), origin=next(number))) if op.op.is_guard else op for op in trace.ops)
    return replace(trace, ops=tuple(ops))
