"""Verdicts against concrete runs: a pair that is proved may differ on no state, one that is refuted differs on the
state that is told. What differs is said by `heap_truth`, not by the validator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from certificates import as_if_proved
from heap_truth import Truth, is_possible

from optimizer.ir.text import format_trace
from optimizer.ir.trace import Trace
from optimizer.ir.types.trace_layout import layout_of
from validator import Options, Proved, Refuted, State, Unknown, Unsupported, Verdict, validate
from validator.check.checker import Checked, check

Origins = tuple[int | None, ...]


@dataclass(frozen=True)
class Case:
    before: Trace
    after: Trace
    options: Options

    def __str__(self) -> str:
        texts = [format_trace(trace) for trace in (self.before, self.after)]
        return f"{self.options.guards} {self.options.failargs}\n{texts[0]}\n{texts[1]}"


class Wrong(AssertionError):
    """A verdict that is not right."""


def judged(case: Case, wrong_state: Callable[[Case, Origins], State | None]) -> Verdict:
    """The verdict. Raises Wrong where runs show that it is wrong: `wrong_state` looks for one that differs. Under an
    audit the checker is asked of what is not proved, too."""
    verdict = validate(case.before, case.after, case.options)
    match verdict:
        case Proved(evidence):
            state = wrong_state(case, evidence.origins)
            if state is not None:
                raise Wrong(f"proved\n{case}\norigins {evidence.origins}\n{told(state)}")
        case Refuted(_, first, others):
            for found in (first, *others):
                check_counterexample(case, found.state, found.origins, found.difference)
        case Unknown() | Unsupported():
            pass
        case _:
            raise Wrong(f"{verdict}\n{case}")
    if case.options.audit and isinstance(verdict, Refuted | Unknown):
        _check_as_if_proved(case, wrong_state)
    return verdict


def _check_as_if_proved(case: Case, wrong_state: Callable[[Case, Origins], State | None]) -> None:
    certificate = as_if_proved(case.before, case.after, case.options)
    modes = case.options.guards, case.options.failargs
    if isinstance(check(case.before, case.after, certificate, *modes, effort=300_000, timeout_s=10), Checked):
        state = wrong_state(case, certificate.origins)
        if state is not None:
            raise Wrong(f"checked\n{case}\norigins {certificate.origins}\n{told(state)}")


def check_counterexample(case: Case, state: State, origins: Origins, difference: str) -> None:
    layout = layout_of(case.before, case.after)
    truth = Truth(case.before, case.after, case.options, layout)
    runs = truth.runs(state)
    if not is_possible(state, case.before, layout):
        raise Wrong(f"refuted by a state that cannot be\n{case}\n{told(state)}")
    if runs is None or not truth.differs(*runs, origins):
        raise Wrong(f"refuted by a state without a difference: {difference}\n{case}\norigins {origins}\n{told(state)}")


def told(state: State) -> str:
    lines = [f"inputs {[str(value) for value in state.inputs]}", str(state.world)]
    if state.heap is not None:
        lines += [
            f"{ref}: {found.type.name} {found.length} {dict(found.cells)}" for ref, found in state.heap.objects.items()
        ]
        lines.append(str(state.heap.names))
    return "\n".join(lines)
