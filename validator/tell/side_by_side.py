"""Both traces beside each other for a person, with the value of every operation, on a counterexample or any run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optimizer.ir.rows.ops import Kind
from optimizer.ir.run.interpreter import Finished, GuardFailed, Jumped, Run, Stopped, Undefined
from optimizer.ir.text import format_operation
from optimizer.ir.trace import ConstClass, Operation, Trace
from validator.search.counterexample import Counterexample
from validator.tell.columns import Style, columns
from validator.tell.line_pairs import Line, Row, paired
from validator.tell.run_text import listed
from validator.tell.state_text import state_lines


def side_by_side(found: Counterexample, style: Style, width: int | None = None) -> Iterator[str]:
    """The lines: the state, both traces with values, the first difference marked, and a sentence that says it. They are
    no longer than the `width` of a terminal, if that is known."""
    before, after = found.traces
    yield from state_lines(found, before)
    yield ""
    yield from columns(
        list(rows(before, found.before, after, found.after, found.obligation, found.origins)), style, width
    )
    yield ""
    yield f"{found.obligation}: {found.difference}."


def rows(
    before: Trace,
    before_run: Run | None,
    after: Trace,
    after_run: Run | None,
    obligation: str = "",
    origins: Sequence[int | None] = (),
) -> Iterator[Row]:
    """The lines of both traces with what each came to where there is a run, beside each other what corresponds: guards
    of the optimized trace and their `origins`, ends, and operations that are equal or do the same kind of thing.
    `obligation` is the one that the runs break, empty if they do not differ; the first row is marked that breaks it.
    """
    left = [*annotated(before, before_run, _recorded(obligation))]
    right = [*annotated(after, after_run, _optimized(obligation))]
    found = [*paired(left, right, origins)]
    first = _first_difference(found, obligation)
    yield from (Row(mine, theirs, number == first) for number, (mine, theirs) in enumerate(found))


def _first_difference(found: Sequence[tuple[Line, Line]], obligation: str) -> int | None:
    """The row in which the runs first do something that breaks the obligation."""
    if obligation == "end: events":
        alone = (k for k, (mine, theirs) in enumerate(found) if (mine.event is None) != (theirs.event is None))
        return next(alone, None)
    return next((k for k, (mine, theirs) in enumerate(found) if mine.marked or theirs.marked), None)


def _recorded(obligation: str) -> str:
    """The part of an obligation that is about the run of the recorded trace: the guard of others is one of the
    optimized trace."""
    return "" if obligation.startswith("guard ") and not obligation.endswith(": left") else obligation


def _optimized(obligation: str) -> str:
    return "" if obligation.endswith(": left") else obligation


def annotated(trace: Trace, run: Run | None, obligation: str = "") -> Iterator[Line]:
    """The lines of a trace, with what each operation of the run came to, if there is one. Those are marked in which it
    does what the obligation speaks of."""
    yield Line(f"[{', '.join(map(str, trace.inputs))}]")
    notes = _Notes(run, obligation)
    for operation in trace.ops:
        yield notes.line(operation, "")
        for inner in operation.exit.block if operation.exit else ():
            yield notes.line(inner, "    ", in_block=True)
        notes.ended = notes.ended or notes.left


class _Notes:
    """Follows a run along the text of its trace."""

    def __init__(self, run: Run | None, obligation: str) -> None:
        self._run = run
        self._obligation = obligation
        self._number = self._guards = 0
        self._events = {} if run is None else {event.op: n for n, event in enumerate(run.events)}
        self.ended = False
        self.left = False

    def line(self, operation: Operation, indent: str, in_block: bool = False) -> Line:
        text = indent + format_operation(operation)
        number, self._number = self._number, self._number + 1
        guard = self._guards if operation.op.kind is Kind.GUARD else None
        note, marked, event = "", False, None
        if self._run is not None and not self.ended and (self.left or not in_block):
            note, marked = self._note(operation, number, self._run)
            event = self._events.get(number)
        self._guards += operation.op.kind is Kind.GUARD
        return Line(text, note, marked, guard, operation.op.kind, event)

    def _note(self, operation: Operation, number: int, run: Run) -> tuple[str, bool]:
        outcome = run.outcome
        if isinstance(outcome, Undefined) and outcome.op == number:
            self.ended = True
            return f"undefined: {outcome.reason}", self._obligation.startswith("op ")
        match operation.op.kind:
            case Kind.GUARD:
                block = operation.exit.block if operation.exit else ()
                if isinstance(outcome, Undefined) and number < outcome.op <= number + len(block):
                    self.left = True
                    return "fails", False
                if not isinstance(outcome, GuardFailed) or outcome.guard != self._guards:
                    return "passes", False
                self.left = True
                marked = self._obligation.startswith(f"guard {self._guards}:") or self._leaves_too_soon
                handed = "" if outcome.failargs is None else f", hands over {listed(outcome.failargs, '-')}"
                return f"fails{handed}", marked
            case Kind.EVENT if number in self._events:
                return self._event(operation, self._events[number], run)
            case Kind.END if isinstance(outcome, Finished | Jumped):
                return listed(outcome.args, "-"), self._obligation.startswith("end:") or self._leaves_too_soon
            case _ if operation.result is not None:
                value = run.values.get(operation.result.name)
                return ("" if value is None else str(value)), False
        return "", False

    @property
    def _leaves_too_soon(self) -> bool:
        """Does the recorded trace leave or end where the optimized one goes on to another event?"""
        return self._obligation.endswith(": reached")

    def _event(self, operation: Operation, n: int, run: Run) -> tuple[str, bool]:
        outcome, args = run.outcome, run.events[n].args
        given = zip(operation.args[len(operation.args) - len(args) :], args, strict=True)
        note = f"event {n} ({', '.join(str(arg if isinstance(arg, ConstClass) else value) for arg, value in given)})"
        marked = self._obligation.startswith(f"event {n}:")
        if isinstance(outcome, Stopped) and outcome.event == n:
            self.ended = True
            return f"{note}, does not return", marked
        if operation.result is not None:
            note += f" = {run.values[operation.result.name]}"
        return note, marked
