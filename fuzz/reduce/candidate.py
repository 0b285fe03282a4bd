"""The candidates of a reduction: a recorded trace, what an optimizer made of it where that is not made anew, and a
state.

The operations of a candidate are known by their `line`, which stays theirs while others go. Where there are two traces,
operations of both that are the same have the same one, so that they are changed on both sides at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fuzz.campaign.examine import run_of
from fuzz.edits.edit import Edit
from fuzz.edits.reach import reached
from fuzz.edits.rows import RANKS
from fuzz.edits.walk import LETTERS, is_well_formed, operands, variables, with_names
from fuzz.reduce.change import Change
from optimizer.ir.faults import InputError
from optimizer.ir.floats import ZERO
from optimizer.ir.immutable import replace
from optimizer.ir.run.objects import NULL, Datum, blank
from optimizer.ir.run.runs import Run
from optimizer.ir.text import format_trace
from optimizer.ir.trace import ConstFloat, ConstInt, Trace, Value, Var, all_operations
from optimizer.ir.types.trace_layout import layout_of
from validator.search.counterexample import State
from validator.search.sites import named_by_inputs
from validator.tell.stored_state import restored_state, stored_state

if TYPE_CHECKING:
    from fuzz.reduce.cause import Cause


@dataclass(frozen=True)
class Candidate:
    """`after` is None where the optimizer is run again on each candidate. `cause` is what has to stay of a wrong pair
    that is not made again."""

    before: Trace
    after: Trace | None
    state: State
    cause: Cause | None = None

    @property
    def traces(self) -> tuple[Trace, ...]:
        return (self.before,) if self.after is None else (self.before, self.after)

    @property
    def takes_constants(self) -> bool:
        """May a constant stand for a variable? In a pair that nobody optimizes again, it would take the sense away."""
        return self.after is None

    def with_traces(self, traces: Sequence[Trace]) -> Candidate:
        return replace(self, before=traces[0], after=None if self.after is None else traces[1])

    def edited(self, edit: Edit) -> Candidate | None:
        """The edit made to all traces; None where it changes nothing."""
        traces = [edit.on(trace) for trace in self.traces]
        return None if tuple(traces) == self.traces else self.with_traces(traces)

    @cached_property
    def change(self) -> Change | None:
        """The difference of the two traces, where there are two."""
        return None if self.after is None else Change(self.before, self.after)

    @cached_property
    def shared_lines(self) -> frozenset[int]:
        """The lines that can be changed without changing what the two traces differ in: all, if there is one trace."""
        change = self.change
        return frozenset(op.line for op in all_operations(self.before)) if change is None else change.common

    @cached_property
    def run(self) -> Run | None:
        """The recorded trace on the state, None where it has no meaning there."""
        return run_of(self.before, self.state, *self.traces[1:])

    def value(self, var: Var) -> Datum:
        """The value of the variable on the state; 0 or NULL where the run does not get there."""
        found = None if self.run is None else self.run.values.get(var.name)
        if found is None:
            return blank(var.type)
        return found

    @cached_property
    def text(self) -> str:
        return "\n".join(map(format_trace, self.traces))

    @cached_property
    def cost(self) -> tuple[int, ...]:
        """Less is simpler: fewer operations first, then fewer things handed over, inputs and declarations, then simpler
        operands."""
        operations = [op for trace in self.traces for op in all_operations(trace)]
        return (
            len(operations),
            sum(len(operands(op)) for op in operations),
            sum(op.exit is not None and op.exit.failargs is None for op in operations),
            sum(len(trace.inputs) for trace in self.traces),
            sum(RANKS[op.op] for op in operations),
            sum(map(_declared, self.traces)),
            sum(_operands(trace) for trace in self.traces),
        )


def _declared(trace: Trace) -> int:
    told = trace.declarations
    fields = sum(len(one.fields) for one in told.structs) + sum(len(one.fields) for one in told.arrays)
    known = sum(len(const.fields) + (const.length is not None) for const in told.consts)
    effects = [names for one in told.calls for names in (one.reads, one.writes) if names != ("*",)]
    named = sum(1 + len(names) for names in effects) + sum(1 for one in told.structs if not one.cleared)
    parents = sum(one.parent is not None for one in told.structs)
    own = [*(one.fields for one in told.structs), *(one.fields for one in told.arrays)]
    steady = sum(field.immutable + field.quasi_immutable for each in own for field in each)
    steady += sum(array.immutable for array in told.arrays)
    named += not told.cleared
    return sum(map(len, told.sections.values())) * 4 + fields * 2 + known + named + parents + steady


_FAR = 200
"""An operand costs no constant more than that, and a variable more than any."""


def _operands(trace: Trace) -> int:
    place = {var.name: number for number, var in enumerate(trace.inputs)}
    total = 0
    for op in all_operations(trace):
        total += sum(_operand_cost(value, place) for value in operands(op))
        if op.result is not None:
            place[op.result.name] = len(place)
    return total


def _operand_cost(value: Value | None, place: Mapping[str, int]) -> int:
    match value:
        case None:
            return 0
        case Var(name):
            return _FAR + 1 + place.get(name, 0)
        case ConstInt(number):
            return constant_cost(number)
        case ConstFloat(number):
            return 1 + len(str(number)) + (number != ZERO)
        case _:
            return 1 + (str(value) != NULL.name)


def constant_cost(number: int) -> int:
    """0, 1 and -1 first, then other small numbers, powers of two, their neighbours and the rest."""
    size = abs(number)
    if size <= 16:
        return 2 * size + (number < 0)
    bits = size.bit_length()
    near = 0 if size & (size - 1) == 0 else 1 if size & (size + 1) == 0 else bits.bit_count() + size.bit_count()
    return min(_FAR, 40 + near + (number < 0) + (bits if near > 1 else 0))


def may_be_tried(candidate: Candidate) -> bool:
    """Are its traces well-formed, with a value for each input?"""
    return is_well_formed(*candidate.traces) and len(candidate.state.inputs) == len(candidate.before.inputs)


# At the end.


def with_plain_names(candidate: Candidate) -> Candidate:
    """The candidate with other names, and objects named as the inputs that refer to them."""
    names: dict[Var, Var] = {}
    counts: Counter[str] = Counter()
    for trace in candidate.traces:
        for var in variables(trace):
            if var not in names:
                letter = LETTERS[var.type]
                names[var] = Var(f"{letter}{counts[letter]}", var.type)
                counts[letter] += 1
    named = candidate.with_traces([with_names(trace, names) for trace in candidate.traces])
    state = candidate.state
    return replace(named, state=state if state.heap is None else named_by_inputs(state, named.before))


def with_told_state(candidate: Candidate) -> Candidate | None:
    """The candidate with what it needs of its state, as a case tells it; None where that cannot be read again."""
    try:
        layout = layout_of(*candidate.traces)
        told = stored_state(reached(candidate.state, candidate.traces, layout), candidate.before)
        state = restored_state(told, candidate.before, layout, "state")
    except (InputError, ValueError):
        return None
    if state is None and candidate.before.inputs:
        return None
    return replace(candidate, state=state or candidate.state)
