"""Our optimizer on a trace, pass by pass, and the proofs of the rules that fired."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fuzz.report.pages import render
from fuzz.serve.question import Answer, Asked
from optimizer.ir.rules.language import Rule
from optimizer.ir.text import format_trace
from optimizer.pipeline import ALL_RULES, DEFAULT_PASSES, Optimization, run_passes
from validator.rules.proofs import prove_rule
from validator.rules.status import status_words

_PROVING_S = 5.0
"""The seconds after which no further rule is proved."""


@dataclass(frozen=True, slots=True)
class _Step:
    """The trace as it is with the passes up to this one, and the rules that fire for the first time."""

    name: str
    operations: int
    guards: int
    text: str
    rules: list[tuple[str, int]]


def optimize(asked: Asked) -> Answer:
    """The recorded trace, optimized; steps that change nothing are left out."""
    before = asked.recorded()
    steps, last = [], None
    for number in range(1, len(DEFAULT_PASSES) + 1):
        done = run_passes(before, DEFAULT_PASSES[:number])
        if last is None or number == len(DEFAULT_PASSES) or format_trace(done.trace) != format_trace(last.trace):
            steps.append(_step(DEFAULT_PASSES[number - 1], done, last))
            last = done
    assert last is not None
    fired = [rule for rule in ALL_RULES if rule.name in last.fired]
    html = render(
        "optimized.html",
        operations=len(before.ops),
        guards=len(before.guards),
        steps=steps,
        proofs=[*_proofs(fired)],
        always_fails=last.always_fails,
    )
    return {"html": html, "after": format_trace(last.trace)}


def _step(name: str, done: Optimization, last: Optimization | None) -> _Step:
    earlier: Mapping[str, int] = {} if last is None else last.fired
    rules = [(rule, count) for rule, count in done.fired.items() if count != earlier.get(rule)]
    return _Step(name, len(done.trace.ops), len(done.trace.guards), format_trace(done.trace), rules)


def _proofs(rules: Iterable[Rule]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """The name of each rule, the rule, and how it is proved, as far as there is time."""
    start = time.monotonic()
    for rule in rules:
        in_time = time.monotonic() - start < _PROVING_S
        yield rule.name, str(rule), status_words(prove_rule(rule)) if in_time else ("not tried", "the time is up")
