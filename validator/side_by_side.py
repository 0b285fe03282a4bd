"""Both traces beside each other for a person, with the value of every operation, on a counterexample or any run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from optimizer.ir.interpreter import Finished, GuardFailed, Jumped, Run, Stopped, Undefined
from optimizer.ir.objects import Datum
from optimizer.ir.ops import Kind
from optimizer.ir.text import format_operation
from optimizer.ir.trace import ConstClass, Operation, Trace
from validator.counterexample import Counterexample
from validator.state_text import state_lines

Style = Callable[[str, str], str]
"""Gives a text a colour, or makes it bold."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a trace, what the operation came to, and whether the difference shows there. `guard` is the number of
    the guard that stands in it."""

    text: str
    note: str = ""
    marked: bool = False
    guard: int | None = None

    def __str__(self) -> str:
        return f"{self.text}  # {self.note}" if self.note else self.text


_NOTHING = Line("")


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines that stand beside each other; one may be empty. `is_first`: the difference first shows here."""

    before: Line
    after: Line
    is_first: bool = False


def side_by_side(found: Counterexample, style: Style) -> Iterator[str]:
    """The lines: the state, both traces with values, the first difference marked, and a sentence that says it."""
    before, after = found.traces
    yield from state_lines(found, before)
    yield ""
    found_rows = [*rows(before, found.before, after, found.after, found.obligation)]
    width = max(len("before"), *(len(str(row.before)) for row in found_rows))
    yield f"    {'before':<{width}}   after"
    for row in found_rows:
        text = f"{'  > ' if row.is_first else '    '}{row.before!s:<{width}}   {row.after}".rstrip()
        yield style(text, "bold") if row.is_first else text
    yield ""
    yield f"{found.obligation}: {found.difference}."


def rows(
    before: Trace, before_run: Run | None, after: Trace, after_run: Run | None, obligation: str = ""
) -> Iterator[Row]:
    """The lines of both traces, equal operations beside each other, with what each came to where there is a run.
    `obligation` is the one that the runs break, empty if they do not differ."""
    marked = False
    left, right = [*annotated(before, before_run, obligation)], [*annotated(after, after_run, obligation)]
    for mine, theirs in _paired(left, right):
        mark = bool(obligation) and not marked and (mine.marked or theirs.marked)
        yield Row(mine, theirs, mark)
        marked = marked or mark


def annotated(trace: Trace, run: Run | None, obligation: str = "") -> Iterator[Line]:
    """The lines of a trace, with what each operation of the run came to, if there is one."""
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
        note, marked = "", False
        if self._run is not None and not self.ended and (self.left or not in_block):
            note, marked = self._note(operation, number, self._run)
        self._guards += operation.op.kind is Kind.GUARD
        return Line(text, note, marked, guard)

    def _note(self, operation: Operation, number: int, run: Run) -> tuple[str, bool]:
        outcome = run.outcome
        if isinstance(outcome, Undefined) and outcome.op == number:
            self.ended = True
            return f"undefined: {outcome.reason}", True
        match operation.op.kind:
            case Kind.GUARD:
                block = operation.exit.block if operation.exit else ()
                if isinstance(outcome, Undefined) and number < outcome.op <= number + len(block):
                    self.left = True
                    return "fails", False
                if not isinstance(outcome, GuardFailed) or outcome.guard != self._guards:
                    return "passes", False
                self.left = True
                return "fails" + _handed_over(outcome), True
            case Kind.EVENT if number in self._events:
                return self._event(operation, self._events[number], run)
            case Kind.END if isinstance(outcome, Finished | Jumped):
                return _tuple(outcome.args), True
            case _ if operation.result is not None:
                value = run.values.get(operation.result.name)
                return ("" if value is None else str(value)), False
        return "", False

    def _event(self, operation: Operation, n: int, run: Run) -> tuple[str, bool]:
        outcome, args = run.outcome, run.events[n].args
        given = zip(operation.args[len(operation.args) - len(args) :], args, strict=True)
        note = f"event {n} ({', '.join(str(arg if isinstance(arg, ConstClass) else value) for arg, value in given)})"
        marked = self._obligation.startswith(f"event {n}:")
        if isinstance(outcome, Stopped) and outcome.event == n:
            self.ended = True
            return f"{note}, does not return", True
        if operation.result is not None:
            note += f" = {run.values[operation.result.name]}"
        return note, marked


def _handed_over(outcome: GuardFailed) -> str:
    return "" if outcome.failargs is None else f", hands over {_tuple(outcome.failargs)}"


def _tuple(values: Sequence[Datum | None]) -> str:
    return "(" + ", ".join("-" if value is None else str(value) for value in values) + ")"


def _paired(left: list[Line], right: list[Line]) -> Iterator[tuple[Line, Line]]:
    """The lines of both sides, equal operations beside each other."""
    keys = [[line.text.split(") [")[0] for line in side] for side in (left, right)]
    for _, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        for i in range(max(b - a, d - c)):
            yield (
                left[a + i] if a + i < b else _NOTHING,
                right[c + i] if c + i < d else _NOTHING,
            )
