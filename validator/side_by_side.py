"""A counterexample for a person: both traces beside each other, with the value of every operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from optimizer.ir.heap import Datum
from optimizer.ir.interpreter import Finished, GuardFailed, Jumped, Run, Stopped, Undefined
from optimizer.ir.ops import Kind
from optimizer.ir.text import format_operation
from optimizer.ir.trace import ConstClass, Operation, Trace
from validator.report import Style
from validator.state_text import state_lines
from validator.verdict import Counterexample


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a trace, what the operation came to, and whether the difference shows there."""

    text: str
    note: str = ""
    marked: bool = False

    def __str__(self) -> str:
        return f"{self.text}  # {self.note}" if self.note else self.text


_NOTHING = _Line("")


def side_by_side(found: Counterexample, before: Trace, after: Trace, style: Style) -> Iterator[str]:
    """The lines: the state, both traces with values, the first difference marked, and a sentence that says it."""
    yield from state_lines(found, before)
    yield ""
    left = [*annotated(before, found.before, found.obligation)]
    right = [*annotated(after, found.after, found.obligation)]
    width = max(len("before"), *(len(str(line)) for line in left))
    yield f"    {'before':<{width}}   after"
    marked = False
    for mine, theirs in _rows(left, right):
        mark = not marked and (mine.marked or theirs.marked)
        text = f"{'  > ' if mark else '    '}{mine!s:<{width}}   {theirs}".rstrip()
        yield style(text, "bold") if mark else text
        marked = marked or mark
    yield ""
    yield f"{found.obligation}: {found.difference}."


def annotated(trace: Trace, run: Run, obligation: str = "") -> Iterator[_Line]:
    """The lines of a trace, with what each operation of the run came to."""
    yield _Line(f"[{', '.join(map(str, trace.inputs))}]")
    notes = _Notes(run, obligation)
    for operation in trace.ops:
        yield notes.line(operation, "")
        for inner in operation.exit.block if operation.exit else ():
            yield notes.line(inner, "    ", in_block=True)
        notes.ended = notes.ended or notes.left


class _Notes:
    """Follows a run along the text of its trace."""

    def __init__(self, run: Run, obligation: str) -> None:
        self._run = run
        self._obligation = obligation
        self._number = self._guards = self._events = 0
        self.ended = False
        self.left = False

    def line(self, operation: Operation, indent: str, in_block: bool = False) -> _Line:
        text = indent + format_operation(operation)
        number, self._number = self._number, self._number + 1
        if self.ended or (in_block and not self.left):
            note, marked = "", False
        else:
            note, marked = self._note(operation, number)
        self._guards += operation.op.kind is Kind.GUARD
        self._events += operation.op.kind is Kind.EVENT
        return _Line(text, note, marked)

    def _note(self, operation: Operation, number: int) -> tuple[str, bool]:
        outcome = self._run.outcome
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
            case Kind.EVENT:
                return self._event(operation)
            case Kind.END if isinstance(outcome, Finished | Jumped):
                return _tuple(outcome.args), True
            case _ if operation.result is not None:
                value = self._run.values.get(operation.result.name)
                return ("" if value is None else str(value)), False
        return "", False

    def _event(self, operation: Operation) -> tuple[str, bool]:
        n, outcome = self._events, self._run.outcome
        given = zip(operation.args, self._run.events[n].args, strict=True)
        note = f"event {n} ({', '.join(str(arg if isinstance(arg, ConstClass) else value) for arg, value in given)})"
        marked = self._obligation.startswith(f"event {n}:")
        if isinstance(outcome, Stopped) and outcome.event == n:
            self.ended = True
            return f"{note}, does not return", True
        if operation.result is not None:
            note += f" = {self._run.values[operation.result.name]}"
        return note, marked


def _handed_over(outcome: GuardFailed) -> str:
    return "" if outcome.failargs is None else f", hands over {_tuple(outcome.failargs)}"


def _tuple(values: Sequence[Datum | None]) -> str:
    return "(" + ", ".join("-" if value is None else str(value) for value in values) + ")"


def _rows(left: list[_Line], right: list[_Line]) -> Iterator[tuple[_Line, _Line]]:
    """The lines of both sides, equal operations beside each other."""
    keys = [[line.text.split(") [")[0] for line in side] for side in (left, right)]
    for _, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        for i in range(max(b - a, d - c)):
            yield (
                left[a + i] if a + i < b else _NOTHING,
                right[c + i] if c + i < d else _NOTHING,
            )
